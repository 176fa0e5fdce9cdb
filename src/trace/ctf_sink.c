// SPDX-License-Identifier: BSD-2-Clause
#include "trace/ctf_sink.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "analyse/analysis.h"
#include "base/buffer.h"
#include "base/diag.h"
#include "base/map.h"
#include "ctf/arena.h"
#include "ctf/json_metadata_write.h"
#include "ctf/metadata_write.h"
#include "ctf/natural.h"
#include "ctf/stream_traces.h"
#include "schema/lost.h"
#include "schema/trace_info.h"
#include "trace/directory.h"
#include "trace/end_file.h"
#include "trace/frame.h"
#include "trace/name_stream.h"
#include "trace/packet_writer.h"
#include "trace/stream_file.h"
#include "trace/stream_plan.h"
#include "wire/note.h"

/*
 * The environment of a trace that is written again: that of its source, and, where several
 * traces are in it, which stream is of which; and what its source lacked (TRACE_MISSING_ENV). Only trace/ctf_sink calls it.
 */

struct sink_env {
	size_t count;
	struct trace_env *entries;
	char *traces; /* texts of those that are not the source's; NULL = none */
	char *missing;
};

/* NULL: no memory. */
static char *describe_traces(const struct stream_plan *plan)
{
	struct buffer text;
	char *copy;

	buffer_init(&text);
	for (uint32_t i = 0; i < plan->count; i++) {
		uint32_t trace = plan->kinds[i].trace;

		stream_traces_add(&text, i, trace < TRACE_INFO_TRACES ? trace : 0);
	}
	buffer_char(&text, '\0');
	copy = buffer_error(&text) ? NULL : strdup(text.data);
	buffer_fini(&text);
	return copy;
}

/* NULL: no memory. */
static char *describe_missing(const struct trace_info *info)
{
	struct buffer text;
	const char *missing;
	char *copy;

	buffer_init(&text);
	for (size_t i = 0; (missing = trace_end_missing(info, i)); i++)
		buffer_format(&text, "%s%s", i ? "; " : "", missing);
	buffer_char(&text, '\0');
	copy = buffer_error(&text) ? NULL : strdup(text.data);
	buffer_fini(&text);
	return copy;
}

static void sink_env_fini(struct sink_env *env)
{
	free(env->entries);
	free(env->traces);
	free(env->missing);
	*env = (struct sink_env){0};
}

static int add_text(struct sink_env *env, const char *name, char *text, char **owner)
{
	*owner = text;
	if (!text) {
		sink_env_fini(env);
		return -ENOMEM;
	}
	env->entries[env->count++] = (struct trace_env){.name = name, .text = text};
	return 0;
}

/* What an incomplete source says, or was said to have lacked itself, stands once. */
static bool is_replaced(const struct trace_info *info, const char *name)
{
	return !strcmp(name, STREAM_TRACES_ENV) || !strcmp(name, "sonde_format") ||
	       !strcmp(name, END_FILE_ENV) ||
	       !strcmp(name, DERIVED_FILES_ENV) || /* events may have been left out */
	       (!strcmp(name, TRACE_MISSING_ENV) && trace_end_missing(info, 0));
}

/* Borrows the entries of @info. 0 or -ENOMEM, and then nothing is left to be finished. */
static int sink_env_init(struct sink_env *env, const struct trace_info *info,
			 const struct stream_plan *plan)
{
	int err = 0;

	*env = (struct sink_env){0};
	env->entries = calloc(info->env_count + 3, sizeof(*env->entries));
	if (!env->entries)
		return -ENOMEM;
	/* What the source says of its streams is not so of ours: they have other numbers. Its end mark, which
	 * the format stands for, counts what was in them. */
	for (size_t i = 0; i < info->env_count; i++) {
		if (!is_replaced(info, info->env[i].name))
			env->entries[env->count++] = info->env[i];
	}
	env->entries[env->count++] =
		(struct trace_env){.name = END_FILE_ENV, .number = END_FILE_VERSION};
	if (trace_end_missing(info, 0))
		err = add_text(env, TRACE_MISSING_ENV, describe_missing(info), &env->missing);
	if (!err && trace_info_traces(info) > 1)
		err = add_text(env, STREAM_TRACES_ENV, describe_traces(plan), &env->traces);
	return err;
}

