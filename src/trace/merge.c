// SPDX-License-Identifier: BSD-2-Clause
#include "trace/merge.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "ctf/decoder.h"
#include "schema/source.h"
#include "trace/packet_map.h"
#include "trace/stream_chain.h"
#include "trace/stream_reader.h"

#define BATCH_EVENTS 512u
#define BATCH_OFFSETS CTF_OFFSETS_MAX

struct entry {
	int64_t ns; /* no event to come of the stream is earlier */
	size_t order; /* of equal times, the stream that was added first wins */
	struct stream_reader *stream;
};

struct merge {
	struct entry *heap; /* the earliest on top; streams that ended are behind `live` */
	size_t live;
	size_t count;
	size_t next_order;
	uint64_t dropped_packets; /* of streams that are no more */
	int64_t to_ns; /* nothing later goes out */
	source_stop_fn *is_stopped; /* NULL: it is not stopped */
	struct event_batch batch;
};

struct merge *merge_new(void)
{
	struct merge *merge = calloc(1, sizeof(*merge));

	if (!merge)
		return NULL;
	merge->to_ns = INT64_MAX;
	merge->batch.events = calloc(BATCH_EVENTS, sizeof(struct event));
	merge->batch.room = BATCH_EVENTS;
	merge->batch.offsets = calloc(BATCH_OFFSETS, sizeof(uint32_t));
	merge->batch.offset_room = BATCH_OFFSETS;
	if (!merge->batch.events || !merge->batch.offsets) {
		merge_free(merge);
		return NULL;
	}
	return merge;
}

void merge_free(struct merge *merge)
{
	if (!merge)
		return;
	for (size_t i = 0; i < merge->count; i++)
		stream_reader_free(merge->heap[i].stream);
	free(merge->heap);
	free(merge->batch.events);
	free(merge->batch.offsets);
	free(merge->batch.copies);
	free(merge);
}

static bool is_before(const struct entry *a, const struct entry *b)
{
	return a->ns != b->ns ? a->ns < b->ns : a->order < b->order;
}

static void swap(struct entry *a, struct entry *b)
{
	struct entry kept = *a;

	*a = *b;
	*b = kept;
}

/* Puts the stream on top where @ns, its new time, belongs. */
static void sift_down(struct merge *merge, int64_t ns)
{
	struct entry *heap = merge->heap;
	struct stream_reader *stream = heap[0].stream;
	const size_t order = heap[0].order, live = merge->live;
	size_t at = 0, child;

	for (; (child = 2 * at + 1) < live; at = child) {
		if (child + 1 < live && is_before(&heap[child + 1], &heap[child]))
			child++;
		if (ns < heap[child].ns || (ns == heap[child].ns && order < heap[child].order))
			break;
		heap[at].ns = heap[child].ns;
		heap[at].order = heap[child].order;
		heap[at].stream = heap[child].stream;
	}
	heap[at].ns = ns;
	heap[at].order = order;
	heap[at].stream = stream;
}

static void sift_up(struct merge *merge, size_t at)
{
	while (at && is_before(&merge->heap[at], &merge->heap[(at - 1) / 2])) {
		swap(&merge->heap[at], &merge->heap[(at - 1) / 2]);
		at = (at - 1) / 2;
	}
}

int merge_add(struct merge *merge, struct stream_reader *stream)
{
	struct entry *heap = realloc(merge->heap, (merge->count + 1) * sizeof(*heap));

	if (!heap) {
		stream_reader_free(stream);
		return -ENOMEM;
	}
	merge->heap = heap;
	/* The place of the first stream that ended becomes free. */
	heap[merge->count] = heap[merge->live];
	stream_reader_stop_when(stream, merge->is_stopped);
	heap[merge->live] =
		(struct entry){.ns = INT64_MIN, .order = merge->next_order++, .stream = stream};
	merge->count++;
	sift_up(merge, merge->live++);
	return 0;
}

int merge_chain(const struct merge *merge, const struct ctf_trace_class *trace,
		struct stream_chain *chain)
{
	int err = 0;

	for (size_t i = 0; i < merge->count && !err; i++)
		err = stream_chain_add(chain, trace, merge->heap[i].stream);
	return err;
}

void merge_drop(struct merge *merge, const struct stream_reader *stream)
{
	for (size_t i = merge->live; i < merge->count; i++) {
		if (merge->heap[i].stream != stream)
			continue;
		merge->dropped_packets += stream_reader_packets(stream);
		stream_reader_free(merge->heap[i].stream);
		merge->heap[i] = merge->heap[--merge->count];
		return;
	}
}

