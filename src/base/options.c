// SPDX-License-Identifier: BSD-2-Clause
#include "base/options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/nearest.h"

/* getopt_long keeps its state in globals, so one parse ends before the next begins. */
struct options {
	const struct verb_spec *spec;
	int argc;
	char **argv;
	struct option *longs; /* getopt's form of the table, --help added */
	char *shorts;
	int help_id;
	char note[128]; /* empty: none */
};

/* Behind every id of a table: --help where the verb has its own -h. */
#define HELP_ID 0x10000
#define HELP_ALL_ID 0x10001
#define OLD_ID 0x20000 /* and up: long names of old spellings, by their place in the table */

const struct option_spec *options_at(const struct verb_spec *spec, size_t i)
{
	const struct option_spec *const tables[] = {spec->options, spec->shared};
	const struct option_spec *opt;

	for (size_t t = 0; t < 2; t++) {
		for (opt = tables[t]; opt && opt->name; opt++) {
			if (!i--)
				return opt;
		}
	}
	return NULL;
}

static size_t count_specs(const struct verb_spec *spec)
{
	size_t count = 0;

	while (options_at(spec, count))
		count++;
	return count;
}

static int arg_kind(const struct option_spec *opt)
{
	if (!opt->arg)
		return no_argument;
	return opt->arg[0] == '[' ? optional_argument : required_argument;
}

static char *put_short(char *p, int id, int kind)
{
	if (id >= 256)
		return p;
	*p++ = (char)id;
	if (kind != no_argument)
		*p++ = ':';
	if (kind == optional_argument)
		*p++ = ':';
	return p;
}

static size_t count_old(const struct verb_spec *spec)
{
	size_t count = 0;

	while (spec->old && spec->old[count].name)
		count++;
	return count;
}

/* The option called @name, which a table of old spellings means. */
static const struct option_spec *find_spec(const struct verb_spec *spec, const char *name)
{
	const struct option_spec *opt;

	for (size_t i = 0; (opt = options_at(spec, i)); i++) {
		if (!strcmp(opt->name, name))
			return opt;
	}
	return NULL;
}

/* Old long names go behind the @count of today. */
static char *fill_old(struct options *opts, size_t count, char *p)
{
	for (size_t i = 0; i < count_old(opts->spec); i++) {
		const struct option_old *old = &opts->spec->old[i];
		int kind = arg_kind(find_spec(opts->spec, old->name));

		if (old->was[1] != '-')
			p = put_short(p, old->was[1], kind);
		else
			opts->longs[count++] =
				(struct option){old->was + 2, kind, NULL, OLD_ID + (int)i};
	}
	return p;
}

static void fill_tables(struct options *opts, size_t count)
{
	char *p = opts->shorts;
	size_t i;

	*p++ = ':'; /* getopt distinguishes a missing argument from an unknown option */
	opts->help_id = 'h';
	for (i = 0; i < count; i++) {
		const struct option_spec *opt = options_at(opts->spec, i);
		int kind = arg_kind(opt);

		opts->longs[i] = (struct option){opt->name, kind, NULL, opt->id};
		p = put_short(p, opt->id, kind);
		if (opt->id == 'h')
			opts->help_id = HELP_ID;
	}
	opts->longs[count++] = (struct option){"help", no_argument, NULL, opts->help_id};
	p = put_short(p, opts->help_id, no_argument);
	if (opts->spec->common)
		opts->longs[count++] = (struct option){"help-all", no_argument, NULL, HELP_ALL_ID};
	p = fill_old(opts, count, p);
	*p = '\0';
}

struct options *options_new(const struct verb_spec *spec, int argc, char **argv)
{
	struct options *opts = calloc(1, sizeof(*opts));
	size_t count = count_specs(spec);

	if (!opts)
		return NULL;
	opts->spec = spec;
	opts->argc = argc;
	opts->argv = argv;
	opts->longs = calloc(count + count_old(spec) + 3, sizeof(*opts->longs));
	opts->shorts = malloc(3 * (count + count_old(spec) + 1) + 2);
	if (!opts->longs || !opts->shorts) {
		options_free(opts);
		return NULL;
	}
	fill_tables(opts, count);
	opterr = 0;
	options_rewind(opts);
	return opts;
}

void options_rewind(struct options *opts)
{
	(void)opts;
	optind = 0; /* glibc: start again */
}

