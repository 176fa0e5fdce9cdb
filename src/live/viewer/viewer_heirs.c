// SPDX-License-Identifier: BSD-2-Clause
#include "live/viewer/viewer_heirs.h"

#include <string.h>

#include "live/viewer/viewer_set.h"
#include "live/viewer/viewer_stream.h"
#include "live/viewer/viewer_trace.h"

void viewer_heirs_end(struct viewer_set *set)
{
	for (size_t i = 0; i < set->trace_count; i++) {
		const struct viewer_trace *trace = set->traces[i];

		if (!trace->orphan && !trace->closed && !viewer_trace_class(trace))
			return; /* it may still turn out to be one of them */
	}
	for (size_t i = 0; i < set->stream_count; i++) {
		if (set->streams[i]->trace->orphan)
			set->streams[i]->ended = true;
	}
}

static struct viewer_stream *find_heir(const struct viewer_set *set,
				       const struct viewer_trace *trace, const char *channel)
{
	for (size_t i = 0; i < set->stream_count; i++) {
		if (set->streams[i]->trace == trace && !strcmp(set->streams[i]->channel, channel))
			return set->streams[i];
	}
	return NULL;
}

static size_t place_of(const struct viewer_set *set, const struct viewer_trace *trace)
{
	size_t i = 0;

	while (set->traces[i] != trace)
		i++;
	return i;
}

/* @trace takes the place of @old, and so do its streams, as far as they are the same. */
static void inherit(struct viewer_set *set, struct viewer_trace *trace, struct viewer_trace *old)
{
	const size_t at = place_of(set, trace), old_at = place_of(set, old);

	viewer_trace_inherit(trace, old);
	for (size_t i = 0; i < set->stream_count; i++) {
		struct viewer_stream *stream = set->streams[i];
		struct viewer_stream *heir;

		if (stream->trace != old || !stream->reader)
			continue;
		heir = find_heir(set, trace, stream->channel);
		if (heir && !heir->reader)
			viewer_stream_inherit(heir, stream);
		else
			stream->trace = trace; /* its classes are there now */
		stream->ended = true;
	}
	set->traces[old_at] = trace;
	set->traces[at] = old;
}

void viewer_heirs_find(struct viewer_set *set, struct viewer_trace *trace)
{
	for (size_t i = 0; i < set->trace_count; i++) {
		if (!viewer_trace_continues(trace, set->traces[i]) || viewer_trace_used(trace))
			continue;
		inherit(set, trace, set->traces[i]);
		break;
	}
	viewer_heirs_end(set);
}
