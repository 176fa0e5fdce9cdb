// SPDX-License-Identifier: BSD-2-Clause
#include "probe/call_classes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/glob.h"
#include "schema/call_values.h"
#include "schema/calls.h"
#include "schema/syscalls.h"
#include "wire/record.h"

#define NAME_BYTES 32
#define TEXT_BYTES 48
#define END_FIELDS 3 /* ip, nr, compat: struct call_end */
#define BYTES_FIELDS 3 /* how many bytes, these, and how they are */
#define FIELDS_MAX (CALL_ARGS_MAX + END_FIELDS + 2 * CALL_TEXTS_MAX + BYTES_FIELDS)

struct call_class {
	struct event_class class;
	size_t row;
	bool chosen;
	uint8_t stacks; /* sides of wire/stack.h */
	size_t text_fields; /* of the class, the last: those of recorded texts */
	char text[TEXT_BYTES];
	char names[CALL_ARGS_MAX][NAME_BYTES];
	char states[CALL_TEXTS_MAX][NAME_BYTES]; /* names of fields */
	char sizes[NAME_BYTES];
	struct field fields[FIELDS_MAX];
	uint32_t offsets[FIELDS_MAX];
};

struct call_classes {
	struct syscalls *calls;
	bool some; /* only those that are chosen */
	bool all; /* sys.enter itself was asked for */
	size_t count;
	struct call_class items[];
};

static const char *const kind_texts[CALL_KIND_COUNT] = {
	[CALL_KIND_FD] = "file descriptor",
	[CALL_KIND_DIRFD] = "directory to which a relative path belongs",
	[CALL_KIND_MODE] = "permission bits",
	[CALL_KIND_FLAGS] = "flags",
	[CALL_KIND_FLAGS64] = "flags",
	[CALL_KIND_POINTED] = "flags",
	[CALL_KIND_POINTER] = "address in the caller's memory",
	[CALL_KIND_PAIR] = "address of two descriptors in the caller's memory",
	[CALL_KIND_PATH] = "address of the path in the caller's memory",
	[CALL_KIND_STRING] = "address of the text in the caller's memory",
	[CALL_KIND_SOCKADDR] = "address of the socket address in the caller's memory",
	[CALL_KIND_TEXTS] = "address of a list of texts in the caller's memory",
};

/* In metadata, of arguments whose values have no names. */
static const char *const kind_types[CALL_KIND_COUNT] = {
	[CALL_KIND_INT] = "int_t",	   [CALL_KIND_UINT] = "uint_t",
	[CALL_KIND_LONG] = "long_t",	   [CALL_KIND_ULONG] = "ulong_t",
	[CALL_KIND_SIZE] = "bytes_t",	   [CALL_KIND_FD] = "fd_t",
	[CALL_KIND_MODE] = "mode_t",	   [CALL_KIND_POINTER] = "pointer_t",
	[CALL_KIND_PAIR] = "pair_ptr_t",   [CALL_KIND_PATH] = "path_ptr_t",
	[CALL_KIND_STRING] = "text_ptr_t", [CALL_KIND_SOCKADDR] = "sockaddr_ptr_t",
	[CALL_KIND_TEXTS] = "texts_ptr_t",
};

/* A pointer to what has the name, or the value itself. */
static void name_arg(const struct call_arg *arg, char to[NAME_BYTES])
{
	bool pointer = arg->kind == CALL_KIND_PATH || arg->kind == CALL_KIND_STRING ||
		       arg->kind == CALL_KIND_SOCKADDR || arg->kind == CALL_KIND_TEXTS;

	snprintf(to, NAME_BYTES, "%s%s", arg->name, pointer ? "_ptr" : "");
}

static enum field_show show_of(const struct call_arg *arg)
{
	switch (arg->kind) {
	case CALL_KIND_MODE:
		return FIELD_SHOW_OCTAL;
	case CALL_KIND_FLAGS:
	case CALL_KIND_FLAGS64:
	case CALL_KIND_POINTED:
		return FIELD_SHOW_FLAGS;
	case CALL_KIND_REQUEST:
	case CALL_KIND_POINTER:
	case CALL_KIND_PAIR:
	case CALL_KIND_PATH:
	case CALL_KIND_STRING:
	case CALL_KIND_SOCKADDR:
	case CALL_KIND_TEXTS:
		return FIELD_SHOW_HEX;
	default:
		return FIELD_SHOW_DECIMAL;
	}
}

