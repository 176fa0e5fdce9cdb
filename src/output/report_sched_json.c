// SPDX-License-Identifier: BSD-2-Clause
#include "output/report_sched_json.h"

#include <errno.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/json_member.h"
#include "output/latency_write.h"
#include "output/report_sched.h"
#include "output/view.h"

static void put_waits(const struct task_wait *wait, uint64_t cpu_ns, struct buffer *out)
{
	static const struct latency none;
	int32_t cpu = -1;
	const char *before = "";

	json_member_uint(out, "", "cpu_ns", cpu_ns);
	json_member_uint(out, ",", "switches", wait->voluntary + wait->involuntary);
	json_member_uint(out, ",", "voluntary", wait->voluntary);
	json_member_uint(out, ",", "involuntary", wait->involuntary);
	json_member_key(out, ",", "cpus");
	buffer_char(out, '[');
	while ((cpu = cpu_set_next(&wait->cpus, cpu)) >= 0) {
		buffer_string(out, before);
		buffer_int(out, cpu);
		before = ",";
	}
	buffer_char(out, ']');
	json_member_uint(out, ",", "unmatched", wait->unmatched);
	json_member_key(out, ",", "woken");
	buffer_char(out, '{');
	latency_write_json(wait->woken ?: &none, out);
	buffer_char(out, '}');
}

static void put_task(const struct sched_report *sr, const struct ranked_wait *ranked,
		     struct buffer *out)
{
	const struct task_name *name =
		task_names_get(sr->report.view->analysis.names, NULL, ranked->tid);
	const struct task_wait *wait = ranked->wait;

	buffer_char(out, '{');
	if (ranked->tid >= 0)
		json_member_int(out, "", "tid", ranked->tid);
	if (ranked->tid >= 0 && name->len)
		json_member_text(out, ",", "comm", name->text, TASK_NAME_LEN(name));
	if (ranked->tid >= 0)
		buffer_char(out, ',');
	put_waits(wait, ranked->cpu_ns, out);
	json_member_key(out, ",", "preempted");
	json_member_uint(out, "{", "count", wait->preempted);
	json_member_uint(out, ",", "total_ns", wait->preempted_ns);
	if (wait->preempted)
		json_member_uint(out, ",", "max_ns", wait->preempted_max_ns);
	buffer_string(out, "}}");
}

int report_sched_json(const struct report *report, const struct report_options *options,
		      struct buffer *out)
{
	const struct sched_report *sr = (const struct sched_report *)report;
	size_t i, count;
	struct ranked_wait *list = report_sched_rank_waiting(sr, &count);

	if (!list)
		return -ENOMEM;
	buffer_char(out, '{');
	put_waits(&sr->all, sr->cpu_ns, out);
	json_member_key(out, ",", "preempted");
	buffer_char(out, '{');
	latency_write_json(&sr->waits.preempted, out);
	buffer_char(out, '}');
	json_member_key(out, ",", "tasks");
	buffer_char(out, '[');
	for (i = 0; i < report_rows(options, count); i++) {
		if (i)
			buffer_char(out, ',');
		put_task(sr, &list[i], out);
	}
	buffer_string(out, "]}");
	free(list);
	return 0;
}
