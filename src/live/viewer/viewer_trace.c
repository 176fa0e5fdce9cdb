// SPDX-License-Identifier: BSD-2-Clause
#include "live/viewer/viewer_trace.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "ctf/metadata.h"
#include "ctf/trace_class.h"
#include "live/viewer/viewer.h"
#include "wire/ctf.h"

void viewer_metadata_init(struct viewer_metadata *metadata)
{
	buffer_init(&metadata->text);
	buffer_init(&metadata->raw);
	metadata->parsed = 0;
	metadata->cut = false;
}

void viewer_metadata_fini(struct viewer_metadata *metadata)
{
	buffer_fini(&metadata->text);
	buffer_fini(&metadata->raw);
}

/* Takes @len bytes, from the front, of what is raw. */
static void cut_raw(struct buffer *raw, size_t len)
{
	memmove(raw->data, raw->data + len, raw->len - len);
	raw->len -= len;
}

/* Whether so few bytes may be the begin of a packet. */
static bool may_be_packet(const struct buffer *raw)
{
	static const uint8_t magics[2][4] = {{0x75, 0xd1, 0x1d, 0x57}, {0x57, 0x1d, 0xd1, 0x75}};

	return raw->len && raw->len < sizeof(magics[0]) &&
	       (!memcmp(raw->data, magics[0], raw->len) || !memcmp(raw->data, magics[1], raw->len));
}

/* Appends complete packets to the text. 1 = the rest needs more bytes, 0 = the rest is not a packet, or
 * -errno. */
static int take_packets(struct viewer_metadata *metadata, struct diag *diag)
{
	struct buffer *raw = &metadata->raw;
	size_t bytes, text_len;
	char *text;
	int err;

	while (raw->len >= 4 && metadata_packet_is(raw->data, raw->len)) {
		if (raw->len < CTF_METADATA_HEAD_BYTES)
			return 1;
		err = metadata_packet_bytes(raw->data, raw->len, &bytes, diag);
		if (err)
			return err;
		if (bytes > CTF_METADATA_MAX_BYTES)
			return diag_set(diag, -E2BIG, "a metadata packet has %zu bytes", bytes);
		if (raw->len < bytes)
			return 1;
		err = metadata_packet_join(raw->data, bytes, &text, &text_len, diag);
		if (err)
			return err;
		buffer_append(&metadata->text, text, text_len);
		free(text);
		cut_raw(raw, bytes);
	}
	return may_be_packet(raw);
}

int viewer_metadata_add(struct viewer_metadata *metadata, const uint8_t *bytes, size_t len,
			struct diag *diag)
{
	int got;

	if (metadata->text.len + metadata->raw.len + len > CTF_METADATA_MAX_BYTES)
		return diag_set(diag, -E2BIG, "the metadata has more than %u bytes",
				CTF_METADATA_MAX_BYTES);
	buffer_append(&metadata->raw, bytes, len);
	if (buffer_error(&metadata->raw))
		return diag_set(diag, -ENOMEM, "no memory");
	got = take_packets(metadata, diag);
	if (got < 0)
		return got;
	if (!got && metadata->raw.len) {
		buffer_append(&metadata->text, metadata->raw.data, metadata->raw.len);
		buffer_reset(&metadata->raw);
	}
	return buffer_error(&metadata->text) ? diag_set(diag, -ENOMEM, "no memory") : 0;
}

bool viewer_metadata_continues(const struct viewer_metadata *metadata,
			       const struct viewer_metadata *old)
{
	return old->text.len && metadata->text.len >= old->text.len &&
	       !memcmp(metadata->text.data, old->text.data, old->text.len);
}

int viewer_metadata_parse(struct viewer_metadata *metadata, struct ctf_trace_class **ret,
			  struct diag *diag)
{
	int err;

	if (metadata->text.len == metadata->parsed)
		return 0;
	err = metadata_read(metadata->text.data, metadata->text.len, ret, diag);
	metadata->parsed = metadata->text.len;
	metadata->cut = err == -ENODATA || (!err && (*ret)->cut);
	if (err == -ENODATA)
		return 0;
	return err ?: 1;
}

bool viewer_metadata_is_cut(const struct viewer_metadata *metadata)
{
	return metadata->cut || metadata->raw.len;
}

/* So often a relay may announce metadata, and send none, or have no more of what it has begun: 1 to 10 s. */
#define EMPTY_REPLIES_MAX 100u

struct viewer_trace *viewer_trace_new(uint64_t id, uint64_t session)
{
	struct viewer_trace *trace = calloc(1, sizeof(*trace));

	if (!trace)
		return NULL;
	trace->id = id;
	trace->session = session;
	trace->wanted = true;
	viewer_metadata_init(&trace->metadata);
	return trace;
}

void viewer_trace_free(struct viewer_trace *trace)
{
	if (!trace)
		return;
	for (size_t i = 0; i < trace->class_count; i++)
		ctf_trace_class_free(trace->classes[i]);
	free(trace->classes);
	ctf_trace_class_free(trace->next);
	ctf_trace_class_free(trace->partial);
	viewer_metadata_fini(&trace->metadata);
	end_notes_fini(&trace->end);
	end_file_fini(&trace->end_file);
	free(trace);
}

struct ctf_trace_class *viewer_trace_used(const struct viewer_trace *trace)
{
	return trace->class_count ? trace->classes[0] : NULL;
}

