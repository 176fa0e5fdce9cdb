// SPDX-License-Identifier: BSD-2-Clause
#include "record_format/pcap/pcapng_block.h"

#include <errno.h>

#include "base/byte_order.h"
#include "base/clock.h"
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
