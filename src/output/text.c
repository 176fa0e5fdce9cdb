// SPDX-License-Identifier: BSD-2-Clause
#include "output/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/origin_label.h"
#include "base/emit.h"
#include "output/plan.h"
#include "output/text_call.h"
#include "output/text_value.h"
#include "output/view.h"
#include "schema/calls.h"
#include "schema/lost.h"
#include "schema/stack.h"
#include "wire/stack.h"

#define CPU_WIDTH 4u
#define TASK_WIDTH 24u /* 15 of the name, a colon, 7 of the tid, a space */
#define NAME_WIDTH_MAX 24u
#define ORIGIN_WIDTH_MAX 40u
/* Time, CPU, task and their colours; the name of the event has a length of its own. */
#define HEAD_BYTES (TIME_TEXT_BYTES + CPU_WIDTH + 16u + TASK_WIDTH + 15u * ESCAPE_FACTOR + 64u)
#define ENDS_BYTES 128u
#define LOST_BYTES 256u

#define STACK_SUFFIX "_stack"
#define STACK_INDENT 8u
#define STACK_NAME_WIDTH 8u

#define CUT_MARK "..."
#define WIDTH_MIN 40u /* what comes before the fields */
#define WIDE 120u
/* Of a terminal, the columns that the arguments of a call leave for its result: " <unfinished ...>", or in a WIDE one
 * most errors with their meaning. */
#define RESULT_COLUMNS_NARROW 18u
#define RESULT_COLUMNS 32u

#define COLOUR_DIM "\x1b[2m"
#define COLOUR_EVENT "\x1b[36m"
#define COLOUR_LOST "\x1b[1;31m"
#define COLOUR_OFF "\x1b[0m"

/* How one class is shown, beside its plan. */
struct text_class {
	char *head; /* "sys.enter    ", padded for emit_short */
	size_t head_len;
	char *origin; /* "web1 nginx:42  ", padded for emit_short; "" unless traces differ in it */
	size_t origin_len;
	size_t *order; /* fields in the order of showing; count of them */
	size_t count;
	size_t *stacks; /* fields that have lines of their own below; stack_count of them */
	size_t stack_count;
	int stack_state; /* field of the class; -1 = its stacks are whole, or their state is shown like others */
	size_t ends; /* place in the order at which the connection stands; SIZE_MAX = none */
};

struct text {
	struct event_sink sink;
	const struct view *view;
	struct plan *plans;
	struct text_class *classes;
	size_t class_count;
	struct text_values values;
	struct time_text *time;
	struct time_text own_time; /* what it is, unless others go on with it */
	bool colour;
	unsigned int width; /* 0 = lines are not cut */
	struct text_calls *calls; /* NULL: their events are shown like others */
	struct call_line *line;
	struct call_line own_line; /* what it is, unless others go on with it */
	struct origin_parts parts; /* in which traces differ */
};

/* Fields that people look for, in this order, where lines are cut. The others follow in their own. */
static const char *const first_fields[] = {
	"ret",	    "dur",	    "wait",	 "service",	"total",    "queue",
	"state",    "disk",	    "op",	 "sector",	"bytes",    "next_comm",
	"next_tid", "prev_state",   "wake_comm", "wake_tid",	"filename", "reason",
	"snd_cwnd", "snd_ssthresh", "srtt_us",	 "packets_out", "lost_out", "retrans_out",
};
#define FIRST_FIELDS (sizeof(first_fields) / sizeof(first_fields[0]))

static char *write_derived(char *p, const struct event_facts *facts, enum derived what)
{
	if (!derived_is_text(what))
		return emit_uint(p, facts->derived[what]);
	p = emit_char(p, '"');
	p = escape_terminal(p, facts->files[0].name, facts->files[0].len);
	return emit_char(p, '"');
}

