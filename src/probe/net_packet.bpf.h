/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * net_packet.bpf: a packet's headers, read where they lie in memory, whichever layer holds it.
 */
#ifndef SONDE_PROBE_NET_PACKET_BPF_H
#define SONDE_PROBE_NET_PACKET_BPF_H

#include <stdbool.h>

#include <linux/types.h>

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#include "probe/cast.bpf.h"
#include "probe/filter.bpf.h"
#include "probe/measure.bpf.h"
#include "probe/socket.bpf.h"

#define ETH_P_IP 0x0800 /* include/uapi/linux/if_ether.h */
#define ETH_P_IPV6 0x86dd
#define HEADER_UNSET 0xffff /* of an offset in sk_buff */
#define IPV4_FRAGMENT_OFFSET 0x1fff
#define EXTENSIONS_MAX 4 /* IPv6 extension headers that are walked */
#define EXTENSION_FRAGMENT 44

enum ip_protocol {
	PROTOCOL_NONE = 0,
	PROTOCOL_ICMP = 1,
	PROTOCOL_IGMP = 2,
	PROTOCOL_TCP = 6,
	PROTOCOL_UDP = 17,
	PROTOCOL_GRE = 47,
	PROTOCOL_ESP = 50,
	PROTOCOL_ICMPV6 = 58,
	PROTOCOL_SCTP = 132,
	PROTOCOL_UDPLITE = 136,
} __attribute__((packed));

/* Whether a filter compares the addresses of packets: its own, or those of wanted flows. */
static __always_inline bool addresses_asked(void)
{
	return cfg_filter.address_count || filter_by_owner();
}

/* What headers tell. A constant to the compiler is what no record asks for: it is not read. */
struct packet {
	__u64 source[2]; /* 16 bytes, IPv4 mapped into IPv6; only where a filter or the record asks */
	__u64 dest[2];
	__u32 seq;
	__u16 ip_id;
	__u16 sport;
	__u16 dport;
	__u16 frag_off;
	__u16 headers; /* bytes of IP's headers: behind them transport begins */
	__u8 protocol;
	__u8 family; /* 0: no IP */
	__u8 tos;
	__u8 ttl;
	__u8 flags;
};

struct ipv4_header {
	__u8 version_length; /* version << 4 | 32-bit words */
	__u8 tos;
	__be16 length;
	__be16 id;
	__be16 frag_off;
	__u8 ttl;
	__u8 protocol;
	__be16 check;
	__be32 source;
	__be32 dest;
};
struct ipv6_header {
	__be32 version_class_label;
	__be16 length;
	__u8 next;
	__u8 hop_limit;
	__u64 source[2];
	__u64 dest[2];
};
/* Of UDP and others that begin alike, only the ports mean something. */
struct transport_header {
	__be16 sport;
	__be16 dport;
	__be32 seq;
	__be32 ack;
	__u8 length;
	__u8 flags;
	__be16 window;
};
struct tcp_header {
	struct transport_header transport;
	__be16 check;
	__be16 urgent;
};
#define TRANSPORT_BYTES (cfg_detail ? sizeof(struct transport_header) : 8)

/*
 * A packet's memory, as words of the sizes that struct seccomp_data has (include/uapi/linux/seccomp.h):
 * any type of the kernel's would do that begins with words and is as long as two headers.
 */
struct words {
	__u32 w0;
	__u32 w4;
	__u64 w8;
	__u64 w16;
	__u64 w24;
	__u64 w32;
	__u64 w40;
	__u64 w48;
	__u64 w56;
};

/* What the verifier lets us read as we read a structure: a load that finds nothing mapped gives 0,
 * while bpf_probe_read_kernel takes 30 ns. */
static __always_inline const struct words *words_at(const void *at)
{
	return cast_to(at, CAST_WORDS_MARK);
}

static __always_inline bool has_ports(__u8 protocol)
{
	return protocol == PROTOCOL_TCP || protocol == PROTOCOL_UDP ||
	       protocol == PROTOCOL_UDPLITE || protocol == PROTOCOL_SCTP;
}

static __always_inline void take_transport(struct packet *p, const struct transport_header *header)
{
	p->sport = bpf_ntohs(header->sport);
	p->dport = bpf_ntohs(header->dport);
	if (p->protocol != PROTOCOL_TCP)
		return;
	p->seq = bpf_ntohl(header->seq);
	if (cfg_detail)
		p->flags = header->flags;
}

static __always_inline void packet_read_ipv4(struct packet *p, const unsigned char *at, bool cast,
					     bool addresses)
{
	union {
		struct words words;
		struct {
			struct ipv4_header ip;
			struct transport_header transport; /* without options */
		};
	} h;

	if (cast) {
		const struct words *words = words_at(at);

		h.words.w0 = words->w0;
		h.words.w4 = words->w4;
		h.words.w8 = words->w8;
		h.words.w16 = words->w16;
		h.words.w24 = words->w24;
		if (cfg_detail)
			h.words.w32 = words->w32;
	} else if (bpf_probe_read_kernel(&h, sizeof(h.ip) + TRANSPORT_BYTES, at)) {
		return;
	}
	if (h.ip.version_length >> 4 != 4)
		return;
	p->family = AF_INET;
	p->protocol = h.ip.protocol;
	p->ip_id = bpf_ntohs(h.ip.id);
	p->frag_off = bpf_ntohs(h.ip.frag_off);
	p->tos = h.ip.tos;
	p->ttl = h.ip.ttl;
	p->headers = (h.ip.version_length & 15) * 4;
	if (addresses) {
		p->source[1] = (__u64)h.ip.source << 32 | bpf_htonl(0xffff);
		p->dest[1] = (__u64)h.ip.dest << 32 | bpf_htonl(0xffff);
	}
	if (p->frag_off & IPV4_FRAGMENT_OFFSET || !has_ports(p->protocol) ||
	    p->headers < sizeof(h.ip))
		return;
	if (h.ip.version_length != 0x45 &&
	    bpf_probe_read_kernel(&h.transport, TRANSPORT_BYTES,
				  at + (h.ip.version_length & 15) * 4))
		return;
	take_transport(p, &h.transport);
}

