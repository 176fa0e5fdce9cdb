// SPDX-License-Identifier: BSD-2-Clause
#include "schema/option_values.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <linux/fs.h>
#include <linux/futex.h>
#include <linux/if_ether.h>
#include <linux/prctl.h>
#include <linux/seccomp.h>
#include <linux/securebits.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/ipc.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "schema/call_values.h"
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
	const struct call_values option_values_##SET = {SET, sizeof(SET) / sizeof(SET[0]), NULL}

static const struct field_label fd_flags[] = {
	L(FD_CLOEXEC),
};
VALUES(fd_flags);

static const struct field_label lease_types[] = {
	L(F_RDLCK),
	L(F_WRLCK),
	L(F_UNLCK),
};
VALUES(lease_types);

static const struct field_label notify_events[] = {
	L(DN_ACCESS), L(DN_MODIFY), L(DN_CREATE),    L(DN_DELETE),
	L(DN_RENAME), L(DN_ATTRIB), L(DN_MULTISHOT),
};
VALUES(notify_events);

static const struct field_label seals[] = {
	L(F_SEAL_SEAL),
	L(F_SEAL_SHRINK),
	L(F_SEAL_GROW),
	L(F_SEAL_WRITE),
	V(F_SEAL_FUTURE_WRITE, 0x10),
	V(F_SEAL_EXEC, 0x20),
};
VALUES(seals);

static const struct field_label status_flags[] = {
	L(O_RDONLY),
	L(O_WRONLY),
	L(O_RDWR),
	L(O_ACCMODE),
	L(O_TMPFILE),
	L(O_SYNC),
	V(__O_SYNC, 04000000),
	L(O_CREAT),
	L(O_EXCL),
	L(O_NOCTTY),
	L(O_TRUNC),
	L(O_APPEND),
	L(O_NONBLOCK),
	L(O_DSYNC),
	L(FASYNC),
	L(O_DIRECT),
	L(O_DIRECTORY),
	L(O_NOFOLLOW),
	L(O_NOATIME),
	L(O_CLOEXEC),
	L(O_PATH),
	V(O_LARGEFILE, CALL_VALUES_LARGEFILE),
};
VALUES(status_flags);

static const struct field_label dump_modes[] = {
	V(SUID_DUMP_DISABLE, 0),
	V(SUID_DUMP_USER, 1),
	V(SUID_DUMP_ROOT, 2),
};
VALUES(dump_modes);

static const struct field_label unalign_flags[] = {
	L(PR_UNALIGN_NOPRINT),
	L(PR_UNALIGN_SIGBUS),
};
VALUES(unalign_flags);

static const struct field_label seccomp_modes[] = {
	L(SECCOMP_MODE_DISABLED),
	L(SECCOMP_MODE_STRICT),
	L(SECCOMP_MODE_FILTER),
};
VALUES(seccomp_modes);

static const struct field_label capabilities[] = {
	L(CAP_CHOWN),
	L(CAP_DAC_OVERRIDE),
	L(CAP_DAC_READ_SEARCH),
	L(CAP_FOWNER),
	L(CAP_FSETID),
	L(CAP_KILL),
	L(CAP_SETGID),
	L(CAP_SETUID),
	L(CAP_SETPCAP),
	L(CAP_LINUX_IMMUTABLE),
	L(CAP_NET_BIND_SERVICE),
	L(CAP_NET_BROADCAST),
	L(CAP_NET_ADMIN),
	L(CAP_NET_RAW),
	L(CAP_IPC_LOCK),
	L(CAP_IPC_OWNER),
	L(CAP_SYS_MODULE),
	L(CAP_SYS_RAWIO),
	L(CAP_SYS_CHROOT),
	L(CAP_SYS_PTRACE),
	L(CAP_SYS_PACCT),
	L(CAP_SYS_ADMIN),
	L(CAP_SYS_BOOT),
	L(CAP_SYS_NICE),
	L(CAP_SYS_RESOURCE),
	L(CAP_SYS_TIME),
	L(CAP_SYS_TTY_CONFIG),
	L(CAP_MKNOD),
	L(CAP_LEASE),
	L(CAP_AUDIT_WRITE),
	L(CAP_AUDIT_CONTROL),
	L(CAP_SETFCAP),
	L(CAP_MAC_OVERRIDE),
	L(CAP_MAC_ADMIN),
	L(CAP_SYSLOG),
	L(CAP_WAKE_ALARM),
	L(CAP_BLOCK_SUSPEND),
	L(CAP_AUDIT_READ),
	L(CAP_PERFMON),
	L(CAP_BPF),
	L(CAP_CHECKPOINT_RESTORE),
};
VALUES(capabilities);

static const struct field_label tsc_modes[] = {
	L(PR_TSC_ENABLE),
	L(PR_TSC_SIGSEGV),
};
VALUES(tsc_modes);

static const struct field_label securebits[] = {
	L(SECBIT_NOROOT),
	L(SECBIT_NOROOT_LOCKED),
	L(SECBIT_NO_SETUID_FIXUP),
	L(SECBIT_NO_SETUID_FIXUP_LOCKED),
	L(SECBIT_KEEP_CAPS),
	L(SECBIT_KEEP_CAPS_LOCKED),
	L(SECBIT_NO_CAP_AMBIENT_RAISE),
	L(SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED),
};
VALUES(securebits);

