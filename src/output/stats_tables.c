// SPDX-License-Identifier: BSD-2-Clause
#include "output/stats_tables.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/origin_label.h"
#include "base/amount.h"
#include "base/buffer.h"
#include "base/clock.h"
#include "base/escape.h"
#include "base/json_writer.h"
#include "output/cpu_tables.h"
#include "output/json_field.h"
#include "output/names.h"
#include "output/report_table.h"
#include "output/stats.h"
#include "output/view.h"
#include "schema/origin.h"
#include "schema/trace_info.h"

#define COLUMNS(columns) (columns), sizeof(columns) / sizeof((columns)[0])

/* @list is freed with the rows. */
static int take(struct report_rows *ret, void *list, size_t bytes)
{
	ret->list = ret->owned = list;
	ret->bytes = bytes;
	return list ? 0 : -ENOMEM;
}

static const struct report_column total_columns[] = {
	{.key = "duration_ns"},
	{.key = "begin"},
	{.key = "end"},
	{.key = "events"},
	{.key = "bytes"},
	{.key = "lost"},
	{.key = "packets_overwritten"},
};

static void fill_totals(const struct report_rows *rows, const void *from, struct report_row *row)
{
	const struct stats *stats = from;

	(void)rows;
	report_row_time(row, stats_duration_ns(stats));
	report_row_int_if(row, stats->begin_ns, stats->events);
	report_row_int_if(row, stats->end_ns, stats->events);
	report_row_count(row, stats->events);
	report_row_size(row, stats->bytes);
	report_row_count(row, stats->lost.count);
	report_row_count(row, stats->lost.packets);
}

/* Members of the outermost object in JSON, a row in CSV. */
static const struct report_table totals = {NULL, true, COLUMNS(total_columns), fill_totals};

static int total_rows(const struct stats *stats, struct report_rows *ret)
{
	ret->list = stats;
	ret->bytes = sizeof(*stats);
	ret->count = 1;
	ret->hidden = true;
	return 0;
}

static const struct report_column loss_columns[] = {
	{.key = "cpu"},
	{.title = "lost on"},
	{.key = "events", .title = "events"},
	{.key = "buffer_full", .title = "buffer full"},
	{.key = "nested", .title = "nested too deep"},
	{.key = "recursion", .title = "program busy"},
	{.key = "packets_overwritten", .title = "packets overwritten"},
};

static void fill_loss(const struct report_rows *rows, const void *from, struct report_row *row)
{
	const struct stats *stats = rows->owner;
	const struct loss_count *loss = from;
	const size_t i = (size_t)(loss - stats->losses);

	report_row_count_if(row, i - 1, i);
	if (i)
		report_row_format(row, "cpu %zu", i - 1);
	else
		report_row_text(row, "any cpu");
	report_row_count(row, loss->count);
	report_row_count_or_blank(row, loss->count - loss->nested - loss->recursion);
	report_row_count_or_blank(row, loss->nested);
	report_row_count_or_blank(row, loss->recursion);
	report_row_count_or_blank(row, loss->packets);
}

static const struct report_table losses = {"losses", false, COLUMNS(loss_columns), fill_loss};

static int loss_rows(const struct stats *stats, struct report_rows *ret)
{
	const struct loss_count **list = calloc(stats->loss_room, sizeof(*list));

	for (size_t i = 0; list && i < stats->loss_room; i++) {
		if (stats->losses[i].count || stats->losses[i].packets)
			list[ret->count++] = &stats->losses[i];
	}
	ret->most = 0;
	return take(ret, list, 0);
}

static const struct report_column origin_columns[] = {
	{.title = "process"}, /* or host, or both */
	{.key = "events", .title = "events"},
	{.title = "share"},
	{.key = "bytes", .title = "bytes"},
	{.key = "lost", .title = "lost"},
	{.key = "hostname"},
	{.key = "procname"},
	{.key = "vpid"},
};

