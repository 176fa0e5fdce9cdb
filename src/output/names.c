// SPDX-License-Identifier: BSD-2-Clause
#include "output/names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/emit.h"
#include "schema/field.h"
#include "schema/source.h"
#include "schema/syscalls.h"

/* What a call returns to the kernel's own exit path; include/linux/errno.h, never seen by
 * programs and so unknown to the C library. */
static const struct {
	unsigned int number;
	const char *name;
} kernel_errors[] = {
	{512, "ERESTARTSYS"},		{513, "ERESTARTNOINTR"}, {514, "ERESTARTNOHAND"},
	{516, "ERESTART_RESTARTBLOCK"}, {517, "EPROBE_DEFER"},	 {524, "ENOTSUPP"},
};

int name_init(struct name *name, const char *text, escape_write escape)
{
	char escaped[NAME_MAX_BYTES * ESCAPE_FACTOR + 2]; /* CSV has two quotes more */
	size_t len = strlen(text);

	if (len > NAME_MAX_BYTES)
		return 0;
	len = (size_t)(escape(escaped, text, len) - escaped);
	if (len > NAME_MAX_BYTES)
		return 0;
	name->text = calloc(1, len + EMIT_PADDING);
	if (!name->text)
		return -ENOMEM;
	memcpy(name->text, escaped, len);
	name->len = len;
	return 0;
}

static int load_calls(struct names *names, const struct syscalls *calls, bool compat,
		      escape_write escape)
{
	int64_t i;

	for (i = 0; i < (int64_t)CALL_NUMBERS; i++) {
		const char *text = syscalls_name(calls, compat, i);

		if (text && name_init(&names->calls[compat][i], text, escape))
			return -ENOMEM;
	}
	return 0;
}

static int load_errors(struct names *names, escape_write escape)
{
	size_t i;

	for (i = 1; i < 512; i++) {
		const char *text = strerrorname_np((int)i);

		if (text && name_init(&names->errors[i], text, escape))
			return -ENOMEM;
	}
	for (i = 0; i < sizeof(kernel_errors) / sizeof(kernel_errors[0]); i++)
		if (name_init(&names->errors[kernel_errors[i].number], kernel_errors[i].name,
			      escape))
			return -ENOMEM;
	return 0;
}

static const char *env_text(const struct trace_info *info, const char *name)
{
	const struct trace_env *env = trace_info_env(info, name);

	return env ? env->text : NULL;
}

struct names *names_new(const struct trace_info *info, escape_write escape)
{
	struct syscalls *calls =
		syscalls_new(env_text(info, "syscalls"), env_text(info, "syscalls_compat"));
	struct names *names = calloc(1, sizeof(*names));
	int err = -ENOMEM;

	if (!names || !calls)
		goto out;
	err = load_calls(names, calls, false, escape)	     ?:
		      load_calls(names, calls, true, escape) ?:
							       load_errors(names, escape);
out:
	syscalls_free(calls);
	if (err) {
		names_free(names);
		return NULL;
	}
	return names;
}

static char *keep(char *p, const char *text, size_t len)
{
	memcpy(p, text, len);
	return p + len;
}

struct names *names_plain_new(const struct trace_info *info)
{
	return names_new(info, keep);
}

void names_free(struct names *names)
{
	size_t i;

	if (!names)
		return;
	for (i = 0; i < CALL_NUMBERS; i++) {
		free(names->calls[0][i].text);
		free(names->calls[1][i].text);
	}
	for (i = 0; i < NAMES_ERRORS; i++)
		free(names->errors[i].text);
	free(names);
}

static int load_labels(struct label_names *labels, const struct field *field, escape_write escape)
{
	size_t i;

	for (i = 0; i < labels->count; i++) {
		const char *text = labels->spread ? field->labels[i].name :
						    field_label(field, labels->first + (int64_t)i);

		if (text && name_init(&labels->names[i], text, escape))
			return -ENOMEM;
	}
	return 0;
}

/* Moves the range of signed values so that all of them compare as unsigned ones do. */
static uint64_t rank_of(const struct field *field, int64_t value)
{
	return (uint64_t)value ^ (field->is_signed ? 1ull << 63 : 0);
}

static int compare_labels(const void *left, const void *right, void *arg)
{
	const struct field *field = arg;
	uint64_t a = rank_of(field, field->labels[*(const uint32_t *)left].first);
	uint64_t b = rank_of(field, field->labels[*(const uint32_t *)right].first);

	return (a > b) - (a < b);
}

static bool overlaps(const struct field *field, const uint32_t *order)
{
	for (size_t i = 1; i < field->label_count; i++)
		if (rank_of(field, field->labels[order[i]].first) <=
		    rank_of(field, field->labels[order[i - 1]].last))
			return true;
	return false;
}

