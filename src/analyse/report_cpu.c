// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/report_cpu.h"

#include <stdlib.h>

#include "analyse/analysis.h"
#include "analyse/select.h"
#include "schema/event.h"
#include "schema/trace_info.h"

struct cpu_class {
	bool samples;
	struct sample_fields fields;
};

static void cpu_batch(struct report *report, const struct event *events, size_t count)
{
	struct cpu_report *cr = (struct cpu_report *)report;
	const struct analysis *analysis = report->analysis;

	for (size_t i = 0; i < count; i++) {
		const struct cpu_class *class = &cr->classes[events[i].class->index];

		if (!class->samples)
			continue;
		sample_stats_count(&cr->stats, &class->fields, analysis->info,
				   task_names_get(analysis->names, events[i].class, events[i].tid),
				   &events[i]);
		report->events++;
	}
}

static void cpu_end(struct report *report, const struct report_span *span)
{
	(void)report;
	(void)span;
}

static void cpu_free(struct report *report)
{
	struct cpu_report *cr = (struct cpu_report *)report;

	sample_stats_fini(&cr->stats);
	free(cr->classes);
	free(cr);
}

static const struct report_ops cpu_ops = {cpu_batch, NULL, cpu_end, cpu_free};

static uint64_t rate_of(const struct trace_info *info)
{
	const struct trace_env *env = trace_info_env(info, "sonde_sample_hz");

	return env && !env->text && env->number > 0 ? (uint64_t)env->number : 0;
}

struct report *report_cpu_new(const struct analysis *analysis)
{
	struct cpu_report *cr = calloc(1, sizeof(*cr));

	if (!cr)
		return NULL;
	cr->report = (struct report){.ops = &cpu_ops, .analysis = analysis};
	cr->hz = rate_of(analysis->info);
	cr->classes = calloc(analysis->info->class_count ?: 1, sizeof(*cr->classes));
	if (sample_stats_init(&cr->stats, true) || !cr->classes) {
		cpu_free(&cr->report);
		return NULL;
	}
	for (size_t i = 0; i < analysis->info->class_count; i++) {
		const struct event_class *class = analysis->info->classes[i];

		cr->classes[i].samples = sample_fields_find(&cr->classes[i].fields, class) &&
					 select_shows(analysis->select, class);
	}
	return &cr->report;
}
