// SPDX-License-Identifier: BSD-2-Clause
#include "output/perfetto_cpu.h"

#include <stdio.h>
#include <string.h>

#include "analyse/task_names.h"
#include "output/view.h"
#include "schema/event.h"

static const char not_seen[] = "not seen";

static const struct {
	const char *class;
	enum perfetto_cpu_kind kind;
	bool ends;
	const char *number;
	const char *name;
} interrupts[] = {
	{"irq.enter", PERFETTO_CPU_IRQ, false, "irq", "handler"},
	{"irq.exit", PERFETTO_CPU_IRQ, true, "irq", "irq"},
	{"irq.soft_enter", PERFETTO_CPU_SOFT, false, "vector", "vector"},
	{"irq.soft_exit", PERFETTO_CPU_SOFT, true, "vector", "vector"},
	{"irq.timer", PERFETTO_CPU_TIMER, false, "kind", "function"},
	{"irq.timer_exit", PERFETTO_CPU_TIMER, true, "kind", "kind"},
	{"irq.work_enter", PERFETTO_CPU_WORK, false, "function", "function"},
	{"irq.work_exit", PERFETTO_CPU_WORK, true, "function", "function"},
};

void perfetto_cpus_init(struct perfetto_cpus *cpus, struct perfetto_out *po)
{
	*cpus = (struct perfetto_cpus){.po = po};
	map_init(&cpus->cpus, sizeof(int32_t), sizeof(struct perfetto_cpu), PERFETTO_CPU_MAX);
}

void perfetto_cpus_fini(struct perfetto_cpus *cpus)
{
	map_fini(&cpus->cpus);
}

/* The names are Sonde's, but the trace may be any: a class that lacks a field is not one of these. */
void perfetto_cpu_fields_find(struct perfetto_cpu_fields *fields, const struct event_class *class)
{
	*fields = (struct perfetto_cpu_fields){0};
	for (size_t i = 0; i < sizeof(interrupts) / sizeof(interrupts[0]); i++) {
		int number = event_class_find_number(class, interrupts[i].number);
		int name = event_class_find(class, interrupts[i].name);

		if (strcmp(class->name, interrupts[i].class) != 0 || number < 0 || name < 0)
			continue;
		*fields = (struct perfetto_cpu_fields){interrupts[i].kind, interrupts[i].ends,
						       (size_t)number, (size_t)name};
	}
}

/* NULL: no memory. */
static struct perfetto_cpu *cpu_at(struct perfetto_cpus *cpus, int32_t cpu)
{
	return map_at(&cpus->cpus, &cpu);
}

struct perfetto_place perfetto_cpu_place(struct perfetto_cpus *cpus, int32_t number)
{
	struct perfetto_place at = {PERFETTO_CPUS, PERFETTO_CPUS + (uint32_t)number};
	struct perfetto_cpu *cpu = cpu_at(cpus, number);
	char text[32];
	int len;

	if (!cpus->named) {
		perfetto_name_process(cpus->po, at.pid, "CPUs", 4);
		perfetto_sort(cpus->po, "process", at, -4);
		cpus->named = true;
	}
	if (!cpu || cpu->named)
		return at;
	cpu->named = true;
	len = snprintf(text, sizeof(text), "CPU %d", number);
	perfetto_name_thread(cpus->po, at, text, (size_t)len);
	perfetto_sort(cpus->po, "thread", at, number);
	return at;
}

bool perfetto_cpu_is_interrupted(const struct perfetto_cpus *cpus, int32_t number)
{
	const struct perfetto_cpu *cpu = map_get(&cpus->cpus, &number);

	return cpu && cpu->depth;
}

bool perfetto_cpu_is_busy(const struct perfetto_cpus *cpus, int32_t number)
{
	const struct perfetto_cpu *cpu = map_get(&cpus->cpus, &number);

	return cpu && (cpu->runs || cpu->depth);
}

/* A handler has a text of its own, all others a number that has a name. */
static void name_interrupt(struct perfetto_out *po, const struct perfetto_cpu_fields *fields,
			   const struct event *event)
{
	static const char *const before[] = {
		[PERFETTO_CPU_IRQ] = "irq ",
		[PERFETTO_CPU_SOFT] = "softirq ",
		[PERFETTO_CPU_TIMER] = "timer ",
		[PERFETTO_CPU_WORK] = "work ",
	};
	enum field_kind kind = event->class->fields[fields->name].kind;
	const char *text;
	size_t len;

	if (kind == FIELD_TEXT || kind == FIELD_STRING) {
		text = event_text(event, fields->name, &len);
		perfetto_text(po, "name", text, len);
	} else if (kind != FIELD_INT || field_is_many(&event->class->fields[fields->name])) {
		perfetto_text(po, "name", event->class->name, strlen(event->class->name));
	} else {
		perfetto_field_name(po, "name", before[fields->kind], event, fields->name);
	}
}

