// SPDX-License-Identifier: BSD-2-Clause
#include "record_format/meas/meas_sink.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/analysis.h"
#include "analyse/disk_pair.h"
#include "analyse/disk_queue.h"
#include "base/io.h"
#include "base/map.h"
#include "record_format/meas/meas_cache.h"
#include "record_format/meas/meas_class.h"
#include "record_format/meas/meas_head.h"
#include "record_format/meas/meas_making.h"
#include "record_format/meas/meas_sched.h"
#include "schema/calls.h"

/*
 * Records of HP-UX's disk measurements, from disk.*: disc_io_id when a request arrives and
 * when it has been done, in release 3.0 by ids of their own and one for the hand-over between, and
 * timeshare_insert.
 *
 * A request that the disk takes at once was in no queue: it arrives when it is handed over.
 */

#define REQUESTS_MAX (1u << 20)
/* Linux does not report cylinders. These are of the geometry that partition tables reckon with: 255 heads, 63
 * sectors. They count from 1, since 0 is said of arrivals and could not be negative. */
#define CYLINDER_SECTORS (255u * 63u)
#define OP_READ 0u
#define CLASS_REALTIME 1u

enum kind { KIND_QUEUE, KIND_ISSUE, KIND_COMPLETE, KIND_MERGE, KIND_COUNT };
enum disc_field {
	DISC_SECTOR,
	DISC_REQUEST,
	DISC_BYTES,
	DISC_MAJOR,
	DISC_MINOR,
	DISC_OP,
	DISC_NAME,
	DISC_CLASS,
	DISC_MORE, /* of an end: the remaining bytes; of a merge: its kind */
};

#define IO_FIELDS "sector", "request", "bytes", "major", "minor", "op", "disk", "prio_class"

static const struct meas_kind kinds[KIND_COUNT] = {
	[KIND_QUEUE] = {"disk.queue", {IO_FIELDS}},
	[KIND_ISSUE] = {"disk.issue", {IO_FIELDS}},
	[KIND_COMPLETE] = {"disk.complete", {IO_FIELDS, "left"}},
	[KIND_MERGE] = {"disk.merge", {IO_FIELDS, "kind"}},
};

struct request_key {
	char disk[DISK_NAME_BYTES];
	uint32_t request;
};

/* What all records of a transfer say. */
struct request {
	uint64_t sector;
	uint64_t bytes;
};

struct meas_disc {
	struct meas_kind_class *classes; /* by event_class.index */
	struct map requests; /* struct request on its way, by request_key */
	struct disk_queues *queues;
};

/* NULL is fine. */
static void meas_disc_free(struct meas_disc *disc)
{
	if (!disc)
		return;
	map_fini(&disc->requests);
	disk_queues_free(disc->queues);
	free(disc->classes);
	free(disc);
}

/* NULL: no memory. Borrows the classes of @info. */
static struct meas_disc *meas_disc_new(const struct trace_info *info)
{
	struct meas_disc *disc = calloc(1, sizeof(*disc));

	if (!disc)
		return NULL;
	map_init(&disc->requests, sizeof(struct request_key), sizeof(struct request), REQUESTS_MAX);
	disc->classes = meas_kinds_find(info, kinds, KIND_COUNT);
	disc->queues = disk_queues_new(info);
	if (!disc->classes || !disc->queues) {
		meas_disc_free(disc);
		return NULL;
	}
	return disc;
}

static uint64_t value(const struct event *event, const int *fields, enum disc_field field)
{
	return event_uint(event, (size_t)fields[field]);
}

static uint64_t cylinder_of(uint64_t sector)
{
	return sector / CYLINDER_SECTORS + 1;
}

static void key_make(struct request_key *key, const struct event *event, const int *fields)
{
	size_t len;
	const char *name = event_text(event, (size_t)fields[DISC_NAME], &len);

	memset(key, 0, sizeof(*key));
	memcpy(key->disk, name, len < sizeof(key->disk) ? len : sizeof(key->disk));
	key->request = (uint32_t)value(event, fields, DISC_REQUEST);
}

