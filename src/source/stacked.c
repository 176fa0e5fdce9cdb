// SPDX-License-Identifier: BSD-2-Clause
#include "source/stacked.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "schema/source.h"
#include "schema/stack.h"
#include "symbol/symbol_table.h"
#include "symbol/symbols.h"
#include "wire/stack.h"

#define BLOCK_BYTES (256u << 10)
#define GENERATION_FRAMES (8u << 20) /* then those that did not come again are forgotten */
#define FRAMES_LIMIT 4096u /* of one side; the kernel half has less */

/* A stack as its note has it. */
struct stack {
	uint64_t *frames; /* the kernel's, then the program's; NULL = none was met */
	uint32_t kernel;
	uint32_t user;
	uint32_t state; /* enum stack_state */
	uint32_t skip; /* of the kernel's, the first: those of the tracing itself */
	uint32_t used; /* since `skip` is not known */
	bool named; /* `skip` is known */
};

/* Where the note has what. */
struct note_fields {
	int id, cut, kernel_depth, user_depth, kernel_stack, user_stack;
};

/* What becomes of one class. */
struct stacked_class {
	int id; /* field; -1: its events are passed on */
	bool is_note;
	struct note_fields note;
	struct event_class *class; /* with the stacks; owned */
};

struct block {
	struct block *next;
	size_t used;
	size_t room;
	uint64_t bytes[];
};

struct stacked {
	struct event_source source; /* first: the vtable's functions get this */
	struct source_ops ops; /* those that the inner one has */
	struct event_source *inner;
	struct trace_info info; /* that of the inner one, with other classes */
	const struct event_class **classes;
	struct stacked_class *stacked;
	size_t class_count;
	bool any; /* some class has stacks */
	struct event_class **retired; /* from before a renewal */
	size_t retired_count;
	struct map young; /* id -> struct stack; those met in this generation */
	struct map old; /* of the one before */
	size_t young_frames;
	struct event *events;
	size_t room;
	struct block *blocks; /* of the events given last */
};

static void free_stacks(struct map *map)
{
	const void *key;
	void *value;

	for (size_t at = 0; map_next(map, &at, &key, &value);)
		free(((struct stack *)value)->frames);
	map_fini(map);
	map_init(map, sizeof(uint64_t), sizeof(struct stack), 0);
}

static void free_blocks(struct stacked *st)
{
	while (st->blocks) {
		struct block *next = st->blocks->next;

		free(st->blocks);
		st->blocks = next;
	}
}

/* All but one block of the usual size, for the next batch. */
static void reuse_blocks(struct stacked *st)
{
	struct block *kept = NULL;

	while (st->blocks) {
		struct block *next = st->blocks->next;

		if (!kept && st->blocks->room == BLOCK_BYTES)
			kept = st->blocks;
		else
			free(st->blocks);
		st->blocks = next;
	}
	if (kept) {
		kept->used = 0;
		kept->next = NULL;
	}
	st->blocks = kept;
}

static void *take_bytes(struct stacked *st, size_t len)
{
	struct block *block = st->blocks;
	size_t room = len > BLOCK_BYTES ? len : BLOCK_BYTES;
	void *bytes;

	len = (len + 7) & ~(size_t)7;
	if (!block || block->room - block->used < len) {
		room = (room + 7) & ~(size_t)7;
		block = malloc(sizeof(*block) + room);
		if (!block)
			return NULL;
		block->room = room;
		block->used = 0;
		block->next = st->blocks;
		st->blocks = block;
	}
	bytes = (char *)block->bytes + block->used;
	block->used += len;
	return bytes;
}

static struct symbols *symbols_of(const struct stacked *st, const struct event_class *class)
{
	return trace_info_symbols(&st->info, class->stream);
}

