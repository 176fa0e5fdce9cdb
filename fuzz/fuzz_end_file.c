// SPDX-License-Identifier: BSD-2-Clause
/*
 * fuzz_end_file: any bytes as the end mark of a converted trace. In what can be read, each stream is found by its
 * name, and is written again as it was.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "schema/trace_info.h"
#include "trace/end_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct problem_list missing;
	struct end_file file;
	char *text = malloc(size + 1);

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	problem_list_init(&missing);
	if (!end_file_parse(&file, text, size, &missing)) {
		for (size_t i = 0; i < file.count; i++) {
			const struct end_file_stream *found =
				end_file_find(&file, file.streams[i].name);

			if (*file.streams[i].name &&
			    (!found || strcmp(found->name, file.streams[i].name)))
				abort();
		}
		end_file_fini(&file);
	}
	problem_list_fini(&missing);
	return 0;
}