/* The second driver is that of the faster link: Alink then, NVMe now. Release 1.0 has but one. */
static bool is_second(const struct request_key *key, const struct meas_making *making)
{
	return making->release >= MEAS_RELEASE_1_1 && !strncmp(key->disk, "nvme", 4);
}

static void put(struct meas_making *making, uint16_t id, const struct event *event,
		const int *fields, const struct request *request, uint64_t cylinder)
{
	uint64_t *slot = making->slots;

	if (!making->on[id])
		return;
	*slot++ = request->bytes;
	*slot++ = meas_device_word(value(event, fields, DISC_MAJOR),
				   value(event, fields, DISC_MINOR));
	*slot++ = request->sector;
	*slot++ = cylinder;
	*slot++ = value(event, fields, DISC_OP) == OP_READ;
	*slot++ = value(event, fields, DISC_MAJOR);
	*slot++ = value(event, fields, DISC_MINOR);
	*slot++ = value(event, fields, DISC_REQUEST);
	meas_making_put(making, meas_form_find(id, 0), event);
}

/* Once for each request: it may come back to the queue. */
static void arrive(struct meas_disc *disc, const struct event *event, const int *fields,
		   const struct request_key *key, struct meas_making *making)
{
	bool second = is_second(key, making), known = map_get(&disc->requests, key);
	struct request *at = map_at(&disc->requests, key), request;

	request.sector = value(event, fields, DISC_SECTOR);
	request.bytes = value(event, fields, DISC_BYTES);
	if (at)
		*at = request;
	if (known)
		return;
	if (making->release >= MEAS_RELEASE_3_0)
		put(making, second ? MEAS_DISC2_IO_QUEUE : MEAS_DISC_IO_QUEUE, event, fields,
		    &request, cylinder_of(request.sector));
	else
		put(making, second ? MEAS_DISC2_IO : MEAS_DISC_IO, event, fields, &request, 0);
}

static void issue(struct meas_disc *disc, const struct event *event, const int *fields,
		  const struct request_key *key, struct meas_making *making)
{
	const struct request *at,
		request = {value(event, fields, DISC_SECTOR), value(event, fields, DISC_BYTES)};

	arrive(disc, event, fields, key, making);
	at = map_get(&disc->requests, key) ?: &request;
	if (making->release >= MEAS_RELEASE_3_0)
		put(making, is_second(key, making) ? MEAS_DISC2_IO_ISSUE : MEAS_DISC_IO_ISSUE,
		    event, fields, at, cylinder_of(at->sector));
}

/* The last of its parts is the end of the transfer. */
static void complete(struct meas_disc *disc, const struct event *event, const int *fields,
		     const struct request_key *key, struct meas_making *making)
{
	const struct request *at = map_get(&disc->requests, key);
	const struct request request = {value(event, fields, DISC_SECTOR),
					value(event, fields, DISC_BYTES)};
	bool second = is_second(key, making);
	uint16_t id = second ? MEAS_DISC2_IO : MEAS_DISC_IO;

	if (value(event, fields, DISC_MORE))
		return;
	if (making->release >= MEAS_RELEASE_3_0)
		id = second ? MEAS_DISC2_IO_COMPLETE : MEAS_DISC_IO_COMPLETE;
	at = at ?: &request;
	put(making, id, event, fields, at, cylinder_of(at->sector));
	map_remove(&disc->requests, key);
}

static void insert(struct meas_disc *disc, const struct event *event, const int *fields,
		   struct meas_making *making)
{
	const struct meas_form *form = meas_form_find(MEAS_TIMESHARE_INSERT, 0);
	uint64_t cylinder = cylinder_of(value(event, fields, DISC_SECTOR));
	uint64_t *slot = making->slots;
	struct disk_waiting waiting;

