// SPDX-License-Identifier: BSD-2-Clause
#include "output/report_cpu.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/analysis.h"
#include "analyse/sample_stats.h"
#include "base/amount.h"
#include "base/buffer.h"
#include "base/clock.h"
#include "base/escape.h"
#include "base/json_writer.h"
#include "output/cell.h"
#include "output/folded.h"
#include "output/report_kind.h"
#include "output/table.h"

#define NAME_SHOWN 64u /* characters of a function's name: those of C++ know no end */

static const char *const state_names[SAMPLE_STATES] = {"user", "nice", "system", "idle"};
static const char *const state_keys[SAMPLE_STATES] = {"user", "nice", "sys", "idle"};

struct class_entry {
	bool samples;
	struct sample_fields fields;
};

struct cpu_report {
	struct report report;
	struct class_entry *classes; /* by event_class.index */
	struct sample_stats stats;
	uint64_t hz; /* 0 = not known */
};

static void cpu_batch(struct report *report, const struct event *events, size_t count)
{
	struct cpu_report *cr = (struct cpu_report *)report;
	const struct analysis *analysis = report->analysis;

	for (size_t i = 0; i < count; i++) {
		const struct class_entry *entry = &cr->classes[events[i].class->index];

		if (!entry->samples)
			continue;
		sample_stats_count(&cr->stats, &entry->fields, analysis->info->symbols,
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

static void add_share(struct table *table, uint64_t part, uint64_t all)
{
	table_add(table, "%.1f %%", all ? 100.0 * (double)part / (double)all : 0.0);
}

static void write_states(const struct cpu_report *cr, struct buffer *out)
{
	static const char *const titles[] = {"state", "samples", "share", NULL};
	const struct sample_stats *stats = &cr->stats;
	struct table table;

	table_init(&table, titles);
	for (size_t i = 0; i < SAMPLE_STATES; i++) {
		table_add(&table, "%s", state_names[i]);
		table_add(&table, "%s", amount_count(stats->states[i]).text);
		add_share(&table, stats->states[i], stats->samples);
	}
	table_finish(&table, out, 0, 0);
}

/* As many periods as it was met. */
static uint64_t time_of(const struct cpu_report *cr, uint64_t samples)
{
	return cr->hz ? samples * (NS_PER_SEC / cr->hz) : 0;
}

static void add_process(const struct cpu_report *cr, struct table *table,
			const struct process_count *process)
{
	if (process->pid)
		cell_task(table, cr->report.analysis->names, (int32_t)process->pid);
	else
		table_add(table, "(others)");
	table_add(table, "%s", amount_count(process->samples).text);
	add_share(table, process->samples, sample_stats_busy(&cr->stats));
	table_add(table, "%s",
		  amount_time_or_blank(time_of(cr, process->samples), cr->hz != 0).text);
	for (size_t i = 0; i < SAMPLE_IDLE; i++)
		table_add(table, "%s", amount_count_or_blank(process->states[i]).text);
}

static int write_processes(const struct cpu_report *cr, const struct report_options *options,
			   struct buffer *out)
{
	static const char *const titles[] = {"process", "samples", "share",  "about",
					     "user",	"nice",	   "system", NULL};
	size_t count, shown;
	const struct process_count **list = sample_stats_rank_processes(&cr->stats, &count);
	struct table table;

	if (!list)
		return -ENOMEM;
	shown = report_shown(options, count);
	table_init(&table, titles);
	for (size_t i = 0; i < shown; i++)
		add_process(cr, &table, list[i]);
	table_finish(&table, out, shown, count);
	free(list);
	return 0;
}

/* Names come from files: they may be anything. */
static void add_name(struct table *table, const char *name)
{
	char text[NAME_SHOWN * ESCAPE_FACTOR + 4];
	size_t len = strlen(name);
	char *end = escape_terminal(text, name, len < NAME_SHOWN ? len : NAME_SHOWN);

	strcpy(end, len > NAME_SHOWN ? "..." : "");
	table_add(table, "%s", text);
}

static void add_function(struct table *table, const struct sample_stats *stats,
			 const struct function_count *count)
{
	uint64_t all = sample_stats_busy(stats);

	add_name(table, count->function ?: count->module ? "(no symbol)" : "(not known)");
	table_add(table, "%s", amount_count_or_blank(count->self).text);
	add_share(table, count->self, all);
	if (stats->stacks) {
		table_add(table, "%s", amount_count(count->total).text);
		add_share(table, count->total, all);
	}
	add_name(table, count->kernel ? "kernel" : count->module ?: "");
}

int report_cpu_functions(const struct sample_stats *stats, size_t rows, struct buffer *out)
{
	static const char *const flat[] = {"function", "samples", "share", "in", NULL};
	static const char *const deep[] = {"function", "samples", "share", "and called",
					   "share",    "in",	  NULL};
	size_t count, shown;
	const struct function_count **list = sample_stats_rank_functions(stats, &count);
	struct table table;

	if (!list)
		return -ENOMEM;
	shown = rows && rows < count ? rows : count;
	table_init(&table, stats->stacks ? deep : flat);
	for (size_t i = 0; i < shown; i++)
		add_function(&table, stats, list[i]);
	table_finish(&table, out, shown, count);
	free(list);
	return 0;
}

static void write_summary(const struct cpu_report *cr, struct buffer *out)
{
	const struct sample_stats *stats = &cr->stats;

	buffer_format(out, "CPUs: %s samples", amount_count(stats->samples).text);
	if (cr->hz)
		buffer_format(out, ", %s a second of each", amount_count(cr->hz).text);
	if (stats->missed)
		buffer_format(out, "; %s more were due and not taken",
			      amount_count(stats->missed).text);
	buffer_char(out, '\n');
	if (stats->cut)
		buffer_format(out, "%s stacks are deeper than what was recorded of them.\n",
			      amount_count(stats->cut).text);
}

static int cpu_text(const struct report *report, const struct report_options *options,
		    struct buffer *out)
{
	const struct cpu_report *cr = (const struct cpu_report *)report;
	int err;

	if (options->folded)
		return folded_write(&cr->stats, out);
	write_summary(cr, out);
	write_states(cr, out);
	if (!sample_stats_busy(&cr->stats))
		return 0;
	err = write_processes(cr, options, out);
	return err ?: report_cpu_functions(&cr->stats, options->rows, out);
}

void report_cpu_states_json(const struct sample_stats *stats, struct json_writer *json)
{
	json_writer_object(json, "states");
	for (size_t i = 0; i < SAMPLE_STATES; i++)
		json_writer_uint(json, state_keys[i], stats->states[i]);
	json_writer_end(json);
}

static int put_processes(const struct cpu_report *cr, const struct report_options *options,
			 struct json_writer *json)
{
	size_t count;
	const struct process_count **list = sample_stats_rank_processes(&cr->stats, &count);

	if (!list)
		return -ENOMEM;
	json_writer_array(json, "by_process");
	for (size_t i = 0; i < report_shown(options, count); i++) {
		const struct task_name *name =
			task_names_get(cr->report.analysis->names, NULL, (int32_t)list[i]->pid);

		json_writer_object(json, NULL);
		json_writer_uint(json, "pid", list[i]->pid);
		if (name->len)
			json_writer_text(json, "comm", name->text, TASK_NAME_LEN(name));
		json_writer_uint(json, "samples", list[i]->samples);
		for (size_t j = 0; j < SAMPLE_IDLE; j++)
			json_writer_uint(json, state_keys[j], list[i]->states[j]);
		json_writer_end(json);
	}
	json_writer_end(json);
	free(list);
	return 0;
}

int report_cpu_functions_json(const struct sample_stats *stats, size_t rows, const char *key,
			      struct json_writer *json)
{
	size_t count, shown;
	const struct function_count **list = sample_stats_rank_functions(stats, &count);

	if (!list)
		return -ENOMEM;
	shown = rows && rows < count ? rows : count;
	json_writer_array(json, key);
	for (size_t i = 0; i < shown; i++) {
		const struct function_count *f = list[i];

		json_writer_object(json, NULL);
		json_writer_uint(json, "self", f->self);
		json_writer_uint(json, "total", f->total);
		json_writer_bool(json, "kernel", f->kernel);
		if (f->function)
			json_writer_string(json, "function", f->function);
		if (f->module)
			json_writer_string(json, "module", f->module);
		json_writer_end(json);
	}
	json_writer_end(json);
	free(list);
	return 0;
}

static int cpu_json(const struct report *report, const struct report_options *options,
		    struct json_writer *json)
{
	const struct cpu_report *cr = (const struct cpu_report *)report;
	int err;

	json_writer_uint(json, "samples", cr->stats.samples);
	json_writer_uint(json, "missed", cr->stats.missed);
	json_writer_uint(json, "cut", cr->stats.cut);
	if (cr->hz)
		json_writer_uint(json, "hz", cr->hz);
	report_cpu_states_json(&cr->stats, json);
	err = put_processes(cr, options, json);
	err = err ?: report_cpu_functions_json(&cr->stats, options->rows, "by_function", json);
	return err;
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

static struct report *cpu_new(const struct analysis *analysis)
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

const struct report_kind report_kind_cpu = {
	.name = "cpu",
	.events = "cpu.sample",
	.group = "cpu.",
	.new = cpu_new,
	.summary = cpu_text,
	.members = cpu_json,
};
