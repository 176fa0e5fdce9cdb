// SPDX-License-Identifier: BSD-2-Clause
#include "record_format/meas/meas_sink.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/analysis.h"
#include "base/output.h"
#include "record_format/meas/meas_cache.h"
#include "record_format/meas/meas_class.h"
#include "record_format/meas/meas_disc.h"
#include "record_format/meas/meas_head.h"
#include "record_format/meas/meas_making.h"
#include "record_format/meas/meas_sched.h"

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
		if (!strcmp(*need, class->name))
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
