/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * poll_record: tcp.poll where the recorder itself asks the kernel (probe/inet_diag.h): its event
 * class, and its records.
 *
 * The class is the kernel half's, less the fields that are not available there: a reader finds the same
 * names, types and units, and no made-up number.
 */
#ifndef SONDE_RECORD_POLL_RECORD_H
#define SONDE_RECORD_POLL_RECORD_H

#include <stddef.h>
#include <stdint.h>

#include "probe/inet_diag.h"
#include "schema/event.h"

#define POLL_FIELDS_MAX 64
#define POLL_PAYLOAD_MAX 512

/* A connection, and when and where it was seen. */
struct poll_seen {
	uint64_t callvalue; /* number of the round */
	uint64_t tcp_mem_pages;
	uint32_t location;
	uint32_t netns;
	struct inet_socket socket;
};

/* Part of a struct poll_seen that is a field. */
struct poll_copy {
	uint16_t from;
	uint16_t to; /* in the payload */
	uint16_t bytes;
};

struct poll_record {
	struct event_class class; /* borrows its texts from the one it was made from */
	struct field fields[POLL_FIELDS_MAX];
	uint32_t offsets[POLL_FIELDS_MAX];
	struct poll_copy copies[POLL_FIELDS_MAX];
};

/* @full: the class of the kernel half. @info_bytes: inet_diag_info_bytes. -EINVAL: they do not fit
 * each other. @ret must stay where it is. */
int poll_record_init(struct poll_record *ret, const struct event_class *full, size_t info_bytes);
/* Writes class.payload_bytes to @payload. */
void poll_record_pack(const struct poll_record *record, const struct poll_seen *seen,
		      uint8_t payload[POLL_PAYLOAD_MAX]);

#endif /* SONDE_RECORD_POLL_RECORD_H */