static __always_inline bool is_extension(__u8 next)
{
	return next == 0 || next == 43 || next == EXTENSION_FRAGMENT || next == 60; /* RFC 8200 */
}

/*
 * What lies behind the extension headers at @at, the first of which is a @next: the transport
 * protocol, with, above it, the bytes to get there and the fragment offset. In registers alone: a
 * packet whose address is passed on would be kept in memory. Not static, so that the verifier sees
 * it once, and not for each way that leads here.
 */
__noinline __u64 skip_extensions(__u64 at, __u8 next)
{
	__u16 fragment = 0;
	__u32 bytes = 0;

	for (int i = 0; i < EXTENSIONS_MAX && is_extension(next) && !fragment; i++) {
		__u8 extension[8];

		if (bpf_probe_read_kernel(extension, sizeof(extension), (const void *)(at + bytes)))
			break;
		if (next == EXTENSION_FRAGMENT)
			fragment = (extension[2] << 8 | extension[3]) & ~7;
		bytes += next == EXTENSION_FRAGMENT ? 8 : (extension[1] + 1) * 8;
		next = extension[0];
	}
	return next | (__u64)bytes << 8 | (__u64)fragment << 32;
}

/* As a number, which is all that such a function takes. */
static __always_inline __u64 address_of(const void *at)
{
	__u64 address = 0;

	bpf_probe_read_kernel(&address, sizeof(address), &at);
	return address;
}

static __always_inline void packet_read_ipv6(struct packet *p, const unsigned char *at, bool cast,
					     bool addresses)
{
	union {
		struct words words;
		struct {
			struct ipv6_header ip;
			struct transport_header transport;
		};
	} h;
	const unsigned char *transport = at + sizeof(h.ip);

	if (cast) {
		const struct words *words = words_at(at);

		h.words.w0 = words->w0;
		h.words.w4 = words->w4;
		if (addresses) {
			h.words.w8 = words->w8;
			h.words.w16 = words->w16;
			h.words.w24 = words->w24;
			h.words.w32 = words->w32;
		}
		h.words.w40 = words->w40;
		if (cfg_detail) {
			h.words.w48 = words->w48;
			h.words.w56 = words->w56;
		}
	} else if (bpf_probe_read_kernel(&h, sizeof(h.ip) + TRANSPORT_BYTES, at)) {
		return;
	}
	if (bpf_ntohl(h.ip.version_class_label) >> 28 != 6)
		return;
	p->family = AF_INET6;
	p->protocol = h.ip.next;
	p->tos = bpf_ntohl(h.ip.version_class_label) >> 20;
	p->ttl = h.ip.hop_limit;
	p->headers = sizeof(h.ip);
	if (addresses) {
		p->source[0] = h.ip.source[0];
		p->source[1] = h.ip.source[1];
		p->dest[0] = h.ip.dest[0];
		p->dest[1] = h.ip.dest[1];
	}
	if (is_extension(h.ip.next)) {
		__u64 behind = skip_extensions(address_of(transport), h.ip.next);

		p->protocol = (__u8)behind;
		p->frag_off = behind >> 32;
		transport += behind >> 8 & 0xffffff;
		p->headers += behind >> 8 & 0xffff;
		if (p->frag_off || bpf_probe_read_kernel(&h.transport, TRANSPORT_BYTES, transport))
			return;
	}
	if (has_ports(p->protocol))
		take_transport(p, &h.transport);
}

/* By the protocol that the device layer knows it by; anything but IP stays 0. @cast: by words_at. */
static __always_inline void packet_read_by(struct packet *p, __be16 protocol,
					   const unsigned char *at, bool cast, bool addresses)
{
	if (protocol == bpf_htons(ETH_P_IP))
		packet_read_ipv4(p, at, cast, addresses);
	else if (protocol == bpf_htons(ETH_P_IPV6))
		packet_read_ipv6(p, at, cast, addresses);
}

static __always_inline void packet_read(struct packet *p, __be16 protocol, const unsigned char *at)
{
	packet_read_by(p, protocol, at, cfg_cast_calls, addresses_asked());
}

/* For a function that programs call, where the loader puts no calls of the kernel's. */
static __always_inline void packet_read_plain(struct packet *p, __be16 protocol,
					      const unsigned char *at)
{
	packet_read_by(p, protocol, at, false, addresses_asked());
}

/* Of a packet that may be short: @bytes are there from @at on, and what is behind them was of others. */
static __always_inline void packet_read_checked(struct packet *p, __be16 protocol,
						const unsigned char *at, __s64 bytes,
						bool addresses)
{
	__s64 least = protocol == bpf_htons(ETH_P_IP) ? sizeof(struct ipv4_header) :
							sizeof(struct ipv6_header);

	if (bytes < least)
		return;
	packet_read_by(p, protocol, at, cfg_cast_calls, addresses);
	least = p->headers + (p->protocol == PROTOCOL_TCP ? sizeof(struct tcp_header) : 8);
	if (bytes >= least)
		return;
	p->sport = p->dport = p->seq = 0;
	p->flags = 0;
}

#endif /* SONDE_PROBE_NET_PACKET_BPF_H */
