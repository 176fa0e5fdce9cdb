// SPDX-License-Identifier: BSD-2-Clause
#include "schema/trace_end.h"

#include "schema/trace_info.h"

const char *trace_end_word(const struct trace_info *info)
{
	static const char *const words[] = {
		[TRACE_END_UNKNOWN] = "unknown",   [TRACE_END_MARKED] = "marked",
		[TRACE_END_UNMARKED] = "unmarked", [TRACE_END_OPEN] = "open",
		[TRACE_END_MISSING] = "missing",
	};

	return words[info->end ? info->end->kind : TRACE_END_UNKNOWN];
}

const char *trace_end_missing(const struct trace_info *info, size_t i)
{
	return info->end ? problem_list_get(&info->end->missing, i) : NULL;
}

void trace_end_tell_source(struct trace_end *end, const char *missing)
{
	end->kind = TRACE_END_MISSING;
	problem_list_add(&end->missing, "incomplete: it was converted from an incomplete trace: %s",
			 missing);
}
