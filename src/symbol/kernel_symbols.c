// SPDX-License-Identifier: BSD-2-Clause
#include "symbol/kernel_symbols.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "symbol/symbol_table.h"

#define KALLSYMS_MAX_BYTES (256u << 20)
#define MODULE_NAME_MAX 64u

/* One line of the file: "ffffffff81000000 T _text", with "\t[module]" behind a module's. */
struct line {
	uint64_t address;
	char type;
	const char *name;
	size_t name_len;
	const char *module;
	size_t module_len;
};

static bool parse_hex(const char **p, const char *end, uint64_t *ret)
{
	const char *start = *p;
	uint64_t value = 0;

	for (; *p < end; (*p)++) {
		char c = **p;
		unsigned int digit;

		if (c >= '0' && c <= '9')
			digit = (unsigned int)(c - '0');
		else if (c >= 'a' && c <= 'f')
			digit = (unsigned int)(c - 'a') + 10;
		else
			break;
		value = value << 4 | digit;
	}
	*ret = value;
	return *p > start && *p - start <= 16;
}

static bool parse_line(const char *p, const char *end, struct line *ret)
{
	*ret = (struct line){0};
	if (!parse_hex(&p, end, &ret->address) || end - p < 4 || p[0] != ' ' || p[2] != ' ')
		return false;
	ret->type = p[1];
	ret->name = p + 3;
	for (p = ret->name; p < end && *p != '\t' && *p != ' '; p++)
		;
	ret->name_len = (size_t)(p - ret->name);
	if (end - p > 3 && p[1] == '[' && end[-1] == ']') {
		ret->module = p + 2;
		ret->module_len = (size_t)(end - 1 - ret->module);
	}
	return ret->name_len;
}

static bool begins_with(const struct line *line, const char *prefix)
{
	size_t len = strlen(prefix);

	return line->name_len >= len && !memcmp(line->name, prefix, len);
}

/* Code, but not the room that the compiler leaves before each function for live patches. */
static bool is_function(const struct line *line)
{
	return line->type && strchr("tTwW", line->type) && !begins_with(line, "__pfx_") &&
	       !begins_with(line, "__cfi_");
}

static int add(struct symbol_table *table, const struct line *line)
{
	char name[MODULE_NAME_MAX + 1 + SYMBOL_NAME_MAX];
	int len;

	if (!line->module)
		return symbol_table_add(table, line->address, 0, line->name, line->name_len);
	if (line->module_len > MODULE_NAME_MAX || line->name_len > SYMBOL_NAME_MAX / 2)
		return 0; /* no kernel has such names */
	len = snprintf(name, sizeof(name), "%.*s:%.*s", (int)line->module_len, line->module,
		       (int)line->name_len, line->name);
	return symbol_table_add(table, line->address, 0, name, (size_t)len);
}

int kernel_symbols_parse(const char *text, size_t len, struct symbol_table *table)
{
	const char *end = text + len;
	bool any = false, hidden = false;
	int err = 0;

	while (!err && text < end) {
		const char *stop = memchr(text, '\n', (size_t)(end - text));
		struct line line;

		stop = stop ?: end;
		if (parse_line(text, stop, &line) && is_function(&line)) {
			if (line.address)
				err = add(table, &line);
			any |= line.address != 0;
			hidden |= !line.address;
		}
		text = stop + 1;
	}
	return err ?: hidden && !any ? -EPERM : 0;
}

int kernel_symbols_load(int fd, struct symbol_table *table)
{
	char *text = NULL;
	size_t len;
	int err = file_load_fd(fd, KALLSYMS_MAX_BYTES, &text, &len);

	err = err ?: kernel_symbols_parse(text, len, table);
	free(text);
	return err;
}