static void add_field(struct call_class *item, const struct field *field, uint32_t *at)
{
	size_t i = item->class.field_count++;

	item->fields[i] = *field;
	item->fields[i].kind = FIELD_INT;
	item->fields[i].scope = FIELD_SCOPE_OBJECT;
	item->fields[i].count = 1;
	item->fields[i].big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	item->fields[i].align_bits = field->bits % 32 ? 1 : 32;
	item->fields[i].offset_bits = item->offsets[i] = *at;
	*at += field->bits;
}

static void add_arg(struct call_class *item, const struct call_arg *arg, char *name, uint32_t *at)
{
	struct field field = {
		.name = name,
		.text = kind_texts[arg->kind],
		.unit = arg->kind == CALL_KIND_SIZE ? "bytes" : NULL,
		.bits = (uint16_t)(8 * call_arg_bytes(arg)),
		.is_signed = call_arg_is_signed(arg),
		.show = show_of(arg),
		.shared_type = kind_types[arg->kind],
	};

	name_arg(arg, name);
	if (arg->values) {
		field.labels = arg->values->labels;
		field.label_count = arg->values->count;
		field.shared_type = arg->values->type;
	}
	add_field(item, &field, at);
}

/* As struct call_end of probe/sys.bpf.c. */
static void add_end(struct call_class *item, uint32_t *at)
{
	static const struct field end[END_FIELDS] = {
		{.name = "ip",
		 .text = "return address in user space",
		 .bits = 64,
		 .show = FIELD_SHOW_HEX,
		 .shared_type = "ip_t"},
		{.name = "nr",
		 .text = "number of the system call",
		 .bits = 31,
		 .is_signed = true,
		 .show = FIELD_SHOW_SYSCALL,
		 .shared_type = "nr_t"},
		{.name = "compat",
		 .text = "32-bit caller: its numbers are another table's",
		 .bits = 1,
		 .show = FIELD_SHOW_FLAG,
		 .shared_type = "compat_t"},
	};

	for (size_t i = 0; i < END_FIELDS; i++)
		add_field(item, &end[i], at);
}

static const struct field_label text_states[] = {
	{CALL_TEXT_WHOLE, CALL_TEXT_WHOLE, "whole"},
	{CALL_TEXT_CUT, CALL_TEXT_CUT, "cut"},
	{CALL_TEXT_MISSING, CALL_TEXT_MISSING, "missing"},
	{CALL_TEXT_NULL, CALL_TEXT_NULL, "null"},
};

static bool is_text(const struct call_arg *arg)
{
	return arg->kind == CALL_KIND_PATH || arg->kind == CALL_KIND_STRING;
}

static struct field *add_varying(struct call_class *item)
{
	item->text_fields++;
	item->class.fixed = false;
	return &item->fields[item->class.field_count++];
}

/* Behind the first of them, fields have no fixed place. */
static void add_text(struct call_class *item, const struct call_arg *arg, uint32_t at)
{
	bool path = arg->kind == CALL_KIND_PATH;

	*add_varying(item) = (struct field){
		.name = arg->name,
		.text = path ? "path, at most 255 bytes" : "text, at most 255 bytes",
		.kind = FIELD_STRING,
		.scope = FIELD_SCOPE_OBJECT,
		.bits = 8,
		.align_bits = 8,
		.count = 1,
		.offset_bits = at,
		.shared_type = path ? "path_t" : "text_t",
	};
}

static void add_text_state(struct call_class *item, const struct call_arg *arg, char *name,
			   uint32_t at)
{
	snprintf(name, NAME_BYTES, "%s_state", arg->name);
	*add_varying(item) = (struct field){
		.name = name,
		.text = "whole; cut: longer; missing: not in memory when the call began; null: no address",
		.scope = FIELD_SCOPE_OBJECT,
		.bits = 32,
		.align_bits = 32,
		.count = 1,
		.big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__,
		.offset_bits = at,
		.labels = text_states,
		.label_count = sizeof(text_states) / sizeof(text_states[0]),
		.shared_type = "text_state_t",
	};
}

/* What arguments point to, and then how each of these texts is. */
static void add_texts(struct call_class *item, const struct call *call, uint32_t at)
{
	const struct call_arg *texts[CALL_TEXTS_MAX];
	size_t count = 0;

	for (size_t i = 0; i < call->arg_count && count < CALL_TEXTS_MAX; i++) {
		if (is_text(&call->args[i]))
			texts[count++] = &call->args[i];
	}
	for (size_t i = 0; i < count; i++)
		add_text(item, texts[i], at);
	for (size_t i = 0; i < count; i++)
		add_text_state(item, texts[i], item->states[i], at);
}

