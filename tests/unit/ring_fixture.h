/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ring_fixture: rings in memory, filled by a writer that does what probe/ring.bpf.h does, and a
 * sink that reads the packets as a reader would. For the tests of the drained ring and of the
 * flight recorder's.
 */
#ifndef SONDE_TESTS_RING_FIXTURE_H
#define SONDE_TESTS_RING_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/io.h"
#include "ring/ring.h"
#include "wire/record.h"

#define CPUS 2u
#define SHIFT 13u
#define SUBS 4u
#define START_NS 0x7fffff000ull /* so that the low half of the time soon wraps */
#define RECORD_BYTES 208u
/* Records that one sub-buffer takes: (8192 - 1 - 96) / 208. */
#define PER_SUB 38u

/* What the sink got: heads of packets, and the number that each record carries. */
struct taken {
	struct packet_head heads[64];
	size_t count;
	uint32_t numbers[512];
	size_t number_count;
	uint64_t last_ns; /* of the newest record */
	uint64_t bytes[8][RING_LEVELS]; /* of each stream, padding included */
	unsigned int late; /* packets */
	int err; /* what the sink answers */
};

/* Memory in the place of the two BPF maps, and a writer in the place of the kernel half. */
struct rig {
	struct ring_config config;
	struct ring *ring;
	struct ring_cpu *control;
	uint8_t *data;
	size_t control_bytes;
	size_t data_bytes;
	uint64_t now_ns;
	uint32_t number; /* of the next record */
	struct taken taken;
};

static inline void *map_memory(size_t len, int *fd)
{
	void *at;

	*fd = memfd_create("map", MFD_CLOEXEC);
	assert_true(*fd >= 0);
	assert_int_equal(ftruncate(*fd, (off_t)len), 0);
	at = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, *fd, 0);
	assert_true(at != MAP_FAILED);
	return at;
}

static inline int rig_set_up(void **state, bool overwrite)
{
	static struct rig rig;
	size_t elements = CPUS * (SUBS + (RING_LEVELS - 1) * RING_NESTED_SUBS);

	memset(&rig, 0, sizeof(rig));
	rig.config = (struct ring_config){
		.cpus = CPUS,
		.sub_shift = SHIFT,
		.sub_count = SUBS,
		.overwrite = overwrite,
		.uuid = "0123456789abcde",
		.start_ns = START_NS,
	};
	rig.control_bytes = (CPUS * sizeof(struct ring_cpu) + 4095) & ~4095ul;
	rig.control = map_memory(rig.control_bytes, &rig.config.control_fd);
	rig.data_bytes = elements * ((1ul << SHIFT) + RING_SLACK_BYTES);
	rig.data = map_memory(rig.data_bytes, &rig.config.data_fd);
	rig.now_ns = START_NS;
	*state = &rig;
	return ring_open(&rig.config, &rig.ring);
}

static inline int rig_tear_down(void **state)
{
	struct rig *rig = *state;

	ring_close(rig->ring);
	munmap(rig->control, rig->control_bytes);
	munmap(rig->data, rig->data_bytes);
	return fd_close(rig->config.control_fd) ?: fd_close(rig->config.data_fd);
}

/* ring_switch of probe/ring.bpf.h. */
static inline bool switch_sub(const struct rig *rig, uint32_t cpu, uint32_t v)
{
	struct ring_level *level = &rig->control[cpu].level[v];
	uint32_t count = v ? RING_NESTED_SUBS : SUBS;
	uint64_t number = level->pos >> SHIFT;

	if (!rig->config.overwrite && number + 1 - level->consumed >= count) {
		level->lost++;
		return false;
	}
	level->used[number & (count - 1)] = level->pos & ((1u << SHIFT) - 1);
	number++;
	level->begin_ns[number & (count - 1)] = rig->now_ns;
	level->lost_before[number & (count - 1)] = level->lost;
	level->named[number & (count - 1)] = 0;
	level->limit = (number + 1) << SHIFT;
	level->sub = cpu * (SUBS + (RING_LEVELS - 1) * RING_NESTED_SUBS) +
		     (v ? SUBS + (v - 1) * RING_NESTED_SUBS : 0) + (uint32_t)(number & (count - 1));
	level->pos = (number << SHIFT) + sizeof(struct packet_head);
	return true;
}

