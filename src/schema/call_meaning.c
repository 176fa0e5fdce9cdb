// SPDX-License-Identifier: BSD-2-Clause
#include "schema/call_meaning.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <linux/prctl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "schema/call_values.h"
#include "schema/option_values.h"

#define FROM(FIRST, LAST, FORM, ...)                                                \
	{                                                                           \
		.first = FIRST, .last = LAST, .form = CALL_FORM_##FORM, __VA_ARGS__ \
	}
#define AT(VALUE, ...) FROM(VALUE, VALUE, __VA_ARGS__)
#define ALL(...) FROM(INT64_MIN, INT64_MAX, __VA_ARGS__)
#define QUOTA(COMMAND) ((int64_t)(COMMAND) << 8 & 0xffffffff)
#define MEANING(CALL, ARG, BY, MASK, CASES)                                    \
	{                                                                      \
#CALL, #ARG, BY, MASK, CASES, sizeof(CASES) / sizeof(CASES[0]) \
	}

static const struct call_case fcntl_arg[] = {
	AT(F_DUPFD, INT),
	AT(F_GETFD, ABSENT),
	AT(F_SETFD, FLAGS, .values = &option_values_fd_flags),
	AT(F_GETFL, ABSENT),
	AT(F_SETFL, FLAGS, .values = &option_values_status_flags),
	FROM(F_GETLK, F_SETLKW, POINTER),
	AT(F_SETOWN, INT),
	AT(F_GETOWN, ABSENT),
	AT(F_SETSIG, SIGNAL),
	AT(F_GETSIG, ABSENT),
	FROM(F_SETOWN_EX, F_GETOWN_EX, POINTER),
	FROM(F_OFD_GETLK, F_OFD_SETLKW, POINTER),
	AT(F_SETLEASE, VALUE, .values = &option_values_lease_types),
	AT(F_GETLEASE, ABSENT),
	AT(F_NOTIFY, FLAGS, .values = &option_values_notify_events),
	AT(F_DUPFD_CLOEXEC, INT),
	AT(F_SETPIPE_SZ, INT),
	AT(F_GETPIPE_SZ, ABSENT),
	AT(F_ADD_SEALS, FLAGS, .values = &option_values_seals),
	AT(F_GET_SEALS, ABSENT),
	FROM(INT32_MIN, INT32_MAX, HEX),
};

static const struct call_case prctl_arg2[] = {
	AT(PR_SET_PDEATHSIG, SIGNAL),
	AT(PR_GET_PDEATHSIG, POINTER),
	AT(PR_GET_DUMPABLE, ABSENT),
	AT(PR_SET_DUMPABLE, VALUE, .values = &option_values_dump_modes),
	AT(PR_GET_UNALIGN, POINTER),
	AT(PR_SET_UNALIGN, FLAGS, .values = &option_values_unalign_flags),
	AT(PR_GET_KEEPCAPS, ABSENT),
	AT(PR_SET_KEEPCAPS, ULONG),
	AT(PR_GET_FPEMU, POINTER),
	AT(PR_SET_FPEMU, ULONG),
	AT(PR_GET_FPEXC, POINTER),
	AT(PR_SET_FPEXC, ULONG),
	AT(PR_GET_TIMING, ABSENT),
	AT(PR_SET_TIMING, ULONG),
	AT(PR_SET_NAME, POINTER),
	AT(PR_GET_NAME, POINTER),
	AT(PR_GET_ENDIAN, POINTER),
	AT(PR_SET_ENDIAN, ULONG),
	AT(PR_GET_SECCOMP, ABSENT),
	AT(PR_SET_SECCOMP, VALUE, .values = &option_values_seccomp_modes),
	AT(PR_CAPBSET_READ, VALUE, .values = &option_values_capabilities),
	AT(PR_CAPBSET_DROP, VALUE, .values = &option_values_capabilities),
	AT(PR_GET_TSC, POINTER),
	AT(PR_SET_TSC, VALUE, .values = &option_values_tsc_modes),
	AT(PR_GET_SECUREBITS, ABSENT),
	AT(PR_SET_SECUREBITS, FLAGS, .values = &option_values_securebits),
	AT(PR_SET_TIMERSLACK, ULONG),
	AT(PR_GET_TIMERSLACK, ABSENT),
	AT(PR_TASK_PERF_EVENTS_DISABLE, ABSENT),
	AT(PR_TASK_PERF_EVENTS_ENABLE, ABSENT),
	AT(PR_MCE_KILL, VALUE, .values = &option_values_mce_kill_options),
	AT(PR_SET_MM, VALUE, .values = &option_values_set_mm_options),
	AT(PR_SET_CHILD_SUBREAPER, ULONG),
	AT(PR_GET_CHILD_SUBREAPER, POINTER),
	AT(PR_SET_NO_NEW_PRIVS, ULONG),
	AT(PR_GET_TID_ADDRESS, POINTER),
	AT(PR_SET_THP_DISABLE, ULONG),
	AT(PR_SET_FP_MODE, FLAGS, .values = &option_values_fp_mode_flags),
	AT(PR_GET_FP_MODE, ABSENT),
	AT(PR_CAP_AMBIENT, VALUE, .values = &option_values_ambient_options),
	AT(PR_SVE_GET_VL, ABSENT),
	AT(PR_GET_SPECULATION_CTRL, VALUE, .values = &option_values_speculation_options),
	AT(PR_SET_SPECULATION_CTRL, VALUE, .values = &option_values_speculation_options),
	AT(PR_PAC_RESET_KEYS, FLAGS, .values = &option_values_auth_keys),
	AT(PR_SET_IO_FLUSHER, ULONG),
	AT(PR_SET_SYSCALL_USER_DISPATCH, VALUE, .values = &option_values_dispatch_modes),
	AT(PR_PAC_SET_ENABLED_KEYS, FLAGS, .values = &option_values_auth_keys),
	AT(PR_SCHED_CORE, VALUE, .values = &option_values_core_options),
	AT(PR_SME_GET_VL, ABSENT),
	AT(PR_SET_VMA, VALUE, .values = &option_values_vma_options),
	AT(PR_SET_PTRACER, INT),
	FROM(INT32_MIN, INT32_MAX, HEX),
};