static const struct field_label mce_kill_options[] = {
	L(PR_MCE_KILL_CLEAR),
	L(PR_MCE_KILL_SET),
};
VALUES(mce_kill_options);

static const struct field_label set_mm_options[] = {
	L(PR_SET_MM_START_CODE), L(PR_SET_MM_END_CODE),	   L(PR_SET_MM_START_DATA),
	L(PR_SET_MM_END_DATA),	 L(PR_SET_MM_START_STACK), L(PR_SET_MM_START_BRK),
	L(PR_SET_MM_BRK),	 L(PR_SET_MM_ARG_START),   L(PR_SET_MM_ARG_END),
	L(PR_SET_MM_ENV_START),	 L(PR_SET_MM_ENV_END),	   L(PR_SET_MM_AUXV),
	L(PR_SET_MM_EXE_FILE),	 L(PR_SET_MM_MAP),	   L(PR_SET_MM_MAP_SIZE),
};
VALUES(set_mm_options);

static const struct field_label fp_mode_flags[] = {
	L(PR_FP_MODE_FR),
	L(PR_FP_MODE_FRE),
};
VALUES(fp_mode_flags);

static const struct field_label ambient_options[] = {
	L(PR_CAP_AMBIENT_IS_SET),
	L(PR_CAP_AMBIENT_RAISE),
	L(PR_CAP_AMBIENT_LOWER),
	L(PR_CAP_AMBIENT_CLEAR_ALL),
};
VALUES(ambient_options);

static const struct field_label speculation_options[] = {
	L(PR_SPEC_STORE_BYPASS),
	L(PR_SPEC_INDIRECT_BRANCH),
	V(PR_SPEC_L1D_FLUSH, 2),
};
VALUES(speculation_options);

static const struct field_label speculation_states[] = {
	L(PR_SPEC_PRCTL),	  L(PR_SPEC_ENABLE),	     L(PR_SPEC_DISABLE),
	L(PR_SPEC_FORCE_DISABLE), L(PR_SPEC_DISABLE_NOEXEC),
};
VALUES(speculation_states);

static const struct field_label auth_keys[] = {
	L(PR_PAC_APIAKEY), L(PR_PAC_APIBKEY), L(PR_PAC_APDAKEY),
	L(PR_PAC_APDBKEY), L(PR_PAC_APGAKEY),
};
VALUES(auth_keys);

static const struct field_label dispatch_modes[] = {
	L(PR_SYS_DISPATCH_OFF),
	L(PR_SYS_DISPATCH_ON),
};
VALUES(dispatch_modes);

static const struct field_label core_options[] = {
	L(PR_SCHED_CORE_GET),
	L(PR_SCHED_CORE_CREATE),
	L(PR_SCHED_CORE_SHARE_TO),
	L(PR_SCHED_CORE_SHARE_FROM),
};
VALUES(core_options);

static const struct field_label pid_types[] = {
	V(PIDTYPE_PID, 0),
	V(PIDTYPE_TGID, 1),
	V(PIDTYPE_PGID, 2),
	V(PIDTYPE_SID, 3),
};
VALUES(pid_types);

static const struct field_label vma_options[] = {
	L(PR_SET_VMA_ANON_NAME),
};
VALUES(vma_options);

static const struct field_label so_options[] = {
	L(SO_DEBUG),
	L(SO_REUSEADDR),
	L(SO_TYPE),
	L(SO_ERROR),
	L(SO_DONTROUTE),
	L(SO_BROADCAST),
	L(SO_SNDBUF),
	L(SO_RCVBUF),
	L(SO_KEEPALIVE),
	L(SO_OOBINLINE),
	L(SO_NO_CHECK),
	L(SO_PRIORITY),
	L(SO_LINGER),
	L(SO_BSDCOMPAT),
	L(SO_REUSEPORT),
	L(SO_PASSCRED),
	L(SO_PEERCRED),
	L(SO_RCVLOWAT),
	L(SO_SNDLOWAT),
	V(SO_RCVTIMEO_OLD, 20),
	V(SO_SNDTIMEO_OLD, 21),
	L(SO_SECURITY_AUTHENTICATION),
	L(SO_SECURITY_ENCRYPTION_TRANSPORT),
	L(SO_SECURITY_ENCRYPTION_NETWORK),
	L(SO_BINDTODEVICE),
	L(SO_ATTACH_FILTER),
	L(SO_DETACH_FILTER),
	L(SO_PEERNAME),
	V(SO_TIMESTAMP_OLD, 29),
	L(SO_ACCEPTCONN),
	L(SO_PEERSEC),
	L(SO_SNDBUFFORCE),
	L(SO_RCVBUFFORCE),
	L(SO_PASSSEC),
	V(SO_TIMESTAMPNS_OLD, 35),
	L(SO_MARK),
	V(SO_TIMESTAMPING_OLD, 37),
	L(SO_PROTOCOL),
	L(SO_DOMAIN),
	L(SO_RXQ_OVFL),
	L(SO_WIFI_STATUS),
	L(SO_PEEK_OFF),
	L(SO_NOFCS),
	L(SO_LOCK_FILTER),
	L(SO_SELECT_ERR_QUEUE),
	L(SO_BUSY_POLL),
	L(SO_MAX_PACING_RATE),
	L(SO_BPF_EXTENSIONS),
	L(SO_INCOMING_CPU),
	L(SO_ATTACH_BPF),
	L(SO_ATTACH_REUSEPORT_CBPF),
	L(SO_ATTACH_REUSEPORT_EBPF),
	L(SO_CNX_ADVICE),
	V(SO_MEMINFO, 55),
	V(SO_INCOMING_NAPI_ID, 56),
	L(SO_COOKIE),
	V(SO_PEERGROUPS, 59),
	L(SO_ZEROCOPY),
	V(SO_TXTIME, 61),
	V(SO_BINDTOIFINDEX, 62),
	V(SO_TIMESTAMP_NEW, 63),
	V(SO_TIMESTAMPNS_NEW, 64),
	V(SO_TIMESTAMPING_NEW, 65),
	V(SO_RCVTIMEO_NEW, 66),
	V(SO_SNDTIMEO_NEW, 67),
	V(SO_DETACH_REUSEPORT_BPF, 68),
	V(SO_PREFER_BUSY_POLL, 69),
	V(SO_BUSY_POLL_BUDGET, 70),
	V(SO_NETNS_COOKIE, 71),
	V(SO_BUF_LOCK, 72),
	V(SO_RESERVE_MEM, 73),
	V(SO_TXREHASH, 74),
	V(SO_RCVMARK, 75),
};
VALUES(so_options);