/* Functions between the tracepoint and the program that takes the stack. */
static bool is_tracing(const char *name)
{
	static const char *const prefixes[] = {
		"bpf_",		  "__bpf_",	      "__traceiter_",	 "perf_trace_",
		"trace_call_bpf", "stack_trace_save", "arch_stack_walk", "get_callchain_entry"};

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
		if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
			return true;
	}
	return false;
}

/* The names of functions come with the trace, and of one that is being recorded perhaps after the stack. */
static void find_skip(struct stack *stack, struct symbols *symbols)
{
	uint32_t most = stack->kernel < STACK_FRAMES_OVER ? stack->kernel : STACK_FRAMES_OVER;
	struct symbol symbol;

	if (stack->named || !symbols || (stack->used & (stack->used + 1)))
		return;
	stack->skip = 0;
	for (uint32_t i = 0; i < most; i++) {
		if (!symbols_find_kernel(symbols, stack->frames[i], &symbol))
			continue;
		stack->named = true;
		if (is_tracing(symbol.name))
			stack->skip = i + 1;
	}
}

/* The generation that was is forgotten, once this one has grown. */
static void age(struct stacked *st)
{
	struct map emptied = st->old;

	if (st->young_frames < GENERATION_FRAMES)
		return;
	st->old = st->young;
	st->young = emptied;
	free_stacks(&st->young);
	st->young_frames = 0;
}

/* Moves the stack called @id from the old generation into the young one; false: it has none. */
static bool keep(struct stacked *st, uint64_t id)
{
	struct stack *was = map_get(&st->old, &id), *stack;

	if (!was || !was->frames)
		return false;
	stack = map_at(&st->young, &id);
	if (!stack)
		return false;
	*stack = *was;
	was->frames = NULL;
	st->young_frames += stack->kernel + stack->user;
	return true;
}

static uint32_t state_of_cut(uint64_t cut)
{
	return (uint32_t)(cut <= STACK_STATE_BOTH_CUT ? cut : STACK_STATE_WHOLE);
}

/* Out of memory loses a stack, never an event. */
static void learn(struct stacked *st, const struct note_fields *note, const struct event *event)
{
	uint64_t id = event_uint(event, (size_t)note->id);
	uint32_t kernel = event_count(event, (size_t)note->kernel_stack);
	uint32_t user = event_count(event, (size_t)note->user_stack);
	struct stack *stack = map_get(&st->young, &id);
	uint64_t *frames;

	if (stack || keep(st, id) || kernel > FRAMES_LIMIT || user > FRAMES_LIMIT ||
	    id < STACK_ID_FIRST)
		return;
	age(st);
	frames = malloc((kernel + user + 1) * sizeof(*frames));
	stack = frames ? map_at(&st->young, &id) : NULL;
	if (!stack) {
		free(frames);
		return;
	}
	for (uint32_t i = 0; i < kernel; i++)
		frames[i] = event_element_fast(event, (size_t)note->kernel_stack, i);
	for (uint32_t i = 0; i < user; i++)
		frames[kernel + i] = event_element_fast(event, (size_t)note->user_stack, i);
	*stack = (struct stack){
		.frames = frames,
		.kernel = kernel,
		.user = user,
		.state = state_of_cut(event_uint(event, (size_t)note->cut)),
	};
	st->young_frames += kernel + user;
}

static const struct stack *find_stack(struct stacked *st, uint64_t id, struct symbols *symbols)
{
	struct stack *stack = map_get(&st->young, &id);

	if (!stack && keep(st, id))
		stack = map_get(&st->young, &id);
	if (stack) {
		find_skip(stack, symbols);
		stack->used++;
	}
	return stack;
}

/* Where the last of its fields ends, from its payload on. */
static size_t payload_bytes(const struct event *event)
{
	const struct event_class *class = event->class;
	uint64_t end = 0;

	if (class->fixed)
		return class->payload_bytes;
	for (size_t i = 0; i < class->field_count; i++) {
		const struct field *field = &class->fields[i];
		uint64_t bits = field->bits, at;
		size_t len;

		if (!event_has(event, i))
			continue;
		if (field->kind == FIELD_STRING) {
			(void)event_text(event, i, &len);
			bits = (len + 1) * 8;
		} else {
			bits *= event_count(event, i);
		}
		at = event->offsets[i] + bits;
		end = at > end ? at : end;
	}
	return (end + 7) / 8;
}