	if (!making->on[MEAS_TIMESHARE_INSERT] ||
	    !disk_queues_inserted(disc->queues, event, &waiting))
		return;
	*slot++ = value(event, fields, DISC_CLASS) == CLASS_REALTIME ? -cylinder : cylinder;
	*slot++ = waiting.count;
	*slot++ = value(event, fields, DISC_MAJOR);
	*slot++ = value(event, fields, DISC_MINOR);
	*slot++ = waiting.shown;
	for (size_t i = 0; i < waiting.shown; i++) {
		int64_t sector = waiting.sectors[i];

		*slot++ = sector < 0 ? -cylinder_of((uint64_t)-sector) :
				       cylinder_of((uint64_t)sector);
	}
	meas_making_put(making, form, event);
}

static void lose(struct meas_disc *disc)
{
	map_fini(&disc->requests);
	map_init(&disc->requests, sizeof(struct request_key), sizeof(struct request), REQUESTS_MAX);
}

/* Losses as well. */
static void meas_disc_take(struct meas_disc *disc, const struct event *event,
			   struct meas_making *making)
{
	const struct meas_kind_class *class = &disc->classes[event->class->index];
	struct request_key key;

	disk_queues_follow(disc->queues, event);
	if (event->class->role == EVENT_ROLE_LOST)
		lose(disc);
	if (class->kind == MEAS_KIND_NONE)
		return;
	key_make(&key, event, class->fields);
	switch (class->kind) {
	case KIND_QUEUE:
		arrive(disc, event, class->fields, &key, making);
		insert(disc, event, class->fields, making);
		break;
	case KIND_ISSUE:
		issue(disc, event, class->fields, &key, making);
		break;
	case KIND_COMPLETE:
		complete(disc, event, class->fields, &key, making);
		break;
	default: /* KIND_MERGE: it is gone, the other one takes over its bytes */
		if (value(event, class->fields, DISC_MORE) == DISK_MERGE_REQUESTS)
			map_remove(&disc->requests, &key);
		break;
	}
}

struct meas_sink {
	struct event_sink sink; /* first: the vtable's functions get this */
	const struct analysis *analysis;
	struct output *out;
	struct meas_bind *binds; /* by event_class.index */
	struct meas_sched *sched;
	struct meas_disc *disc;
	struct meas_cache *cache;
	struct meas_making making;
	int64_t now_ns; /* of the last event */
};

/* Passes records that will not change to the output. */
static int pass_on(struct meas_sink *ms)
{
	struct meas_making *making = &ms->making;
	struct buffer *bytes = &making->bytes;
	size_t len;

	meas_cache_settle(ms->cache, ms->now_ns, making);
	if (buffer_error(bytes))
		return -ENOMEM;
	len = meas_making_at(making) <= making->hold ? bytes->len :
						       (size_t)(making->hold - making->base);
	buffer_append(&ms->out->buf, bytes->data, len);
	memmove(bytes->data, bytes->data + len, bytes->len - len);
	bytes->len -= len;
	making->base += len;
	return output_end_line(ms->out);
}

/* A record as it was read, or a loss. */
static void put_again(struct meas_sink *ms, const struct meas_bind *bind, const struct event *event)
{
	struct meas_record record = {.slots = ms->making.slots};

	if (meas_bind_take(bind, event, &record))
		meas_record_pack(&record, &ms->making.layout, &ms->making.bytes);
}

static void take_event(struct meas_sink *ms, const struct event *event)
{
	const struct meas_bind *bind = &ms->binds[event->class->index];

	ms->now_ns = event->time_ns;
	if (event->class->role == EVENT_ROLE_LOST) {
		meas_sched_lose(ms->sched);
		meas_cache_lose(ms->cache);
	}
	if (bind->is)
		put_again(ms, bind, event);
	meas_sched_take(ms->sched, event, &ms->making);
	meas_disc_take(ms->disc, event, &ms->making);
	meas_cache_take(ms->cache, event, &ms->making);
}

static int meas_batch(struct event_sink *sink, const struct event *events, size_t count)
{
	struct meas_sink *ms = (struct meas_sink *)sink;
	int err = 0;

	for (size_t i = 0; !err && i < count; i++) {
		if (!analysis_takes(ms->analysis, &events[i]))
			continue;
		take_event(ms, &events[i]);
		if (ms->making.bytes.len >= OUTPUT_CHUNK_BYTES)
			err = pass_on(ms);
	}
	return err ?: pass_on(ms) ?: output_end_batch(ms->out);
}

