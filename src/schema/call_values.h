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

/* Of the kernel: to programs of 64 bits, which always have it, the C library says 0. */
#ifdef __aarch64__
#define CALL_VALUES_LARGEFILE 0400000
#else
#define CALL_VALUES_LARGEFILE 0100000
#endif

/* Values of an argument that have names. */
struct call_values {
	const struct field_label *labels;
	size_t count;
	const char *type; /* in metadata: of a field whose values have these names */
};

extern const struct call_values call_values_access_flags;
extern const struct call_values call_values_access_modes;
extern const struct call_values call_values_arch_prctl_options;
extern const struct call_values call_values_at_flags;
extern const struct call_values call_values_bpf_commands;
extern const struct call_values call_values_clocks;
extern const struct call_values call_values_cloexec_flag;
extern const struct call_values call_values_clone_flags;
extern const struct call_values call_values_close_range_flags;
extern const struct call_values call_values_descriptor_flags;
extern const struct call_values call_values_dirfd;
extern const struct call_values call_values_epoll_flags;
extern const struct call_values call_values_epoll_operations;
extern const struct call_values call_values_eventfd_flags;
extern const struct call_values call_values_fadvice;
extern const struct call_values call_values_fallocate_modes;
extern const struct call_values call_values_families;
extern const struct call_values call_values_fanotify_classes;
extern const struct call_values call_values_fanotify_init_flags;
extern const struct call_values call_values_fanotify_mark_flags;
extern const struct call_values call_values_fanotify_mask;
extern const struct call_values call_values_fcntl_commands;
extern const struct call_values call_values_flock_operations;
extern const struct call_values call_values_fsconfig_commands;
extern const struct call_values call_values_fsmount_flags;
extern const struct call_values call_values_fsopen_flags;
extern const struct call_values call_values_fspick_flags;
extern const struct call_values call_values_futex_operations;
extern const struct call_values call_values_getrandom_flags;
extern const struct call_values call_values_handle_flags;
extern const struct call_values call_values_inotify_flags;
extern const struct call_values call_values_inotify_mask;
extern const struct call_values call_values_interval_timers;
extern const struct call_values call_values_io_priority_kinds;
extern const struct call_values call_values_ioctl_requests;
extern const struct call_values call_values_ipc_commands;
extern const struct call_values call_values_ipc_flags;
extern const struct call_values call_values_kcmp_types;
extern const struct call_values call_values_kexec_architectures;
extern const struct call_values call_values_kexec_file_flags;
extern const struct call_values call_values_kexec_flags;
extern const struct call_values call_values_keyctl_options;
extern const struct call_values call_values_landlock_rules;
extern const struct call_values call_values_landlock_ruleset_flags;
extern const struct call_values call_values_limits;
extern const struct call_values call_values_madvice;
extern const struct call_values call_values_map_flags;
extern const struct call_values call_values_mask_ways;
extern const struct call_values call_values_membarrier_commands;
extern const struct call_values call_values_membarrier_flags;
extern const struct call_values call_values_memfd_flags;
extern const struct call_values call_values_memory_move_flags;
extern const struct call_values call_values_memory_policies;
extern const struct call_values call_values_memory_policy_flags;
extern const struct call_values call_values_memory_policy_queries;
extern const struct call_values call_values_mlock_flags;
extern const struct call_values call_values_mlockall_flags;
extern const struct call_values call_values_module_delete_flags;
extern const struct call_values call_values_module_init_flags;
extern const struct call_values call_values_mount_attributes;
extern const struct call_values call_values_mount_flags;
extern const struct call_values call_values_move_mount_flags;
extern const struct call_values call_values_mremap_flags;
extern const struct call_values call_values_msg_flags;
extern const struct call_values call_values_msync_flags;
extern const struct call_values call_values_namespaces;
extern const struct call_values call_values_open_flags;
extern const struct call_values call_values_open_tree_flags;
extern const struct call_values call_values_perf_open_flags;
extern const struct call_values call_values_pidfd_flags;
extern const struct call_values call_values_pkey_rights;
extern const struct call_values call_values_prctl_options;
extern const struct call_values call_values_priority_kinds;
extern const struct call_values call_values_prot;
extern const struct call_values call_values_ptrace_options;
extern const struct call_values call_values_ptrace_requests;
extern const struct call_values call_values_reboot_commands;
extern const struct call_values call_values_reboot_magics;
extern const struct call_values call_values_reboot_second_magics;
extern const struct call_values call_values_rename_flags;
extern const struct call_values call_values_rwf_flags;
extern const struct call_values call_values_sched_policies;
extern const struct call_values call_values_seccomp_flags;
extern const struct call_values call_values_seccomp_operations;
extern const struct call_values call_values_shutdown_ways;
extern const struct call_values call_values_signalfd_flags;
extern const struct call_values call_values_signals;
extern const struct call_values call_values_socket_flags;
extern const struct call_values call_values_socket_levels;
extern const struct call_values call_values_socket_types;
extern const struct call_values call_values_splice_flags;
extern const struct call_values call_values_stat_sync;
extern const struct call_values call_values_statx_flags;
extern const struct call_values call_values_statx_mask;
extern const struct call_values call_values_swap_flags;
extern const struct call_values call_values_sync_range_flags;
extern const struct call_values call_values_timer_flags;
extern const struct call_values call_values_timerfd_flags;
extern const struct call_values call_values_timerfd_settings;
extern const struct call_values call_values_umount_flags;
extern const struct call_values call_values_unshare_flags;
extern const struct call_values call_values_uring_enter_flags;
extern const struct call_values call_values_uring_operations;
extern const struct call_values call_values_usage_kinds;
extern const struct call_values call_values_userfaultfd_flags;
extern const struct call_values call_values_wait_kinds;
extern const struct call_values call_values_wait_options;
extern const struct call_values call_values_whence;
extern const struct call_values call_values_xattr_flags;

#endif /* SONDE_SCHEMA_CALL_VALUES_H */
