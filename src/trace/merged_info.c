// SPDX-License-Identifier: BSD-2-Clause
#include "trace/merged_info.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctf/stream_traces.h"
#include "schema/lost.h"

static uint32_t streams_of(const struct trace_info *info)
{
	return info->stream_count ? (uint32_t)info->stream_count : 1;
}

/* Traces of which a source is made. */
static uint32_t traces_of(const struct trace_info *info)
{
	uint32_t last = trace_info_traces(info) - 1;

	return last ?: 1;
}

static int make_part(struct merged_info *merged, size_t i, const struct trace_info *info)
{
	struct merged_part *part = &merged->parts[i];

	part->info = info;
	part->classes = calloc(info->class_count ?: 1, sizeof(struct event_class *));
	part->first_stream = (uint32_t)merged->info.stream_count;
	part->trace_count = traces_of(info);
	part->traces = calloc(part->trace_count, sizeof(*part->traces));
	merged->info.stream_count += streams_of(info);
	merged->info.class_count += info->class_count;
	return part->classes && part->traces ? 0 : -ENOMEM;
}

/* Those that had a number keep it; the others get the next ones. @before: NULL: none had. */
static void number_traces(struct merged_info *merged, const struct merged_info *before)
{
	uint32_t last = 0;

	for (size_t i = 0; before && i < before->part_count; i++) {
		const struct merged_part *old = &before->parts[i];
		struct merged_part *part = &merged->parts[i];

		for (uint32_t j = 0; j < old->trace_count; j++) {
			if (j < part->trace_count)
				part->traces[j] = old->traces[j];
			last = old->traces[j] > last ? old->traces[j] : last;
		}
	}
	for (size_t i = 0; i < merged->part_count; i++) {
		struct merged_part *part = &merged->parts[i];

		for (uint32_t j = 0; j < part->trace_count; j++)
			part->traces[j] = part->traces[j] ?: ++last;
	}
}

/* @trace: as the source numbers it; 0: all of it is one. */
static uint32_t number_of(const struct merged_part *part, uint32_t trace)
{
	return part->traces[trace && trace <= part->trace_count ? trace - 1 : 0];
}

/* Losses are of one class, whichever source they are in. */
static void take_classes(struct merged_info *merged, struct merged_part *part)
{
	for (size_t i = 0; i < part->info->class_count; i++) {
		size_t index = merged->info.class_count;
		struct event_class *copy = &merged->copies[index];

		if (part->info->classes[i]->role == EVENT_ROLE_LOST) {
			part->classes[i] = &lost_class;
			continue;
		}
		*copy = *part->info->classes[i];
		copy->index = index;
		copy->stream += part->first_stream;
		part->classes[i] = merged->classes[index] = copy;
		merged->info.class_count++;
	}
}

static int make_classes(struct merged_info *merged)
{
	size_t room = merged->info.class_count + 1;

	merged->copies = calloc(room, sizeof(*merged->copies));
	merged->classes = calloc(room, sizeof(*merged->classes));
	if (!merged->copies || !merged->classes)
		return -ENOMEM;
	merged->classes[0] = &lost_class;
	merged->info.class_count = 1;
	for (size_t i = 0; i < merged->part_count; i++)
		take_classes(merged, &merged->parts[i]);
	merged->info.classes = merged->classes;
	return 0;
}

static int make_streams(struct merged_info *merged)
{
	merged->streams = calloc(merged->info.stream_count, sizeof(*merged->streams));
	if (!merged->streams)
		return -ENOMEM;
	for (size_t i = 0; i < merged->part_count; i++) {
		const struct merged_part *part = &merged->parts[i];
		struct trace_stream *streams = &merged->streams[part->first_stream];

		for (uint32_t j = 0; j < streams_of(part->info); j++) {
			if (part->info->stream_count)
				streams[j] = part->info->streams[j];
			streams[j].trace = number_of(part, trace_info_trace(part->info, j));
			streams[j].symbols = trace_info_symbols(part->info, j);
			streams[j].gaps =
				trace_info_gaps(part->info, trace_info_trace(part->info, j));
		}
	}
	merged->info.streams = merged->streams;
	return 0;
}

static bool is_equal(const struct trace_env *a, const struct trace_env *b)
{
	if (!a->text || !b->text)
		return !a->text && !b->text && a->number == b->number;
	return !strcmp(a->text, b->text);
}

static bool all_say(const struct merged_info *merged, const struct trace_env *env)
{
	for (size_t i = 0; i < merged->part_count; i++) {
		const struct trace_env *other = trace_info_env(merged->parts[i].info, env->name);

		if (!other || !is_equal(env, other))
			return false;
	}
	return true;
}

/* Tables of names for numbers that mean the same on all machines of a kind: lists that some know
 * more of than others do. */
static bool is_list(const struct merged_info *merged, const struct trace_env *env)
{
	const struct trace_env *machine = trace_info_env(merged->parts[0].info, "machine");

	return env->text && machine && all_say(merged, machine) &&
	       (!strcmp(env->name, "syscalls") || !strcmp(env->name, "syscalls_compat"));
}

