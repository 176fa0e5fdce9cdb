// SPDX-License-Identifier: BSD-2-Clause
#include "record_format/pcap/pcap_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/byte_order.h"
#include "base/clock.h"
#include "base/diag.h"
#include "base/file_window.h"
#include "wire/pcap.h"

#define OPTION_HEAD_BYTES 4u

static uint32_t get32(const struct pcapng_block *block, size_t at)
{
	return (uint32_t)byte_order_load(block->body + at, 4, block->order);
}

/* The value of an option behind the first @at bytes, of @want bytes; NULL: none. */
static const uint8_t *find_option(const struct pcapng_block *block, size_t at, uint16_t wanted,
				  size_t want)
{
	while (at + OPTION_HEAD_BYTES <= block->len) {
		const uint8_t *option = block->body + at;
		uint16_t code = (uint16_t)byte_order_load(option, 2, block->order);
		size_t len = (uint16_t)byte_order_load(option + 2, 2, block->order);

		at += OPTION_HEAD_BYTES;
		if (!code || len > block->len - at)
			break;
		if (code == wanted && len == want)
			return block->body + at;
		at += (len + 3) / 4 * 4;
	}
	return NULL;
}

/* Ticks in a second; 0: more than can be counted with. */
static uint64_t ticks_of(uint8_t resolution)
{
	uint64_t ticks = 1;

	if (resolution & 0x80)
		return (resolution & 0x7f) < 63 ? 1ull << (resolution & 0x7f) : 0;
	if (resolution > 18)
		return 0;
	while (resolution--)
		ticks *= 10;
	return ticks;
}

int pcapng_block_interface(const struct pcapng_block *block, struct pcap_interface *ret)
{
	const uint8_t *resolution, *offset;

	if (block->len < 8)
		return -EBADMSG;
	resolution = find_option(block, 8, PCAPNG_OPTION_TSRESOL, 1);
	offset = find_option(block, 8, PCAPNG_OPTION_TSOFFSET, 8);
	*ret = (struct pcap_interface){
		.link = (uint16_t)byte_order_load(block->body, 2, block->order),
		.snaplen = get32(block, 4),
		.ticks = resolution ? ticks_of(*resolution) : NS_PER_SEC / 1000,
		.offset_s = offset ? (int64_t)byte_order_load(offset, 8, block->order) : 0,
	};
	return ret->ticks ? 0 : -EBADMSG;
}

int pcapng_block_dropped(const struct pcapng_block *block, uint32_t *interface, uint64_t *ret)
{
	const uint8_t *dropped;

	if (block->len < 12)
		return -EBADMSG;
	*interface = get32(block, 0);
	dropped = find_option(block, 12, PCAPNG_OPTION_IFDROP, 8);
	if (!dropped)
		return -ENOENT;
	*ret = byte_order_load(dropped, 8, block->order);
	return 0;
}

/* Behind the first @head bytes are its own, @captured of them. */
static int take_data(const struct pcapng_block *block, size_t head, struct pcapng_packet *packet)
{
	if (packet->captured > block->len - head || packet->captured > PCAP_PACKET_MAX_BYTES)
		return -EBADMSG;
	packet->data = block->body + head;
	return 1;
}

static int take_timed(const struct pcapng_block *block, struct pcapng_packet *packet)
{
	if (block->len < 20)
		return -EBADMSG;
	packet->interface = block->type == PCAPNG_PACKET ?
				    get32(block, 0) :
				    (uint16_t)byte_order_load(block->body, 2, block->order);
	packet->has_time = true;
	packet->ticks = (uint64_t)get32(block, 4) << 32 | get32(block, 8);
	packet->captured = get32(block, 12);
	packet->length = get32(block, 16);
	return take_data(block, 20, packet);
}