static char *write_field(char *p, const struct text *text, const struct plan *plan,
			 const struct plan_field *pf, const struct event *event)
{
	const struct event_facts *facts = analysis_facts(&text->view->analysis);

	if (__builtin_expect(!plan_has(pf, event, facts), 0))
		return p;
	p = emit_short(p, pf->prefix, pf->prefix_len);
	if (pf->form == PLAN_DERIVED)
		return write_derived(p, facts, (enum derived)pf->index);
	return text_value_write(p, &text->values, plan, pf, event);
}

static char *write_end(char *p, const struct event *event, size_t address, size_t port)
{
	p = emit_address(p, event_bytes(event, address), 1);
	p = emit_char(p, ':');
	return emit_uint(p, event_uint(event, port));
}

static char *write_ends(char *p, const struct plan_ends *ends, const struct event *event)
{
	p = emit_char(p, ' ');
	p = write_end(p, event, ends->saddr, ends->lport);
	p = emit_bytes(p, " -> ", 4);
	return write_end(p, event, ends->daddr, ends->rport);
}

/* Text of fixed length, so that it compiles to moves. */
static char *write_colour(char *p, const struct text *text, const char *colour)
{
	return text->colour ? emit_bytes(p, colour, strlen(colour)) : p;
}

static char *write_cpu(char *p, int32_t cpu)
{
	unsigned int width = CPU_WIDTH;

	if (cpu < 0) {
		memcpy(p, "   -  ", 6);
		return p + 6;
	}
	memset(p, ' ', CPU_WIDTH);
	width -= cpu < 10 ? 1 : cpu < 100 ? 2 : cpu < 1000 ? 3 : 4;
	p = emit_uint(p + width, (uint32_t)cpu);
	return emit_bytes(p, "  ", 2);
}

static char *write_task(char *p, const struct text *text, const struct event *event)
{
	int32_t tid = event->tid;
	const struct task_name *name =
		task_names_get(text->view->analysis.names, event->class, tid);
	const char *start = p;

	if (tid < 0) {
		p = emit_char(p, '-');
		return emit_column(p, start, TASK_WIDTH);
	}
	if (__builtin_expect(name->len & TASK_NAME_ODD, 0)) {
		p = escape_terminal(p, name->text, TASK_NAME_LEN(name));
	} else if (name->len) {
		memcpy(p, name->text, sizeof(name->text));
		p += name->len;
	} else {
		p = emit_char(p, '-');
	}
	p = emit_char(p, ':');
	p = emit_uint(p, (uint32_t)tid);
	return emit_column(p, start, TASK_WIDTH);
}

static char *write_count(char *p, uint64_t count, const char *one, const char *many)
{
	const char *what = count == 1 ? one : many;

	p = emit_uint(p, count);
	return emit_bytes(p, what, strlen(what));
}

/* " (buffer full)"; with counts where there is more than one cause. */
static char *write_causes(char *p, const struct event *event, uint64_t count)
{
	static const char *const names[] = {"buffer full", "nested too deep", "program busy"};
	uint64_t nested = event_uint(event, LOST_NESTED);
	uint64_t recursion = event_uint(event, LOST_RECURSION);
	uint64_t counts[] = {count - nested - recursion, nested, recursion};
	const char *before = " (";

	if (!count)
		return p;
	for (size_t i = 0; i < 3; i++) {
		if (!counts[i])
			continue;
		p = emit_bytes(p, before, 2);
		if (counts[i] != count) {
			p = emit_uint(p, counts[i]);
			p = emit_char(p, ' ');
		}
		p = emit_bytes(p, names[i], strlen(names[i]));
		before = ", ";
	}
	return emit_char(p, ')');
}

