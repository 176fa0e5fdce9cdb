// SPDX-License-Identifier: BSD-2-Clause
#include "live/relay/relay_cursor.h"

#include <stddef.h>

#include "live/relay/relay_attached.h"
#include "live/session/session.h"

static void keep_file(struct seen_stream *seen, struct session_file *file)
{
	if (seen->file == file)
		return;
	session_file_ref(file);
	session_file_unref(seen->file);
	seen->file = file;
	seen->file_end = 0;
}

static void hang_up(struct seen_stream *seen)
{
	if (!seen->over)
		seen->trace->over++;
	seen->over = true;
}

/*
 * Nothing is there. How far nothing will come: as the session says, and at least to where the last packet
 * ended, as those of a stream follow one another. But not while there are packets in streams that the viewer has yet
 * to ask for: what it would go past could be theirs.
 */
static enum live_index wait_for_more(struct seen_stream *seen, struct session_packet *ret)
{
	const struct session_stream *stream = seen->stream;
	uint64_t until = session_stream_until(stream);

	/* Apart by a moment each: babeltrace2 warns where two streams are silent until the same time. */
	until -= until > seen->id ? seen->id : 0;
	if (until > seen->told && !attached_has_new_packets(seen->trace->attached))
		seen->told = until;
	if (!seen->told || stream->class_id == SESSION_CLASS_UNKNOWN)
		return LIVE_INDEX_RETRY;
	*ret = (struct session_packet){.end = seen->told, .class_id = stream->class_id};
	return LIVE_INDEX_INACTIVE;
}

enum live_index relay_cursor_next(struct seen_stream *seen, struct session_packet *ret)
{
	struct session_file *file;
	int found;

	*ret = (struct session_packet){0};
	if (!seen->stream || seen->over)
		return LIVE_INDEX_HUP;
	found = session_stream_packet(seen->stream, &seen->next, ret, &file);
	if (found == 1) {
		keep_file(seen, file);
		if (ret->offset + ret->packet_bits / 8 > seen->file_end)
			seen->file_end = ret->offset + ret->packet_bits / 8;
		seen->next++;
		seen->told = ret->end;
		return LIVE_INDEX_OK;
	}
	if (!session_stream_is_over(seen->stream) && !found)
		return wait_for_more(seen, ret);
	hang_up(seen);
	return LIVE_INDEX_HUP;
}

struct session_file *relay_cursor_file(const struct seen_stream *seen, uint64_t offset,
				       uint32_t len)
{
	if (!seen->file || offset > seen->file_end || len > seen->file_end - offset)
		return NULL;
	return seen->file;
}
