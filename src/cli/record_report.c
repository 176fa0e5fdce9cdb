// SPDX-License-Identifier: BSD-2-Clause
#include "cli/record_report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "cli/cost_table.h"
#include "cli/record_coverage.h"
#include "probe/catalogue.h"
#include "probe/warden.h"
#include "record/budget.h"
#include "record/cost.h"
#include "record/rx_place.h"
#include "record/trigger.h"

#define COSTS_SHOWN 12

void record_report_clear(const struct record_report *report)
{
	if (report->terminal)
		fputs("\r\033[K", stderr);
}

/* Whether a trigger asks for measurement @i, or for what follows from it. */
static bool is_awaited(const struct record_report *report, size_t i)
{
	bool *which, awaited = false;

	if (!report->triggers)
		return false;
	which = calloc(2 * report->catalogue->room, sizeof(*which));
	if (which) {
		triggers_choose(report->triggers, report->catalogue, which,
				which + report->catalogue->room);
		awaited = which[report->catalogue->room + i];
	}
	free(which);
	return awaited;
}

static void say_switch(const struct record_report *report, const struct budget *budget, size_t i)
{
	const char *name = report->catalogue->items[i].name;
	const struct budget_item *item = &budget->items[i];

	record_report_clear(report);
	if (item->held)
		fprintf(stderr,
			"sonde record: over the budget of %g %%: %s, which took %.3g %% of the "
			"machine, is off for %llu s%s\n",
			100 * budget->limit, name, 100 * item->share,
			(unsigned long long)(item->wait_ns / NS_PER_SEC),
			is_awaited(report, i) ? "; triggers that wait for it cannot fire" : "");
	else
		fprintf(stderr, "sonde record: %s is on again\n", name);
}

void record_report_switches(struct record_report *report, const struct recording *rec)
{
	const struct budget *budget = recording_budget(rec);

	if (!budget || report->req->quiet)
		return;
	if (!report->held)
		report->held = calloc(budget->count, sizeof(*report->held));
	for (size_t i = 0; report->held && i < budget->count; i++) {
		if (budget->items[i].held == report->held[i])
			continue;
		report->held[i] = budget->items[i].held;
		/* If a client has disabled it since, it is not reported. */
		if (report->held[i] || recording_is_on(rec, i))
			say_switch(report, budget, i);
	}
}

static void say_progress(struct record_report *report, const struct recording *rec,
			 uint64_t elapsed_ns)
{
	struct recording_totals totals;
	char rate[32], size[32], records[32];
	double seconds = (double)(elapsed_ns - report->elapsed_ns) / 1e9;

	if (!report->terminal || seconds <= 0)
		return;
	recording_totals(rec, &totals);
	count_format(records, sizeof(records),
		     (uint64_t)((double)(totals.records - report->records) / seconds));
	size_format(rate, sizeof(rate),
		    (uint64_t)((double)(totals.bytes_written - report->bytes) / seconds));
	size_format(size, sizeof(size), totals.bytes_written);
	fprintf(stderr, "\r\033[K%5llu s  %12s events/s  %10s/s  %10s  buffers %3u %%  lost %llu",
		(unsigned long long)(elapsed_ns / NS_PER_SEC), records, rate, size,
		totals.fill_percent, (unsigned long long)recording_totals_lost(&totals));
	report->records = totals.records;
	report->bytes = totals.bytes_written;
	report->elapsed_ns = elapsed_ns;
}

#define ALONE                                                                                           \
	"the recorder's privileged process has ended: other network namespaces, code of processes and " \
	"the cost of programs are not recorded any more"

/* Once, when it happens; the summary has it again. */
static void say_alone(struct record_report *report)
{
	if (report->alone || !warden_has_ended(report->warden))
		return;
	report->alone = true;
	record_report_clear(report);
	fputs("sonde record: " ALONE "\n", stderr);
}