const struct ctf_trace_class *viewer_trace_class(const struct viewer_trace *trace)
{
	return trace->next ?: viewer_trace_used(trace);
}

bool viewer_trace_is_settled(const struct viewer_trace *trace)
{
	return !trace->wanted || trace->closed;
}

uint64_t viewer_trace_due(const struct viewer_trace *trace)
{
	if (trace->asked || trace->closed || trace->orphan || !trace->has_metadata)
		return UINT64_MAX;
	return trace->wanted || !viewer_trace_class(trace) ? trace->ask_ns : UINT64_MAX;
}

int viewer_trace_ask(struct viewer_trace *trace, struct viewer *viewer, uint64_t now_ns)
{
	const struct viewer_request request = {
		.command = LIVE_GET_METADATA,
		.handle = trace->metadata_id,
		.about = trace,
	};

	if (viewer_trace_due(trace) > now_ns)
		return 0;
	trace->asked = true;
	return viewer_ask(viewer, &request);
}

static bool may_wait(const struct viewer_trace *trace)
{
	return !trace->closed && !trace->final && trace->vain_replies < EMPTY_REPLIES_MAX;
}

/*
 * The relay has no more for now: what the text says from here on. Tracers send it in packets, which end anywhere: if it
 * ends inside a declaration, the rest is on the way, and packets may need what it declares.
 */
static int settle(struct viewer_trace *trace, struct diag *diag)
{
	struct ctf_trace_class *made = NULL;
	int got = viewer_metadata_parse(&trace->metadata, &made, diag);

	if (got < 0)
		return got;
	if (got) {
		ctf_trace_class_free(trace->partial);
		trace->partial = made;
	}
	trace->vain_replies++;
	trace->wanted = viewer_metadata_is_cut(&trace->metadata) && may_wait(trace);
	if (trace->wanted)
		return 0;
	if (trace->partial) {
		ctf_trace_class_free(trace->next);
		trace->next = trace->partial;
		trace->partial = NULL;
	}
	return 1;
}

/* Whether the packets of stream class @id can be decoded. One that no line declares may get its declaration still. */
static bool declares(const struct ctf_trace_class *class, uint64_t id)
{
	const struct ctf_stream_class *stream = ctf_trace_class_stream(class, id);

	if (stream)
		return stream->line || class->event_count;
	return !ctf_trace_class_has_stream_ids(class);
}

void viewer_trace_need(struct viewer_trace *trace, uint64_t id)
{
	const struct ctf_trace_class *class = viewer_trace_class(trace);

	if (class && !declares(class, id) && may_wait(trace))
		trace->wanted = true;
}

int viewer_trace_take(struct viewer_trace *trace, const struct viewer_reply *reply,
		      uint64_t retry_ns, struct diag *diag)
{
	struct viewer_head head;
	int err = 0;

	viewer_unpack_head(LIVE_GET_METADATA, reply->data, &head);
	trace->asked = false;
	trace->ask_ns = 0;
	trace->empty_replies =
		head.status == LIVE_METADATA_OK && !head.count ? trace->empty_replies + 1 : 0;
	switch (head.status) {
	case LIVE_METADATA_OK:
		if (!head.count) { /* after a clear: there will be some soon */
			trace->ask_ns = retry_ns;
			if (trace->empty_replies < EMPTY_REPLIES_MAX)
				trace->wanted = true;
			else
				err = settle(trace, diag);
			break;
		}
		trace->wanted = true;
		trace->vain_replies = 0;
		err = viewer_metadata_add(&trace->metadata, head.bytes, (size_t)head.count, diag);
		break;
	case LIVE_METADATA_NO_NEW:
		trace->ask_ns = retry_ns;
		err = settle(trace, diag);
		break;
	case LIVE_METADATA_ERROR:
		trace->closed = true;
		err = settle(trace, diag);
		break;
	default:
		err = diag_set(diag, -EBADMSG, "status %" PRIu32 ", which there is not",
			       head.status);
	}
	if (err < 0 && err != -ENOMEM) {
		trace->broken = trace->closed = true;
		(void)diag_prefix(diag, err, "metadata");
	}
	return err;
}

int viewer_trace_renew(struct viewer_trace *trace)
{
	struct ctf_trace_class **classes;

	if (!trace->next)
		return 0;
	classes = realloc(trace->classes, (trace->class_count + 1) * sizeof(*classes));
	if (!classes)
		return -ENOMEM;
	trace->classes = classes;
	if (trace->class_count)
		classes[trace->class_count] = classes[0];
	trace->class_count++;
	classes[0] = trace->next;
	trace->next = NULL;
	return 0;
}

void viewer_trace_break(struct viewer_trace *trace)
{
	trace->orphan = true;
	trace->asked = false;
}

bool viewer_trace_continues(const struct viewer_trace *trace, const struct viewer_trace *old)
{
	return old->orphan && viewer_trace_class(old) && viewer_trace_class(trace) &&
	       viewer_metadata_continues(&trace->metadata, &old->metadata);
}

void viewer_trace_inherit(struct viewer_trace *trace, struct viewer_trace *old)
{
	struct ctf_trace_class *next = trace->next;

	trace->classes = old->classes;
	trace->class_count = old->class_count;
	old->classes = NULL;
	old->class_count = 0;
	if (!old->next && trace->metadata.text.len == old->metadata.text.len) {
		ctf_trace_class_free(next); /* nothing new */
		trace->next = NULL;
	}
}