/* "web1 nginx:42" */
static void put_origin(const struct origin *origin, struct origin_parts parts,
		       struct report_row *row)
{
	const char *host = origin && origin->hostname ? origin->hostname : "-";
	const char *process = origin && origin->procname ? origin->procname : "-";
	char vpid[24] = "";

	if (parts.processes && origin && origin->has_vpid)
		(void)snprintf(vpid, sizeof(vpid), ":%lld", (long long)origin->vpid);
	report_row_format(row, "%s%s%s%s", parts.hosts ? host : "",
			  parts.hosts && parts.processes ? " " : "", parts.processes ? process : "",
			  vpid);
}

static void fill_origin(const struct report_rows *rows, const void *from, struct report_row *row)
{
	const struct stats *stats = rows->owner;
	const struct origin_count *count = from;
	const struct origin *origin = count->origin;
	const bool has_vpid = origin_has(origin, ORIGIN_VPID);

	put_origin(origin, origin_parts_differing(stats->view->analysis.info), row);
	report_row_count(row, count->events);
	report_row_share(row, count->events, stats->events);
	report_row_size(row, count->bytes);
	report_row_count_or_blank(row, count->lost);
	report_row_text(row, origin_has(origin, ORIGIN_HOSTNAME) ? origin->hostname : NULL);
	report_row_text(row, origin_has(origin, ORIGIN_PROCNAME) ? origin->procname : NULL);
	report_row_int_if(row, has_vpid ? origin->vpid : 0, has_vpid);
}

static const struct report_table origins = {"origins", false, COLUMNS(origin_columns), fill_origin};

static int origin_rows(const struct stats *stats, struct report_rows *ret)
{
	struct origin_parts parts = origin_parts_differing(stats->view->analysis.info);

	ret->title = parts.hosts && parts.processes ? "host and process" :
		     parts.hosts		    ? "host" :
						      "process";
	ret->list = stats->origins;
	ret->bytes = sizeof(*stats->origins);
	ret->count = stats->origin_count;
	return 0;
}

static const struct report_column class_columns[] = {
	{.key = "name", .title = "event"},
	{.key = "events", .title = "count"},
	{.title = "share"},
	{.title = "rate/s"},
	{.key = "bytes", .title = "bytes"},
	{.key = "rate"},
};

static uint64_t per_second(uint64_t count, uint64_t duration_ns)
{
	return duration_ns ? (uint64_t)((double)count * (double)NS_PER_SEC / (double)duration_ns) :
			     0;
}

static void fill_class(const struct report_rows *rows, const void *from, struct report_row *row)
{
	const struct stats *stats = rows->owner;
	const struct class_count *class = from;
	const uint64_t ns = stats_duration_ns(stats);

	report_row_name(row, class->class->name);
	report_row_count(row, class->events);
	report_row_share(row, class->events, stats->events);
	report_row_count(row, per_second(class->events, ns));
	report_row_size(row, class->bytes);
	if (ns)
		report_row_real(row, (double)class->events / ((double)ns / (double)NS_PER_SEC), 1);
	else
		report_row_none(row);
}

static const struct report_table classes = {"classes", false, COLUMNS(class_columns), fill_class};

/* Never cut: this table is the contents of the trace. */
static int class_rows(const struct stats *stats, struct report_rows *ret)
{
	ret->most = 0;
	return take(ret, stats_rank_classes(stats, &ret->count), 0);
}

static const struct report_column task_columns[] = {
	{.title = "task"},  {.key = "events", .title = "events"},
	{.title = "share"}, {.key = "tid"},
	{.key = "cgroup"},  {.key = "container"},
	{.key = "comm"},    {.key = "syscalls", .title = "system calls"},
	{.key = "cpu_ns"},
};

