// SPDX-License-Identifier: BSD-2-Clause
#include "output/text_call.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/call_stats.h"
#include "base/emit.h"
#include "output/call_arg.h"
#include "output/plan.h"
#include "output/text_value.h"
#include "output/view.h"
#include "schema/call_meaning.h"
#include "schema/calls.h"
#include "schema/stack.h"
#include "wire/stack.h"

#define POINTER_SUFFIX "_ptr" /* of the field with the address of what the field without it is */
#define STATE_SUFFIX "_state" /* of the field that says whether that is all of it */
#define POINTED_FLAGS "uargs_flags" /* of clone3: part of what its first argument points to */
#define KERNEL_ERRORS \
	512u /* from here on a program does not see them: the call is begun again, or changed */

/* How a result that is not an error is written. */
enum result_form { RESULT_SIGNED, RESULT_HEX, RESULT_OCTAL };

struct call_arg_text {
	const struct plan_field *pf;
	const struct plan_field *copy; /* what is there, if @pf is an address; NULL: not recorded */
	const struct plan_field
		*state; /* of the copy, one of the next two: else there is none; NULL: whole */
	int64_t whole, cut;
	const struct plan_field *flags; /* only if these create a file; NULL: always */
};

struct call_class {
	enum text_call_part part;
	bool never_returns;
	bool opens; /* its line waits for the exit */
	uint32_t trace;
	struct call_fields fields;
	const char *name; /* of the call; NULL: by its number */
	size_t name_len;
	struct call_arg_text *args;
	size_t arg_count;
	const struct call_meaning *result; /* NULL: it is one for all */
	int result_by; /* index of the field that decides */
};

struct text_calls {
	const struct view *view;
	const struct plan *plans;
	const struct text_values *values;
	struct call_class *classes; /* by event_class.index */
	size_t class_count;
	uint8_t forms[2][CALL_NUMBERS]; /* enum result_form: native, compat */
	uint8_t words[2][CALL_NUMBERS]; /* that have a meaning, of the six that sys.enter has */
	struct name errors[NAMES_ERRORS]; /* "-1 ENOENT (No such file or directory)" */
};

/* exit(2) has a class of another name than the call's, since sys.exit is the end of any call. */
#define CALLS_EXIT_CALL CALLS_PREFIX "_exit"

static bool never_returns(const struct event_class *class)
{
	return !strcmp(class->name, CALLS_EXIT_CALL) ||
	       !strcmp(class->name, CALLS_PREFIX "exit_group");
}

/* An exit can only be waited for where exits are shown, and are matched with their entries. A stack stands below the
 * line, which therefore ends. */
static bool stays_open(const struct view *view, const struct event_class *class)
{
	return calls_is_entry(class) && !never_returns(class) &&
	       event_class_find_any(class, STACK_STATE) < 0 &&
	       (view->analysis.derived & 1u << DERIVED_DUR);
}

/* What the call of @class returns if it succeeds, by the field *@by; NULL: one thing. */
static const struct call_meaning *find_result(const struct event_class *class, int *by)
{
	const struct call_meaning *result = call_meaning_result(class->name + strlen(CALLS_PREFIX));

	*by = result ? event_class_find_number(class, result->by) : -1;
	return *by >= 0 ? result : NULL;
}

static void open_line(struct call_line *line, const struct call_fields *fields, uint32_t trace,
		      const struct event *event, const struct call_meaning *result, int by)
{
	*line = (struct call_line){
		.open = event->tid >= 0,
		.kept = line->kept,
		.compat = fields->compat >= 0 && event_uint(event, (size_t)fields->compat),
		.tid = event->tid,
		.nr = (int32_t)event_uint(event, (size_t)fields->nr),
		.trace = trace,
		.result = result ? call_meaning_case(result, event_uint(event, (size_t)by)) : NULL,
	};
}

