// SPDX-License-Identifier: BSD-2-Clause
#include "output/stats_json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/sample_stats.h"
#include "base/buffer.h"
#include "base/clock.h"
#include "base/json_member.h"
#include "output/json_field.h"
#include "output/names.h"
#include "output/report_cpu.h"
#include "output/stats.h"
#include "output/stats_disks.h"
#include "output/stats_origins.h"
#include "output/stats_rank.h"
#include "output/view.h"

static size_t rows(const struct stats *stats, size_t count)
{
	return stats->options.rows && count > stats->options.rows ? stats->options.rows : count;
}

static void put_classes(const struct stats *stats, struct buffer *out,
			const struct class_count *const *list, size_t count)
{
	double seconds = (double)stats_duration_ns(stats) / (double)NS_PER_SEC;
	size_t i;

	json_member_key(out, ",", "classes");
	buffer_char(out, '[');
	for (i = 0; i < count; i++) {
		const char *name = list[i]->class->name;

		json_member_text(out, i ? ",{" : "{", "name", name, strlen(name));
		json_member_uint(out, ",", "events", list[i]->events);
		json_member_uint(out, ",", "bytes", list[i]->bytes);
		if (seconds > 0)
			buffer_format(out, ",\"rate\":%.1f", (double)list[i]->events / seconds);
		buffer_char(out, '}');
	}
	buffer_char(out, ']');
}

static void put_losses(const struct stats *stats, struct buffer *out)
{
	const char *before = "{";
	size_t i;

	json_member_key(out, ",", "losses");
	buffer_char(out, '[');
	for (i = 0; i < stats->loss_room; i++) {
		const struct loss_count *loss = &stats->losses[i];

		if (!loss->count && !loss->packets)
			continue;
		if (i) {
			json_member_uint(out, before, "cpu", i - 1);
			json_member_uint(out, ",", "events", loss->count);
		} else {
			json_member_uint(out, before, "events", loss->count);
		}
		json_member_uint(out, ",", "buffer_full",
				 loss->count - loss->nested - loss->recursion);
		json_member_uint(out, ",", "nested", loss->nested);
		json_member_uint(out, ",", "recursion", loss->recursion);
		json_member_uint(out, ",", "packets_overwritten", loss->packets);
		buffer_char(out, '}');
		before = ",{";
	}
	buffer_char(out, ']');
}

/* The last entry may stand for all tasks beyond the limit: it has no tid. */
static void put_task(const struct stats *stats, struct buffer *out, const struct task_count *task)
{
	const struct task_name *name = task_names_get(stats->view->analysis.names, NULL, task->tid);
	const char *cgroup = analysis_cgroup(&stats->view->analysis, NULL, task->tid);

	json_member_uint(out, "{", "events", task->events);
	if (task->tid >= 0)
		json_member_int(out, ",", "tid", task->tid);
	if (cgroup)
		json_member_text(out, ",", "cgroup", cgroup, strlen(cgroup));
	if (task->tid >= 0 && name->len)
		json_member_text(out, ",", "comm", name->text, TASK_NAME_LEN(name));
	json_member_uint(out, ",", "syscalls", task_count_calls(task));
	if (stats->tasks.has_switches)
		json_member_uint(out, ",", "cpu_ns", task->cpu_ns);
	buffer_char(out, '}');
}

static void put_tasks(const struct stats *stats, struct buffer *out,
		      const struct task_count *const *list, size_t count)
{
	size_t i;

	json_member_key(out, ",", "tasks");
	buffer_char(out, '[');
	for (i = 0; i < count; i++) {
		if (i)
			buffer_char(out, ',');
		put_task(stats, out, list[i]);
	}
	buffer_char(out, ']');
}

static void put_call(struct buffer *out, const struct names *names,
		     const struct ranked_call *ranked)
{
	const struct call_count *call = ranked->call;
	const struct name *name = names_call(names, ranked->compat, ranked->nr);

	json_member_uint(out, "{", "calls", call_count_calls(call));
	if (ranked->nr >= 0)
		json_member_int(out, ",", "nr", ranked->nr);
	json_member_name(out, ",", "name", name);
	json_member_key(out, ",", "compat");
	buffer_string(out, ranked->compat ? "true" : "false");
	json_member_uint(out, ",", "errors", call->errors);
	json_member_uint(out, ",", "matched", call->matched);
	if (call->matched) {
		json_member_uint(out, ",", "total_ns", call->total_ns);
		json_member_uint(out, ",", "avg_ns", call->total_ns / call->matched);
		json_member_uint(out, ",", "max_ns", call->max_ns);
	}
	buffer_char(out, '}');
}

