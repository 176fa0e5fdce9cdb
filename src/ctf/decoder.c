// SPDX-License-Identifier: BSD-2-Clause
#include "ctf/decoder.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "ctf/byte_plan.h"
#include "ctf/head_plan.h"
#include "ctf/steps.h"
#include "ctf/trace_class.h"
#include "ctf/walk.h"

#define COPIES_BYTES (256u << 10) /* of events of one batch */

/* An event whose header has been read: what it is and where its contexts and payload begin. */
struct head {
	const struct ctf_layout *layout;
	uint64_t start; /* bits from the start of the packet, and the next one too */
	uint64_t payload; /* with its contexts, unless they are of the head */
	uint64_t clock;
	uint64_t steps; /* of the packet, up to where this was read */
	int32_t tid;
};

void decoder_init(struct decoder *decoder, const struct ctf_trace_class *trace)
{
	*decoder = (struct decoder){.trace = trace, .next_ns = INT64_MIN};
}

void decoder_fini(struct decoder *decoder)
{
	free(decoder->head);
	decoder->head = NULL;
	decoder->head_bytes = 0;
}

int decoder_renew(struct decoder *decoder, const struct ctf_trace_class *trace)
{
	const struct ctf_stream_class *stream = decoder->packet.stream;

	decoder->trace = trace;
	if (!stream)
		return 0;
	decoder->packet.stream = ctf_trace_class_stream(trace, stream->id);
	return decoder->packet.stream ? 0 : -EPROTO;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* The window moves on, and events have fields of the packet's context. 0 or -ENOMEM. */
static int keep_head(struct decoder *decoder, const uint8_t *data)
{
	const size_t bytes = (size_t)((decoder->packet.head_bits + 7) / 8);
	uint8_t *head = realloc(decoder->head, bytes ?: 1);

	if (!head)
		return -ENOMEM;
	memcpy(head, data, bytes);
	decoder->head = head;
	decoder->head_bytes = bytes;
	return 0;
}

int decoder_open(struct decoder *decoder, const uint8_t *data, size_t len, uint64_t available,
		 struct diag *diag)
{
	uint64_t all = available > UINT64_MAX / 8 ? UINT64_MAX : available * 8;
	int err = packet_parse(decoder->trace, data, len, decoder->slots, decoder->clock,
			       &decoder->packet, diag);

	if (!err && decoder->packet.stream->shows_packet)
		err = keep_head(decoder, data);
	if (err)
		return err;
	decoder->pos = decoder->packet.head_bits;
	decoder->end = smaller(decoder->packet.content_bits, all);
	decoder->torn = decoder->packet.content_bits != UINT64_MAX &&
			decoder->packet.content_bits > all;
	decoder->clock = decoder->packet.clock;
	decoder->steps = 0;
	if (decoder->packet.has_begin)
		decoder->next_ns = ctf_clock_ns(decoder->packet.stream->clock, decoder->clock);
	decoder_set_window(decoder, 0, data, len);
	return 0;
}

void decoder_open_events(struct decoder *decoder, const struct ctf_stream_class *stream,
			 int32_t cpu, uint64_t clock, const uint8_t *data, size_t len)
{
	decoder->packet = (struct packet){
		.stream = stream,
		.content_bits = (uint64_t)len * 8,
		.packet_bits = (uint64_t)len * 8,
		.clock = clock,
		.cpu = cpu,
	};
	decoder->pos = 0;
	decoder->end = (uint64_t)len * 8;
	decoder->torn = false;
	decoder->clock = clock;
	decoder->steps = 0;
	decoder_set_window(decoder, 0, data, len);
}

void decoder_set_window(struct decoder *decoder, uint64_t at, const uint8_t *data, size_t len)
{
	decoder->data = data;
	decoder->window_begin = at * 8;
	decoder->window_end = smaller(at * 8 + (uint64_t)len * 8, decoder->end);
}

uint64_t decoder_byte(const struct decoder *decoder)
{
	return decoder->pos / 8;
}

static int fail(const struct decoder *decoder, const struct head *head, struct diag *diag,
		const char *what)
{
	const char *name = head->layout ? head->layout->class.name : "";

	(void)diag_set(diag, -EBADMSG, "event%s%s at byte %" PRIu64 " of %" PRIu64 " %s",
		       *name ? " " : "", name, head->start / 8, decoder->end / 8, what);
	if (diag)
		diag->offset = head->start / 8;
	return -EBADMSG;
}

/* What it means that an event does not fit the window. */
static int fail_short(const struct decoder *decoder, const struct head *head, struct diag *diag)
{
	if (decoder->window_end < decoder->end)
		return -EAGAIN;
	if (decoder->torn)
		return 0;
	return fail(decoder, head, diag, "does not fit its packet");
}

static int fail_walk(const struct decoder *decoder, const struct head *head, int err,
		     struct diag *diag)
{
	if (err == -ENODATA)
		return fail_short(decoder, head, diag);
	if (err == -EILSEQ)
		return fail(decoder, head, diag, "changes the byte order inside a byte");
	if (err == -ENOBUFS || err == -E2BIG)
		return fail(decoder, head, diag, "is larger than can be read");
	return fail(decoder, head, diag, "does not have the form that the metadata gives");
}

/* Any header, as described. 1 = got it, 0 = the packet ends, or -errno. */
static int read_head(struct decoder *decoder, struct head *head, struct diag *diag)
{
	const struct ctf_stream_class *stream = decoder->packet.stream;
	const struct ctf_event_decl *event;
	struct walk walk;
	uint64_t id;
	int err;

	walk.data = decoder->data;
	walk.base = decoder->window_begin;
	walk.pos = head->start;
	walk.end = decoder->window_end;
	walk.clock = decoder->clock;
	walk.steps = decoder->steps;
	walk.slots = decoder->slots;
	walk_reset(&walk);
	err = walk_type(&walk, stream->event_header);
	if (err)
		return fail_walk(decoder, head, err, diag);
	id = walk_has(&walk, CTF_ROLE_ID) ? walk.values[CTF_ROLE_ID] : 0;
	event = ctf_stream_class_event(stream, id);
	if (!event) {
		char text[80];

		(void)snprintf(text, sizeof(text),
			       "is of class %" PRIu64 ", which the metadata does not have", id);
		return fail(decoder, head, diag, text);
	}
	head->layout = event->layout;
	head->tid = -1;
	if (stream->head_has_context) {
		walk_reset(&walk);
		err = walk_type(&walk, stream->event_context);
		if (err)
			return fail_walk(decoder, head, err, diag);
		head->tid = (int32_t)walk.values[CTF_ROLE_TID];
	}
	head->payload = walk_align(walk.pos, head->layout->align);
	head->steps = walk.steps;
	head->clock = walk.clock;
	return 1;
}

/* Whether the class's own offsets hold for this event. */
static bool is_in_place(const struct head *head)
{
	return head->layout->class.fixed && !(head->payload & (head->layout->align_max - 1));
}

static uint64_t read_task(const struct decoder *decoder, const struct head *head)
{
	const struct ctf_layout *layout = head->layout;
	uint64_t at = head->payload + layout->tid_offset - decoder->window_begin;
	uint64_t value = bits_get(decoder->data, at, layout->tid_bits, layout->tid_big_endian);

	return layout->tid_signed ? bits_sign(value, layout->tid_bits) : value;
}

/* Room in the batch for the copy of an event. -ENOBUFS: other events are in the way. */
static int make_copy_room(struct event_batch *batch, size_t bytes)
{
	uint8_t *copies;

	if (bytes <= batch->copy_room - batch->copy_bytes)
		return 0;
	if (batch->count)
		return -ENOBUFS;
	if (bytes < COPIES_BYTES)
		bytes = COPIES_BYTES;
	copies = realloc(batch->copies, bytes);
	if (!copies)
		return -ENOMEM;
	batch->copies = copies;
	batch->copy_room = bytes;
	return 0;
}

/* The event behind the head of its packet: from there its offsets are counted. */
static int copy_event(const struct decoder *decoder, const struct head *head, uint64_t end,
		      struct event_batch *batch, const uint8_t **payload)
{
	const uint64_t begin = head->payload & ~7ull;
	const size_t bytes = (size_t)((end - begin + 7) / 8);
	int err = make_copy_room(batch, decoder->head_bytes + bytes);
	uint8_t *copy;

	if (err)
		return err;
	copy = batch->copies + batch->copy_bytes;
	memcpy(copy, decoder->head, decoder->head_bytes);
	memcpy(copy + decoder->head_bytes, decoder->data + (begin - decoder->window_begin) / 8,
	       bytes);
	batch->copy_bytes += decoder->head_bytes + bytes;
	*payload = copy;
	return 0;
}

/* Values of the packet that hold for all its events. */
static int take_packet_steps(const struct decoder *decoder, const struct ctf_layout *layout,
			     struct ctf_stepper *stepper, uint32_t *offsets)
{
	struct ctf_stepper packet = *stepper;
	int err;

	if (!decoder->head_bytes)
		return -EBADMSG;
	packet.data = decoder->head;
	packet.window_begin = 0;
	packet.end = decoder->packet.head_bits;
	packet.pos = decoder->packet.context_at;
	packet.base = 0;
	err = ctf_steps_run(&packet, &layout->packet_steps, &layout->class, offsets);
	stepper->pool = packet.pool;
	stepper->room = packet.room;
	stepper->steps = packet.steps;
	stepper->base -= (uint64_t)decoder->head_bytes * 8;
	return err == -ENODATA ? -EBADMSG : err;
}

/* Takes the event's steps. -ENOBUFS: the batch has no room for all of its offsets. */
static int take_steps(struct decoder *decoder, struct head *head, struct event_batch *batch,
		      uint64_t *end)
{
	const struct ctf_layout *layout = head->layout;
	const size_t own = layout->class.offset_count;
	uint32_t *pool = batch->offsets + batch->offset_count;
	const size_t room = batch->offset_room - batch->offset_count;
	struct ctf_stepper stepper = {
		.data = decoder->data,
		.window_begin = decoder->window_begin,
		.end = decoder->window_end,
		.pos = head->payload,
		.base = head->payload & ~7ull,
		.slots = decoder->slots,
		.pool = pool + own,
		.room = room - own,
	};
	int err;

	if (own > room)
		return -ENOBUFS;
	if (decoder->packet.stream->shows_packet) {
		err = take_packet_steps(decoder, layout, &stepper, pool);
		err = err ?: ctf_steps_run_on(&stepper, &layout->steps, &layout->class, pool);
	} else {
		err = ctf_steps_run(&stepper, &layout->steps, &layout->class, pool);
	}
	head->steps += stepper.steps;
	if (!err && !walk_may_spend(head->steps, stepper.pos))
		err = -E2BIG;
	if (err)
		return err;
	if (layout->tid_bits)
		head->tid = (int32_t)decoder->slots[layout->tid_slot];
	batch->offset_count = (size_t)(stepper.pool - batch->offsets);
	*end = stepper.pos;
	return 0;
}

/* @head also gets what the contexts say of the task. */
static int find_fields(struct decoder *decoder, struct head *head, struct event_batch *batch,
		       const uint32_t **offsets, uint64_t *end)
{
	uint32_t *pool = batch->offsets + batch->offset_count;
	int err;

	if (head->payload > decoder->window_end)
		return -ENODATA;
	if (is_in_place(head)) {
		*end = head->payload + head->layout->bits;
		*offsets = head->layout->class.offsets;
		if (*end > decoder->window_end)
			return -ENODATA;
		if (head->layout->tid_bits)
			head->tid = (int32_t)read_task(decoder, head);
		return 0;
	}
	err = take_steps(decoder, head, batch, end);
	if (!err)
		*offsets = pool;
	return err;
}

/* Only for an event that goes out: one that does not fit yet is read again. */
static void keep_steps(struct decoder *decoder, const struct head *head, struct event_batch *batch)
{
	batch->steps += head->steps - decoder->steps;
	decoder->steps = head->steps;
}

static bool is_full(struct event_batch *batch)
{
	if (batch->count == batch->room || (batch->count && batch->steps > CTF_STEPS_MAX) ||
	    batch->offset_room - batch->offset_count < CTF_FIELDS_MAX)
		batch->full = true;
	return batch->full;
}

/* Of an event, with what keeps it apart from the next one. */
static uint32_t bytes_of(const struct decoder *decoder, uint64_t start, uint64_t end)
{
	uint64_t next = walk_align(end, decoder->packet.stream->header_align);

	return (uint32_t)((smaller(next, decoder->end) - start + 7) / 8);
}

/* One event by the general path. 1 = appended, 2 = later than the limit or beyond the batch, 0 = the packet ends. */
static int decode_one(struct decoder *decoder, int64_t limit_ns, struct event_batch *batch,
		      struct diag *diag)
{
	const struct packet *packet = &decoder->packet;
	struct head head = {
		.start = walk_align(decoder->pos, packet->stream->header_align),
	};
	const uint32_t *offsets;
	const uint8_t *payload;
	uint64_t end;
	int64_t time_ns;
	int err;

	if (head.start >= decoder->end)
		return 0;
	if (head.start >= decoder->window_end)
		return fail_short(decoder, &head, diag);
	err = read_head(decoder, &head, diag);
	if (err <= 0)
		return err;
	time_ns = ctf_clock_ns(packet->stream->clock, head.clock);
	if (time_ns > limit_ns) {
		decoder->next_ns = time_ns;
		return 2;
	}
	err = find_fields(decoder, &head, batch, &offsets, &end);
	if (!err && packet->stream->shows_packet)
		err = copy_event(decoder, &head, end, batch, &payload);
	else if (!err)
		payload = decoder->data + ((head.payload & ~7ull) - decoder->window_begin) / 8;
	if (err == -ENOBUFS && (batch->offset_count || batch->count)) {
		decoder->next_ns = time_ns;
		batch->full = true;
		return 2;
	}
	if (err)
		return fail_walk(decoder, &head, err, diag);
	if (end == head.start)
		return fail(decoder, &head, diag,
			    "takes no space, so the packet would have endless events");
	batch->events[batch->count++] = (struct event){
		.class = &head.layout->class,
		.payload = payload,
		.offsets = offsets,
		.time_ns = time_ns,
		.cpu = packet->cpu,
		.tid = head.tid,
		.bytes = bytes_of(decoder, head.start, end),
		.level = packet->level,
	};
	keep_steps(decoder, &head, batch);
	decoder->clock = head.clock;
	decoder->next_ns = time_ns;
	decoder->pos = end;
	return 1;
}

/*
 * An event whose head, at @p, follows the plan, and whose fields only it can tell; time and the like
 * are filled in already. Its end, or NULL: decode_one will see.
 */
static const uint8_t *run_steps(struct decoder *decoder, const struct ctf_head_slot *slot,
				const uint8_t *p, struct event_batch *batch, struct event *event)
{
	const struct ctf_head_plan *plan = decoder->packet.stream->plan;
	const uint64_t start = decoder->window_begin + (uint64_t)(p - decoder->data) * 8;
	struct head head = {
		.layout = slot->layout,
		.start = start,
		.payload = walk_align(start + plan->head_bits, slot->layout->align),
		.steps = decoder->steps,
		.tid = ctf_place_task(&slot->task, p),
	};
	uint64_t end;

	if (batch->offset_room - batch->offset_count < CTF_FIELDS_MAX)
		return NULL;
	decoder->slots[plan->id_slot] = ctf_place_load(&plan->id, p);
	if (find_fields(decoder, &head, batch, &event->offsets, &end) || end == start || end % 8)
		return NULL;
	event->payload = decoder->data + ((head.payload & ~7ull) - decoder->window_begin) / 8;
	event->tid = head.tid;
	keep_steps(decoder, &head, batch);
	return decoder->data + (end - decoder->window_begin) / 8;
}

/* Where the event behind @p begins, if that is in the window. */
static inline const uint8_t *align_event(const struct decoder *decoder, const uint8_t *p,
					 const uint8_t *end)
{
	const uint64_t at = decoder->window_begin / 8 + (uint64_t)(p - decoder->data);
	const uint64_t skip = -at & (decoder->packet.stream->header_align / 8 - 1);

	return (ptrdiff_t)skip > end - p ? end : p + skip;
}

/* The event at @p ends at @behind; where the next one begins. */
static inline const uint8_t *end_event(const struct decoder *decoder, const uint8_t *p,
				       const uint8_t *behind, const uint8_t *end,
				       struct event *event)
{
	const uint64_t start = decoder->window_begin + (uint64_t)(p - decoder->data) * 8;
	const uint8_t *next = align_event(decoder, behind, end);

	event->bytes = next < end ? (uint32_t)(next - p) :
				    bytes_of(decoder, start, start + (uint64_t)(behind - p) * 8);
	return next;
}

/* The same as run_steps, by the plan of its class. */
static const uint8_t *run_bytes(struct decoder *decoder, const struct ctf_head_slot *slot,
				const uint8_t *p, const uint8_t *end, struct event_batch *batch,
				struct event *event)
{
	const struct ctf_layout *layout = slot->layout;
	const uint64_t at = decoder->window_begin / 8 + (uint64_t)(p - decoder->data);
	const uint64_t steps = decoder->steps + layout->steps.count;
	uint32_t *offsets = batch->offsets + batch->offset_count;
	const uint8_t *behind = NULL;

	event->payload = p + slot->bytes;
	if (slot->bytes <= (size_t)(end - p) &&
	    layout->class.offset_count <= batch->offset_room - batch->offset_count)
		behind = byte_plan_run(slot->bytes_plan, event->payload, at + slot->bytes, end,
				       decoder->slots, offsets);
	if (!behind || !walk_may_spend(steps, (at + (uint64_t)(behind - p)) * 8))
		return NULL;
	event->offsets = offsets;
	event->tid = layout->tid_bits ? (int32_t)decoder->slots[layout->tid_slot] :
					ctf_place_task(&slot->task, p);
	batch->offset_count += layout->class.offset_count;
	batch->steps += layout->steps.count;
	decoder->steps = steps;
	return behind;
}

/*
 * Events that follow the plan, as many as there are in a row. True: the next one is later than the
 * limit. False: it is of another form, or the window or the batch ends; decode_one will see.
 */
static bool run_plan(struct decoder *decoder, int64_t limit_ns, struct event_batch *batch)
{
	const struct ctf_stream_class *stream = decoder->packet.stream;
	const struct ctf_head_plan *const plan = stream->plan;
	const uint8_t *const end =
		decoder->data + (decoder->window_end - decoder->window_begin) / 8;
	const uint8_t *const start = decoder->data + (decoder->pos - decoder->window_begin + 7) / 8;
	const uint8_t *p = align_event(decoder, start, end);
	struct event *event = batch->events + batch->count;
	struct event *stop = batch->events + batch->room;
	const int32_t cpu = decoder->packet.cpu;
	const uint32_t level = decoder->packet.level;
	uint64_t clock = decoder->clock;
	int64_t ns = decoder->next_ns;
	bool late = false;

	while (event < stop && end - p >= (ptrdiff_t)plan->reach) {
		const uint64_t id = ctf_place_load(&plan->id, p);
		const struct ctf_head_slot *slot = &plan->slots[id];
		uint64_t next;

		if (id >= plan->slot_count || !slot->class || slot->stride > (size_t)(end - p))
			break;
		next = clock + ((ctf_place_load(&plan->time, p) - clock) & plan->time.mask);
		ns = plan->is_ns ? (int64_t)(next + plan->base_ns) :
				   ctf_clock_ns(stream->clock, next);
		late = ns > limit_ns;
		if (late)
			break;
		decoder->next_ns = ns;
		event->class = slot->class;
		event->time_ns = ns;
		event->cpu = cpu;
		event->level = level;
		if (__builtin_expect(slot->stride != 0, 1)) {
			event->payload = p + slot->bytes;
			event->offsets = slot->offsets;
			event->tid = ctf_place_task(&slot->task, p);
			event->bytes = slot->stride;
			p += slot->stride;
		} else {
			const uint8_t *behind =
				slot->bytes_plan ? run_bytes(decoder, slot, p, end, batch, event) :
						   run_steps(decoder, slot, p, batch, event);

			if (!behind)
				break;
			p = end_event(decoder, p, behind, end, event);
			if (batch->steps > CTF_STEPS_MAX)
				stop = event + 1;
		}
		clock = next;
		event++;
	}
	batch->count = (size_t)(event - batch->events);
	decoder->clock = clock;
	if (p > start)
		decoder->pos = decoder->window_begin + (uint64_t)(p - decoder->data) * 8;
	if (late)
		decoder->next_ns = ns;
	return late;
}

int decoder_run(struct decoder *decoder, int64_t limit_ns, struct event_batch *batch,
		struct diag *diag)
{
	const bool planned = decoder->packet.stream->plan;
	int err;

	if (!batch->count)
		batch->steps = batch->copy_bytes = 0;
	for (;;) {
		if (is_full(batch))
			return 1;
		if (planned && decoder->pos < decoder->window_end &&
		    run_plan(decoder, limit_ns, batch))
			return 1;
		if (is_full(batch))
			return 1;
		err = decode_one(decoder, limit_ns, batch, diag);
		if (err == 2)
			return 1;
		if (err <= 0)
			return err;
	}
}
