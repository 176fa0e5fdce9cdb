/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * options: one table per verb, from which parsing (getopt_long), help (help.c) and shell
 * completion (completion.c) come. One parse ends before the next begins.
 */
#ifndef SONDE_BASE_OPTIONS_H
#define SONDE_BASE_OPTIONS_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

struct buffer;
struct diag;

/* One option. A table ends with an entry whose `name` is NULL. */
struct option_spec {
	int id; /* what options_next returns: the letter, or 256 and up without one */
	const char *name; /* long name, without dashes */
	const char *arg; /* "DIR": takes an argument; "[ADDR]": optional; NULL: a flag */
	const char *text; /* help; may have several lines */
	const char *choices; /* "text json csv": for completion; "@measurements", "@presets",
			      * "@file", "@dir": what completes the argument; OPTION_TABLE:
			      * verb_spec.choice has them; NULL = nothing */
};

#define OPTION_TABLE "@table"

/* One of an option's choices, if these come from another module's table. */
struct option_choice {
	const char *name;
	const char *text;
};

/* A spelling of the last release: understood for one more, with a note (options_note); not in help and completion. */
struct option_old {
	const char *was; /* "-j" or "--rows" */
	const char *name; /* of the option that it means, without dashes; NULL ends the table */
};

/* What one verb takes. */
struct verb_spec {
	const char *name; /* "record" */
	bool classic; /* a tool of its own name, as "pmgraph": not called "sonde record" */
	const char *synopsis; /* "[OPTIONS] [-- COMMAND...]" */
	const char *summary; /* one line */
	const char *common; /* long names, with blanks between them: what the short help has, in that
			     * order; NULL: all, it has no other help */
	const char *operands; /* what may be chosen by operands: lines under a heading; or NULL */
	const char *notes; /* paragraphs behind the options: exit status and the like; or NULL.
			    * They are filled; a line that begins with a blank stays a line. */
	const char *examples; /* lines for the end of the help, or NULL */
	const struct option_spec *options;
	const struct option_old *old; /* or NULL */
	const struct option_spec *shared; /* behind them, those that other verbs have too; or NULL */
	const char *operand; /* completes operands, like option_spec.choices; NULL = nothing */
	/* Of options whose `choices` are OPTION_TABLE: the @i-th of option @id, which the help
	 * lists behind the text; false behind the last. NULL if no option has such choices. */
	bool (*choice)(int id, size_t i, struct option_choice *ret);
};

/* Its @i-th option, of both tables, or NULL behind the last. */
const struct option_spec *options_at(const struct verb_spec *spec, size_t i);

struct options; /* the state of one parse */

#define OPTIONS_HELP_ALL (-EXFULL)

/* Borrows everything. NULL: no memory. Every verb also gets -h, --help, and --help-all where it has common
 * options. */
struct options *options_new(const struct verb_spec *spec, int argc, char **argv);
void options_free(struct options *opts);

/*
 * 1 = got one: *@id is its id and *@arg its argument (borrowed from argv; NULL = none given);
 * 0 = the end of the options, options_rest has the operands;
 * -EINVAL = not understood, the diag says what and names the nearest option;
 * -ECANCELED = help was asked for; OPTIONS_HELP_ALL = help with all options.
 * Operands may stand between options; "--" ends the options.
 */
int options_next(struct options *opts, int *id, const char **arg, struct diag *diag);
/* Where the option that came last was written in an old spelling: a sentence that says so; else NULL. Borrowed until
 * the next one. */
const char *options_note(const struct options *opts);
/* Back to the first option, for another pass. */
void options_rewind(struct options *opts);
/* The operands, in order: argv-like, NULL at the end; *@count of them. */
char **options_rest(struct options *opts, int *count);
/* The only operand, a @what ("FILE"); -EINVAL if none or several are given. */
int options_operand(struct options *opts, const char *what, const char **ret, struct diag *diag);

/* What people call it: "sonde record", but "pmgraph". For "%s%s" with its name. */
static inline const char *options_prefix(const struct verb_spec *spec)
{
	return spec->classic ? "" : "sonde ";
}

/* "Usage: sonde record ...", the options aligned, examples; with @all every option, and the notes. @width: columns,
 * 0 = 80. */
void options_help(const struct verb_spec *spec, bool all, unsigned int width, struct buffer *out);
/* Shell completion for all verbs: @shell is "bash", "zsh" or "fish". -EINVAL: another. */
int options_completion(const struct verb_spec *const *verbs, size_t count, const char *shell,
		       struct buffer *out);

#endif /* SONDE_BASE_OPTIONS_H */
