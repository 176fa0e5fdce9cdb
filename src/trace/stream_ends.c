// SPDX-License-Identifier: BSD-2-Clause
#include "trace/stream_ends.h"

#include <sys/stat.h>

#include "base/io.h"
#include "ctf/packet.h"
#include "ctf/trace_class.h"
#include "trace/index_walk.h"
#include "trace/stream_input.h"
#include "wire/ctf.h"

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

#define WALK_BYTES (16u << 10)

/* Closes @fd. */
static bool read_index(int fd, struct stream_ends *ret)
{
	struct index_packet first, last;
	struct stat st;
	bool found;

	if (fd < 0)
		return false;
	found = !fstat(fd, &st) && !index_first(fd, st.st_size, &first) &&
		!index_last(fd, st.st_size, &last) && last.has_sequence;
	(void)fd_close(fd);
	if (found)
		*ret = (struct stream_ends){
			.stream_id = last.stream_id,
			.instance_id = last.instance_id,
			.has_instance = true,
			.first_sequence = first.sequence,
			.last_sequence = last.sequence,
			.discarded = last.discarded,
		};
	return found;
}

bool stream_ends_by_index(int dir, const char *name, struct stream_ends *ret)
{
	return read_index(stream_input_index(dir, name), ret);
}

/* Goes from head to head, as far as there are packets. */
static bool walk_heads(struct stream_input *input, const struct ctf_trace_class *trace,
		       struct stream_ends *ret)
{
	uint8_t bytes[WALK_BYTES];
	struct head_window window = {input, trace, bytes, sizeof(bytes), 0, 0, {0}};
	uint64_t at = 0, size;
	struct packet packet;
	bool found = false;

	if (input->ops->size(input, &size))
		return false;
	while (at < size) {
		if (!head_window_parse(&window, at, &packet) || !packet.has_sequence)
			break;
		if (!found)
			*ret = (struct stream_ends){
				.stream_id = packet.stream->id,
				.instance_id = packet.instance,
				.has_instance = packet.has_instance,
				.first_sequence = packet.sequence,
			};
		found = true;
		ret->last_sequence = packet.sequence;
		ret->discarded = packet.discarded;
		if (packet.packet_bits == UINT64_MAX || packet.packet_bits / 8 > size - at)
			break;
		at += packet.packet_bits / 8;
	}
	return found;
}

bool stream_ends_read(struct stream_input *input, const struct ctf_trace_class *trace,
		      struct stream_ends *ret)
{
	int fd = input->ops->open_index ? input->ops->open_index(input) : -1;

	return read_index(fd, ret) || walk_heads(input, trace, ret);
}