/* "--- 123 events lost here on cpu 1 (buffer full) ---" */
static char *write_lost(char *p, const struct text *text, const struct event *event)
{
	uint64_t count = event_uint(event, LOST_COUNT);
	uint64_t packets = event_uint(event, LOST_PACKETS);

	p = write_colour(p, text, COLOUR_LOST);
	p = emit_bytes(p, "--- ", 4);
	if (count)
		p = write_count(p, count, " event lost", " events lost");
	if (packets) {
		if (count)
			p = emit_bytes(p, " and ", 5);
		p = write_count(p, packets, " packet overwritten", " packets overwritten");
	}
	p = emit_bytes(p, " here", 5);
	if (text->parts.hosts || text->parts.processes) {
		p = emit_bytes(p, " in ", 4);
		p = origin_label_text(p, origin_of_loss(text->view->analysis.info, event),
				      text->parts);
	}
	if (event->cpu >= 0) {
		p = emit_bytes(p, " on cpu ", 8);
		p = emit_uint(p, (uint32_t)event->cpu);
	}
	p = write_causes(p, event, count);
	p = emit_bytes(p, " ---", 4);
	return write_colour(p, text, COLOUR_OFF);
}

/* " waiting=3 [2048, -4096, 8]" */
static char *write_waiting(char *p, const struct disk_waiting *waiting)
{
	p = emit_bytes(p, " waiting=", 9);
	p = emit_uint(p, waiting->count);
	p = emit_bytes(p, " [", 2);
	for (size_t i = 0; i < waiting->shown; i++) {
		if (i)
			p = emit_bytes(p, ", ", 2);
		p = emit_int(p, waiting->sectors[i]);
	}
	return emit_char(p, ']');
}

/* What all lines of events begin with: time, CPU, origin, task. */
static char *write_front(char *p, struct text *text, const struct event *event)
{
	const struct text_class *class = &text->classes[event->class->index];

	p = write_colour(p, text, COLOUR_DIM);
	p = time_text_write(text->time, p, event->time_ns);
	p = write_colour(p, text, COLOUR_OFF);
	p = write_cpu(p, event->cpu);
	p = emit_short(p, class->origin, class->origin_len);
	return write_task(p, text, event);
}

/* The name of the event and its fields. */
static char *write_fields(char *p, const struct text *text, const struct event *event)
{
	const struct plan *plan = &text->plans[event->class->index];
	const struct text_class *class = &text->classes[event->class->index];
	struct disk_waiting waiting;
	size_t i;

	p = emit_short(p, class->head, class->head_len);
	for (i = 0; i < class->count; i++) {
		if (i == class->ends)
			p = write_ends(p, &plan->ends, event);
		else
			p = write_field(p, text, plan, &plan->fields[class->order[i]], event);
	}
	if (text->view->analysis.queues &&
	    disk_queues_inserted(text->view->analysis.queues, event, &waiting))
		p = write_waiting(p, &waiting);
	return p;
}

/* The entry of a call, whose line may stay open, or an exit that has a line of its own. */
static char *write_call(char *p, const struct text *text, const struct event *event,
			enum text_call_part part)
{
	p = write_colour(p, text, COLOUR_EVENT);
	if (part == TEXT_CALL_ENTRY)
		p = text_calls_name(p, text->calls, event);
	else
		p = text_calls_resumed(p, text->calls, event);
	p = write_colour(p, text, COLOUR_OFF);
	if (part == TEXT_CALL_EXIT)
		return text_calls_result(p, text->calls, NULL, event);
	p = text_calls_args(p, text->calls, event);
	if (text_calls_open(text->calls, text->line, event))
		return p;
	return text_calls_close(p, text->calls, event);
}

/*
 * Where the text from @start to @end has to end that may take @width columns, else @end. Colours take no column, each
 * character one. *@columns: those in front of that place.
 */
static char *find_cut(char *start, char *end, unsigned int width, unsigned int *columns)
{
	*columns = 0;
	for (char *p = start; p < end; p++) {
		if (*p == '\x1b') {
			p = memchr(p, 'm', (size_t)(end - p));
		} else if ((*p & 0xc0) != 0x80) {
			if (*columns == width)
				return p;
			++*columns;
		}
	}
	return end;
}

/* Cuts the text from @start to @end to @width columns: its new end. */
static char *cut_text(const struct text *text, char *start, char *end, unsigned int width,
		      unsigned int *columns)
{
	const unsigned int mark = (unsigned int)strlen(CUT_MARK);
	char *cut = find_cut(start, end, width, columns);

	if (cut == end)
		return end;
	cut = find_cut(start, cut, width > mark ? width - mark : 0, columns);
	*columns += mark;
	cut = emit_bytes(cut, CUT_MARK, mark);
	return write_colour(cut, text, COLOUR_OFF);
}

