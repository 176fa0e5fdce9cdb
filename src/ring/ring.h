/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ring: the reading side of the per-CPU rings (wire/record.h): finished sub-buffers, and on a
 * flush the written part of those in progress, go out as CTF packets, once each, in order.
 *
 * Lossless rings are drained: the packet's header is written into the mapping in front of its
 * records, so that one write(2) takes header and records without a copy. A flight recorder's are
 * copied first, and kept only if the kernel half has not come near during the copy.
 */
#ifndef SONDE_RING_RING_H
#define SONDE_RING_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ring;
struct ring_memory;

struct ring_config {
	int control_fd; /* the maps ring_control and ring_data, borrowed */
	int data_fd;
	uint32_t cpus;
	uint32_t sub_shift;
	uint32_t sub_count;
	bool overwrite;
	bool compact; /* packets without padding */
	bool stacks; /* records refer to others of their packet (probe/stack.bpf.h) */
	uint8_t uuid[16]; /* of the trace */
	uint64_t start_ns; /* CLOCK_MONOTONIC: not after the first record */
};

#define RING_FLUSH_ALL UINT64_MAX

/*
 * Takes one whole packet, which starts with a struct packet_head; borrowed for the call. In its
 * padding, the part beyond @len is zeros that are not in memory. @late: half of the ring is
 * waiting behind this one, so the sink is slower than the events. An error ends the drain and is
 * handed through.
 */
typedef int (*ring_sink)(void *ctx, const void *packet, size_t len, bool late);

/* What the rings have seen so far. */
struct ring_totals {
	uint64_t records; /* written: handed out or waiting (or, in a flight recorder, gone) */
	uint64_t bytes; /* of these */
	uint64_t lost; /* records refused because a ring was full */
	uint64_t nested_lost; /* records refused because contexts nested too deep */
	unsigned int fill_percent; /* of the fullest ring, now */
	uint64_t packets; /* handed out */
};

/* Maps the rings and makes them ready for the first record: call before attaching. */
int ring_open(const struct ring_config *config, struct ring **ret);
void ring_close(struct ring *ring);

/*
 * Hands every closed sub-buffer to @sink; of the open ones also what is written, where it has been
 * waiting since @flush_ns (CLOCK_MONOTONIC) or before: 0 = nothing, RING_FLUSH_ALL = everything. A
 * ring that fills its sub-buffers faster than that never sends one in pieces.
 */
int ring_drain(struct ring *ring, uint64_t flush_ns, ring_sink sink, void *ctx);

/* All records of this time (CLOCK_MONOTONIC) and before have been handed out; 0 = not known. It moves with a
 * drain that flushes what has been waiting, unless a CPU was writing a record all the while. */
uint64_t ring_settled_ns(const struct ring *ring);

/* No record is being written now, by a context that was interrupted or on another CPU. */
bool ring_is_quiet(const struct ring *ring);
void ring_totals(const struct ring *ring, struct ring_totals *ret);
/* Written in one stream, as ring_totals counts them. */
uint64_t ring_records(const struct ring *ring, uint32_t cpu, uint32_t level);
/* Lost on one CPU: refused for a full ring, for nesting too deep. */
void ring_cpu_lost(const struct ring *ring, uint32_t cpu, uint64_t *full, uint64_t *nested);

/* How they lie, for ring/look; borrowed until the ring is closed. */
const struct ring_memory *ring_memory(const struct ring *ring);

#endif /* SONDE_RING_RING_H */
