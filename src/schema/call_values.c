// SPDX-License-Identifier: BSD-2-Clause
#include "schema/call_values.h"

#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/close_range.h>
#include <linux/fs.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <linux/memfd.h>
#include <linux/perf_event.h>
#include <linux/prctl.h>
#include <linux/random.h>
#include <linux/seccomp.h>
#include <linux/stat.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#include "schema/field.h"

#define V(NAME, VALUE)                                    \
	{                                                 \
		(int64_t)(VALUE), (int64_t)(VALUE), #NAME \
	}
#define L(NAME)                                         \
	{                                               \
		(int64_t)(NAME), (int64_t)(NAME), #NAME \
	}
#define VALUES(SET) \
	const struct call_values call_values_##SET = {SET, sizeof(SET) / sizeof(SET[0]), #SET "_t"}

static const struct field_label access_flags[] = {
	L(AT_SYMLINK_NOFOLLOW),
	L(AT_EACCESS),
	L(AT_EMPTY_PATH),
};
VALUES(access_flags);

static const struct field_label access_modes[] = {
	L(R_OK),
	L(W_OK),
	L(X_OK),
	L(F_OK),
};
VALUES(access_modes);

static const struct field_label arch_prctl_options[] = {
	/* asm/prctl.h, which only x86 has */
	V(ARCH_SET_GS, 0x1001),		V(ARCH_SET_FS, 0x1002),
	V(ARCH_GET_FS, 0x1003),		V(ARCH_GET_GS, 0x1004),
	V(ARCH_GET_CPUID, 0x1011),	V(ARCH_SET_CPUID, 0x1012),
	V(ARCH_GET_XCOMP_SUPP, 0x1021), V(ARCH_GET_XCOMP_PERM, 0x1022),
	V(ARCH_REQ_XCOMP_PERM, 0x1023), V(ARCH_MAP_VDSO_X32, 0x2001),
	V(ARCH_MAP_VDSO_32, 0x2002),	V(ARCH_MAP_VDSO_64, 0x2003),
};
VALUES(arch_prctl_options);

static const struct field_label at_flags[] = {
	L(AT_SYMLINK_NOFOLLOW), L(AT_REMOVEDIR),  L(AT_SYMLINK_FOLLOW),
	L(AT_NO_AUTOMOUNT),	L(AT_EMPTY_PATH), L(AT_RECURSIVE),
};
VALUES(at_flags);

static const struct field_label bpf_commands[] = {
	L(BPF_MAP_CREATE),	  L(BPF_MAP_LOOKUP_ELEM),
	L(BPF_MAP_UPDATE_ELEM),	  L(BPF_MAP_DELETE_ELEM),
	L(BPF_MAP_GET_NEXT_KEY),  L(BPF_PROG_LOAD),
	L(BPF_OBJ_PIN),		  L(BPF_OBJ_GET),
	L(BPF_PROG_ATTACH),	  L(BPF_PROG_DETACH),
	L(BPF_PROG_TEST_RUN),	  L(BPF_PROG_GET_NEXT_ID),
	L(BPF_MAP_GET_NEXT_ID),	  L(BPF_PROG_GET_FD_BY_ID),
	L(BPF_MAP_GET_FD_BY_ID),  L(BPF_OBJ_GET_INFO_BY_FD),
	L(BPF_PROG_QUERY),	  L(BPF_RAW_TRACEPOINT_OPEN),
	L(BPF_BTF_LOAD),	  L(BPF_BTF_GET_FD_BY_ID),
	L(BPF_TASK_FD_QUERY),	  L(BPF_MAP_LOOKUP_AND_DELETE_ELEM),
	L(BPF_MAP_FREEZE),	  L(BPF_BTF_GET_NEXT_ID),
	L(BPF_MAP_LOOKUP_BATCH),  L(BPF_MAP_LOOKUP_AND_DELETE_BATCH),
	L(BPF_MAP_UPDATE_BATCH),  L(BPF_MAP_DELETE_BATCH),
	L(BPF_LINK_CREATE),	  L(BPF_LINK_UPDATE),
	L(BPF_LINK_GET_FD_BY_ID), L(BPF_LINK_GET_NEXT_ID),
	L(BPF_ENABLE_STATS),	  L(BPF_ITER_CREATE),
	L(BPF_LINK_DETACH),	  L(BPF_PROG_BIND_MAP),
};
VALUES(bpf_commands);

static const struct field_label clocks[] = {
	L(CLOCK_REALTIME),	    L(CLOCK_MONOTONIC),	    L(CLOCK_PROCESS_CPUTIME_ID),
	L(CLOCK_THREAD_CPUTIME_ID), L(CLOCK_MONOTONIC_RAW), L(CLOCK_REALTIME_COARSE),
	L(CLOCK_MONOTONIC_COARSE),  L(CLOCK_BOOTTIME),	    L(CLOCK_REALTIME_ALARM),
	L(CLOCK_BOOTTIME_ALARM),    V(CLOCK_SGI_CYCLE, 10), L(CLOCK_TAI),
};
VALUES(clocks);

static const struct field_label cloexec_flag[] = {
	L(O_CLOEXEC),
};
VALUES(cloexec_flag);

static const struct field_label clone_flags[] = {
	L(CLONE_VM),
	L(CLONE_FS),
	L(CLONE_FILES),
	L(CLONE_SIGHAND),
	L(CLONE_PIDFD),
	L(CLONE_PTRACE),
	L(CLONE_VFORK),
	L(CLONE_PARENT),
	L(CLONE_THREAD),
	L(CLONE_NEWNS),
	L(CLONE_SYSVSEM),
	L(CLONE_SETTLS),
	L(CLONE_PARENT_SETTID),
	L(CLONE_CHILD_CLEARTID),
	L(CLONE_DETACHED),
	L(CLONE_UNTRACED),
	L(CLONE_CHILD_SETTID),
	L(CLONE_NEWCGROUP),
	L(CLONE_NEWUTS),
	L(CLONE_NEWIPC),
	L(CLONE_NEWUSER),
	L(CLONE_NEWPID),
	L(CLONE_NEWNET),
	L(CLONE_IO),
	L(CLONE_NEWTIME),
	L(SIGCHLD),
};
VALUES(clone_flags);

static const struct field_label close_range_flags[] = {
	L(CLOSE_RANGE_UNSHARE),
	L(CLOSE_RANGE_CLOEXEC),
};
VALUES(close_range_flags);

static const struct field_label descriptor_flags[] = {
	L(O_CLOEXEC),
	L(O_NONBLOCK),
	L(O_DIRECT),
	L(O_EXCL),
};
VALUES(descriptor_flags);

static const struct field_label dirfd[] = {
	L(AT_FDCWD),
};
VALUES(dirfd);