/* The last one may stand for all tasks beyond the limit: it has no tid. */
static void fill_task(const struct report_rows *rows, const void *from, struct report_row *row)
{
	const struct stats *stats = rows->owner;
	const struct analysis *analysis = &stats->view->analysis;
	const struct task_count *task = from;

	if (task == &stats->unknown)
		report_row_text(row, "unknown");
	else
		report_row_task(row, analysis->names, task->tid);
	report_row_count(row, task->events);
	report_row_share(row, task->events, stats->events);
	report_row_int_if(row, task->tid, task->tid >= 0);
	report_row_text(row, analysis_cgroup(analysis, NULL, task->tid));
	report_row_text(row, analysis_container(analysis, NULL, task->tid));
	if (task == &stats->unknown)
		report_row_text(row, "unknown");
	else
		report_row_comm(row, analysis->names, task->tid);
	report_row_count_or_blank(row, task_count_calls(task));
	report_row_time_if(row, task->cpu_ns, stats->tasks.has_switches);
}

static const struct report_table tasks = {"tasks", false, COLUMNS(task_columns), fill_task};

static int task_rows(const struct stats *stats, struct report_rows *ret)
{
	return take(ret, stats_rank_tasks(stats, &ret->count), 0);
}

static const struct report_column running_columns[] = {
	{.title = "task by time on a CPU"},
	{.title = "time"},
	{.title = "of one CPU"},
};

static void fill_running(const struct report_rows *rows, const void *from, struct report_row *row)
{
	const struct stats *stats = rows->owner;
	const struct task_count *task = from;

	report_row_task(row, stats->view->analysis.names, task->tid);
	report_row_time(row, task->cpu_ns);
	report_row_share(row, task->cpu_ns, stats_duration_ns(stats));
}

static const struct report_table running = {NULL, false, COLUMNS(running_columns), fill_running};

static int running_rows(const struct stats *stats, struct report_rows *ret)
{
	if (!stats->tasks.has_switches)
		return 0;
	return take(ret, stats_rank_running(stats, &ret->count), 0);
}

static const struct report_column call_columns[] = {
	{.title = "system call"},
	{.key = "calls", .title = "calls"},
	{.key = "nr"},
	{.key = "name"},
	{.key = "compat"},
	{.key = "errors", .title = "errors"},
	{.key = "matched"},
	{.key = "total_ns", .title = "total"},
	{.key = "avg_ns", .title = "average"},
	{.key = "max_ns", .title = "longest"},
};

static void fill_call(const struct report_rows *rows, const void *from, struct report_row *row)
{
	const struct ranked_call *ranked = from;
	const struct call_count *call = ranked->call;
	const uint64_t matched = call->matched;

	report_row_call_title(row, rows->names, ranked->nr, ranked->compat);
	report_row_count(row, call_count_calls(call));
	report_row_int_if(row, ranked->nr, ranked->nr >= 0);
	report_row_call_name(row, rows->names, ranked->nr, ranked->compat);
	report_row_bool(row, ranked->compat);
	report_row_count_or_blank(row, call->errors);
	report_row_count(row, matched);
	report_row_time_if(row, call->total_ns, matched);
	report_row_time_if(row, matched ? call->total_ns / matched : 0, matched);
	report_row_time_if(row, call->max_ns, matched);
}

static const struct report_table calls = {"syscalls", false, COLUMNS(call_columns), fill_call};

static int call_rows(const struct stats *stats, struct report_rows *ret)
{
	ret->names = names_plain_new(stats->view->analysis.info);
	return take(ret, stats_rank_calls(stats, &ret->count), sizeof(struct ranked_call)) ?:
		       ret->names							   ? 0 :
											     -ENOMEM;
}

static const struct report_column disk_columns[] = {
	{.key = "disk", .title = "disk"},
	{.key = "requests", .title = "requests"},
	{.key = "read_bytes", .title = "read"},
	{.key = "written_bytes", .title = "written"},
	{.key = "errors", .title = "errors"},
	{.key = "service_avg_ns", .title = "average"},
	{.key = "service_max_ns", .title = "longest"},
};

