/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pcap_file: the packets of a capture, in pcap or pcapng, one by one in the order of the file.
 *
 * libpcap could read them, too; but it refuses files whose interfaces differ in their link type, as
 * captures of several interfaces do, and waits inside where a pipe or a file that grows has nothing more.
 */
#ifndef SONDE_RECORD_FORMAT_PCAP_PCAP_FILE_H
#define SONDE_RECORD_FORMAT_PCAP_PCAP_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/byte_order.h"

/* What the blocks of a pcapng file hold. */

struct pcapng_block {
	uint32_t type;
	const uint8_t *body;
	size_t len; /* of the body: a multiple of 4 */
	enum byte_order order;
};

/* Where packets were captured; a pcap file has one. */
struct pcap_interface {
	uint32_t link;
	uint32_t snaplen; /* 0 = no limit */
	uint64_t ticks; /* of the clock, in one second */
	int64_t offset_s;
	uint64_t dropped; /* packets that the capture lost, as far as it is reported */
};

struct pcapng_packet {
	uint32_t interface; /* from 0 on, in its section */
	bool has_time;
	uint64_t ticks; /* of the interface's clock */
	uint32_t captured;
	uint32_t length;
	const uint8_t *data;
};

/* 0, or -EBADMSG: it is shorter than it says, or what it says cannot be. */
int pcapng_block_interface(const struct pcapng_block *block, struct pcap_interface *ret);
/* The same; -ENOENT: it does not tell. */
int pcapng_block_dropped(const struct pcapng_block *block, uint32_t *interface, uint64_t *ret);
/* 1: it is a packet; 0: it is another block; -EBADMSG. */
int pcapng_block_packet(const struct pcapng_block *block, struct pcapng_packet *ret);

struct diag;
struct file_window;
struct pcap_interface;

struct pcap_packet {
	int64_t time_ns; /* since the epoch; of one that has no time, that of the one before */
	uint32_t link; /* an enum pcap_link, or another */
	uint32_t captured; /* bytes at `data` */
	uint32_t length; /* bytes that it had on its way */
	const uint8_t *data; /* borrowed until the next call */
};

struct pcap_file {
	struct file_window *file; /* borrowed */
	bool is_ng;
	enum byte_order order;
	uint32_t packet_head_bytes; /* of pcap */
	struct pcap_interface *interfaces; /* of pcap: one */
	size_t interface_count;
	int64_t time_ns; /* of the last packet */
	size_t pending; /* bytes of the window that the last packet takes */
};

bool pcap_file_is(const uint8_t *head, size_t len);
/* Reads the head. Whether it fails or not pcap_file_fini is due, and @file stays the caller's. */
int pcap_file_init(struct pcap_file *pf, struct file_window *file, struct diag *diag);
void pcap_file_fini(struct pcap_file *pf);

/*
 * The next packet: 1, 0 at the end, or -errno. -EAGAIN of a file that is followed: nothing yet. -EBADMSG: what
 * follows is not to be read, the diag says why.
 */
int pcap_file_next(struct pcap_file *pf, struct pcap_packet *ret, struct diag *diag);
/* Whether `next` has something to do without waiting for bytes. */
bool pcap_file_is_ready(struct pcap_file *pf);
/* Packets that were lost while capturing, as far as the file counts them. */
uint64_t pcap_file_dropped(const struct pcap_file *pf);

#endif /* SONDE_RECORD_FORMAT_PCAP_PCAP_FILE_H */