void merge_stop_when(struct merge *merge, source_stop_fn *is_stopped)
{
	merge->is_stopped = is_stopped;
	for (size_t i = 0; i < merge->count; i++)
		stream_reader_stop_when(merge->heap[i].stream, is_stopped);
}

/* The same without a read, so that what is in the batch stays. */
static bool advance_top(struct merge *merge)
{
	struct stream_reader *stream = merge->heap[0].stream;

	if (!stream_reader_advance(stream))
		return false;
	sift_down(merge, stream_reader_next_ns(stream));
	return true;
}

/* The earliest stream's next piece. Its place may be another then, or it may have ended. */
static int refill_top(struct merge *merge)
{
	struct entry *top = &merge->heap[0];
	int err = stream_reader_refill(top->stream);

	if (err)
		return err;
	if (stream_reader_state(top->stream) == STREAM_END) {
		swap(top, &merge->heap[--merge->live]);
		sift_down(merge, top->ns);
	} else {
		sift_down(merge, stream_reader_next_ns(top->stream));
	}
	return 0;
}

/*
 * How far the earliest stream can be read on before another one has its turn. Equal times go by the
 * order of the streams alone, so that what comes out does not depend on where reading began.
 */
static int64_t limit_of(const struct merge *merge)
{
	const struct entry *heap = merge->heap, *next = NULL;
	int64_t ns = INT64_MAX;

	if (merge->live > 1)
		next = merge->live > 2 && is_before(&heap[2], &heap[1]) ? &heap[2] : &heap[1];
	if (next)
		ns = next->order < heap[0].order && next->ns > INT64_MIN ? next->ns - 1 : next->ns;
	return ns < merge->to_ns ? ns : merge->to_ns;
}

int merge_next(struct merge *merge, const struct event **ret)
{
	struct event_batch *batch = &merge->batch;

	batch->count = 0;
	batch->offset_count = 0;
	batch->full = false;
	while (merge->live && !batch->full) {
		struct entry *top = &merge->heap[0];

		if (top->ns > merge->to_ns)
			break;
		if (stream_reader_state(top->stream) == STREAM_HUNGRY) {
			int err = 0;

			if (batch->count && advance_top(merge))
				continue;
			if (batch->count)
				break;
			err = refill_top(merge);
			if (err)
				return err;
			continue;
		}
		stream_reader_run(top->stream, limit_of(merge), batch);
		sift_down(merge, stream_reader_next_ns(top->stream));
	}
	*ret = batch->events;
	return (int)batch->count;
}

void merge_look(struct merge *merge, bool grow)
{
	const size_t ended = merge->live;

	for (size_t i = 0; i < ended; i++)
		(void)stream_reader_look(merge->heap[i].stream, grow);
	for (size_t i = ended; i < merge->count; i++) {
		if (!stream_reader_look(merge->heap[i].stream, grow))
			continue;
		swap(&merge->heap[i], &merge->heap[merge->live]);
		merge->heap[merge->live].ns = INT64_MIN;
		sift_up(merge, merge->live++);
	}
}

void merge_until(struct merge *merge, int64_t ns)
{
	merge->to_ns = ns;
}

int merge_seek(struct merge *merge, const struct source_span *span)
{
	int err = 0;

	merge->to_ns = span->to_ns;
	for (size_t i = 0; !err && i < merge->live; i++)
		err = stream_reader_seek(merge->heap[i].stream, span);
	return err;
}

static int compare_moments(const void *left, const void *right)
{
	const int64_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

size_t merge_cut(struct merge *merge, uint64_t bytes, int64_t *moments, size_t room)
{
	size_t count = 0, unique = 0;

	/* Each stream is cut by itself, and begins elsewhere, lest all be cut at the same moments. */
	for (size_t i = 0; i < merge->count; i++) {
		const struct packet_map *map = stream_reader_map(merge->heap[i].stream);
		uint64_t next = bytes / (merge->count + 1) * (i + 1);

		for (size_t k = 0; map && k < map->count && count < room; k++) {
			if (map->places[k].offset < next)
				continue;
			/* Just behind its begin, so that reading begins with this packet. */
			moments[count++] = map->places[k].begin_ns + 1;
			next = map->places[k].offset + bytes;
		}
	}
	qsort(moments, count, sizeof(*moments), compare_moments);
	for (size_t i = 0; i < count; i++)
		if (!unique || moments[i] != moments[unique - 1])
			moments[unique++] = moments[i];
	return unique;
}

uint64_t merge_packets(const struct merge *merge)
{
	uint64_t packets = merge->dropped_packets;

	for (size_t i = 0; i < merge->count; i++)
		packets += stream_reader_packets(merge->heap[i].stream);
	return packets;
}
