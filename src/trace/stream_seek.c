// SPDX-License-Identifier: BSD-2-Clause
#include "trace/stream_seek.h"

#include <errno.h>
#include <stdlib.h>

#include "base/io.h"
#include "ctf/trace_class.h"
#include "trace/packet_map.h"
#include "trace/stream_input.h"

#define HEAD_BYTES 1024u /* a packet whose head is longer is not looked for */

enum map_state {
	MAP_UNKNOWN,
	MAP_INDEXED, /* from the index file, which may lie */
	MAP_WALKED, /* from the packets */
	MAP_NONE,
};

/* A packet whose head has been read. */
struct packet_at {
	struct packet packet;
	uint64_t offset;
	uint64_t next; /* offset of the one behind it */
	int64_t begin_ns;
	int64_t end_ns;
};

struct stream_seek {
	struct stream_input *input;
	const struct ctf_trace_class *trace;
	enum map_state state;
	uint64_t size;
	const struct ctf_stream_class *class; /* NULL: not known */
	struct packet_map map;
	uint8_t head[HEAD_BYTES];
	uint64_t slots[CTF_SLOTS_MAX];
};

struct stream_seek *stream_seek_new(struct stream_input *input, const struct ctf_trace_class *trace)
{
	struct stream_seek *seek = calloc(1, sizeof(*seek));

	if (seek) {
		seek->input = input;
		seek->trace = trace;
	}
	return seek;
}

void stream_seek_free(struct stream_seek *seek)
{
	if (!seek)
		return;
	packet_map_fini(&seek->map);
	free(seek);
}

/* Whether packets of @stream tell when they begin, whatever came before them. */
static bool has_whole_begin(const struct ctf_stream_class *stream)
{
	const struct ctf_type *context = stream->packet_context;

	for (size_t i = 0; context && i < context->member_count; i++)
		if (context->members[i].role == CTF_ROLE_BEGIN)
			return context->members[i].type->size == 64;
	return false;
}

static bool read_head(struct stream_seek *seek, uint64_t offset, struct packet *ret)
{
	ssize_t got = seek->input->ops->read(seek->input, seek->head, HEAD_BYTES, offset);

	return got > 0 &&
	       !packet_parse(seek->trace, seek->head, (size_t)got, seek->slots, 0, ret, NULL);
}

/* False: no packet that could be sought begins there. */
static bool look_at(struct stream_seek *seek, uint64_t offset, struct packet_at *ret)
{
	struct packet *packet = &ret->packet;
	const struct ctf_clock *clock;

	if (offset >= seek->size || !read_head(seek, offset, packet) || !packet->has_begin ||
	    packet->packet_bits == UINT64_MAX || !has_whole_begin(packet->stream))
		return false;
	clock = packet->stream->clock;
	ret->offset = offset;
	ret->next = offset + packet->packet_bits / 8;
	ret->begin_ns = ctf_clock_ns(clock, packet->begin);
	ret->end_ns = packet->has_end ? ctf_clock_ns(clock, packet->end) : ret->begin_ns;
	return ret->next > offset;
}

/* As far as there are packets. */
static void walk_packets(struct stream_seek *seek)
{
	struct packet_at at = {0};

	packet_map_fini(&seek->map);
	while (look_at(seek, at.next, &at)) {
		if (packet_map_add(&seek->map, at.offset, at.next - at.offset, at.begin_ns,
				   at.end_ns))
			break;
	}
	seek->state = seek->map.count ? MAP_WALKED : MAP_NONE;
}

static bool load_index(struct stream_seek *seek, const struct packet_at *first)
{
	const struct stream_input_ops *ops = seek->input->ops;
	int fd = ops->open_index ? ops->open_index(seek->input) : -1;
	bool good;

	if (fd < 0)
		return false;
	good = !packet_map_load(&seek->map, fd, first->packet.stream->clock, seek->size) &&
	       seek->map.places[0].begin_ns == first->begin_ns;
	(void)fd_close(fd);
	if (good)
		seek->state = MAP_INDEXED;
	return good;
}

static void make_map(struct stream_seek *seek)
{
	struct packet_at first = {0};

	if (seek->state != MAP_UNKNOWN)
		return;
	seek->state = MAP_NONE;
	if (seek->input->ops->size(seek->input, &seek->size))
		return;
	if (!look_at(seek, 0, &first)) {
		seek->class = first.packet.stream;
		return;
	}
	seek->class = first.packet.stream;
	if (!load_index(seek, &first))
		walk_packets(seek);
}

const struct ctf_stream_class *stream_seek_class(struct stream_seek *seek)
{
	make_map(seek);
	return seek->class;
}

const struct packet_map *stream_seek_map(struct stream_seek *seek)
{
	make_map(seek);
	return seek->state == MAP_NONE ? NULL : &seek->map;
}

/* From the packet *@at on to the last that has nothing of @from_ns before it. */
static bool go_on(struct stream_seek *seek, struct packet_at *at, int64_t from_ns,
		  struct packet *before)
{
	struct packet_at next;
	bool went = false;

	while (at->begin_ns < from_ns && at->end_ns < from_ns && look_at(seek, at->next, &next) &&
	       next.begin_ns < from_ns) {
		*before = at->packet;
		*at = next;
		went = true;
	}
	return went;
}

static int find(struct stream_seek *seek, uint64_t at, int64_t from_ns, struct stream_spot *ret)
{
	const struct packet_place *place = packet_map_find(&seek->map, from_ns);
	struct packet_at packet;

	/* Begins one place early, so that there is a packet in front of the one that is found. */
	if (place > seek->map.places)
		place--;
	if (!place)
		return 0;
	if (!look_at(seek, place->offset > at ? place->offset : at, &packet))
		return -EBADMSG;
	if (place->offset > at && packet.begin_ns != place->begin_ns)
		return -EBADMSG;
	if (!go_on(seek, &packet, from_ns, &ret->before))
		return place->offset > at ? -EBADMSG : 0;
	ret->offset = packet.offset;
	return packet.offset > at;
}

int stream_seek_find(struct stream_seek *seek, uint64_t at, int64_t from_ns,
		     struct stream_spot *ret)
{
	int found;

	make_map(seek);
	if (seek->state == MAP_NONE)
		return 0;
	found = find(seek, at, from_ns, ret);
	if (found < 0 && seek->state == MAP_INDEXED) {
		walk_packets(seek);
		found = find(seek, at, from_ns, ret);
	}
	return found > 0;
}