/* Columns for the text that begins at @column: an open line keeps some for the result. */
static unsigned int width_left(const struct text *text, unsigned int column, bool open)
{
	const unsigned int result =
		open ? (text->width < WIDE ? RESULT_COLUMNS_NARROW : RESULT_COLUMNS) : 0;

	return text->width > column + result ? text->width - column - result : 0;
}

/* "kernel" of kernel_stack, in front of the first frame of each stack. */
static char *write_stack_name(char *p, const struct plan_field *pf)
{
	const size_t suffix = strlen(STACK_SUFFIX);
	size_t len = strlen(pf->field->name);
	char *start = p;

	if (len > suffix && !strcmp(pf->field->name + len - suffix, STACK_SUFFIX))
		len -= suffix;
	p = escape_terminal(p, pf->field->name, len < STACK_NAME_WIDTH ? len : STACK_NAME_WIDTH);
	return emit_column(p, start, STACK_NAME_WIDTH + 1);
}

/* A line for each frame, innermost first, behind a LF. */
static char *write_stack(char *p, const struct text *text, const struct plan_field *pf,
			 const struct event *event)
{
	const struct plan *plan = &text->plans[event->class->index];
	uint32_t i, count = event_has(event, pf->index) ? event_count(event, pf->index) : 0;
	unsigned int columns;
	char *start;

	for (i = 0; i < count; i++) {
		p = start = emit_char(p, '\n');
		memset(p, ' ', STACK_INDENT + STACK_NAME_WIDTH + 1);
		p += STACK_INDENT;
		p = i ? p + STACK_NAME_WIDTH + 1 : write_stack_name(p, pf);
		p = text_value_frame(p, &text->values, plan, pf, event, i);
		if (text->width)
			p = cut_text(text, start, p, text->width, &columns);
	}
	return p;
}

/* Behind the frames, where there were more. */
static char *write_more(char *p)
{
	p = emit_char(p, '\n');
	memset(p, ' ', STACK_INDENT + STACK_NAME_WIDTH + 1);
	return emit_bytes(p + STACK_INDENT + STACK_NAME_WIDTH + 1, CUT_MARK, strlen(CUT_MARK));
}

/* "(stack lost)", in place of the frames. */
static char *write_no_stack(char *p, const char *why)
{
	p = emit_char(p, '\n');
	memset(p, ' ', STACK_INDENT);
	return emit_bytes(p + STACK_INDENT, why, strlen(why));
}

static char *write_stacks(char *p, const struct text *text, const struct event *event)
{
	const struct text_class *class = &text->classes[event->class->index];
	uint64_t state = class->stack_state < 0 ? STACK_STATE_WHOLE :
						  event_uint(event, (size_t) class->stack_state);

	if (state == STACK_STATE_LOST)
		return write_no_stack(p, "(stack lost)");
	if (state == STACK_STATE_FAILED)
		return write_no_stack(p, "(stack could not be taken)");
	if (state > STACK_STATE_BOTH_CUT)
		return p;
	for (size_t i = 0; i < class->stack_count; i++) {
		const struct plan_field *pf =
			&text->plans[event->class->index].fields[class->stacks[i]];

		p = write_stack(p, text, pf, event);
		if (state & (strcmp(pf->field->name, STACK_USER_STACK) ? STACK_STATE_KERNEL_CUT :
									 STACK_STATE_USER_CUT))
			p = write_more(p);
	}
	return p;
}

static enum text_call_part part_of(const struct text *text, const struct event *event)
{
	return text->calls ? text_calls_part(text->calls, event->class->index) : TEXT_CALL_NONE;
}