static void begin(struct perfetto_cpus *cpus, struct perfetto_cpu *cpu,
		  const struct perfetto_cpu_fields *fields, const struct event *event,
		  struct perfetto_place at)
{
	struct perfetto_out *po = cpus->po;

	if (cpu->depth == PERFETTO_CPU_DEPTH) {
		perfetto_instant(po, event, at);
		return;
	}
	cpu->slices[cpu->depth++] = (struct perfetto_cpu_slice){
		fields->kind, (int64_t)event_uint(event, fields->number)};
	perfetto_open(po, 'B', event->time_ns, at);
	perfetto_category(po, event);
	name_interrupt(po, fields, event);
	perfetto_args(po);
	perfetto_fields(po, event, 0);
	perfetto_close(po);
}

/* Ends what is deeper than @depth. */
static void end_above(struct perfetto_cpus *cpus, struct perfetto_cpu *cpu, size_t depth,
		      int64_t time_ns, struct perfetto_place at, const char *why)
{
	for (; cpu->depth > depth; cpu->depth--)
		perfetto_slice_end(cpus->po, time_ns, at, why);
}

static void end(struct perfetto_cpus *cpus, struct perfetto_cpu *cpu,
		const struct perfetto_cpu_fields *fields, const struct event *event,
		struct perfetto_place at)
{
	int64_t number = (int64_t)event_uint(event, fields->number);
	uint64_t told = fields->number < 64 ? 1ull << fields->number : 0;
	size_t i = cpu->depth;

	while (i &&
	       (cpu->slices[i - 1].kind != fields->kind || cpu->slices[i - 1].number != number))
		i--;
	if (!i) {
		perfetto_instant(cpus->po, event, at);
		return;
	}
	end_above(cpus, cpu, i, event->time_ns, at, not_seen);
	cpu->depth--;
	perfetto_open(cpus->po, 'E', event->time_ns, at);
	perfetto_args(cpus->po);
	perfetto_fields(cpus->po, event, told);
	perfetto_close(cpus->po);
}

void perfetto_cpu_interrupt(struct perfetto_cpus *cpus, const struct perfetto_cpu_fields *fields,
			    const struct event *event)
{
	struct perfetto_place at = perfetto_cpu_place(cpus, event->cpu);
	struct perfetto_cpu *cpu = cpu_at(cpus, event->cpu);

	if (cpu && fields->ends)
		end(cpus, cpu, fields, event, at);
	else if (cpu)
		begin(cpus, cpu, fields, event, at);
}

int32_t perfetto_cpu_leaves(struct perfetto_cpus *cpus, const struct event *event)
{
	struct perfetto_place at = perfetto_cpu_place(cpus, event->cpu);
	struct perfetto_cpu *cpu = cpu_at(cpus, event->cpu);
	bool other;

	if (!cpu)
		return 0;
	end_above(cpus, cpu, 0, event->time_ns, at, not_seen);
	other = cpu->runs && cpu->tid != event->tid;
	if (cpu->runs)
		perfetto_slice_end(cpus->po, event->time_ns, at, other ? not_seen : NULL);
	cpu->runs = false;
	return other ? cpu->tid : 0;
}

void perfetto_cpu_comes(struct perfetto_cpus *cpus, const struct event *event, int32_t tid,
			const struct task_name *name, uint64_t skip)
{
	struct perfetto_place at = perfetto_cpu_place(cpus, event->cpu);
	struct perfetto_cpu *cpu = cpu_at(cpus, event->cpu);

	if (!cpu)
		return;
	cpu->runs = true;
	cpu->tid = tid;
	perfetto_open(cpus->po, 'B', event->time_ns, at);
	perfetto_category(cpus->po, event);
	if (name->len)
		perfetto_text(cpus->po, "name", name->text, TASK_NAME_LEN(name));
	else
		perfetto_plain(cpus->po, "name", "-");
	perfetto_args(cpus->po);
	perfetto_number(cpus->po, "tid", tid);
	perfetto_fields(cpus->po, event, skip);
	perfetto_close(cpus->po);
}

static void end_all(struct perfetto_cpus *cpus, int64_t time_ns, const char *why, bool tasks)
{
	const void *key;
	void *value;

	for (size_t i = 0; map_next(&cpus->cpus, &i, &key, &value);) {
		struct perfetto_cpu *cpu = value;
		struct perfetto_place at = {PERFETTO_CPUS, PERFETTO_CPUS};
		int32_t number;

		memcpy(&number, key, sizeof(number));
		at.tid += (uint32_t)number;
		end_above(cpus, cpu, 0, time_ns, at, why);
		if (tasks && cpu->runs)
			perfetto_slice_end(cpus->po, time_ns, at, why);
		cpu->runs = cpu->runs && !tasks;
	}
}

void perfetto_cpus_end_tasks(struct perfetto_cpus *cpus, int64_t time_ns, const char *why)
{
	end_all(cpus, time_ns, why, true);
}

void perfetto_cpus_end_interrupts(struct perfetto_cpus *cpus, int64_t time_ns, const char *why)
{
	end_all(cpus, time_ns, why, false);
}
