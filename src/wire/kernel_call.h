/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * kernel_call: marks of calls in the kernel half that the loader turns into calls of the running
 * kernel's own functions (probe/constants.h). No helper of BPF has such a number.
 */
#ifndef SONDE_WIRE_KERNEL_CALL_H
#define SONDE_WIRE_KERNEL_CALL_H

#define PREEMPT_DISABLE_MARK 0x536f6e01 /* bpf_preempt_disable, 6.10 and later */
#define PREEMPT_ENABLE_MARK 0x536f6e02 /* bpf_preempt_enable */
#define CAST_MARK 0x536f6e03 /* bpf_rdonly_cast, 6.2 and later */
/* Its second argument, a type of the kernel's, in the instruction in front of it. */
#define CAST_WORDS_MARK 0x536f6e04 /* struct seccomp_data */
#define CAST_PACKET_MARK 0x536f6e05 /* struct sk_buff */
#define CAST_HOOK_STATE_MARK 0x536f6e06 /* struct nf_hook_state */
#define CAST_SOCKET_MARK 0x536f6e07 /* struct sock */

#endif /* SONDE_WIRE_KERNEL_CALL_H */
