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
		for (size_t j = 0; j < class->field_count; j++) {
			const struct field *field = &class->fields[j];

			if (!field->name || !field->bits || field->bits > 64 || !field->count)
				abort();
		}
	}
	ctf_trace_class_free(trace);
	return 0;
}