/* Of packets being filled, all streams together; one is between the two others. */
#define PACKETS_BYTES (32u << 20)
#define PACKET_MIN_BYTES (16u << 10)
#define PACKET_MAX_BYTES (256u << 10)

#define STREAMS_MAX (1u << 16)

struct stream_key {
	uint32_t kind; /* of the plan */
	uint32_t cpu;
	uint32_t level; /* of the contexts that recorded; 0 where heads of packets do not tell */
};

struct ctf_sink {
	struct event_sink sink; /* first: the vtable's functions get this */
	const struct analysis *analysis;
	struct directory dir;
	uint8_t uuid[16];
	int64_t offset_ns;
	struct name_stream *names;
	struct stream_plan plan;
	struct natural *naturals; /* by event_class.index */
	struct arena arena; /* for these */
	size_t class_count;
	struct frame_writer *frames; /* NULL: packets are written as they are */
	struct map streams; /* by stream_key: struct packet_writer * */
	struct stream_key last_key;
	struct packet_writer *last; /* what last_key leads to; NULL = nothing yet */
	size_t packet_bytes;
	size_t missing; /* sentences about the source that the metadata has */
	struct problem_list lacks; /* what else it lacks */
	int err; /* first failure, sticky */
};

/* As the recorder names them; those of several traces stay apart. */
static void name_stream(const struct ctf_sink *cs, const struct stream_key *key, char *name,
			size_t room)
{
	const struct stream_kind *kind = &cs->plan.kinds[key->kind];
	char trace[24] = "";

	if (kind->trace)
		snprintf(trace, sizeof(trace), "trace%u_", kind->trace);
	if (kind->form == METADATA_NAMES)
		name_stream_file(kind->trace, name, room);
	else if (kind->form == METADATA_KERNEL)
		snprintf(name, room, "%scpu%u_level%u", trace, key->cpu, key->level);
	else if (kind->form == METADATA_RECORDER)
		snprintf(name, room, "%srecorder", trace);
	else if (kind->has_cpu)
		snprintf(name, room, "%sstream%u_cpu%u", trace, key->kind, key->cpu);
	else
		snprintf(name, room, "%sstream%u", trace, key->kind);
}

static size_t packet_bytes_of(size_t streams)
{
	size_t bytes = PACKETS_BYTES / (streams ?: 1);

	if (bytes > PACKET_MAX_BYTES)
		return PACKET_MAX_BYTES;
	return bytes < PACKET_MIN_BYTES ? PACKET_MIN_BYTES : bytes;
}

static int make_stream(struct ctf_sink *cs, const struct stream_key *key,
		       struct packet_writer **ret)
{
	const enum metadata_form form = cs->plan.kinds[key->kind].form;
	/* The few names are not worth a frame. */
	struct frame_writer *frames = form == METADATA_NAMES ? NULL : cs->frames;
	struct packet_spec spec = {.stream = key->kind,
				   .form = form,
				   .cpu = key->cpu,
				   .level = key->level,
				   .frames = frames};
	struct packet_writer **slot;
	struct stream_file *file;
	char name[96];
	int err;

	name_stream(cs, key, name, sizeof(name));
	memcpy(spec.uuid, cs->uuid, sizeof(spec.uuid));
	slot = map_at(&cs->streams, key);
	if (!slot)
		return cs->streams.count >= STREAMS_MAX ? -E2BIG : -ENOMEM;
	err = frames ? stream_file_create_frames(cs->dir.fd, cs->dir.index_fd, name, &file) :
		       stream_file_create(cs->dir.fd, cs->dir.index_fd, name, &file);
	if (err)
		return err;
	*slot = packet_writer_new(file, &spec);
	*ret = *slot;
	cs->packet_bytes = packet_bytes_of(cs->streams.count);
	return *slot ? 0 : -ENOMEM;
}

