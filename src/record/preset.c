// SPDX-License-Identifier: BSD-2-Clause
#include "record/preset.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/nearest.h"

#define BLANKS " \t"
#define KEY_LETTERS "abcdefghijklmnopqrstuvwxyz-"
#define DESCRIPTION "description"

/* One text while its lines are read. */
struct parse {
	struct preset *preset;
	const char *const *settings;
	unsigned int number;
	struct diag *diag;
};

/* Blanks at both ends go. */
static char *trim(char *text)
{
	size_t len;

	text += strspn(text, BLANKS);
	len = strlen(text);
	while (len && strchr(BLANKS, text[len - 1]))
		len--;
	text[len] = 0;
	return text;
}

/* A comment begins with a # that begins the line or follows a blank. */
static void cut_comment(char *line)
{
	for (char *c = line; *c; c++) {
		if (*c == '#' && (c == line || strchr(BLANKS, c[-1]))) {
			*c = 0;
			return;
		}
	}
}

static int refuse_controls(struct parse *p, const char *line)
{
	for (; *line; line++) {
		unsigned char c = (unsigned char)*line;

		if ((c < ' ' && c != '\t') || c == 0x7f)
			return diag_set(p->diag, -EINVAL, "a control character (0x%02x)", c);
	}
	return 0;
}

static int refuse_key(struct parse *p, const char *key)
{
	struct nearest near;

	nearest_init(&near, key);
	nearest_offer(&near, DESCRIPTION);
	for (size_t i = 0; p->settings[i]; i++)
		nearest_offer(&near, p->settings[i]);
	if (near.name)
		return diag_set(p->diag, -EINVAL, "unknown setting '%.40s': did you mean '%s'?",
				key, near.name);
	return diag_set(p->diag, -EINVAL, "unknown setting '%.40s': see sonde-presets(5)", key);
}

static bool is_setting(const struct parse *p, const char *key)
{
	for (size_t i = 0; p->settings[i]; i++) {
		if (!strcmp(p->settings[i], key))
			return true;
	}
	return false;
}

static int add_line(struct parse *p, const char *key, const char *text)
{
	struct preset *preset = p->preset;

	if (preset->line_count == PRESET_LINES_MAX)
		return diag_set(p->diag, -E2BIG, "more than %d patterns and settings",
				PRESET_LINES_MAX);
	preset->lines[preset->line_count++] =
		(struct preset_line){.key = key, .text = text, .number = p->number};
	return 0;
}

static int take_setting(struct parse *p, char *line, char *equals)
{
	char *key, *value = trim(equals + 1);

	*equals = 0;
	key = trim(line);
	if (!*key || key[strspn(key, KEY_LETTERS)])
		return diag_set(p->diag, -EINVAL, "'%.40s' is not the name of a setting", key);
	if (strcmp(key, DESCRIPTION) && !is_setting(p, key))
		return refuse_key(p, key);
	if (!*value)
		return diag_set(p->diag, -EINVAL, "%s has no value", key);
	for (size_t i = 0; i < p->preset->line_count; i++) {
		const struct preset_line *other = &p->preset->lines[i];

		if (other->key && !strcmp(other->key, key))
			return diag_set(p->diag, -EINVAL, "%s was set in line %u already", key,
					other->number);
	}
	if (strcmp(key, DESCRIPTION))
		return add_line(p, key, value);
	if (*p->preset->description)
		return diag_set(p->diag, -EINVAL, "a second " DESCRIPTION);
	p->preset->description = value;
	return 0;
}

static int take_line(struct parse *p, char *line)
{
	int err = refuse_controls(p, line);
	char *equals;

	if (err)
		return err;
	cut_comment(line);
	line = trim(line);
	if (!*line)
		return 0;
	equals = strchr(line, '=');
	if (equals)
		return take_setting(p, line, equals);
	if (strpbrk(line, BLANKS ","))
		return diag_set(p->diag, -EINVAL, "'%.40s': one pattern a line, without blanks",
				line);
	return add_line(p, NULL, line);
}

static bool has_pattern(const struct preset *preset)
{
	for (size_t i = 0; i < preset->line_count; i++) {
		if (!preset->lines[i].key)
			return true;
	}
	return false;
}

static int parse_lines(struct parse *p, size_t len)
{
	char *at = p->preset->text, *end = at + len;

	while (at < end) {
		char *newline = memchr(at, '\n', (size_t)(end - at));
		char *line_end = newline ? newline : end;
		int err;

		p->number++;
		*line_end = 0;
		err = strlen(at) != (size_t)(line_end - at) ?
			      diag_set(p->diag, -EINVAL, "a control character (0x00)") :
			      take_line(p, at);
		if (err)
			return diag_prefix(p->diag, err, "%s:%u", p->preset->origin, p->number);
		at = line_end + 1;
	}
	if (!has_pattern(p->preset))
		return diag_set(p->diag, -EINVAL, "%s: it names no measurement", p->preset->origin);
	return 0;
}

static struct preset *preset_new(const char *name, const char *origin, const char *text, size_t len)
{
	struct preset *preset = calloc(1, sizeof(*preset));

	if (!preset)
		return NULL;
	snprintf(preset->name, sizeof(preset->name), "%s", name);
	preset->description = preset->place = "";
	preset->origin = strdup(origin);
	preset->text = malloc(len + 1);
	if (!preset->origin || !preset->text) {
		preset_free(preset);
		return NULL;
	}
	memcpy(preset->text, text, len);
	return preset;
}

int preset_parse(const char *name, const char *origin, const char *text, size_t len,
		 const char *const *settings, struct preset **ret, struct diag *diag)
{
	struct parse p = {.settings = settings, .diag = diag};
	int err;

	if (len > PRESET_BYTES_MAX)
		return diag_set(diag, -E2BIG, "%s: more than %d bytes", origin, PRESET_BYTES_MAX);
	p.preset = preset_new(name, origin, text, len);
	if (!p.preset)
		return diag_set(diag, -ENOMEM, "no memory");
	err = parse_lines(&p, len);
	if (err) {
		preset_free(p.preset);
		return err;
	}
	*ret = p.preset;
	return 0;
}

void preset_free(struct preset *preset)
{
	if (!preset)
		return;
	free(preset->origin);
	free(preset->text);
	free(preset);
}

int preset_blame(const struct preset *preset, const struct preset_line *line, int err,
		 struct diag *diag)
{
	return diag_prefix(diag, err, "%s:%u", preset->origin, line->number);
}
