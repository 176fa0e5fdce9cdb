// SPDX-License-Identifier: BSD-2-Clause
#include "probe/stacks.h"

#include <errno.h>
#include <string.h>

#include "base/diag.h"
#include "probe/call_classes.h"
#include "probe/catalogue.h"
#include "probe/tracepoint.h"
#include "wire/measure.h"
#include "wire/stack.h"

/* Programs of these kinds may call bpf_get_task_stack. */
static const char *const able[] = {"tp_btf/", "tp/", "fentry/", "fexit/", "kprobe/", "raw_tp/"};

static bool is_able(const struct hook *hook)
{
	for (size_t i = 0; i < sizeof(able) / sizeof(able[0]); i++) {
		if (!strncmp(hook->section, able[i], strlen(able[i])))
			return true;
	}
	return false;
}

bool stacks_are_own(const struct measurement *m)
{
	return m->class.id == CPU_SAMPLE;
}

/* All alternatives count: which of them it will be is known once they are loaded. */
const char *stacks_reason(const struct measurement *m)
{
	if (stacks_are_own(m))
		return NULL;
	if (event_class_find_any(&m->class, STACK_FIELD) >= 0)
		return "it has a field of its own that is called " STACK_FIELD;
	for (size_t i = 0; i < m->hook_count; i++) {
		const struct hook *hook = &m->hooks[i];

		if (!hook->usable)
			continue;
		if (!hook_is_program(hook))
			return "the recorder asks for it, no task does it";
		if (!is_able(hook))
			return "the kernel gives programs at its hook no stacks";
	}
	return NULL;
}

/* Whether @pattern means @m or some of its calls, and these get @sides if @give. */
static bool give(struct measurement *m, const char *pattern, unsigned int sides)
{
	bool calls = m->calls && call_classes_give_stacks(m->calls, pattern, sides);

	if (!measurement_matches(m, pattern))
		return calls;
	m->stacks = (uint8_t)sides;
	if (m->hooks[0].tracepoint)
		m->hooks[0].tracepoint->plan.stacks = (uint8_t)sides;
	return true;
}

static bool means(const struct measurement *m, const char *pattern)
{
	return measurement_matches(m, pattern) ||
	       (m->calls && call_classes_matches(m->calls, pattern));
}

int stacks_choose(struct catalogue *cat, const bool *wanted, const char *pattern,
		  unsigned int sides, struct diag *diag)
{
	const struct measurement *without = NULL;
	bool recorded = false, any = false;

	for (size_t i = 0; i < cat->count; i++) {
		struct measurement *m = &cat->items[i];

		if (!means(m, pattern))
			continue;
		recorded |= wanted[i];
		if (!stacks_reason(m))
			any |= give(m, pattern, sides) && wanted[i];
		else if (wanted[i])
			without = m;
	}
	if (any)
		return 0;
	if (recorded && without)
		return diag_set(diag, -EINVAL, "%s cannot have stacks: %s", without->name,
				stacks_reason(without));
	return diag_set(diag, -ENOENT, "nothing of '%s' is recorded: add -e %s", pattern, pattern);
}

bool stacks_any(const struct catalogue *cat)
{
	for (size_t i = 0; i < cat->count; i++) {
		const struct measurement *m = &cat->items[i];

		if ((m->stacks && !stacks_are_own(m)) ||
		    (m->calls && call_classes_any_stacks(m->calls)))
			return true;
	}
	return false;
}

bool stacks_unwind(const struct catalogue *cat, bool detail)
{
	for (size_t i = 0; i < cat->count; i++) {
		const struct measurement *m = &cat->items[i];

		if ((m->stacks & 1u << STACK_USER) || (detail && stacks_are_own(m)) ||
		    (m->calls && call_classes_any_stacks(m->calls)))
			return true;
	}
	return false;
}

int stacks_describe(struct catalogue *cat)
{
	static const struct field id = {
		.name = STACK_FIELD,
		.text = "stack of the task that ran: the id of a sonde.stack; 0 = none, 1 = it could "
			"not be taken",
		.scope = FIELD_SCOPE_OBJECT,
		.show = FIELD_SHOW_HEX,
		.bits = 64,
		.align_bits = 32,
		.count = 1,
		.big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__,
		.shared_type = "stack_id_t",
	};
	int err = 0;

	for (size_t i = 0; !err && i < cat->count; i++) {
		struct measurement *m = &cat->items[i];

		if (m->stacks && !stacks_are_own(m))
			err = catalogue_add_field(cat, &m->class, &id);
		for (size_t k = 0; !err && m->calls && k < call_classes_count(m->calls); k++) {
			struct event_class *class = call_classes_with_stacks(m->calls, k);

			if (class)
				err = catalogue_add_field(cat, class, &id);
		}
	}
	return err;
}