static int find_stream(struct ctf_sink *cs, uint32_t kind, int32_t cpu, uint32_t level,
		       struct packet_writer **ret)
{
	const struct stream_kind *of = &cs->plan.kinds[kind];
	struct stream_key key = {.kind = kind,
				 .cpu = of->has_cpu ? (uint32_t)cpu : 0,
				 .level = of->form == METADATA_KERNEL ? level : 0};
	struct packet_writer **slot;
	int err = 0;

	if (cs->last && !memcmp(&key, &cs->last_key, sizeof(key))) {
		*ret = cs->last;
		return 0;
	}
	slot = map_get(&cs->streams, &key);
	if (slot && *slot)
		cs->last = *slot;
	else
		err = make_stream(cs, &key, &cs->last);
	if (err) {
		cs->last = NULL;
		return err;
	}
	cs->last_key = key;
	*ret = cs->last;
	return 0;
}

static uint64_t clock_of(const struct ctf_sink *cs, const struct event *event)
{
	return (uint64_t)event->time_ns - (uint64_t)cs->offset_ns;
}

static int take_lost(struct ctf_sink *cs, const struct event *event)
{
	struct packet_writer *pw;
	struct lost_payload lost;
	int err;

	memcpy(&lost, event->payload, sizeof(lost));
	err = find_stream(cs, lost.stream, event->cpu, lost.level, &pw);
	return err ?: packet_writer_lost(pw, clock_of(cs, event), &lost);
}

static int bound_packet(const struct ctf_sink *cs, struct packet_writer *pw)
{
	return packet_writer_pending(pw) < cs->packet_bytes ? 0 : packet_writer_flush(pw);
}

static int tell_names(struct ctf_sink *cs, const struct event *event)
{
	struct packet_writer *pw;
	uint32_t kind = cs->plan.names[name_stream_trace(cs->names, event)];
	int err = find_stream(cs, kind, 0, 0, &pw);

	err = err ?: name_stream_tell(cs->names, pw, clock_of(cs, event), event);
	return err ?: bound_packet(cs, pw);
}

static int take_event(struct ctf_sink *cs, const struct event *event)
{
	struct packet_writer *pw;
	int err = name_stream_needs(cs->names, event) ? tell_names(cs, event) : 0;

	err = err   ?:
		      find_stream(cs, cs->plan.streams[event->class->index], event->cpu,
				  event->level, &pw);
	if (!err)
		err = packet_writer_event(pw, clock_of(cs, event),
					  &cs->naturals[event->class->index], event);
	return err ?: bound_packet(cs, pw);
}

/* The source's end mark counts what is in its own streams. */
static bool is_mark(const struct event_class *class)
{
	return class->role == EVENT_ROLE_STREAM || class->role == EVENT_ROLE_END;
}

static int ctf_sink_batch(struct event_sink *sink, const struct event *events, size_t count)
{
	struct ctf_sink *cs = (struct ctf_sink *)sink;

	for (size_t i = 0; i < count && !cs->err; i++) {
		if (events[i].class->role == EVENT_ROLE_LOST)
			cs->err = take_lost(cs, &events[i]);
		else if (!is_mark(events[i].class) && analysis_takes(cs->analysis, &events[i]))
			cs->err = take_event(cs, &events[i]);
	}
	return cs->err;
}

static void mark_stream(const struct ctf_sink *cs, const struct stream_key *key,
			const struct packet_writer *pw, struct end_file_writer *mark)
{
	struct stream_total total;
	char name[96];

	name_stream(cs, key, name, sizeof(name));
	packet_writer_total(pw, &total);
	end_file_stream(mark, name, &total);
}