static const struct field_label epoll_flags[] = {
	L(EPOLL_CLOEXEC),
};
VALUES(epoll_flags);

static const struct field_label epoll_operations[] = {
	L(EPOLL_CTL_ADD),
	L(EPOLL_CTL_DEL),
	L(EPOLL_CTL_MOD),
};
VALUES(epoll_operations);

static const struct field_label eventfd_flags[] = {
	L(EFD_SEMAPHORE),
	L(EFD_NONBLOCK),
	L(EFD_CLOEXEC),
};
VALUES(eventfd_flags);

static const struct field_label fadvice[] = {
	L(POSIX_FADV_NORMAL),	L(POSIX_FADV_RANDOM),	L(POSIX_FADV_SEQUENTIAL),
	L(POSIX_FADV_WILLNEED), L(POSIX_FADV_DONTNEED), L(POSIX_FADV_NOREUSE),
};
VALUES(fadvice);

static const struct field_label fallocate_modes[] = {
	L(FALLOC_FL_KEEP_SIZE),	     L(FALLOC_FL_PUNCH_HOLE), V(FALLOC_FL_NO_HIDE_STALE, 4),
	L(FALLOC_FL_COLLAPSE_RANGE), L(FALLOC_FL_ZERO_RANGE), L(FALLOC_FL_INSERT_RANGE),
	L(FALLOC_FL_UNSHARE_RANGE),
};
VALUES(fallocate_modes);

static const struct field_label families[] = {
	V(AF_UNSPEC, 0),      V(AF_UNIX, 1),	  V(AF_INET, 2),      V(AF_AX25, 3),
	V(AF_IPX, 4),	      V(AF_APPLETALK, 5), V(AF_NETROM, 6),    V(AF_BRIDGE, 7),
	V(AF_ATMPVC, 8),      V(AF_X25, 9),	  V(AF_INET6, 10),    V(AF_ROSE, 11),
	V(AF_DECnet, 12),     V(AF_NETBEUI, 13),  V(AF_SECURITY, 14), V(AF_KEY, 15),
	V(AF_NETLINK, 16),    V(AF_PACKET, 17),	  V(AF_ASH, 18),      V(AF_ECONET, 19),
	V(AF_ATMSVC, 20),     V(AF_RDS, 21),	  V(AF_SNA, 22),      V(AF_IRDA, 23),
	V(AF_PPPOX, 24),      V(AF_WANPIPE, 25),  V(AF_LLC, 26),      V(AF_IB, 27),
	V(AF_MPLS, 28),	      V(AF_CAN, 29),	  V(AF_TIPC, 30),     V(AF_BLUETOOTH, 31),
	V(AF_IUCV, 32),	      V(AF_RXRPC, 33),	  V(AF_ISDN, 34),     V(AF_PHONET, 35),
	V(AF_IEEE802154, 36), V(AF_CAIF, 37),	  V(AF_ALG, 38),      V(AF_NFC, 39),
	V(AF_VSOCK, 40),      V(AF_KCM, 41),	  V(AF_QIPCRTR, 42),  V(AF_SMC, 43),
	V(AF_XDP, 44),	      V(AF_MCTP, 45),
};
VALUES(families);

static const struct field_label fanotify_classes[] = {
	V(FAN_CLASS_NOTIF, 0),
	V(FAN_CLASS_CONTENT, 4),
	V(FAN_CLASS_PRE_CONTENT, 8),
};
VALUES(fanotify_classes);

static const struct field_label fanotify_init_flags[] = {
	V(FAN_CLOEXEC, 1),
	V(FAN_NONBLOCK, 2),
	V(FAN_UNLIMITED_QUEUE, 0x10),
	V(FAN_UNLIMITED_MARKS, 0x20),
	V(FAN_ENABLE_AUDIT, 0x40),
	V(FAN_REPORT_PIDFD, 0x80),
	V(FAN_REPORT_TID, 0x100),
	V(FAN_REPORT_FID, 0x200),
	V(FAN_REPORT_DIR_FID, 0x400),
	V(FAN_REPORT_NAME, 0x800),
	V(FAN_REPORT_TARGET_FID, 0x1000),
};
VALUES(fanotify_init_flags);

static const struct field_label fanotify_mark_flags[] = {
	V(FAN_MARK_ADD, 1),
	V(FAN_MARK_REMOVE, 2),
	V(FAN_MARK_DONT_FOLLOW, 4),
	V(FAN_MARK_ONLYDIR, 8),
	V(FAN_MARK_MOUNT, 0x10),
	V(FAN_MARK_IGNORED_MASK, 0x20),
	V(FAN_MARK_IGNORED_SURV_MODIFY, 0x40),
	V(FAN_MARK_FLUSH, 0x80),
	V(FAN_MARK_FILESYSTEM, 0x100),
	V(FAN_MARK_EVICTABLE, 0x200),
	V(FAN_MARK_IGNORE, 0x400),
};
VALUES(fanotify_mark_flags);

static const struct field_label fanotify_mask[] = {
	V(FAN_ACCESS, 1),
	V(FAN_MODIFY, 2),
	V(FAN_ATTRIB, 4),
	V(FAN_CLOSE_WRITE, 8),
	V(FAN_CLOSE_NOWRITE, 0x10),
	V(FAN_OPEN, 0x20),
	V(FAN_MOVED_FROM, 0x40),
	V(FAN_MOVED_TO, 0x80),
	V(FAN_CREATE, 0x100),
	V(FAN_DELETE, 0x200),
	V(FAN_DELETE_SELF, 0x400),
	V(FAN_MOVE_SELF, 0x800),
	V(FAN_OPEN_EXEC, 0x1000),
	V(FAN_Q_OVERFLOW, 0x4000),
	V(FAN_FS_ERROR, 0x8000),
	V(FAN_OPEN_PERM, 0x10000),
	V(FAN_ACCESS_PERM, 0x20000),
	V(FAN_OPEN_EXEC_PERM, 0x40000),
	V(FAN_DIR_MODIFY, 0x80000),
	V(FAN_EVENT_ON_CHILD, 0x8000000),
	V(FAN_RENAME, 0x10000000),
	V(FAN_ONDIR, 0x40000000),
};
VALUES(fanotify_mask);

