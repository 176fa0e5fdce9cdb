// SPDX-License-Identifier: BSD-2-Clause
#include "schema/call_values.h"

#include <asm/ioctls.h>
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
#include <linux/sockios.h>
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

static const struct field_label access_modes[] = {
	L(R_OK),
	L(W_OK),
	L(X_OK),
	L(F_OK),
};
VALUES(access_modes);

static const struct field_label arch_prctl_options[] = {
	/* asm/prctl.h, which only x86 has */
	V(ARCH_SET_GS, 0x1001), V(ARCH_SET_FS, 0x1002),	   V(ARCH_GET_FS, 0x1003),
	V(ARCH_GET_GS, 0x1004), V(ARCH_GET_CPUID, 0x1011), V(ARCH_SET_CPUID, 0x1012),
};
VALUES(arch_prctl_options);

static const struct field_label at_flags[] = {
	L(AT_SYMLINK_NOFOLLOW), L(AT_REMOVEDIR),	L(AT_SYMLINK_FOLLOW),  L(AT_NO_AUTOMOUNT),
	L(AT_EMPTY_PATH),	L(AT_STATX_FORCE_SYNC), L(AT_STATX_DONT_SYNC), L(AT_RECURSIVE),
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
	L(CLOCK_BOOTTIME_ALARM),    L(CLOCK_TAI),
};
VALUES(clocks);

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

static const struct field_label namespaces[] = {
	L(CLONE_NEWNS),	  L(CLONE_NEWCGROUP), L(CLONE_NEWUTS), L(CLONE_NEWIPC),
	L(CLONE_NEWUSER), L(CLONE_NEWPID),    L(CLONE_NEWNET), L(CLONE_NEWTIME),
};
VALUES(namespaces);

static const struct field_label close_range_flags[] = {
	L(CLOSE_RANGE_UNSHARE),
	L(CLOSE_RANGE_CLOEXEC),
};
VALUES(close_range_flags);

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
	L(FALLOC_FL_KEEP_SIZE),	 L(FALLOC_FL_PUNCH_HOLE),   L(FALLOC_FL_COLLAPSE_RANGE),
	L(FALLOC_FL_ZERO_RANGE), L(FALLOC_FL_INSERT_RANGE), L(FALLOC_FL_UNSHARE_RANGE),
};
VALUES(fallocate_modes);

static const struct field_label families[] = {
	L(AF_UNSPEC),	 L(AF_UNIX),  L(AF_INET),    L(AF_AX25), L(AF_IPX),
	L(AF_APPLETALK), L(AF_X25),   L(AF_INET6),   L(AF_KEY),	 L(AF_NETLINK),
	L(AF_PACKET),	 L(AF_RXRPC), L(AF_CAN),     L(AF_TIPC), L(AF_BLUETOOTH),
	L(AF_ALG),	 L(AF_VSOCK), L(AF_QIPCRTR), L(AF_SMC),	 L(AF_XDP),
};
VALUES(families);

static const struct field_label fcntl_commands[] = {
	L(F_DUPFD),	    L(F_GETFD),	     L(F_SETFD),      L(F_GETFL),     L(F_SETFL),
	L(F_GETLK),	    L(F_SETLK),	     L(F_SETLKW),     L(F_SETOWN),    L(F_GETOWN),
	L(F_SETSIG),	    L(F_GETSIG),     L(F_SETOWN_EX),  L(F_GETOWN_EX), L(F_OFD_GETLK),
	L(F_OFD_SETLK),	    L(F_OFD_SETLKW), L(F_SETLEASE),   L(F_GETLEASE),  L(F_NOTIFY),
	L(F_DUPFD_CLOEXEC), L(F_SETPIPE_SZ), L(F_GETPIPE_SZ), L(F_ADD_SEALS), L(F_GET_SEALS),
};
VALUES(fcntl_commands);

