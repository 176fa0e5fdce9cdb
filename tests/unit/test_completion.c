// SPDX-License-Identifier: BSD-2-Clause
#include "base/options.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buffer.h"

static const struct option_spec table[] = {
	{'e', "event", "PATTERN", "what [to] record, isn't it", "@measurements"},
	{'p', "preset", "NAME", "which preset", "@presets"},
	{'o', "output", "DIR", "where", "@dir"},
	{256, "format", "FORMAT", "how", "text json"},
	{257, "json", NULL, "as JSON", NULL},
	{258, "to", "FORMAT", "as what", OPTION_TABLE},
	{0},
};

static bool a_format(int id, size_t i, struct option_choice *ret)
{
	static const struct option_choice both[] = {{"csv", "a table"}, {"ctf", "a trace"}};

	assert_int_equal(id, 258);
	if (i < 2)
		*ret = both[i];
	return i < 2;
}

static const struct verb_spec one = {.name = "one",
				     .summary = "First: one",
				     .options = table,
				     .operand = "@file",
				     .choice = a_format};
static const struct verb_spec two = {.name = "two", .summary = "Second"};
static const struct verb_spec *const verbs[] = {&one, &two};

static void check_script(const char *shell, const char *const *expected)
{
	struct buffer out;

	buffer_init(&out);
	assert_int_equal(options_completion(verbs, 2, shell, &out), 0);
	buffer_char(&out, '\0');
	for (; *expected; expected++) {
		if (!strstr(out.data, *expected))
			fail_msg("%s: no \"%s\" in:\n%s", shell, *expected, out.data);
	}
	buffer_fini(&out);
}

static void test_bash(void **state)
{
	static const char *const expected[] = {
		"compgen -W 'one two --help --version'",
		"--event|-e) _sonde_measurements \"$cur\"",
		"names=$(sonde list --names 'kernel:*' 2>/dev/null)",
		"--preset|-p) mapfile -t COMPREPLY < <(compgen -W \"$(sonde list --presets --names",
		"--output|-o) compopt -o filenames",
		"--format) mapfile -t COMPREPLY < <(compgen -W 'text json'",
		"'--event --preset --output --format --json --to --help'",
		"--to) mapfile -t COMPREPLY < <(compgen -W 'csv ctf'",
		"complete -F _sonde sonde\n",
		NULL,
	};

	(void)state;
	check_script("bash", expected);
}

static void test_zsh(void **state)
{
	static const char *const expected[] = {
		"#compdef sonde\n",
		"'one:First\\: one'",
		"'*'{-e+,--event=}'[what \\[to\\] record, isn'\\''t it]:event:_sonde_measurements'",
		"'*'{-p+,--preset=}'[which preset]:preset:_sonde_presets'",
		"_sonde_presets()\n{\n\tcompadd -- ${(f)\"$(sonde list --presets --names",
		"'*'--format='[how]:format:(text json)'",
		"'*'--to='[as what]:to:(csv ctf)'",
		"'*: :_files'",
		NULL,
	};

	(void)state;
	check_script("zsh", expected);
}

static void test_fish(void **state)
{
	static const char *const expected[] = {
		"complete -c sonde -f\n",
		"-a one -d 'First: one'\n",
		"-l event -s e -x -a '(sonde list --names 2>/dev/null; string match -q \"kernel:",
		"-l preset -s p -x -a '(sonde list --presets --names 2>/dev/null)' -d 'which preset",
		"-l format -x -a 'text json' -d 'how'\n",
		"-l json -d 'as JSON'\n",
		"-l to -x -a 'csv ctf' -d 'as what'\n",
		NULL,
	};

	(void)state;
	check_script("fish", expected);
}

static void test_another_shell(void **state)
{
	struct buffer out;

	(void)state;
	buffer_init(&out);
	assert_int_equal(options_completion(verbs, 2, "tcsh", &out), -EINVAL);
	assert_int_equal(out.len, 0);
	buffer_fini(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bash),
		cmocka_unit_test(test_zsh),
		cmocka_unit_test(test_fish),
		cmocka_unit_test(test_another_shell),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
