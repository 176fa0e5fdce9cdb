// SPDX-License-Identifier: BSD-2-Clause
#include "live/viewer/viewer_outlet.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ctf/trace_class.h"
#include "live/viewer/viewer_input.h"
#include "live/viewer/viewer_set.h"
#include "live/viewer/viewer_stream.h"
#include "live/viewer/viewer_trace.h"
#include "schema/trace_info.h"
#include "trace/end_file.h"
#include "trace/merge.h"
#include "trace/stream_input.h"
#include "trace/stream_reader.h"
#include "wire/note.h"

#define WINDOW_BYTES (64u << 10)

struct viewer_trace *viewer_outlet_trace(const struct viewer_set *set, size_t i)
{
	return i < set->described ? set->traces[i] : NULL;
}

bool viewer_outlet_has_grown(const struct viewer_set *set)
{
	for (size_t i = 0; i < set->trace_count; i++) {
		if (set->traces[i]->next)
			return true;
	}
	return false;
}

int viewer_outlet_describe(struct viewer_set *set)
{
	for (size_t i = 0; i < set->trace_count; i++) {
		struct viewer_trace *trace = set->traces[i];

		if (viewer_trace_renew(trace))
			return -ENOMEM;
		if (i < set->described || !viewer_trace_used(trace))
			continue;
		set->traces[i] = set->traces[set->described];
		set->traces[set->described++] = trace;
	}
	for (size_t i = 0; i < set->stream_count; i++) {
		if (set->streams[i]->reader)
			stream_reader_renew(set->streams[i]->reader,
					    viewer_trace_used(set->streams[i]->trace));
	}
	return 0;
}

/* The reader has the input from here on, even where it cannot be made. */
static int open_stream(struct viewer_set *set, struct viewer_stream *stream,
		       struct stream_input *input, struct merge *merge)
{
	stream->input = NULL;
	stream->reader = stream_reader_new(input, viewer_trace_used(stream->trace), WINDOW_BYTES,
					   set->config.problems);
	if (stream->reader)
		stream_reader_note_gaps(stream->reader, set->config.gaps);
	if (stream->reader && merge_add(merge, stream->reader))
		stream->reader = NULL;
	if (!stream->reader)
		return -ENOMEM;
	stream->input = input;
	return 0;
}

int viewer_outlet_open(struct viewer_set *set, struct merge *merge)
{
	int err = 0;

	for (size_t i = 0; i < set->stream_count && !err; i++) {
		struct viewer_stream *stream = set->streams[i];

		if (stream->input && !stream->reader && !stream->is_end_file &&
		    viewer_trace_used(stream->trace))
			err = open_stream(set, stream, stream->input, merge);
	}
	return err;
}

int viewer_outlet_rewind(struct viewer_set *set, struct merge *merge)
{
	struct stream_input *input;
	int err = 0;

	for (size_t i = 0; i < set->stream_count && !err; i++) {
		struct viewer_stream *stream = set->streams[i];

		if (!stream->reader)
			continue;
		err = viewer_input_again(stream->input, &input);
		err = err ?: open_stream(set, stream, input, merge);
	}
	return err;
}

int64_t viewer_outlet_until(struct viewer_set *set)
{
	int64_t until_ns = INT64_MAX;

	for (size_t i = 0; i < set->session_count; i++) {
		if (set->sessions[i].wanted)
			return set->until_ns; /* what is new may be earlier */
	}
	for (size_t i = 0; i < set->stream_count; i++) {
		const struct viewer_stream *stream = set->streams[i];

		if (stream->is_end_file)
			continue;
		if (viewer_stream_is_awaited(stream))
			return set->until_ns;
		if ((!stream->ended || viewer_stream_is_pending(stream)) &&
		    stream->until_ns < until_ns)
			until_ns = stream->until_ns;
	}
	if (until_ns == INT64_MAX) /* no stream has more to come */
		return until_ns;
	if (until_ns > set->until_ns)
		set->until_ns = until_ns;
	return set->until_ns;
}

static struct viewer_stream *find_stream(const struct viewer_set *set,
					 const struct viewer_trace *trace,
					 const struct stream_total *total)
{
	for (size_t i = 0; i < set->stream_count; i++) {
		struct viewer_stream *stream = set->streams[i];

		if (stream->trace == trace && stream->reader &&
		    stream_total_is_of(total, stream->channel))
			return stream;
	}
	return NULL;
}

static void judge_stream(struct viewer_set *set, const struct viewer_trace *trace,
			 const struct stream_total *total, bool whole, struct trace_end *end)
{
	struct viewer_stream *stream = find_stream(set, trace, total);
	char name[32];

	if (stream) {
		stream_reader_expect(stream->reader, total, &end->missing);
	} else if (whole && (total->packets || total->lost)) {
		stream_total_name(total, name, sizeof(name));
		problem_list_add(&end->missing,
				 "incomplete: %s: the relay sent nothing of it; it has %" PRIu64
				 " events, and lost %" PRIu64,
				 name, total->events, total->lost);
	}
}

