// SPDX-License-Identifier: BSD-2-Clause
#include "ctf/json_labels_write.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ctf/json_writer.h"

/* A label by its place among those of the type. */
struct entry {
	const struct field_label *label;
	size_t index;
	size_t first; /* of the same name */
};

static int compare_names(const void *a, const void *b)
{
	const struct entry *left = a, *right = b;
	int order = strcmp(left->label->name, right->label->name);

	return order ? order : (left->index > right->index) - (left->index < right->index);
}

static int compare_places(const void *a, const void *b)
{
	const struct entry *left = a, *right = b;

	if (left->first != right->first)
		return left->first < right->first ? -1 : 1;
	return (left->index > right->index) - (left->index < right->index);
}

/* Names in the order in which they appear first, so that the first label of a value stays so. */
static void sort_entries(struct entry *entries, size_t count)
{
	qsort(entries, count, sizeof(*entries), compare_names);
	for (size_t i = 0; i < count; i++) {
		bool same = i && !strcmp(entries[i].label->name, entries[i - 1].label->name);

		entries[i].first = same ? entries[i - 1].first : entries[i].index;
	}
	qsort(entries, count, sizeof(*entries), compare_places);
}

static void write_entries(struct json_writer *writer, const struct entry *entries, size_t count,
			  bool is_signed)
{
	for (size_t i = 0; i < count; i++) {
		const struct field_label *label = entries[i].label;
		bool same = i && entries[i].first == entries[i - 1].first;

		if (!same) {
			buffer_string(writer->out, i ? "]," : "");
			json_writer_string(writer, label->name);
			buffer_string(writer->out, ":[");
		} else {
			buffer_char(writer->out, ',');
		}
		json_writer_range(writer, label->first, label->last, is_signed);
	}
	buffer_char(writer->out, ']');
}

int json_labels_write(struct json_writer *writer, const struct ctf_type *type)
{
	struct entry *entries = calloc(type->label_count, sizeof(*entries));

	if (!entries)
		return json_writer_no_memory(writer);
	for (size_t i = 0; i < type->label_count; i++)
		entries[i] = (struct entry){.label = &type->labels[i], .index = i};
	sort_entries(entries, type->label_count);
	json_writer_name(writer, "mappings");
	buffer_char(writer->out, '{');
	write_entries(writer, entries, type->label_count, type->is_signed);
	buffer_char(writer->out, '}');
	free(entries);
	return 0;
}
