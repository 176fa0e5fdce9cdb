// SPDX-License-Identifier: BSD-2-Clause
#include "cli/lttng_relayd_config.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

#include "base/diag.h"
#include "base/io.h"
#include "base/options.h"

#define FILE_MOST (64u << 10)
#define SECTION "[relayd]"

/* Cuts blanks at both ends. */
static char *trim(char *text)
{
	size_t len;

	text += strspn(text, " \t\r");
	for (len = strlen(text); len && strchr(" \t\r", text[len - 1]); len--)
		text[len - 1] = 0;
	return text;
}

static const struct option_spec *find_option(const struct verb_spec *spec, const char *name)
{
	const struct option_spec *option;

	for (size_t i = 0; (option = options_at(spec, i)); i++) {
		if (!strcmp(option->name, name))
			return option;
	}
	return NULL;
}

/* Whether a switch is on: 1, 0, or -EINVAL. */
static int is_on(const char *value)
{
	static const char *const words[][3] = {{"false", "no", "off"}, {"true", "yes", "on"}};

	for (int on = 0; on < 2; on++) {
		for (int i = 0; i < 3; i++) {
			if (!strcasecmp(value, words[on][i]))
				return on;
		}
	}
	return -EINVAL;
}

static int take_line(char *line, const struct verb_spec *spec, lttng_relayd_set set, void *ctx,
		     struct diag *diag)
{
	char *value = strchr(line, '='), *key;
	const struct option_spec *option;
	int on;

	if (!value)
		return diag_set(diag, -EINVAL, "'%s': not KEY = VALUE", line);
	*value = 0;
	key = trim(line);
	value = trim(value + 1);
	option = find_option(spec, key);
	if (!option)
		return diag_set(diag, -EINVAL, "'%s': unknown key", key);
	if (option->arg)
		return set(ctx, option->id, value, diag);
	on = is_on(value);
	if (on < 0)
		return diag_set(diag, -EINVAL, "'%s': '%s' is not yes or no", key, value);
	return on ? set(ctx, option->id, NULL, diag) : 0;
}

int lttng_relayd_config_read(const char *path, bool needed, const struct verb_spec *spec,
			     lttng_relayd_set set, void *ctx, char **ret, struct diag *diag)
{
	bool is_ours = false;
	size_t len;
	char *line, *next;
	int err = file_load(AT_FDCWD, path, FILE_MOST, ret, &len), number = 0;

	if (err == -ENOENT && !needed)
		return 0;
	if (err)
		return diag_set(diag, err, "%s: %s", path, strerror(-err));
	for (line = *ret; !err && line; line = next) {
		struct diag why = {0};

		number++;
		next = strchr(line, '\n');
		if (next)
			*next++ = 0;
		line = trim(line);
		if (*line == '[')
			is_ours = !strcmp(line, SECTION);
		else if (is_ours && *line && *line != ';' && *line != '#')
			err = take_line(line, spec, set, ctx, &why);
		if (err)
			(void)diag_set(diag, err, "%s: line %d: %s", path, number, why.text);
	}
	return err;
}