/* @event with the fields of its stack, in memory of the batch. 0 or -ENOMEM. */
static int add_stack(struct stacked *st, const struct stacked_class *how, const struct event *event,
		     struct event *ret)
{
	const uint64_t id = event_uint(event, (size_t)how->id);
	const struct stack *stack = NULL;
	const size_t count = event->class->field_count;
	size_t len = payload_bytes(event), frame_bytes = 0, at;
	uint32_t state = STACK_STATE_LOST, *offsets;
	uint16_t kernel = 0, user = 0;
	uint8_t *payload;

	if (id == STACK_NONE)
		state = STACK_STATE_NONE;
	else if (id == STACK_FAILED)
		state = STACK_STATE_FAILED;
	else
		stack = find_stack(st, id, symbols_of(st, event->class));
	if (stack) {
		state = stack->state;
		kernel = (uint16_t)(stack->kernel - stack->skip);
		user = (uint16_t)stack->user;
		frame_bytes = ((size_t)kernel + user) * sizeof(uint64_t);
	}
	at = (len + 7) & ~(size_t)7;
	payload = take_bytes(st, at + 8 + frame_bytes);
	offsets = take_bytes(st, (count + STACK_FIELD_COUNT) * sizeof(*offsets));
	if (!payload || !offsets)
		return -ENOMEM;
	memcpy(payload, event->payload, len);
	memcpy(payload + at, &state, sizeof(state));
	memcpy(payload + at + 4, &kernel, sizeof(kernel));
	memcpy(payload + at + 6, &user, sizeof(user));
	if (stack)
		memcpy(payload + at + 8, stack->frames + stack->skip, frame_bytes);
	memcpy(offsets, event->offsets, count * sizeof(*offsets));
	offsets[count] = (uint32_t)(at * 8);
	offsets[count + 1] = (uint32_t)(at * 8 + 32);
	offsets[count + 2] = (uint32_t)(at * 8 + 48);
	offsets[count + 3] = (uint32_t)(at * 8 + 64);
	offsets[count + 4] = (uint32_t)(at * 8 + 64 + (uint64_t)kernel * 64);
	*ret = *event;
	ret->class = how->class;
	ret->payload = payload;
	ret->offsets = offsets;
	return 0;
}

static int make_room(struct stacked *st, size_t count)
{
	struct event *events;

	if (count <= st->room)
		return 0;
	events = realloc(st->events, count * sizeof(*events));
	if (!events)
		return -ENOMEM;
	st->events = events;
	st->room = count;
	return 0;
}

/* What the inner source has found out of itself since. */
static void tell(struct stacked *st)
{
	st->info = *st->inner->info;
	st->info.classes = st->classes;
	st->info.class_count = st->class_count;
}

static int stacked_next(struct event_source *source, const struct event **ret)
{
	struct stacked *st = (struct stacked *)source;
	const struct event *given;
	int got = st->inner->ops->next(st->inner, &given), err = 0;

	tell(st);
	*ret = given;
	if (got <= 0 || !st->any)
		return got;
	reuse_blocks(st);
	if (make_room(st, (size_t)got))
		return -ENOMEM;
	for (int i = 0; !err && i < got; i++) {
		const struct stacked_class *how = &st->stacked[given[i].class->index];

		st->events[i] = given[i];
		if (how->is_note)
			learn(st, &how->note, &given[i]);
		if (how->class)
			err = add_stack(st, how, &given[i], &st->events[i]);
	}
	*ret = st->events;
	return err ?: got;
}