/* A line, or, of a call, a part of one. */
static char *write_event(char *p, struct text *text, const struct event *event)
{
	enum text_call_part part = part_of(text, event);
	struct call_line *line = text->line;
	unsigned int column = 0;
	char *start = p;

	if (part == TEXT_CALL_EXIT && text_calls_ends(text->calls, line, event)) {
		column = line->column;
		p = text_calls_result(p, text->calls, line->result, event);
		line->open = false;
	} else {
		if (line->open)
			start = p = text_calls_unfinished(p);
		line->open = false;
		p = write_front(p, text, event);
		p = part ? write_call(p, text, event, part) : write_fields(p, text, event);
	}
	if (text->width)
		p = cut_text(text, start, p, width_left(text, column, line->open), &line->column);
	if (!line->open)
		p = emit_char(write_stacks(p, text, event), '\n');
	return p;
}

/* A loss is written in full. */
static char *write_loss(char *p, struct text *text, const struct event *event)
{
	if (text->line->open)
		p = text_calls_unfinished(p);
	text->line->open = false;
	return emit_char(write_lost(p, text, event), '\n');
}

static int text_batch(struct event_sink *sink, const struct event *events, size_t count)
{
	struct text *text = (struct text *)sink;
	struct output *out = text->view->out;
	size_t i, room;
	char *start, *p;

	for (i = 0; i < count; i++) {
		const struct event *event = &events[i];
		size_t index = event->class->index;

		if (!analysis_takes(&text->view->analysis, event))
			continue;
		room = HEAD_BYTES + ENDS_BYTES + LOST_BYTES + EMIT_SLACK_BYTES + TEXT_CALL_BYTES +
		       (text->view->analysis.queues ? ANALYSIS_WAITING_BYTES : 0) +
		       text->classes[index].head_len + text->classes[index].origin_len +
		       plan_room(&text->plans[index], event);
		if (__builtin_expect(event->class->role == EVENT_ROLE_LOST, 0))
			room += origin_label_room(origin_of_loss(text->view->analysis.info, event));
		start = buffer_reserve(&out->buf, room);
		if (!start)
			return -ENOMEM;
		if (event->class->role == EVENT_ROLE_LOST)
			p = write_loss(start, text, event);
		else
			p = write_event(start, text, event);
		buffer_advance(&out->buf, (size_t)(p - start));
		if (output_end_line(out))
			return out->err;
	}
	return output_end_batch(out);
}

static int text_finish(struct event_sink *sink)
{
	struct text *text = (struct text *)sink;
	struct output *out = text->view->out;
	char *p = buffer_reserve(&out->buf, TEXT_CALL_BYTES + EMIT_SLACK_BYTES);

	if (!p)
		return -ENOMEM;
	if (text->line->open && !text->line->kept) {
		buffer_advance(&out->buf, (size_t)(text_calls_unfinished(p) - p));
		text->line->open = false;
	}
	return output_flush(out);
}

static void text_free(struct event_sink *sink)
{
	struct text *text = (struct text *)sink;
	size_t i;

	if (!text)
		return;
	plans_free(text->plans, text->class_count);
	for (i = 0; text->classes && i < text->class_count; i++) {
		free(text->classes[i].head);
		free(text->classes[i].origin);
		free(text->classes[i].order);
		free(text->classes[i].stacks);
	}
	free(text->classes);
	text_calls_free(text->calls);
	names_free(text->values.names);
	free(text);
}

static const struct sink_ops text_ops = {
	.batch = text_batch,
	.finish = text_finish,
	.free = text_free,
};

#define CALL_NAME_WIDTH 12u /* of the names of calls, few are longer */

/* Columns for the names of events: the longest that may show. There are hundreds of calls, and most of those with
 * long names never show: they do not widen the column. */
