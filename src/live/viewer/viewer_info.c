// SPDX-License-Identifier: BSD-2-Clause
#include "live/viewer/viewer_info.h"

#include <errno.h>
#include <stdlib.h>

#include "ctf/trace_class.h"
#include "schema/lost.h"

static const struct event_class *const no_classes[] = {&lost_class};

void viewer_info_init(struct viewer_info *of)
{
	*of = (struct viewer_info){.info = {.class_count = 1, .classes = no_classes}};
}

void viewer_info_fini(struct viewer_info *of)
{
	if (of->merged.parts)
		merged_info_fini(&of->merged);
	problem_list_fini(&of->breaches);
	free(of->classes);
}

static struct trace_info info_of(const struct ctf_trace_class *trace)
{
	return (struct trace_info){
		.class_count = trace->class_count,
		.classes = trace->classes,
		.env_count = trace->env_count,
		.env = trace->env,
		.stream_count = trace->stream_count,
		.streams = trace->kinds,
		.clock = trace->clock,
	};
}

/* The traces' own classes under the numbers of the whole. */
static int number(struct viewer_info *of, struct ctf_trace_class *const *traces)
{
	const struct merged_info *merged = &of->merged;
	size_t first = 1;

	of->classes = calloc(merged->info.class_count, sizeof(*of->classes));
	if (!of->classes)
		return -ENOMEM;
	of->classes[0] = &lost_class;
	for (size_t i = 0; i < merged->part_count; i++) {
		const struct ctf_trace_class *trace = traces[i];

		ctf_trace_class_place(traces[i], first, merged->parts[i].first_stream);
		for (size_t j = 1; j < trace->class_count; j++)
			of->classes[first++] = trace->classes[j];
	}
	return 0;
}

static int set_many(struct viewer_info *of, struct ctf_trace_class *const *traces, size_t count)
{
	struct trace_info *infos = calloc(count, sizeof(*infos));
	const struct trace_info **each = calloc(count, sizeof(*each));
	int err = infos && each ? 0 : -ENOMEM;

	for (size_t i = 0; i < count && !err; i++) {
		infos[i] = info_of(traces[i]);
		each[i] = &infos[i];
	}
	err = err ?: merged_info_init(&of->merged, each, count);
	err = err ?: number(of, traces);
	free(infos);
	free(each);
	if (err)
		return err;
	of->info = of->merged.info;
	of->info.classes = of->classes;
	return 0;
}

int viewer_info_set(struct viewer_info *of, struct ctf_trace_class *const *traces, size_t count)
{
	const struct trace_end *end = of->info.end;
	struct symbols *symbols = of->info.symbols;
	uint64_t packets = of->info.packets;
	int err = 0;

	viewer_info_fini(of);
	viewer_info_init(of);
	for (size_t i = 0; i < count; i++)
		ctf_trace_class_place(traces[i], 1, 0);
	if (count == 1)
		of->info = info_of(traces[0]);
	else if (count)
		err = set_many(of, traces, count);
	for (size_t i = 0; i < count; i++)
		problem_list_take(&of->breaches, &traces[i]->breaches, &(size_t){0}, NULL);
	of->info.breaches = &of->breaches;
	of->info.end = end;
	of->info.symbols = symbols;
	of->info.packets = packets;
	return err;
}
