// SPDX-License-Identifier: BSD-2-Clause
#include "trace/head_window.h"

#include "ctf/packet.h"
#include "trace/stream_input.h"

/* Whether @offset is in what was read, or just behind it. */
static bool is_near(const struct head_window *window, uint64_t offset)
{
	return window->len && offset >= window->at && offset - window->at <= window->len;
}

static bool parse_here(struct head_window *window, uint64_t offset, struct packet *ret)
{
	const size_t skipped = (size_t)(offset - window->at);

	return !packet_parse(window->trace, window->bytes + skipped, window->len - skipped,
			     window->slots, 0, ret, NULL);
}

bool head_window_parse(struct head_window *window, uint64_t offset, struct packet *ret)
{
	const bool near = is_near(window, offset);
	ssize_t got;

	if (near && parse_here(window, offset, ret))
		return true;
	/* Packets are small where the next one is near: there will be many. */
	got = window->input->ops->read(window->input, window->bytes,
				       near ? window->room : HEAD_WINDOW_HEAD_BYTES, offset);
	window->at = offset;
	window->len = got > 0 ? (size_t)got : 0;
	return window->len && parse_here(window, offset, ret);
}
