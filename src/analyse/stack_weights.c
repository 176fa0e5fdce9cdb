// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/stack_weights.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/analysis.h"
#include "analyse/code_names.h"
#include "analyse/derive.h"
#include "analyse/sample_stats.h"
#include "analyse/switch_sides.h"
#include "base/clock.h"
#include "base/diag.h"
#include "schema/lost.h"
#include "schema/stack.h"
#include "schema/trace_info.h"
#include "symbol/kernel_symbols.h"
#include "symbol/symbols.h"

#define OFF_MAX (4u << 20) /* tasks of all traces */

/* What the events of one class are to it. */
struct stack_place {
	bool counts; /* its events have stacks, and were chosen */
	bool derives; /* derive_event needs them */
	enum { WEIGH_ONE, WEIGH_PERIOD, WEIGH_OFF, WEIGH_FIELD, WEIGH_DERIVED } weigh;
	int value; /* of WEIGH_FIELD: the field; of WEIGH_DERIVED: enum derived */
	int kernel_stack, user_stack; /* fields; -1 = not there */
	int pc, pid, state, cut, stack_state; /* likewise */
	int next_tid, sides; /* of sched.switch */
};

/* A task that was switched from. */
struct off_cpu {
	int64_t since_ns;
	uint32_t node; /* of its stack; 0 = it is on a CPU, or not counted */
	uint32_t unused;
};

static int find_stack(const struct event_class *class, const char *name)
{
	int i = event_class_find(class, name);
	const struct field *field = i >= 0 ? &class->fields[i] : NULL;

	return field && field->kind == FIELD_INT && field_is_many(field) ? i : -1;
}

static bool is_class(const struct event_class *class, const char *name)
{
	return !strcmp(class->name, name);
}

static void find_place(const struct stack_weights *sw, const struct event_class *class,
		       struct stack_place *place)
{
	*place = (struct stack_place){
		.kernel_stack = find_stack(class, "kernel_stack"),
		.user_stack = find_stack(class, "user_stack"),
		.pc = event_class_find_number(class, "pc"),
		.pid = code_name_process(class),
		.state = event_class_find_number(class, "state"),
		.cut = event_class_find_number(class, "cut"),
		.stack_state = event_class_find_number(class, STACK_STATE),
		.next_tid = -1,
		.sides = switch_sides_find(class),
	};
	if (is_class(class, "sched.switch"))
		place->next_tid = event_class_find_number(class, "next_tid");
	else if (!is_class(class, "cpu.sample"))
		place->pc = place->state = -1;
	place->counts = select_shows(sw->analysis->select, class) &&
			(place->kernel_stack >= 0 || place->user_stack >= 0 ||
			 (is_class(class, "cpu.sample") && place->pc >= 0));
}

/* Only the events called @name; false: none of these counts. */
static bool choose_class(struct stack_weights *sw, const char *name)
{
	const struct trace_info *info = sw->analysis->info;
	bool any = false;

	for (size_t i = 0; i < info->class_count; i++)
		any = any || (sw->places[i].counts && is_class(info->classes[i], name));
	for (size_t i = 0; any && i < info->class_count; i++)
		sw->places[i].counts &= is_class(info->classes[i], name);
	return any;
}

/* The name of the one class that counts, NULL if there are several; -ENOENT: none. */
static int find_event(struct stack_weights *sw, struct diag *diag)
{
	const struct trace_info *info = sw->analysis->info;
	size_t count = 0;

	for (size_t i = 0; i < info->class_count; i++) {
		if (!sw->places[i].counts)
			continue;
		if (!count++)
			sw->event = info->classes[i]->name;
		else if (sw->event && !is_class(info->classes[i], sw->event))
			sw->event = NULL;
	}
	if (count)
		return 0;
	return diag_set(diag, -ENOENT,
			"no event has a stack: sonde record -e cpu.sample --detail full records "
			"those of samples");
}

static uint64_t find_period(const struct trace_info *info)
{
	const struct trace_env *env = trace_info_env(info, "sonde_sample_hz");

	return env && !env->text && env->number > 0 ? NS_PER_SEC / (uint64_t)env->number : 0;
}

/* The first that its events have. */
static int find_time(const struct event_class *class)
{
	for (int i = 0; i < DERIVED_COUNT; i++) {
		if (is_class(class, derived_fields[i].event))
			return i;
	}
	return -1;
}