static const struct field_label fcntl_commands[] = {
	L(F_DUPFD),
	L(F_GETFD),
	L(F_SETFD),
	L(F_GETFL),
	L(F_SETFL),
	L(F_GETLK),
	L(F_SETLK),
	L(F_SETLKW),
	L(F_SETOWN),
	L(F_GETOWN),
	L(F_SETSIG),
	L(F_GETSIG),
	V(F_GETLK64, 12),
	V(F_SETLK64, 13),
	V(F_SETLKW64, 14),
	L(F_SETOWN_EX),
	L(F_GETOWN_EX),
	V(F_GETOWNER_UIDS, 17),
	L(F_OFD_GETLK),
	L(F_OFD_SETLK),
	L(F_OFD_SETLKW),
	L(F_SETLEASE),
	L(F_GETLEASE),
	L(F_NOTIFY),
	V(F_CANCELLK, 1029),
	L(F_DUPFD_CLOEXEC),
	L(F_SETPIPE_SZ),
	L(F_GETPIPE_SZ),
	L(F_ADD_SEALS),
	L(F_GET_SEALS),
	V(F_GET_RW_HINT, 1035),
	V(F_SET_RW_HINT, 1036),
	V(F_GET_FILE_RW_HINT, 1037),
	V(F_SET_FILE_RW_HINT, 1038),
};
VALUES(fcntl_commands);

static const struct field_label flock_operations[] = {
	L(LOCK_SH),	 L(LOCK_EX),	   L(LOCK_NB),	       L(LOCK_UN),
	V(LOCK_RW, 192), V(LOCK_READ, 64), V(LOCK_WRITE, 128), V(LOCK_MAND, 32),
};
VALUES(flock_operations);

static const struct field_label fsconfig_commands[] = {
	V(FSCONFIG_SET_FLAG, 0),   V(FSCONFIG_SET_STRING, 1),	   V(FSCONFIG_SET_BINARY, 2),
	V(FSCONFIG_SET_PATH, 3),   V(FSCONFIG_SET_PATH_EMPTY, 4),  V(FSCONFIG_SET_FD, 5),
	V(FSCONFIG_CMD_CREATE, 6), V(FSCONFIG_CMD_RECONFIGURE, 7),
};
VALUES(fsconfig_commands);

static const struct field_label fsmount_flags[] = {
	V(FSMOUNT_CLOEXEC, 1),
};
VALUES(fsmount_flags);

static const struct field_label fsopen_flags[] = {
	V(FSOPEN_CLOEXEC, 1),
};
VALUES(fsopen_flags);

static const struct field_label fspick_flags[] = {
	V(FSPICK_CLOEXEC, 1),
	V(FSPICK_SYMLINK_NOFOLLOW, 2),
	V(FSPICK_NO_AUTOMOUNT, 4),
	V(FSPICK_EMPTY_PATH, 8),
};
VALUES(fspick_flags);

static const struct field_label futex_operations[] = {
	L(FUTEX_WAIT),		 L(FUTEX_WAKE),	       L(FUTEX_FD),
	L(FUTEX_REQUEUE),	 L(FUTEX_CMP_REQUEUE), L(FUTEX_WAKE_OP),
	L(FUTEX_LOCK_PI),	 L(FUTEX_UNLOCK_PI),   L(FUTEX_TRYLOCK_PI),
	L(FUTEX_WAIT_BITSET),	 L(FUTEX_WAKE_BITSET), L(FUTEX_WAIT_REQUEUE_PI),
	L(FUTEX_CMP_REQUEUE_PI), L(FUTEX_LOCK_PI2),    L(FUTEX_PRIVATE_FLAG),
	L(FUTEX_CLOCK_REALTIME),
};
VALUES(futex_operations);

static const struct field_label getrandom_flags[] = {
	L(GRND_NONBLOCK),
	L(GRND_RANDOM),
	L(GRND_INSECURE),
};
VALUES(getrandom_flags);

static const struct field_label inotify_flags[] = {
	L(IN_NONBLOCK),
	L(IN_CLOEXEC),
};
VALUES(inotify_flags);

static const struct field_label inotify_mask[] = {
	L(IN_ACCESS),	     L(IN_MODIFY),	L(IN_ATTRIB),	   L(IN_CLOSE_WRITE),
	L(IN_CLOSE_NOWRITE), L(IN_OPEN),	L(IN_MOVED_FROM),  L(IN_MOVED_TO),
	L(IN_CREATE),	     L(IN_DELETE),	L(IN_DELETE_SELF), L(IN_MOVE_SELF),
	L(IN_UNMOUNT),	     L(IN_Q_OVERFLOW),	L(IN_IGNORED),	   L(IN_ONLYDIR),
	L(IN_DONT_FOLLOW),   L(IN_EXCL_UNLINK), L(IN_MASK_CREATE), L(IN_MASK_ADD),
	L(IN_ISDIR),	     L(IN_ONESHOT),
};
VALUES(inotify_mask);

static const struct field_label interval_timers[] = {
	L(ITIMER_REAL),
	L(ITIMER_VIRTUAL),
	L(ITIMER_PROF),
};
VALUES(interval_timers);

static const struct field_label io_priority_kinds[] = {
	V(IOPRIO_WHO_PROCESS, 1),
	V(IOPRIO_WHO_PGRP, 2),
	V(IOPRIO_WHO_USER, 3),
};
VALUES(io_priority_kinds);

static const struct field_label ipc_commands[] = {
	L(IPC_RMID),
	L(IPC_SET),
	L(IPC_STAT),
	L(IPC_INFO),
};
VALUES(ipc_commands);

static const struct field_label ipc_flags[] = {
	L(IPC_CREAT),
	L(IPC_EXCL),
	L(IPC_NOWAIT),
};
VALUES(ipc_flags);

static const struct field_label kcmp_types[] = {
	V(KCMP_FILE, 0),    V(KCMP_VM, 1), V(KCMP_FILES, 2),   V(KCMP_FS, 3),
	V(KCMP_SIGHAND, 4), V(KCMP_IO, 5), V(KCMP_SYSVSEM, 6), V(KCMP_EPOLL_TFD, 7),
};
VALUES(kcmp_types);

static const struct field_label kexec_architectures[] = {
	V(KEXEC_ARCH_DEFAULT, 0),	 V(KEXEC_ARCH_386, 0x30000),
	V(KEXEC_ARCH_68K, 0x40000),	 V(KEXEC_ARCH_MIPS_LE, 0xa0000),
	V(KEXEC_ARCH_PPC, 0x140000),	 V(KEXEC_ARCH_PPC64, 0x150000),
	V(KEXEC_ARCH_S390, 0x160000),	 V(KEXEC_ARCH_ARM, 0x280000),
	V(KEXEC_ARCH_SH, 0x2a0000),	 V(KEXEC_ARCH_IA_64, 0x320000),
	V(KEXEC_ARCH_X86_64, 0x3e0000),	 V(KEXEC_ARCH_MIPS, 0x80000),
	V(KEXEC_ARCH_AARCH64, 0xb70000), V(KEXEC_ARCH_RISCV, 0xf30000),
};
VALUES(kexec_architectures);

