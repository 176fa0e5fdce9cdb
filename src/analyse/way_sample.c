// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/way_sample.h"

#include <stdlib.h>

static void swap(struct packet_way *a, struct packet_way *b)
{
	struct packet_way way = *a;

	*a = *b;
	*b = way;
}

static void sink(struct way_sample *sample, size_t i)
{
	struct packet_way *heap = sample->slowest;
	size_t least, child;

	for (;;) {
		least = i;
		for (child = 2 * i + 1; child <= 2 * i + 2 && child < sample->slowest_count;
		     child++)
			if (packet_way_total(&heap[child]) < packet_way_total(&heap[least]))
				least = child;
		if (least == i)
			return;
		swap(&heap[i], &heap[least]);
		i = least;
	}
}

static void rise(struct way_sample *sample, size_t i)
{
	struct packet_way *heap = sample->slowest;

	for (; i && packet_way_total(&heap[i]) < packet_way_total(&heap[(i - 1) / 2]);
	     i = (i - 1) / 2)
		swap(&heap[i], &heap[(i - 1) / 2]);
}

void way_sample_add(struct way_sample *sample, const struct packet_way *way)
{
	if (sample->seen < WAY_SAMPLE_FIRST)
		sample->first[sample->seen] = *way;
	sample->seen++;
	/* How long one took whose beginning or end is not known means little. */
	if (way->end == WAY_INCOMPLETE)
		return;
	if (sample->slowest_count < WAY_SAMPLE_SLOWEST) {
		sample->slowest[sample->slowest_count++] = *way;
		rise(sample, sample->slowest_count - 1);
	} else if (packet_way_total(way) > packet_way_total(&sample->slowest[0])) {
		sample->slowest[0] = *way;
		sink(sample, 0);
	}
}

static int by_time(const void *left, const void *right)
{
	const struct packet_way *a = *(const struct packet_way *const *)left;
	const struct packet_way *b = *(const struct packet_way *const *)right;

	if (a->steps[0].time_ns != b->steps[0].time_ns)
		return a->steps[0].time_ns < b->steps[0].time_ns ? -1 : 1;
	return a->key.seq < b->key.seq ? -1 : a->key.seq > b->key.seq;
}

static int by_total(const void *left, const void *right)
{
	const struct packet_way *a = *(const struct packet_way *const *)left;
	const struct packet_way *b = *(const struct packet_way *const *)right;
	uint64_t a_ns = packet_way_total(a), b_ns = packet_way_total(b);

	if (a_ns != b_ns)
		return a_ns > b_ns ? -1 : 1;
	return by_time(left, right);
}

const struct packet_way **way_sample_choose(const struct way_sample *sample, size_t few,
					    size_t most, size_t *count)
{
	bool all = sample->seen <= few && sample->seen <= WAY_SAMPLE_FIRST;
	const struct packet_way *from = all ? sample->first : sample->slowest;
	size_t have = all ? (size_t)sample->seen : sample->slowest_count;
	const struct packet_way **list = calloc(have + 1, sizeof(*list));

	*count = 0;
	for (size_t i = 0; list && i < have; i++)
		list[i] = &from[i];
	if (!list)
		return NULL;
	qsort(list, have, sizeof(*list), all ? by_time : by_total);
	*count = all || have < most ? have : most;
	return list;
}
