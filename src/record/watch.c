// SPDX-License-Identifier: BSD-2-Clause
#include "record/watch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "ctf/decoder.h"
#include "ctf/metadata.h"
#include "ctf/trace_class.h"
#include "ring/look.h"
#include "ring/ring.h"
#include "schema/lost.h"
#include "schema/trace_info.h"
#include "wire/record.h"

#define BATCH_EVENTS 512u
#define BATCH_OFFSETS (BATCH_EVENTS + CTF_FIELDS_MAX)
/* Of what is kept: more than all rings bring between two looks, as long as we get to look. */
#define KEPT_MAX_BYTES (64u << 20)
#define NO_OFFSETS UINT32_MAX

/* An event that waits to be shown; what it points to lies in `bytes`. */
struct kept {
	const struct event_class *class;
	int64_t time_ns;
	uint32_t payload;
	uint32_t offsets; /* or NO_OFFSETS: they are the class's */
	uint32_t len; /* of the payload */
	int32_t cpu;
	int32_t tid;
	uint32_t event_bytes;
};

/* Events that wait, in runs that are each in the order of time. */
struct waiting {
	struct kept *list;
	size_t count, room;
	uint8_t *bytes;
	size_t len, bytes_room;
};

struct watch {
	const struct watch_ops *ops;
	void *ctx;
	const struct ring *ring;
	struct look *look;
	struct ctf_trace_class *trace;
	struct trace_info info;
	bool *wanted; /* by event_class.index */
	bool in_order;
	struct waiting waiting;
	struct waiting spare; /* where the rest of `waiting` goes when its head was shown */
	struct kept *sorted; /* for merging */
	size_t sorted_room;
	uint64_t not_kept;
	uint64_t lost; /* reported so far */
	struct event_batch batch;
	struct event events[BATCH_EVENTS];
	uint32_t offsets[BATCH_OFFSETS];
};

struct watch *watch_new(const struct ring *ring, const struct watch_ops *ops, void *ctx)
{
	struct watch *watch = calloc(1, sizeof(*watch));

	if (!watch)
		return NULL;
	watch->ops = ops;
	watch->ctx = ctx;
	watch->ring = ring;
	watch->batch = (struct event_batch){.events = watch->events,
					    .room = BATCH_EVENTS,
					    .offsets = watch->offsets,
					    .offset_room = BATCH_OFFSETS};
	if (ring && look_open(ring, &watch->look)) {
		watch_free(watch);
		return NULL;
	}
	return watch;
}

static void waiting_fini(struct waiting *waiting)
{
	free(waiting->list);
	free(waiting->bytes);
	*waiting = (struct waiting){0};
}

void watch_free(struct watch *watch)
{
	if (!watch)
		return;
	look_close(watch->look);
	ctf_trace_class_free(watch->trace);
	waiting_fini(&watch->waiting);
	waiting_fini(&watch->spare);
	free(watch->sorted);
	free(watch->wanted);
	free(watch);
}

/* At least @want of @bytes each, doubled. False: no memory, or over the limit. */
static bool make_room(void **pool, size_t *room, size_t want, size_t bytes)
{
	size_t larger = *room ?: 256;
	void *more;

	if (want <= *room)
		return true;
	while (larger < want)
		larger *= 2;
	if (larger * bytes > KEPT_MAX_BYTES)
		return false;
	more = realloc(*pool, larger * bytes);
	if (!more)
		return false;
	*pool = more;
	*room = larger;
	return true;
}

/* A copy of @len bytes: where it is in `bytes`, a multiple of 8, or UINT32_MAX. */
static uint32_t keep_bytes(struct waiting *waiting, const void *bytes, size_t len)
{
	size_t at = waiting->len, rounded = (len + 7) & ~(size_t)7;

	/* One element more than there is: getters may load 8 bytes at once. */
	if (!make_room((void **)&waiting->bytes, &waiting->bytes_room, at + rounded + 8, 1))
		return UINT32_MAX;
	memcpy(waiting->bytes + at, bytes, len);
	waiting->len += rounded;
	return (uint32_t)at;
}

static bool keep(struct waiting *waiting, const struct kept *one, const void *payload,
		 const uint32_t *offsets)
{
	struct kept kept = *one;

	if (!make_room((void **)&waiting->list, &waiting->room, waiting->count + 1, sizeof(kept)))
		return false;
	kept.payload = keep_bytes(waiting, payload, kept.len);
	kept.offsets = NO_OFFSETS;
	if (offsets != kept.class->offsets)
		kept.offsets =
			keep_bytes(waiting, offsets, kept.class->field_count * sizeof(*offsets));
	if (kept.payload == UINT32_MAX ||
	    (offsets != kept.class->offsets && kept.offsets == NO_OFFSETS))
		return false;
	waiting->list[waiting->count++] = kept;
	return true;
}

