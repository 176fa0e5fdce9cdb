// SPDX-License-Identifier: BSD-2-Clause
/*
 * fuzz_preset: any bytes as a preset. Whatever is taken has lines that can be read.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "record/preset.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const settings[] = {"detail", "buffer", "mode", NULL};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct preset *preset = NULL;
	struct diag diag;

	if (preset_parse("x", "x.preset", (const char *)data, size, settings, &preset, &diag)) {
		if (!*diag.text)
			abort();
		return 0;
	}
	for (size_t i = 0; i < preset->line_count; i++) {
		if (!strlen(preset->lines[i].text) || !preset->lines[i].number)
			abort();
	}
	preset_free(preset);
	return 0;
}