int pcapng_block_packet(const struct pcapng_block *block, struct pcapng_packet *ret)
{
	*ret = (struct pcapng_packet){0};
	switch (block->type) {
	case PCAPNG_PACKET:
	case PCAPNG_PACKET_OLD:
		return take_timed(block, ret);
	case PCAPNG_PACKET_SIMPLE:
		if (block->len < 4)
			return -EBADMSG;
		ret->length = get32(block, 0);
		ret->captured = ret->length < block->len - 4 ? ret->length :
							       (uint32_t)(block->len - 4);
		return take_data(block, 4, ret);
	default:
		return 0;
	}
}

static bool is_pcap_magic(uint32_t magic)
{
	return magic == PCAP_MAGIC_US || magic == PCAP_MAGIC_NS || magic == PCAP_MAGIC_LONG;
}

/* Its magic number in the byte order in which it is valid; 0 = not one. */
static uint32_t magic_of(const uint8_t *head, size_t len, enum byte_order *order)
{
	for (int i = 0; i < 2 && len >= sizeof(uint32_t); i++) {
		uint32_t magic;

		*order = i ? BYTE_ORDER_BIG : BYTE_ORDER_LITTLE;
		magic = (uint32_t)byte_order_load(head, 4, *order);
		if (is_pcap_magic(magic) || magic == PCAPNG_SECTION)
			return magic;
	}
	return 0;
}

bool pcap_file_is(const uint8_t *head, size_t len)
{
	enum byte_order order;

	return magic_of(head, len, &order) != 0;
}

/* At least @want bytes of what comes next; 0 = it ends before the first of them. */
static int look(struct pcap_file *pf, size_t want, const uint8_t **ret, struct diag *diag)
{
	ssize_t len = file_window_look(pf->file, want, ret);

	if (len < 0)
		return len == -EAGAIN ? -EAGAIN :
					diag_set(diag, (int)len, "%s", strerror((int)-len));
	if (len && (size_t)len < want)
		return diag_set(diag, -EBADMSG,
				"it is cut off: at byte %" PRIu64 " of %zu bytes %zd are there",
				file_window_offset(pf->file), want, len);
	return len > 0;
}

static int add_interface(struct pcap_file *pf, const struct pcap_interface *interface)
{
	struct pcap_interface *interfaces;

	if (pf->interface_count >= PCAP_INTERFACES_MAX)
		return -E2BIG;
	interfaces = reallocarray(pf->interfaces, pf->interface_count + 1, sizeof(*interfaces));
	if (!interfaces)
		return -ENOMEM;
	pf->interfaces = interfaces;
	pf->interfaces[pf->interface_count++] = *interface;
	return 0;
}

static int read_pcap_head(struct pcap_file *pf, uint32_t magic, struct diag *diag)
{
	struct pcap_interface interface = {.ticks = NS_PER_SEC / 1000};
	const uint8_t *head;
	int got = look(pf, PCAP_HEAD_BYTES, &head, diag);

	if (got <= 0)
		return got;
	if (magic == PCAP_MAGIC_NS)
		interface.ticks = NS_PER_SEC;
	pf->packet_head_bytes = magic == PCAP_MAGIC_LONG ? PCAP_PACKET_HEAD_LONG_BYTES :
							   PCAP_PACKET_HEAD_BYTES;
	interface.snaplen = (uint32_t)byte_order_load(head + 16, 4, pf->order);
	interface.link = (uint32_t)byte_order_load(head + 20, 4, pf->order) & PCAP_LINK_MASK;
	if (add_interface(pf, &interface))
		return diag_set(diag, -ENOMEM, "no memory");
	pf->pending = PCAP_HEAD_BYTES;
	return 0;
}

int pcap_file_init(struct pcap_file *pf, struct file_window *file, struct diag *diag)
{
	const uint8_t *head;
	uint32_t magic;
	int got;

	*pf = (struct pcap_file){.file = file};
	got = look(pf, sizeof(uint32_t), &head, diag);
	if (got < 0)
		return got;
	magic = got ? magic_of(head, sizeof(uint32_t), &pf->order) : 0;
	if (!magic)
		return diag_set(diag, -EBADMSG, "it does not begin as a capture does");
	pf->is_ng = magic == PCAPNG_SECTION;
	return pf->is_ng ? 0 : read_pcap_head(pf, magic, diag);
}