static bool weigh_time(struct stack_weights *sw, const struct event_class *class,
		       struct stack_place *place)
{
	sw->unit = "ns";
	if (place->next_tid >= 0) {
		place->weigh = WEIGH_OFF;
	} else if (is_class(class, "cpu.sample")) {
		place->weigh = WEIGH_PERIOD;
		return sw->period_ns;
	} else {
		place->weigh = WEIGH_DERIVED;
		place->value = find_time(class);
		return place->value >= 0;
	}
	return true;
}

static bool weigh_field(struct stack_weights *sw, const struct event_class *class, const char *name,
			struct stack_place *place)
{
	place->weigh = WEIGH_FIELD;
	place->value = event_class_find_number(class, name);
	if (place->value >= 0) {
		sw->unit = class->fields[place->value].unit;
		return true;
	}
	place->weigh = WEIGH_DERIVED;
	place->value = derived_find(class->name, name);
	if (place->value >= 0 && derived_is_text((enum derived)place->value))
		place->value = -1;
	if (place->value >= 0)
		sw->unit = "ns";
	return place->value >= 0;
}

/* Whether events of @class have what is to be weighed. */
static bool choose_weight(struct stack_weights *sw, const struct event_class *class,
			  struct stack_place *place)
{
	const char *weight = sw->request.weight;

	if (!weight)
		weight = sw->event && !strcmp(sw->event, "sched.switch") ? "ns" : "samples";
	if (!strcmp(weight, "ns"))
		return weigh_time(sw, class, place);
	if (strcmp(weight, "samples") != 0)
		return weigh_field(sw, class, weight, place);
	sw->unit = sw->event && !strcmp(sw->event, "cpu.sample") ? "samples" : "events";
	place->weigh = WEIGH_ONE;
	return true;
}

static int choose_weights(struct stack_weights *sw, struct diag *diag)
{
	const struct trace_info *info = sw->analysis->info;
	uint32_t needs = 0;
	bool any = false;

	for (size_t i = 0; i < info->class_count; i++) {
		struct stack_place *place = &sw->places[i];

		if (!place->counts)
			continue;
		place->counts = choose_weight(sw, info->classes[i], place);
		any = any || place->counts;
		if (place->counts && place->weigh == WEIGH_DERIVED)
			needs |= 1u << place->value;
	}
	if (!any)
		return diag_set(diag, -ENOENT, "--weight: no event with a stack has '%s'%s",
				sw->request.weight,
				!strcmp(sw->request.weight, "ns") ? ", a time" : "");
	if (!needs)
		return 0;
	sw->derive = derive_new(info, needs);
	for (size_t i = 0; sw->derive && i < info->class_count; i++)
		sw->places[i].derives = derive_takes(sw->derive, info->classes[i]);
	return sw->derive ? 0 : diag_set(diag, -ENOMEM, "no memory");
}

int stack_weights_init(struct stack_weights *sw, const struct analysis *analysis,
		       const struct stack_weights_request *request, struct diag *diag)
{
	const struct trace_info *info = analysis->info;
	int err;

	*sw = (struct stack_weights){.analysis = analysis, .request = *request};
	map_init(&sw->off, sizeof(uint64_t), sizeof(struct off_cpu), OFF_MAX);
	err = stack_tree_init(&sw->tree);
	sw->places = calloc(info->class_count ?: 1, sizeof(*sw->places));
	if (err || !sw->places)
		return diag_set(diag, -ENOMEM, "no memory");
	sw->period_ns = find_period(info);
	if (request->diff && trace_info_traces(info) != 3)
		return diag_set(diag, -EINVAL, "--diff compares two SOURCEs of one trace each");
	for (size_t i = 0; i < info->class_count; i++)
		find_place(sw, info->classes[i], &sw->places[i]);
	/* Where no pattern says which: samples of CPUs, or else where tasks left them, or else all. */
	if (!analysis->select->pattern_count && !choose_class(sw, "cpu.sample"))
		(void)choose_class(sw, "sched.switch");
	err = find_event(sw, diag);
	return err ?: choose_weights(sw, diag);
}

void stack_weights_fini(struct stack_weights *sw)
{
	derive_free(sw->derive);
	free(sw->places);
	map_fini(&sw->off);
	stack_tree_fini(&sw->tree);
	*sw = (struct stack_weights){0};
}

