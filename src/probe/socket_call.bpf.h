/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * socket_call.bpf: which socket a system call is about, and how many bytes it is to send.
 */
#ifndef SONDE_PROBE_SOCKET_CALL_BPF_H
#define SONDE_PROBE_SOCKET_CALL_BPF_H

#include <bpf/bpf_core_read.h>

#include "probe/filter.bpf.h"
#include "probe/syscall.bpf.h"
#include "wire/socket_call.h"

#define INODE_KIND 0170000 /* S_IFMT */
#define INODE_SOCKET 0140000 /* S_IFSOCK */
#define PIECES_MAX 16 /* of one message that are added up; there may be 1024 */

/* Set by user space: enum socket_call by number, and behind these by a 32-bit caller's number. */
const volatile __u8 cfg_socket_calls[2 * FILTER_SYSCALLS] = {};

struct user_piece {
	__u64 base;
	__u64 bytes;
};
struct user_piece_compat {
	__u32 base;
	__u32 bytes;
};
struct user_message {
	__u64 name;
	__u64 name_bytes;
	__u64 pieces;
	__u64 count;
};
struct user_message_compat {
	__u32 name;
	__u32 name_bytes;
	__u32 pieces;
	__u32 count;
};

/* A call as it begins or ends; its arguments are still in the registers. */
struct socket_use {
	enum socket_call call;
	bool compat;
	__u64 args[6];
};

static __always_inline enum socket_call socket_call(__u32 place)
{
	asm volatile("" : "+r"(place)); /* or clang proves the mask away and 6.1 cannot */
	return cfg_socket_calls[place & (2 * FILTER_SYSCALLS - 1)];
}

static __always_inline bool socket_use_take(struct socket_use *use, const struct pt_regs *regs,
					    __u32 nr, const struct task_struct *task)
{
	if (nr >= FILTER_SYSCALLS)
		return false;
	/* Most calls are others: only this table is read for them. */
	if (!socket_call(nr) && !socket_call(nr + FILTER_SYSCALLS))
		return false;
	use->compat = caller_is_compat(task);
	use->call = socket_call(use->compat ? nr + FILTER_SYSCALLS : nr);
	if (use->call == SOCKET_CALL_NONE)
		return false;
	regs_args(regs, use->compat, use->args);
	return true;
}

/* The socket behind the first argument, or NULL. A pointer that the verifier knows nothing of. */
static __always_inline struct sock *socket_use_sock(const struct socket_use *use,
						    const struct task_struct *task)
{
	struct fdtable *table = BPF_CORE_READ(task, files, fdt);
	__u32 fd = (__u32)use->args[0];
	struct file **files, *file = 0;
	struct socket *socket;

	if (!table || fd >= BPF_CORE_READ(table, max_fds))
		return 0;
	files = BPF_CORE_READ(table, fd);
	if (bpf_probe_read_kernel(&file, sizeof(file), files + fd) || !file)
		return 0;
	if ((BPF_CORE_READ(file, f_inode, i_mode) & INODE_KIND) != INODE_SOCKET)
		return 0;
	socket = BPF_CORE_READ(file, private_data);
	return socket ? BPF_CORE_READ(socket, sk) : 0;
}

static __always_inline __u64 piece_bytes(__u64 pieces, __u32 i, bool compat)
{
	struct user_piece_compat small = {};
	struct user_piece piece = {};

	if (!compat) {
		bpf_probe_read_user(&piece, sizeof(piece), (void *)(pieces + i * sizeof(piece)));
		return piece.bytes;
	}
	bpf_probe_read_user(&small, sizeof(small), (void *)(pieces + i * sizeof(small)));
	return small.bytes;
}

/* Not inlined: the verifier forgets here what it went through in the loop. */
static __noinline __u64 pieces_bytes(__u64 pieces, __u64 count, bool compat)
{
	__u64 bytes = 0;

	for (__u32 i = 0; i < PIECES_MAX && i < count; i++)
		bytes += piece_bytes(pieces, i, compat);
	return bytes;
}

static __always_inline __u64 message_bytes(__u64 at, bool compat)
{
	struct user_message_compat small = {};
	struct user_message message = {};

	if (!compat) {
		bpf_probe_read_user(&message, sizeof(message), (void *)at);
		return pieces_bytes(message.pieces, message.count, false);
	}
	bpf_probe_read_user(&small, sizeof(small), (void *)at);
	return pieces_bytes(small.pieces, small.count, true);
}

static __always_inline bool socket_use_sends(const struct socket_use *use)
{
	return use->call >= SOCKET_CALL_SEND;
}

/* Bytes that the call is to send; 0 where it does not say. */
static __always_inline __u64 socket_use_bytes(const struct socket_use *use)
{
	switch (use->call) {
	case SOCKET_CALL_SEND:
	case SOCKET_CALL_SENDTO:
		return use->args[2];
	case SOCKET_CALL_SENDV:
		return pieces_bytes(use->args[1], use->args[2], use->compat);
	case SOCKET_CALL_SENDMSG:
		return message_bytes(use->args[1], use->compat);
	default:
		return 0;
	}
}

/* struct sockaddr_in, or sockaddr_in6. */
#define GIVEN_V4_BYTES 8
struct given_address {
	__u16 family;
	__be16 port;
	__be32 v4;
	__u8 v6[16];
};

/* Where the address is to which the call sends; 0 = it gives none. */
static __always_inline __u64 socket_use_address(const struct socket_use *use)
{
	struct user_message_compat small = {};
	struct user_message message = {};

	if (use->call == SOCKET_CALL_SENDTO)
		return use->args[4];
	if (use->call != SOCKET_CALL_SENDMSG && use->call != SOCKET_CALL_SENDMMSG)
		return 0;
	if (!use->compat) {
		bpf_probe_read_user(&message, sizeof(message), (void *)use->args[1]);
		return message.name;
	}
	bpf_probe_read_user(&small, sizeof(small), (void *)use->args[1]);
	return small.name;
}

#endif /* SONDE_PROBE_SOCKET_CALL_BPF_H */
