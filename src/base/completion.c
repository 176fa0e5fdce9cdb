// SPDX-License-Identifier: BSD-2-Clause
#include "base/options.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/buffer.h"

/* Lists the names of measurements; quiet where that fails. The kernel's own tracepoints, which are
 * many, only once the user has begun to type one. */
#define LIST_NAMES "sonde list --names 2>/dev/null"
#define LIST_PRESETS "sonde list --presets --names 2>/dev/null"
#define TRACEPOINTS "kernel:"
#define LIST_TRACEPOINTS "sonde list --names '" TRACEPOINTS "*' 2>/dev/null"

/* Readline takes what is behind a colon for the word to complete, so what is in front of it must not
 * be in the answer. */
static const char bash_measurements[] =
	"_sonde_measurements()\n{\n"
	"\tlocal names\n"
	"\tif [[ $1 == " TRACEPOINTS "* ]]; then\n"
	"\t\tnames=$(" LIST_TRACEPOINTS ")\n"
	"\telse\n"
	"\t\tnames=\"$(" LIST_NAMES ") " TRACEPOINTS "\"\n"
	"\tfi\n"
	"\tmapfile -t COMPREPLY < <(compgen -W \"$names\" -- \"$1\")\n"
	"\t[[ $COMP_WORDBREAKS == *:* ]] && COMPREPLY=(\"${COMPREPLY[@]#\"${1%\"${1##*:}\"}\"}\")\n"
	"\t[[ ${COMPREPLY[0]} == *: ]] && compopt -o nospace\n"
	"}\n\n";

/* What stands before the cursor, where a colon is in it: the shell has split it. */
static const char bash_colons[] = "\tlocal line=${COMP_LINE:0:COMP_POINT}\n"
				  "\tlocal word=${line##*[[:space:]]}\n"
				  "\tif [[ $word == *:* ]]; then\n"
				  "\t\tline=${line%\"$word\"}\n"
				  "\t\tline=${line%\"${line##*[![:space:]]}\"}\n"
				  "\t\tprev=${line##*[[:space:]]}\n"
				  "\t\t[[ $word == --*=* ]] && prev=${word%%=*} word=${word#*=}\n"
				  "\t\tcur=${word#[\\'\\\"]}\n"
				  "\tfi\n";

static bool is_choice(const char *choices, const char *what)
{
	return choices && strcmp(choices, what) == 0;
}

/* @text up to its first newline, with a backslash before each of the letters in @special. A
 * quote ends, escapes and begins again: the text stands in single quotes. */
static void put_text(struct buffer *out, const char *text, const char *special)
{
	for (; *text && *text != '\n'; text++) {
		if (*text == '\'')
			buffer_string(out, "'\\''");
		else if (strchr(special, *text))
			buffer_format(out, "\\%c", *text);
		else
			buffer_char(out, *text);
	}
}

/* What completes the argument of @opt: its choices, those of a table in one string in @scratch. */
static const char *choices_of(const struct verb_spec *spec, const struct option_spec *opt,
			      struct buffer *scratch)
{
	struct option_choice choice;

	if (!is_choice(opt->choices, OPTION_TABLE))
		return opt->choices;
	buffer_reset(scratch);
	for (size_t i = 0; spec->choice(opt->id, i, &choice); i++)
		buffer_format(scratch, "%s%s", i ? " " : "", choice.name);
	buffer_char(scratch, '\0');
	return buffer_error(scratch) ? NULL : scratch->data;
}

/* What fills COMPREPLY in bash. */
static void bash_reply(struct buffer *out, const char *choices)
{
	if (is_choice(choices, "@file"))
		buffer_string(out, "compopt -o filenames; "
				   "mapfile -t COMPREPLY < <(compgen -f -- \"$cur\")");
	else if (is_choice(choices, "@dir"))
		buffer_string(out, "compopt -o filenames; "
				   "mapfile -t COMPREPLY < <(compgen -d -- \"$cur\")");
	else if (is_choice(choices, "@measurements"))
		buffer_string(out, "_sonde_measurements \"$cur\"");
	else if (is_choice(choices, "@presets"))
		buffer_string(out, "mapfile -t COMPREPLY < <(compgen -W \"$(" LIST_PRESETS
				   ")\" -- \"$cur\")");
	else if (choices)
		buffer_format(out, "mapfile -t COMPREPLY < <(compgen -W '%s' -- \"$cur\")",
			      choices);
	else
		buffer_string(out, ":");
}

