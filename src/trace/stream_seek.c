// SPDX-License-Identifier: BSD-2-Clause
#include "trace/stream_seek.h"

#include <errno.h>
#include <stdlib.h>

#include "base/io.h"
#include "ctf/trace_class.h"
#include "schema/source.h"
#include "trace/packet_map.h"
#include "trace/stream_ends.h"
#include "trace/stream_input.h"

#define WALK_BYTES (64u << 10)

enum map_state {
	MAP_UNKNOWN,
	MAP_INDEXED, /* from the index file, which may lie */
	MAP_WALKED, /* from the packets */
	MAP_NONE,
};

/* What has to be read of the packets before the time that is wanted. */
enum need {
	NEED_NONE,
	NEED_NAMES, /* those that tell names */
	NEED_ALL,
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
	source_stop_fn *is_stopped; /* NULL: it is not stopped */
	enum map_state state;
	uint64_t size;
	const struct ctf_stream_class *class; /* NULL: not known */
	struct packet_map map;
	enum need need;
	int64_t from_ns;
	bool going; /* there is something to leave out before `goal` */
	struct stream_spot goal;
	struct head_window window;
	uint8_t head[HEAD_WINDOW_HEAD_BYTES];
};

struct stream_seek *stream_seek_new(struct stream_input *input, const struct ctf_trace_class *trace)
{
	struct stream_seek *seek = calloc(1, sizeof(*seek));

