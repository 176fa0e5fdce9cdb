// SPDX-License-Identifier: BSD-2-Clause
#include "record_format/meas/meas_cache.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/map.h"
#include "record_format/meas/meas_class.h"
#include "record_format/meas/meas_making.h"
#include "schema/trace_info.h"

#define TASKS_MAX (1u << 20)
#define READS_HELD 4096u /* a power of two */
#define HOLD_NS ((int64_t)(10 * NS_PER_MS))
#define PAGE_BYTES 4096u

/* probe/fs.bpf.c */
enum read_kind { READ_LOOKUP, READ_FILL };
enum readahead_kind { READAHEAD_SYNC, READAHEAD_ASYNC };
enum writeback_kind { WRITEBACK_START, WRITEBACK_END, WRITEBACK_WAIT, WRITEBACK_WRITE };
enum fsync_kind { FSYNC_START, FSYNC_END };

enum kind { KIND_READ, KIND_READAHEAD, KIND_WRITE, KIND_WRITEBACK, KIND_FSYNC, KIND_COUNT };
enum cache_field {
	CACHE_INODE,
	CACHE_MAJOR,
	CACHE_MINOR,
	CACHE_KIND,
	CACHE_INDEX,
	CACHE_PAGES,
	CACHE_BYTES,
};

#define FILE_FIELDS "inode", "major", "minor"

static const struct meas_kind kinds[KIND_COUNT] = {
	[KIND_READ] = {"fs.read", {FILE_FIELDS, "kind", "index", "pages"}},
	[KIND_READAHEAD] = {"fs.readahead", {FILE_FIELDS, "kind", "index", "pages"}},
	[KIND_WRITE] = {"fs.write", {FILE_FIELDS, "?kind", "index", "pages", "?bytes"}},
	[KIND_WRITEBACK] = {"fs.writeback", {FILE_FIELDS, "kind", "index", "pages", "?bytes"}},
	[KIND_FSYNC] = {"fs.fsync", {FILE_FIELDS, "kind"}},
};

/* Pages of a file. */
struct span {
	uint64_t inode;
	uint64_t major, minor;
	uint64_t first;
	uint64_t pages;
	uint64_t bytes; /* of these pages: all, where the event does not say */
};

/* A read whose outcome may still show. */
struct held {
	struct span span;
	uint64_t at; /* of its record in the file */
	int64_t time_ns;
};

/* What is known of a task. */
struct task {
	uint64_t read; /* 1 + the number of its last read among all that were held; 0 = none */
	struct span missed; /* since then, and not of that one: of its next read */
	struct span asked; /* by its last read-ahead, of no pages without one */
	int64_t asked_ns; /* when */
	bool nobody_waits; /* of that one */
	bool ahead; /* of that one: more than was asked for has been taken in */
	bool waited; /* since its fsync began, for pages to be written */
};

struct meas_cache {
	struct meas_kind_class *classes; /* by event_class.index */
	struct map tasks; /* struct task, by tid */
	bool has_readahead; /* whether it is recorded */
	struct held held[READS_HELD];
	uint64_t first, next; /* numbers of those that are held */
};

struct meas_cache *meas_cache_new(const struct trace_info *info)
{
	struct meas_cache *cache = calloc(1, sizeof(*cache));

	if (!cache)
		return NULL;
	map_init(&cache->tasks, sizeof(int32_t), sizeof(struct task), TASKS_MAX);
	cache->classes = meas_kinds_find(info, kinds, KIND_COUNT);
	if (!cache->classes) {
		meas_cache_free(cache);
		return NULL;
	}
	for (size_t i = 0; i < info->class_count; i++)
		cache->has_readahead |= cache->classes[i].kind == KIND_READAHEAD;
	return cache;
}

void meas_cache_free(struct meas_cache *cache)
{
	if (!cache)
		return;
	map_fini(&cache->tasks);
	free(cache->classes);
	free(cache);
}

void meas_cache_lose(struct meas_cache *cache)
{
	map_fini(&cache->tasks);
	map_init(&cache->tasks, sizeof(int32_t), sizeof(struct task), TASKS_MAX);
}