/* All of them, whatever becomes of one: a full disk leaves whole packets. @mark gets what they hold; NULL = nothing
 * is to be marked. */
static int close_streams(struct ctf_sink *cs, struct end_file_writer *mark)
{
	const void *key;
	void *value;
	size_t at = 0;

	while (map_next(&cs->streams, &at, &key, &value)) {
		struct packet_writer **slot = value;
		int err;

		if (!*slot)
			continue;
		err = packet_writer_flush(*slot);
		if (mark)
			mark_stream(cs, key, *slot, mark);
		err = packet_writer_close(*slot) ?: err;
		cs->err = cs->err ?: err;
		*slot = NULL;
	}
	cs->last = NULL;
	return cs->err;
}

static int ctf_sink_finish(struct event_sink *sink)
{
	struct ctf_sink *cs = (struct ctf_sink *)sink;
	struct end_file_writer mark;
	const char *missing;

	end_file_writer_init(&mark);
	(void)close_streams(cs, &mark);
	for (size_t i = cs->missing; (missing = trace_end_missing(cs->analysis->info, i)); i++)
		end_file_missing(&mark, missing);
	for (size_t i = 0; (missing = problem_list_get(&cs->lacks, i)); i++)
		end_file_missing(&mark, missing);
	cs->err = cs->err ?: end_file_write(&mark, cs->dir.fd);
	end_file_writer_fini(&mark);
	return cs->err;
}

static void ctf_sink_free(struct event_sink *sink)
{
	struct ctf_sink *cs = (struct ctf_sink *)sink;

	if (!cs)
		return;
	(void)close_streams(cs, NULL);
	problem_list_fini(&cs->lacks);
	map_fini(&cs->streams);
	frame_writer_free(cs->frames);
	arena_fini(&cs->arena);
	free(cs->naturals);
	name_stream_free(cs->names);
	stream_plan_fini(&cs->plan);
	directory_close(&cs->dir);
	free(cs);
}

static void ctf_sink_lacks(struct event_sink *sink, const char *sentence)
{
	problem_list_add(&((struct ctf_sink *)sink)->lacks, "%s", sentence);
}

static const struct sink_ops ctf_sink_ops = {
	.batch = ctf_sink_batch,
	.finish = ctf_sink_finish,
	.free = ctf_sink_free,
	.lacks = ctf_sink_lacks,
};

static bool is_written(const struct ctf_sink *cs, const struct event_class *class)
{
	return class->role != EVENT_ROLE_LOST && !is_mark(class) &&
	       select_shows(cs->analysis->select, class);
}

static int make_naturals(struct ctf_sink *cs, struct diag *diag)
{
	const struct trace_info *info = cs->analysis->info;
	int err = 0;

	cs->class_count = info->class_count;
	cs->naturals = calloc(cs->class_count ?: 1, sizeof(*cs->naturals));
	if (!cs->naturals)
		return diag_set(diag, -ENOMEM, "no memory");
	for (size_t i = 0; i < cs->class_count && !err; i++) {
		if (is_written(cs, info->classes[i]))
			err = natural_init(&cs->naturals[i], info->classes[i],
					   stream_plan_has_heads(info, info->classes[i]),
					   &cs->arena, diag);
	}
	return err;
}

