// SPDX-License-Identifier: BSD-2-Clause
/*
 * fuzz_tracepoint: any bytes as the kernel's description of a tracepoint. Whatever is taken has a
 * plan by which the kernel half stays within its bounds, and metadata that can be written.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "ctf/metadata_write.h"
#include "probe/tracepoint.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(int good)
{
	if (!good)
		abort();
}

static void check_plan(const struct tracepoint_plan *plan)
{
	check(plan->fixed_bytes >= RECORD_HEAD_BYTES && plan->fixed_bytes < TRACEPOINT_FIXED_MAX);
	check(plan->run_count <= TRACEPOINT_RUN_MAX);
	check(plan->dynamic_count <= TRACEPOINT_DYNAMIC_MAX);
	for (size_t i = 0; i < plan->run_count; i++) {
		const struct tracepoint_run *run = &plan->runs[i];

		check(run->from >= FORMAT_COMMON_BYTES);
		check(run->from + run->bytes <= FORMAT_BYTES_MAX);
		check(run->to >= RECORD_HEAD_BYTES);
		check(run->to + run->bytes <= plan->fixed_bytes);
	}
	for (size_t i = 0; i < plan->dynamic_count; i++) {
		check(plan->dynamic[i].from >= FORMAT_COMMON_BYTES);
		check(plan->dynamic[i].element_shift <= 3);
		check(plan->dynamic[i].is_text || plan->dynamic[i].to + 2 <= plan->fixed_bytes);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	struct tracepoint *tp = NULL;
	struct buffer out;
	int err;

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = 0;
	err = tracepoint_new("group", "event", text, &tp, NULL);
	if (!err) {
		check_plan(&tp->plan);
		buffer_init(&out);
		check(!metadata_write_event(&out, &tp->class, 0));
		buffer_fini(&out);
	}
	tracepoint_free(tp);
	return 0;
}
