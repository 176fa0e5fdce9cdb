// SPDX-License-Identifier: BSD-2-Clause
#include "record_format/pm/pm_cell.h"

#include <string.h>

#include "record_format/pm/pm_reader.h"
#include "wire/pm.h"

/* What makes a class one of our own, by which the rules go. */
static const char *const own_fields[] = {"mss", "sndbuf", "write_seq", "snd_cwnd"};

static bool is_own(const struct event_class *class)
{
	if (strncmp(class->name, "tcp.", 4) != 0)
		return false;
	for (size_t i = 0; i < sizeof(own_fields) / sizeof(own_fields[0]); i++) {
		if (event_class_find_number(class, own_fields[i]) < 0)
			return false;
	}
	return true;
}

bool pm_cell_is_snapshot(const struct event_class *class)
{
	if (!strcmp(class->name, PM_CLASS_NAME))
		return true;
	return event_class_find_number(class, "lport") >= 0 &&
	       event_class_find_number(class, "rport") >= 0 &&
	       event_class_find_number(class, "snd_cwnd") >= 0;
}

static bool find(const struct event_class *class, const struct pm_known *known, const char *name,
		 size_t *ret)
{
	int i = known->flags == PM_FLAGS_BITS ? event_class_find(class, name) :
						event_class_find_number(class, name);

	*ret = i < 0 ? 0 : (size_t)i;
	return i >= 0;
}

/* What a column counts in fractions ("us/8"), fields count in whole units. */
static unsigned int fraction_of(const struct field *field, const struct pm_known *known)
{
	const char *whole;
	unsigned int bits = field_unit_fraction(known->unit, &whole);

	return bits && field->unit && !strcmp(field->unit, whole) ? bits : 0;
}

bool pm_cell_find(struct pm_cell *cell, const struct event_class *class,
		  const struct pm_known *known)
{
	bool own = is_own(class), found;

	*cell = (struct pm_cell){.rule = own ? known->rule : PM_RULE_COPY};
	found = cell->rule != PM_RULE_NONE &&
		find(class, known, own ? known->a : known->name, &cell->a);
	if (found && own && known->b)
		found = find(class, known, known->b, &cell->b);
	if (!found)
		cell->rule = PM_RULE_NONE;
	else
		cell->fraction = fraction_of(&class->fields[cell->a], known);
	return found;
}

uint64_t pm_cell_value(const struct pm_cell *cell, const struct event *event)
{
	uint64_t a;

	if (cell->rule == PM_RULE_NONE)
		return 0;
	a = event_uint(event, cell->a);
	switch (cell->rule) {
	case PM_RULE_PRODUCT:
		return a * event_uint(event, cell->b);
	case PM_RULE_DISTANCE: /* sequence numbers are modulo 2^32 */
		return (uint32_t)a - (uint32_t)event_uint(event, cell->b);
	default:
		return a << cell->fraction;
	}
}
