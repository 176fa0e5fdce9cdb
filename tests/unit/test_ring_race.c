// SPDX-License-Identifier: BSD-2-Clause
/*
 * The kernel half's own code of the rings (probe/ring.bpf.h), compiled for a process: threads in place of CPUs write
 * while the drainer reads. Each record that was not counted as lost comes once, whole, and in order.
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <time.h>

#include "ring_fixture.h"

#ifdef __x86_64__
#define __TARGET_ARCH_x86 /* the stores that the kernel half uses there */
#endif

/* In place of bpf/bpf_helpers.h. */
#define __BPF_HELPERS__
#define SEC(name)
#define __uint(name, value) int(*name)[value]
#define __type(name, value) typeof(value) *name
#undef __always_inline
#define __always_inline inline __attribute__((always_inline))
#define __noinline __attribute__((noinline))

#define RACE_CPUS 2u
#define RACE_SHIFT 18u /* cfg_sub_shift and cfg_sub_count */
#define RACE_SUBS 16u
#define RACE_RECORDS 300000u /* of each CPU at least */
#define WORDS_MAX 40u
#define EACH_NESTED 7u /* so many records have one of an interrupt inside */

static __thread uint32_t this_cpu;
static struct ring_cpu *control;
static uint8_t *sub_buffers;

static void *bpf_map_lookup_elem(const void *map, const void *key);

static inline __u32 bpf_get_smp_processor_id(void)
{
	return this_cpu;
}

static inline __u64 bpf_ktime_get_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* The drainer does not sleep, so nobody has to wake it. */
static inline void *bpf_ringbuf_reserve(const void *map, __u64 bytes, __u64 flags)
{
	(void)map;
	(void)bytes;
	(void)flags;
	return NULL;
}

static inline void bpf_ringbuf_discard(const void *data, __u64 flags)
{
	(void)data;
	(void)flags;
}

#include "probe/ring.bpf.h"

static void *bpf_map_lookup_elem(const void *map, const void *key)
{
	uint32_t element = *(const uint32_t *)key;

	if (map == &ring_control)
		return &control[element];
	assert(map == &ring_data);
	return sub_buffers + element * ((1ul << RACE_SHIFT) + RING_SLACK_BYTES);
}

/* One CPU, and what it has written at each level. */
struct writer {
	pthread_t thread;
	uint32_t cpu;
	uint64_t written[2];
	bool done;
};

/* Of each stream, how many records the drainer has seen; the number of the next that it expects. */
struct seen {
	uint64_t next[RACE_CPUS][2];
	uint64_t lost[RACE_CPUS][RING_LEVELS]; /* as the last packet told */
	uint64_t records;
	unsigned int packets;
};

static uint64_t seen_records; /* of all: writers go on until the drainer was at work beside them */

/* Two words of which each follows from the record's number, then as many as the number says. */
static uint32_t words_of(uint64_t number)
{
	return 2 + (uint32_t)(number * 7919 % (WORDS_MAX - 1));
}

static bool write_numbered(struct writer *writer, unsigned int level)
{
	uint64_t number = writer->written[level];
	uint32_t words = words_of(number);
	struct reservation res;
	uint64_t *at = record_reserve(&res, 7, writer->cpu, RECORD_HEAD_BYTES + 8 * words);

	if (!at)
		return false;
	assert(res.level == level);
	at++; /* behind the head */
	for (uint32_t i = 0; i < words; i++)
		at[i] = number * (i + 1);
	if (!level && number % EACH_NESTED == 0 && write_numbered(writer, 1))
		writer->written[1]++;
	record_commit(&res);
	return true;
}

static void *write_all_of(void *arg)
{
	struct writer *writer = arg;

	this_cpu = writer->cpu;
	while (writer->written[0] < RACE_RECORDS ||
	       __atomic_load_n(&seen_records, __ATOMIC_RELAXED) < RACE_RECORDS) {
		if (write_numbered(writer, 0))
			writer->written[0]++;
		else
			sched_yield();
	}
	__atomic_store_n(&writer->done, true, __ATOMIC_RELEASE);
	return NULL;
}

