// SPDX-License-Identifier: BSD-2-Clause
#include "ctf/stream_traces.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/map.h"
#include "schema/trace_info.h"

#define ENTRIES_MAX (1u << 18)

void stream_traces_add(struct buffer *text, uint64_t id, uint32_t trace)
{
	if (text->len)
		buffer_char(text, ',');
	buffer_uint(text, id);
	buffer_char(text, ' ');
	buffer_uint(text, trace);
}

/* A number up to @limit that @end follows, or the end of the text where that is allowed. */
static bool parse_number(const char **text, uint64_t limit, char end, bool last, uint64_t *ret)
{
	char *behind;

	if (**text < '0' || **text > '9')
		return false;
	errno = 0;
	*ret = strtoull(*text, &behind, 10);
	if (errno || *ret > limit || (*behind != end && (*behind || !last)))
		return false;
	*text = behind + (*behind == end);
	return true;
}

static int parse(const char *text, struct map *traces)
{
	uint64_t id, trace;

	while (parse_number(&text, UINT64_MAX, ' ', false, &id) &&
	       parse_number(&text, TRACE_INFO_TRACES - 1, ',', true, &trace)) {
		uint32_t *slot = map_at(traces, &id);

		if (!slot)
			return traces->count < ENTRIES_MAX ? -ENOMEM : 0;
		*slot = (uint32_t)trace;
	}
	return 0;
}

int stream_traces_read(const char *text, struct trace_stream *streams, size_t count)
{
	struct map traces;
	int err;

	map_init(&traces, sizeof(uint64_t), sizeof(uint32_t), ENTRIES_MAX);
	err = parse(text, &traces);
	for (size_t i = 0; i < count && !err; i++) {
		const uint32_t *trace = map_get(&traces, &streams[i].id);

		streams[i].trace = trace ? *trace : 0;
	}
	map_fini(&traces);
	return err;
}