static size_t name_width(const struct text *text)
{
	const struct view *view = text->view;
	size_t i, width = 8;

	for (i = 0; i < view->analysis.info->class_count; i++) {
		const struct event_class *class = view->analysis.info->classes[i];
		size_t len = strlen(class->name);

		if (text->calls && text_calls_part(text->calls, i) != TEXT_CALL_NONE)
			continue;
		if (len > CALL_NAME_WIDTH && calls_is_entry(class))
			len = CALL_NAME_WIDTH;
		if (class->role != EVENT_ROLE_LOST && select_shows(view->analysis.select, class) &&
		    len > width)
			width = len;
	}
	return width < NAME_WIDTH_MAX ? width : NAME_WIDTH_MAX;
}

static int make_head(struct text_class *tc, const char *name, size_t width, bool colour)
{
	size_t len = strlen(name);
	char *start, *p;

	tc->head = calloc(1, len * ESCAPE_FACTOR + width + 32 + EMIT_PADDING);
	if (!tc->head)
		return -ENOMEM;
	p = tc->head;
	if (colour)
		p = emit_bytes(p, COLOUR_EVENT, strlen(COLOUR_EVENT));
	start = p;
	p = escape_terminal(p, name, len);
	for (; (size_t)(p - start) < width; p++)
		*p = ' ';
	if (colour)
		p = emit_bytes(p, COLOUR_OFF, strlen(COLOUR_OFF));
	tc->head_len = (size_t)(p - tc->head);
	return 0;
}

static int make_origin(struct text_class *tc, const struct text *text, const struct origin *origin)
{
	char *p = calloc(1, origin_label_room(origin) + ORIGIN_WIDTH_MAX + 2 + EMIT_PADDING);

	tc->origin = p;
	if (!p)
		return -ENOMEM;
	p = origin_label_text(p, origin, text->parts);
	tc->origin_len = (size_t)(p - tc->origin);
	return 0;
}

/* All as wide as the longest, within reason. */
static void align_origins(struct text *text)
{
	size_t i, width = 0;

	for (i = 0; i < text->class_count; i++)
		if (text->classes[i].origin_len > width)
			width = text->classes[i].origin_len;
	width = width < ORIGIN_WIDTH_MAX ? width : ORIGIN_WIDTH_MAX;
	for (i = 0; width && i < text->class_count; i++) {
		struct text_class *tc = &text->classes[i];
		size_t end = tc->origin_len > width ? tc->origin_len : width;

		memset(tc->origin + tc->origin_len, ' ', end + 2 - tc->origin_len);
		tc->origin_len = end + 2;
	}
}

/* A connection stands where the first of its fields does, or earlier. */
static void order_field(struct text_class *tc, const struct plan *plan, size_t i)
{
	if (!plan->has_ends || !plan_is_end(plan, &plan->fields[i]))
		tc->order[tc->count++] = i;
	else if (tc->ends == SIZE_MAX)
		tc->ends = tc->count++;
}

static size_t at_rank(const struct plan *plan, size_t rank)
{
	size_t i;

	for (i = 0; plan->fields[i].rank != rank; i++)
		;
	return i;
}

static bool is_first(const struct plan_field *pf)
{
	for (size_t i = 0; i < FIRST_FIELDS; i++) {
		if (!strcmp(pf->field->name, first_fields[i]))
			return true;
	}
	return false;
}

static bool is_stack(const struct plan_field *pf)
{
	return pf->form == PLAN_ARRAY && pf->number == PLAN_SYMBOL;
}

/* What says of a stack how it is; the stack itself shows it. */
static bool is_of_stack(const struct text_class *tc, const struct plan_field *pf)
{
	return tc->stack_state >= 0 && pf->form != PLAN_DERIVED &&
	       (!strcmp(pf->field->name, STACK_FIELD) || stack_has_field(pf->field->name));
}

/* Unless the fields were chosen, stacks stand below their event. */
static int take_stacks(struct text_class *tc, const struct plan *plan)
{
	size_t kept = 0;

	tc->stack_state = event_class_find_number(plan->class, STACK_STATE);
	tc->stacks = calloc(plan->count ?: 1, sizeof(*tc->stacks));
	if (!tc->stacks)
		return -ENOMEM;
	for (size_t i = 0; i < tc->count; i++) {
		if (i != tc->ends && is_stack(&plan->fields[tc->order[i]])) {
			tc->stacks[tc->stack_count++] = tc->order[i];
			continue;
		}
		if (i != tc->ends && is_of_stack(tc, &plan->fields[tc->order[i]]))
			continue;
		if (i == tc->ends)
			tc->ends = kept;
		tc->order[kept++] = tc->order[i];
	}
	tc->count = kept;
	return 0;
}