void pcap_file_fini(struct pcap_file *pf)
{
	free(pf->interfaces);
	*pf = (struct pcap_file){0};
}

static void pass_pending(struct pcap_file *pf)
{
	file_window_skip(pf->file, pf->pending);
	pf->pending = 0;
}

/* What lies at the packet's time in ns; a fraction of more than a second is as libpcap takes it. */
static int64_t time_of(const struct pcap_interface *interface, uint64_t ticks)
{
	uint64_t whole = ticks / interface->ticks, rest = ticks % interface->ticks;
	uint64_t ns = interface->ticks == NS_PER_SEC ?
			      rest :
			      (uint64_t)((unsigned __int128)rest * NS_PER_SEC / interface->ticks);

	/* Beyond 2262 no ns count. */
	if (whole + (uint64_t)interface->offset_s > INT64_MAX / NS_PER_SEC - 1)
		return INT64_MAX;
	return (int64_t)((whole + (uint64_t)interface->offset_s) * NS_PER_SEC + ns);
}

static int next_of_pcap(struct pcap_file *pf, struct pcap_packet *ret, struct diag *diag)
{
	const struct pcap_interface *interface = pf->interfaces;
	const enum byte_order order = pf->order;
	const uint8_t *head;
	uint32_t captured;
	int got = look(pf, pf->packet_head_bytes, &head, diag);

	if (got <= 0)
		return got;
	captured = (uint32_t)byte_order_load(head + 8, 4, order);
	if (captured > PCAP_PACKET_MAX_BYTES)
		return diag_set(
			diag, -EBADMSG,
			"at byte %" PRIu64 ": a packet of %" PRIu32
			" bytes, which is not a valid length: the rest of the file is not read",
			file_window_offset(pf->file), captured);
	got = look(pf, pf->packet_head_bytes + captured, &head, diag);
	if (got <= 0)
		return got;
	pf->time_ns = time_of(interface, (uint64_t)(uint32_t)byte_order_load(head, 4, order) *
							 interface->ticks +
						 (uint32_t)byte_order_load(head + 4, 4, order));
	*ret = (struct pcap_packet){
		.time_ns = pf->time_ns,
		.link = interface->link,
		.captured = captured,
		.length = (uint32_t)byte_order_load(head + 12, 4, order),
		.data = head + pf->packet_head_bytes,
	};
	pf->pending = pf->packet_head_bytes + captured;
	return 1;
}

/* A section begins: its byte order is its own, and so are its interfaces. */
static int begin_section(struct pcap_file *pf, const uint8_t *block)
{
	block += PCAPNG_BLOCK_HEAD_BYTES;
	pf->order = BYTE_ORDER_LITTLE;
	if (byte_order_load(block, 4, pf->order) != PCAPNG_ORDER)
		pf->order = BYTE_ORDER_BIG;
	return byte_order_load(block, 4, pf->order) == PCAPNG_ORDER ? 0 : -EBADMSG;
}

/* The next block, whole: 1, 0 at the end. */
static int next_block(struct pcap_file *pf, struct pcapng_block *block, struct diag *diag)
{
	const uint8_t *bytes;
	uint32_t len;
	int got = look(pf, PCAPNG_BLOCK_MIN_BYTES, &bytes, diag);

	if (got <= 0)
		return got;
	if ((uint32_t)byte_order_load(bytes, 4, pf->order) == PCAPNG_SECTION &&
	    begin_section(pf, bytes))
		return diag_set(diag, -EBADMSG, "at byte %" PRIu64 ": no section of a capture",
				file_window_offset(pf->file));
	len = (uint32_t)byte_order_load(bytes + 4, 4, pf->order);
	if (len < PCAPNG_BLOCK_MIN_BYTES || len % 4 || len > PCAPNG_BLOCK_MAX_BYTES)
		return diag_set(
			diag, -EBADMSG,
			"at byte %" PRIu64 ": a block of %" PRIu32
			" bytes, which is not a valid length: the rest of the file is not read",
			file_window_offset(pf->file), len);
	got = look(pf, len, &bytes, diag);
	if (got <= 0)
		return got;
	*block = (struct pcapng_block){
		.type = (uint32_t)byte_order_load(bytes, 4, pf->order),
		.body = bytes + PCAPNG_BLOCK_HEAD_BYTES,
		.len = len - PCAPNG_BLOCK_MIN_BYTES,
		.order = pf->order,
	};
	pf->pending = len;
	return 1;
}