static const struct field_label ip_options[] = {
	L(IP_TOS),
	L(IP_TTL),
	L(IP_HDRINCL),
	L(IP_OPTIONS),
	L(IP_ROUTER_ALERT),
	L(IP_RECVOPTS),
	L(IP_RETOPTS),
	L(IP_PKTINFO),
	L(IP_PKTOPTIONS),
	L(IP_MTU_DISCOVER),
	L(IP_RECVERR),
	L(IP_RECVTTL),
	L(IP_RECVTOS),
	L(IP_MTU),
	L(IP_FREEBIND),
	L(IP_IPSEC_POLICY),
	L(IP_XFRM_POLICY),
	L(IP_PASSSEC),
	L(IP_TRANSPARENT),
	L(IP_ORIGDSTADDR),
	L(IP_MINTTL),
	L(IP_NODEFRAG),
	L(IP_CHECKSUM),
	L(IP_BIND_ADDRESS_NO_PORT),
	L(IP_RECVFRAGSIZE),
	V(IP_RECVERR_RFC4884, 26),
	L(IP_MULTICAST_IF),
	L(IP_MULTICAST_TTL),
	L(IP_MULTICAST_LOOP),
	L(IP_ADD_MEMBERSHIP),
	L(IP_DROP_MEMBERSHIP),
	L(IP_UNBLOCK_SOURCE),
	L(IP_BLOCK_SOURCE),
	L(IP_ADD_SOURCE_MEMBERSHIP),
	L(IP_DROP_SOURCE_MEMBERSHIP),
	L(IP_MSFILTER),
	L(MCAST_JOIN_GROUP),
	L(MCAST_BLOCK_SOURCE),
	L(MCAST_UNBLOCK_SOURCE),
	L(MCAST_LEAVE_GROUP),
	L(MCAST_JOIN_SOURCE_GROUP),
	L(MCAST_LEAVE_SOURCE_GROUP),
	L(MCAST_MSFILTER),
	L(IP_MULTICAST_ALL),
	L(IP_UNICAST_IF),
};
VALUES(ip_options);

static const struct field_label ip_set_options[] = {
	V(IPT_SO_SET_REPLACE, 64),
	V(IPT_SO_SET_ADD_COUNTERS, 65),
};
VALUES(ip_set_options);

static const struct field_label ip_get_options[] = {
	V(IPT_SO_GET_INFO, 64),
	V(IPT_SO_GET_ENTRIES, 65),
	V(IPT_SO_GET_REVISION_MATCH, 66),
	V(IPT_SO_GET_REVISION_TARGET, 67),
};
VALUES(ip_get_options);

static const struct field_label ipv6_set_options[] = {
	V(IP6T_SO_SET_REPLACE, 64),
	V(IP6T_SO_SET_ADD_COUNTERS, 65),
};
VALUES(ipv6_set_options);

static const struct field_label ipv6_get_options[] = {
	V(IP6T_SO_GET_INFO, 64),
	V(IP6T_SO_GET_ENTRIES, 65),
	V(IP6T_SO_GET_REVISION_MATCH, 68),
	V(IP6T_SO_GET_REVISION_TARGET, 69),
};
VALUES(ipv6_get_options);

static const struct field_label fanotify_directories[] = {
	V(FAN_NOFD, -1),
	V(AT_FDCWD, -100),
};
VALUES(fanotify_directories);

static const struct field_label so_get_options[] = {
	V(SO_GET_FILTER, 26),
};
VALUES(so_get_options);

