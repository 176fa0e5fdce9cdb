// SPDX-License-Identifier: BSD-2-Clause
#include "base/options.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/buffer.h"

#define DEFAULT_WIDTH 80u
#define TEXT_COLUMN_MAX 28u /* longer options have their text on the next line */
#define NAME_COLUMN 6u /* where long names begin: behind "  -x, " */

/*
 * One line of the text, @len bytes, that begins in column @column. Two blanks or more between
 * words stand as they are, and continuations begin in the column behind the last such gap.
 */
static void wrap_line(struct buffer *out, const char *line, size_t len, size_t column, size_t width)
{
	size_t hang = column, at = 0, gap, word;

	while (at < len) {
		for (gap = 0; at < len && line[at] == ' '; at++)
			gap++;
		for (word = 0; at + word < len && line[at + word] != ' ';)
			word++;
		if (gap > 1 || at == gap)
			hang = column + gap;
		if (gap == 1 && column + gap + word > width && column > hang) {
			buffer_char(out, '\n');
			column = 0;
			gap = hang;
		}
		buffer_pad(out, ' ', gap);
		buffer_append(out, line + at, word);
		column += gap + word;
		at += word;
	}
}

/* Wraps each line of @text; all but the first are indented here. */
static void wrap_text(struct buffer *out, const char *text, size_t indent, size_t width)
{
	for (;;) {
		size_t len = strcspn(text, "\n");

		wrap_line(out, text, len, indent, width);
		if (!text[len])
			return;
		text += len + 1;
		buffer_char(out, '\n');
		if (*text && *text != '\n')
			buffer_pad(out, ' ', indent);
	}
}

/* Paragraphs, filled: a line continues with the next, unless that is empty or begins with a blank. */
static void fill_text(struct buffer *out, const char *text, size_t width)
{
	struct buffer joined;
	const char *p;

	buffer_init(&joined);
	for (p = text; *p; p++) {
		bool inside = p > text && p[-1] != '\n' && p[1] && !strchr(" \n", p[1]);

		buffer_char(&joined, *p == '\n' && inside ? ' ' : *p);
	}
	buffer_char(&joined, '\0');
	if (!buffer_error(&joined))
		wrap_text(out, joined.data, 0, width);
	buffer_fini(&joined);
}

/* "  -e, --event PATTERN", and how many columns that takes. */
static size_t put_option(struct buffer *out, const struct option_spec *opt)
{
	size_t from = out->len;

	if (opt->id < 256)
		buffer_format(out, "  -%c, --%s", opt->id, opt->name);
	else
		buffer_format(out, "%*s--%s", (int)NAME_COLUMN, "", opt->name);
	if (opt->arg && opt->arg[0] == '[')
		buffer_format(out, "[=%s", opt->arg + 1);
	else if (opt->arg)
		buffer_format(out, " %s", opt->arg);
	return out->len - from;
}

/* Behind the option's text: "text: one (what it is), another (...)". */
static void put_choices(struct buffer *text, const struct verb_spec *spec,
			const struct option_spec *opt)
{
	struct option_choice choice;

	if (!opt->choices || strcmp(opt->choices, OPTION_TABLE) != 0)
		return;
	for (size_t i = 0; spec->choice(opt->id, i, &choice); i++)
		buffer_format(text, "%s %s (%s)", i ? "," : ":", choice.name, choice.text);
}

static void put_text(struct buffer *out, const struct verb_spec *spec,
		     const struct option_spec *opt, size_t column, size_t width)
{
	struct buffer text;

	buffer_init(&text);
	buffer_string(&text, opt->text);
	put_choices(&text, spec, opt);
	buffer_char(&text, '\0');
	if (!buffer_error(&text))
		wrap_text(out, text.data, column, width);
	buffer_fini(&text);
}

static void put_line(struct buffer *out, const struct verb_spec *spec,
		     const struct option_spec *opt, size_t column, size_t width)
{
	size_t used = put_option(out, opt);

	if (used + 2 > column) {
		buffer_char(out, '\n');
		used = 0;
	}
	buffer_pad(out, ' ', column - used);
	put_text(out, spec, opt, column, width);
	buffer_char(out, '\n');
}

/* The option whose name begins the list @names, of words; the list moves on. NULL: it is at its end. */
static const struct option_spec *take_common(const struct verb_spec *spec, const char **names)
{
	const struct option_spec *opt;
	size_t len = strcspn(*names, " ");

	for (size_t i = 0; len && (opt = options_at(spec, i)); i++) {
		if (strlen(opt->name) == len && !strncmp(opt->name, *names, len)) {
			*names += len + strspn(*names + len, " ");
			return opt;
		}
	}
	return NULL;
}

/* The options that the help shows, one by one. */
struct shown {
	const struct verb_spec *spec;
	const char *common; /* the names that are left; NULL: all options */
	size_t next;
};

static struct shown shown_begin(const struct verb_spec *spec, bool all)
{
	return (struct shown){.spec = spec, .common = all ? NULL : spec->common};
}

static const struct option_spec *shown_next(struct shown *shown)
{
	if (shown->common)
		return take_common(shown->spec, &shown->common);
	return options_at(shown->spec, shown->next++);
}

/* Where the texts begin: two blanks behind the longest option that is not too long. */
static size_t text_column(const struct verb_spec *spec, bool all)
{
	struct shown shown = shown_begin(spec, all);
	const struct option_spec *opt;
	size_t column = 0, used;
	struct buffer scratch;

	buffer_init(&scratch);
	while ((opt = shown_next(&shown))) {
		buffer_reset(&scratch);
		used = put_option(&scratch, opt) + 2;
		if (used > column && used <= TEXT_COLUMN_MAX)
			column = used;
	}
	buffer_fini(&scratch);
	return column > 14 ? column : 14; /* "  -h, --help" */
}

static void put_options(struct buffer *out, const struct verb_spec *spec, bool all, size_t width)
{
	struct option_spec help = {'h', "help", NULL, "print this help", NULL};
	const struct option_spec help_all = {256, "help-all", NULL,
					     "print all options, and the exit statuses", NULL};
	size_t column = text_column(spec, all);
	struct shown shown = shown_begin(spec, all);
	const struct option_spec *opt;

	buffer_string(out, all || !spec->common ? "\nOptions:\n" : "\nCommon options:\n");
	while ((opt = shown_next(&shown))) {
		put_line(out, spec, opt, column, width);
		if (opt->id == 'h')
			help.id = 256;
	}
	put_line(out, spec, &help, column, width);
	if (spec->common)
		put_line(out, spec, &help_all, column, width);
}

void options_help(const struct verb_spec *spec, bool all, unsigned int columns, struct buffer *out)
{
	size_t width = columns ?: DEFAULT_WIDTH;

	buffer_format(out, "Usage: %s%s%s%s\n\n", options_prefix(spec), spec->name,
		      spec->synopsis ? " " : "", spec->synopsis ?: "");
	wrap_text(out, spec->summary, 0, width);
	buffer_char(out, '\n');
	if (spec->operands) {
		buffer_char(out, '\n');
		wrap_text(out, spec->operands, 0, width);
		buffer_char(out, '\n');
	}
	put_options(out, spec, all, width);
	if (spec->notes && (all || !spec->common)) {
		buffer_char(out, '\n');
		fill_text(out, spec->notes, width);
		buffer_char(out, '\n');
	}
	if (spec->examples) {
		/* As they are: a command that is cut in two cannot be copied. */
		buffer_string(out, "\nExamples:\n  ");
		wrap_text(out, spec->examples, 2, SIZE_MAX);
		buffer_char(out, '\n');
	}
}