static int describe(struct ctf_sink *cs, enum ctf_version version, struct buffer *out)
{
	const struct trace_info *info = cs->analysis->info;
	struct sink_env env;
	struct metadata_spec spec = {
		.wall_offset_ns = cs->offset_ns,
		.clock_uuid = info->clock ? info->clock->uuid : NULL,
		.any_uid = version == CTF_VERSION_2,
		.clock_text = info->clock ? info->clock->text : "ns since the epoch",
	};
	const struct stream_plan *plan = &cs->plan;
	int err = sink_env_init(&env, info, plan);

	if (err)
		return err;
	while (trace_end_missing(info, cs->missing))
		cs->missing++;
	spec.env = env.entries;
	spec.env_count = env.count;
	memcpy(spec.uuid, cs->uuid, sizeof(spec.uuid));
	metadata_write_head(&spec, out);
	sink_env_fini(&env);
	for (uint32_t i = 0; i < plan->count; i++) {
		if (plan->kinds[i].form != METADATA_NAMES)
			metadata_write_stream(out, i, plan->kinds[i].form, plan->kinds[i].context);
	}
	for (size_t i = 0; i < cs->class_count && !err; i++) {
		if (is_written(cs, info->classes[i]))
			err = natural_describe(&cs->naturals[i], out, plan->streams[i]);
	}
	for (uint32_t i = 0; i < plan->count && !err; i++) {
		if (plan->kinds[i].form == METADATA_NAMES)
			err = name_stream_describe(cs->names, i, out);
	}
	return err ?: buffer_error(out);
}

/* In CTF 2 the streams lie as they do in CTF 1.8. */
static int make_metadata(struct ctf_sink *cs, enum ctf_version version, struct buffer *out)
{
	struct buffer text;
	int err;

	if (version != CTF_VERSION_2)
		return describe(cs, version, out);
	buffer_init(&text);
	err = describe(cs, version, &text);
	err = err ?: json_metadata_translate(text.data, text.len, out, NULL);
	buffer_fini(&text);
	return err;
}

/* The directory, with its metadata. */
static int make_directory(struct ctf_sink *cs, const char *path,
			  const struct ctf_sink_config *config, struct diag *diag)
{
	struct buffer metadata;
	int err, failed = 0;

	buffer_init(&metadata);
	failed = make_metadata(cs, config->version, &metadata);
	if (config->begin)
		config->begin();
	err = directory_create(&cs->dir, path, config->group, diag);
	if (!err)
		failed = failed ?: directory_metadata(&cs->dir, metadata.data, metadata.len);
	if (!err && failed)
		err = diag_set(diag, failed, "%s/metadata: %s", path, strerror(-failed));
	buffer_fini(&metadata);
	return err;
}

int ctf_sink_new(const struct analysis *analysis, const char *path,
		 const struct ctf_sink_config *config, struct event_sink **ret, struct diag *diag)
{
	struct ctf_sink *cs = calloc(1, sizeof(*cs));
	int err;

	if (!cs)
		return diag_set(diag, -ENOMEM, "no memory");
	*cs = (struct ctf_sink){
		.sink.ops = &ctf_sink_ops, .analysis = analysis, .dir = {-1, -1, false}};
	problem_list_init(&cs->lacks);
	arena_init(&cs->arena);
	cs->offset_ns = analysis->info->clock ? analysis->info->clock->offset_ns : 0;
	map_init(&cs->streams, sizeof(struct stream_key), sizeof(struct packet_writer *),
		 STREAMS_MAX);
	err = config->compress ? frame_writer_new(config->level, &cs->frames) : 0;
	err = err ? diag_set(diag, err, "no memory") : make_naturals(cs, diag);
	if (!err && stream_plan_init(&cs->plan, analysis->info, cs->naturals))
		err = diag_set(diag, -ENOMEM, "no memory");
	cs->names = err ? NULL : name_stream_new(analysis);
	if (!err && !cs->names)
		err = diag_set(diag, -ENOMEM, "no memory");
	if (!err && getrandom(cs->uuid, sizeof(cs->uuid), 0) != (ssize_t)sizeof(cs->uuid))
		err = diag_set(diag, -errno, "%s: %s", path, strerror(errno));
	err = err ?: make_directory(cs, path, config, diag);
	if (err) {
		if (err != -EEXIST)
			directory_undo(&cs->dir, path);
		ctf_sink_free(&cs->sink);
		return err;
	}
	*ret = &cs->sink;
	return 0;
}