static const struct field_label so_set_options[] = {
	V(SO_ATTACH_FILTER, 26),
};
VALUES(so_set_options);

static const struct field_label personalities[] = {
	V(PER_LINUX, 0),
	V(PER_LINUX32, 8),
	V(PER_BSD, 6),
};
VALUES(personalities);

static const struct field_label perf_ioctl_flags[] = {
	V(PERF_IOC_FLAG_GROUP, 1),
};
VALUES(perf_ioctl_flags);

static const struct field_label directories[] = {
	V(AT_FDCWD, -100),
};
VALUES(directories);

static const struct field_label futex_masks[] = {
	V(FUTEX_BITSET_MATCH_ANY, 0xffffffff),
};
VALUES(futex_masks);

static const struct field_label map_types[] = {
	V(MAP_FILE, 0),
	V(MAP_SHARED, 1),
	V(MAP_PRIVATE, 2),
	V(MAP_SHARED_VALIDATE, 3),
};
VALUES(map_types);

static const struct field_label tcp_options[] = {
	L(TCP_NODELAY),
	L(TCP_MAXSEG),
	L(TCP_CORK),
	L(TCP_KEEPIDLE),
	L(TCP_KEEPINTVL),
	L(TCP_KEEPCNT),
	L(TCP_SYNCNT),
	L(TCP_LINGER2),
	L(TCP_DEFER_ACCEPT),
	L(TCP_WINDOW_CLAMP),
	L(TCP_INFO),
	L(TCP_QUICKACK),
	L(TCP_CONGESTION),
	L(TCP_MD5SIG),
	V(TCP_COOKIE_TRANSACTIONS, 15),
	L(TCP_THIN_LINEAR_TIMEOUTS),
	L(TCP_THIN_DUPACK),
	L(TCP_USER_TIMEOUT),
	L(TCP_REPAIR),
	L(TCP_REPAIR_QUEUE),
	L(TCP_QUEUE_SEQ),
	L(TCP_REPAIR_OPTIONS),
	L(TCP_FASTOPEN),
	L(TCP_TIMESTAMP),
	L(TCP_NOTSENT_LOWAT),
	L(TCP_CC_INFO),
	L(TCP_SAVE_SYN),
	L(TCP_SAVED_SYN),
	L(TCP_REPAIR_WINDOW),
	L(TCP_FASTOPEN_CONNECT),
	L(TCP_ULP),
	L(TCP_MD5SIG_EXT),
	L(TCP_FASTOPEN_KEY),
	L(TCP_FASTOPEN_NO_COOKIE),
	L(TCP_ZEROCOPY_RECEIVE),
	L(TCP_INQ),
	L(TCP_TX_DELAY),
};
VALUES(tcp_options);

static const struct field_label udp_options[] = {
	V(UDP_CORK, 1),		  V(UDP_ENCAP, 100),   V(UDP_NO_CHECK6_TX, 101),
	V(UDP_NO_CHECK6_RX, 102), V(UDP_SEGMENT, 103), V(UDP_GRO, 104),
};
VALUES(udp_options);

static const struct field_label ipv6_options[] = {
	L(IPV6_ADDRFORM),
	L(IPV6_2292PKTINFO),
	L(IPV6_2292HOPOPTS),
	L(IPV6_2292DSTOPTS),
	L(IPV6_2292RTHDR),
	L(IPV6_2292PKTOPTIONS),
	L(IPV6_CHECKSUM),
	L(IPV6_2292HOPLIMIT),
	L(IPV6_NEXTHOP),
	L(IPV6_AUTHHDR),
	V(IPV6_FLOWINFO, 11),
	L(IPV6_UNICAST_HOPS),
	L(IPV6_MULTICAST_IF),
	L(IPV6_MULTICAST_HOPS),
	L(IPV6_MULTICAST_LOOP),
	V(IPV6_ADD_MEMBERSHIP, 20),
	V(IPV6_DROP_MEMBERSHIP, 21),
	L(IPV6_ROUTER_ALERT),
	L(IPV6_MTU_DISCOVER),
	L(IPV6_MTU),
	L(IPV6_RECVERR),
	L(IPV6_V6ONLY),
	L(IPV6_JOIN_ANYCAST),
	L(IPV6_LEAVE_ANYCAST),
	V(IPV6_MULTICAST_ALL, 29),
	V(IPV6_ROUTER_ALERT_ISOLATE, 30),
	V(IPV6_RECVERR_RFC4884, 31),
	V(IPV6_FLOWLABEL_MGR, 32),
	V(IPV6_FLOWINFO_SEND, 33),
	L(IPV6_IPSEC_POLICY),
	L(IPV6_XFRM_POLICY),
	L(IPV6_HDRINCL),
	L(MCAST_JOIN_GROUP),
	L(MCAST_BLOCK_SOURCE),
	L(MCAST_UNBLOCK_SOURCE),
	L(MCAST_LEAVE_GROUP),
	L(MCAST_JOIN_SOURCE_GROUP),
	L(MCAST_LEAVE_SOURCE_GROUP),
	L(MCAST_MSFILTER),
	L(IPV6_RECVPKTINFO),
	L(IPV6_PKTINFO),
	L(IPV6_RECVHOPLIMIT),
	L(IPV6_HOPLIMIT),
	L(IPV6_RECVHOPOPTS),
	L(IPV6_HOPOPTS),
	L(IPV6_RTHDRDSTOPTS),
	L(IPV6_RECVRTHDR),
	L(IPV6_RTHDR),
	L(IPV6_RECVDSTOPTS),
	L(IPV6_DSTOPTS),
	L(IPV6_RECVPATHMTU),
	L(IPV6_PATHMTU),
	L(IPV6_DONTFRAG),
	V(IPV6_USE_MIN_MTU, 63),
	L(IPV6_RECVTCLASS),
	L(IPV6_TCLASS),
	L(IPV6_AUTOFLOWLABEL),
	L(IPV6_ADDR_PREFERENCES),
	L(IPV6_MINHOPCOUNT),
	L(IPV6_ORIGDSTADDR),
	L(IPV6_TRANSPARENT),
	L(IPV6_UNICAST_IF),
	L(IPV6_RECVFRAGSIZE),
	L(IPV6_FREEBIND),
};
VALUES(ipv6_options);