static void bash_options(struct buffer *out, const struct verb_spec *spec)
{
	const struct option_spec *opt;

	buffer_string(out, "\t\t[[ $cur == -* ]] && mapfile -t COMPREPLY < <(compgen -W '");
	for (size_t i = 0; (opt = options_at(spec, i)); i++)
		buffer_format(out, "--%s ", opt->name);
	buffer_format(out, "--help%s' -- \"$cur\") && return\n\t\t",
		      spec->common ? " --help-all" : "");
}

static void bash_verb(struct buffer *out, const struct verb_spec *spec)
{
	const struct option_spec *opt;
	struct buffer scratch;

	buffer_init(&scratch);
	buffer_format(out, "\t%s)\n\t\tcase $prev in\n", spec->name);
	for (size_t i = 0; (opt = options_at(spec, i)); i++) {
		if (!opt->arg || opt->arg[0] == '[')
			continue;
		buffer_format(out, "\t\t--%s", opt->name);
		if (opt->id < 256)
			buffer_format(out, "|-%c", opt->id);
		buffer_string(out, ") ");
		bash_reply(out, choices_of(spec, opt, &scratch));
		buffer_string(out, "; return ;;\n");
	}
	buffer_string(out, "\t\tesac\n");
	bash_options(out, spec);
	bash_reply(out, spec->operand);
	buffer_string(out, "\n\t\t;;\n");
	buffer_fini(&scratch);
}

static void bash_script(struct buffer *out, const struct verb_spec *const *verbs, size_t count)
{
	size_t i;

	buffer_string(out, "# bash completion for sonde, made by `sonde completion bash`\n");
	buffer_string(out, bash_measurements);
	buffer_string(out,
		      "_sonde()\n{\n"
		      "\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
		      "\tCOMPREPLY=()\n"
		      "\t# --option=value comes as three words\n"
		      "\tif [[ $cur == = ]]; then\n\t\tcur=\n"
		      "\telif [[ $prev == = ]]; then\n"
		      "\t\tprev=${COMP_WORDS[COMP_CWORD-2]}\n\tfi\n");
	buffer_string(out, bash_colons);
	buffer_string(out, "\tif ((COMP_CWORD == 1)); then\n"
			   "\t\tmapfile -t COMPREPLY < <(compgen -W '");
	for (i = 0; i < count; i++)
		buffer_format(out, "%s ", verbs[i]->name);
	buffer_string(out, "--help --version' -- \"$cur\")\n\t\treturn\n\tfi\n"
			   "\tcase ${COMP_WORDS[1]} in\n");
	for (i = 0; i < count; i++)
		bash_verb(out, verbs[i]);
	buffer_string(out, "\tesac\n}\ncomplete -F _sonde sonde\n");
}

/* What completes an argument, behind the last colon of a specification of _arguments. */
static void zsh_action(struct buffer *out, const char *choices)
{
	if (is_choice(choices, "@file"))
		buffer_string(out, "_files");
	else if (is_choice(choices, "@dir"))
		buffer_string(out, "_files -/");
	else if (is_choice(choices, "@measurements"))
		buffer_string(out, "_sonde_measurements");
	else if (is_choice(choices, "@presets"))
		buffer_string(out, "_sonde_presets");
	else if (choices)
		buffer_format(out, "(%s)", choices);
	else
		buffer_char(out, ' ');
}

static void zsh_option(struct buffer *out, const struct option_spec *opt, const char *choices)
{
	buffer_string(out, " \\\n\t\t\t'*'");
	if (opt->id < 256)
		buffer_format(out, "{-%c%s,", opt->id, opt->arg ? "+" : "");
	buffer_format(out, "--%s%s", opt->name, !opt->arg ? "" : opt->arg[0] == '[' ? "=-" : "=");
	buffer_string(out, opt->id < 256 ? "}'[" : "'[");
	put_text(out, opt->text, "[]:\\");
	buffer_char(out, ']');
	if (opt->arg) {
		buffer_string(out, opt->arg[0] == '[' ? "::" : ":");
		put_text(out, opt->name, "");
		buffer_char(out, ':');
		zsh_action(out, choices);
	}
	buffer_char(out, '\'');
}

