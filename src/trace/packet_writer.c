// SPDX-License-Identifier: BSD-2-Clause
#include "trace/packet_writer.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "ctf/natural.h"
#include "schema/event.h"
#include "schema/lost.h"
#include "trace/end_notes.h"
#include "trace/frame.h"
#include "trace/stream_file.h"
#include "wire/record.h"

struct packet_writer {
	struct stream_file *file;
	struct frame_writer *frames; /* NULL: packets are written as they are */
	enum metadata_form form;
	struct packet_head head; /* of the packet that is being filled, or of the last one */
	struct buffer packet;
	unsigned int spare_bits; /* behind the last event, in its last byte */
	bool open; /* a packet is being filled */
	uint64_t events; /* in packets that have been written */
	uint64_t pending; /* in the one that is being filled */
	uint64_t packets; /* written */
	bool names; /* the packet that is being filled has some */
	int err; /* first failure, sticky */
};

struct packet_writer *packet_writer_new(struct stream_file *file, const struct packet_spec *spec)
{
	struct packet_writer *pw = calloc(1, sizeof(*pw));

	if (!pw) {
		(void)stream_file_close(file);
		return NULL;
	}
	pw->file = file;
	pw->frames = spec->frames;
	pw->form = spec->form;
	pw->head = (struct packet_head){
		.magic = PACKET_MAGIC,
		.stream_id = spec->stream,
		.cpu = spec->cpu,
		.level = spec->level,
	};
	memcpy(pw->head.uuid, spec->uuid, sizeof(pw->head.uuid));
	buffer_init(&pw->packet);
	return pw;
}

static bool has_record_heads(const struct packet_writer *pw)
{
	return pw->form == METADATA_KERNEL || pw->form == METADATA_RECORDER;
}

static size_t head_bytes(const struct packet_writer *pw)
{
	if (has_record_heads(pw))
		return sizeof(struct packet_head);
	return sizeof(struct plain_packet_head) +
	       (pw->form != METADATA_PLAIN ? sizeof(pw->head.cpu) : 0);
}

static void put_plain_head(struct packet_writer *pw)
{
	const struct packet_head *head = &pw->head;
	struct plain_packet_head plain = {
		.magic = head->magic,
		.stream_id = head->stream_id,
		.begin_ns = head->begin_ns,
		.end_ns = head->end_ns,
		.content_bits = head->content_bits,
		.packet_bits = head->packet_bits,
		.discarded = head->discarded,
		.sequence = head->sequence,
	};

	memcpy(plain.uuid, head->uuid, sizeof(plain.uuid));
	memcpy(pw->packet.data, &plain, sizeof(plain));
	if (pw->form != METADATA_PLAIN)
		memcpy(pw->packet.data + sizeof(plain), &head->cpu, sizeof(head->cpu));
}

/* To where an event, or a packet, may begin. */
static void pad(struct packet_writer *pw)
{
	buffer_pad(&pw->packet, 0, -pw->packet.len & (RECORD_ALIGN - 1));
}

static int append(struct packet_writer *pw)
{
	struct frame_parts frame;
	int err;

	if (!pw->frames)
		return stream_file_write(pw->file, &pw->head, pw->packet.data, pw->packet.len,
					 false);
	err = frame_writer_compress(pw->frames, pw->packet.data, pw->packet.len, &frame);
	return err ?: stream_file_append_frame(pw->file, frame.parts, frame.count, &pw->head);
}

int packet_writer_flush(struct packet_writer *pw)
{
	if (pw->err || !pw->open)
		return pw->err;
	pw->head.content_bits = (uint64_t)pw->packet.len * 8 - pw->spare_bits;
	pad(pw);
	pw->head.packet_bits = (uint64_t)pw->packet.len * 8;
	pw->head.name_packets += pw->names;
	pw->names = false;
	pw->err = buffer_error(&pw->packet);
	if (pw->err)
		return pw->err;
	if (has_record_heads(pw))
		memcpy(pw->packet.data, &pw->head, sizeof(pw->head));
	else
		put_plain_head(pw);
	pw->err = append(pw);
	pw->head.sequence++;
	pw->open = false;
	if (pw->err)
		return pw->err;
	pw->packets++;
	pw->events += pw->pending;
	pw->pending = 0;
	return 0;
}

