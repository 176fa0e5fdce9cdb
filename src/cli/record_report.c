// SPDX-License-Identifier: BSD-2-Clause
#include "cli/record_report.h"

#include <stdio.h>

#include "base/clock.h"

void record_report_tick(void *ctx, const struct recording *rec, uint64_t elapsed_ns)
{
	struct record_report *report = ctx;
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

void record_report_clear(const struct record_report *report)
{
	if (report->terminal)
		fputs("\r\033[K", stderr);
}

static void say_cause(const char *cause, uint64_t count, const char *remedy)
{
	char text[32];

	if (count)
		fprintf(stderr, "  %12s  %s%s\n", count_format(text, sizeof(text), count), cause,
			remedy);
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
	say_cause("rounds of tcp.poll were missed, or are incomplete", totals->poll_missed,
		  ": a longer --period");
	say_cause("contexts nested too deep", totals->lost_nested, "");
	say_cause("a program was hit by an interrupt while it ran", totals->lost_recursion, "");
	for (size_t i = 0; recording_program(rec, i, &name, &section, &misses); i++) {
		if (misses)
			fprintf(stderr, "  %12llu    %s (%s)\n", (unsigned long long)misses, name,
				section);
	}
}

/* What a flight recorder has seen is more than what it has kept. */
static const char *verdict(const struct recording_totals *totals, bool overwrite)
{
	if (recording_totals_lost(totals) || totals->refused_bytes)
		return "";
	return overwrite ? "the newest kept, nothing lost among them" : "complete, nothing lost";
}

void record_report_summary(const struct recording *rec, const struct recording_totals *totals,
			   uint64_t elapsed_ns, const struct record_request *req)
{
	uint64_t lost = recording_totals_lost(totals);
	char records[32], size[32], time[32], lost_text[32];

	fprintf(stderr, "%s events%s in %s, %s in %s: %s\n",
		count_format(records, sizeof(records), totals->records),
		req->overwrite ? " seen" : "", duration_format(time, sizeof(time), elapsed_ns),
		size_format(size, sizeof(size), totals->bytes_written), req->path,
		verdict(totals, req->overwrite));
	if (lost) {
		fprintf(stderr, "%s events LOST:\n",
			count_format(lost_text, sizeof(lost_text), lost));
		say_losses(rec, totals);
	}
	if (totals->refused_bytes)
		fprintf(stderr, "%s of events LOST: they could not be written\n",
			size_format(size, sizeof(size), totals->refused_bytes));
	if (totals->poll_forbidden)
		fprintf(stderr, "tcp.poll may not enter %u of the network namespaces\n",
			totals->poll_forbidden);
	fprintf(stderr, "Try: sonde stats %s | sonde print %s | babeltrace2 %s\n", req->path,
		req->path, req->path);
}