void meas_cache_settle(struct meas_cache *cache, int64_t now_ns, struct meas_making *making)
{
	const struct held *held = &cache->held[cache->first % READS_HELD];

	while (cache->first < cache->next &&
	       (now_ns - held->time_ns > HOLD_NS || cache->next - cache->first >= READS_HELD)) {
		cache->first++;
		held = &cache->held[cache->first % READS_HELD];
	}
	making->hold = cache->first < cache->next ? held->at : UINT64_MAX;
}

static struct span span_of(const struct event *event, const int *fields)
{
	uint64_t pages = meas_making_uint(event, fields[CACHE_PAGES]);
	int bytes = fields[CACHE_BYTES];

	return (struct span){
		.inode = event_uint(event, (size_t)fields[CACHE_INODE]),
		.major = event_uint(event, (size_t)fields[CACHE_MAJOR]),
		.minor = event_uint(event, (size_t)fields[CACHE_MINOR]),
		.first = meas_making_uint(event, fields[CACHE_INDEX]),
		.pages = pages,
		.bytes = bytes < 0 ? pages * PAGE_BYTES : event_uint(event, (size_t)bytes),
	};
}

static bool same_file(const struct span *a, const struct span *b)
{
	return a->inode == b->inode && a->major == b->major && a->minor == b->minor;
}

static bool overlaps(const struct span *a, const struct span *b)
{
	return same_file(a, b) && a->first < b->first + b->pages && b->first < a->first + a->pages;
}

static void put(struct meas_making *making, uint16_t id, const struct event *event,
		const struct span *span, bool hit)
{
	uint64_t *slot = making->slots;

	if (!making->on[id])
		return;
	*slot++ = span->bytes;
	*slot++ = meas_device_word(span->major, span->minor);
	*slot++ = span->first;
	*slot++ = hit;
	*slot++ = span->major;
	*slot++ = span->minor;
	*slot++ = span->inode;
	meas_making_put(making, meas_form_find(id, 0), event);
}

static void take_lookup(struct meas_cache *cache, const struct event *event,
			const struct span *span, struct meas_making *making)
{
	struct task *task = map_at(&cache->tasks, &event->tid);
	bool hit = !task || !overlaps(&task->missed, span);
	struct held *held;

	if (task)
		*task = (struct task){.waited = task->waited};
	if (!making->on[MEAS_BREAD_READ])
		return;
	if (task && hit) {
		held = &cache->held[cache->next % READS_HELD];
		*held = (struct held){*span, meas_making_at(making), event->time_ns};
		task->read = ++cache->next;
	}
	put(making, MEAS_BREAD_READ, event, span, hit);
}

/* The task's last read, of which the record is still here; NULL: none. */
static const struct held *held_of(const struct meas_cache *cache, const struct task *task)
{
	bool here = task->read && task->read > cache->first;

	return here ? &cache->held[(task->read - 1) % READS_HELD] : NULL;
}

/* These pages were not there: the record of the task's last read says so, or that of its next will. */
static void miss(struct meas_cache *cache, struct task *task, const struct span *span,
		 struct meas_making *making)
{
	const struct held *held = held_of(cache, task);
	uint64_t end;

	if (held && overlaps(&held->span, span)) {
		if (!buffer_error(&making->bytes))
			byte_order_store((uint8_t *)making->bytes.data + (held->at - making->base) +
						 MEAS_HIT_AT,
					 4, meas_order(&making->layout), 0);
		return;
	}
	if (!task->missed.pages || !same_file(&task->missed, span))
		task->missed = *span;
	end = task->missed.first + task->missed.pages;
	if (span->first + span->pages > end)
		end = span->first + span->pages;
	if (span->first < task->missed.first)
		task->missed.first = span->first;
	task->missed.pages = end - task->missed.first;
}