static const struct field_label raw_options[] = {
	V(ICMP_FILTER, 1),
};
VALUES(raw_options);

static const struct field_label packet_options[] = {
	V(PACKET_ADD_MEMBERSHIP, 1), V(PACKET_DROP_MEMBERSHIP, 2),
	V(PACKET_RECV_OUTPUT, 3),    V(PACKET_RX_RING, 5),
	V(PACKET_STATISTICS, 6),     V(PACKET_COPY_THRESH, 7),
	V(PACKET_AUXDATA, 8),	     V(PACKET_ORIGDEV, 9),
	V(PACKET_VERSION, 10),	     V(PACKET_HDRLEN, 11),
	V(PACKET_RESERVE, 12),	     V(PACKET_TX_RING, 13),
	V(PACKET_LOSS, 14),	     V(PACKET_VNET_HDR, 15),
	V(PACKET_TX_TIMESTAMP, 16),  V(PACKET_TIMESTAMP, 17),
	V(PACKET_FANOUT, 18),	     V(PACKET_TX_HAS_OFF, 19),
	V(PACKET_QDISC_BYPASS, 20),  V(PACKET_ROLLOVER_STATS, 21),
	V(PACKET_FANOUT_DATA, 22),   V(PACKET_IGNORE_OUTGOING, 23),
};
VALUES(packet_options);

static const struct field_label netlink_options[] = {
	V(NETLINK_ADD_MEMBERSHIP, 1),	V(NETLINK_DROP_MEMBERSHIP, 2),
	V(NETLINK_PKTINFO, 3),		V(NETLINK_BROADCAST_ERROR, 4),
	V(NETLINK_NO_ENOBUFS, 5),	V(NETLINK_RX_RING, 6),
	V(NETLINK_TX_RING, 7),		V(NETLINK_LISTEN_ALL_NSID, 8),
	V(NETLINK_LIST_MEMBERSHIPS, 9), V(NETLINK_CAP_ACK, 10),
	V(NETLINK_EXT_ACK, 11),		V(NETLINK_GET_STRICT_CHK, 12),
};
VALUES(netlink_options);

static const struct field_label sctp_options[] = {
	V(SCTP_RTOINFO, 0),
	V(SCTP_ASSOCINFO, 1),
	V(SCTP_INITMSG, 2),
	V(SCTP_NODELAY, 3),
	V(SCTP_AUTOCLOSE, 4),
	V(SCTP_SET_PEER_PRIMARY_ADDR, 5),
	V(SCTP_PRIMARY_ADDR, 6),
	V(SCTP_ADAPTATION_LAYER, 7),
	V(SCTP_DISABLE_FRAGMENTS, 8),
	V(SCTP_PEER_ADDR_PARAMS, 9),
	V(SCTP_DEFAULT_SEND_PARAM, 10),
	V(SCTP_EVENTS, 11),
	V(SCTP_I_WANT_MAPPED_V4_ADDR, 12),
	V(SCTP_MAXSEG, 13),
	V(SCTP_STATUS, 14),
	V(SCTP_GET_PEER_ADDR_INFO, 15),
	V(SCTP_DELAYED_SACK, 16),
	V(SCTP_CONTEXT, 17),
	V(SCTP_FRAGMENT_INTERLEAVE, 18),
	V(SCTP_PARTIAL_DELIVERY_POINT, 19),
	V(SCTP_MAX_BURST, 20),
	V(SCTP_AUTH_CHUNK, 21),
	V(SCTP_HMAC_IDENT, 22),
	V(SCTP_AUTH_KEY, 23),
	V(SCTP_AUTH_ACTIVE_KEY, 24),
	V(SCTP_AUTH_DELETE_KEY, 25),
	V(SCTP_PEER_AUTH_CHUNKS, 26),
	V(SCTP_LOCAL_AUTH_CHUNKS, 27),
	V(SCTP_GET_ASSOC_NUMBER, 28),
	V(SCTP_GET_ASSOC_ID_LIST, 29),
	V(SCTP_AUTO_ASCONF, 30),
	V(SCTP_PEER_ADDR_THLDS, 31),
	V(SCTP_RECVRCVINFO, 32),
	V(SCTP_RECVNXTINFO, 33),
	V(SCTP_DEFAULT_SNDINFO, 34),
	V(SCTP_AUTH_DEACTIVATE_KEY, 35),
	V(SCTP_REUSE_PORT, 36),
	V(SCTP_PEER_ADDR_THLDS_V2, 37),
};
VALUES(sctp_options);

