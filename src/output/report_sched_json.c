// SPDX-License-Identifier: BSD-2-Clause
#include "output/report_sched_json.h"

#include <errno.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/json_writer.h"
#include "output/latency_write.h"
#include "output/report_sched.h"
#include "output/view.h"

static void put_waits(const struct task_wait *wait, uint64_t cpu_ns, struct json_writer *json)
{
	static const struct latency none;
	int32_t cpu = -1;

	json_writer_uint(json, "cpu_ns", cpu_ns);
	json_writer_uint(json, "switches", wait->voluntary + wait->involuntary);
	json_writer_uint(json, "voluntary", wait->voluntary);
	json_writer_uint(json, "involuntary", wait->involuntary);
	json_writer_array(json, "cpus");
	while ((cpu = cpu_set_next(&wait->cpus, cpu)) >= 0) {
		json_writer_int(json, NULL, cpu);
	}
	json_writer_end(json);
	json_writer_uint(json, "unmatched", wait->unmatched);
	latency_write_object(wait->woken ?: &none, "woken", json);
}

static void put_task(const struct sched_report *sr, const struct ranked_wait *ranked,
		     struct json_writer *json)
{
	const struct task_name *name =
		task_names_get(sr->report.view->analysis.names, NULL, ranked->tid);
	const struct task_wait *wait = ranked->wait;

	json_writer_object(json, NULL);
	if (ranked->tid >= 0)
		json_writer_int(json, "tid", ranked->tid);
	if (ranked->tid >= 0 && name->len)
		json_writer_text(json, "comm", name->text, TASK_NAME_LEN(name));
	if (ranked->tid >= 0)
		put_waits(wait, ranked->cpu_ns, json);
	json_writer_object(json, "preempted");
	json_writer_uint(json, "count", wait->preempted);
	json_writer_uint(json, "total_ns", wait->preempted_ns);
	if (wait->preempted)
		json_writer_uint(json, "max_ns", wait->preempted_max_ns);
	json_writer_end(json);
	json_writer_end(json);
}

int report_sched_json(const struct report *report, const struct report_options *options,
		      struct json_writer *json)
{
	const struct sched_report *sr = (const struct sched_report *)report;
	size_t i, count;
	struct ranked_wait *list = report_sched_rank_waiting(sr, &count);

	if (!list)
		return -ENOMEM;
	put_waits(&sr->all, sr->cpu_ns, json);
	latency_write_object(&sr->waits.preempted, "preempted", json);
	json_writer_array(json, "tasks");
	for (i = 0; i < report_rows(options, count); i++) {
		put_task(sr, &list[i], json);
	}
	json_writer_end(json);
	free(list);
	return 0;
}