void record_report_tick(void *ctx, const struct recording *rec, uint64_t elapsed_ns)
{
	struct record_report *report = ctx;

	record_report_switches(report, rec);
	record_report_place(report, rec, true);
	say_alone(report);
	say_progress(report, rec, elapsed_ns);
}

static void say_cause(const char *cause, uint64_t count, const char *remedy)
{
	char text[32];

	if (count)
		fprintf(stderr, "  %12s  %s%s\n", count_format(text, sizeof(text), count), cause,
			remedy);
}

/* One line for each server with something to report. */
static void say_servers(const struct recording *rec)
{
	const struct rx_place_account *account;
	const char *name;

	for (size_t i = 0; (account = recording_rx_server(rec, i, &name)); i++) {
		if (account->missed)
			fprintf(stderr, "  %12llu    %s, which answered in %llu%s\n",
				(unsigned long long)account->missed, name,
				(unsigned long long)account->answered,
				account->answered ? "" : ": is it there, and is the port right?");
		if (account->lists_cut)
			fprintf(stderr, "  %12llu    lists of %s are incomplete: see rx.list\n",
				(unsigned long long)account->lists_cut, name);
	}
}

static void say_losses(const struct recording *rec, const struct recording_totals *totals)
{
	const char *name, *section;
	uint64_t full, nested, misses;

	say_cause("a ring was full", totals->lost_full,
		  ": more --buffer, fewer measurements, or a filter");
	for (uint32_t cpu = 0; recording_cpu_lost(rec, cpu, &full, &nested); cpu++) {
		if (full || nested)
			fprintf(stderr, "  %12llu    on CPU %u\n",
				(unsigned long long)(full + nested), cpu);
	}
	say_cause("rounds of tcp.poll were missed", totals->poll_missed, ": a longer --period");
	say_cause("looks of tcp.poll into network namespaces failed", totals->poll_incomplete,
		  totals->poll_failed.err == -EMFILE ? ": raise ulimit -n" : "");
	say_cause("rounds in which a server of --rx did not answer, and lists that were cut short",
		  totals->rx_lost, "");
	say_servers(rec);
	say_cause("contexts nested too deep", totals->lost_nested, "");
	say_cause("a program was hit by an interrupt while it ran", totals->lost_recursion, "");
	for (size_t i = 0; recording_program(rec, i, &name, &section, &misses); i++) {
		if (misses)
			fprintf(stderr, "  %12llu    %s (%s)\n", (unsigned long long)misses, name,
				section);
	}
}

/* One line; the summary has it again. */
static void say_place(const struct record_report *report)
{
	const char *path = report->req->path;

	if (report->place == WRITER_REMOVED)
		fprintf(stderr, "sonde record: %s was removed while it was being recorded\n", path);
	else if (report->place == WRITER_UNLINKED)
		fprintf(stderr,
			"sonde record: files of %s were removed or renamed while it was being "
			"recorded: %s\n",
			path, report->where);
	else if (report->place == WRITER_MOVED)
		fprintf(stderr,
			"sonde record: %s was renamed while it was being recorded: the trace is "
			"%s\n",
			path, *report->where ? report->where : "elsewhere");
}

void record_report_place(struct record_report *report, const struct recording *rec, bool say)
{
	enum writer_place before = report->place;

	report->place = recording_place(rec, report->where, sizeof(report->where));
	if (!say || report->place == before)
		return;
	record_report_clear(report);
	say_place(report);
}

bool record_report_is_partial(const struct record_report *report,
			      const struct recording_totals *totals)
{
	return totals->poll_forbidden || totals->net_refused.count ||
	       warden_has_ended(report->warden) ||
	       record_coverage_unusable(report->catalogue, report->wanted) ||
	       record_coverage_blinded(report->catalogue, report->wanted,
				       &report->req->filter.config, false) ||
	       record_coverage_lesser(report->catalogue, report->wanted, false) ||
	       record_coverage_unknown(report->catalogue, false);
}