/* Which argument is the address of a socket that its caller has filled, with its length behind it; -1: none. */
static int find_address(const struct call *call)
{
	for (size_t i = 0; i + 1 < call->arg_count; i++) {
		if (call->args[i].kind == CALL_KIND_SOCKADDR &&
		    call->args[i + 1].kind == CALL_KIND_INT)
			return (int)i;
	}
	return -1;
}

/* The bytes that @arg points to: how many, these, and how they are. */
static void add_bytes(struct call_class *item, const struct call_arg *arg, uint32_t at)
{
	bool list = arg->kind == CALL_KIND_TEXTS;
	uint32_t length;

	snprintf(item->sizes, NAME_BYTES, "%s_bytes", arg->name);
	*add_varying(item) = (struct field){
		.name = item->sizes,
		.text = "bytes that are recorded",
		.unit = "bytes",
		.scope = FIELD_SCOPE_OBJECT,
		.bits = 32,
		.align_bits = 32,
		.count = 1,
		.big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__,
		.offset_bits = at,
		.shared_type = "sockaddr_bytes_t",
	};
	length = (uint32_t)item->class.field_count;
	*add_varying(item) = (struct field){
		.name = arg->name,
		.text = list ? "texts, at most 32, of 256 bytes together" :
			       "socket address, at most 128 bytes",
		.scope = FIELD_SCOPE_OBJECT,
		.show = list ? FIELD_SHOW_TEXTS : FIELD_SHOW_SOCKADDR,
		.bits = 8,
		.align_bits = 8,
		.big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__,
		.length = length,
		.offset_bits = at,
	};
	add_text_state(item, arg, item->states[CALL_TEXTS_MAX - 1], at);
}

static int find_list(const struct call *call)
{
	for (size_t i = 0; i < call->arg_count; i++) {
		if (call->args[i].kind == CALL_KIND_TEXTS)
			return (int)i;
	}
	return -1;
}

static void make_class(struct call_class *item, size_t row)
{
	const struct call *call = calls_get(row);
	uint32_t at = 0;

	item->row = row;
	snprintf(item->text, sizeof(item->text), "%s begins", call->name);
	item->class = (struct event_class){
		.id = CALL_FIRST_ID + (uint32_t)row,
		.name = call->class_name,
		.text = item->text,
		.fixed = true,
		.fields = item->fields,
		.offsets = item->offsets,
	};
	for (size_t i = 0; i < call->arg_count; i++)
		add_arg(item, &call->args[i], item->names[i], &at);
	add_end(item, &at);
	add_texts(item, call, at);
	if (find_address(call) >= 0)
		add_bytes(item, &call->args[find_address(call)], at);
	if (find_list(call) >= 0)
		add_bytes(item, &call->args[find_list(call)], at);
	item->class.payload_bytes = item->class.fixed ? at / 8 : 0;
}

static bool is_here(const struct syscalls *calls, const char *name)
{
	return syscalls_number(calls, false, name) >= 0 || syscalls_number(calls, true, name) >= 0;
}

struct call_classes *call_classes_new(void)
{
	struct call_classes *classes =
		calloc(1, sizeof(*classes) + calls_count() * sizeof(classes->items[0]));

	if (!classes)
		return NULL;
	classes->calls = syscalls_new(syscalls_native_text, syscalls_compat_text);
	if (!classes->calls) {
		free(classes);
		return NULL;
	}
	for (size_t row = 0; row < calls_count() && row < CALL_ROWS_MAX; row++) {
		if (is_here(classes->calls, calls_get(row)->name))
			make_class(&classes->items[classes->count++], row);
	}
	return classes;
}

void call_classes_free(struct call_classes *classes)
{
	if (!classes)
		return;
	syscalls_free(classes->calls);
	free(classes);
}

size_t call_classes_count(const struct call_classes *classes)
{
	return classes->count;
}

const struct event_class *call_classes_get(const struct call_classes *classes, size_t i)
{
	return &classes->items[i].class;
}

bool call_classes_matches(const struct call_classes *classes, const char *pattern)
{
	for (size_t i = 0; i < classes->count; i++) {
		if (pattern_matches(pattern, classes->items[i].class.name))
			return true;
	}
	return false;
}

