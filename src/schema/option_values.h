/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * option_values: names of the values of arguments whose meaning another argument decides: the options of a socket by
 * their level, what fcntl(2) and prctl(2) take by their command. Used by schema/call_meaning.
 *
 * They are in no trace, as a field has one meaning there: readers know them.
 */
#ifndef SONDE_SCHEMA_OPTION_VALUES_H
#define SONDE_SCHEMA_OPTION_VALUES_H

struct call_values;

extern const struct call_values option_values_alg_options;
extern const struct call_values option_values_ambient_options;
extern const struct call_values option_values_auth_keys;
extern const struct call_values option_values_bluetooth_protocols;
extern const struct call_values option_values_can_protocols;
extern const struct call_values option_values_capabilities;
extern const struct call_values option_values_core_options;
extern const struct call_values option_values_directories;
extern const struct call_values option_values_dispatch_modes;
extern const struct call_values option_values_dump_modes;
extern const struct call_values option_values_ethernet_protocols;
extern const struct call_values option_values_fanotify_directories;
extern const struct call_values option_values_fd_flags;
extern const struct call_values option_values_file_types;
extern const struct call_values option_values_fp_mode_flags;
extern const struct call_values option_values_futex_commands;
extern const struct call_values option_values_futex_masks;
extern const struct call_values option_values_io_priority_classes;
extern const struct call_values option_values_ip_get_options;
extern const struct call_values option_values_ip_options;
extern const struct call_values option_values_ip_protocols;
extern const struct call_values option_values_ip_set_options;
extern const struct call_values option_values_ipc_get_flags;
extern const struct call_values option_values_ipv6_get_options;
extern const struct call_values option_values_ipv6_options;
extern const struct call_values option_values_ipv6_set_options;
extern const struct call_values option_values_key_move_flags;
extern const struct call_values option_values_key_permissions;
extern const struct call_values option_values_key_serials;
extern const struct call_values option_values_lease_types;
extern const struct call_values option_values_map_types;
extern const struct call_values option_values_mce_kill_options;
extern const struct call_values option_values_msg_commands;
extern const struct call_values option_values_msg_operation_flags;
extern const struct call_values option_values_netlink_options;
extern const struct call_values option_values_netlink_protocols;
extern const struct call_values option_values_notify_events;
extern const struct call_values option_values_packet_options;
extern const struct call_values option_values_perf_ioctl_flags;
extern const struct call_values option_values_personalities;
extern const struct call_values option_values_pid_types;
extern const struct call_values option_values_quota_commands;
extern const struct call_values option_values_quota_formats;
extern const struct call_values option_values_quota_types;
extern const struct call_values option_values_raw_options;
extern const struct call_values option_values_sctp_options;
extern const struct call_values option_values_seals;
extern const struct call_values option_values_seccomp_modes;
extern const struct call_values option_values_securebits;
extern const struct call_values option_values_sem_commands;
extern const struct call_values option_values_set_mm_options;
extern const struct call_values option_values_shm_attach_flags;
extern const struct call_values option_values_shm_commands;
extern const struct call_values option_values_shm_get_flags;
extern const struct call_values option_values_so_get_options;
extern const struct call_values option_values_so_options;
extern const struct call_values option_values_so_set_options;
extern const struct call_values option_values_sock_types;
extern const struct call_values option_values_speculation_options;
extern const struct call_values option_values_speculation_states;
extern const struct call_values option_values_status_flags;
extern const struct call_values option_values_tcp_options;
extern const struct call_values option_values_tsc_modes;
extern const struct call_values option_values_udp_options;
extern const struct call_values option_values_unalign_flags;
extern const struct call_values option_values_vma_options;
extern const struct call_values option_values_vsock_options;

#endif /* SONDE_SCHEMA_OPTION_VALUES_H */