static const struct call_case prctl_arg3[] = {
	AT(PR_SET_PDEATHSIG, ABSENT),
	AT(PR_GET_PDEATHSIG, ABSENT),
	AT(PR_GET_DUMPABLE, ABSENT),
	AT(PR_SET_DUMPABLE, ABSENT),
	AT(PR_GET_UNALIGN, ABSENT),
	AT(PR_SET_UNALIGN, ABSENT),
	AT(PR_GET_KEEPCAPS, ABSENT),
	AT(PR_SET_KEEPCAPS, ABSENT),
	AT(PR_GET_FPEMU, ABSENT),
	AT(PR_SET_FPEMU, ABSENT),
	AT(PR_GET_FPEXC, ABSENT),
	AT(PR_SET_FPEXC, ABSENT),
	AT(PR_GET_TIMING, ABSENT),
	AT(PR_SET_TIMING, ABSENT),
	AT(PR_SET_NAME, ABSENT),
	AT(PR_GET_NAME, ABSENT),
	AT(PR_GET_ENDIAN, ABSENT),
	AT(PR_SET_ENDIAN, ABSENT),
	AT(PR_GET_SECCOMP, ABSENT),
	AT(PR_CAPBSET_READ, ABSENT),
	AT(PR_CAPBSET_DROP, ABSENT),
	AT(PR_GET_TSC, ABSENT),
	AT(PR_SET_TSC, ABSENT),
	AT(PR_GET_SECUREBITS, ABSENT),
	AT(PR_SET_SECUREBITS, ABSENT),
	AT(PR_SET_TIMERSLACK, ABSENT),
	AT(PR_GET_TIMERSLACK, ABSENT),
	AT(PR_TASK_PERF_EVENTS_DISABLE, ABSENT),
	AT(PR_TASK_PERF_EVENTS_ENABLE, ABSENT),
	AT(PR_SET_CHILD_SUBREAPER, ABSENT),
	AT(PR_GET_CHILD_SUBREAPER, ABSENT),
	AT(PR_GET_TID_ADDRESS, ABSENT),
	AT(PR_SET_FP_MODE, ABSENT),
	AT(PR_GET_FP_MODE, ABSENT),
	AT(PR_CAP_AMBIENT, VALUE, .values = &option_values_capabilities),
	AT(PR_SVE_GET_VL, ABSENT),
	AT(PR_GET_SPECULATION_CTRL, ABSENT),
	AT(PR_SET_SPECULATION_CTRL, FLAGS, .values = &option_values_speculation_states),
	AT(PR_PAC_SET_ENABLED_KEYS, FLAGS, .values = &option_values_auth_keys),
	AT(PR_SCHED_CORE, INT),
	AT(PR_SME_GET_VL, ABSENT),
	AT(PR_SET_PTRACER, ABSENT),
	FROM(INT32_MIN, INT32_MAX, HEX),
};

static const struct call_case prctl_arg4[] = {
	AT(PR_SET_PDEATHSIG, ABSENT),
	AT(PR_GET_PDEATHSIG, ABSENT),
	AT(PR_GET_DUMPABLE, ABSENT),
	AT(PR_SET_DUMPABLE, ABSENT),
	AT(PR_GET_UNALIGN, ABSENT),
	AT(PR_SET_UNALIGN, ABSENT),
	AT(PR_GET_KEEPCAPS, ABSENT),
	AT(PR_SET_KEEPCAPS, ABSENT),
	AT(PR_GET_FPEMU, ABSENT),
	AT(PR_SET_FPEMU, ABSENT),
	AT(PR_GET_FPEXC, ABSENT),
	AT(PR_SET_FPEXC, ABSENT),
	AT(PR_GET_TIMING, ABSENT),
	AT(PR_SET_TIMING, ABSENT),
	AT(PR_SET_NAME, ABSENT),
	AT(PR_GET_NAME, ABSENT),
	AT(PR_GET_ENDIAN, ABSENT),
	AT(PR_SET_ENDIAN, ABSENT),
	AT(PR_GET_SECCOMP, ABSENT),
	AT(PR_CAPBSET_READ, ABSENT),
	AT(PR_CAPBSET_DROP, ABSENT),
	AT(PR_GET_TSC, ABSENT),
	AT(PR_SET_TSC, ABSENT),
	AT(PR_GET_SECUREBITS, ABSENT),
	AT(PR_SET_SECUREBITS, ABSENT),
	AT(PR_SET_TIMERSLACK, ABSENT),
	AT(PR_GET_TIMERSLACK, ABSENT),
	AT(PR_TASK_PERF_EVENTS_DISABLE, ABSENT),
	AT(PR_TASK_PERF_EVENTS_ENABLE, ABSENT),
	AT(PR_SET_CHILD_SUBREAPER, ABSENT),
	AT(PR_GET_CHILD_SUBREAPER, ABSENT),
	AT(PR_GET_TID_ADDRESS, ABSENT),
	AT(PR_SET_FP_MODE, ABSENT),
	AT(PR_GET_FP_MODE, ABSENT),
	AT(PR_SVE_GET_VL, ABSENT),
	AT(PR_GET_SPECULATION_CTRL, ABSENT),
	AT(PR_SET_SPECULATION_CTRL, ABSENT),
	AT(PR_SCHED_CORE, VALUE, .values = &option_values_pid_types),
	AT(PR_SME_GET_VL, ABSENT),
	AT(PR_SET_PTRACER, ABSENT),
	FROM(INT32_MIN, INT32_MAX, HEX),
};

