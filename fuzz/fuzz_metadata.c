// SPDX-License-Identifier: BSD-2-Clause
/*
 * fuzz_metadata: any bytes as metadata. What parses must also have classes that can be used.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/diag.h"
#include "ctf/metadata.h"
#include "ctf/trace_class.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_fields(const struct event_class *class)
{
	for (size_t i = 0; i < class->field_count; i++) {
		const struct field *field = &class->fields[i];

		if (!field->name || (!field->bits && field->kind != FIELD_INT) ||
		    field->bits > 64 || field->length > i ||
		    (field->count_at && field->count_at <= class->field_count) ||
		    field->count_at > class->offset_count)
			abort();
		if ((field->kind == FIELD_LIST) != (field->items != NULL))
			abort();
		if (field->items)
			check_fields(field->items);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ctf_trace_class *trace = NULL;
	struct diag diag = {.text = ""};
	int err = metadata_read((const char *)data, size, &trace, &diag);

	if (err) {
		/* Every failure has its sentence. */
		if (!diag.text[0])
			abort();
		return 0;
	}
	for (size_t i = 0; i < trace->class_count; i++) {
		const struct event_class *class = trace->classes[i];

		if (!class || class->index != i || !class->name)
			abort();
		check_fields(class);
	}
	ctf_trace_class_free(trace);
	return 0;
}