/* The longest of all, once. */
static void add_list(struct merged_info *merged, const struct trace_env *env)
{
	for (size_t i = 0; i < merged->info.env_count; i++) {
		struct trace_env *there = &merged->env[i];

		if (strcmp(there->name, env->name) != 0)
			continue;
		if (strlen(env->text) > strlen(there->text))
			there->text = env->text;
		return;
	}
	merged->env[merged->info.env_count++] = *env;
}

/* @name with the number of its trace: one of the source's own traces, if @name has it already.
 * NULL: no memory. */
static char *name_env(const struct merged_part *part, const char *name)
{
	uint32_t trace = 1;
	int skip = 0;
	char *text;

	if (traces_of(part->info) > 1 && sscanf(name, "trace%3u_%n", &trace, &skip) == 1 && skip)
		name += skip;
	else
		trace = 1;
	return asprintf(&text, "trace%u_%s", number_of(part, trace), name) < 0 ? NULL : text;
}

static int add_env(struct merged_info *merged, size_t i, const struct trace_env *env)
{
	struct trace_env *copy = &merged->env[merged->info.env_count];
	char **name = &merged->env_names[merged->env_name_count];

	if (!strcmp(env->name, STREAM_TRACES_ENV))
		return 0; /* the streams tell it */
	if (is_list(merged, env)) {
		add_list(merged, env);
		return 0;
	}
	if (all_say(merged, env)) {
		if (i)
			return 0; /* the first has said it */
		*copy = *env;
	} else {
		*name = name_env(&merged->parts[i], env->name);
		if (!*name)
			return -ENOMEM;
		*copy = *env;
		copy->name = *name;
		merged->env_name_count++;
	}
	merged->info.env_count++;
	return 0;
}

/* What one of them did not record is missing in the whole. */
static void add_filtered(struct merged_info *merged)
{
	bool filtered = false;

	for (size_t i = 0; i < merged->part_count; i++)
		filtered = filtered || trace_info_is_filtered(merged->parts[i].info);
	if (filtered && !trace_info_env(&merged->info, "sonde_filtered"))
		merged->env[merged->info.env_count++] =
			(struct trace_env){.name = "sonde_filtered", .number = 1};
}

static int make_env(struct merged_info *merged)
{
	size_t room = 1;
	int err = 0;

	for (size_t i = 0; i < merged->part_count; i++)
		room += merged->parts[i].info->env_count;
	merged->env = calloc(room, sizeof(*merged->env));
	merged->env_names = calloc(room, sizeof(*merged->env_names));
	if (!merged->env || !merged->env_names)
		return -ENOMEM;
	merged->info.env = merged->env;
	for (size_t i = 0; i < merged->part_count; i++) {
		const struct trace_info *info = merged->parts[i].info;

		for (size_t j = 0; j < info->env_count && !err; j++)
			err = add_env(merged, i, &info->env[j]);
	}
	add_filtered(merged);
	return err;
}

/* Of one boot, and set alike all the time: then it is one clock. */
static void find_clock(struct merged_info *merged)
{
	const struct trace_clock *first = merged->parts[0].info->clock;

	for (size_t i = 0; first && i < merged->part_count; i++) {
		const struct trace_clock *clock = merged->parts[i].info->clock;

		if (!clock || !clock->uuid || !first->uuid || strcmp(clock->uuid, first->uuid) ||
		    clock->offset_ns != first->offset_ns)
			return;
	}
	merged->info.clock = first;
}

static int make(struct merged_info *merged, const struct trace_info *const *infos, size_t count,
		const struct merged_info *before)
{
	int err = 0;

	*merged = (struct merged_info){.part_count = count};
	merged->parts = calloc(count, sizeof(*merged->parts));
	if (!merged->parts)
		return -ENOMEM;
	for (size_t i = 0; i < count && !err; i++)
		err = make_part(merged, i, infos[i]);
	if (!err)
		number_traces(merged, before);
	err = err ?: make_classes(merged);
	err = err ?: make_streams(merged);
	err = err ?: make_env(merged);
	if (err)
		return err;
	find_clock(merged);
	merged_info_count(merged);
	return 0;
}

int merged_info_init(struct merged_info *merged, const struct trace_info *const *infos,
		     size_t count)
{
	return make(merged, infos, count, NULL);
}

int merged_info_renew(struct merged_info *merged, const struct trace_info *const *infos,
		      size_t count)
{
	struct merged_info next;
	int err = make(&next, infos, count, merged);

	merged_info_fini(err ? &next : merged);
	if (!err)
		*merged = next;
	return err;
}

void merged_info_fini(struct merged_info *merged)
{
	for (size_t i = 0; merged->parts && i < merged->part_count; i++) {
		free(merged->parts[i].classes);
		free(merged->parts[i].traces);
	}
	for (size_t i = 0; i < merged->env_name_count; i++)
		free(merged->env_names[i]);
	free(merged->parts);
	free(merged->copies);
	free(merged->classes);
	free(merged->streams);
	free(merged->env);
	free(merged->env_names);
}

void merged_info_count(struct merged_info *merged)
{
	merged->info.bytes = 0;
	merged->info.packets = 0;
	for (size_t i = 0; i < merged->part_count; i++) {
		merged->info.bytes += merged->parts[i].info->bytes;
		merged->info.packets += merged->parts[i].info->packets;
	}
}