void options_free(struct options *opts)
{
	if (!opts)
		return;
	free(opts->longs);
	free(opts->shorts);
	free(opts);
}

/* What getopt returned: the id of an option, or that of what an old spelling means. */
static int resolve_old(struct options *opts, int got)
{
	opts->note[0] = '\0';
	for (size_t i = 0; i < count_old(opts->spec); i++) {
		const struct option_old *old = &opts->spec->old[i];

		if (got != OLD_ID + (int)i && (old->was[1] == '-' || got != old->was[1]))
			continue;
		snprintf(opts->note, sizeof(opts->note),
			 "%s is an old spelling of --%s; the next release will not accept it",
			 old->was, old->name);
		return find_spec(opts->spec, old->name)->id;
	}
	return got;
}

static const struct option *find_long(const struct options *opts, int id)
{
	const struct option *opt;

	for (opt = opts->longs; opt->name; opt++) {
		if (opt->val == id)
			return opt;
	}
	return NULL;
}

static const char *arg_name(const struct options *opts, int id)
{
	const struct option_spec *opt;

	for (size_t i = 0; (opt = options_at(opts->spec, i)); i++) {
		if (opt->id == id)
			return opt->arg;
	}
	return NULL;
}

/* "--word" or "--word=value" is not an option, or the beginning of more than one. */
static int fail_long(const struct options *opts, const char *word, struct diag *diag)
{
	size_t len = strcspn(word, "=");
	const char *first = NULL, *second = NULL;
	char name[64];
	struct nearest near;
	const struct option *opt;

	if (len >= sizeof(name))
		return diag_set(diag, -EINVAL, "unknown option '--%.40s...'", word);
	memcpy(name, word, len);
	name[len] = '\0';
	nearest_init(&near, name);
	for (opt = opts->longs; opt->name; opt++) {
		if (opt->val >= OLD_ID)
			continue;
		nearest_offer(&near, opt->name);
		if (strncmp(opt->name, name, len) != 0)
			continue;
		if (!first)
			first = opt->name;
		else
			second = second ?: opt->name;
	}
	if (second)
		return diag_set(diag, -EINVAL, "option '--%s' may mean '--%s' or '--%s'", name,
				first, second);
	if (near.name)
		return diag_set(diag, -EINVAL, "unknown option '--%s': did you mean '--%s'?", name,
				near.name);
	return diag_set(diag, -EINVAL, "unknown option '--%s'", name);
}

static int fail_unknown(struct options *opts, struct diag *diag)
{
	const struct option *opt;

	if (!optopt)
		return fail_long(opts, opts->argv[optind - 1] + 2, diag);
	opt = find_long(opts, resolve_old(opts, optopt));
	if (opt)
		return diag_set(diag, -EINVAL, "option '--%s' takes no argument", opt->name);
	return diag_set(diag, -EINVAL, "unknown option '-%c'", optopt);
}

const char *options_note(const struct options *opts)
{
	return *opts->note ? opts->note : NULL;
}

int options_next(struct options *opts, int *id, const char **arg, struct diag *diag)
{
	const struct option *opt;
	int got;

	got = getopt_long(opts->argc, opts->argv, opts->shorts, opts->longs, NULL);
	if (got == -1)
		return 0;
	if (got == '?')
		return fail_unknown(opts, diag);
	if (got == ':') {
		opt = find_long(opts, resolve_old(opts, optopt));
		return diag_set(diag, -EINVAL, "option '--%s' needs an argument: %s", opt->name,
				arg_name(opts, opt->val));
	}
	if (got == opts->help_id)
		return diag_set(diag, -ECANCELED, "help was asked for");
	if (got == HELP_ALL_ID)
		return diag_set(diag, OPTIONS_HELP_ALL, "all of the help was asked for");
	*id = resolve_old(opts, got);
	*arg = optarg;
	return 1;
}

char **options_rest(struct options *opts, int *count)
{
	*count = opts->argc - optind;
	return opts->argv + optind;
}

int options_operand(struct options *opts, const char *what, const char **ret, struct diag *diag)
{
	int count;
	char **rest = options_rest(opts, &count);

	if (count != 1)
		return diag_set(diag, -EINVAL, count ? "one %s at a time" : "no %s given", what);
	*ret = rest[0];
	return 0;
}