static const struct call_case prctl_arg5[] = {
	AT(PR_SET_PDEATHSIG, ABSENT),
	AT(PR_GET_PDEATHSIG, ABSENT),
	AT(PR_GET_DUMPABLE, ABSENT),
	AT(PR_SET_DUMPABLE, ABSENT),
	AT(PR_GET_UNALIGN, ABSENT),
	AT(PR_SET_UNALIGN, ABSENT),
	AT(PR_GET_KEEPCAPS, ABSENT),
	AT(PR_SET_KEEPCAPS, ABSENT),
	AT(PR_GET_FPEMU, ABSENT),
	AT(PR_SET_FPEMU, ABSENT),
	AT(PR_GET_FPEXC, ABSENT),
	AT(PR_SET_FPEXC, ABSENT),
	AT(PR_GET_TIMING, ABSENT),
	AT(PR_SET_TIMING, ABSENT),
	AT(PR_SET_NAME, ABSENT),
	AT(PR_GET_NAME, ABSENT),
	AT(PR_GET_ENDIAN, ABSENT),
	AT(PR_SET_ENDIAN, ABSENT),
	AT(PR_GET_SECCOMP, ABSENT),
	AT(PR_CAPBSET_READ, ABSENT),
	AT(PR_CAPBSET_DROP, ABSENT),
	AT(PR_GET_TSC, ABSENT),
	AT(PR_SET_TSC, ABSENT),
	AT(PR_GET_SECUREBITS, ABSENT),
	AT(PR_SET_SECUREBITS, ABSENT),
	AT(PR_SET_TIMERSLACK, ABSENT),
	AT(PR_GET_TIMERSLACK, ABSENT),
	AT(PR_TASK_PERF_EVENTS_DISABLE, ABSENT),
	AT(PR_TASK_PERF_EVENTS_ENABLE, ABSENT),
	AT(PR_SET_CHILD_SUBREAPER, ABSENT),
	AT(PR_GET_CHILD_SUBREAPER, ABSENT),
	AT(PR_GET_TID_ADDRESS, ABSENT),
	AT(PR_SET_FP_MODE, ABSENT),
	AT(PR_GET_FP_MODE, ABSENT),
	AT(PR_SVE_GET_VL, ABSENT),
	AT(PR_GET_SPECULATION_CTRL, ABSENT),
	AT(PR_SET_SPECULATION_CTRL, ABSENT),
	AT(PR_SME_GET_VL, ABSENT),
	AT(PR_SET_PTRACER, ABSENT),
	FROM(INT32_MIN, INT32_MAX, HEX),
};

static const struct call_case getsockopt_optname[] = {
	AT(0, VALUE, .values = &option_values_ip_options, .flags = &option_values_ip_get_options),
	AT(1, VALUE, .values = &option_values_so_options, .flags = &option_values_so_get_options),
	AT(6, VALUE, .values = &option_values_tcp_options),
	AT(17, VALUE, .values = &option_values_udp_options),
	AT(41, VALUE, .values = &option_values_ipv6_options,
	   .flags = &option_values_ipv6_get_options),
	AT(132, VALUE, .values = &option_values_sctp_options),
	AT(255, VALUE, .values = &option_values_raw_options),
	AT(263, VALUE, .values = &option_values_packet_options),
	AT(270, VALUE, .values = &option_values_netlink_options),
	AT(279, VALUE, .values = &option_values_alg_options),
};

static const struct call_case setsockopt_optname[] = {
	AT(0, VALUE, .values = &option_values_ip_options, .flags = &option_values_ip_set_options),
	AT(1, VALUE, .values = &option_values_so_options, .flags = &option_values_so_set_options),
	AT(6, VALUE, .values = &option_values_tcp_options),
	AT(17, VALUE, .values = &option_values_udp_options),
	AT(41, VALUE, .values = &option_values_ipv6_options,
	   .flags = &option_values_ipv6_set_options),
	AT(132, VALUE, .values = &option_values_sctp_options),
	AT(255, VALUE, .values = &option_values_raw_options),
	AT(263, VALUE, .values = &option_values_packet_options),
	AT(270, VALUE, .values = &option_values_netlink_options),
	AT(279, VALUE, .values = &option_values_alg_options),
};