static const char *stacked_problem(const struct event_source *source, size_t i)
{
	const struct stacked *st = (const struct stacked *)source;

	return st->inner->ops->problem(st->inner, i);
}

static int stacked_seek(struct event_source *source, const struct source_span *span)
{
	struct stacked *st = (struct stacked *)source;

	return st->inner->ops->seek(st->inner, span);
}

static size_t stacked_cut(struct event_source *source, uint64_t bytes, int64_t *moments,
			  size_t room)
{
	struct stacked *st = (struct stacked *)source;

	return st->inner->ops->cut(st->inner, bytes, moments, room);
}

static int stacked_chain(struct event_source *source, struct stream_chain *chain)
{
	struct stacked *st = (struct stacked *)source;

	return st->inner->ops->chain(st->inner, chain);
}

static int64_t stacked_until(struct event_source *source)
{
	struct stacked *st = (struct stacked *)source;

	return st->inner->ops->until(st->inner);
}

static void stacked_patience(struct event_source *source, uint64_t ns)
{
	struct stacked *st = (struct stacked *)source;

	st->inner->ops->patience(st->inner, ns);
}

static void stacked_stop_when(struct event_source *source, source_stop_fn *is_stopped)
{
	struct stacked *st = (struct stacked *)source;

	st->inner->ops->stop_when(st->inner, is_stopped);
}

static void stacked_retire(struct event_source *source)
{
	struct stacked *st = (struct stacked *)source;

	st->inner->ops->retire(st->inner);
}

static int find(const struct event_class *class, const char *name)
{
	return event_class_find(class, name);
}

static bool is_note(const struct event_class *class, struct note_fields *ret)
{
	*ret = (struct note_fields){
		.id = event_class_find_number(class, "id"),
		.cut = event_class_find_number(class, "cut"),
		.kernel_depth = event_class_find_number(class, "kernel_depth"),
		.user_depth = event_class_find_number(class, "user_depth"),
		.kernel_stack = find(class, STACK_KERNEL_STACK),
		.user_stack = find(class, STACK_USER_STACK),
	};
	return class->role == EVENT_ROLE_STACK && ret->id >= 0 && ret->cut >= 0 &&
	       ret->kernel_depth >= 0 && ret->user_depth >= 0 && ret->kernel_stack >= 0 &&
	       ret->user_stack >= 0 && class->fields[ret->kernel_stack].kind == FIELD_INT &&
	       class->fields[ret->user_stack].kind == FIELD_INT;
}

/* The id of the stack, or -1: it has none, or is not one that can be added to: only plain fields stay where they are. */
static int find_id(const struct event_class *class)
{
	int id = event_class_find_number(class, STACK_FIELD);

	if (id < 0 || class->fields[id].bits != 64 || class->role != EVENT_ROLE_PLAIN)
		return -1;
	for (size_t i = 0; i < class->field_count; i++) {
		if (class->fields[i].count_at || class->fields[i].kind == FIELD_LIST ||
		    class->fields[i].count_of.index || !class->fields[i].bits ||
		    stack_has_field(class->fields[i].name))
			return -1;
	}
	return id;
}

/* A copy of @from, in one piece, that has the fields of a stack behind its own. */
static struct event_class *make_class(const struct event_class *from)
{
	const size_t count = from->field_count + STACK_FIELD_COUNT;
	struct event_class *class;
	struct field *fields;
	uint32_t *offsets;

	class = calloc(1, sizeof(*class) + count * (sizeof(*fields) + sizeof(*offsets)));
	if (!class)
		return NULL;
	fields = (struct field *)(class + 1);
	offsets = (uint32_t *)(fields + count);
	*class = *from;
	memcpy(fields, from->fields, from->field_count * sizeof(*fields));
	memcpy(offsets, from->offsets, from->field_count * sizeof(*offsets));
	stack_fields(fields + from->field_count, (uint32_t)from->field_count);
	class->fields = fields;
	class->offsets = offsets;
	class->field_count = class->offset_count = count;
	class->fixed = false;
	class->payload_bytes = 0;
	return class;
}