static int meas_finish(struct event_sink *sink)
{
	struct meas_sink *ms = (struct meas_sink *)sink;
	int err;

	ms->now_ns = INT64_MAX;
	err = pass_on(ms);
	return output_flush(ms->out) ?: err;
}

static void meas_free(struct event_sink *sink)
{
	struct meas_sink *ms = (struct meas_sink *)sink;

	if (!ms)
		return;
	free(ms->binds);
	meas_sched_free(ms->sched);
	meas_disc_free(ms->disc);
	meas_cache_free(ms->cache);
	buffer_fini(&ms->making.bytes);
	free(ms);
}

static const struct sink_ops meas_ops = {
	.batch = meas_batch,
	.finish = meas_finish,
	.free = meas_free,
};

static const char *env_text(const struct trace_info *info, const char *name, const char *otherwise)
{
	const struct trace_env *env = trace_info_env(info, name);

	return env && env->text ? env->text : otherwise;
}

uint16_t meas_sink_release_of(const struct trace_info *info)
{
	return meas_release_parse(env_text(info, "meas_release", ""));
}

/* Of a source that was such a file, the same head. */
static void choose_head(struct meas_head *head, const struct trace_info *info, uint16_t release)
{
	const struct trace_env *wide = trace_info_env(info, "meas_wide");
	uint16_t its = meas_sink_release_of(info);
	const char *version = env_text(info, "meas_version", MEAS_VERSION);

	*head = (struct meas_head){
		.big_endian = !strcmp(env_text(info, "meas_order", "little"), "big"),
		.wide = !wide || wide->number,
		.release = its ?: release,
	};
	strncpy(head->version, version, MEAS_VERSION_BYTES - 1);
}

static void begin(struct meas_sink *ms, uint16_t release)
{
	struct meas_making *making = &ms->making;
	const struct meas_entry *entry;
	struct meas_head head;

	choose_head(&head, ms->analysis->info, release);
	making->release = head.release;
	making->layout = (struct meas_layout){head.big_endian, head.wide};
	making->hold = UINT64_MAX;
	for (size_t i = 0; (entry = meas_entry_get(i)); i++)
		making->on[entry->id] = meas_entry_in(entry, head.release);
	meas_head_pack(&head, &making->bytes);
}

static int init(struct meas_sink *ms, const struct trace_info *info)
{
	ms->binds = calloc(info->class_count ?: 1, sizeof(*ms->binds));
	ms->sched = meas_sched_new(info);
	ms->disc = meas_disc_new(info);
	ms->cache = meas_cache_new(info);
	if (!ms->binds || !ms->sched || !ms->disc || !ms->cache)
		return -ENOMEM;
	for (size_t i = 0; i < info->class_count; i++)
		(void)meas_bind_init(&ms->binds[i], info->classes[i]);
	return 0;
}

static bool needs(const struct meas_entry *entry, const struct event_class *class)
{
	for (const char *const *need = entry->needs; *need; need++) {
		if (calls_pattern_matches(*need, class->name))
			return true;
	}
	return false;
}

bool meas_sink_holds(const struct event_class *class)
{
	const struct meas_entry *entry;
	struct meas_bind bind;

	for (size_t i = 0; (entry = meas_entry_get(i)); i++) {
		if (needs(entry, class))
			return true;
	}
	return meas_bind_init(&bind, class);
}

struct event_sink *meas_sink_new(const struct analysis *analysis, struct output *out,
				 uint16_t release)
{
	struct meas_sink *ms = calloc(1, sizeof(*ms));

	if (!ms)
		return NULL;
	ms->sink.ops = &meas_ops;
	ms->analysis = analysis;
	ms->out = out;
	buffer_init(&ms->making.bytes);
	if (init(ms, analysis->info)) {
		meas_free(&ms->sink);
		return NULL;
	}
	begin(ms, release);
	return &ms->sink;
}

void meas_sink_switch(struct event_sink *sink, uint16_t id, bool on)
{
	((struct meas_sink *)sink)->making.on[id] = on;
}