static const struct call_case socket_protocol[] = {
	AT(AF_INET, VALUE, .values = &option_values_ip_protocols),
	AT(AF_INET6, VALUE, .values = &option_values_ip_protocols),
	AT(AF_NETLINK, VALUE, .values = &option_values_netlink_protocols),
	AT(AF_PACKET, NETWORK, .values = &option_values_ethernet_protocols),
	AT(AF_CAN, VALUE, .values = &option_values_can_protocols),
	AT(AF_BLUETOOTH, VALUE, .values = &option_values_bluetooth_protocols),
};

static const struct call_case socket_type[] = {
	ALL(SOCKET_TYPE, .values = &option_values_sock_types, .flags = &call_values_socket_flags,
	    .rest = 0xf),
};

static const struct call_case futex_op[] = {
	ALL(FUTEX, .values = &option_values_futex_commands),
};

static const struct call_case futex_val[] = {
	FROM(FUTEX_LOCK_PI, FUTEX_TRYLOCK_PI, ABSENT),
	AT(FUTEX_LOCK_PI2, ABSENT),
};

static const struct call_case futex_utime[] = {
	AT(FUTEX_WAIT, POINTER),
	FROM(FUTEX_WAKE, FUTEX_FD, ABSENT),
	FROM(FUTEX_REQUEUE, FUTEX_WAKE_OP, UINT),
	AT(FUTEX_LOCK_PI, POINTER),
	FROM(FUTEX_UNLOCK_PI, FUTEX_TRYLOCK_PI, ABSENT),
	AT(FUTEX_WAKE_BITSET, ABSENT),
	AT(FUTEX_CMP_REQUEUE_PI, UINT),
};

static const struct call_case futex_uaddr2[] = {
	FROM(FUTEX_WAIT, FUTEX_FD, ABSENT),
	FROM(FUTEX_LOCK_PI, FUTEX_WAKE_BITSET, ABSENT),
	AT(FUTEX_LOCK_PI2, ABSENT),
};

static const struct call_case futex_val3[] = {
	FROM(FUTEX_WAIT, FUTEX_REQUEUE, ABSENT),
	AT(FUTEX_CMP_REQUEUE, UINT),
	AT(FUTEX_WAKE_OP, FUTEX_COMPARE),
	FROM(FUTEX_LOCK_PI, FUTEX_TRYLOCK_PI, ABSENT),
	FROM(FUTEX_WAIT_BITSET, FUTEX_WAKE_BITSET, VALUE, .values = &option_values_futex_masks),
	AT(FUTEX_WAIT_REQUEUE_PI, ABSENT),
	AT(FUTEX_CMP_REQUEUE_PI, UINT),
	AT(FUTEX_LOCK_PI2, ABSENT),
	FROM(INT32_MIN, INT64_MAX, HEX),
};

static const struct call_case ioctl_cmd[] = {
	ALL(IOCTL, .values = &call_values_ioctl_requests),
};

static const struct call_case ioctl_arg[] = {
	AT(0x125f, ABSENT),
	AT(0x1261, ABSENT),
	AT(0x1274, ABSENT),
	AT(0x1275, ABSENT),
	AT(0x1276, ABSENT),
	AT(0x4c01, ABSENT),
	AT(0x4c82, ABSENT),
	AT(0x540c, ABSENT),
	AT(0x540d, ABSENT),
	AT(0x541d, ABSENT),
	AT(0x5422, ABSENT),
	AT(0x5427, ABSENT),
	AT(0x5428, ABSENT),
	AT(0x5437, ABSENT),
	AT(0x5450, ABSENT),
	AT(0x5451, ABSENT),
	AT(0xb701, ABSENT),
	AT(0xb702, ABSENT),
	AT(0xc0045877, ABSENT),
	AT(0xc0045878, ABSENT),
	AT(0x2400, FLAGS, .values = &option_values_perf_ioctl_flags),
	AT(0x2401, FLAGS, .values = &option_values_perf_ioctl_flags),
	AT(0x2403, FLAGS, .values = &option_values_perf_ioctl_flags),
};

static const struct call_case mknod_mode[] = {
	ALL(FILE_TYPE, .values = &option_values_file_types),
};

static const struct call_case mknod_dev[] = {
	FROM(0, S_IFCHR - 1, ABSENT),		AT(S_IFCHR, DEVICE),
	FROM(S_IFCHR + 1, S_IFBLK - 1, ABSENT), AT(S_IFBLK, DEVICE),
	FROM(S_IFBLK + 1, S_IFMT, ABSENT),
};

static const struct call_case mmap_flags[] = {
	ALL(MAP, .values = &option_values_map_types, .flags = &call_values_map_flags, .rest = 0xf,
	    .shift = "<<MAP_HUGE_SHIFT"),
};

static const struct call_case mremap_new_addr[] = {
	FROM(0, 2, ABSENT),
};

static const struct call_case ustat_dev[] = {
	ALL(DEVICE),
};

static const struct call_case semctl_arg[] = {
	AT(16, INT),
	ALL(HEX),
};

