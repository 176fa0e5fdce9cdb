// SPDX-License-Identifier: BSD-2-Clause
#include "output/stats_json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/sample_stats.h"
#include "base/buffer.h"
#include "base/clock.h"
#include "base/json_writer.h"
#include "output/cpu_tables.h"
#include "output/json_field.h"
#include "output/names.h"
#include "output/stats.h"
#include "output/stats_disks.h"
#include "output/stats_origins.h"
#include "output/stats_rank.h"
#include "output/stats_text.h"
#include "output/view.h"

static size_t rows(const struct stats *stats, size_t count)
{
	return stats->options.rows && count > stats->options.rows ? stats->options.rows : count;
}

static void put_classes(const struct stats *stats, struct json_writer *json,
			const struct class_count *const *list, size_t count)
{
	double seconds = (double)stats_duration_ns(stats) / (double)NS_PER_SEC;
	size_t i;

	json_writer_array(json, "classes");
	for (i = 0; i < count; i++) {
		const char *name = list[i]->class->name;

		json_writer_object(json, NULL);
		json_writer_string(json, "name", name);
		json_writer_uint(json, "events", list[i]->events);
		json_writer_uint(json, "bytes", list[i]->bytes);
		if (seconds > 0)
			json_writer_real(json, "rate", (double)list[i]->events / seconds, 1);
		json_writer_end(json);
	}
	json_writer_end(json);
}

static void put_losses(const struct stats *stats, struct json_writer *json)
{
	size_t i;

	json_writer_array(json, "losses");
	for (i = 0; i < stats->loss_room; i++) {
		const struct loss_count *loss = &stats->losses[i];

		if (!loss->count && !loss->packets)
			continue;
		json_writer_object(json, NULL);
		if (i)
			json_writer_uint(json, "cpu", i - 1);
		json_writer_uint(json, "events", loss->count);
		json_writer_uint(json, "buffer_full", loss->count - loss->nested - loss->recursion);
		json_writer_uint(json, "nested", loss->nested);
		json_writer_uint(json, "recursion", loss->recursion);
		json_writer_uint(json, "packets_overwritten", loss->packets);
		json_writer_end(json);
	}
	json_writer_end(json);
}

/* The last entry may stand for all tasks beyond the limit: it has no tid. */
static void put_task(const struct stats *stats, struct json_writer *json,
		     const struct task_count *task)
{
	const struct task_name *name = task_names_get(stats->view->analysis.names, NULL, task->tid);
	const char *cgroup = analysis_cgroup(&stats->view->analysis, NULL, task->tid);

	json_writer_object(json, NULL);
	json_writer_uint(json, "events", task->events);
	if (task->tid >= 0)
		json_writer_int(json, "tid", task->tid);
	if (cgroup)
		json_writer_string(json, "cgroup", cgroup);
	if (task->tid >= 0 && name->len)
		json_writer_text(json, "comm", name->text, TASK_NAME_LEN(name));
	json_writer_uint(json, "syscalls", task_count_calls(task));
	if (stats->tasks.has_switches)
		json_writer_uint(json, "cpu_ns", task->cpu_ns);
	json_writer_end(json);
}

static void put_tasks(const struct stats *stats, struct json_writer *json,
		      const struct task_count *const *list, size_t count)
{
	size_t i;

	json_writer_array(json, "tasks");
	for (i = 0; i < count; i++)
		put_task(stats, json, list[i]);
	json_writer_end(json);
}

static void put_call(struct json_writer *json, const struct names *names,
		     const struct ranked_call *ranked)
{
	const struct call_count *call = ranked->call;
	const struct name *name = names_call(names, ranked->compat, ranked->nr);

	json_writer_object(json, NULL);
	json_writer_uint(json, "calls", call_count_calls(call));
	if (ranked->nr >= 0)
		json_writer_int(json, "nr", ranked->nr);
	json_field_name(json, "name", name);
	json_writer_bool(json, "compat", ranked->compat);
	json_writer_uint(json, "errors", call->errors);
	json_writer_uint(json, "matched", call->matched);
	if (call->matched) {
		json_writer_uint(json, "total_ns", call->total_ns);
		json_writer_uint(json, "avg_ns", call->total_ns / call->matched);
		json_writer_uint(json, "max_ns", call->max_ns);
	}
	json_writer_end(json);
}

