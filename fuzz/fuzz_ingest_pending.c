// SPDX-License-Identifier: BSD-2-Clause
/*
 * fuzz_ingest_pending: any sequence of calls, with numbers near those that come next and at the ends of their range.
 * Each byte of the input is a call: the low three bits say which, the others choose a number, or how many times. Packets leave in
 * order, each with its own data and its own index entry, and the invariant holds after each call.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "live/ingest/ingest_pending.h"

#define BURST_MOST 17u /* 2^17 packets: more than are kept */
#define BURSTS_MOST 8u /* of these in one input, so that it ends soon */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { CALL_DATA, CALL_INDEX, CALL_BEGIN, CALL_GET, CALL_HAS, CALL_DATA_BURST, CALL_INDEX_BURST };

struct run {
	struct ingest_pending pending;
	size_t total;
	bool any; /* packet was whole, the next one is: */
	uint64_t next_whole;
};

static uint64_t choose(const struct run *run, unsigned int choice, uint64_t next)
{
	const uint64_t numbers[] = {next,
				    next,
				    next + 1,
				    next - 1,
				    0,
				    1,
				    INGEST_PENDING_MAX - 1,
				    INGEST_PENDING_MAX,
				    INGEST_PENDING_MAX + 1,
				    UINT64_MAX,
				    UINT64_MAX - 1,
				    UINT64_MAX - INGEST_PENDING_MAX,
				    1ull << 63,
				    run->pending.done,
				    run->pending.next_data,
				    run->pending.next_index};

	return numbers[choice % (sizeof(numbers) / sizeof(numbers[0]))];
}

static uint64_t bytes_of(uint64_t number)
{
	return 8 + number % 3;
}

static void check(struct run *run, int got, const struct ingest_packet *whole)
{
	if (!ingest_pending_is_sound(&run->pending) || run->total != run->pending.count)
		abort();
	if (got != 1)
		return;
	if (whole->offset != 8 * whole->number || whole->index.begin != whole->number ||
	    whole->index.packet_bits != 8 * whole->bytes ||
	    (run->any && whole->number != run->next_whole))
		abort();
	run->any = true;
	run->next_whole = whole->number + 1;
	if (run->pending.done != run->next_whole)
		abort();
}

static int take_data(struct run *run, uint64_t number)
{
	const struct ingest_packet packet = {
		.number = number, .offset = 8 * number, .bytes = bytes_of(number)};
	struct ingest_packet whole;
	int got = ingest_pending_begin(&run->pending, number);

	got = got ?: ingest_pending_data(&run->pending, &packet, &whole);
	check(run, got, &whole);
	return got;
}

static int take_index(struct run *run, uint64_t number)
{
	const struct ingest_index index = {
		.number = number, .packet_bits = 8 * bytes_of(number), .begin = number};
	struct ingest_packet whole;
	int got = ingest_pending_index(&run->pending, &index, &whole);

	check(run, got, &whole);
	return got;
}

/* Each that waits is there, with its number; none behind them. */
static void get(struct run *run, uint64_t i)
{
	const struct ingest_packet *packet = ingest_pending_get(&run->pending, i);

	if (packet &&
	    (packet->number != run->pending.done + i || packet->offset != 8 * packet->number))
		abort();
	if (!packet && i < run->pending.count && run->pending.next_data > run->pending.next_index)
		abort();
}

static void burst(struct run *run, unsigned int choice, bool is_data)
{
	const struct ingest_pending *pending = &run->pending;
	int got = 0;

	for (uint32_t i = 0; got >= 0 && i < 1u << choice % (BURST_MOST + 1); i++)
		got = is_data ? take_data(run, pending->next_data) :
				take_index(run, pending->next_index);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct run run = {0};
	unsigned int bursts = 0;

	ingest_pending_init(&run.pending, &run.total);
	for (size_t i = 0; i < size; i++) {
		unsigned int call = data[i] & 7, choice = data[i] >> 3;

		if (call == CALL_DATA)
			(void)take_data(&run, choose(&run, choice, run.pending.next_data));
		else if (call == CALL_INDEX)
			(void)take_index(&run, choose(&run, choice, run.pending.next_index));
		else if (call == CALL_BEGIN)
			(void)ingest_pending_begin(&run.pending,
						   choose(&run, choice, run.pending.next_data));
		else if (call == CALL_GET)
			get(&run, choose(&run, choice, 0));
		else if (call == CALL_HAS)
			(void)ingest_pending_has(&run.pending, choose(&run, choice, 0));
		else if (call > CALL_INDEX_BURST)
			ingest_pending_give_up(&run.pending);
		else if (bursts++ < BURSTS_MOST)
			burst(&run, choice, call == CALL_DATA_BURST);
		check(&run, 0, NULL);
	}
	ingest_pending_fini(&run.pending);
	if (run.total)
		abort();
	return 0;
}