/* The label of what is known of a frame: the function, else the file, in brackets. */
static int64_t label_of(struct stack_weights *sw, const struct symbol_place *place, bool kernel)
{
	char text[SYMBOL_LABEL_BYTES];
	enum stack_kind kind = kernel	      ? STACK_KERNEL :
			       place->inlined ? STACK_INLINED :
						STACK_PROGRAM;

	if (place->function)
		return stack_tree_label(&sw->tree, kind, place->function, place->module,
					place->file);
	(void)symbol_label(place, text);
	return stack_tree_label(&sw->tree, kind, text, place->module, NULL);
}

/* The frames of one address below *@node, outermost first: there are several where functions were inlined. */
static int add_address(struct stack_weights *sw, const struct event *event, uint32_t pid,
		       uint64_t address, uint32_t *node)
{
	struct symbols *symbols = trace_info_symbols(sw->analysis->info, event->class->stream);
	struct symbol_place places[SYMBOL_INLINED_MAX];
	const bool kernel = kernel_symbols_has(address);
	size_t count = symbols && address ? symbols_find_all(symbols, pid, event->time_ns, address,
							     places, SYMBOL_INLINED_MAX) :
					    0;

	if (!count)
		places[count++] = (struct symbol_place){0};
	while (count-- > 0) {
		int64_t label = label_of(sw, &places[count], kernel);

		if (label < 0)
			return -ENOMEM;
		*node = stack_tree_child(&sw->tree, *node, (uint32_t)label);
	}
	return 0;
}

/* Of all frames but the innermost the address is where a call returns to: what counts is the call. */
static int add_stack(struct stack_weights *sw, const struct event *event, uint32_t pid, int field,
		     bool user, uint32_t *node)
{
	uint32_t depth = field >= 0 ? event_count(event, (size_t)field) : 0;
	int err = 0;

	for (uint32_t i = depth; i-- > 0 && !err;) {
		uint64_t address = event_element_fast(event, (size_t)field, i);

		/* Frame pointers of code that has none lead anywhere. */
		if (user && kernel_symbols_has(address))
			continue;
		err = add_address(sw, event, pid, address - (address && i), node);
	}
	return err;
}

static int add_task(struct stack_weights *sw, const struct event *event, uint32_t *node)
{
	const struct task_name *name =
		task_names_get(sw->analysis->names, event->class, event->tid);
	char text[TASK_NAME_BYTES + 1] = "";
	int64_t label;

	memcpy(text, name->text, TASK_NAME_LEN(name));
	label = stack_tree_label(&sw->tree, STACK_TASK, *text ? text : "-", NULL, NULL);
	if (label < 0)
		return -ENOMEM;
	*node = stack_tree_child(&sw->tree, 0, (uint32_t)label);
	return 0;
}

static uint32_t process_of(const struct stack_weights *sw, const struct stack_place *place,
			   const struct event *event)
{
	if (place->pid >= 0)
		return (uint32_t)event_uint(event, (size_t)place->pid);
	return task_names_pid(sw->analysis->names, event->class, event->tid);
}

/* Where there are no frames that would say more: that they are not known, and never another's. */
static int add_state(struct stack_weights *sw, uint64_t state, uint32_t *node)
{
	int64_t label;

	sw->cut += state >= STACK_STATE_KERNEL_CUT && state <= STACK_STATE_BOTH_CUT;
	if (state != STACK_STATE_LOST && state != STACK_STATE_FAILED)
		return 0;
	label = stack_tree_label(&sw->tree, STACK_TASK,
				 state == STACK_STATE_LOST ? "(stack lost)" :
							     "(stack could not be taken)",
				 NULL, NULL);
	if (label < 0)
		return -ENOMEM;
	*node = stack_tree_child(&sw->tree, *node, (uint32_t)label);
	return 0;
}

/* The node of the stack of @event. 0 or -ENOMEM. */
static int add_event(struct stack_weights *sw, const struct stack_place *place,
		     const struct event *event, uint32_t *node)
{
	const uint32_t pid = process_of(sw, place, event);
	uint32_t top;
	int err = add_task(sw, event, node);

	top = *node;
	err = err ?: add_stack(sw, event, pid, place->user_stack, true, node);
	err = err ?: add_stack(sw, event, pid, place->kernel_stack, false, node);
	/* Without a stack, the sampled address has to do. */
	if (!err && *node == top && place->pc >= 0)
		err = add_address(sw, event, pid, event_uint(event, (size_t)place->pc), node);
	if (place->stack_state >= 0)
		return err ?: add_state(sw, event_uint(event, (size_t)place->stack_state), node);
	sw->cut += place->cut >= 0 && event_uint(event, (size_t)place->cut) != 0;
	return err;
}

