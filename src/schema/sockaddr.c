// SPDX-License-Identifier: BSD-2-Clause
#include "schema/sockaddr.h"

#include <arpa/inet.h>
#include <linux/if_arp.h>
#include <linux/if_packet.h>
#include <string.h>
#include <sys/socket.h>

#include "base/emit.h"
#include "base/escape.h"
#include "schema/call_values.h"
#include "schema/field.h"
#include "schema/option_values.h"

/* Bytes that the kernel wants at least, and where members are: Linux has them so on all machines. */
#define FAMILY_BYTES 2u
#define INET_BYTES 16u
#define INET6_BYTES_OLD 24u /* without the scope */
#define INET6_BYTES 28u
#define NETLINK_BYTES 12u
#define PACKET_BYTES 20u
#define PACKET_ADDRESS 12u
#define PACKET_ADDRESS_BYTES 8u

struct bytes {
	const uint8_t *at;
	size_t len;
	bool big_endian;
};

static uint32_t load(const struct bytes *b, size_t at, size_t size)
{
	uint32_t value = 0;

	for (size_t i = 0; i < size; i++)
		value |= (uint32_t)b->at[at + i] << 8 * (b->big_endian ? size - 1 - i : i);
	return value;
}

/* In network byte order. */
static uint32_t load_network(const struct bytes *b, size_t at, size_t size)
{
	return load(&(struct bytes){b->at, b->len, true}, at, size);
}

static char *write_text(char *p, const char *text)
{
	return emit_bytes(p, text, strlen(text));
}

static char *write_quoted(char *p, const uint8_t *bytes, size_t len)
{
	p = emit_char(p, '"');
	p = escape_terminal(p, (const char *)bytes, len);
	return emit_char(p, '"');
}

static char *write_value(char *p, const struct call_values *values, uint32_t value)
{
	for (size_t i = 0; i < values->count; i++) {
		if (values->labels[i].first == (int64_t)value)
			return write_text(p, values->labels[i].name);
	}
	return emit_hex(p, value);
}

static char *write_port(char *p, const char *name, const struct bytes *b)
{
	p = write_text(p, name);
	p = write_text(p, "=htons(");
	p = emit_uint(p, load_network(b, FAMILY_BYTES, 2));
	return emit_char(p, ')');
}

static char *write_inet(char *p, const struct bytes *b)
{
	char text[INET6_ADDRSTRLEN] = "";

	p = write_port(p, ", sin_port", b);
	(void)inet_ntop(AF_INET, b->at + 4, text, sizeof(text));
	p = write_text(p, ", sin_addr=inet_addr(\"");
	p = write_text(p, text);
	return write_text(p, "\")");
}

static char *write_inet6(char *p, const struct bytes *b)
{
	char text[INET6_ADDRSTRLEN] = "";

	p = write_port(p, ", sin6_port", b);
	p = write_text(p, ", sin6_flowinfo=htonl(");
	p = emit_uint(p, load_network(b, 4, 4));
	(void)inet_ntop(AF_INET6, b->at + 8, text, sizeof(text));
	p = write_text(p, "), inet_pton(AF_INET6, \"");
	p = write_text(p, text);
	p = write_text(p, "\", &sin6_addr)");
	if (b->len < INET6_BYTES)
		return p;
	p = write_text(p, ", sin6_scope_id=");
	return emit_uint(p, load(b, INET6_BYTES_OLD, 4));
}

/* A path ends at the first NUL; the name of an abstract one begins behind a NUL, and may have more. */
static char *write_unix(char *p, const struct bytes *b)
{
	const uint8_t *path = b->at + FAMILY_BYTES;
	size_t len = b->len - FAMILY_BYTES;

	p = write_text(p, ", sun_path=");
	if (*path)
		return write_quoted(p, path, strnlen((const char *)path, len));
	return write_quoted(emit_char(p, '@'), path + 1, len - 1);
}

static char *write_netlink(char *p, const struct bytes *b)
{
	static const char digits[] = "0123456789abcdef";
	uint32_t groups = load(b, 8, 4), pad = load(b, FAMILY_BYTES, 2);

	if (pad) {
		p = write_text(p, ", nl_pad=");
		p = emit_hex(p, pad);
	}
	p = write_text(p, ", nl_pid=");
	p = emit_int(p, (int32_t)load(b, 4, 4));
	p = write_text(p, ", nl_groups=");
	p = write_text(p, !groups ? "00" : groups >> 24 ? "" : "0x");
	if (groups >> 24)
		return emit_hex(p, groups);
	for (int shift = 20; shift >= 0; shift -= 4)
		p = emit_char(p, digits[groups >> shift & 0xf]);
	return p;
}