static const struct field_label kexec_file_flags[] = {
	V(KEXEC_FILE_UNLOAD, 1),
	V(KEXEC_FILE_ON_CRASH, 2),
	V(KEXEC_FILE_NO_INITRAMFS, 4),
};
VALUES(kexec_file_flags);

static const struct field_label kexec_flags[] = {
	V(KEXEC_ON_CRASH, 1),
	V(KEXEC_PRESERVE_CONTEXT, 2),
};
VALUES(kexec_flags);

static const struct field_label keyctl_options[] = {
	V(KEYCTL_GET_KEYRING_ID, 0),
	V(KEYCTL_JOIN_SESSION_KEYRING, 1),
	V(KEYCTL_UPDATE, 2),
	V(KEYCTL_REVOKE, 3),
	V(KEYCTL_CHOWN, 4),
	V(KEYCTL_SETPERM, 5),
	V(KEYCTL_DESCRIBE, 6),
	V(KEYCTL_CLEAR, 7),
	V(KEYCTL_LINK, 8),
	V(KEYCTL_UNLINK, 9),
	V(KEYCTL_SEARCH, 10),
	V(KEYCTL_READ, 11),
	V(KEYCTL_INSTANTIATE, 12),
	V(KEYCTL_NEGATE, 13),
	V(KEYCTL_SET_REQKEY_KEYRING, 14),
	V(KEYCTL_SET_TIMEOUT, 15),
	V(KEYCTL_ASSUME_AUTHORITY, 16),
	V(KEYCTL_GET_SECURITY, 17),
	V(KEYCTL_SESSION_TO_PARENT, 18),
	V(KEYCTL_REJECT, 19),
	V(KEYCTL_INSTANTIATE_IOV, 20),
	V(KEYCTL_INVALIDATE, 21),
	V(KEYCTL_GET_PERSISTENT, 22),
	V(KEYCTL_DH_COMPUTE, 23),
	V(KEYCTL_PKEY_QUERY, 24),
	V(KEYCTL_PKEY_ENCRYPT, 25),
	V(KEYCTL_PKEY_DECRYPT, 26),
	V(KEYCTL_PKEY_SIGN, 27),
	V(KEYCTL_PKEY_VERIFY, 28),
	V(KEYCTL_RESTRICT_KEYRING, 29),
	V(KEYCTL_MOVE, 30),
	V(KEYCTL_CAPABILITIES, 31),
	V(KEYCTL_WATCH_KEY, 32),
};
VALUES(keyctl_options);

static const struct field_label landlock_rules[] = {
	V(LANDLOCK_RULE_PATH_BENEATH, 1),
};
VALUES(landlock_rules);

static const struct field_label landlock_ruleset_flags[] = {
	V(LANDLOCK_CREATE_RULESET_VERSION, 1),
};
VALUES(landlock_ruleset_flags);

static const struct field_label limits[] = {
	L(RLIMIT_CPU),	    L(RLIMIT_FSIZE), L(RLIMIT_DATA),   L(RLIMIT_STACK),
	L(RLIMIT_CORE),	    L(RLIMIT_RSS),   L(RLIMIT_NPROC),  L(RLIMIT_NOFILE),
	L(RLIMIT_MEMLOCK),  L(RLIMIT_AS),    L(RLIMIT_LOCKS),  L(RLIMIT_SIGPENDING),
	L(RLIMIT_MSGQUEUE), L(RLIMIT_NICE),  L(RLIMIT_RTPRIO), L(RLIMIT_RTTIME),
};
VALUES(limits);

static const struct field_label madvice[] = {
	L(MADV_NORMAL),
	L(MADV_RANDOM),
	L(MADV_SEQUENTIAL),
	L(MADV_WILLNEED),
	L(MADV_DONTNEED),
	L(MADV_FREE),
	L(MADV_REMOVE),
	L(MADV_DONTFORK),
	L(MADV_DOFORK),
	L(MADV_MERGEABLE),
	L(MADV_UNMERGEABLE),
	L(MADV_HUGEPAGE),
	L(MADV_NOHUGEPAGE),
	L(MADV_DONTDUMP),
	L(MADV_DODUMP),
	L(MADV_WIPEONFORK),
	L(MADV_KEEPONFORK),
	L(MADV_COLD),
	L(MADV_PAGEOUT),
	L(MADV_POPULATE_READ),
	L(MADV_POPULATE_WRITE),
	L(MADV_DONTNEED_LOCKED),
	L(MADV_HWPOISON),
	V(MADV_COLLAPSE, 25),
	V(MADV_SOFT_OFFLINE, 101),
};
VALUES(madvice);

static const struct field_label map_flags[] = {
	V(MAP_FILE, 0),	  V(MAP_SHARED_VALIDATE, 3), L(MAP_SHARED),	 L(MAP_PRIVATE),
	L(MAP_FIXED),	  L(MAP_ANONYMOUS),	     V(MAP_32BIT, 0x40), L(MAP_GROWSDOWN),
	L(MAP_DENYWRITE), L(MAP_EXECUTABLE),	     L(MAP_LOCKED),	 L(MAP_NORESERVE),
	L(MAP_POPULATE),  L(MAP_NONBLOCK),	     L(MAP_STACK),	 L(MAP_HUGETLB),
	L(MAP_SYNC),	  L(MAP_FIXED_NOREPLACE),
};
VALUES(map_flags);

static const struct field_label mask_ways[] = {
	L(SIG_BLOCK),
	L(SIG_UNBLOCK),
	L(SIG_SETMASK),
};
VALUES(mask_ways);

static const struct field_label membarrier_commands[] = {
	L(MEMBARRIER_CMD_QUERY),
	L(MEMBARRIER_CMD_GLOBAL),
	L(MEMBARRIER_CMD_GLOBAL_EXPEDITED),
	L(MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED),
	L(MEMBARRIER_CMD_PRIVATE_EXPEDITED),
	L(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED),
};
VALUES(membarrier_commands);

static const struct field_label membarrier_flags[] = {
	V(MEMBARRIER_CMD_FLAG_CPU, 1),
};
VALUES(membarrier_flags);

static const struct field_label memfd_flags[] = {
	L(MFD_CLOEXEC),
	L(MFD_ALLOW_SEALING),
	L(MFD_HUGETLB),
};
VALUES(memfd_flags);

static const struct field_label memory_move_flags[] = {
	V(MPOL_MF_STRICT, 1),
	V(MPOL_MF_MOVE, 2),
	V(MPOL_MF_MOVE_ALL, 4),
};
VALUES(memory_move_flags);

static const struct field_label memory_policies[] = {
	V(MPOL_DEFAULT, 0),    V(MPOL_PREFERRED, 1), V(MPOL_BIND, 2),
	V(MPOL_INTERLEAVE, 3), V(MPOL_LOCAL, 4),     V(MPOL_PREFERRED_MANY, 5),
};
VALUES(memory_policies);

