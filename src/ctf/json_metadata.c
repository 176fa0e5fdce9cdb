// SPDX-License-Identifier: BSD-2-Clause
#include "ctf/json_metadata.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/diag.h"
#include "ctf/json_fragment.h"
#include "ctf/json_reader.h"
#include "ctf/json_text.h"
#include "ctf/trace_class.h"
#include "wire/ctf.h"

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