static const struct field_label flock_operations[] = {
	L(LOCK_SH),
	L(LOCK_EX),
	L(LOCK_NB),
	L(LOCK_UN),
};
VALUES(flock_operations);

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
	L(IN_ACCESS),	   L(IN_MODIFY),     L(IN_ATTRIB),   L(IN_CLOSE_WRITE), L(IN_CLOSE_NOWRITE),
	L(IN_OPEN),	   L(IN_MOVED_FROM), L(IN_MOVED_TO), L(IN_CREATE),	L(IN_DELETE),
	L(IN_DELETE_SELF), L(IN_MOVE_SELF),  L(IN_ONLYDIR),  L(IN_DONT_FOLLOW), L(IN_EXCL_UNLINK),
	L(IN_MASK_CREATE), L(IN_MASK_ADD),   L(IN_ISDIR),    L(IN_ONESHOT),
};
VALUES(inotify_mask);

static const struct field_label interval_timers[] = {
	L(ITIMER_REAL),
	L(ITIMER_VIRTUAL),
	L(ITIMER_PROF),
};
VALUES(interval_timers);

static const struct field_label ioctl_requests[] = {
	L(TCGETS),	    L(TCSETS),	     L(TCSETSW),      L(TCSETSF),      L(TCSBRK),
	L(TCXONC),	    L(TCFLSH),	     L(TIOCEXCL),     L(TIOCSCTTY),    L(TIOCGPGRP),
	L(TIOCSPGRP),	    L(TIOCOUTQ),     L(TIOCSTI),      L(TIOCGWINSZ),   L(TIOCSWINSZ),
	L(FIONREAD),	    L(TIOCNOTTY),    L(TIOCGSID),     L(TIOCGPTN),     L(TIOCSPTLCK),
	L(TIOCGPTPEER),	    L(FIONBIO),	     L(FIOASYNC),     L(FIOCLEX),      L(FIONCLEX),
	L(SIOCGIFCONF),	    L(SIOCGIFFLAGS), L(SIOCSIFFLAGS), L(SIOCGIFADDR),  L(SIOCGIFHWADDR),
	L(SIOCGIFINDEX),    L(SIOCGIFNAME),  L(SIOCGIFMTU),   L(SIOCETHTOOL),  L(BLKGETSIZE64),
	L(BLKSSZGET),	    L(BLKDISCARD),   L(FICLONE),      L(FICLONERANGE), L(FS_IOC_GETFLAGS),
	L(FS_IOC_SETFLAGS), L(FITRIM),	     L(FIFREEZE),     L(FITHAW),
};
VALUES(ioctl_requests);

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

static const struct field_label limits[] = {
	L(RLIMIT_CPU),	    L(RLIMIT_FSIZE), L(RLIMIT_DATA),   L(RLIMIT_STACK),
	L(RLIMIT_CORE),	    L(RLIMIT_RSS),   L(RLIMIT_NPROC),  L(RLIMIT_NOFILE),
	L(RLIMIT_MEMLOCK),  L(RLIMIT_AS),    L(RLIMIT_LOCKS),  L(RLIMIT_SIGPENDING),
	L(RLIMIT_MSGQUEUE), L(RLIMIT_NICE),  L(RLIMIT_RTPRIO), L(RLIMIT_RTTIME),
};
VALUES(limits);

static const struct field_label madvice[] = {
	L(MADV_NORMAL),		 L(MADV_RANDOM),	L(MADV_SEQUENTIAL),
	L(MADV_WILLNEED),	 L(MADV_DONTNEED),	L(MADV_FREE),
	L(MADV_REMOVE),		 L(MADV_DONTFORK),	L(MADV_DOFORK),
	L(MADV_MERGEABLE),	 L(MADV_UNMERGEABLE),	L(MADV_HUGEPAGE),
	L(MADV_NOHUGEPAGE),	 L(MADV_DONTDUMP),	L(MADV_DODUMP),
	L(MADV_WIPEONFORK),	 L(MADV_KEEPONFORK),	L(MADV_COLD),
	L(MADV_PAGEOUT),	 L(MADV_POPULATE_READ), L(MADV_POPULATE_WRITE),
	L(MADV_DONTNEED_LOCKED), L(MADV_HWPOISON),
};
VALUES(madvice);