static const struct field_label memory_policy_flags[] = {
	V(MPOL_F_STATIC_NODES, 0x8000),
	V(MPOL_F_RELATIVE_NODES, 0x4000),
	V(MPOL_F_NUMA_BALANCING, 0x2000),
};
VALUES(memory_policy_flags);

static const struct field_label memory_policy_queries[] = {
	V(MPOL_F_NODE, 1),
	V(MPOL_F_ADDR, 2),
	V(MPOL_F_MEMS_ALLOWED, 4),
};
VALUES(memory_policy_queries);

static const struct field_label mlock_flags[] = {
	V(MLOCK_ONFAULT, 1),
};
VALUES(mlock_flags);

static const struct field_label mlockall_flags[] = {
	L(MCL_CURRENT),
	L(MCL_FUTURE),
	L(MCL_ONFAULT),
};
VALUES(mlockall_flags);

static const struct field_label module_delete_flags[] = {
	L(O_NONBLOCK),
	L(O_TRUNC),
};
VALUES(module_delete_flags);

static const struct field_label module_init_flags[] = {
	V(MODULE_INIT_IGNORE_MODVERSIONS, 1),
	V(MODULE_INIT_IGNORE_VERMAGIC, 2),
	V(MODULE_INIT_COMPRESSED_FILE, 4),
};
VALUES(module_init_flags);

static const struct field_label mount_attributes[] = {
	V(MOUNT_ATTR_RDONLY, 1),
	V(MOUNT_ATTR_NOSUID, 2),
	V(MOUNT_ATTR_NODEV, 4),
	V(MOUNT_ATTR_NOEXEC, 8),
	V(MOUNT_ATTR_NOATIME, 0x10),
	V(MOUNT_ATTR_STRICTATIME, 0x20),
	V(MOUNT_ATTR_NODIRATIME, 0x80),
	V(MOUNT_ATTR_IDMAP, 0x100000),
	V(MOUNT_ATTR_NOSYMFOLLOW, 0x200000),
};
VALUES(mount_attributes);

static const struct field_label mount_flags[] = {
	V(MS_MGC_VAL, 0xc0ed0000),
	L(MS_RDONLY),
	L(MS_NOSUID),
	L(MS_NODEV),
	L(MS_NOEXEC),
	L(MS_SYNCHRONOUS),
	L(MS_REMOUNT),
	L(MS_MANDLOCK),
	L(MS_DIRSYNC),
	V(MS_NOSYMFOLLOW, 256),
	L(MS_NOATIME),
	L(MS_NODIRATIME),
	L(MS_BIND),
	L(MS_MOVE),
	L(MS_REC),
	L(MS_SILENT),
	L(MS_POSIXACL),
	L(MS_UNBINDABLE),
	L(MS_PRIVATE),
	L(MS_SLAVE),
	L(MS_SHARED),
	L(MS_RELATIME),
	L(MS_KERNMOUNT),
	L(MS_I_VERSION),
	L(MS_STRICTATIME),
	L(MS_LAZYTIME),
	V(MS_SUBMOUNT, 1 << 26),
	V(MS_NOREMOTELOCK, 1 << 27),
	V(MS_NOSEC, 1 << 28),
	V(MS_BORN, 1 << 29),
	L(MS_ACTIVE),
	V(MS_NOUSER, 1ull << 31),
};
VALUES(mount_flags);

static const struct field_label move_mount_flags[] = {
	V(MOVE_MOUNT_F_SYMLINKS, 1),	  V(MOVE_MOUNT_F_AUTOMOUNTS, 2),
	V(MOVE_MOUNT_F_EMPTY_PATH, 4),	  V(MOVE_MOUNT_T_SYMLINKS, 0x10),
	V(MOVE_MOUNT_T_AUTOMOUNTS, 0x20), V(MOVE_MOUNT_T_EMPTY_PATH, 0x40),
	V(MOVE_MOUNT_SET_GROUP, 0x100),
};
VALUES(move_mount_flags);

static const struct field_label mremap_flags[] = {
	L(MREMAP_MAYMOVE),
	L(MREMAP_FIXED),
	L(MREMAP_DONTUNMAP),
};
VALUES(mremap_flags);

static const struct field_label msg_flags[] = {
	L(MSG_OOB),
	L(MSG_PEEK),
	L(MSG_DONTROUTE),
	L(MSG_CTRUNC),
	V(MSG_PROBE, 0x10),
	L(MSG_TRUNC),
	L(MSG_DONTWAIT),
	L(MSG_EOR),
	L(MSG_WAITALL),
	L(MSG_FIN),
	L(MSG_SYN),
	L(MSG_CONFIRM),
	L(MSG_RST),
	L(MSG_ERRQUEUE),
	L(MSG_NOSIGNAL),
	L(MSG_MORE),
	L(MSG_WAITFORONE),
	V(MSG_SENDPAGE_NOTLAST, 0x20000),
	L(MSG_BATCH),
	V(MSG_NO_SHARED_FRAGS, 0x80000),
	V(MSG_SENDPAGE_DECRYPTED, 0x100000),
	L(MSG_ZEROCOPY),
	L(MSG_FASTOPEN),
	L(MSG_CMSG_CLOEXEC),
	V(MSG_CMSG_COMPAT, 0x80000000),
};
VALUES(msg_flags);

static const struct field_label msync_flags[] = {
	L(MS_ASYNC),
	L(MS_INVALIDATE),
	L(MS_SYNC),
};
VALUES(msync_flags);

static const struct field_label namespaces[] = {
	L(CLONE_NEWNS),	  L(CLONE_NEWCGROUP), L(CLONE_NEWUTS), L(CLONE_NEWIPC),
	L(CLONE_NEWUSER), L(CLONE_NEWPID),    L(CLONE_NEWNET), L(CLONE_NEWTIME),
};
VALUES(namespaces);

static const struct field_label open_flags[] = {
	L(O_RDONLY),
	L(O_WRONLY),
	L(O_RDWR),
	L(O_ACCMODE),
	L(O_TMPFILE),
	L(O_SYNC),
	V(__O_SYNC, 04000000),
	V(__O_TMPFILE, 020000000),
	L(O_CREAT),
	L(O_EXCL),
	L(O_NOCTTY),
	L(O_TRUNC),
	L(O_APPEND),
	L(O_NONBLOCK),
	L(O_DSYNC),
	L(FASYNC),
	L(O_DIRECT),
	V(O_LARGEFILE, CALL_VALUES_LARGEFILE),
	L(O_DIRECTORY),
	L(O_NOFOLLOW),
	L(O_NOATIME),
	L(O_CLOEXEC),
	L(O_PATH),
};
VALUES(open_flags);