/* All that one disk did. */
struct disk_sum {
	const char *name;
	uint64_t requests;
	uint64_t read_bytes;
	uint64_t written_bytes;
	uint64_t errors;
	uint64_t served; /* of the requests, those of which it is known how long they took */
	uint64_t service_ns; /* of these */
	uint64_t longest_ns;
};

static void fill_disk(const struct report_rows *rows, const void *from, struct report_row *row)
{
	const struct disk_sum *sum = from;

	(void)rows;
	report_row_text(row, sum->name);
	report_row_count(row, sum->requests);
	report_row_size(row, sum->read_bytes);
	report_row_size(row, sum->written_bytes);
	report_row_count_or_blank(row, sum->errors);
	report_row_time_if(row, sum->served ? sum->service_ns / sum->served : 0, sum->served);
	report_row_time_if(row, sum->longest_ns, sum->served);
}

const struct report_table stats_disks = {"disks", false, COLUMNS(disk_columns), fill_disk};

static struct disk_sum sum_of(const struct disk *disk)
{
	struct disk_sum sum = {
		.name = disk->name,
		.read_bytes = disk->ops[DISK_READ].bytes,
		.written_bytes = disk->ops[DISK_WRITE].bytes,
	};

	for (enum disk_op op = 0; op < DISK_OP_COUNT; op++) {
		const struct disk_counts *counts = &disk->ops[op];

		sum.requests += counts->requests;
		sum.errors += counts->errors;
		sum.served += counts->service.count;
		sum.service_ns += counts->service.total_ns;
		if (counts->service.count && counts->service.max_ns > sum.longest_ns)
			sum.longest_ns = counts->service.max_ns;
	}
	return sum;
}

/* By what was asked of them, equal ones by name. */
static int compare_disks(const void *left, const void *right)
{
	const struct disk_sum *a = left, *b = right;

	if (a->requests != b->requests)
		return a->requests < b->requests ? 1 : -1;
	return strcmp(a->name, b->name);
}

int stats_disk_rows(const struct disk_times *times, struct report_rows *ret)
{
	struct disk_sum *sums = calloc(times->disk_count + 1, sizeof(*sums));

	for (size_t i = 0; sums && i < times->disk_count; i++) {
		sums[ret->count] = sum_of(times->disks[i]);
		ret->count += sums[ret->count].requests > 0;
	}
	if (sums)
		qsort(sums, ret->count, sizeof(*sums), compare_disks);
	return take(ret, sums, sizeof(*sums));
}

static int disk_rows(const struct stats *stats, struct report_rows *ret)
{
	return stats_disk_rows(&stats->disks, ret);
}

static const struct report_column conn_columns[] = {
	{.title = "connection"},
	{.key = "saddr"},
	{.key = "lport"},
	{.key = "daddr"},
	{.key = "rport"},
	{.key = "cookie"},
	{.key = "events", .title = "events"},
	{.key = "bytes_acked", .title = "acked"},
	{.key = "bytes_received", .title = "recv"},
	{.key = "acked_total_bytes"},
	{.key = "received_total_bytes"},
	{.key = "total_retrans", .title = "resent"},
	{.key = "srtt_min_ns"},
	{.key = "srtt_avg_ns"},
	{.key = "srtt_last_ns"},
	{.title = "srtt min/avg/last"},
	{.key = "snd_cwnd", .title = "cwnd"},
	{.key = "state"},
	{.title = "state"},
};

/* Three digits that count, without an exponent. */
static int decimals(double value)
{
	return value >= 100 ? 0 : value >= 10 ? 1 : value >= 1 ? 2 : 3;
}