static const struct field_label map_flags[] = {
	L(MAP_SHARED),	  L(MAP_PRIVATE),   L(MAP_FIXED),	    L(MAP_ANONYMOUS),
	L(MAP_GROWSDOWN), L(MAP_DENYWRITE), L(MAP_EXECUTABLE),	    L(MAP_LOCKED),
	L(MAP_NORESERVE), L(MAP_POPULATE),  L(MAP_NONBLOCK),	    L(MAP_STACK),
	L(MAP_HUGETLB),	  L(MAP_SYNC),	    L(MAP_FIXED_NOREPLACE),
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

static const struct field_label memfd_flags[] = {
	L(MFD_CLOEXEC),
	L(MFD_ALLOW_SEALING),
	L(MFD_HUGETLB),
};
VALUES(memfd_flags);

static const struct field_label mlockall_flags[] = {
	L(MCL_CURRENT),
	L(MCL_FUTURE),
	L(MCL_ONFAULT),
};
VALUES(mlockall_flags);

static const struct field_label mount_flags[] = {
	L(MS_RDONLY),	   L(MS_NOSUID),   L(MS_NODEV),	  L(MS_NOEXEC),	 L(MS_SYNCHRONOUS),
	L(MS_REMOUNT),	   L(MS_MANDLOCK), L(MS_DIRSYNC), L(MS_NOATIME), L(MS_NODIRATIME),
	L(MS_BIND),	   L(MS_MOVE),	   L(MS_REC),	  L(MS_SILENT),	 L(MS_POSIXACL),
	L(MS_UNBINDABLE),  L(MS_PRIVATE),  L(MS_SLAVE),	  L(MS_SHARED),	 L(MS_RELATIME),
	L(MS_STRICTATIME), L(MS_LAZYTIME),
};
VALUES(mount_flags);

static const struct field_label mremap_flags[] = {
	L(MREMAP_MAYMOVE),
	L(MREMAP_FIXED),
	L(MREMAP_DONTUNMAP),
};
VALUES(mremap_flags);

static const struct field_label msg_flags[] = {
	L(MSG_OOB),	     L(MSG_PEEK),	L(MSG_DONTROUTE), L(MSG_CTRUNC),   L(MSG_PROXY),
	L(MSG_TRUNC),	     L(MSG_DONTWAIT),	L(MSG_EOR),	  L(MSG_WAITALL),  L(MSG_FIN),
	L(MSG_SYN),	     L(MSG_CONFIRM),	L(MSG_RST),	  L(MSG_ERRQUEUE), L(MSG_NOSIGNAL),
	L(MSG_MORE),	     L(MSG_WAITFORONE), L(MSG_BATCH),	  L(MSG_ZEROCOPY), L(MSG_FASTOPEN),
	L(MSG_CMSG_CLOEXEC),
};
VALUES(msg_flags);

static const struct field_label msync_flags[] = {
	L(MS_ASYNC),
	L(MS_INVALIDATE),
	L(MS_SYNC),
};
VALUES(msync_flags);

static const struct field_label open_flags[] = {
	L(O_RDONLY),	L(O_WRONLY),   L(O_RDWR),    L(O_TMPFILE), L(O_SYNC),
	L(O_CREAT),	L(O_EXCL),     L(O_NOCTTY),  L(O_TRUNC),   L(O_APPEND),
	L(O_NONBLOCK),	L(O_DSYNC),    L(O_ASYNC),   L(O_DIRECT),  V(O_LARGEFILE, __O_LARGEFILE),
	L(O_DIRECTORY), L(O_NOFOLLOW), L(O_NOATIME), L(O_CLOEXEC), L(O_PATH),
};
VALUES(open_flags);

static const struct field_label perf_open_flags[] = {
	L(PERF_FLAG_FD_NO_GROUP),
	L(PERF_FLAG_FD_OUTPUT),
	L(PERF_FLAG_PID_CGROUP),
	L(PERF_FLAG_FD_CLOEXEC),
};
VALUES(perf_open_flags);

static const struct field_label prctl_options[] = {
	L(PR_SET_PDEATHSIG),
	L(PR_GET_PDEATHSIG),
	L(PR_GET_DUMPABLE),
	L(PR_SET_DUMPABLE),
	L(PR_GET_KEEPCAPS),
	L(PR_SET_KEEPCAPS),
	L(PR_SET_NAME),
	L(PR_GET_NAME),
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
	L(PR_SET_MM),
	L(PR_SET_CHILD_SUBREAPER),
	L(PR_GET_CHILD_SUBREAPER),
	L(PR_SET_NO_NEW_PRIVS),
	L(PR_GET_NO_NEW_PRIVS),
	L(PR_SET_THP_DISABLE),
	L(PR_GET_THP_DISABLE),
	L(PR_CAP_AMBIENT),
	L(PR_GET_SPECULATION_CTRL),
	L(PR_SET_SPECULATION_CTRL),
	L(PR_SET_PTRACER),
	L(PR_SET_VMA),
};
VALUES(prctl_options);

static const struct field_label priority_kinds[] = {
	L(PRIO_PROCESS),
	L(PRIO_PGRP),
	L(PRIO_USER),
};
VALUES(priority_kinds);

static const struct field_label prot[] = {
	L(PROT_READ), L(PROT_WRITE), L(PROT_EXEC), L(PROT_GROWSDOWN), L(PROT_GROWSUP), L(PROT_NONE),
};
VALUES(prot);

static const struct field_label ptrace_requests[] = {
	L(PTRACE_TRACEME),
	L(PTRACE_PEEKTEXT),
	L(PTRACE_PEEKDATA),
	L(PTRACE_PEEKUSER),
	L(PTRACE_POKETEXT),
	L(PTRACE_POKEDATA),
	L(PTRACE_POKEUSER),
	L(PTRACE_CONT),
	L(PTRACE_KILL),
	L(PTRACE_SINGLESTEP),
	L(PTRACE_ATTACH),
	L(PTRACE_DETACH),
	L(PTRACE_SYSCALL),
	L(PTRACE_SETOPTIONS),
	L(PTRACE_GETEVENTMSG),
	L(PTRACE_GETSIGINFO),
	L(PTRACE_SETSIGINFO),
	L(PTRACE_GETREGSET),
	L(PTRACE_SETREGSET),
	L(PTRACE_SEIZE),
	L(PTRACE_INTERRUPT),
	L(PTRACE_LISTEN),
	L(PTRACE_GET_SYSCALL_INFO),
};
VALUES(ptrace_requests);

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
	L(SCHED_OTHER), L(SCHED_FIFO), L(SCHED_RR),
	L(SCHED_BATCH), L(SCHED_IDLE), L(SCHED_DEADLINE),
};
VALUES(sched_policies);

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
	L(SOL_IP),     L(SOL_SOCKET), V(SOL_TCP, 6), V(SOL_UDP, 17), L(SOL_IPV6),
	L(SOL_ICMPV6), L(SOL_RAW),    L(SOL_PACKET), L(SOL_NETLINK), L(SOL_ALG),
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

