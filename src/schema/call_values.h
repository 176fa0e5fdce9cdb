/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * call_values: names of the flags and constants that system calls take, with the values of this architecture.
 * Used by schema/calls alone.
 *
 * Order matters in a set of flags (field_flags_next): one that contains the bits of others stands before these.
 */
#ifndef SONDE_SCHEMA_CALL_VALUES_H
#define SONDE_SCHEMA_CALL_VALUES_H

#include <stddef.h>

struct field_label;

/* Values of an argument that have names. */
struct call_values {
	const struct field_label *labels;
	size_t count;
	const char *type; /* in metadata: of a field whose values have these names */
};

extern const struct call_values call_values_access_modes;
extern const struct call_values call_values_arch_prctl_options;
extern const struct call_values call_values_at_flags;
extern const struct call_values call_values_bpf_commands;
extern const struct call_values call_values_clocks;
extern const struct call_values call_values_clone_flags;
extern const struct call_values call_values_close_range_flags;
extern const struct call_values call_values_dirfd;
extern const struct call_values call_values_epoll_flags;
extern const struct call_values call_values_epoll_operations;
extern const struct call_values call_values_eventfd_flags;
extern const struct call_values call_values_fadvice;
extern const struct call_values call_values_fallocate_modes;
extern const struct call_values call_values_families;
extern const struct call_values call_values_fcntl_commands;
extern const struct call_values call_values_flock_operations;
extern const struct call_values call_values_futex_operations;
extern const struct call_values call_values_getrandom_flags;
extern const struct call_values call_values_inotify_flags;
extern const struct call_values call_values_inotify_mask;
extern const struct call_values call_values_interval_timers;
extern const struct call_values call_values_ioctl_requests;
extern const struct call_values call_values_ipc_commands;
extern const struct call_values call_values_ipc_flags;
extern const struct call_values call_values_limits;
extern const struct call_values call_values_madvice;
extern const struct call_values call_values_map_flags;
extern const struct call_values call_values_mask_ways;
extern const struct call_values call_values_membarrier_commands;
extern const struct call_values call_values_memfd_flags;
extern const struct call_values call_values_mlockall_flags;
extern const struct call_values call_values_mount_flags;
extern const struct call_values call_values_mremap_flags;
extern const struct call_values call_values_msg_flags;
extern const struct call_values call_values_msync_flags;
extern const struct call_values call_values_namespaces;
extern const struct call_values call_values_open_flags;
extern const struct call_values call_values_perf_open_flags;
extern const struct call_values call_values_prctl_options;
extern const struct call_values call_values_priority_kinds;
extern const struct call_values call_values_prot;
extern const struct call_values call_values_ptrace_requests;
extern const struct call_values call_values_rename_flags;
extern const struct call_values call_values_rwf_flags;
extern const struct call_values call_values_sched_policies;
extern const struct call_values call_values_seccomp_operations;
extern const struct call_values call_values_shutdown_ways;
extern const struct call_values call_values_signalfd_flags;
extern const struct call_values call_values_signals;
extern const struct call_values call_values_socket_flags;
extern const struct call_values call_values_socket_levels;
extern const struct call_values call_values_socket_types;
extern const struct call_values call_values_splice_flags;
extern const struct call_values call_values_statx_mask;
extern const struct call_values call_values_sync_range_flags;
extern const struct call_values call_values_timer_flags;
extern const struct call_values call_values_timerfd_flags;
extern const struct call_values call_values_umount_flags;
extern const struct call_values call_values_usage_kinds;
extern const struct call_values call_values_wait_kinds;
extern const struct call_values call_values_wait_options;
extern const struct call_values call_values_whence;
extern const struct call_values call_values_xattr_flags;

#endif /* SONDE_SCHEMA_CALL_VALUES_H */