static const struct field_label open_tree_flags[] = {
	V(OPEN_TREE_CLONE, 1),	V(OPEN_TREE_CLOEXEC, O_CLOEXEC),
	L(AT_SYMLINK_NOFOLLOW), L(AT_NO_AUTOMOUNT),
	L(AT_EMPTY_PATH),	L(AT_RECURSIVE),
};
VALUES(open_tree_flags);

static const struct field_label perf_open_flags[] = {
	L(PERF_FLAG_FD_NO_GROUP),
	L(PERF_FLAG_FD_OUTPUT),
	L(PERF_FLAG_PID_CGROUP),
	L(PERF_FLAG_FD_CLOEXEC),
};
VALUES(perf_open_flags);

static const struct field_label pidfd_flags[] = {
	V(PIDFD_NONBLOCK, O_NONBLOCK),
};
VALUES(pidfd_flags);

static const struct field_label pkey_rights[] = {
	V(PKEY_DISABLE_ACCESS, 1),
	V(PKEY_DISABLE_WRITE, 2),
	V(PKEY_DISABLE_EXECUTE, 4),
};
VALUES(pkey_rights);

static const struct field_label prctl_options[] = {
	L(PR_SET_PDEATHSIG),
	L(PR_GET_PDEATHSIG),
	L(PR_GET_DUMPABLE),
	L(PR_SET_DUMPABLE),
	L(PR_GET_UNALIGN),
	L(PR_SET_UNALIGN),
	L(PR_GET_KEEPCAPS),
	L(PR_SET_KEEPCAPS),
	L(PR_GET_FPEMU),
	L(PR_SET_FPEMU),
	L(PR_GET_FPEXC),
	L(PR_SET_FPEXC),
	L(PR_GET_TIMING),
	L(PR_SET_TIMING),
	L(PR_SET_NAME),
	L(PR_GET_NAME),
	L(PR_GET_ENDIAN),
	L(PR_SET_ENDIAN),
	L(PR_GET_SECCOMP),
	L(PR_SET_SECCOMP),
	L(PR_CAPBSET_READ),
	L(PR_CAPBSET_DROP),
	L(PR_GET_TSC),
	L(PR_SET_TSC),
	L(PR_GET_SECUREBITS),
	L(PR_SET_SECUREBITS),
	L(PR_SET_TIMERSLACK),
	L(PR_GET_TIMERSLACK),
	L(PR_TASK_PERF_EVENTS_DISABLE),
	L(PR_TASK_PERF_EVENTS_ENABLE),
	L(PR_MCE_KILL),
	L(PR_MCE_KILL_GET),
	L(PR_SET_MM),
	L(PR_SET_CHILD_SUBREAPER),
	L(PR_GET_CHILD_SUBREAPER),
	L(PR_SET_NO_NEW_PRIVS),
	L(PR_GET_NO_NEW_PRIVS),
	L(PR_GET_TID_ADDRESS),
	L(PR_SET_THP_DISABLE),
	L(PR_GET_THP_DISABLE),
	L(PR_MPX_ENABLE_MANAGEMENT),
	L(PR_MPX_DISABLE_MANAGEMENT),
	L(PR_SET_FP_MODE),
	L(PR_GET_FP_MODE),
	L(PR_CAP_AMBIENT),
	L(PR_SVE_SET_VL),
	L(PR_SVE_GET_VL),
	L(PR_GET_SPECULATION_CTRL),
	L(PR_SET_SPECULATION_CTRL),
	L(PR_PAC_RESET_KEYS),
	L(PR_SET_TAGGED_ADDR_CTRL),
	L(PR_GET_TAGGED_ADDR_CTRL),
	L(PR_SET_IO_FLUSHER),
	L(PR_GET_IO_FLUSHER),
	L(PR_SET_SYSCALL_USER_DISPATCH),
	V(PR_PAC_SET_ENABLED_KEYS, 60),
	V(PR_PAC_GET_ENABLED_KEYS, 61),
	V(PR_SCHED_CORE, 62),
	V(PR_SME_SET_VL, 63),
	V(PR_SME_GET_VL, 64),
	L(PR_SET_PTRACER),
	V(PR_SET_VMA, 0x53564d41),
};
VALUES(prctl_options);

static const struct field_label priority_kinds[] = {
	L(PRIO_PROCESS),
	L(PRIO_PGRP),
	L(PRIO_USER),
};
VALUES(priority_kinds);

static const struct field_label prot[] = {
	L(PROT_READ),	   L(PROT_WRITE),   L(PROT_EXEC), V(PROT_SEM, 8),
	L(PROT_GROWSDOWN), L(PROT_GROWSUP), L(PROT_NONE),
};
VALUES(prot);

static const struct field_label ptrace_options[] = {
	V(PTRACE_O_TRACESYSGOOD, 1),	V(PTRACE_O_TRACEFORK, 2),
	V(PTRACE_O_TRACEVFORK, 4),	V(PTRACE_O_TRACECLONE, 8),
	V(PTRACE_O_TRACEEXEC, 0x10),	V(PTRACE_O_TRACEVFORKDONE, 0x20),
	V(PTRACE_O_TRACEEXIT, 0x40),	V(PTRACE_O_TRACESECCOMP, 0x80),
	V(PTRACE_O_EXITKILL, 0x100000), V(PTRACE_O_SUSPEND_SECCOMP, 0x200000),
};
VALUES(ptrace_options);

static const struct field_label ptrace_requests[] = {
	V(PTRACE_TRACEME, 0),
	V(PTRACE_PEEKTEXT, 1),
	V(PTRACE_PEEKDATA, 2),
	V(PTRACE_PEEKUSER, 3),
	V(PTRACE_POKETEXT, 4),
	V(PTRACE_POKEDATA, 5),
	V(PTRACE_POKEUSER, 6),
	V(PTRACE_CONT, 7),
	V(PTRACE_KILL, 8),
	V(PTRACE_SINGLESTEP, 9),
	V(PTRACE_GETREGS, 12),
	V(PTRACE_SETREGS, 13),
	V(PTRACE_GETFPREGS, 14),
	V(PTRACE_SETFPREGS, 15),
	V(PTRACE_ATTACH, 16),
	V(PTRACE_DETACH, 17),
	V(PTRACE_GETFPXREGS, 18),
	V(PTRACE_SETFPXREGS, 19),
	V(PTRACE_OLDSETOPTIONS, 21),
	V(PTRACE_SYSCALL, 24),
	V(PTRACE_GET_THREAD_AREA, 25),
	V(PTRACE_SET_THREAD_AREA, 26),
	V(PTRACE_ARCH_PRCTL, 30),
	V(PTRACE_SYSEMU, 31),
	V(PTRACE_SYSEMU_SINGLESTEP, 32),
	V(PTRACE_SINGLEBLOCK, 33),
	V(PTRACE_SETOPTIONS, 0x4200),
	V(PTRACE_GETEVENTMSG, 0x4201),
	V(PTRACE_GETSIGINFO, 0x4202),
	V(PTRACE_SETSIGINFO, 0x4203),
	V(PTRACE_GETREGSET, 0x4204),
	V(PTRACE_SETREGSET, 0x4205),
	V(PTRACE_SEIZE, 0x4206),
	V(PTRACE_INTERRUPT, 0x4207),
	V(PTRACE_LISTEN, 0x4208),
	V(PTRACE_PEEKSIGINFO, 0x4209),
	V(PTRACE_GETSIGMASK, 0x420a),
	V(PTRACE_SETSIGMASK, 0x420b),
	V(PTRACE_SECCOMP_GET_FILTER, 0x420c),
	V(PTRACE_SECCOMP_GET_METADATA, 0x420d),
	V(PTRACE_GET_SYSCALL_INFO, 0x420e),
	V(PTRACE_GET_RSEQ_CONFIGURATION, 0x420f),
};
VALUES(ptrace_requests);