void call_line_follow(struct call_line *line, const struct view *view, const struct event *event)
{
	const struct call_meaning *result;
	struct call_fields fields;
	int by;

	line->open = false;
	if (!stays_open(view, event->class) || !call_fields_find(&fields, event->class))
		return;
	result = find_result(event->class, &by);
	open_line(line, &fields, trace_info_trace(view->analysis.info, event->class->stream), event,
		  result, by);
}

enum text_call_part text_calls_part(const struct text_calls *calls, size_t index)
{
	return calls->classes[index].part;
}

bool text_calls_open(const struct text_calls *calls, struct call_line *line,
		     const struct event *event)
{
	const struct call_class *class = &calls->classes[event->class->index];

	if (class->opens)
		open_line(line, &class->fields, class->trace, event, class->result,
			  class->result_by);
	return line->open;
}

bool text_calls_ends(const struct text_calls *calls, const struct call_line *line,
		     const struct event *event)
{
	const struct call_class *class = &calls->classes[event->class->index];

	return line->open && class->part == TEXT_CALL_EXIT && line->tid == event->tid &&
	       line->nr == (int32_t)event_uint(event, (size_t) class->fields.nr) &&
	       line->trace == class->trace &&
	       line->compat == (class->fields.compat >= 0 &&
				event_uint(event, (size_t) class->fields.compat));
}

static char *write_number_name(char *p, const struct text_calls *calls,
			       const struct call_class *class, const struct event *event)
{
	int64_t nr = (int64_t)event_uint(event, (size_t) class->fields.nr);
	bool compat = class->fields.compat >= 0 && event_uint(event, (size_t) class->fields.compat);
	const struct name *name = names_call(calls->values->names, compat, nr);

	if (name)
		return emit_short(p, name->text, name->len);
	p = emit_bytes(p, "syscall_", 8);
	return emit_int(p, nr);
}

char *text_calls_name(char *p, const struct text_calls *calls, const struct event *event)
{
	const struct call_class *class = &calls->classes[event->class->index];

	if (class->name)
		return emit_bytes(p, class->name, class->name_len);
	return write_number_name(p, calls, class, event);
}

/* The kernel does not look at it: the mode of a file that is not created, say. */
static bool is_unused(const struct call_arg_text *arg, const struct call_case *form,
		      const struct event *event)
{
	if (form && form->form == CALL_FORM_ABSENT)
		return true;
	return arg->flags &&
	       !(event_uint(event, arg->flags->index) & (O_CREAT | (O_TMPFILE & ~O_DIRECTORY)));
}

/* Fewer bytes than any address has, as strace has it. */
static bool is_no_address(const struct plan_field *copy, const struct event *event)
{
	return copy->form == PLAN_SOCKADDR && event_count(event, copy->index) < 2;
}

/* "/usr/li"..., ["ls", ...] */
static char *write_cut(char *p, const struct text_calls *calls, const struct plan *plan,
		       const struct plan_field *copy, const struct event *event)
{
	p = text_value_write(p, calls->values, plan, copy, event);
	/* What is behind an address that is longer than any is not part of it. */
	if (copy->form == PLAN_SOCKADDR)
		return p;
	if (copy->form != PLAN_TEXTS)
		return emit_bytes(p, "...", 3);
	p--; /* the bracket */
	return p[-1] == '[' ? emit_bytes(p, "...]", 4) : emit_bytes(p, ", ...]", 6);
}

static char *write_arg(char *p, const struct text_calls *calls, const struct plan *plan,
		       const struct call_arg_text *arg, const struct call_case *form,
		       const struct event *event)
{
	int64_t state = arg->whole;

	if (form && form->form != CALL_FORM_PLAIN)
		return call_arg_write(p, form, event_uint(event, arg->pf->index));
	if (arg->copy && event_has(event, arg->copy->index) && !is_no_address(arg->copy, event)) {
		if (arg->state)
			state = (int64_t)event_uint(event, arg->state->index);
		if (state == arg->whole)
			return text_value_write(p, calls->values, plan, arg->copy, event);
		if (state == arg->cut) {
			return write_cut(p, calls, plan, arg->copy, event);
		}
	}
	if (arg->pf->form == PLAN_HEX && arg->pf->field->bits == 64 &&
	    !event_uint(event, arg->pf->index))
		return emit_bytes(p, "NULL", 4);
	return text_value_write(p, calls->values, plan, arg->pf, event);
}

