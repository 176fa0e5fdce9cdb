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