static const struct field_label reboot_commands[] = {
	V(LINUX_REBOOT_CMD_CAD_OFF, 0),
	V(LINUX_REBOOT_CMD_RESTART, 0x1234567),
	V(LINUX_REBOOT_CMD_POWER_OFF, 0x4321fedc),
	V(LINUX_REBOOT_CMD_KEXEC, 0x45584543),
	V(LINUX_REBOOT_CMD_CAD_ON, 0x89abcdef),
	V(LINUX_REBOOT_CMD_RESTART2, 0xa1b2c3d4),
	V(LINUX_REBOOT_CMD_HALT, 0xcdef0123),
	V(LINUX_REBOOT_CMD_SW_SUSPEND, 0xd000fce2),
};
VALUES(reboot_commands);

static const struct field_label reboot_magics[] = {
	V(LINUX_REBOOT_MAGIC1, 0xfee1dead),
};
VALUES(reboot_magics);

static const struct field_label reboot_second_magics[] = {
	V(LINUX_REBOOT_MAGIC2, 672274793),
	V(LINUX_REBOOT_MAGIC2A, 85072278),
	V(LINUX_REBOOT_MAGIC2B, 369367448),
	V(LINUX_REBOOT_MAGIC2C, 537993216),
};
VALUES(reboot_second_magics);

static const struct field_label rename_flags[] = {
	L(RENAME_NOREPLACE),
	L(RENAME_EXCHANGE),
	L(RENAME_WHITEOUT),
};
VALUES(rename_flags);

static const struct field_label rwf_flags[] = {
	L(RWF_HIPRI), L(RWF_DSYNC), L(RWF_SYNC), L(RWF_NOWAIT), L(RWF_APPEND),
};
VALUES(rwf_flags);

static const struct field_label sched_policies[] = {
	L(SCHED_OTHER),	 L(SCHED_FIFO), L(SCHED_RR),	   L(SCHED_BATCH),
	V(SCHED_ISO, 4), L(SCHED_IDLE), L(SCHED_DEADLINE),
};
VALUES(sched_policies);

static const struct field_label seccomp_flags[] = {
	V(SECCOMP_FILTER_FLAG_TSYNC, 1),	  V(SECCOMP_FILTER_FLAG_LOG, 2),
	V(SECCOMP_FILTER_FLAG_SPEC_ALLOW, 4),	  V(SECCOMP_FILTER_FLAG_NEW_LISTENER, 8),
	V(SECCOMP_FILTER_FLAG_TSYNC_ESRCH, 0x10), V(SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV, 0x20),
};
VALUES(seccomp_flags);

static const struct field_label seccomp_operations[] = {
	L(SECCOMP_SET_MODE_STRICT),
	L(SECCOMP_SET_MODE_FILTER),
	L(SECCOMP_GET_ACTION_AVAIL),
	L(SECCOMP_GET_NOTIF_SIZES),
};
VALUES(seccomp_operations);

static const struct field_label shutdown_ways[] = {
	L(SHUT_RD),
	L(SHUT_WR),
	L(SHUT_RDWR),
};
VALUES(shutdown_ways);

static const struct field_label signalfd_flags[] = {
	L(SFD_NONBLOCK),
	L(SFD_CLOEXEC),
};
VALUES(signalfd_flags);

static const struct field_label signals[] = {
	L(SIGHUP),  L(SIGINT),	  L(SIGQUIT), L(SIGILL),  L(SIGTRAP),	L(SIGABRT), L(SIGBUS),
	L(SIGFPE),  L(SIGKILL),	  L(SIGUSR1), L(SIGSEGV), L(SIGUSR2),	L(SIGPIPE), L(SIGALRM),
	L(SIGTERM), L(SIGSTKFLT), L(SIGCHLD), L(SIGCONT), L(SIGSTOP),	L(SIGTSTP), L(SIGTTIN),
	L(SIGTTOU), L(SIGURG),	  L(SIGXCPU), L(SIGXFSZ), L(SIGVTALRM), L(SIGPROF), L(SIGWINCH),
	L(SIGIO),   L(SIGPWR),	  L(SIGSYS),
};
VALUES(signals);

static const struct field_label socket_flags[] = {
	L(SOCK_NONBLOCK),
	L(SOCK_CLOEXEC),
};
VALUES(socket_flags);

static const struct field_label socket_levels[] = {
	L(SOL_IP),
	L(SOL_SOCKET),
	V(SOL_TCP, 6),
	V(SOL_UDP, 17),
	L(SOL_IPV6),
	L(SOL_ICMPV6),
	V(SOL_SCTP, 132),
	V(SOL_UDPLITE, 136),
	L(SOL_RAW),
	L(SOL_PACKET),
	V(SOL_NETLINK, 270),
	V(SOL_TIPC, 271),
	V(SOL_BLUETOOTH, 274),
	V(SOL_ALG, 279),
	V(SOL_KCM, 281),
	V(SOL_TLS, 282),
	V(SOL_XDP, 283),
	V(SOL_MPTCP, 284),
};
VALUES(socket_levels);

static const struct field_label socket_types[] = {
	{0, 0, "0"},	   L(SOCK_STREAM), L(SOCK_DGRAM),    L(SOCK_RAW),     L(SOCK_RDM),
	L(SOCK_SEQPACKET), L(SOCK_DCCP),   L(SOCK_NONBLOCK), L(SOCK_CLOEXEC),
};
VALUES(socket_types);

static const struct field_label splice_flags[] = {
	L(SPLICE_F_MOVE),
	L(SPLICE_F_NONBLOCK),
	L(SPLICE_F_MORE),
	L(SPLICE_F_GIFT),
};
VALUES(splice_flags);

