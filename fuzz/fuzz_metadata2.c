// SPDX-License-Identifier: BSD-2-Clause
/*
 * fuzz_metadata2: any bytes as metadata, of CTF 2 or 1.8. What parses is written as CTF 2, and what
 * was written has to be read as the same trace: its classes have the same fields, and it is written
 * once more with the same bytes.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/diag.h"
#include "ctf/json_metadata_write.h"
#include "ctf/metadata.h"
#include "ctf/trace_class.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A failure without its sentence is one, too. */
static struct ctf_trace_class *read_bytes(const char *bytes, size_t len)
{
	struct ctf_trace_class *trace = NULL;
	struct diag diag = {.text = ""};

	if (metadata_read(bytes, len, &trace, &diag) && !diag.text[0])
		abort();
	return trace;
}

/* False: CTF 2 has no form for it. */
static bool write_bytes(const struct ctf_trace_class *trace, struct buffer *out)
{
	struct diag diag = {.text = ""};

	buffer_init(out);
	if (!json_metadata_write(trace, out, &diag))
		return true;
	if (!diag.text[0])
		abort();
	buffer_fini(out);
	return false;
}

static void check_field(const struct field *a, const struct field *b)
{
	if (a->kind != b->kind || a->bits != b->bits || a->offset_bits != b->offset_bits ||
	    a->count != b->count || a->length != b->length || a->is_signed != b->is_signed ||
	    a->big_endian != b->big_endian || a->optional != b->optional)
		abort();
}

static void check_classes(const struct ctf_trace_class *a, const struct ctf_trace_class *b)
{
	if (a->class_count != b->class_count)
		abort();
	for (size_t i = 0; i < a->class_count; i++) {
		const struct event_class *left = a->classes[i], *right = b->classes[i];

		if (left->field_count != right->field_count)
			abort();
		for (size_t j = 0; j < left->field_count; j++)
			check_field(&left->fields[j], &right->fields[j]);
	}
}

/* @data is of CTF 2: what its writer has no form for, its reader has refused. */
static void check_again(const struct ctf_trace_class *trace)
{
	struct ctf_trace_class *after;
	struct buffer once, twice;

	if (!write_bytes(trace, &once))
		return;
	after = read_bytes(once.data, once.len);
	if (!after)
		abort();
	check_classes(trace, after);
	if (!write_bytes(after, &twice) || once.len != twice.len ||
	    memcmp(once.data, twice.data, once.len) != 0)
		abort();
	ctf_trace_class_free(after);
	buffer_fini(&once);
	buffer_fini(&twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ctf_trace_class *trace = read_bytes((const char *)data, size);
	struct ctf_trace_class *json;
	struct buffer text;

	/* TSDL may have what CTF 2 has not, like options of a variant that nothing selects. */
	if (trace && size && data[0] != CTF_RECORD_SEPARATOR) {
		json = write_bytes(trace, &text) ? read_bytes(text.data, text.len) : NULL;
		if (json)
			buffer_fini(&text);
		ctf_trace_class_free(trace);
		trace = json;
	}
	if (trace)
		check_again(trace);
	ctf_trace_class_free(trace);
	return 0;
}