/* Of the six words of a call that has no class of its own, its arguments. */
static char *write_words(char *p, const struct text_calls *calls, const struct plan_field *pf,
			 const struct event *event)
{
	const struct call_fields *fields = &calls->classes[event->class->index].fields;
	uint64_t nr = event_uint(event, (size_t)fields->nr);
	bool compat = fields->compat >= 0 && event_uint(event, (size_t)fields->compat);
	uint32_t count = event_count(event, pf->index);

	if (nr < CALL_NUMBERS && calls->words[compat][nr] < count)
		count = calls->words[compat][nr];
	for (uint32_t i = 0; i < count; i++) {
		if (i)
			p = emit_bytes(p, ", ", 2);
		p = emit_hex(p, event_element_fast(event, pf->index, i));
	}
	return p;
}

/* "</etc/hostname>", as strace(1) with -y */
static char *write_file(char *p, const struct text_calls *calls, size_t field)
{
	const struct event_facts *facts = analysis_facts(&calls->view->analysis);

	if (!facts || !(facts->has & FACTS_FILES))
		return p;
	for (uint32_t i = 0; i < facts->file_count; i++) {
		if (facts->files[i].field != field)
			continue;
		p = emit_char(p, '<');
		p = escape_terminal(p, facts->files[i].name, facts->files[i].len);
		return emit_char(p, '>');
	}
	return p;
}

char *text_calls_args(char *p, const struct text_calls *calls, const struct event *event)
{
	const struct call_class *class = &calls->classes[event->class->index];
	const struct plan *plan = &calls->plans[event->class->index];
	bool first = true;

	p = emit_char(p, '(');
	for (size_t i = 0; i < class->arg_count; i++) {
		const struct call_arg_text *arg = &class->args[i];
		const struct call_case *form = plan_case(arg->pf, event);

		if (!event_has(event, arg->pf->index) || is_unused(arg, form, event))
			continue;
		if (!first)
			p = emit_bytes(p, ", ", 2);
		first = false;
		p = arg->pf->form == PLAN_ARRAY ? write_words(p, calls, arg->pf, event) :
						  write_arg(p, calls, plan, arg, form, event);
		p = write_file(p, calls, arg->pf->index);
	}
	return p;
}

char *text_calls_close(char *p, const struct text_calls *calls, const struct event *event)
{
	p = emit_char(p, ')');
	if (calls->classes[event->class->index].never_returns)
		p = emit_bytes(p, " = ?", 4);
	return p;
}

char *text_calls_resumed(char *p, const struct text_calls *calls, const struct event *event)
{
	const struct call_class *class = &calls->classes[event->class->index];

	p = emit_bytes(p, "<... ", 5);
	p = write_number_name(p, calls, class, event);
	return emit_bytes(p, " resumed>", 9);
}

/* Three digits of @ns in a unit of @unit ns. */
static char *write_digits(char *p, uint64_t ns, uint64_t unit)
{
	uint64_t hundredths = (ns + unit / 200) / (unit / 100);

	if (hundredths >= 1000)
		hundredths = (ns + unit / 20) / (unit / 10) * 10;
	if (hundredths >= 10000)
		return emit_uint(p, (ns + unit / 2) / unit);
	p = emit_uint(p, hundredths / 100);
	p = emit_char(p, '.');
	if (hundredths >= 1000)
		return emit_uint(p, hundredths % 100 / 10);
	return emit_pair(p, (unsigned int)(hundredths % 100));
}

