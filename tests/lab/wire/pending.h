/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pending: the packets that are on the wire, the one that is due first in front; of those due at the same time, the
 * one that came first.
 *
 * It has at most PENDING_MAX packets.
 */
#ifndef LAB_WIRE_PENDING_H
#define LAB_WIRE_PENDING_H

#include <stddef.h>
#include <stdint.h>

#include "frame.h"
#include "settings.h"

#define PENDING_MAX 65536u

struct packet {
	uint64_t due_ns;
	uint64_t number; /* of its arrival */
	enum direction direction;
	struct frame frame;
	uint8_t bytes[]; /* frame.length of these */
};

struct pending {
	struct packet **heap;
	size_t count;
	uint64_t arrived;
};

/* -ENOMEM */
int pending_init(struct pending *pending);
void pending_fini(struct pending *pending);
/* A packet to fill in and push; NULL: no memory. */
struct packet *packet_new(const struct frame *frame, const uint8_t *bytes);
/* Takes @packet, and frees it where it fails: -ENOSPC. */
int pending_push(struct pending *pending, struct packet *packet);
/* The first one, borrowed; NULL: none. */
const struct packet *pending_first(const struct pending *pending);
/* The caller frees it. There is one. */
struct packet *pending_take(struct pending *pending);

#endif /* LAB_WIRE_PENDING_H */