static int take_interface(struct pcap_file *pf, const struct pcapng_block *block)
{
	struct pcap_interface interface;
	int err = pcapng_block_interface(block, &interface);

	return err ?: add_interface(pf, &interface);
}

/* 1: *@ret is a packet; 0: the block has none. */
static int take_packet(struct pcap_file *pf, const struct pcapng_block *block,
		       struct pcap_packet *ret)
{
	const struct pcap_interface *interface;
	struct pcapng_packet packet;
	int got = pcapng_block_packet(block, &packet);

	if (got <= 0)
		return got;
	if (packet.interface >= pf->interface_count)
		return -EBADMSG;
	interface = &pf->interfaces[packet.interface];
	if (packet.has_time)
		pf->time_ns = time_of(interface, packet.ticks);
	else if (interface->snaplen && packet.captured > interface->snaplen)
		packet.captured = interface->snaplen;
	*ret = (struct pcap_packet){
		.time_ns = pf->time_ns,
		.link = interface->link,
		.captured = packet.captured,
		.length = packet.length,
		.data = packet.data,
	};
	return 1;
}

static int take_block(struct pcap_file *pf, const struct pcapng_block *block,
		      struct pcap_packet *ret)
{
	uint32_t interface;
	uint64_t dropped;

	switch (block->type) {
	case PCAPNG_SECTION:
		pf->interface_count = 0;
		return 0;
	case PCAPNG_INTERFACE:
		return take_interface(pf, block);
	case PCAPNG_STATISTICS:
		if (!pcapng_block_dropped(block, &interface, &dropped) &&
		    interface < pf->interface_count)
			pf->interfaces[interface].dropped = dropped;
		return 0;
	default:
		return take_packet(pf, block, ret);
	}
}

static int next_of_pcapng(struct pcap_file *pf, struct pcap_packet *ret, struct diag *diag)
{
	struct pcapng_block block;
	int got;

	for (;;) {
		got = next_block(pf, &block, diag);
		if (got <= 0)
			return got;
		got = take_block(pf, &block, ret);
		if (got < 0)
			return diag_set(diag, got,
					"at byte %" PRIu64 ": a damaged block: "
					"the rest of the file is not read",
					file_window_offset(pf->file));
		if (got)
			return 1;
		pass_pending(pf);
	}
}

int pcap_file_next(struct pcap_file *pf, struct pcap_packet *ret, struct diag *diag)
{
	pass_pending(pf);
	return pf->is_ng ? next_of_pcapng(pf, ret, diag) : next_of_pcap(pf, ret, diag);
}

/* Whether the bytes that one packet takes are there. */
bool pcap_file_is_ready(struct pcap_file *pf)
{
	const size_t head_bytes = pf->is_ng ? PCAPNG_BLOCK_MIN_BYTES : pf->packet_head_bytes;
	const uint8_t *bytes;
	ssize_t len;
	size_t want;

	pass_pending(pf);
	len = file_window_look(pf->file, 0, &bytes);
	if (len < (ssize_t)head_bytes)
		return false;
	want = pf->is_ng ? (uint32_t)byte_order_load(bytes + 4, 4, pf->order) :
			   head_bytes + (uint32_t)byte_order_load(bytes + 8, 4, pf->order);
	return (size_t)len >= want;
}

uint64_t pcap_file_dropped(const struct pcap_file *pf)
{
	uint64_t dropped = 0;

	for (size_t i = 0; i < pf->interface_count; i++)
		dropped += pf->interfaces[i].dropped;
	return dropped;
}