static const struct call_case kexec_load_flags[] = {
	ALL(OR_VALUE, .values = &call_values_kexec_architectures, .flags = &call_values_kexec_flags,
	    .rest = 0xffff0000),
};

static const struct call_case fsconfig_aux[] = {
	FROM(3, 4, NUMBER, .values = &option_values_directories),
	ALL(INT),
};

static const struct call_case reboot_arg[] = {
	AT(0xa1b2c3d4, POINTER),
	ALL(ABSENT),
};

static const struct call_case fanotify_init_flags[] = {
	ALL(OR_VALUE, .values = &call_values_fanotify_classes,
	    .flags = &call_values_fanotify_init_flags, .rest = 0xc),
};

static const struct call_case fanotify_mark_dfd[] = {
	ALL(NUMBER, .values = &option_values_fanotify_directories),
};

static const struct call_case memfd_create_flags[] = {
	ALL(OR_SHIFTED, .values = &call_values_memfd_flags, .rest = 0x3full << 26,
	    .shift = "<<MFD_HUGE_SHIFT"),
};

static const struct call_case mq_open_mode[] = {
	AT(0, ABSENT),
};

static const struct call_case mq_open_u_attr[] = {
	AT(0, ABSENT),
};

static const struct call_case clone_clone_flags[] = {
	ALL(CLONE, .values = &call_values_clone_flags),
};

static const struct call_case shmctl_cmd[] = {
	ALL(IPC, .values = &option_values_shm_commands),
};

static const struct call_case semctl_cmd[] = {
	ALL(IPC, .values = &option_values_sem_commands),
};

static const struct call_case msgctl_cmd[] = {
	ALL(IPC, .values = &option_values_msg_commands),
};

static const struct call_case shmget_shmflg[] = {
	ALL(SHM_GET, .values = &option_values_shm_get_flags, .rest = 0777,
	    .shift = "<<SHM_HUGE_SHIFT"),
};

static const struct call_case semget_semflg[] = {
	ALL(OR_OCTAL, .values = &option_values_ipc_get_flags, .rest = 0777),
};

static const struct call_case shmat_shmflg[] = {
	ALL(FLAGS, .values = &option_values_shm_attach_flags),
};

static const struct call_case msgsnd_msgflg[] = {
	ALL(FLAGS, .values = &option_values_msg_operation_flags),
};

static const struct call_case quotactl_cmd[] = {
	ALL(QUOTA),
};

static const struct call_case quotactl_id[] = {
	AT(QUOTA(0x5801), ABSENT),
	AT(QUOTA(0x5802), ABSENT),
	FROM(QUOTA(0x5805), QUOTA(0x5808), ABSENT),
	AT(QUOTA(0x800001), ABSENT),
	AT(QUOTA(0x800002), VALUE, .values = &option_values_quota_formats),
	FROM(QUOTA(0x800003), QUOTA(0x800006), ABSENT),
};

static const struct call_case quotactl_addr[] = {
	AT(QUOTA(0x5807), ABSENT),
	AT(QUOTA(0x800001), ABSENT),
	AT(QUOTA(0x800003), ABSENT),
};

static const struct call_case add_key_ringid[] = {
	ALL(NUMBER, .values = &option_values_key_serials),
};

static const struct call_case keyctl_arg2[] = {
	AT(0, NUMBER, .values = &option_values_key_serials),
	AT(1, POINTER),
	AT(2, NUMBER, .values = &option_values_key_serials),
	AT(3, NUMBER, .values = &option_values_key_serials),
	AT(4, NUMBER, .values = &option_values_key_serials),
	AT(5, NUMBER, .values = &option_values_key_serials),
	AT(6, NUMBER, .values = &option_values_key_serials),
	AT(7, NUMBER, .values = &option_values_key_serials),
	AT(8, NUMBER, .values = &option_values_key_serials),
	AT(9, NUMBER, .values = &option_values_key_serials),
	AT(10, NUMBER, .values = &option_values_key_serials),
	AT(11, NUMBER, .values = &option_values_key_serials),
	AT(12, NUMBER, .values = &option_values_key_serials),
	AT(13, NUMBER, .values = &option_values_key_serials),
	AT(15, NUMBER, .values = &option_values_key_serials),
	AT(16, NUMBER, .values = &option_values_key_serials),
	AT(17, NUMBER, .values = &option_values_key_serials),
	AT(18, ABSENT),
	AT(19, NUMBER, .values = &option_values_key_serials),
	AT(20, NUMBER, .values = &option_values_key_serials),
	AT(21, NUMBER, .values = &option_values_key_serials),
	AT(22, INT),
	AT(23, POINTER),
	AT(24, NUMBER, .values = &option_values_key_serials),
	AT(29, NUMBER, .values = &option_values_key_serials),
	AT(30, NUMBER, .values = &option_values_key_serials),
	AT(31, POINTER),
	FROM(INT32_MIN, INT32_MAX, HEX),
};

