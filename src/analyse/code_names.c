// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/code_names.h"

#include "schema/event.h"
#include "schema/trace_info.h"

bool code_name_find(const struct trace_info *info, const struct event *event, size_t field, int pid,
		    uint32_t i, struct symbol_place *ret)
{
	struct symbols *symbols = trace_info_symbols(info, event->class->stream);
	uint64_t address = event_element_fast(event, field, i);
	uint32_t whose = pid >= 0 ? (uint32_t)event_uint(event, (size_t)pid) : 0;

	if (!symbols || !address ||
	    !symbols_find(symbols, whose, event->time_ns, address - (i > 0), ret))
		return false;
	ret->offset += i > 0;
	return true;
}

char *code_name_write(char *p, const struct trace_info *info, const struct event *event,
		      size_t field, int pid, uint32_t i, escape_write escape)
{
	struct symbol_place place;
	char text[SYMBOL_TEXT_BYTES];

	if (!code_name_find(info, event, field, pid, i, &place))
		return p;
	return escape(p, text, symbol_format(&place, text));
}
