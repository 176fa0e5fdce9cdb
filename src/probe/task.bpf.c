// SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only)
/*
 * task: what the recorder needs to know of tasks whatever is recorded: their names and cgroups, so
 * that a reader can show them for a tid, and, for a recorded command, its children.
 */
#include "probe/kernel.bpf.h"

#include <bpf/bpf_tracing.h>

#include "probe/filter.bpf.h"
#include "probe/measure.bpf.h"
#include "probe/name.bpf.h"
#include "probe/ring.bpf.h"
#include "wire/note.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

RECORD(sonde_task);
RECORD(sonde_loss);
RECORD(sonde_state);
RECORD(sonde_trigger);
RECORD(sonde_name);
RECORD(sonde_cost);
RECORD(sonde_symbol);
RECORD(sonde_mapping);
RECORD(sonde_stream);
RECORD(sonde_end);
RECORD(sonde_stack);
RECORD(sonde_forgotten);

static __always_inline int record_task(const struct task_struct *task, const char *comm)
{
	struct sonde_task *record;
	struct reservation res;
	char name[16] = {};

	if (task->tgid == cfg_filter.self || (cfg_filter.by_pid && !pid_wanted(task->tgid)))
		return 0;
	bpf_probe_read_kernel_str(name, sizeof(name), comm);
	record = record_reserve(&res, SONDE_TASK, task->pid, sizeof(*record));
	if (!record)
		return 0;
	record->cgroup = BPF_CORE_READ(task, cgroups, dfl_cgrp, kn, id);
	record->tid = task->pid;
	record->pid = task->tgid;
	copy_name(record->comm, name);
	record_commit_name(&res);
	return 0;
}

/* Children of wanted tasks are wanted from their first instruction: they are not yet running. */
SERVICE("follow")
SEC("tp_btf/sched_process_fork")
int BPF_PROG(follow_fork, struct task_struct *parent, struct task_struct *child)
{
	__u32 tgid = child->tgid;
	__u64 *word = pid_word(tgid);

	if (cfg_filter.follow && word && pid_wanted(parent->tgid))
		__sync_fetch_and_or(word, 1ull << (tgid & 63));
	return 0;
}

/* A pid may be given to another process after its process has ended. */
SERVICE("follow")
SEC("tp_btf/sched_process_free")
int BPF_PROG(follow_free, struct task_struct *task)
{
	__u32 tgid = task->tgid;
	__u64 *word = pid_word(tgid);

	if (cfg_filter.follow && word && task->pid == tgid)
		__sync_fetch_and_and(word, ~(1ull << (tgid & 63)));
	return 0;
}

MEASURE(SONDE_TASK, "sonde.task", sonde_task,
	"a task and its name: new, renamed, or there at the start")
PART(0)
SEC("tp_btf/sched_process_fork")
int BPF_PROG(task_new, struct task_struct *parent, struct task_struct *child)
{
	return record_task(child, child->comm);
}

MEASURE(SONDE_TASK, "sonde.task", sonde_task,
	"a task and its name: new, renamed, or there at the start")
PART(1)
SEC("tp_btf/task_rename")
int BPF_PROG(task_renamed, struct task_struct *task, const char *comm)
{
	return record_task(task, comm);
}

SERVICE("cgroups")
SEC("tp_btf/cgroup_attach_task")
int BPF_PROG(task_moved, struct cgroup *cgroup, const char *path, struct task_struct *task)
{
	return record_task(task, task->comm);
}

/* Those of version 1 have other hierarchies, with numbers of their own. */
SERVICE("cgroups")
SEC("tp_btf/cgroup_mkdir")
int BPF_PROG(cgroup_new, struct cgroup *cgroup, const char *path)
{
	struct name_scratch *scratch = name_scratch_get();
	long len;

	if (!scratch || BPF_CORE_READ(cgroup, root, hierarchy_id))
		return 0;
	len = bpf_probe_read_kernel_str(scratch->text, NAME_TEXT_MAX, path);
	if (len > 0)
		name_record(NAME_CGROUP, BPF_CORE_READ(cgroup, kn, id), 0, scratch->text, len);
	return 0;
}