/* Least, average, last: three times; in text in one unit, that of the average. */
static void put_srtt(const struct conn_count *conn, struct report_row *row)
{
	double unit = 1e3, least, average, last;
	const char *name = "us";

	if (!conn->srtt_count) {
		report_row_skip(row, 4);
		return;
	}
	report_row_time(row, conn->srtt_min_ns);
	report_row_time(row, conn->srtt_sum_ns / conn->srtt_count);
	report_row_time(row, conn->srtt_ns);
	average = (double)conn->srtt_sum_ns / (double)conn->srtt_count;
	if (average >= 1e6) {
		unit = 1e6;
		name = "ms";
	}
	average /= unit;
	least = (double)conn->srtt_min_ns / unit;
	last = (double)conn->srtt_ns / unit;
	report_row_format(row, "%.*f/%.*f/%.*f %s", decimals(least), least, decimals(average),
			  average, decimals(last), last, name);
}

static void fill_conn(const struct report_rows *rows, const void *from, struct report_row *row)
{
	const struct conn_count *conn = from;
	const struct field *field = conn->state_field;
	const char *label = field ? field_label(field, conn->state) : NULL;

	(void)rows;
	report_row_copy(row, conn_id_text(&conn->id).text);
	report_row_conn(row, &conn->id);
	report_row_count(row, conn->events);
	report_row_size(row, conn->sent.grown);
	report_row_size(row, conn->received.grown);
	report_row_size(row, conn->sent.last);
	report_row_size(row, conn->received.last);
	report_row_count_or_blank(row, conn->resent_segments.grown);
	put_srtt(conn, row);
	report_row_count_or_blank(row, conn->cwnd);
	if (label)
		report_row_text(row, label);
	else
		report_row_int_if(row, conn->state, field);
	report_row_text(row, field ? label ?: "?" : NULL);
}

static const struct report_table conns = {"connections", false, COLUMNS(conn_columns), fill_conn};

static int conn_rows(const struct stats *stats, struct report_rows *ret)
{
	return take(ret, stats_rank_conns(stats, &ret->count), 0);
}

static const struct report_table functions = {"functions", false, cpu_function_columns,
					      CPU_FUNCTION_COLUMNS, cpu_function_fill};

static int function_rows(const struct stats *stats, struct report_rows *ret)
{
	return cpu_function_rows(&stats->samples, ret);
}

/* In the order of text. */
enum { TOTALS, LOSSES, ORIGINS, CLASSES, TASKS, RUNNING, CALLS, DISKS, CONNS, FUNCTIONS, PARTS };

static const struct {
	const struct report_table *table;
	int (*rows)(const struct stats *stats, struct report_rows *ret);
} parts[PARTS] = {
	[TOTALS] = {&totals, total_rows},    [LOSSES] = {&losses, loss_rows},
	[ORIGINS] = {&origins, origin_rows}, [CLASSES] = {&classes, class_rows},
	[TASKS] = {&tasks, task_rows},	     [RUNNING] = {&running, running_rows},
	[CALLS] = {&calls, call_rows},	     [DISKS] = {&stats_disks, disk_rows},
	[CONNS] = {&conns, conn_rows},	     [FUNCTIONS] = {&functions, function_rows},
};

static void put_text(const struct report_table *table, const struct report_rows *rows, void *out)
{
	if (rows->count && !rows->hidden)
		report_table_text(table, rows, out);
}

static void put_csv(const struct report_table *table, const struct report_rows *rows, void *to)
{
	if (!rows->count || !(table->key || table->flat))
		return;
	if (table != &totals)
		buffer_char(to, '\n');
	report_table_csv(table, rows, to);
}

static void put_json(const struct report_table *table, const struct report_rows *rows, void *json)
{
	if (rows->count || table != &origins)
		report_table_json(table, rows, json);
}

/* A table without rows is not in text and CSV. */
static int put_part(const struct stats *stats, size_t part,
		    void (*put)(const struct report_table *table, const struct report_rows *rows,
				void *to),
		    void *to)
{
	struct report_rows rows = {.owner = stats, .most = stats->options.rows};
	int err = parts[part].rows(stats, &rows);

	rows.shown = rows.most && rows.count > rows.most ? rows.most : rows.count;
	if (!err)
		put(parts[part].table, &rows, to);
	free(rows.owned);
	names_free(rows.names);
	return err;
}