/* @end: of the bytes that @event lies in. Its record may have either head: it is not shorter. */
static void keep_event(struct watch *watch, const struct event *event, const uint8_t *end)
{
	const struct event_class *class = event->class;
	size_t len = class->fixed ? class->payload_bytes : event->bytes - RECORD_HEAD_BYTES;
	struct kept one = {
		.class = class,
		.time_ns = event->time_ns,
		.cpu = event->cpu,
		.tid = event->tid,
		.event_bytes = event->bytes,
	};

	if (len > (size_t)(end - event->payload))
		len = (size_t)(end - event->payload);
	one.len = (uint32_t)len;
	if (!keep(&watch->waiting, &one, event->payload, event->offsets))
		watch->not_kept++;
}

static void take_event(struct watch *watch, const struct event *event, const uint8_t *end)
{
	if (watch->in_order)
		keep_event(watch, event, end);
	else
		watch->ops->see(watch->ctx, event);
}

/* All events of a decoder whose window ends at @end; how many there were. */
static uint64_t keep_all(struct watch *watch, struct decoder *decoder, const uint8_t *end)
{
	uint64_t count = 0;
	int more;

	do {
		watch->batch.count = watch->batch.offset_count = 0;
		watch->batch.full = false;
		more = decoder_run(decoder, INT64_MAX, &watch->batch, NULL);
		for (size_t i = 0; i < watch->batch.count; i++) {
			if (watch->wanted[watch->events[i].class->index])
				take_event(watch, &watch->events[i], end);
		}
		count += watch->batch.count;
	} while (more > 0);
	return count;
}

static uint64_t view_span(void *ctx, const struct look_span *span, uint64_t *clock_ns)
{
	struct watch *watch = ctx;
	const struct ctf_stream_class *stream =
		ctf_trace_class_stream(watch->trace, STREAM_CLASS_KERNEL);
	struct decoder decoder;
	uint64_t count;

	decoder_init(&decoder, watch->trace);
	decoder_open_events(&decoder, stream, (int32_t)span->cpu, span->clock_ns, span->records,
			    span->len);
	count = keep_all(watch, &decoder, span->records + span->len);
	*clock_ns = decoder.clock;
	return count;
}

void watch_packet(struct watch *watch, const void *packet, size_t len)
{
	struct decoder decoder;

	decoder_init(&decoder, watch->trace);
	if (!decoder_open(&decoder, packet, len, len, NULL))
		(void)keep_all(watch, &decoder, (const uint8_t *)packet + len);
}

/* The run that begins at @from ends where time goes back. */
static size_t run_end(const struct kept *list, size_t from, size_t count)
{
	size_t end = from + 1;

	while (end < count && list[end].time_ns >= list[end - 1].time_ns)
		end++;
	return end < count ? end : count;
}

static void merge_two(const struct kept *a, const struct kept *a_end, const struct kept *b,
		      const struct kept *b_end, struct kept *out)
{
	while (a < a_end && b < b_end)
		*out++ = b->time_ns < a->time_ns ? *b++ : *a++;
	memcpy(out, a, (size_t)(a_end - a) * sizeof(*a));
	out += a_end - a;
	memcpy(out, b, (size_t)(b_end - b) * sizeof(*b));
}

/* There are about as many runs as rings: neighbours are merged until one is left. */
static bool sort_waiting(struct watch *watch)
{
	struct waiting *waiting = &watch->waiting;
	size_t count = waiting->count;

	if (!make_room((void **)&watch->sorted, &watch->sorted_room, waiting->room,
		       sizeof(*watch->sorted)))
		return false;
	while (count && run_end(waiting->list, 0, count) < count) {
		struct kept *list = waiting->list;

		for (size_t from = 0; from < count;) {
			size_t middle = run_end(list, from, count);
			size_t end = middle < count ? run_end(list, middle, count) : middle;

			merge_two(list + from, list + middle, list + middle, list + end,
				  watch->sorted + from);
			from = end;
		}
		waiting->list = watch->sorted;
		watch->sorted = list;
		watch->sorted_room = waiting->room;
	}
	return true;
}