/* What a flight recorder has seen is more than what it has kept. */
static const char *verdict(const struct record_report *report,
			   const struct recording_totals *totals)
{
	if (totals->err)
		return strerror(-totals->err);
	if (recording_totals_lost(totals) || totals->refused_bytes)
		return "incomplete, events were LOST";
	if (report->place == WRITER_MOVED)
		return "it was renamed";
	if (report->place != WRITER_IN_PLACE)
		return "NOT all of it is there";
	if (report->push_lost && !*report->req->path)
		return "not all of it has arrived";
	if (report->req->overwrite)
		return "the newest kept, nothing lost among them";
	return record_report_is_partial(report, totals) ?
		       "nothing lost, but not all that was asked for was measured" :
		       "complete, nothing lost";
}

/* The account's rows, and the recorder's, for a table; how many. */
static size_t collect_lines(const struct cost *cost, const struct catalogue *cat,
			    struct cost_line lines[COST_LINES_MAX])
{
	size_t count = 0;

	for (; count < cost->count && count < COST_LINES_MAX - 1; count++) {
		cost_label(&cost->rows[count].key, cat, lines[count].label,
			   sizeof(lines[count].label));
		lines[count].sum = cost->rows[count].all;
	}
	strcpy(lines[count].label, COST_RECORDER);
	lines[count].sum = cost->recorder.all;
	return count + 1;
}

static void say_costs(const struct record_report *report, const struct recording *rec,
		      uint64_t bytes_per_s, uint64_t elapsed_ns)
{
	struct cost_line *lines = calloc(COST_LINES_MAX, sizeof(*lines));
	struct cost *cost = recording_cost(rec);
	struct buffer out;
	char looks[32];

	if (!lines)
		return;
	buffer_init(&out);
	cost_sort(cost); /* the dearest are those that a table has room for */
	if (recording_fd(rec) < 0)
		buffer_string(&out, "What it cost, with no program in the kernel:\n");
	else if (cost->denied)
		buffer_format(&out, "What the programs cost is not known: %s%s\n",
			      strerror(-cost->denied),
			      cost->denied == -EPERM ? " (need CAP_SYS_ADMIN)" : "");
	else
		buffer_format(&out,
			      "What it cost while it was on, estimated from %llu look%s, %s in all "
			      "(%.2g %% of the time):\n",
			      (unsigned long long)cost->windows, cost->windows == 1 ? "" : "s",
			      duration_format(looks, sizeof(looks), cost->window_ns),
			      100 * (double)cost->window_ns / (double)elapsed_ns);
	cost_table(&out, lines, collect_lines(cost, report->catalogue, lines), cost->cpus,
		   COSTS_SHOWN, bytes_per_s);
	if (!buffer_error(&out))
		fwrite(out.data, 1, out.len, stderr);
	buffer_fini(&out);
	free(lines);
}

static void say_held(const struct record_report *report, const struct budget *budget)
{
	uint64_t now_ns = clock_monotonic_ns();
	char time[32];

	for (size_t i = 0; i < budget->count; i++) {
		const struct budget_item *item = &budget->items[i];

		if (item->times)
			fprintf(stderr,
				"%s was off for %s, %u time%s, to keep the budget of %g %%\n",
				report->catalogue->items[i].name,
				duration_format(time, sizeof(time),
						budget_held_ns(budget, now_ns, i)),
				item->times, item->times == 1 ? "" : "s", 100 * budget->limit);
	}
}

static void say_compressed(const struct recording_totals *totals)
{
	char size[32], count[32];

	if (!totals->bytes_written)
		return;
	fprintf(stderr, "Compressed %.1f : 1, from %s",
		(double)totals->plain_bytes / (double)totals->bytes_written,
		size_format(size, sizeof(size), totals->plain_bytes));
	if (totals->stored)
		fprintf(stderr, "; %s packets are not, because compressing was too slow",
			count_format(count, sizeof(count), totals->stored));
	fputc('\n', stderr);
}

