// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/code_names.h"

#include "analyse/analysis.h"
#include "analyse/task_names.h"
#include "schema/event.h"
#include "schema/stack.h"
#include "schema/trace_info.h"
#include "symbol/kernel_symbols.h"

int code_name_process(const struct event_class *class)
{
	return event_class_find_any(class, STACK_STATE) >= 0 ?
		       -1 :
		       event_class_find_number(class, "pid");
}

static uint32_t process_of(const struct analysis *analysis, const struct event *event, int pid)
{
	if (pid >= 0)
		return (uint32_t)event_uint(event, (size_t)pid);
	return analysis->names ? task_names_pid(analysis->names, event->class, event->tid) : 0;
}

bool code_name_find(const struct analysis *analysis, const struct event *event, size_t field,
		    int pid, uint32_t i, struct symbol_place *ret)
{
	struct symbols *symbols = trace_info_symbols(analysis->info, event->class->stream);
	uint64_t address = event_element_fast(event, field, i), whose;

	if (!symbols || !address)
		return false;
	whose = kernel_symbols_has(address) ? 0 : process_of(analysis, event, pid);
	if (!symbols_find(symbols, (uint32_t)whose, event->time_ns, address - (i > 0), ret))
		return false;
	ret->offset += i > 0;
	return true;
}

char *code_name_write(char *p, const struct analysis *analysis, const struct event *event,
		      size_t field, int pid, uint32_t i, escape_write escape)
{
	struct symbol_place place;
	char text[SYMBOL_TEXT_BYTES];

	if (!code_name_find(analysis, event, field, pid, i, &place))
		return p;
	return escape(p, text, symbol_format(&place, text));
}
