/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * text_call: system calls as strace(1) prints them: the entry and the exit of a call are one line,
 *
 *	openat(AT_FDCWD, "/etc/hostname", O_RDONLY) = 3 <12.3us>
 *
 * if no other event is printed between them. If one is, the line of the entry ends in "<unfinished ...>", and the exit
 * has a line of its own, "<... openat resumed>) = 3 <12.3us>". So lines are in timestamp order, and none is delayed.
 *
 * output/text prints what stands in front, and each line that has nothing to do with calls. Between two events the
 * state is one struct call_line. It outlives the sink: a trace that grows gets a new sink, and threads that share a
 * trace (source/slices) are given the state at their first event.
 */
#ifndef SONDE_OUTPUT_TEXT_CALL_H
#define SONDE_OUTPUT_TEXT_CALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct call_case;
struct event;
struct plan;
struct text_values;
struct view;

/* The line that was begun with the entry of a call. Zeros: the last line has ended. */
struct call_line {
	bool open;
	bool kept; /* the sink that is finished is not the last: another one continues the line */
	bool compat;
	int32_t tid, nr;
	uint32_t trace; /* that the task is of (trace_info_trace) */
	unsigned int column; /* of a terminal: at which the line is */
	const struct call_case
		*result; /* how what it returns is written; NULL: as what the call returns */
};

/* @event is printed, in lines or otherwise: whether the line behind it is open. */
void call_line_follow(struct call_line *line, const struct view *view, const struct event *event);

struct text_calls;

enum text_call_part { TEXT_CALL_NONE, TEXT_CALL_ENTRY, TEXT_CALL_EXIT };

/* NULL: no memory. Borrows all three; @plans by event_class.index. */
struct text_calls *text_calls_new(const struct view *view, const struct plan *plans,
				  const struct text_values *values);
void text_calls_free(struct text_calls *calls);

/* What events of class @index are. */
enum text_call_part text_calls_part(const struct text_calls *calls, size_t index);
/* Whether the line of the entry @event waits for the exit; then @line is open for it. */
bool text_calls_open(const struct text_calls *calls, struct call_line *line,
		     const struct event *event);
/* Whether @event is the exit of the call that @line is open for. */
bool text_calls_ends(const struct text_calls *calls, const struct call_line *line,
		     const struct event *event);

#define TEXT_CALL_BYTES \
	4096u /* beside plan_room(), of any of these: six arguments (output/call_arg.h) and more */

/* The name of the call that an entry is of. */
char *text_calls_name(char *p, const struct text_calls *calls, const struct event *event);
/* Behind it: "(AT_FDCWD, "/etc/hostname", O_RDONLY"; what follows if its line does not stay open ends it. */
char *text_calls_args(char *p, const struct text_calls *calls, const struct event *event);
char *text_calls_close(char *p, const struct text_calls *calls, const struct event *event);
/* Of an exit on a line of its own: "<... openat resumed>". */
char *text_calls_resumed(char *p, const struct text_calls *calls, const struct event *event);
/* ") = 3 <12.3us>". @form: call_line.result of the line that it ends; NULL: it has a line of its own. */
char *text_calls_result(char *p, const struct text_calls *calls, const struct call_case *form,
			const struct event *event);
/* Of an open line, before another begins: " <unfinished ...>\n" */
char *text_calls_unfinished(char *p);

#endif /* SONDE_OUTPUT_TEXT_CALL_H */