static const struct field_label alg_options[] = {
	V(ALG_SET_KEY, 1),
	V(ALG_SET_IV, 2),
	V(ALG_SET_OP, 3),
	V(ALG_SET_AEAD_ASSOCLEN, 4),
	V(ALG_SET_AEAD_AUTHSIZE, 5),
	V(ALG_SET_DRBG_ENTROPY, 6),
};
VALUES(alg_options);

static const struct field_label vsock_options[] = {
	V(SO_VM_SOCKETS_BUFFER_SIZE, 0),
	V(SO_VM_SOCKETS_BUFFER_MIN_SIZE, 1),
	V(SO_VM_SOCKETS_BUFFER_MAX_SIZE, 2),
};
VALUES(vsock_options);

static const struct field_label ip_protocols[] = {
	V(IPPROTO_IP, 0),	 V(IPPROTO_ICMP, 1),	V(IPPROTO_IGMP, 2),
	V(IPPROTO_IPIP, 4),	 V(IPPROTO_TCP, 6),	V(IPPROTO_EGP, 8),
	V(IPPROTO_PUP, 12),	 V(IPPROTO_UDP, 17),	V(IPPROTO_IDP, 22),
	V(IPPROTO_TP, 29),	 V(IPPROTO_DCCP, 33),	V(IPPROTO_IPV6, 41),
	V(IPPROTO_RSVP, 46),	 V(IPPROTO_GRE, 47),	V(IPPROTO_ESP, 50),
	V(IPPROTO_AH, 51),	 V(IPPROTO_ICMPV6, 58), V(IPPROTO_MTP, 92),
	V(IPPROTO_BEETPH, 94),	 V(IPPROTO_ENCAP, 98),	V(IPPROTO_PIM, 103),
	V(IPPROTO_COMP, 108),	 V(IPPROTO_L2TP, 115),	V(IPPROTO_SCTP, 132),
	V(IPPROTO_UDPLITE, 136), V(IPPROTO_MPLS, 137),	V(IPPROTO_ETHERNET, 143),
	V(IPPROTO_RAW, 255),	 V(IPPROTO_MPTCP, 262),
};
VALUES(ip_protocols);

static const struct field_label netlink_protocols[] = {
	V(NETLINK_ROUTE, 0),	   V(NETLINK_UNUSED, 1),
	V(NETLINK_USERSOCK, 2),	   V(NETLINK_FIREWALL, 3),
	V(NETLINK_SOCK_DIAG, 4),   V(NETLINK_NFLOG, 5),
	V(NETLINK_XFRM, 6),	   V(NETLINK_SELINUX, 7),
	V(NETLINK_ISCSI, 8),	   V(NETLINK_AUDIT, 9),
	V(NETLINK_FIB_LOOKUP, 10), V(NETLINK_CONNECTOR, 11),
	V(NETLINK_NETFILTER, 12),  V(NETLINK_IP6_FW, 13),
	V(NETLINK_DNRTMSG, 14),	   V(NETLINK_KOBJECT_UEVENT, 15),
	V(NETLINK_GENERIC, 16),	   V(NETLINK_SCSITRANSPORT, 18),
	V(NETLINK_ECRYPTFS, 19),   V(NETLINK_RDMA, 20),
	V(NETLINK_CRYPTO, 21),	   V(NETLINK_SMC, 22),
};
VALUES(netlink_protocols);