/* " <12.3us>" */
static char *write_duration(char *p, uint64_t ns)
{
	p = emit_bytes(p, " <", 2);
	if (ns < 1000) {
		p = emit_uint(p, ns);
		return emit_bytes(p, "ns>", 3);
	}
	/* What is rounded up to 1000 is 1 of the next unit. */
	if (ns < 999500) {
		p = write_digits(p, ns, 1000);
		return emit_bytes(p, "us>", 3);
	}
	if (ns < 999500000) {
		p = write_digits(p, ns, 1000000);
		return emit_bytes(p, "ms>", 3);
	}
	p = write_digits(p, ns, 1000000000);
	return emit_bytes(p, "s>", 2);
}

/* "0x8002 (flags O_RDWR|O_LARGEFILE)" */
static char *write_named_result(char *p, const struct call_case *form, uint64_t ret)
{
	p = ret && form->form == CALL_FORM_FLAGS ? emit_hex(p, ret) : emit_uint(p, ret);
	if (!ret && !form->shows_zero)
		return p;
	p = emit_bytes(p, " (", 2);
	if (form->form == CALL_FORM_FLAGS)
		p = emit_bytes(p, "flags ", 6);
	p = call_arg_write(p, form, ret);
	return emit_char(p, ')');
}

static char *write_result(char *p, const struct text_calls *calls, const struct call_class *class,
			  const struct event *event, const struct call_case *form)
{
	int64_t ret = (int64_t)event_uint(event, (size_t) class->fields.ret);
	uint64_t nr = event_uint(event, (size_t) class->fields.nr);
	bool compat = class->fields.compat >= 0 && event_uint(event, (size_t) class->fields.compat);

	if (ret < 0 && ret > -(int64_t)NAMES_ERRORS && calls->errors[-ret].text)
		return emit_short(p, calls->errors[-ret].text, calls->errors[-ret].len);
	if (form && form->form != CALL_FORM_PLAIN)
		return write_named_result(p, form, (uint64_t)ret);
	if (nr >= CALL_NUMBERS || calls->forms[compat][nr] == RESULT_SIGNED)
		return emit_int(p, ret);
	return calls->forms[compat][nr] == RESULT_HEX ? emit_hex(p, (uint64_t)ret) :
							emit_octal(p, (uint64_t)ret);
}

char *text_calls_result(char *p, const struct text_calls *calls, const struct call_case *form,
			const struct event *event)
{
	const struct event_facts *facts = analysis_facts(&calls->view->analysis);

	p = emit_bytes(p, ") = ", 4);
	p = write_result(p, calls, &calls->classes[event->class->index], event, form);
	p = write_file(p, calls, (size_t)calls->classes[event->class->index].fields.ret);
	if (facts && facts->has & 1u << DERIVED_DUR)
		p = write_duration(p, facts->derived[DERIVED_DUR]);
	return p;
}

char *text_calls_unfinished(char *p)
{
	return emit_bytes(p, " <unfinished ...>\n", 18);
}

static const struct plan_field *find_field(const struct plan *plan, const char *name, size_t len)
{
	for (size_t i = 0; i < plan->count; i++) {
		const struct plan_field *pf = &plan->fields[i];

		if (pf->form != PLAN_DERIVED && strlen(pf->field->name) == len &&
		    !memcmp(pf->field->name, name, len))
			return pf;
	}
	return NULL;
}

static bool has_suffix(const char *name, size_t len, const char *suffix)
{
	const size_t suffix_len = strlen(suffix);

	return len > suffix_len && !strcmp(name + len - suffix_len, suffix);
}

