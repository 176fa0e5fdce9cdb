// SPDX-License-Identifier: BSD-2-Clause
#include "record/preset.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/diag.h"

static const char *const settings[] = {"detail", "mode", "buffer", NULL};

/* What the parser says of @text, of @len bytes; "" where it takes it. */
static const char *complaint_of(const char *text, size_t len)
{
	static struct diag diag;
	struct preset *preset = NULL;
	char *exact = malloc(len); /* a byte too far is seen by the sanitizer */

	diag = (struct diag){0};
	if (len)
		memcpy(exact, text, len);
	if (!preset_parse("x", "x.preset", exact, len, settings, &preset, &diag))
		assert_string_equal(diag.text, "");
	else
		assert_null(preset);
	preset_free(preset);
	free(exact);
	return diag.text;
}

static void assert_complaint(const char *text, const char *complaint)
{
	assert_string_equal(complaint_of(text, strlen(text)), complaint);
}

static void patterns_and_settings_keep_their_order_and_lines(void **state)
{
	static const char text[] = "# a comment\n"
				   "description = What, and why  # not this\n"
				   "\n"
				   "\ttcp.*\t# all\n"
				   "detail=full\n"
				   "  sys.enter";
	struct preset *preset = NULL;

	(void)state;
	assert_int_equal(preset_parse("x", "x.preset", text, strlen(text), settings, &preset, NULL),
			 0);
	assert_string_equal(preset->name, "x");
	assert_string_equal(preset->description, "What, and why");
	assert_int_equal(preset->line_count, 3);
	assert_null(preset->lines[0].key);
	assert_string_equal(preset->lines[0].text, "tcp.*");
	assert_int_equal(preset->lines[0].number, 4);
	assert_string_equal(preset->lines[1].key, "detail");
	assert_string_equal(preset->lines[1].text, "full");
	assert_string_equal(preset->lines[2].text, "sys.enter");
	assert_int_equal(preset->lines[2].number, 6);
	preset_free(preset);
}

static void a_number_sign_within_a_word_is_no_comment(void **state)
{
	static const char text[] = "description = C#\ntcp#x\n";
	struct preset *preset = NULL;

	(void)state;
	assert_int_equal(preset_parse("x", "x.preset", text, strlen(text), settings, &preset, NULL),
			 0);
	assert_string_equal(preset->description, "C#");
	assert_string_equal(preset->lines[0].text, "tcp#x");
	preset_free(preset);
}

static void what_is_wrong_is_told_with_its_line(void **state)
{
	(void)state;
	assert_complaint("tcp\ndetial = full\n",
			 "x.preset:2: unknown setting 'detial': did you mean 'detail'?");
	assert_complaint("tcp\nzzzzzz = 1\n",
			 "x.preset:2: unknown setting 'zzzzzz': see sonde-presets(5)");
	assert_complaint("tcp udp\n", "x.preset:1: 'tcp udp': one pattern a line, without blanks");
	assert_complaint("tcp,udp\n", "x.preset:1: 'tcp,udp': one pattern a line, without blanks");
	assert_complaint("detail =\ntcp\n", "x.preset:1: detail has no value");
	assert_complaint("= full\ntcp\n", "x.preset:1: '' is not the name of a setting");
	assert_complaint("De tail = full\ntcp\n",
			 "x.preset:1: 'De tail' is not the name of a setting");
	assert_complaint("detail = full\ntcp\ndetail = brief\n",
			 "x.preset:3: detail was set in line 1 already");
	assert_complaint("description = a\ndescription = b\ntcp\n",
			 "x.preset:2: a second description");
	assert_complaint("tcp\r\n", "x.preset:1: a control character (0x0d)");
	assert_complaint("\ndescription = \x1b[2J\n", "x.preset:2: a control character (0x1b)");
}

static void a_preset_without_a_pattern_is_none(void **state)
{
	(void)state;
	assert_complaint("", "x.preset: it names no measurement");
	assert_complaint("# tcp", "x.preset: it names no measurement");
	assert_complaint("detail = full\n", "x.preset: it names no measurement");
}

static void bytes_that_are_no_text_are_refused(void **state)
{
	(void)state;
	assert_string_equal(complaint_of("tcp\0sys\n", 8),
			    "x.preset:1: a control character (0x00)");
	assert_string_equal(complaint_of("tcp\n\0", 5), "x.preset:2: a control character (0x00)");
}

static void size_is_limited(void **state)
{
	size_t len = PRESET_BYTES_MAX + 1;
	char *text = malloc(len);
	char complaint[80];

	(void)state;
	for (size_t i = 0; i < len; i++)
		text[i] = i % 2 ? '\n' : 'a';
	assert_string_equal(complaint_of(text, len), "x.preset: more than 65536 bytes");
	snprintf(complaint, sizeof(complaint), "x.preset:%d: more than %d patterns and settings",
		 PRESET_LINES_MAX + 1, PRESET_LINES_MAX);
	assert_string_equal(complaint_of(text, len - 1), complaint);
	memset(text, 'a', len); /* one long line */
	assert_string_equal(complaint_of(text, len - 1), "");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(patterns_and_settings_keep_their_order_and_lines),
		cmocka_unit_test(a_number_sign_within_a_word_is_no_comment),
		cmocka_unit_test(what_is_wrong_is_told_with_its_line),
		cmocka_unit_test(a_preset_without_a_pattern_is_none),
		cmocka_unit_test(bytes_that_are_no_text_are_refused),
		cmocka_unit_test(size_is_limited),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
