// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/stack_text.h"

#include <stdio.h>
#include <string.h>

#include "analyse/analysis.h"
#include "analyse/code_names.h"
#include "schema/event.h"
#include "schema/stack.h"
#include "symbol/kernel_symbols.h"

#define KERNEL_MARK "_[k]"
#define FRAME_BYTES (SYMBOL_LABEL_BYTES + sizeof(KERNEL_MARK))
#define CUT "..."

/* A semicolon would end it. */
static size_t write_frame(const struct analysis *analysis, const struct event *event, size_t field,
			  int pid, uint32_t i, char text[FRAME_BYTES])
{
	const bool kernel = kernel_symbols_has(event_element_fast(event, field, i));
	struct symbol_place place = {0};
	size_t len;

	(void)code_name_find(analysis, event, field, pid, i, &place);
	len = symbol_label(&place, text);
	if (place.function && kernel)
		len += (size_t)snprintf(text + len, FRAME_BYTES - len, KERNEL_MARK);
	for (char *c = text; *c; c++) {
		if (*c == ';' || (unsigned char)*c < ' ')
			*c = '_';
	}
	return len;
}

/* From the innermost outwards, from the end of the text to its front: *@at is where it begins. False: no more room. */
static bool write_side(const struct analysis *analysis, const struct event *event, const char *name,
		       char *text, size_t *at)
{
	const int field = event_class_find(event->class, name);
	const int pid = code_name_process(event->class);
	const uint32_t count = field >= 0 ? event_count(event, (size_t)field) : 0;
	char frame[FRAME_BYTES];

	for (uint32_t i = 0; i < count; i++) {
		size_t len = write_frame(analysis, event, (size_t)field, pid, i, frame);

		if (*at < len + 1 + strlen(CUT))
			return false;
		*at -= len + 1;
		memcpy(text + *at, frame, len);
		text[*at + len] = ';';
	}
	return true;
}

size_t stack_text_write(const struct analysis *analysis, const struct event *event, char *text,
			size_t room)
{
	size_t at = room, len;

	if (room <= sizeof(CUT))
		return 0;
	/* The kernel's side is inside of the program's. */
	if (!write_side(analysis, event, STACK_KERNEL_STACK, text, &at) ||
	    !write_side(analysis, event, STACK_USER_STACK, text, &at)) {
		at -= strlen(CUT);
		memcpy(text + at, CUT, strlen(CUT));
	}
	if (at == room)
		return 0;
	len = room - at - 1; /* the last semicolon becomes the end */
	memmove(text, text + at, len);
	text[len] = 0;
	return len;
}

size_t stack_text_cut(const char *text, size_t len, char *ret, size_t room)
{
	const char *from = text;

	while (from && (size_t)(text + len - from) > room - strlen(CUT)) {
		from = memchr(from, ';', (size_t)(text + len - from));
		from = from ? from + 1 : NULL;
	}
	return (size_t)snprintf(ret, room + 1, CUT "%.*s", from ? (int)(text + len - from) : 0,
				from ?: "");
}