static const struct call_case keyctl_arg3[] = {
	AT(0, INT),
	AT(1, ABSENT),
	AT(2, POINTER),
	AT(3, ABSENT),
	AT(4, INT),
	AT(5, FLAGS, .values = &option_values_key_permissions),
	AT(6, POINTER),
	AT(7, ABSENT),
	AT(8, NUMBER, .values = &option_values_key_serials),
	AT(9, NUMBER, .values = &option_values_key_serials),
	AT(10, POINTER),
	AT(11, POINTER),
	AT(12, POINTER),
	AT(13, ULONG),
	AT(15, ULONG),
	AT(16, ABSENT),
	AT(17, POINTER),
	AT(18, ABSENT),
	AT(19, ULONG),
	AT(20, POINTER),
	AT(21, ABSENT),
	AT(22, NUMBER, .values = &option_values_key_serials),
	AT(23, POINTER),
	AT(24, POINTER),
	AT(29, POINTER),
	AT(30, NUMBER, .values = &option_values_key_serials),
	AT(31, ULONG),
	FROM(INT32_MIN, INT32_MAX, HEX),
};

static const struct call_case keyctl_arg4[] = {
	AT(0, ABSENT),	 AT(1, ABSENT),
	AT(2, ULONG),	 AT(3, ABSENT),
	AT(4, INT),	 AT(5, ABSENT),
	AT(6, ULONG),	 AT(7, ABSENT),
	AT(8, ABSENT),	 AT(9, ABSENT),
	AT(10, POINTER), AT(11, ULONG),
	AT(12, ULONG),	 AT(13, NUMBER, .values = &option_values_key_serials),
	AT(15, ABSENT),	 AT(16, ABSENT),
	AT(17, ULONG),	 AT(18, ABSENT),
	AT(19, ERRNO),	 AT(20, ULONG),
	AT(21, ABSENT),	 AT(22, ABSENT),
	AT(23, ULONG),	 AT(24, POINTER),
	AT(29, POINTER), AT(30, NUMBER, .values = &option_values_key_serials),
	AT(31, ABSENT),	 FROM(INT32_MIN, INT32_MAX, HEX),
};

static const struct call_case keyctl_arg5[] = {
	AT(0, ABSENT),
	AT(1, ABSENT),
	AT(2, ABSENT),
	AT(3, ABSENT),
	AT(4, ABSENT),
	AT(5, ABSENT),
	AT(6, ABSENT),
	AT(7, ABSENT),
	AT(8, ABSENT),
	AT(9, ABSENT),
	AT(10, NUMBER, .values = &option_values_key_serials),
	AT(11, ABSENT),
	AT(12, NUMBER, .values = &option_values_key_serials),
	AT(13, ABSENT),
	AT(15, ABSENT),
	AT(16, ABSENT),
	AT(17, ABSENT),
	AT(18, ABSENT),
	AT(19, NUMBER, .values = &option_values_key_serials),
	AT(20, NUMBER, .values = &option_values_key_serials),
	AT(21, ABSENT),
	AT(22, ABSENT),
	AT(23, POINTER),
	AT(24, POINTER),
	AT(29, ABSENT),
	AT(30, FLAGS, .values = &option_values_key_move_flags),
	AT(31, ABSENT),
	FROM(INT32_MIN, INT32_MAX, HEX),
};

static const struct call_case ioprio_set_ioprio[] = {
	ALL(IO_PRIORITY, .values = &option_values_io_priority_classes),
};

static const struct call_case kcmp_idx1[] = {
	AT(0, UINT),
	FROM(1, 6, ABSENT),
	AT(7, UINT),
	FROM(INT32_MIN, INT32_MAX, HEX),
};

static const struct call_case kcmp_idx2[] = {
	AT(0, UINT),
	FROM(1, 6, ABSENT),
	FROM(INT32_MIN, INT32_MAX, HEX),
};

static const struct call_case membarrier_cpu_id[] = {
	AT(0, ABSENT),
};

static const struct call_case arch_prctl_arg2[] = {
	AT(0x1011, ABSENT),
};

static const struct call_case signal[] = {
	ALL(SIGNAL),
};

static const struct call_case mbind_mode[] = {
	ALL(OR_VALUE, .values = &call_values_memory_policies,
	    .flags = &call_values_memory_policy_flags, .rest = ~0xe000ull),
};

static const struct call_case position_high[] = {
	ALL(ABSENT),
};

static const struct call_case position[] = {
	ALL(LONG),
};

static const struct call_case swapon_swap_flags[] = {
	ALL(OR_NUMBER, .values = &call_values_swap_flags, .rest = 0x7fff),
};

static const struct call_case statx_flags[] = {
	ALL(OR_VALUE, .values = &call_values_stat_sync, .flags = &call_values_at_flags,
	    .rest = 0x6000),
};

static const struct call_case faccessat2_flags[] = {
	ALL(FLAGS, .values = &call_values_access_flags),
};

static const struct call_case syslog_buf[] = {
	FROM(5, 8, ABSENT),
	FROM(9, 10, ABSENT),
};

static const struct call_case syslog_len[] = {
	FROM(5, 7, ABSENT),
	FROM(9, 10, ABSENT),
};

static const struct call_case seccomp_flags[] = {
	AT(1, FLAGS, .values = &call_values_seccomp_flags),
};

static const struct call_case ptrace_addr[] = {
	AT(8, ABSENT),
	FROM(12, 16, ABSENT),
	FROM(0x4207, 0x4208, ABSENT),
	FROM(INT32_MIN, INT32_MAX, HEX),
};