/* Whether the field is the copy of what another one points to, says how that is, or counts its bytes. */
static bool is_of_copy(const struct plan *plan, const struct plan_field *pf)
{
	const char *name = pf->field->name;
	size_t name_len = strlen(name);
	char pointer[128];
	int len;

	for (size_t i = 0; i < plan->class->field_count; i++)
		if ((plan->class->fields[i].kind == FIELD_TEXT ||
		     field_is_bytes(&plan->class->fields[i])) &&
		    plan->class->fields[i].length == pf->index + 1)
			return true;
	if (has_suffix(name, name_len, STATE_SUFFIX))
		name_len -= strlen(STATE_SUFFIX);
	len = snprintf(pointer, sizeof(pointer), "%.*s" POINTER_SUFFIX, (int)name_len, name);
	return len > 0 && (size_t)len < sizeof(pointer) && find_field(plan, pointer, (size_t)len);
}

/* Whether the field is of the stack of the task that called. */
static bool is_of_stack(const struct event_class *class, const char *name)
{
	return event_class_find_any(class, STACK_STATE) >= 0 &&
	       (!strcmp(name, STACK_FIELD) || stack_has_field(name));
}

/* Whether @pf is of the call itself, neither of what all records have nor of what it happened in. */
static bool is_argument(const struct call_class *class, const struct plan *plan,
			const struct plan_field *pf)
{
	return pf->form != PLAN_DERIVED && pf->index >= plan->class->context_count &&
	       (int)pf->index != class->fields.nr && (int)pf->index != class->fields.compat &&
	       strcmp(pf->field->name, "ip") != 0 && strcmp(pf->field->name, POINTED_FLAGS) != 0 &&
	       !is_of_copy(plan, pf) && !is_of_stack(plan->class, pf->field->name);
}

static bool opens_file(const struct event_class *class)
{
	return !strcmp(class->name, CALLS_PREFIX "open") ||
	       !strcmp(class->name, CALLS_PREFIX "openat");
}

/* The value of @field that is called @name; INT64_MIN: none. */
static int64_t labelled(const struct field *field, const char *name)
{
	for (size_t i = 0; i < field->label_count; i++)
		if (!strcmp(field->labels[i].name, name))
			return field->labels[i].first;
	return INT64_MIN;
}

/* @len: of the name without POINTER_SUFFIX. */
static void find_copy(struct call_arg_text *arg, const struct plan *plan, size_t len)
{
	char state[128];
	int state_len =
		snprintf(state, sizeof(state), "%.*s" STATE_SUFFIX, (int)len, arg->pf->field->name);

	arg->copy = find_field(plan, arg->pf->field->name, len);
	if (state_len > 0 && (size_t)state_len < sizeof(state))
		arg->state = find_field(plan, state, (size_t)state_len);
	if (!arg->state)
		return;
	arg->whole = labelled(arg->state->field, "whole");
	arg->cut = labelled(arg->state->field, "cut");
}

static int find_args(struct call_class *class, const struct plan *plan)
{
	class->args = calloc(plan->count ?: 1, sizeof(*class->args));
	if (!class->args)
		return -1;
	for (size_t i = 0; i < plan->count; i++) {
		const struct plan_field *pf = &plan->fields[i];
		struct call_arg_text *arg = &class->args[class->arg_count];
		size_t len = strlen(pf->field->name);

		if (!is_argument(class, plan, pf))
			continue;
		class->arg_count++;
		arg->pf = pf;
		if (has_suffix(pf->field->name, len, POINTER_SUFFIX))
			find_copy(arg, plan, len - strlen(POINTER_SUFFIX));
		if (opens_file(plan->class) && !strcmp(pf->field->name, "mode"))
			arg->flags = find_field(plan, "flags", 5);
	}
	return 0;
}