static int check_packet(void *ctx, const void *packet, size_t len, bool late)
{
	const struct packet_head *head = packet;
	const uint8_t *at = (const uint8_t *)(head + 1);
	const uint8_t *end = (const uint8_t *)packet + head->content_bits / 8;
	struct seen *seen = ctx;

	(void)late;
	assert_true(head->content_bits / 8 <= len);
	assert_in_range(head->cpu, 0, RACE_CPUS - 1);
	seen->lost[head->cpu][head->level] = head->discarded;
	seen->packets++;
	while (at < end) {
		uint64_t *next = &seen->next[head->cpu][head->level], word, number;

		assert_in_range(head->level, 0, 1);
		memcpy(&word, at, sizeof(word));
		at += (word & RECORD_ID_EXTENDED) == RECORD_ID_EXTENDED ? RECORD_EXTENDED_BYTES :
									  RECORD_HEAD_BYTES;
		memcpy(&number, at, sizeof(number));
		assert_int_equal(number, *next);
		for (uint32_t i = 0; i < words_of(number); i++) {
			memcpy(&word, at + 8 * i, sizeof(word));
			assert_int_equal(word, number * (i + 1));
		}
		at += 8 * words_of(number);
		++*next;
		seen->records++;
	}
	assert_ptr_equal(at, end);
	__atomic_store_n(&seen_records, seen->records, __ATOMIC_RELAXED);
	return 0;
}

static bool is_running(const struct writer *writers)
{
	for (uint32_t cpu = 0; cpu < RACE_CPUS; cpu++) {
		if (!__atomic_load_n(&writers[cpu].done, __ATOMIC_ACQUIRE))
			return true;
	}
	return false;
}

static void each_record_comes_once_and_whole(void **state)
{
	const size_t elements = RACE_CPUS * (RACE_SUBS + (RING_LEVELS - 1) * RING_NESTED_SUBS);
	struct writer writers[RACE_CPUS] = {{.cpu = 0}, {.cpu = 1}};
	struct ring_config config = {
		.cpus = RACE_CPUS, .sub_shift = RACE_SHIFT, .sub_count = RACE_SUBS};
	struct seen seen = {0};
	struct ring *ring;

	(void)state;
	control = map_memory((RACE_CPUS * sizeof(*control) + 4095) & ~4095ul, &config.control_fd);
	sub_buffers =
		map_memory(elements * ((1ul << RACE_SHIFT) + RING_SLACK_BYTES), &config.data_fd);
	config.start_ns = bpf_ktime_get_ns();
	assert_int_equal(ring_open(&config, &ring), 0);
	for (uint32_t cpu = 0; cpu < RACE_CPUS; cpu++)
		assert_int_equal(
			pthread_create(&writers[cpu].thread, NULL, write_all_of, &writers[cpu]), 0);
	while (is_running(writers))
		assert_int_equal(ring_drain(ring, RING_FLUSH_ALL, check_packet, &seen), 0);
	assert_true(seen.records >= RACE_RECORDS); /* while they wrote */
	for (uint32_t cpu = 0; cpu < RACE_CPUS; cpu++)
		assert_int_equal(pthread_join(writers[cpu].thread, NULL), 0);
	assert_int_equal(ring_drain(ring, RING_FLUSH_ALL, check_packet, &seen), 0);
	for (uint32_t cpu = 0; cpu < RACE_CPUS; cpu++) {
		for (unsigned int level = 0; level < 2; level++) {
			assert_int_equal(seen.next[cpu][level], writers[cpu].written[level]);
			assert_int_equal(seen.lost[cpu][level], control[cpu].level[level].lost);
		}
	}
	ring_close(ring);
	(void)close(config.control_fd);
	(void)close(config.data_fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_record_comes_once_and_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