	if (seek) {
		seek->input = input;
		seek->window = (struct head_window){
			.input = input,
			.trace = trace,
			.bytes = seek->head,
			.room = sizeof(seek->head),
		};
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

void stream_seek_stop_when(struct stream_seek *seek, source_stop_fn *is_stopped)
{
	seek->is_stopped = is_stopped;
}

static const struct ctf_member *find_context(const struct ctf_stream_class *stream,
					     enum ctf_role role)
{
	const struct ctf_type *context = stream->packet_context;

	for (size_t i = 0; context && i < context->member_count; i++)
		if (context->members[i].role == role)
			return &context->members[i];
	return NULL;
}

/* Whether packets of @stream tell when they begin, whatever came before them. */
static bool has_whole_begin(const struct ctf_stream_class *stream)
{
	const struct ctf_member *begin = find_context(stream, CTF_ROLE_BEGIN);

	return begin && begin->type->size == 64;
}

static bool is_stopped(const struct stream_seek *seek)
{
	return seek->is_stopped && seek->is_stopped();
}

/* False: no packet that could be sought begins there; or all is to stop: whatever goes from packet to packet ends. */
static bool look_at(struct stream_seek *seek, uint64_t offset, struct packet_at *ret)
{
	struct packet *packet = &ret->packet;
	const struct ctf_clock *clock;

	if (is_stopped(seek) || offset >= seek->size ||
	    !head_window_parse(&seek->window, offset, packet) || !packet->has_begin ||
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
	const struct head_window window = seek->window;
	struct packet_at at = {0};
	uint8_t bytes[WALK_BYTES];

	seek->window.bytes = bytes;
	seek->window.room = sizeof(bytes);
	seek->window.len = 0;
	packet_map_fini(&seek->map);
	while (look_at(seek, at.next, &at)) {
		if (packet_map_add(&seek->map, at.offset, at.next - at.offset, at.begin_ns,
				   at.end_ns))
			break;
	}
	seek->window = window;
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

	/* Begins one place early, so that a packet is before the one that is found. */
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

/* Of what is needed in any packet, names are, where packets tell which of them hold any. */
static enum need need_of(const struct ctf_stream_class *stream, const bool *taught)
{
	enum need need = NEED_NONE;
	bool counted;

	if (!taught || !stream)
		return taught ? NEED_ALL : NEED_NONE;
	counted = find_context(stream, CTF_ROLE_NAME_PACKETS);
	for (size_t i = 0; i < stream->event_count; i++) {
		const struct event_class *class = &stream->events[i]->layout->class;

		if (!taught[class->index])
			continue;
		if (!counted || !event_class_tells_names(class))
			return NEED_ALL;
		need = NEED_NAMES;
	}
	return need;
}

static bool find_goal(struct stream_seek *seek, uint64_t at)
{
	int found = find(seek, at, seek->from_ns, &seek->goal);

	if (found < 0 && seek->state == MAP_INDEXED) {
		walk_packets(seek);
		found = find(seek, at, seek->from_ns, &seek->goal);
	}
	return found > 0;
}

void stream_seek_set(struct stream_seek *seek, uint64_t at, const struct source_span *span)
{
	make_map(seek);
	seek->from_ns = span->from_ns;
	seek->need = need_of(seek->class, span->taught);
	seek->going = seek->need != NEED_ALL && seek->state != MAP_NONE && find_goal(seek, at);
}

/* Whether the packets up to the one that begins at @place, with it, tell more names than @names
 * packets: 1, 0, or -EBADMSG: none begins there. */
static int tells_more(struct stream_seek *seek, const struct packet_place *place, uint64_t names)
{
	struct packet_at packet;

	if (!look_at(seek, place->offset, &packet) || packet.begin_ns != place->begin_ns)
		return -EBADMSG;
	return packet.packet.name_packets != names;
}

/* The last place of the map before which, from the packet at @at on, no packet has names: its
 * offset, or @at itself. Names come in bunches, so it is looked for nearby first. */
static int pass_places(struct stream_seek *seek, uint64_t at, uint64_t names, uint64_t *ret)
{
	const struct packet_map *map = &seek->map;
	size_t low = packet_map_behind(map, at), high = low, step = 1;
	int more = 0;

	*ret = at;
	/* All places before `low` are passed, none from `high` on is. */
	for (; !more && high < map->count; step *= 2) {
		more = tells_more(seek, &map->places[high], names);
		if (more < 0)
			return more;
		if (more)
			break;
		low = high + 1;
		high = step < map->count - high ? high + step : map->count;
	}
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		more = tells_more(seek, &map->places[middle], names);
		if (more < 0)
			return more;
		if (more)
			high = middle;
		else
			low = middle + 1;
	}
	if (low && map->places[low - 1].offset > at)
		*ret = map->places[low - 1].offset;
	return 0;
}

/* The first packet from @at on that has names; one is before the goal. */
static int find_names(struct stream_seek *seek, uint64_t at, uint64_t names,
		      struct stream_spot *ret)
{
	struct packet_at packet;
	uint64_t near;

	if (!look_at(seek, at, &packet))
		return -EBADMSG;
	if (packet.packet.name_packets != names)
		return 0;
	if (pass_places(seek, at, names, &near))
		return -EBADMSG;
	if (near > at && !look_at(seek, near, &packet))
		return -EBADMSG;
	while (packet.packet.name_packets == names) {
		ret->before = packet.packet;
		if (packet.next >= seek->goal.offset || !look_at(seek, packet.next, &packet))
			return -EBADMSG;
	}
	ret->offset = packet.offset;
	return 1;
}

bool stream_seek_next(struct stream_seek *seek, uint64_t at, uint64_t names,
		      struct stream_spot *ret)
{
	int found;

	if (!seek->going)
		return false;
	if (at >= seek->goal.offset) {
		seek->going = false;
		return false;
	}
	if (seek->need == NEED_NONE || seek->goal.before.name_packets == names) {
		*ret = seek->goal;
		seek->going = false;
		return true;
	}
	found = find_names(seek, at, names, ret);
	if (found < 0 && seek->state == MAP_INDEXED) {
		walk_packets(seek);
		found = find_names(seek, at, names, ret);
	}
	/* Where it cannot be said which packets tell names, all are read. */
	seek->going = found >= 0;
	return found > 0;
}

bool stream_seek_needs(const struct stream_seek *seek, bool names)
{
	return seek->need == NEED_ALL || (seek->need == NEED_NAMES && names);
}