/* They were named at the start. */
static void say_unusable(const struct record_report *report)
{
	unsigned int count = record_coverage_unusable(report->catalogue, report->wanted);

	if (count)
		fprintf(stderr, "%u of the measurements that were asked for could not run here\n",
			count);
}

/* @what precedes how many it is of. */
static void say_namespaces(const char *what, const struct recording_netns *netns)
{
	bool files = netns->err == -EMFILE;

	if (!netns->count)
		return;
	fprintf(stderr, "%s %u of %u network namespaces", what, netns->count,
		netns->all > netns->count ? netns->all : netns->count);
	if (netns->err)
		fprintf(stderr, ": %s%s", strerror(-netns->err), files ? "; raise ulimit -n" : "");
	fputc('\n', stderr);
}

void record_report_summary(const struct record_report *report, const struct recording *rec,
			   const struct recording_totals *totals, uint64_t elapsed_ns)
{
	const struct record_request *req = report->req;
	uint64_t lost = recording_totals_lost(totals);
	char records[32], size[32], time[32], lost_text[32];

	fprintf(stderr, "%s events%s in %s, %s %s %s: %s\n",
		count_format(records, sizeof(records), totals->records),
		req->overwrite ? " seen" : "", duration_format(time, sizeof(time), elapsed_ns),
		size_format(size, sizeof(size), totals->bytes_written), *req->path ? "in" : "to",
		*req->path ? req->path : req->push, verdict(report, totals));
	if (req->compress)
		say_compressed(totals);
	if (lost) {
		fprintf(stderr, "%s events LOST:\n",
			count_format(lost_text, sizeof(lost_text), lost));
		say_losses(rec, totals);
	}
	if (totals->stacks_failed)
		fprintf(stderr,
			"%s events are without their stacks: the kernel did not give them\n",
			count_format(lost_text, sizeof(lost_text), totals->stacks_failed));
	if (totals->pages_forgotten)
		fprintf(stderr,
			"No room for the tasks of %s dirty folios: if a kernel thread writes them back, their owner "
			"is writeback\n",
			count_format(lost_text, sizeof(lost_text), totals->pages_forgotten));
	if (totals->unwind_files || totals->unwind_processes)
		fprintf(stderr,
			"No room for tables to unwind by, of %llu files and %llu times of a process: "
			"stacks of their code are as far as it keeps frame pointers\n",
			(unsigned long long)totals->unwind_files,
			(unsigned long long)totals->unwind_processes);
	if (totals->refused_bytes)
		fprintf(stderr, "%s events (%s) LOST: they could not be written\n",
			count_format(lost_text, sizeof(lost_text), totals->refused_events),
			size_format(size, sizeof(size), totals->refused_bytes));
	say_place(report);
	(void)record_coverage_blinded(report->catalogue, report->wanted, &req->filter.config, true);
	(void)record_coverage_lesser(report->catalogue, report->wanted, true);
	(void)record_coverage_unknown(report->catalogue, true);
	say_unusable(report);
	if (totals->poll_forbidden)
		fprintf(stderr, "tcp.poll may not enter %u of the network namespaces\n",
			totals->poll_forbidden);
	say_namespaces("tcp.poll could not look into", &totals->poll_failed);
	say_namespaces("net misses IP and transport, which take netfilter programs, in",
		       &totals->net_refused);
	if (warden_has_ended(report->warden))
		fputs(ALONE "\n", stderr);
	if (recording_budget(rec))
		say_held(report, recording_budget(rec));
	say_costs(report, rec, (uint64_t)((double)totals->bytes_written * 1e9 / (double)elapsed_ns),
		  elapsed_ns);
	if (!*req->path || report->place != WRITER_IN_PLACE)
		return;
	fprintf(stderr, "Try: sonde stats %s | sonde print %s", req->path, req->path);
	if (!req->compress) /* which other readers do not take */
		fprintf(stderr, " | babeltrace2 %s", req->path);
	fputc('\n', stderr);
}