static void show(struct watch *watch, const struct kept *kept)
{
	const uint8_t *bytes = watch->waiting.bytes;
	const struct event event = {
		.class = kept->class,
		.payload = bytes + kept->payload,
		.offsets = kept->offsets == NO_OFFSETS ?
				   kept->class->offsets :
				   (const uint32_t *)(const void *)(bytes + kept->offsets),
		.time_ns = kept->time_ns,
		.cpu = kept->cpu,
		.tid = kept->tid,
		.bytes = kept->event_bytes,
	};

	watch->ops->see(watch->ctx, &event);
}

/* What is not shown yet moves into the spare, so that its bytes lie at the front again. */
static void keep_rest(struct watch *watch, size_t from)
{
	struct waiting *old = &watch->waiting, *rest = &watch->spare, swap;

	rest->count = rest->len = 0;
	for (size_t i = from; i < old->count; i++) {
		const struct kept *kept = &old->list[i];
		const uint32_t *offsets = kept->class->offsets;

		if (kept->offsets != NO_OFFSETS)
			offsets = (const uint32_t *)(const void *)(old->bytes + kept->offsets);
		if (!keep(rest, kept, old->bytes + kept->payload, offsets))
			watch->not_kept++;
	}
	swap = *old;
	*old = *rest;
	*rest = swap;
}

static void show_until(struct watch *watch, int64_t time_ns)
{
	size_t i;

	if (!sort_waiting(watch)) {
		watch->not_kept += watch->waiting.count;
		watch->waiting.count = 0;
	}
	for (i = 0; i < watch->waiting.count && watch->waiting.list[i].time_ns <= time_ns; i++)
		show(watch, &watch->waiting.list[i]);
	keep_rest(watch, i);
}

/* All that is missing so far. */
static uint64_t count_lost(const struct watch *watch)
{
	struct ring_totals totals = {0};

	if (watch->ring)
		ring_totals(watch->ring, &totals);
	return totals.lost + totals.nested_lost + watch_unseen(watch);
}

/* Where is not known: before all that this look has found. */
static void show_lost(struct watch *watch)
{
	uint64_t lost = count_lost(watch);
	const struct lost_payload payload = {.count = lost - watch->lost};
	const struct event event = {
		.class = &lost_class,
		.payload = (const uint8_t *)&payload,
		.offsets = lost_class.offsets,
		.time_ns = watch->waiting.count ? watch->waiting.list[0].time_ns : 0,
		.cpu = -1,
		.tid = -1,
	};

	if (lost > watch->lost && watch->wanted[lost_class.index])
		watch->ops->see(watch->ctx, &event);
	watch->lost = lost;
}

void watch_look(struct watch *watch, uint64_t until_ns)
{
	if (watch->look)
		look_run(watch->look, view_span, watch);
	show_lost(watch);
	show_until(watch, until_ns > INT64_MAX / 2 ? INT64_MAX :
						     (int64_t)until_ns + watch_clock_offset(watch));
}

int watch_describe(struct watch *watch, const char *metadata, size_t len, struct diag *diag)
{
	struct ctf_trace_class *trace = NULL;
	bool *wanted;
	int err = metadata_read(metadata, len, &trace, diag);

	if (err)
		return err;
	/* What waits has the old classes. */
	if (watch->trace)
		watch_look(watch, UINT64_MAX);
	wanted = calloc(trace->class_count, sizeof(*wanted));
	if (!wanted) {
		ctf_trace_class_free(trace);
		return diag_set(diag, -ENOMEM, "no memory");
	}
	watch->info = (struct trace_info){.class_count = trace->class_count,
					  .classes = trace->classes,
					  .env_count = trace->env_count,
					  .env = trace->env};
	err = watch->ops->describe(watch->ctx, &watch->info, diag);
	for (size_t i = 0; !err && i < trace->class_count; i++)
		wanted[trace->classes[i]->index] = watch->ops->wants(watch->ctx, trace->classes[i]);
	watch->in_order = !err && watch->ops->needs_order(watch->ctx);
	free(watch->wanted);
	watch->wanted = wanted;
	ctf_trace_class_free(watch->trace);
	watch->trace = trace;
	return err;
}

uint64_t watch_unseen(const struct watch *watch)
{
	return watch->not_kept + (watch->look ? look_unseen(watch->look) : 0);
}

int64_t watch_clock_offset(const struct watch *watch)
{
	return watch->trace->clock_count ? watch->trace->clocks[0]->offset_ns : 0;
}