static const struct field_label ethernet_protocols[] = {
	L(ETH_P_LOOP),	     L(ETH_P_PUP),	 L(ETH_P_PUPAT),     L(ETH_P_TSN),
	L(ETH_P_ERSPAN2),    L(ETH_P_IP),	 L(ETH_P_X25),	     L(ETH_P_ARP),
	L(ETH_P_BPQ),	     L(ETH_P_IEEEPUP),	 L(ETH_P_IEEEPUPAT), L(ETH_P_BATMAN),
	L(ETH_P_DEC),	     L(ETH_P_DNA_DL),	 L(ETH_P_DNA_RC),    L(ETH_P_DNA_RT),
	L(ETH_P_LAT),	     L(ETH_P_DIAG),	 L(ETH_P_CUST),	     L(ETH_P_SCA),
	L(ETH_P_TEB),	     L(ETH_P_RARP),	 L(ETH_P_ATALK),     L(ETH_P_AARP),
	L(ETH_P_8021Q),	     L(ETH_P_ERSPAN),	 L(ETH_P_IPX),	     L(ETH_P_IPV6),
	L(ETH_P_PAUSE),	     L(ETH_P_SLOW),	 L(ETH_P_WCCP),	     L(ETH_P_MPLS_UC),
	L(ETH_P_MPLS_MC),    L(ETH_P_ATMMPOA),	 L(ETH_P_PPP_DISC),  L(ETH_P_PPP_SES),
	L(ETH_P_LINK_CTL),   L(ETH_P_ATMFATE),	 L(ETH_P_PAE),	     L(ETH_P_AOE),
	L(ETH_P_8021AD),     L(ETH_P_802_EX1),	 L(ETH_P_TIPC),	     L(ETH_P_LLDP),
	L(ETH_P_MACSEC),     L(ETH_P_8021AH),	 L(ETH_P_MVRP),	     L(ETH_P_1588),
	L(ETH_P_NCSI),	     L(ETH_P_PRP),	 L(ETH_P_FCOE),	     L(ETH_P_TDLS),
	L(ETH_P_FIP),	     L(ETH_P_80221),	 L(ETH_P_HSR),	     L(ETH_P_LOOPBACK),
	L(ETH_P_QINQ1),	     L(ETH_P_QINQ2),	 L(ETH_P_QINQ3),     L(ETH_P_EDSA),
	L(ETH_P_AF_IUCV),    L(ETH_P_802_3_MIN), L(ETH_P_802_3),     L(ETH_P_AX25),
	L(ETH_P_ALL),	     L(ETH_P_802_2),	 L(ETH_P_SNAP),	     L(ETH_P_DDCMP),
	L(ETH_P_WAN_PPP),    L(ETH_P_PPP_MP),	 L(ETH_P_LOCALTALK), L(ETH_P_CAN),
	L(ETH_P_CANFD),	     L(ETH_P_PPPTALK),	 L(ETH_P_TR_802_2),  L(ETH_P_MOBITEX),
	L(ETH_P_CONTROL),    L(ETH_P_IRDA),	 L(ETH_P_ECONET),    L(ETH_P_HDLC),
	L(ETH_P_ARCNET),     L(ETH_P_DSA),	 L(ETH_P_TRAILER),   L(ETH_P_PHONET),
	L(ETH_P_IEEE802154), L(ETH_P_CAIF),	 L(ETH_P_XDSA),
};
VALUES(ethernet_protocols);

static const struct field_label bluetooth_protocols[] = {
	V(BTPROTO_L2CAP, 0), V(BTPROTO_HCI, 1),	 V(BTPROTO_SCO, 2),  V(BTPROTO_RFCOMM, 3),
	V(BTPROTO_BNEP, 4),  V(BTPROTO_CMTP, 5), V(BTPROTO_HIDP, 6), V(BTPROTO_AVDTP, 7),
};
VALUES(bluetooth_protocols);

static const struct field_label can_protocols[] = {
	V(CAN_RAW, 1),	 V(CAN_BCM, 2),	  V(CAN_TP16, 3),  V(CAN_TP20, 4),
	V(CAN_MCNET, 5), V(CAN_ISOTP, 6), V(CAN_J1939, 7),
};
VALUES(can_protocols);

static const struct field_label futex_commands[] = {
	L(FUTEX_WAIT),		 L(FUTEX_WAKE),		L(FUTEX_FD),
	L(FUTEX_REQUEUE),	 L(FUTEX_CMP_REQUEUE),	L(FUTEX_WAKE_OP),
	L(FUTEX_LOCK_PI),	 L(FUTEX_UNLOCK_PI),	L(FUTEX_TRYLOCK_PI),
	L(FUTEX_WAIT_BITSET),	 L(FUTEX_WAKE_BITSET),	L(FUTEX_WAIT_REQUEUE_PI),
	L(FUTEX_CMP_REQUEUE_PI), V(FUTEX_LOCK_PI2, 13),
};
VALUES(futex_commands);

static const struct field_label sock_types[] = {
	{0, 0, "0"}, L(SOCK_STREAM),	L(SOCK_DGRAM), L(SOCK_RAW),
	L(SOCK_RDM), L(SOCK_SEQPACKET), L(SOCK_DCCP),  L(SOCK_PACKET),
};
VALUES(sock_types);

static const struct field_label shm_commands[] = {
	L(IPC_RMID),	   L(IPC_SET),	    L(IPC_STAT),     L(IPC_INFO),	  V(SHM_LOCK, 11),
	V(SHM_UNLOCK, 12), V(SHM_STAT, 13), V(SHM_INFO, 14), V(SHM_STAT_ANY, 15),
};
VALUES(shm_commands);

static const struct field_label sem_commands[] = {
	L(IPC_RMID),   L(IPC_SET),	L(IPC_STAT),	 L(IPC_INFO),	      V(GETPID, 11),
	V(GETVAL, 12), V(GETALL, 13),	V(GETNCNT, 14),	 V(GETZCNT, 15),      V(SETVAL, 16),
	V(SETALL, 17), V(SEM_STAT, 18), V(SEM_INFO, 19), V(SEM_STAT_ANY, 20),
};
VALUES(sem_commands);

static const struct field_label msg_commands[] = {
	L(IPC_RMID),	 L(IPC_SET),	  L(IPC_STAT),	       L(IPC_INFO),
	V(MSG_STAT, 11), V(MSG_INFO, 12), V(MSG_STAT_ANY, 13),
};
VALUES(msg_commands);

