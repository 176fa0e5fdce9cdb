// SPDX-License-Identifier: BSD-2-Clause
/*
 * fuzz_answer: any bytes as what a recorder answers. Every key that a client asks for is looked up,
 * texts into little room and much.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "record/answer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const keys[] = {"ok",	  "name",  "events", "on",
				   "unavailable", "error", "cost",   "triggers"};

static void look_into(const char *json, const char *key)
{
	const char *object;
	uint64_t number;

	for (size_t i = 0; i < 64 && (object = answer_object(json, key, i)); i++)
		(void)answer_number(object, "run_ns", &number);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *json = malloc(size + 1); /* exactly, so that a byte too far is seen */
	char text[256];
	uint64_t number;

	if (!json)
		return 0;
	memcpy(json, data, size);
	json[size] = 0;
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		(void)answer_flag(json, keys[i]);
		(void)answer_number(json, keys[i], &number);
		for (size_t j = 0; answer_text(json, keys[i], j, text, sizeof(text)) && j < 64; j++)
			;
		(void)answer_text(json, keys[i], 0, text, 4);
		look_into(json, keys[i]);
	}
	free(json);
	return 0;
}