/* record_reserve and record_commit: one record, 10 ns after the one before. */
static inline void write_record(struct rig *rig, uint32_t cpu, uint32_t v)
{
	struct ring_level *level = &rig->control[cpu].level[v];
	struct record_extended extended = {.marker = RECORD_ID_EXTENDED, .id = 7, .tid = 9};
	uint32_t bytes = RECORD_BYTES, head = RECORD_HEAD_BYTES;
	uint64_t word;
	uint8_t *at;

	rig->now_ns += 10;
	if ((rig->now_ns - level->last_ns) >> RECORD_TIME_BITS)
		head = RECORD_EXTENDED_BYTES;
	bytes += head - RECORD_HEAD_BYTES;
	if (level->pos + bytes >= level->limit && !switch_sub(rig, cpu, v))
		return;
	at = rig->data + level->sub * ((1ul << SHIFT) + RING_SLACK_BYTES) +
	     (level->pos & ((1u << SHIFT) - 1));
	word = 7 | (rig->now_ns & UINT32_MAX) << RECORD_TIME_SHIFT | 9ull << RECORD_TID_SHIFT;
	extended.time_low = (uint32_t)rig->now_ns;
	extended.time_high = (uint32_t)(rig->now_ns >> 32);
	memcpy(at, head == RECORD_EXTENDED_BYTES ? (void *)&extended : (void *)&word, head);
	memset(at + head, 0xee, RECORD_BYTES - RECORD_HEAD_BYTES);
	memcpy(at + head, &rig->number, sizeof(rig->number));
	rig->number++;
	level->records++;
	level->last_ns = rig->now_ns;
	level->pos += bytes;
}

static inline void write_records(struct rig *rig, uint32_t cpu, uint32_t v, size_t count)
{
	while (count--)
		write_record(rig, cpu, v);
}

/* What record_commit_name adds: the last record tells a name. */
static inline void mark_name(struct rig *rig, uint32_t cpu, uint32_t v)
{
	struct ring_level *level = &rig->control[cpu].level[v];
	uint32_t count = v ? RING_NESTED_SUBS : SUBS;

	level->named[level->pos >> SHIFT & (count - 1)] = level->pos & ((1u << SHIFT) - 1);
}

/* Reads the packet's records as a reader does, whose clock starts at the packet's begin. */
static inline void take_records(struct taken *taken, const struct packet_head *head,
				const uint8_t *at, const uint8_t *end)
{
	uint64_t now_ns = head->begin_ns;

	while (at < end) {
		uint32_t bytes = RECORD_HEAD_BYTES;
		struct record_extended extended;
		uint64_t word;

		memcpy(&word, at, sizeof(word));
		memcpy(&extended, at, sizeof(extended));
		if ((word & RECORD_ID_EXTENDED) == RECORD_ID_EXTENDED) {
			bytes = RECORD_EXTENDED_BYTES;
			now_ns = extended.time_low | (uint64_t)extended.time_high << 32;
		} else {
			now_ns += (uint32_t)((uint32_t)(word >> RECORD_TIME_SHIFT) -
					     (uint32_t)now_ns);
		}
		memcpy(&taken->numbers[taken->number_count++], at + bytes, 4);
		at += bytes + RECORD_BYTES - RECORD_HEAD_BYTES;
	}
	assert_ptr_equal(at, end);
	assert_true(now_ns <= head->end_ns);
	taken->last_ns = now_ns;
}

static inline int take_packet(void *ctx, const void *packet, size_t len, bool late)
{
	struct taken *taken = ctx;
	struct packet_head *head = &taken->heads[taken->count++];

	taken->late += late;
	memcpy(head, packet, sizeof(*head));
	assert_int_equal(head->magic, PACKET_MAGIC);
	assert_memory_equal(head->uuid, "0123456789abcde", 16);
	assert_int_equal(head->stream_id, STREAM_CLASS_KERNEL);
	assert_true(head->content_bits <= len * 8 && len * 8 <= head->packet_bits);
	/* Padding takes the stream to where the next sub-buffer lies as it does in memory. */
	taken->bytes[head->cpu][head->level] += head->packet_bits / 8;
	if (head->content_bits < head->packet_bits)
		assert_int_equal(taken->bytes[head->cpu][head->level] % (1u << SHIFT), 0);
	assert_true(head->begin_ns <= head->end_ns);
	take_records(taken, head, (const uint8_t *)packet + sizeof(*head),
		     (const uint8_t *)packet + head->content_bits / 8);
	return taken->err;
}

static inline int drain(struct rig *rig, bool flush)
{
	rig->taken.count = 0;
	return ring_drain(rig->ring, flush ? RING_FLUSH_ALL : 0, take_packet, &rig->taken);
}

/* All records [first, last) were taken, each once and in order. */
static inline void expect_numbers(struct rig *rig, uint32_t first, uint32_t last)
{
	assert_int_equal(rig->taken.number_count, last - first);
	for (size_t i = 0; i < rig->taken.number_count; i++)
		assert_int_equal(rig->taken.numbers[i], first + i);
	rig->taken.number_count = 0;
}

#endif /* SONDE_TESTS_RING_FIXTURE_H */