bool call_classes_choose(struct call_classes *classes, const char *pattern)
{
	bool any = false;

	for (size_t i = 0; i < classes->count; i++) {
		if (!pattern_matches(pattern, classes->items[i].class.name))
			continue;
		classes->items[i].chosen = true;
		any = true;
	}
	classes->some |= any;
	return any;
}

void call_classes_choose_all(struct call_classes *classes)
{
	classes->all = true;
}

bool call_classes_all_chosen(const struct call_classes *classes)
{
	return classes->all || !classes->some;
}

bool call_classes_chosen(const struct call_classes *classes, size_t i)
{
	return call_classes_all_chosen(classes) || classes->items[i].chosen;
}

void call_classes_leave_out_texts(struct call_classes *classes)
{
	for (size_t i = 0; i < classes->count; i++) {
		struct call_class *item = &classes->items[i];
		struct event_class *class = &item->class;

		if (!item->text_fields)
			continue;
		class->field_count -= item->text_fields;
		item->text_fields = 0;
		class->fixed = true;
		class->payload_bytes = class->fields[class->field_count].offset_bits / 8;
	}
}

bool call_classes_give_stacks(struct call_classes *classes, const char *pattern, unsigned int sides)
{
	bool any = false;

	for (size_t i = 0; i < classes->count; i++) {
		if (!pattern_matches(pattern, classes->items[i].class.name) &&
		    strcmp(pattern, CALLS_ENTRY) != 0)
			continue;
		classes->items[i].stacks = (uint8_t)sides;
		any = true;
	}
	return any;
}

bool call_classes_any_stacks(const struct call_classes *classes)
{
	for (size_t i = 0; i < classes->count; i++) {
		if (classes->items[i].stacks)
			return true;
	}
	return false;
}

struct event_class *call_classes_with_stacks(struct call_classes *classes, size_t i)
{
	return classes->items[i].stacks ? &classes->items[i].class : NULL;
}

static const struct call_class *find_row(const struct call_classes *classes, int row)
{
	for (size_t i = 0; i < classes->count; i++) {
		if ((int)classes->items[i].row == row)
			return &classes->items[i];
	}
	return NULL;
}

static void make_plan(const struct call_classes *classes, bool compat, int64_t nr,
		      struct call_plan *plan)
{
	const char *name = syscalls_name(classes->calls, compat, nr);
	const struct call_class *item = find_row(classes, name ? calls_find(name, compat) : -1);
	const struct call *call = item ? calls_get(item->row) : NULL;

	*plan = (struct call_plan){.id = CALL_PLAN_NONE};
	if (item ? !call_classes_chosen(classes, (size_t)(item - classes->items)) :
		   !call_classes_all_chosen(classes))
		plan->id = CALL_PLAN_UNWANTED;
	if (!item || plan->id == CALL_PLAN_UNWANTED)
		return;
	plan->id = (uint16_t)item->class.id;
	plan->stacks = item->stacks;
	if (item->text_fields)
		plan->list = (uint8_t)(find_list(call) + 1);
	if (item->text_fields && find_address(call) >= 0)
		plan->address = (uint8_t)((find_address(call) + 1) |
					  (find_address(call) + 2) << CALL_ADDRESS_LENGTH_SHIFT);
	for (size_t i = 0; i < call->arg_count; i++) {
		uint8_t bytes = (uint8_t)call_arg_bytes(&call->args[i]);
		bool extend = compat && bytes == 8 && call_arg_is_signed(&call->args[i]);

		plan->args[i] = (uint8_t)(bytes | (extend ? CALL_ARG_EXTEND : 0));
		if (call->args[i].kind == CALL_KIND_POINTED)
			plan->args[i] |= CALL_ARG_POINTED;
		plan->bytes = (uint8_t)(plan->bytes + bytes);
		if (call->args[i].kind == CALL_KIND_PAIR)
			plan->pair = (uint8_t)(i + 1);
		if (item->text_fields && is_text(&call->args[i]))
			plan->texts |= (uint8_t)(1u << i);
	}
}

void call_classes_plan(const struct call_classes *classes,
		       struct call_plan plans[2][CALL_NUMBERS_PLANNED])
{
	for (int compat = 0; compat < 2; compat++) {
		for (size_t nr = 0; nr < CALL_NUMBERS_PLANNED; nr++)
			make_plan(classes, compat, (int64_t)nr, &plans[compat][nr]);
	}
}
