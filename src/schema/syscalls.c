// SPDX-License-Identifier: BSD-2-Clause
#include "schema/syscalls.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Linux has fewer than 1024 (2025); a foreign trace must not make us allocate at will. */
#define SYSCALLS_MAX 65536

/* Names by number; the names lie in one copy of the text, each ended by a NUL. */
struct table {
	char *text;
	const char **names;
	size_t count;
};

struct syscalls {
	struct table tables[2]; /* native, compat */
};

/* Parses "NUMBER NAME" and ends it with a NUL. -EINVAL: not of that form. */
static int parse_entry(char *entry, size_t *number, const char **name)
{
	unsigned long value;
	char *end;

	if (*entry < '0' || *entry > '9')
		return -EINVAL;
	errno = 0;
	value = strtoul(entry, &end, 10);
	if (errno || value >= SYSCALLS_MAX || *end != ' ' || !end[1])
		return -EINVAL;
	*number = value;
	*name = end + 1;
	return 0;
}

static int table_put(struct table *table, size_t number, const char *name)
{
	size_t count = table->count ?: 512;
	const char **names;

	if (number >= table->count) {
		while (count <= number)
			count *= 2;
		names = realloc(table->names, count * sizeof(*names));
		if (!names)
			return -ENOMEM;
		memset(names + table->count, 0, (count - table->count) * sizeof(*names));
		table->names = names;
		table->count = count;
	}
	table->names[number] = name;
	return 0;
}

static int table_init(struct table *table, const char *text)
{
	char *entry, *next;
	const char *name;
	size_t number;
	int err;

	if (!text)
		return 0;
	table->text = strdup(text);
	if (!table->text)
		return -ENOMEM;
	next = table->text;
	while ((entry = strsep(&next, ","))) {
		if (parse_entry(entry, &number, &name))
			continue;
		err = table_put(table, number, name);
		if (err)
			return err;
	}
	return 0;
}

struct syscalls *syscalls_new(const char *native, const char *compat)
{
	struct syscalls *calls = calloc(1, sizeof(*calls));

	if (!calls)
		return NULL;
	if (table_init(&calls->tables[0], native) || table_init(&calls->tables[1], compat)) {
		syscalls_free(calls);
		return NULL;
	}
	return calls;
}

void syscalls_free(struct syscalls *calls)
{
	int i;

	if (!calls)
		return;
	for (i = 0; i < 2; i++) {
		free(calls->tables[i].names);
		free(calls->tables[i].text);
	}
	free(calls);
}

const char *syscalls_name(const struct syscalls *calls, bool compat, int64_t number)
{
	const struct table *table = &calls->tables[compat];

	if (number < 0 || (uint64_t)number >= table->count)
		return NULL;
	return table->names[number];
}

int syscalls_number(const struct syscalls *calls, bool compat, const char *name)
{
	const struct table *table = &calls->tables[compat];
	size_t i;

	for (i = 0; i < table->count; i++) {
		if (table->names[i] && strcmp(table->names[i], name) == 0)
			return (int)i;
	}
	return -1;
}
