// SPDX-License-Identifier: BSD-2-Clause
#include "ctf/json_metadata.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/buffer.h"
#include "base/diag.h"
#include "ctf/json_fragment.h"
#include "ctf/json_reader.h"
#include "ctf/trace_class.h"
#include "wire/ctf.h"

/* Digits that an integer may have without being above INT64_MAX. */
#define SAFE_DIGITS 18u

struct scan {
	const char *text;
	size_t len;
	size_t at;
	unsigned int depth;
	size_t values;
	struct buffer *out;
	struct diag *diag;
};

static int fail(const struct scan *scan, int err, const char *what)
{
	(void)diag_set(scan->diag, err, "%s", what);
	if (scan->diag)
		scan->diag->offset = scan->at;
	return err;
}

/* A string with its quotes; one that does not end continues to the end of the text. */
static void copy_string(struct scan *scan)
{
	size_t start = scan->at++;

	while (scan->at < scan->len && scan->text[scan->at] != '"')
		scan->at += scan->text[scan->at] == '\\' ? 2 : 1;
	scan->at = scan->at < scan->len ? scan->at + 1 : scan->len;
	buffer_append(scan->out, scan->text + start, scan->at - start);
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Whether the digits are an integer that only an unsigned variable can hold. */
static bool is_large(const char *digits, size_t len)
{
	static const char most_signed[] = "9223372036854775807", most[] = "18446744073709551615";

	if (len == sizeof(most_signed) - 1)
		return memcmp(digits, most_signed, len) > 0;
	return len == sizeof(most) - 1 && memcmp(digits, most, len) <= 0;
}

static void copy_number(struct scan *scan)
{
	const char *start = scan->text + scan->at;
	bool large, tail = scan->at && memchr("-+.eE", start[-1], 5);
	size_t len = 0;
	char next;

	while (scan->at + len < scan->len && is_digit(start[len]))
		len++;
	next = scan->at + len < scan->len ? start[len] : '\0';
	large = len > SAFE_DIGITS && !tail && next != '.' && next != 'e' && next != 'E' &&
		is_large(start, len);
	if (large)
		buffer_char(scan->out, '"');
	buffer_append(scan->out, start, len);
	if (large)
		buffer_char(scan->out, '"');
	scan->at += len;
}

/* Everything behind an opening bracket or a comma is a value, and so is every key. */
static int copy_mark(struct scan *scan, char c)
{
	if (c == '{' || c == '[') {
		scan->values++;
		if (++scan->depth > CTF_JSON_DEPTH_MAX)
			return fail(scan, -E2BIG, "JSON is nested too deep");
	} else if ((c == '}' || c == ']') && scan->depth) {
		scan->depth--;
	} else if (c == ',' || c == ':') {
		scan->values++;
	}
	if (scan->values > CTF_JSON_VALUES_MAX)
		return fail(scan, -E2BIG, "a JSON text has too many values");
	buffer_char(scan->out, c);
	scan->at++;
	return 0;
}

static int scan_all(struct scan *scan)
{
	int err = 0;

	while (scan->at < scan->len && !err) {
		char c = scan->text[scan->at];

		if (c == '"')
			copy_string(scan);
		else if (is_digit(c))
			copy_number(scan);
		else
			err = copy_mark(scan, c);
	}
	return err;
}

/*
 * Reports jansson's error. Its position is one in the copy, so the line is more useful than the offset. A text with an
 * open bracket that is wrong at its very end breaks off: inside a word, a number, or a character of 4 bytes at most.
 */
static int fail_parse(const json_error_t *error, const struct scan *scan, struct diag *diag)
{
	const enum json_error_code code = json_error_code(error);
	const bool open_at_end = scan->depth && (size_t)error->position + 3 >= scan->out->len;

	if (code == json_error_premature_end_of_input ||
	    (open_at_end && code != json_error_end_of_input_expected))
		return diag_set(diag, -ENODATA, "it breaks off");
	if (code == json_error_out_of_memory)
		return diag_set(diag, -ENOMEM, "out of memory");
	return diag_set(diag, -EBADMSG, "line %d, column %d: %.160s", error->line, error->column,
			error->text);
}

int json_text_parse(const char *text, size_t len, json_t **ret, size_t *ret_values,
		    struct diag *diag)
{
	struct buffer copy;
	struct scan scan = {.text = text, .len = len, .out = &copy, .diag = diag};
	json_error_t error;
	json_t *root = NULL;
	int err;

	buffer_init(&copy);
	err = scan_all(&scan);
	if (!err && buffer_error(&copy))
		err = diag_set(diag, -ENOMEM, "out of memory");
	if (err)
		goto out;
	root = json_loadb(copy.data ? copy.data : "", copy.len, JSON_REJECT_DUPLICATES, &error);
	if (!root) {
		err = fail_parse(&error, &scan, diag);
		goto out;
	}
	*ret = root;
	*ret_values = scan.values;
out:
	buffer_fini(&copy);
	return err;
}

bool json_metadata_is(const char *text, size_t len)
{
	return len && text[0] == CTF_RECORD_SEPARATOR;
}

static bool is_blank(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (!strchr(" \t\r\n", text[i]))
			return false;
	}
	return true;
}

/* The fragment of @len bytes at @text, which begins @at bytes into the metadata. */
static int read_fragment(struct json_reader *reader, const char *text, size_t len, size_t at,
			 bool last)
{
	json_t *fragment = NULL;
	size_t values = 0;
	int err;

	reader->fragment++;
	err = json_text_parse(text, len, &fragment, &values, reader->diag);
	if (err) {
		/* Only the end of all may be still to come. */
		if (err == -ENODATA && !last)
			err = -EBADMSG;
		(void)diag_prefix(reader->diag, err, "fragment %u, at byte %zu", reader->fragment,
				  at);
		reader->diag->line = reader->fragment;
	} else {
		err = json_fragment_read(reader, fragment, values);
	}
	if (err)
		reader->diag->offset = at;
	json_decref(fragment);
	return err;
}

static int read_all(struct json_reader *reader, const char *text, size_t len)
{
	size_t at = 0;
	int err = 0;

	while (at < len && !err) {
		const char *start = text + at + 1;
		const char *end = memchr(start, CTF_RECORD_SEPARATOR, len - at - 1);
		size_t bytes = end ? (size_t)(end - start) : len - at - 1;

		/* RFC 7464, 2.1: separators may stand side by side. */
		if (!is_blank(start, bytes))
			err = read_fragment(reader, start, bytes, at + 1, !end);
		at += bytes + 1;
	}
	return err;
}

static void free_aliases(struct json_reader *reader)
{
	for (size_t i = 0; i < reader->alias_count; i++)
		json_decref(reader->aliases[i].class);
	json_decref(reader->alias_names);
}

int json_metadata_read(const char *text, size_t len, struct ctf_trace_class *trace,
		       struct diag *diag)
{
	struct diag own = {.text = ""};
	struct json_reader reader = {
		.trace = trace,
		.diag = diag ? diag : &own,
		.alias_names = json_object(),
	};
	int err = reader.alias_names ? 0 : json_reader_no_memory(&reader);

	/* Each bit array has its own. */
	trace->has_order = true;
	trace->place = "fragment";
	trace->names_clocks = true;
	err = err ? err : read_all(&reader, text, len);
	if (!err && !trace->stream_count)
		err = diag_set(reader.diag, -ENODATA, "the metadata has no data stream class");
	free_aliases(&reader);
	return err;
}
