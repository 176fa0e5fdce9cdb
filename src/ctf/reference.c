// SPDX-License-Identifier: BSD-2-Clause
#include "ctf/reference.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "ctf/arena.h"
#include "ctf/trace_class.h"
#include "ctf/type.h"
#include "wire/ctf.h"

/* The dynamic scopes of heads, in the order in which they are read. */
enum root {
	ROOT_PACKET_HEADER,
	ROOT_PACKET_CONTEXT,
	ROOT_EVENT_HEADER,
	ROOT_COUNT,
};

static const char *const root_names[ROOT_COUNT] = {
	[ROOT_PACKET_HEADER] = "trace.packet.header.",
	[ROOT_PACKET_CONTEXT] = "stream.packet.context.",
	[ROOT_EVENT_HEADER] = "stream.event.header.",
};

/* Where the search stands: the roots, and the types around the one that refers. */
struct search {
	struct ctf_trace_class *trace;
	struct diag *diag;
	const struct ctf_type *roots[ROOT_COUNT];
	enum root root;
	const struct ctf_type *around[CTF_DEPTH_MAX + 1];
	size_t depth;
};

static int fail(struct search *search, int err, const struct ctf_type *type, const char *what)
{
	(void)diag_set(search->diag, err, "%s %u: '%s', to which a %s refers, %s",
		       search->trace->place, type->line, type->ref->path, ctf_type_name(type->kind),
		       what);
	if (search->diag)
		search->diag->line = type->line;
	return err;
}

/* The member at "a.b.c" inside @type. */
static struct ctf_member *descend(const struct ctf_type *type, const char *path)
{
	struct ctf_member *member = NULL;

	while (type && type->kind == CTF_STRUCT) {
		size_t len = strcspn(path, ".");
		int i = ctf_type_member(type, path, len);

		if (i < 0)
			return NULL;
		member = &type->members[i];
		if (!path[len])
			return member;
		path += len + 1;
		type = member->type;
	}
	return NULL;
}

static struct ctf_member *find_member(const struct search *search, const char *path)
{
	struct ctf_member *member = NULL;

	for (size_t i = 0; i < ROOT_COUNT; i++) {
		size_t len = strlen(root_names[i]);

		if (!strncmp(path, root_names[i], len))
			return descend(search->roots[i], path + len);
	}
	for (size_t i = search->depth; i > 0 && !member; i--)
		member = descend(search->around[i - 1], path);
	for (size_t i = search->root; i > 0 && !member; i--)
		member = descend(search->roots[i - 1], path);
	return member;
}

int reference_choices(struct arena *arena, const struct ctf_type *variant,
		      const struct ctf_type *tag, struct ctf_choice **ret, size_t *ret_count)
{
	void *choices = NULL;
	size_t count = 0;

	if (variant->ref->has_ranges) {
		*ret = variant->ref->choices;
		*ret_count = variant->ref->choice_count;
		return ctf_choices_sort(ret, ret_count, tag->is_signed, arena);
	}
	for (size_t i = 0; i < tag->label_count; i++) {
		const struct field_label *label = &tag->labels[i];
		int member = ctf_type_member(variant, label->name, strlen(label->name));
		struct ctf_choice *choice;

		if (member < 0)
			continue;
		choice = arena_push(arena, &choices, &count, sizeof(*choice));
		if (!choice)
			return -ENOMEM;
		*choice = (struct ctf_choice){label->first, label->last, (size_t)member};
	}
	*ret = choices;
	*ret_count = count;
	return ctf_choices_sort(ret, ret_count, tag->is_signed, arena);
}

/* Makes walks keep the value of @member. -E2BIG: too many are kept already. */
static int keep_value(struct ctf_trace_class *trace, struct ctf_member *member)
{
	if (member->slot)
		return 0;
	if (trace->slot_count + 1 >= CTF_SLOTS_MAX)
		return -E2BIG;
	member->slot = ++trace->slot_count;
	return 0;
}