static int load_every(struct label_names *labels, const struct field *field, escape_write escape)
{
	labels->every = calloc(field->label_count, sizeof(*labels->every));
	if (!labels->every)
		return -ENOMEM;
	labels->every_count = field->label_count;
	for (size_t i = 0; i < field->label_count; i++) {
		if (name_init(&labels->every[i], field->labels[i].name, escape))
			return -ENOMEM;
		labels->every_bytes += labels->every[i].len + 4; /* with what is around it */
	}
	return 0;
}

/* Values may have several labels, where ranges overlap; else one can be looked up fast. */
static int order_labels(struct label_names *labels, const struct field *field, escape_write escape)
{
	uint32_t *order = calloc(field->label_count, sizeof(*order));

	if (!order)
		return -ENOMEM;
	for (size_t i = 0; i < field->label_count; i++)
		order[i] = (uint32_t)i;
	qsort_r(order, field->label_count, sizeof(*order), compare_labels, (void *)field);
	if (!overlaps(field, order)) {
		labels->order = order;
		return 0;
	}
	free(order);
	return field->label_count <= NAMES_OVERLAP ? load_every(labels, field, escape) : 0;
}

int label_names_init(struct label_names *labels, const struct field *field, escape_write escape)
{
	int64_t first = INT64_MAX, last = INT64_MIN;
	size_t i;

	*labels = (struct label_names){0};
	if (field->show == FIELD_SHOW_FLAGS)
		return field->label_count <= NAMES_OVERLAP ? load_every(labels, field, escape) : 0;
	for (i = 0; i < field->label_count; i++) {
		const struct field_label *label = &field->labels[i];

		first = label->first < first ? label->first : first;
		last = label->last > last ? label->last : last;
		if (label->last < label->first) /* across the middle of what is unsigned */
			labels->spread = field;
	}
	if (!field->label_count)
		return 0;
	if ((uint64_t)last - (uint64_t)first >= NAMES_LABELS ||
	    (uint64_t)last - (uint64_t)first >= NAMES_SPARSE * field->label_count)
		labels->spread = field;
	labels->first = first;
	labels->count = labels->spread ? field->label_count : (size_t)(last - first) + 1;
	labels->names = calloc(labels->count, sizeof(*labels->names));
	if (!labels->names) {
		labels->count = 0;
		return -ENOMEM;
	}
	return order_labels(labels, field, escape) ?: load_labels(labels, field, escape);
}

/* The label of @value, of those that are in order; -1 = none. */
static int64_t find_ordered(const struct label_names *labels, const struct field *field,
			    int64_t value)
{
	const uint64_t rank = rank_of(field, value);
	size_t low = 0, high = field->label_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (rank_of(field, field->labels[labels->order[middle]].last) < rank)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == field->label_count ||
	    rank_of(field, field->labels[labels->order[low]].first) > rank)
		return -1;
	return labels->order[low];
}

const struct name *label_names_next(const struct label_names *labels, const struct field *field,
				    int64_t value, size_t *at)
{
	while (*at < labels->every_count) {
		size_t i = (*at)++;

		if (labels->every[i].text && field_label_has(field, &field->labels[i], value))
			return &labels->every[i];
	}
	return NULL;
}

char *label_names_flags(char *p, const struct label_names *labels, const struct field *field,
			uint64_t value)
{
	uint64_t rest = value;
	const char *start = p;
	size_t at = 0;
	int i;

	while (labels->every_count && (i = field_flags_next(field, &rest, &at)) >= 0) {
		const struct name *name = &labels->every[i];

		if (p > start)
			p = emit_char(p, '|');
		p = name->text ? emit_short(p, name->text, name->len) :
				 emit_hex(p, (uint64_t)field->labels[i].first);
	}
	if (rest && p > start)
		p = emit_char(p, '|');
	if (rest)
		return emit_hex(p, rest);
	return p > start ? p : emit_char(p, '0');
}

const struct name *label_names_find(const struct label_names *labels, int64_t value)
{
	const struct field *field = labels->spread;
	size_t i;

	if (labels->order) {
		int64_t found = find_ordered(labels, field, value);

		return found >= 0 && labels->names[found].text ? &labels->names[found] : NULL;
	}
	for (i = 0; i < labels->count; i++)
		if (field_label_has(field, &field->labels[i], value))
			return labels->names[i].text ? &labels->names[i] : NULL;
	return NULL;
}

void label_names_fini(struct label_names *labels)
{
	size_t i;

	for (i = 0; i < labels->count; i++)
		free(labels->names[i].text);
	for (i = 0; i < labels->every_count; i++)
		free(labels->every[i].text);
	free(labels->every);
	free(labels->order);
	free(labels->names);
	*labels = (struct label_names){0};
}