/* 0 or -ENOMEM. */
static int make_classes(struct stacked *st)
{
	const struct trace_info *info = st->inner->info;
	size_t count = info->class_count;

	st->any = false;
	st->class_count = 0;
	free(st->classes);
	free(st->stacked);
	st->classes = calloc(count ?: 1, sizeof(*st->classes));
	st->stacked = calloc(count ?: 1, sizeof(*st->stacked));
	if (!st->classes || !st->stacked)
		return -ENOMEM;
	st->class_count = count;
	for (size_t i = 0; i < count; i++) {
		struct stacked_class *how = &st->stacked[i];

		st->classes[i] = info->classes[i];
		how->is_note = is_note(info->classes[i], &how->note);
		how->id = find_id(info->classes[i]);
		if (how->id < 0)
			continue;
		how->class = make_class(info->classes[i]);
		if (!how->class)
			return -ENOMEM;
		st->classes[i] = how->class;
		st->any = true;
	}
	return 0;
}

/* Readers may have the classes of before until they close the source. */
static int retire_classes(struct stacked *st)
{
	struct event_class **retired =
		realloc(st->retired, (st->retired_count + st->class_count + 1) * sizeof(*retired));

	if (!retired)
		return -ENOMEM;
	st->retired = retired;
	for (size_t i = 0; i < st->class_count; i++) {
		if (st->stacked[i].class)
			retired[st->retired_count++] = st->stacked[i].class;
		st->stacked[i].class = NULL;
	}
	return 0;
}

static int stacked_renew(struct event_source *source, bool again, struct diag *diag)
{
	struct stacked *st = (struct stacked *)source;
	int err = retire_classes(st);

	err = err ?: st->inner->ops->renew(st->inner, again, diag);
	err = err ?: make_classes(st);
	tell(st);
	return err;
}

/* All but the inner source. */
static void free_stacked(struct stacked *st)
{
	for (size_t i = 0; i < st->class_count; i++)
		free(st->stacked[i].class);
	for (size_t i = 0; i < st->retired_count; i++)
		free(st->retired[i]);
	free_stacks(&st->young);
	free_stacks(&st->old);
	free_blocks(st);
	free(st->retired);
	free(st->classes);
	free(st->stacked);
	free(st->events);
	free(st);
}

static void stacked_close(struct event_source *source)
{
	struct stacked *st = (struct stacked *)source;

	st->inner->ops->close(st->inner);
	free_stacked(st);
}

static void set_ops(struct stacked *st, const struct source_ops *inner)
{
	st->ops = (struct source_ops){
		.next = stacked_next,
		.problem = stacked_problem,
		.seek = inner->seek ? stacked_seek : NULL,
		.cut = inner->cut ? stacked_cut : NULL,
		.chain = inner->chain ? stacked_chain : NULL,
		.renew = inner->renew ? stacked_renew : NULL,
		.until = inner->until ? stacked_until : NULL,
		.patience = inner->patience ? stacked_patience : NULL,
		.stop_when = inner->stop_when ? stacked_stop_when : NULL,
		.retire = inner->retire ? stacked_retire : NULL,
		.close = stacked_close,
	};
}

int stacked_add(struct event_source **source)
{
	struct stacked *st = calloc(1, sizeof(*st));
	int err;

	if (!st)
		return -ENOMEM;
	map_init(&st->young, sizeof(uint64_t), sizeof(struct stack), 0);
	map_init(&st->old, sizeof(uint64_t), sizeof(struct stack), 0);
	st->inner = *source;
	err = make_classes(st);
	if (err || (!st->any && !(*source)->ops->renew)) {
		free_stacked(st);
		return err;
	}
	set_ops(st, (*source)->ops);
	tell(st);
	st->source = (struct event_source){&st->ops, &st->info};
	*source = &st->source;
	return 0;
}