static void begin(struct packet_writer *pw, uint64_t clock)
{
	buffer_reset(&pw->packet);
	buffer_pad(&pw->packet, 0, head_bytes(pw));
	pw->spare_bits = 0;
	pw->head.begin_ns = clock;
	pw->head.end_ns = clock;
	pw->open = true;
}

static void put_plain_event_head(struct packet_writer *pw, uint64_t clock, uint32_t id)
{
	struct plain_head head = {id, (uint32_t)clock, (uint32_t)(clock >> 32)};

	buffer_append(&pw->packet, &head, sizeof(head));
}

static void put_record_head(struct packet_writer *pw, uint64_t clock, uint32_t id, int32_t task)
{
	uint32_t tid = (uint32_t)task & RECORD_TID_MASK;
	struct record_extended head = {RECORD_ID_EXTENDED, id, (uint32_t)clock,
				       (uint32_t)(clock >> 32), tid};
	uint64_t word = id | (clock & UINT32_MAX) << RECORD_TIME_SHIFT |
			(uint64_t)tid << RECORD_TID_SHIFT;

	if (id >= RECORD_ID_EXTENDED || clock - pw->head.end_ns > UINT32_MAX)
		buffer_append(&pw->packet, &head, sizeof(head));
	else
		buffer_append(&pw->packet, &word, sizeof(word));
}

int packet_writer_event(struct packet_writer *pw, uint64_t clock, const struct natural *natural,
			const struct event *event)
{
	uint32_t id = natural->class.id;

	/* Times go back in a damaged trace only; within a packet they cannot. */
	if (pw->open && clock < pw->head.end_ns)
		(void)packet_writer_flush(pw);
	if (pw->err)
		return pw->err;
	if (!pw->open)
		begin(pw, clock);
	pad(pw);
	if (has_record_heads(pw))
		put_record_head(pw, clock, id, event->tid);
	else
		put_plain_event_head(pw, clock, id);
	pw->spare_bits = natural_pack(natural, event, &pw->packet);
	pw->names |= event_class_tells_names(&natural->class);
	pw->head.end_ns = clock;
	pw->pending++;
	return 0;
}

int packet_writer_lost(struct packet_writer *pw, uint64_t clock, const struct lost_payload *lost)
{
	/* A gap in the numbers of packets shows between two of them only. */
	if (!pw->open && !pw->packets && lost->packets)
		begin(pw, clock);
	if (packet_writer_flush(pw))
		return pw->err;
	pw->head.discarded += lost->count;
	pw->head.discarded_nested += pw->form == METADATA_RECORDER ? lost->recursion : lost->nested;
	pw->head.sequence += lost->packets;
	begin(pw, clock);
	return 0;
}

size_t packet_writer_pending(const struct packet_writer *pw)
{
	return pw->open ? pw->packet.len : 0;
}

void packet_writer_total(const struct packet_writer *pw, struct stream_total *ret)
{
	*ret = (struct stream_total){
		.events = pw->events,
		.lost = pw->head.discarded,
		.packets = pw->packets,
		.last_packet = pw->packets ? pw->head.sequence - 1 : 0,
	};
}

uint64_t packet_writer_bytes(const struct packet_writer *pw)
{
	return stream_file_bytes(pw->file);
}

int packet_writer_close(struct packet_writer *pw)
{
	int err, file_err;

	if (!pw)
		return 0;
	err = packet_writer_flush(pw);
	file_err = stream_file_close(pw->file);
	buffer_fini(&pw->packet);
	free(pw);
	return err ?: file_err;
}