static void zsh_script(struct buffer *out, const struct verb_spec *const *verbs, size_t count)
{
	const struct option_spec *opt;
	struct buffer scratch;
	size_t i;

	buffer_init(&scratch);
	buffer_string(out, "#compdef sonde\n"
			   "# zsh completion for sonde, made by `sonde completion zsh`\n"
			   "_sonde_measurements()\n{\n"
			   "\tlocal -a names=(${(f)\"$(" LIST_NAMES ")\"} " TRACEPOINTS ")\n"
			   "\t[[ $PREFIX == " TRACEPOINTS "* ]] && "
			   "names=(${(f)\"$(" LIST_TRACEPOINTS ")\"})\n"
			   "\tcompadd -- $names\n}\n\n"
			   "_sonde_presets()\n{\n"
			   "\tcompadd -- ${(f)\"$(" LIST_PRESETS ")\"}\n}\n\n"
			   "_sonde()\n{\n\tlocal -a verbs=(\n");
	for (i = 0; i < count; i++) {
		buffer_format(out, "\t\t'%s:", verbs[i]->name);
		put_text(out, verbs[i]->summary, ":\\");
		buffer_string(out, "'\n");
	}
	buffer_string(out, "\t)\n\tif ((CURRENT == 2)); then\n"
			   "\t\t_describe verb verbs\n\t\treturn\n\tfi\n"
			   "\tshift words\n\t((CURRENT--))\n\tcase $words[1] in\n");
	for (i = 0; i < count; i++) {
		buffer_format(out, "\t%s)\n\t\t_arguments -s -S", verbs[i]->name);
		for (size_t o = 0; (opt = options_at(verbs[i], o)); o++)
			zsh_option(out, opt, choices_of(verbs[i], opt, &scratch));
		buffer_string(out, " \\\n\t\t\t'(- *)--help[print help]'");
		if (verbs[i]->common)
			buffer_string(out, " \\\n\t\t\t'(- *)--help-all[print all options]'");
		buffer_string(out, " \\\n\t\t\t'*: :");
		zsh_action(out, verbs[i]->operand);
		buffer_string(out, "'\n\t\t;;\n");
	}
	buffer_string(out, "\tesac\n}\n\n_sonde \"$@\"\n");
	buffer_fini(&scratch);
}

static void fish_action(struct buffer *out, const char *choices)
{
	if (is_choice(choices, "@file"))
		buffer_string(out, " -r -F");
	else if (is_choice(choices, "@dir"))
		buffer_string(out, " -x -a '(__fish_complete_directories)'");
	else if (is_choice(choices, "@measurements"))
		buffer_string(out, " -x -a '(" LIST_NAMES "; string match -q \"" TRACEPOINTS
				   "*\" -- (commandline -ct); and sonde list --names \"" TRACEPOINTS
				   "*\" 2>/dev/null)'");
	else if (is_choice(choices, "@presets"))
		buffer_string(out, " -x -a '(" LIST_PRESETS ")'");
	else if (choices)
		buffer_format(out, " -x -a '%s'", choices);
	else
		buffer_string(out, " -x");
}

static void fish_verb(struct buffer *out, const struct verb_spec *spec)
{
	const struct option_spec *opt;
	struct buffer scratch;

	buffer_init(&scratch);
	buffer_format(out, "complete -c sonde -n __fish_use_subcommand -a %s -d '", spec->name);
	put_text(out, spec->summary, "\\");
	buffer_string(out, "'\n");
	for (size_t i = 0; (opt = options_at(spec, i)); i++) {
		buffer_format(out, "complete -c sonde -n '__fish_seen_subcommand_from %s' -l %s",
			      spec->name, opt->name);
		if (opt->id < 256)
			buffer_format(out, " -s %c", opt->id);
		if (opt->arg && opt->arg[0] != '[')
			fish_action(out, choices_of(spec, opt, &scratch));
		buffer_string(out, " -d '");
		put_text(out, opt->text, "\\");
		buffer_string(out, "'\n");
	}
	buffer_fini(&scratch);
	if (!spec->operand)
		return;
	buffer_format(out, "complete -c sonde -n '__fish_seen_subcommand_from %s'", spec->name);
	fish_action(out, spec->operand);
	buffer_char(out, '\n');
}

static void fish_script(struct buffer *out, const struct verb_spec *const *verbs, size_t count)
{
	size_t i;

	buffer_string(out, "# fish completion for sonde, made by `sonde completion fish`\n"
			   "complete -c sonde -f\n");
	for (i = 0; i < count; i++)
		fish_verb(out, verbs[i]);
}

int options_completion(const struct verb_spec *const *verbs, size_t count, const char *shell,
		       struct buffer *out)
{
	if (strcmp(shell, "bash") == 0)
		bash_script(out, verbs, count);
	else if (strcmp(shell, "zsh") == 0)
		zsh_script(out, verbs, count);
	else if (strcmp(shell, "fish") == 0)
		fish_script(out, verbs, count);
	else
		return -EINVAL;
	return buffer_error(out);
}