static void write_summary(const struct stats *stats, struct buffer *out)
{
	uint64_t ns = stats_duration_ns(stats);

	buffer_format(out, "%s event%s in %s", amount_count(stats->events).text,
		      stats->events == 1 ? "" : "s", amount_time(ns).text);
	if (ns)
		buffer_format(out, " (%s/s)", amount_count(per_second(stats->events, ns)).text);
	if (stats->bytes) {
		buffer_format(out, ", %s", amount_size(stats->bytes).text);
		if (ns)
			buffer_format(out, " (%s/s)",
				      amount_size(per_second(stats->bytes, ns)).text);
	}
	buffer_format(out, ", %s lost", amount_count(stats->lost.count).text);
	if (stats->lost.packets)
		buffer_format(out, ", %s packets overwritten",
			      amount_count(stats->lost.packets).text);
	buffer_char(out, '\n');
}

/* Whether the trace is complete. For other formats this is unknown. */
static void write_end(const struct stats *stats, struct buffer *out)
{
	const struct trace_info *info = stats->view->analysis.info;
	const struct trace_env *version = trace_info_env(info, "tracer_version");
	enum trace_end_kind kind = info->end ? info->end->kind : TRACE_END_UNKNOWN;
	const char *text;

	for (size_t i = 0; (text = trace_end_missing(info, i)); i++) {
		char line[512 * ESCAPE_FACTOR + 1];
		char *end = escape_terminal(line, text, strnlen(text, 512));

		*end = '\0';
		buffer_format(out, "%s\n", line);
	}
	if (kind == TRACE_END_OPEN)
		buffer_string(out, "still being recorded\n");
	if (kind == TRACE_END_UNMARKED)
		buffer_format(out, "end not marked: Sonde %s wrote no end marks\n",
			      version && version->text ? version->text : "(unknown version)");
}

int stats_text_write(const struct stats *stats, struct buffer *out)
{
	int err = 0;

	write_summary(stats, out);
	write_end(stats, out);
	for (size_t i = 0; i < PARTS && !err; i++) {
		err = put_part(stats, i, put_text, out);
		if (i == CONNS && stats->conns.others)
			buffer_format(out, "%s events of other connections\n",
				      amount_count(stats->conns.others).text);
	}
	return err ?: buffer_error(out);
}

/* Only where there are some. */
static int put_samples(const struct stats *stats, struct json_writer *json)
{
	int err;

	if (!stats->samples.samples)
		return 0;
	json_writer_object(json, "cpus");
	json_writer_uint(json, "samples", stats->samples.samples);
	json_writer_uint(json, "missed", stats->samples.missed);
	report_row_json(&cpu_states, &(struct report_rows){0}, &stats->samples, json);
	err = put_part(stats, FUNCTIONS, put_json, json);
	json_writer_end(json);
	return err;
}

int stats_csv_write(const struct stats *stats, struct buffer *out)
{
	int err = 0;

	for (size_t i = 0; i < PARTS && !err; i++)
		err = put_part(stats, i, put_csv, out);
	return err ?: buffer_error(out);
}

int stats_json_write(const struct stats *stats, struct buffer *out)
{
	static const uint8_t order[] = {CLASSES, LOSSES, ORIGINS, TASKS, CALLS, DISKS, CONNS};
	struct json_writer writer, *json = &writer;
	int err = 0;

	json_writer_init(json, out);
	json_writer_object(json, NULL);
	report_row_json(&totals, &(struct report_rows){.owner = stats}, stats, json);
	json_field_trace_end(json, stats->view->analysis.info);
	for (size_t i = 0; i < sizeof(order) && !err; i++)
		err = put_part(stats, order[i], put_json, json);
	if (stats->conns.others)
		json_writer_uint(json, "other_connection_events", stats->conns.others);
	err = err ?: put_samples(stats, json);
	json_writer_finish(json);
	return err ?: buffer_error(out);
}