static const struct field_label shm_get_flags[] = {
	L(IPC_CREAT),
	L(IPC_EXCL),
	V(SHM_HUGETLB, 04000),
	V(SHM_NORESERVE, 010000),
};
VALUES(shm_get_flags);

static const struct field_label ipc_get_flags[] = {
	L(IPC_CREAT),
	L(IPC_EXCL),
	L(IPC_NOWAIT),
};
VALUES(ipc_get_flags);

static const struct field_label shm_attach_flags[] = {
	V(SHM_RDONLY, 010000),
	V(SHM_RND, 020000),
	V(SHM_REMAP, 040000),
	V(SHM_EXEC, 0100000),
};
VALUES(shm_attach_flags);

static const struct field_label msg_operation_flags[] = {
	V(MSG_NOERROR, 010000),
	V(MSG_EXCEPT, 020000),
	V(MSG_COPY, 040000),
	V(IPC_NOWAIT, 04000),
};
VALUES(msg_operation_flags);

static const struct field_label quota_commands[] = {
	V(Q_SYNC, 0x800001),	 V(Q_QUOTAON, 0x800002),  V(Q_QUOTAOFF, 0x800003),
	V(Q_GETFMT, 0x800004),	 V(Q_GETINFO, 0x800005),  V(Q_SETINFO, 0x800006),
	V(Q_GETQUOTA, 0x800007), V(Q_SETQUOTA, 0x800008), V(Q_GETNEXTQUOTA, 0x800009),
	V(Q_XQUOTAON, 0x5801),	 V(Q_XQUOTAOFF, 0x5802),  V(Q_XGETQUOTA, 0x5803),
	V(Q_XSETQLIM, 0x5804),	 V(Q_XGETQSTAT, 0x5805),  V(Q_XQUOTARM, 0x5806),
	V(Q_XQUOTASYNC, 0x5807), V(Q_XGETQSTATV, 0x5808), V(Q_XGETNEXTQUOTA, 0x5809),
};
VALUES(quota_commands);

static const struct field_label quota_types[] = {
	V(USRQUOTA, 0),
	V(GRPQUOTA, 1),
	V(PRJQUOTA, 2),
};
VALUES(quota_types);

static const struct field_label quota_formats[] = {
	V(QFMT_VFS_OLD, 1),
	V(QFMT_VFS_V0, 2),
	V(QFMT_OCFS2, 3),
	V(QFMT_VFS_V1, 4),
};
VALUES(quota_formats);

static const struct field_label file_types[] = {
	L(S_IFSOCK), L(S_IFLNK), L(S_IFREG), L(S_IFBLK), L(S_IFDIR), L(S_IFCHR), L(S_IFIFO),
};
VALUES(file_types);

static const struct field_label key_serials[] = {
	V(KEY_SPEC_THREAD_KEYRING, -1),	      V(KEY_SPEC_PROCESS_KEYRING, -2),
	V(KEY_SPEC_SESSION_KEYRING, -3),      V(KEY_SPEC_USER_KEYRING, -4),
	V(KEY_SPEC_USER_SESSION_KEYRING, -5), V(KEY_SPEC_GROUP_KEYRING, -6),
	V(KEY_SPEC_REQKEY_AUTH_KEY, -7),      V(KEY_SPEC_REQUESTOR_KEYRING, -8),
};
VALUES(key_serials);

static const struct field_label key_permissions[] = {
	V(KEY_POS_VIEW, 0x1000000),   V(KEY_POS_READ, 0x2000000),  V(KEY_POS_WRITE, 0x4000000),
	V(KEY_POS_SEARCH, 0x8000000), V(KEY_POS_LINK, 0x10000000), V(KEY_POS_SETATTR, 0x20000000),
	V(KEY_USR_VIEW, 0x10000),     V(KEY_USR_READ, 0x20000),	   V(KEY_USR_WRITE, 0x40000),
	V(KEY_USR_SEARCH, 0x80000),   V(KEY_USR_LINK, 0x100000),   V(KEY_USR_SETATTR, 0x200000),
	V(KEY_GRP_VIEW, 0x100),	      V(KEY_GRP_READ, 0x200),	   V(KEY_GRP_WRITE, 0x400),
	V(KEY_GRP_SEARCH, 0x800),     V(KEY_GRP_LINK, 0x1000),	   V(KEY_GRP_SETATTR, 0x2000),
	V(KEY_OTH_VIEW, 0x1),	      V(KEY_OTH_READ, 0x2),	   V(KEY_OTH_WRITE, 0x4),
	V(KEY_OTH_SEARCH, 0x8),	      V(KEY_OTH_LINK, 0x10),	   V(KEY_OTH_SETATTR, 0x20),
};
VALUES(key_permissions);

static const struct field_label key_move_flags[] = {
	V(KEYCTL_MOVE_EXCL, 1),
};
VALUES(key_move_flags);

static const struct field_label io_priority_classes[] = {
	V(IOPRIO_CLASS_NONE, 0),
	V(IOPRIO_CLASS_RT, 1),
	V(IOPRIO_CLASS_BE, 2),
	V(IOPRIO_CLASS_IDLE, 3),
};
VALUES(io_priority_classes);