static size_t side_of(const struct stack_weights *sw, const struct event *event)
{
	return sw->request.diff && trace_info_trace(sw->analysis->info, event->class->stream) != 1;
}

static void count(struct stack_weights *sw, const struct event *event, uint32_t node,
		  uint64_t weight, int64_t time_ns)
{
	const size_t side = side_of(sw, event);

	if (!sw->stacks[0] && !sw->stacks[1])
		sw->first_ns = sw->last_ns = time_ns;
	sw->first_ns = time_ns < sw->first_ns ? time_ns : sw->first_ns;
	sw->last_ns = time_ns > sw->last_ns ? time_ns : sw->last_ns;
	sw->stacks[side]++;
	sw->tree.nodes[node].self[side] += weight;
}

static struct off_cpu *off_at(struct stack_weights *sw, const struct event *event, uint32_t tid)
{
	const uint64_t trace = trace_info_trace(sw->analysis->info, event->class->stream);
	const uint64_t key = trace << 32 | tid;

	return map_at(&sw->off, &key);
}

/* One task comes back, another leaves. Where one is that the filter did not want is unknown. */
static int take_switch(struct stack_weights *sw, const struct stack_place *place,
		       const struct event *event, bool shown)
{
	struct off_cpu *off =
		off_at(sw, event, (uint32_t)event_uint(event, (size_t)place->next_tid));
	const unsigned int sides = switch_sides(place->sides, event);
	uint32_t node = 0;
	int err = 0;

	if (off && off->node && !(sides & SWITCH_NEXT)) {
		sw->unfinished++;
		off->node = 0;
	}
	if (off && off->node) {
		count(sw, event, off->node, (uint64_t)(event->time_ns - off->since_ns),
		      off->since_ns);
		off->node = 0;
	}
	if (event->tid <= 0) /* the idle task is never off */
		return 0;
	if (shown && sides & SWITCH_PREV)
		err = add_event(sw, place, event, &node);
	off = off_at(sw, event, (uint32_t)event->tid);
	if (off)
		*off = (struct off_cpu){event->time_ns, node, 0};
	return err;
}

/* What tasks did where events are missing is not known. */
static void forget_all(struct stack_weights *sw)
{
	const void *key;
	void *value;

	for (size_t at = 0; map_next(&sw->off, &at, &key, &value);) {
		struct off_cpu *off = value;

		sw->unfinished += off->node != 0;
		off->node = 0;
	}
}

/* False: it does not count. */
static bool weigh(const struct stack_weights *sw, const struct stack_place *place,
		  const struct event *event, const struct event_facts *facts, uint64_t *ret)
{
	switch (place->weigh) {
	case WEIGH_PERIOD:
		*ret = sw->period_ns;
		return true;
	case WEIGH_FIELD:
		*ret = event_uint(event, (size_t)place->value);
		return !event->class->fields[place->value].is_signed || (int64_t)*ret >= 0;
	case WEIGH_DERIVED:
		*ret = facts->derived[place->value];
		return facts->has >> place->value & 1;
	default:
		*ret = 1;
		return true;
	}
}

int stack_weights_take(struct stack_weights *sw, const struct event *event, bool shown)
{
	const struct stack_place *place = &sw->places[event->class->index];
	struct event_facts facts;
	uint64_t weight;
	uint32_t node;
	int err;

	facts.has = 0;
	if (place->derives)
		derive_event(sw->derive, event, &facts);
	if (event->class->role == EVENT_ROLE_LOST)
		forget_all(sw);
	if (!place->counts)
		return 0;
	if (place->weigh == WEIGH_OFF)
		return take_switch(sw, place, event, shown);
	if (!shown || (place->state >= 0 && event_uint(event, (size_t)place->state) == SAMPLE_IDLE))
		return 0;
	if (!weigh(sw, place, event, &facts, &weight))
		return 0;
	err = add_event(sw, place, event, &node);
	if (!err)
		count(sw, event, node, weight, event->time_ns);
	return err;
}

void stack_weights_end(struct stack_weights *sw)
{
	forget_all(sw);
	stack_tree_sum(&sw->tree);
}