static void put_calls(struct buffer *out, const struct names *names, const struct ranked_call *list,
		      size_t count)
{
	size_t i;

	json_member_key(out, ",", "syscalls");
	buffer_char(out, '[');
	for (i = 0; i < count; i++) {
		if (i)
			buffer_char(out, ',');
		put_call(out, names, &list[i]);
	}
	buffer_char(out, ']');
}

static void put_conn(struct buffer *out, const struct conn_count *conn)
{
	const char *label = conn->state_field ? field_label(conn->state_field, conn->state) : NULL;

	conn_id_json(out, "{", &conn->id);
	json_member_uint(out, ",", "events", conn->events);
	json_member_uint(out, ",", "bytes_acked", conn->sent.grown);
	json_member_uint(out, ",", "bytes_received", conn->received.grown);
	json_member_uint(out, ",", "acked_total_bytes", conn->sent.last);
	json_member_uint(out, ",", "received_total_bytes", conn->received.last);
	json_member_uint(out, ",", "total_retrans", conn->resent_segments.grown);
	if (conn->srtt_count) {
		json_member_uint(out, ",", "srtt_min_ns", conn->srtt_min_ns);
		json_member_uint(out, ",", "srtt_avg_ns", conn->srtt_sum_ns / conn->srtt_count);
		json_member_uint(out, ",", "srtt_last_ns", conn->srtt_ns);
	}
	json_member_uint(out, ",", "snd_cwnd", conn->cwnd);
	if (label)
		json_member_text(out, ",", "state", label, strlen(label));
	else if (conn->state_field)
		json_member_int(out, ",", "state", conn->state);
	buffer_char(out, '}');
}

static void put_conns(const struct stats *stats, struct buffer *out,
		      const struct conn_count *const *list, size_t count)
{
	size_t i;

	json_member_key(out, ",", "connections");
	buffer_char(out, '[');
	for (i = 0; i < count; i++) {
		if (i)
			buffer_char(out, ',');
		put_conn(out, list[i]);
	}
	buffer_char(out, ']');
	if (stats->conns.others)
		json_member_uint(out, ",", "other_connection_events", stats->conns.others);
}

static void put_totals(const struct stats *stats, struct buffer *out)
{
	json_member_uint(out, "{", "duration_ns", stats_duration_ns(stats));
	if (stats->events) {
		json_member_int(out, ",", "begin", stats->begin_ns);
		json_member_int(out, ",", "end", stats->end_ns);
	}
	json_member_uint(out, ",", "events", stats->events);
	json_member_uint(out, ",", "bytes", stats->bytes);
	json_member_uint(out, ",", "lost", stats->lost.count);
	json_member_uint(out, ",", "packets_overwritten", stats->lost.packets);
	json_member_trace_end(out, stats->view->analysis.info);
}

/* Only where there are some. */
static int put_samples(const struct stats *stats, struct buffer *out)
{
	int err;

	if (!stats->samples.samples)
		return 0;
	json_member_key(out, ",", "cpus");
	json_member_uint(out, "{", "samples", stats->samples.samples);
	json_member_uint(out, ",", "missed", stats->samples.missed);
	report_cpu_states_json(&stats->samples, ",", out);
	json_member_key(out, ",", "functions");
	err = report_cpu_functions_json(&stats->samples, stats->options.rows, out);
	buffer_char(out, '}');
	return err;
}

int stats_json_write(const struct stats *stats, struct buffer *out)
{
	size_t class_count, task_count, call_count, conn_count;
	const struct class_count **classes = stats_rank_classes(stats, &class_count);
	const struct task_count **tasks = stats_rank_tasks(stats, &task_count);
	struct ranked_call *calls = stats_rank_calls(stats, &call_count);
	const struct conn_count **conns = stats_rank_conns(stats, &conn_count);
	struct names *names = names_new(stats->view->analysis.info, escape_json);
	int err = -ENOMEM;

	if (!classes || !tasks || !calls || !conns || !names)
		goto out;
	put_totals(stats, out);
	put_classes(stats, out, classes, class_count);
	put_losses(stats, out);
	stats_origins_json(stats, stats->options.rows, out);
	put_tasks(stats, out, tasks, rows(stats, task_count));
	put_calls(out, names, calls, rows(stats, call_count));
	json_member_key(out, ",", "disks");
	err = stats_disks_json(&stats->disks, stats->options.rows, out);
	put_conns(stats, out, conns, rows(stats, conn_count));
	err = err ?: put_samples(stats, out);
	buffer_string(out, "}\n");
	err = err ?: buffer_error(out);
out:
	free(classes);
	free(tasks);
	free(calls);
	free(conns);
	names_free(names);
	return err;
}