static const struct field_label stat_sync[] = {
	V(AT_STATX_SYNC_AS_STAT, 0),
	V(AT_STATX_FORCE_SYNC, 0x2000),
	V(AT_STATX_DONT_SYNC, 0x4000),
};
VALUES(stat_sync);

static const struct field_label statx_mask[] = {
	V(STATX_ALL, 0xfff), L(STATX_BASIC_STATS), L(STATX_TYPE),   L(STATX_MODE),
	L(STATX_NLINK),	     L(STATX_UID),	   L(STATX_GID),    L(STATX_ATIME),
	L(STATX_MTIME),	     L(STATX_CTIME),	   L(STATX_INO),    L(STATX_SIZE),
	L(STATX_BLOCKS),     L(STATX_BTIME),	   L(STATX_MNT_ID), V(STATX_DIOALIGN, 0x2000),
};
VALUES(statx_mask);

static const struct field_label swap_flags[] = {
	V(SWAP_FLAG_PREFER, 0x8000),
	V(SWAP_FLAG_DISCARD, 0x10000),
	V(SWAP_FLAG_DISCARD_ONCE, 0x20000),
	V(SWAP_FLAG_DISCARD_PAGES, 0x40000),
};
VALUES(swap_flags);

static const struct field_label sync_range_flags[] = {
	L(SYNC_FILE_RANGE_WAIT_BEFORE),
	L(SYNC_FILE_RANGE_WRITE),
	L(SYNC_FILE_RANGE_WAIT_AFTER),
};
VALUES(sync_range_flags);

static const struct field_label timer_flags[] = {
	L(TIMER_ABSTIME),
};
VALUES(timer_flags);

static const struct field_label timerfd_flags[] = {
	L(TFD_NONBLOCK),
	L(TFD_CLOEXEC),
};
VALUES(timerfd_flags);

static const struct field_label timerfd_settings[] = {
	V(TFD_TIMER_ABSTIME, 1),
	V(TFD_TIMER_CANCEL_ON_SET, 2),
};
VALUES(timerfd_settings);

static const struct field_label umount_flags[] = {
	L(MNT_FORCE),
	L(MNT_DETACH),
	L(MNT_EXPIRE),
	L(UMOUNT_NOFOLLOW),
};
VALUES(umount_flags);

static const struct field_label uring_enter_flags[] = {
	V(IORING_ENTER_GETEVENTS, 1),
	V(IORING_ENTER_SQ_WAKEUP, 2),
	V(IORING_ENTER_SQ_WAIT, 4),
	V(IORING_ENTER_EXT_ARG, 8),
	V(IORING_ENTER_REGISTERED_RING, 0x10),
};
VALUES(uring_enter_flags);

static const struct field_label uring_operations[] = {
	V(IORING_REGISTER_BUFFERS, 0),	       V(IORING_UNREGISTER_BUFFERS, 1),
	V(IORING_REGISTER_FILES, 2),	       V(IORING_UNREGISTER_FILES, 3),
	V(IORING_REGISTER_EVENTFD, 4),	       V(IORING_UNREGISTER_EVENTFD, 5),
	V(IORING_REGISTER_FILES_UPDATE, 6),    V(IORING_REGISTER_EVENTFD_ASYNC, 7),
	V(IORING_REGISTER_PROBE, 8),	       V(IORING_REGISTER_PERSONALITY, 9),
	V(IORING_UNREGISTER_PERSONALITY, 10),  V(IORING_REGISTER_RESTRICTIONS, 11),
	V(IORING_REGISTER_ENABLE_RINGS, 12),   V(IORING_REGISTER_FILES2, 13),
	V(IORING_REGISTER_FILES_UPDATE2, 14),  V(IORING_REGISTER_BUFFERS2, 15),
	V(IORING_REGISTER_BUFFERS_UPDATE, 16), V(IORING_REGISTER_IOWQ_AFF, 17),
	V(IORING_UNREGISTER_IOWQ_AFF, 18),     V(IORING_REGISTER_IOWQ_MAX_WORKERS, 19),
	V(IORING_REGISTER_RING_FDS, 20),       V(IORING_UNREGISTER_RING_FDS, 21),
	V(IORING_REGISTER_PBUF_RING, 22),      V(IORING_UNREGISTER_PBUF_RING, 23),
};
VALUES(uring_operations);

static const struct field_label usage_kinds[] = {
	L(RUSAGE_SELF),
	L(RUSAGE_CHILDREN),
	L(RUSAGE_THREAD),
	V(RUSAGE_BOTH, -2),
};
VALUES(usage_kinds);

static const struct field_label userfaultfd_flags[] = {
	V(UFFD_USER_MODE_ONLY, 1),
	L(O_NONBLOCK),
	L(O_CLOEXEC),
};
VALUES(userfaultfd_flags);

static const struct field_label wait_kinds[] = {
	L(P_ALL),
	L(P_PID),
	L(P_PGID),
	L(P_PIDFD),
};
VALUES(wait_kinds);

static const struct field_label wait_options[] = {
	L(WNOHANG), L(WSTOPPED),    L(WEXITED), L(WCONTINUED),
	L(WNOWAIT), L(__WNOTHREAD), L(__WALL),	L(__WCLONE),
};
VALUES(wait_options);

static const struct field_label whence[] = {
	L(SEEK_SET), L(SEEK_CUR), L(SEEK_END), L(SEEK_DATA), L(SEEK_HOLE),
};
VALUES(whence);

static const struct field_label xattr_flags[] = {
	L(XATTR_CREATE),
	L(XATTR_REPLACE),
};
VALUES(xattr_flags);

static const struct field_label statx_flags[] = {
	L(AT_SYMLINK_NOFOLLOW), L(AT_SYMLINK_FOLLOW),	L(AT_NO_AUTOMOUNT),
	L(AT_EMPTY_PATH),	L(AT_STATX_FORCE_SYNC), L(AT_STATX_DONT_SYNC),
};
VALUES(statx_flags);

static const struct field_label handle_flags[] = {
	L(AT_SYMLINK_FOLLOW),
	L(AT_EMPTY_PATH),
};
VALUES(handle_flags);

static const struct field_label unshare_flags[] = {
	L(CLONE_VM),	  L(CLONE_FS),	   L(CLONE_FILES),     L(CLONE_SIGHAND), L(CLONE_THREAD),
	L(CLONE_SYSVSEM), L(CLONE_NEWNS),  L(CLONE_NEWCGROUP), L(CLONE_NEWUTS),	 L(CLONE_NEWIPC),
	L(CLONE_NEWUSER), L(CLONE_NEWPID), L(CLONE_NEWNET),    L(CLONE_NEWTIME),
};
VALUES(unshare_flags);