static const struct trace_env *find_env(const struct viewer_trace *trace, const char *name)
{
	const struct ctf_trace_class *class = viewer_trace_used(trace);

	for (size_t i = 0; class && i < class->env_count; i++) {
		if (!strcmp(class->env[i].name, name))
			return &class->env[i];
	}
	return NULL;
}

static bool is_converted(const struct viewer_trace *trace)
{
	return find_env(trace, END_FILE_ENV);
}

/* What was received of the end mark. -ENOENT: nothing. */
static int load_end_file(struct stream_input *input, struct end_file *ret,
			 struct problem_list *missing)
{
	uint64_t len;
	int err = input->ops->size(input, &len);
	char *text;
	ssize_t got;

	if (err || !len)
		return err ?: -ENOENT;
	text = calloc(1, (size_t)len + 1);
	if (!text)
		return -ENOMEM;
	got = input->ops->read(input, text, (size_t)len, 0);
	if (got == (ssize_t)len)
		return end_file_parse(ret, text, (size_t)len, missing);
	free(text);
	return got < 0 ? (int)got : -EBADMSG;
}

static const struct viewer_stream *find_channel(const struct viewer_set *set,
						const struct viewer_trace *trace, const char *name)
{
	for (size_t i = 0; i < set->stream_count; i++) {
		if (set->streams[i]->trace == trace && !strcmp(set->streams[i]->channel, name))
			return set->streams[i];
	}
	return NULL;
}

static void judge_converted(struct viewer_set *set, struct viewer_trace *trace, bool whole,
			    struct trace_end *end)
{
	const struct viewer_stream *mark = find_channel(set, trace, END_FILE_NAME);
	struct end_file *file = &trace->end_file;
	int err;

	if (!mark) /* such relays know no end mark */
		return;
	end_file_fini(file);
	err = load_end_file(mark->input, file, &end->missing);
	end_file_judge(err, end);
	for (size_t i = 0; !err && i < file->count; i++) {
		const struct end_file_stream *of = &file->streams[i];
		const struct viewer_stream *stream = find_channel(set, trace, of->name);

		if (stream && stream->reader)
			stream_reader_expect(stream->reader, &of->total, &end->missing);
		else if (whole && of->total.packets)
			problem_list_add(&end->missing,
					 "incomplete: %s: the relay sent nothing of it; it has "
					 "%" PRIu64 " events",
					 of->name, of->total.events);
	}
}

/* What was known of the source when the conversion began. */
static void tell_source_missing(const struct viewer_trace *trace, struct trace_end *end)
{
	const struct trace_env *missing = find_env(trace, TRACE_MISSING_ENV);

	if (missing && missing->text)
		trace_end_tell_source(end, missing->text);
}

void viewer_outlet_judge(struct viewer_set *set, bool whole, struct trace_end *end)
{
	for (size_t i = 0; i < set->described; i++) {
		struct viewer_trace *trace = set->traces[i];

		tell_source_missing(trace, end);
		if (is_converted(trace))
			judge_converted(set, trace, whole, end);
		end_notes_describe(&trace->end, viewer_trace_used(trace));
		if (!end_notes_expected(&trace->end) || (!trace->end.found && trace->end_unseen))
			continue;
		end_notes_judge(&trace->end, end);
		end_notes_place(&trace->end, viewer_trace_used(trace));
		for (size_t k = 0; k < trace->end.count; k++)
			judge_stream(set, trace, &trace->end.totals[k], whole, end);
	}
}

/* Such a stream is not asked for again, nor in any reply that is due. */
static bool is_done(const struct viewer_stream *stream)
{
	/* The end mark, which comes last, is compared with all streams. */
	return !end_notes_expected(&stream->trace->end) && !is_converted(stream->trace) &&
	       stream->ended && !stream->asked && !stream->packet_bytes &&
	       !viewer_input_left(stream->input) &&
	       (!stream->reader || stream_reader_state(stream->reader) == STREAM_END);
}

void viewer_outlet_drop(struct viewer_set *set, struct merge *merge)
{
	size_t kept = 0;

	if (set->config.keep)
		return;
	for (size_t i = 0; i < set->stream_count; i++) {
		struct viewer_stream *stream = set->streams[i];

		if (!is_done(stream)) {
			set->streams[kept++] = stream;
			continue;
		}
		if (stream->reader)
			merge_drop(merge, stream->reader);
		viewer_stream_free(stream);
	}
	set->stream_count = kept;
}