static const struct field_label hardware_types[] = {
	{ARPHRD_NETROM, ARPHRD_NETROM, "ARPHRD_NETROM"},
	{ARPHRD_ETHER, ARPHRD_ETHER, "ARPHRD_ETHER"},
	{ARPHRD_PPP, ARPHRD_PPP, "ARPHRD_PPP"},
	{ARPHRD_TUNNEL, ARPHRD_TUNNEL, "ARPHRD_TUNNEL"},
	{ARPHRD_LOOPBACK, ARPHRD_LOOPBACK, "ARPHRD_LOOPBACK"},
	{ARPHRD_NONE, ARPHRD_NONE, "ARPHRD_NONE"},
};
static const struct field_label packet_types[] = {
	{0, 0, "PACKET_HOST"},	    {1, 1, "PACKET_BROADCAST"}, {2, 2, "PACKET_MULTICAST"},
	{3, 3, "PACKET_OTHERHOST"}, {4, 4, "PACKET_OUTGOING"},	{5, 5, "PACKET_LOOPBACK"},
	{6, 6, "PACKET_USER"},	    {7, 7, "PACKET_KERNEL"},
};

static char *write_packet(char *p, const struct bytes *b)
{
	static const struct call_values hardware = {
		hardware_types, sizeof(hardware_types) / sizeof(hardware_types[0]), NULL};
	static const struct call_values types = {
		packet_types, sizeof(packet_types) / sizeof(packet_types[0]), NULL};
	uint32_t len = b->at[11];

	p = write_text(p, ", sll_protocol=htons(");
	p = write_value(p, &option_values_ethernet_protocols, load_network(b, FAMILY_BYTES, 2));
	p = write_text(p, "), sll_ifindex=");
	p = emit_int(p, (int32_t)load(b, 4, 4));
	p = write_text(p, ", sll_hatype=");
	p = write_value(p, &hardware, load(b, 8, 2));
	p = write_text(p, ", sll_pkttype=");
	p = write_value(p, &types, b->at[10]);
	p = write_text(p, ", sll_halen=");
	p = emit_uint(p, len);
	if (!len)
		return p;
	p = write_text(p, ", sll_addr=[");
	for (uint32_t i = 0; i < len && i < PACKET_ADDRESS_BYTES; i++) {
		p = i ? write_text(p, ", ") : p;
		p = emit_hex(p, b->at[PACKET_ADDRESS + i]);
	}
	return write_text(p, len > PACKET_ADDRESS_BYTES ? ", ...]" : "]");
}

char *sockaddr_write(char *p, const uint8_t *bytes, size_t len, bool big_endian)
{
	static const struct {
		uint32_t family;
		size_t bytes; /* with fewer, it is not one of these */
		char *(*write)(char *p, const struct bytes *b);
	} families[] = {
		{AF_UNIX, FAMILY_BYTES + 1, write_unix},
		{AF_INET, INET_BYTES, write_inet},
		{AF_INET6, INET6_BYTES_OLD, write_inet6},
		{AF_NETLINK, NETLINK_BYTES, write_netlink},
		{AF_PACKET, PACKET_BYTES, write_packet},
	};
	const struct bytes b = {bytes, len < SOCKADDR_BYTES_MAX ? len : SOCKADDR_BYTES_MAX,
				big_endian};
	uint32_t family;

	if (b.len < FAMILY_BYTES)
		return write_text(p, "{}");
	family = load(&b, 0, FAMILY_BYTES);
	p = write_text(p, "{sa_family=");
	p = write_value(p, &call_values_families, family);
	for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++) {
		if (family == families[i].family && b.len >= families[i].bytes)
			return emit_char(families[i].write(p, &b), '}');
	}
	if (b.len > FAMILY_BYTES) {
		p = write_text(p, ", sa_data=");
		p = write_quoted(p, b.at + FAMILY_BYTES, b.len - FAMILY_BYTES);
	}
	return emit_char(p, '}');
}