static int init_class(struct text_calls *calls, const struct event_class *class)
{
	struct call_class *of = &calls->classes[class->index];

	if (!call_fields_find(&of->fields, class))
		return 0;
	of->trace = trace_info_trace(calls->view->analysis.info, class->stream);
	of->part = of->fields.ends ? TEXT_CALL_EXIT : TEXT_CALL_ENTRY;
	of->never_returns = never_returns(class);
	of->opens = stays_open(calls->view, class);
	if (!of->fields.ends)
		of->result = find_result(class, &of->result_by);
	if (strcmp(class->name, CALLS_EXIT) != 0 && strcmp(class->name, CALLS_ENTRY) != 0)
		of->name = strcmp(class->name, CALLS_EXIT_CALL) ?
				   class->name + strlen(CALLS_PREFIX) :
				   "exit";
	of->name_len = of->name ? strlen(of->name) : 0;
	return of->fields.ends ? 0 : find_args(of, &calls->plans[class->index]);
}

static uint8_t form_of(const char *name)
{
	static const char *const addresses[] = {"brk", "mmap", "mmap2", "mremap", "shmat"};

	for (size_t i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++)
		if (!strcmp(name, addresses[i]))
			return RESULT_HEX;
	return strcmp(name, "umask") ? RESULT_SIGNED : RESULT_OCTAL;
}

/* What the kernel's own errors mean, as strace(1) says it. */
static const char *kernel_error_text(unsigned int error)
{
	switch (error) {
	case 512: /* ERESTARTSYS, include/linux/errno.h */
		return "To be restarted if SA_RESTART is set";
	case 513: /* ERESTARTNOINTR */
		return "To be restarted";
	case 514: /* ERESTARTNOHAND */
		return "To be restarted if no handler";
	case 516: /* ERESTART_RESTARTBLOCK */
		return "Interrupted by signal";
	default:
		return "Not seen by programs";
	}
}

static int init_results(struct text_calls *calls)
{
	const struct names *names = calls->values->names;
	char text[NAME_MAX_BYTES];
	int row;

	for (size_t i = 0; i < 2 * CALL_NUMBERS; i++) {
		const struct name *name = &names->calls[i / CALL_NUMBERS][i % CALL_NUMBERS];

		calls->words[i / CALL_NUMBERS][i % CALL_NUMBERS] = CALL_ARGS_MAX;
		if (!name->text)
			continue;
		calls->forms[i / CALL_NUMBERS][i % CALL_NUMBERS] = form_of(name->text);
		row = calls_find(name->text, i >= CALL_NUMBERS);
		if (row >= 0)
			calls->words[i / CALL_NUMBERS][i % CALL_NUMBERS] =
				(uint8_t)calls_get((size_t)row)->arg_count;
	}
	for (unsigned int i = 1; i < NAMES_ERRORS; i++) {
		const struct name *name = &names->errors[i];
		const char *what = i < KERNEL_ERRORS ? strerrordesc_np((int)i) :
						       kernel_error_text(i);

		if (!name->text)
			continue;
		snprintf(text, sizeof(text), "%s %s (%s)", i < KERNEL_ERRORS ? "-1" : "?",
			 name->text, what ?: "?");
		if (name_init(&calls->errors[i], text, escape_terminal))
			return -1;
	}
	return 0;
}

struct text_calls *text_calls_new(const struct view *view, const struct plan *plans,
				  const struct text_values *values)
{
	const struct trace_info *info = view->analysis.info;
	struct text_calls *calls = calloc(1, sizeof(*calls));
	int err;

	if (!calls)
		return NULL;
	calls->view = view;
	calls->plans = plans;
	calls->values = values;
	calls->class_count = info->class_count;
	calls->classes = calloc(info->class_count ?: 1, sizeof(*calls->classes));
	err = calls->classes ? init_results(calls) : -1;
	for (size_t i = 0; !err && i < info->class_count; i++)
		err = init_class(calls, info->classes[i]);
	if (!err)
		return calls;
	text_calls_free(calls);
	return NULL;
}

void text_calls_free(struct text_calls *calls)
{
	if (!calls)
		return;
	for (size_t i = 0; calls->classes && i < calls->class_count; i++)
		free(calls->classes[i].args);
	for (size_t i = 0; i < NAMES_ERRORS; i++)
		free(calls->errors[i].text);
	free(calls->classes);
	free(calls);
}