/* What of @span is ahead of what the task has asked for, of no pages where nothing is. */
static struct span ahead_of(const struct task *task, const struct span *span)
{
	const struct span *asked = &task->asked;
	uint64_t behind = asked->first + asked->pages, end = span->first + span->pages;
	struct span ahead = *span;

	if (!asked->pages || !same_file(asked, span) || (!task->nobody_waits && end <= behind)) {
		ahead.pages = 0;
	} else if (!task->nobody_waits && span->first < behind) { /* a folio with pages of both */
		ahead.first = behind;
		ahead.pages = end - behind;
	}
	ahead.bytes = ahead.pages * PAGE_BYTES;
	return ahead;
}

static void take_fill(struct meas_cache *cache, const struct event *event, const struct span *span,
		      struct meas_making *making)
{
	struct task *task = map_at(&cache->tasks, &event->tid);
	struct span ahead;

	if (!task)
		return;
	if (!cache->has_readahead)
		miss(cache, task, span, making);
	ahead = ahead_of(task, span);
	if (!ahead.pages || event->time_ns - task->asked_ns > HOLD_NS)
		return;
	if (!task->ahead)
		put(making, MEAS_BREADA_READ, event, &task->asked, task->nobody_waits);
	task->ahead = true;
	put(making, MEAS_BREADA_READA, event, &ahead, false);
}

/* Whether more is taken in than was asked for shows afterwards: a file that is read here and there has
 * the same event. */
static void take_readahead(struct meas_cache *cache, const struct event *event,
			   const struct span *span, bool nobody_waits, struct meas_making *making)
{
	struct task *task = map_at(&cache->tasks, &event->tid);

	if (!task)
		return;
	task->asked = *span;
	task->asked_ns = event->time_ns;
	task->nobody_waits = nobody_waits;
	task->ahead = false;
	if (!nobody_waits)
		miss(cache, task, span, making);
}

/* Traces of before do not have what the disk was given: of them the pages that are waited for, and those
 * that were looked at. */
static void take_writeback(struct meas_cache *cache, const struct event *event,
			   const struct span *span, uint64_t kind, bool has_bytes,
			   struct meas_making *making)
{
	struct task *task = map_get(&cache->tasks, &event->tid);
	bool is_write = has_bytes ?
				kind == WRITEBACK_WRITE :
				kind == WRITEBACK_WAIT || (kind == WRITEBACK_END && span->pages);

	if (task && kind == WRITEBACK_WAIT)
		task->waited = true;
	if (is_write)
		put(making, MEAS_BWRITE, event, span, false);
}

/* It had nothing to write where it did not wait for any page. */
static void take_fsync(struct meas_cache *cache, const struct event *event, const struct span *span,
		       uint64_t kind, struct meas_making *making)
{
	struct task *task = map_at(&cache->tasks, &event->tid);

	if (kind == FSYNC_END)
		put(making, MEAS_BWRITE, event, span, task && !task->waited);
	if (task)
		task->waited = false;
}

void meas_cache_take(struct meas_cache *cache, const struct event *event,
		     struct meas_making *making)
{
	const struct meas_kind_class *class = &cache->classes[event->class->index];
	struct span span;
	uint64_t kind;

	if (class->kind == MEAS_KIND_NONE)
		return;
	span = span_of(event, class->fields);
	kind = meas_making_uint(event, class->fields[CACHE_KIND]);
	switch (class->kind) {
	case KIND_READ:
		meas_cache_settle(cache, event->time_ns, making);
		(kind == READ_FILL ? take_fill : take_lookup)(cache, event, &span, making);
		break;
	case KIND_READAHEAD:
		meas_cache_settle(cache, event->time_ns, making);
		take_readahead(cache, event, &span, kind == READAHEAD_ASYNC, making);
		break;
	case KIND_WRITE:
		put(making, MEAS_BDWRITE, event, &span, true);
		break;
	case KIND_WRITEBACK:
		take_writeback(cache, event, &span, kind, class->fields[CACHE_BYTES] >= 0, making);
		break;
	default: /* KIND_FSYNC */
		take_fsync(cache, event, &span, kind, making);
		break;
	}
}
