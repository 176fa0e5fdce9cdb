// SPDX-License-Identifier: BSD-2-Clause
#include "ctf/natural_trees.h"

#include <errno.h>
#include <string.h>

#include "ctf/arena.h"
#include "ctf/natural_node.h"
#include "ctf/natural_type.h"

static bool is_loose(const struct field *field)
{
	return field->kind == FIELD_LIST || field->optional || field->count_at;
}

/* Whether lengths or tags are in the context, from field @first on. */
static bool context_varies(const struct event_class *class, size_t first)
{
	for (size_t i = first; i < class->context_count; i++) {
		if (is_loose(&class->fields[i]) || class->fields[i].length)
			return true;
	}
	return false;
}

/* The name of field @i of the context as metadata has it. */
static const char *context_name(const struct natural_frame *frame, size_t i)
{
	return frame->class->fields[i].name + (frame->renamed[i] ? strlen(NATURAL_RENAMED) : 0);
}

/* Whether a field before @i of the context has its name, or is in a structure of that name that
 * cannot be the one that it is in. */
static bool is_second(const struct natural_frame *frame, size_t i)
{
	const char *name = context_name(frame, i);
	size_t len = strcspn(name, ".");
	bool apart = false;

	for (size_t j = i; j-- > 0;) {
		const char *other = context_name(frame, j);
		bool together = natural_name_begins(other, name, len);

		if (together && (apart || !strcmp(name, other)))
			return true;
		apart |= !together;
	}
	return false;
}

/* The first field of the context whose name another one has, or the task: that is what two contexts
 * were before they became one. */
static size_t find_second(const struct natural_frame *frame)
{
	const struct event_class *class = frame->class;

	for (size_t i = 0; i < class->context_count; i++) {
		if ((class->tells_task && !strcmp(context_name(frame, i), "tid")) ||
		    is_second(frame, i))
			return i;
	}
	return class->context_count;
}

static bool *find_renamed(struct arena *arena, const struct event_class *class)
{
	bool *renamed = arena_alloc(arena, class->context_count ?: 1);

	for (size_t i = 0; renamed && i < class->context_count; i++)
		renamed[i] = natural_is_renamed(class, i);
	return renamed;
}

static bool needs_trees(const struct natural_frame *frame)
{
	const struct event_class *class = frame->class;

	for (size_t i = 0; i < class->field_count; i++) {
		if (is_loose(&class->fields[i]) || (i < class->context_count && frame->renamed[i]))
			return true;
	}
	return false;
}

/* babeltrace2 2.0 takes no lengths and tags in contexts of events, and nobody two members of one name:
 * a stream has to have that context, or the first of them. Where the second one has lengths or tags too, the stream
 * has both, and members whose names are there already are numbered. */
int natural_trees_make(const struct event_class *class, bool has_heads, struct arena *arena,
		       struct natural_trees *ret)
{
	struct natural_frame frame = {.class = class, .renamed = find_renamed(arena, class)};
	struct natural_maker maker = {.arena = arena, .class = class};
	const size_t context = class->context_count;
	bool shared, task;

	if (!frame.renamed)
		return -ENOMEM;
	maker.shared = find_second(&frame);
	shared = maker.shared < context || context_varies(class, 0);
	if (context_varies(class, maker.shared))
		maker.shared = context;
	task = has_heads ? shared : class->tells_task;
	if (!shared && !task && !needs_trees(&frame))
		return 0;
	if (shared)
		ret->shared = natural_type_root(&maker, &frame, 0, maker.shared, task);
	else
		maker.shared = 0;
	if (context > maker.shared || (task && !shared))
		ret->context =
			natural_type_root(&maker, &frame, maker.shared, context, task && !shared);
	ret->payload = natural_type_root(&maker, &frame, context, class->field_count, false);
	return maker.err;
}
