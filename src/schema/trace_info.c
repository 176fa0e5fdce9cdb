// SPDX-License-Identifier: BSD-2-Clause
#include "schema/trace_info.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void problem_list_init(struct problem_list *list)
{
	*list = (struct problem_list){0};
}

void problem_list_fini(struct problem_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->texts[i]);
	free(list->texts);
}

void problem_list_add(struct problem_list *list, const char *format, ...)
{
	char **texts, *text = NULL;
	va_list args;
	int len;

	if (list->count > PROBLEM_LIST_MAX)
		return;
	texts = realloc(list->texts, (list->count + 1) * sizeof(*texts));
	if (!texts)
		return;
	list->texts = texts;
	va_start(args, format);
	if (list->count == PROBLEM_LIST_MAX)
		text = strdup("more damage was found, but is not listed");
	else
		len = vasprintf(&text, format, args), text = len < 0 ? NULL : text;
	va_end(args);
	if (text)
		texts[list->count++] = text;
}

void problem_list_take(struct problem_list *list, const struct problem_list *from, size_t *at,
		       const char *name)
{
	for (; *at < from->count; (*at)++)
		problem_list_add(list, "%s%s%s", name ? name : "", name ? ": " : "",
				 from->texts[*at]);
}

const char *problem_list_get(const struct problem_list *list, size_t i)
{
	return i < list->count ? list->texts[i] : NULL;
}

const char *trace_end_word(const struct trace_info *info)
{
	static const char *const words[] = {
		[TRACE_END_UNKNOWN] = "unknown",   [TRACE_END_MARKED] = "marked",
		[TRACE_END_UNMARKED] = "unmarked", [TRACE_END_OPEN] = "open",
		[TRACE_END_MISSING] = "missing",
	};

	return words[info->end ? info->end->kind : TRACE_END_UNKNOWN];
}

const char *trace_end_missing(const struct trace_info *info, size_t i)
{
	return info->end ? problem_list_get(&info->end->missing, i) : NULL;
}

void trace_end_tell_source(struct trace_end *end, const char *missing)
{
	end->kind = TRACE_END_MISSING;
	problem_list_add(&end->missing, "incomplete: it was converted from an incomplete trace: %s",
			 missing);
}

const char *trace_info_breach(const struct trace_info *info, size_t i)
{
	return info->breaches ? problem_list_get(info->breaches, i) : NULL;
}

const struct trace_env *trace_info_env(const struct trace_info *info, const char *name)
{
	size_t i;

	for (i = 0; i < info->env_count; i++) {
		if (strcmp(info->env[i].name, name) == 0)
			return &info->env[i];
	}
	return NULL;
}

uint32_t trace_info_trace(const struct trace_info *info, uint32_t stream)
{
	uint32_t trace = stream < info->stream_count ? info->streams[stream].trace : 0;

	return trace < TRACE_INFO_TRACES ? trace : 0;
}

uint32_t trace_info_traces(const struct trace_info *info)
{
	uint32_t last = 0;

	for (uint32_t i = 0; i < info->stream_count; i++) {
		uint32_t trace = trace_info_trace(info, i);

		last = trace > last ? trace : last;
	}
	return last + 1;
}

struct symbols *trace_info_symbols(const struct trace_info *info, uint32_t stream)
{
	if (info->symbols || stream >= info->stream_count)
		return info->symbols;
	return info->streams[stream].symbols;
}

const struct trace_gaps *trace_info_gaps(const struct trace_info *info, uint32_t trace)
{
	for (uint32_t i = 0; !info->gaps && i < info->stream_count; i++) {
		if (trace_info_trace(info, i) == trace)
			return info->streams[i].gaps;
	}
	return info->gaps;
}

bool trace_info_is_filtered(const struct trace_info *info)
{
	const struct trace_env *env = trace_info_env(info, "sonde_filtered");

	return env && env->number;
}

void trace_gaps_fini(struct trace_gaps *gaps)
{
	free(gaps->list);
	*gaps = (struct trace_gaps){0};
}

void trace_gaps_add(struct trace_gaps *gaps, int64_t from_ns, int64_t to_ns)
{
	struct trace_gap *list = realloc(gaps->list, (gaps->count + 1) * sizeof(*list));

	if (!list) {
		gaps->failed = true;
		return;
	}
	gaps->list = list;
	list[gaps->count++] = (struct trace_gap){from_ns, to_ns};
}

void trace_gaps_shorten(struct trace_gaps *gaps, size_t i, int64_t to_ns)
{
	gaps->list[i].to_ns = to_ns;
	gaps->shortened++;
}