static const struct field_label statx_mask[] = {
	L(STATX_BASIC_STATS), L(STATX_TYPE),   L(STATX_MODE),  L(STATX_NLINK),	L(STATX_UID),
	L(STATX_GID),	      L(STATX_ATIME),  L(STATX_MTIME), L(STATX_CTIME),	L(STATX_INO),
	L(STATX_SIZE),	      L(STATX_BLOCKS), L(STATX_BTIME), L(STATX_MNT_ID),
};
VALUES(statx_mask);

static const struct field_label sync_range_flags[] = {
	L(SYNC_FILE_RANGE_WAIT_BEFORE),
	L(SYNC_FILE_RANGE_WRITE),
	L(SYNC_FILE_RANGE_WAIT_AFTER),
};
VALUES(sync_range_flags);

static const struct field_label timer_flags[] = {
	L(TIMER_ABSTIME),
	L(TFD_TIMER_CANCEL_ON_SET),
};
VALUES(timer_flags);

static const struct field_label timerfd_flags[] = {
	L(TFD_NONBLOCK),
	L(TFD_CLOEXEC),
};
VALUES(timerfd_flags);

static const struct field_label umount_flags[] = {
	L(MNT_FORCE),
	L(MNT_DETACH),
	L(MNT_EXPIRE),
	L(UMOUNT_NOFOLLOW),
};
VALUES(umount_flags);

static const struct field_label usage_kinds[] = {
	L(RUSAGE_SELF),
	L(RUSAGE_CHILDREN),
	L(RUSAGE_THREAD),
};
VALUES(usage_kinds);

static const struct field_label wait_kinds[] = {
	L(P_ALL),
	L(P_PID),
	L(P_PGID),
	L(P_PIDFD),
};
VALUES(wait_kinds);

static const struct field_label wait_options[] = {
	L(WNOHANG), L(WUNTRACED),   L(WEXITED), L(WCONTINUED),
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