static const struct call_case ptrace_data[] = {
	AT(7, SIGNAL),
	AT(8, ABSENT),
	AT(9, SIGNAL),
	FROM(12, 15, POINTER),
	AT(16, ABSENT),
	AT(17, SIGNAL),
	AT(21, FLAGS, .values = &call_values_ptrace_options),
	AT(24, SIGNAL),
	FROM(31, 33, SIGNAL),
	AT(0x4200, FLAGS, .values = &call_values_ptrace_options),
	AT(0x4206, FLAGS, .values = &call_values_ptrace_options),
	AT(0x4207, ABSENT),
	AT(0x4208, ABSENT),
	FROM(INT32_MIN, INT32_MAX, HEX),
};

static const struct call_meaning meanings[] = {
	MEANING(fcntl, arg, "cmd", UINT64_MAX, fcntl_arg),
	MEANING(prctl, arg2, "option", UINT64_MAX, prctl_arg2),
	MEANING(prctl, arg3, "option", UINT64_MAX, prctl_arg3),
	MEANING(prctl, arg4, "option", UINT64_MAX, prctl_arg4),
	MEANING(prctl, arg5, "option", UINT64_MAX, prctl_arg5),
	MEANING(getsockopt, optname, "level", UINT64_MAX, getsockopt_optname),
	MEANING(setsockopt, optname, "level", UINT64_MAX, setsockopt_optname),
	MEANING(socket, protocol, "family", UINT64_MAX, socket_protocol),
	MEANING(socketpair, protocol, "family", UINT64_MAX, socket_protocol),
	MEANING(socket, type, NULL, UINT64_MAX, socket_type),
	MEANING(socketpair, type, NULL, UINT64_MAX, socket_type),
	MEANING(futex, op, NULL, UINT64_MAX, futex_op),
	MEANING(futex, val, "op", 0x7f, futex_val),
	MEANING(futex, utime, "op", 0x7f, futex_utime),
	MEANING(futex, uaddr2, "op", 0x7f, futex_uaddr2),
	MEANING(futex, val3, "op", 0x7f, futex_val3),
	MEANING(ioctl, cmd, NULL, UINT64_MAX, ioctl_cmd),
	MEANING(ioctl, arg, "cmd", UINT64_MAX, ioctl_arg),
	MEANING(mknod, mode, NULL, UINT64_MAX, mknod_mode),
	MEANING(mknod, dev, "mode", S_IFMT, mknod_dev),
	MEANING(mknodat, mode, NULL, UINT64_MAX, mknod_mode),
	MEANING(mknodat, dev, "mode", S_IFMT, mknod_dev),
	MEANING(mmap, flags, NULL, UINT64_MAX, mmap_flags),
	MEANING(remap_file_pages, flags, NULL, UINT64_MAX, mmap_flags),
	MEANING(mremap, new_addr, "flags", 3, mremap_new_addr),
	MEANING(ustat, dev, NULL, UINT64_MAX, ustat_dev),
	MEANING(semctl, arg, "cmd", UINT64_MAX, semctl_arg),
	MEANING(kexec_load, flags, NULL, UINT64_MAX, kexec_load_flags),
	MEANING(fsconfig, aux, "cmd", UINT64_MAX, fsconfig_aux),
	MEANING(reboot, arg, "cmd", UINT64_MAX, reboot_arg),
	MEANING(fanotify_init, flags, NULL, UINT64_MAX, fanotify_init_flags),
	MEANING(fanotify_mark, dfd, NULL, UINT64_MAX, fanotify_mark_dfd),
	MEANING(memfd_create, flags, NULL, UINT64_MAX, memfd_create_flags),
	MEANING(mq_open, mode, "oflag", O_CREAT, mq_open_mode),
	MEANING(mq_open, u_attr, "oflag", O_CREAT, mq_open_u_attr),
	MEANING(clone, clone_flags, NULL, UINT64_MAX, clone_clone_flags),
	MEANING(shmctl, cmd, NULL, UINT64_MAX, shmctl_cmd),
	MEANING(semctl, cmd, NULL, UINT64_MAX, semctl_cmd),
	MEANING(msgctl, cmd, NULL, UINT64_MAX, msgctl_cmd),
	MEANING(shmget, shmflg, NULL, UINT64_MAX, shmget_shmflg),
	MEANING(semget, semflg, NULL, UINT64_MAX, semget_semflg),
	MEANING(msgget, msgflg, NULL, UINT64_MAX, semget_semflg),
	MEANING(shmat, shmflg, NULL, UINT64_MAX, shmat_shmflg),
	MEANING(msgsnd, msgflg, NULL, UINT64_MAX, msgsnd_msgflg),
	MEANING(msgrcv, msgflg, NULL, UINT64_MAX, msgsnd_msgflg),
	MEANING(quotactl, cmd, NULL, UINT64_MAX, quotactl_cmd),
	MEANING(quotactl_fd, cmd, NULL, UINT64_MAX, quotactl_cmd),
	MEANING(quotactl, id, "cmd", 0xffffff00, quotactl_id),
	MEANING(quotactl_fd, id, "cmd", 0xffffff00, quotactl_id),
	MEANING(quotactl, addr, "cmd", 0xffffff00, quotactl_addr),
	MEANING(quotactl_fd, addr, "cmd", 0xffffff00, quotactl_addr),
	MEANING(add_key, ringid, NULL, UINT64_MAX, add_key_ringid),
	MEANING(request_key, destringid, NULL, UINT64_MAX, add_key_ringid),
	MEANING(keyctl, arg2, "option", UINT64_MAX, keyctl_arg2),
	MEANING(keyctl, arg3, "option", UINT64_MAX, keyctl_arg3),
	MEANING(keyctl, arg4, "option", UINT64_MAX, keyctl_arg4),
	MEANING(keyctl, arg5, "option", UINT64_MAX, keyctl_arg5),
	MEANING(ioprio_set, ioprio, NULL, UINT64_MAX, ioprio_set_ioprio),
	MEANING(kcmp, idx1, "type", UINT64_MAX, kcmp_idx1),
	MEANING(kcmp, idx2, "type", UINT64_MAX, kcmp_idx2),
	MEANING(membarrier, cpu_id, "flags", UINT64_MAX, membarrier_cpu_id),
	MEANING(arch_prctl, arg2, "option", UINT64_MAX, arch_prctl_arg2),
	MEANING(pidfd_send_signal, sig, NULL, UINT64_MAX, signal),
	MEANING(kill, sig, NULL, UINT64_MAX, signal),
	MEANING(tkill, sig, NULL, UINT64_MAX, signal),
	MEANING(tgkill, sig, NULL, UINT64_MAX, signal),
	MEANING(rt_sigaction, sig, NULL, UINT64_MAX, signal),
	MEANING(rt_sigqueueinfo, sig, NULL, UINT64_MAX, signal),
	MEANING(rt_tgsigqueueinfo, sig, NULL, UINT64_MAX, signal),
	MEANING(mbind, mode, NULL, UINT64_MAX, mbind_mode),
	MEANING(set_mempolicy, mode, NULL, UINT64_MAX, mbind_mode),
	MEANING(preadv, pos_h, NULL, UINT64_MAX, position_high),
	MEANING(pwritev, pos_h, NULL, UINT64_MAX, position_high),
	MEANING(preadv2, pos_h, NULL, UINT64_MAX, position_high),
	MEANING(pwritev2, pos_h, NULL, UINT64_MAX, position_high),
	MEANING(preadv, pos_l, NULL, UINT64_MAX, position),
	MEANING(pwritev, pos_l, NULL, UINT64_MAX, position),
	MEANING(preadv2, pos_l, NULL, UINT64_MAX, position),
	MEANING(pwritev2, pos_l, NULL, UINT64_MAX, position),
	MEANING(swapon, swap_flags, NULL, UINT64_MAX, swapon_swap_flags),
	MEANING(statx, flags, NULL, UINT64_MAX, statx_flags),
	MEANING(faccessat2, flags, NULL, UINT64_MAX, faccessat2_flags),
	MEANING(syslog, buf, "type", UINT64_MAX, syslog_buf),
	MEANING(syslog, len, "type", UINT64_MAX, syslog_len),
	MEANING(seccomp, flags, "op", UINT64_MAX, seccomp_flags),
	MEANING(ptrace, addr, "request", UINT64_MAX, ptrace_addr),
	MEANING(ptrace, data, "request", UINT64_MAX, ptrace_data),
};