/*
 * As it was asked for. Unless it was, what people look for first comes first: the system call, where
 * the event is about one, or the connection; then the others, and what it happened in.
 */
static int make_order(struct text_class *tc, const struct plan *plan, bool asked, bool cut)
{
	bool calls = !asked && !strncmp(plan->class->name, "sys.", 4);
	size_t i, first = cut && !asked ? FIRST_FIELDS : 0;

	tc->order = calloc(plan->count + 1, sizeof(*tc->order));
	tc->ends = SIZE_MAX;
	tc->stack_state = -1;
	if (!tc->order)
		return -ENOMEM;
	for (i = 0; i < plan->count; i++)
		if (calls && plan->fields[i].form == PLAN_SYSCALL)
			tc->order[tc->count++] = i;
	if (plan->has_ends && !asked)
		tc->ends = tc->count++;
	for (size_t name = 0; name < first; name++)
		for (i = 0; i < plan->count; i++)
			if (!strcmp(plan->fields[i].field->name, first_fields[name]))
				order_field(tc, plan, i);
	for (i = 0; i < plan->count; i++) {
		size_t field = asked ? at_rank(plan, i) : (i + plan->context_count) % plan->count;

		if ((!calls || plan->fields[field].form != PLAN_SYSCALL) &&
		    !(first && is_first(&plan->fields[field])))
			order_field(tc, plan, field);
	}
	return 0;
}

static int make_classes(struct text *text)
{
	size_t i, width = name_width(text);

	text->classes = calloc(text->class_count ?: 1, sizeof(*text->classes));
	if (!text->classes)
		return -ENOMEM;
	for (i = 0; i < text->class_count; i++)
		if (make_head(&text->classes[i], text->view->analysis.info->classes[i]->name, width,
			      text->colour) ||
		    make_origin(&text->classes[i], text,
				text->view->analysis.info->classes[i]->origin) ||
		    make_order(&text->classes[i], &text->plans[i], text->view->fields.count > 0,
			       text->width) ||
		    (text->calls && take_stacks(&text->classes[i], &text->plans[i])))
			return -ENOMEM;
	align_origins(text);
	return 0;
}

struct event_sink *text_new(const struct view *view, const struct text_options *options)
{
	static const struct plan_style plain = {" ", "=", escape_terminal, NULL};
	static const struct plan_style coloured = {" " COLOUR_DIM, "=" COLOUR_OFF, escape_terminal,
						   NULL};
	struct text *text = calloc(1, sizeof(*text));

	if (!text)
		return NULL;
	text->sink.ops = &text_ops;
	text->view = view;
	text->colour = options->colour;
	text->width = options->width && options->width < WIDTH_MIN ? WIDTH_MIN : options->width;
	text->class_count = view->analysis.info->class_count;
	text->parts = origin_parts_differing(view->analysis.info);
	text->time = view->time ?: &text->own_time;
	if (!text->time->started)
		time_text_init(text->time, options->time);
	text->plans = plans_new(view->analysis.info->classes, text->class_count,
				&(struct plan_choice){&view->fields, view->analysis.derived},
				options->colour ? &coloured : &plain);
	text->values = (struct text_values){view, names_new(view->analysis.info, escape_terminal)};
	text->line = &text->own_line;
	if (!text->plans || !text->values.names)
		goto fail;
	if (!options->raw && !view->fields.count) {
		text->calls = text_calls_new(view, text->plans, &text->values);
		if (!text->calls)
			goto fail;
		text->line = view->line ?: &text->own_line;
	}
	if (!make_classes(text))
		return &text->sink;
fail:
	text_free(&text->sink);
	return NULL;
}