/* Members that no label of the tag chooses are never there; of those with one name, the first may be. */
static void check_choices(struct ctf_trace_class *trace, const struct ctf_type *variant,
			  const struct ctf_type *tag)
{
	bool *chosen = calloc(variant->member_count + 1, sizeof(*chosen));

	for (size_t i = 0; chosen && i < tag->label_count; i++) {
		const char *name = tag->labels[i].name;
		int member = ctf_type_member(variant, name, strlen(name));

		if (member >= 0)
			chosen[member] = true;
	}
	for (size_t i = 0; chosen && i < variant->member_count; i++) {
		const struct ctf_member *member = &variant->members[i];

		if (!chosen[i] && !member->is_repeated)
			ctf_trace_class_breach(trace, member->line,
					       "no label of '%.64s' chooses the member '%.64s' of "
					       "the variant",
					       variant->ref->path, member->name);
	}
	free(chosen);
}

void reference_check(struct ctf_trace_class *trace, const struct ctf_type *type,
		     const struct ctf_type *target)
{
	if (type->ref->checked == target)
		return;
	type->ref->checked = target;
	if (type->kind == CTF_SEQUENCE && target->is_signed)
		ctf_trace_class_breach(trace, type->line,
				       "the length '%.64s' of a sequence is signed",
				       type->ref->path);
	if (type->kind == CTF_VARIANT && !type->ref->has_ranges)
		check_choices(trace, type, target);
}

static int resolve_one(struct search *search, const struct ctf_type *type)
{
	struct ctf_reference *ref = type->ref;
	struct ctf_member *member;
	int err = 0;

	if (!ref) {
		(void)diag_set(search->diag, -EBADMSG, "%s %u: the variant has no tag",
			       search->trace->place, type->line);
		if (search->diag)
			search->diag->line = type->line;
		return -EBADMSG;
	}
	member = find_member(search, ref->path);
	if (!member || !ctf_type_is_number(member->type))
		return fail(search, -EBADMSG, type, "is not an integer before it");
	if (type->kind == CTF_VARIANT && !ref->has_ranges && member->type->kind != CTF_ENUM)
		return fail(search, -EBADMSG, type, "is not an enumeration");
	if (keep_value(search->trace, member))
		return fail(search, -E2BIG, type, "is one field too many to refer to");
	if (ref->slot == member->slot)
		return 0;
	if (ref->slot)
		return fail(search, -ENOTSUP, type, "means two fields in two places");
	ref->slot = member->slot;
	ref->is_signed = member->type->is_signed;
	reference_check(search->trace, type, member->type);
	if (type->kind == CTF_VARIANT)
		err = reference_choices(&search->trace->arena, type, member->type, &ref->choices,
					&ref->choice_count);
	if (err == -E2BIG)
		return fail(search, err, type, "has too many ranges of values that overlap");
	return err ? diag_set(search->diag, -ENOMEM, "out of memory") : 0;
}

/* Depth is bounded by ctf_type_measure. */
static int resolve_type(struct search *search, const struct ctf_type *type)
{
	int err = 0;

	if (type->kind == CTF_SEQUENCE || type->kind == CTF_VARIANT)
		err = resolve_one(search, type);
	if (err)
		return err;
	if (type->element)
		return resolve_type(search, type->element);
	search->around[search->depth++] = type;
	for (size_t i = 0; i < type->member_count && !err; i++)
		err = resolve_type(search, type->members[i].type);
	search->depth--;
	return err;
}

static void start_search(struct search *search, struct ctf_trace_class *trace,
			 const struct ctf_stream_class *stream, struct diag *diag)
{
	*search = (struct search){
		.trace = trace,
		.diag = diag,
		.roots[ROOT_PACKET_HEADER] = trace->packet_header,
		.roots[ROOT_PACKET_CONTEXT] = stream->packet_context,
		.roots[ROOT_EVENT_HEADER] = stream->event_header,
	};
}

int reference_resolve(struct ctf_trace_class *trace, const struct ctf_stream_class *stream,
		      struct diag *diag)
{
	struct search search;
	int err = 0;

	start_search(&search, trace, stream, diag);
	for (search.root = 0; search.root < ROOT_COUNT && !err; search.root++) {
		if (search.roots[search.root])
			err = resolve_type(&search, search.roots[search.root]);
	}
	return err;
}

int reference_find(struct ctf_trace_class *trace, const struct ctf_stream_class *stream,
		   const char *path, const struct ctf_member **ret)
{
	struct ctf_member *member;
	struct search search;

	start_search(&search, trace, stream, NULL);
	search.root = ROOT_COUNT;
	member = find_member(&search, path);
	if (!member || !ctf_type_is_number(member->type))
		return -ENOENT;
	*ret = member;
	return keep_value(trace, member);
}