static void put_calls(struct json_writer *json, const struct names *names,
		      const struct ranked_call *list, size_t count)
{
	size_t i;

	json_writer_array(json, "syscalls");
	for (i = 0; i < count; i++)
		put_call(json, names, &list[i]);
	json_writer_end(json);
}

static void put_conn(struct json_writer *json, const struct conn_count *conn)
{
	const char *label = conn->state_field ? field_label(conn->state_field, conn->state) : NULL;

	json_writer_object(json, NULL);
	conn_id_json(json, &conn->id);
	json_writer_uint(json, "events", conn->events);
	json_writer_uint(json, "bytes_acked", conn->sent.grown);
	json_writer_uint(json, "bytes_received", conn->received.grown);
	json_writer_uint(json, "acked_total_bytes", conn->sent.last);
	json_writer_uint(json, "received_total_bytes", conn->received.last);
	json_writer_uint(json, "total_retrans", conn->resent_segments.grown);
	if (conn->srtt_count) {
		json_writer_uint(json, "srtt_min_ns", conn->srtt_min_ns);
		json_writer_uint(json, "srtt_avg_ns", conn->srtt_sum_ns / conn->srtt_count);
		json_writer_uint(json, "srtt_last_ns", conn->srtt_ns);
	}
	json_writer_uint(json, "snd_cwnd", conn->cwnd);
	if (label)
		json_writer_string(json, "state", label);
	else if (conn->state_field)
		json_writer_int(json, "state", conn->state);
	json_writer_end(json);
}

static void put_conns(const struct stats *stats, struct json_writer *json,
		      const struct conn_count *const *list, size_t count)
{
	size_t i;

	json_writer_array(json, "connections");
	for (i = 0; i < count; i++)
		put_conn(json, list[i]);
	json_writer_end(json);
	if (stats->conns.others)
		json_writer_uint(json, "other_connection_events", stats->conns.others);
}

static void put_totals(const struct stats *stats, struct json_writer *json)
{
	json_writer_object(json, NULL);
	json_writer_uint(json, "duration_ns", stats_duration_ns(stats));
	if (stats->events) {
		json_writer_int(json, "begin", stats->begin_ns);
		json_writer_int(json, "end", stats->end_ns);
	}
	json_writer_uint(json, "events", stats->events);
	json_writer_uint(json, "bytes", stats->bytes);
	json_writer_uint(json, "lost", stats->lost.count);
	json_writer_uint(json, "packets_overwritten", stats->lost.packets);
	json_field_trace_end(json, stats->view->analysis.info);
}

/* Only where there are some. */
static int put_samples(const struct stats *stats, struct json_writer *json)
{
	struct report_rows list = {0};
	int err;

	if (!stats->samples.samples)
		return 0;
	json_writer_object(json, "cpus");
	json_writer_uint(json, "samples", stats->samples.samples);
	json_writer_uint(json, "missed", stats->samples.missed);
	report_row_json(&cpu_states, &list, &stats->samples, json);
	err = cpu_function_rows(&stats->samples, &list);
	list.shown = rows(stats, list.count);
	if (!err)
		report_table_json(&stats_functions, &list, json);
	json_writer_end(json);
	free(list.owned);
	return err;
}

int stats_json_write(const struct stats *stats, struct buffer *out)
{
	struct json_writer writer, *json = &writer;
	size_t class_count, task_count, call_count, conn_count;
	const struct class_count **classes = stats_rank_classes(stats, &class_count);
	const struct task_count **tasks = stats_rank_tasks(stats, &task_count);
	struct ranked_call *calls = stats_rank_calls(stats, &call_count);
	const struct conn_count **conns = stats_rank_conns(stats, &conn_count);
	struct names *names = names_new(stats->view->analysis.info, escape_json);
	int err = -ENOMEM;

	if (!classes || !tasks || !calls || !conns || !names)
		goto out;
	json_writer_init(json, out);
	put_totals(stats, json);
	put_classes(stats, json, classes, class_count);
	put_losses(stats, json);
	stats_origins_json(stats, stats->options.rows, json);
	put_tasks(stats, json, tasks, rows(stats, task_count));
	put_calls(json, names, calls, rows(stats, call_count));
	err = stats_disks_json(&stats->disks, stats->options.rows, json);
	put_conns(stats, json, conns, rows(stats, conn_count));
	err = err ?: put_samples(stats, json);
	json_writer_finish(json);
	err = err ?: buffer_error(out);
out:
	free(classes);
	free(tasks);
	free(calls);
	free(conns);
	names_free(names);
	return err;
}