static const struct call_case fcntl_result[] = {
	AT(F_GETFD, FLAGS, .values = &option_values_fd_flags),
	AT(F_GETFL, FLAGS, .values = &option_values_status_flags, .shows_zero = true),
	AT(F_GETSIG, SIGNAL),
	AT(F_GETLEASE, VALUE, .values = &option_values_lease_types, .shows_zero = true),
	AT(F_GET_SEALS, FLAGS, .values = &option_values_seals),
};

static const struct call_case prctl_result[] = {
	AT(PR_GET_DUMPABLE, VALUE, .values = &option_values_dump_modes, .shows_zero = true),
};

static const struct call_case personality_result[] = {
	ALL(VALUE, .values = &option_values_personalities, .shows_zero = true),
};

static const struct call_meaning results[] = {
	MEANING(prctl, , "option", UINT64_MAX, prctl_result),
	MEANING(personality, , "personality", 0, personality_result),
	MEANING(fcntl, , "cmd", UINT64_MAX, fcntl_result),
};

const struct call_meaning *call_meaning_find(const char *call, const char *arg)
{
	for (size_t i = 0; i < sizeof(meanings) / sizeof(meanings[0]); i++) {
		if (!strcmp(meanings[i].call, call) && !strcmp(meanings[i].arg, arg))
			return &meanings[i];
	}
	return NULL;
}

size_t call_meaning_count(void)
{
	return sizeof(meanings) / sizeof(meanings[0]);
}

const struct call_meaning *call_meaning_result(const char *call)
{
	for (size_t i = 0; i < sizeof(results) / sizeof(results[0]); i++) {
		if (!strcmp(results[i].call, call))
			return &results[i];
	}
	return NULL;
}

const struct call_case *call_meaning_case(const struct call_meaning *meaning, uint64_t value)
{
	static const struct call_case plain = {.form = CALL_FORM_PLAIN};
	int64_t by = (int64_t)(value & meaning->mask);

	for (size_t i = 0; i < meaning->count; i++) {
		if (by >= meaning->cases[i].first && by <= meaning->cases[i].last)
			return &meaning->cases[i];
	}
	return &plain;
}
