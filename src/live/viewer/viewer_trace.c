// SPDX-License-Identifier: BSD-2-Clause
#include "live/viewer/viewer_trace.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/diag.h"
#include "ctf/trace_class.h"
#include "live/viewer/viewer.h"

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
