// SPDX-License-Identifier: BSD-2-Clause
#include "ctf/type.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ctf/arena.h"
#include "wire/ctf.h"

const char *ctf_type_name(enum ctf_kind kind)
{
	static const char *const names[CTF_KIND_COUNT] = {
		[CTF_INTEGER] = "integer",   [CTF_ENUM] = "enumeration", [CTF_FLOAT] = "float",
		[CTF_STRING] = "string",     [CTF_STRUCT] = "structure", [CTF_ARRAY] = "array",
		[CTF_SEQUENCE] = "sequence", [CTF_VARIANT] = "variant",
	};

	return kind < CTF_KIND_COUNT ? names[kind] : "unknown";
}

enum ctf_role ctf_role_find(const char *name)
{
	static const struct {
		const char *name;
		enum ctf_role role;
	} roles[] = {
		{"magic", CTF_ROLE_MAGIC},
		{"uuid", CTF_ROLE_UUID},
		{"stream_id", CTF_ROLE_STREAM},
		{"stream_instance_id", CTF_ROLE_INSTANCE},
		{"timestamp_begin", CTF_ROLE_BEGIN},
		{"timestamp_end", CTF_ROLE_END},
		{"content_size", CTF_ROLE_CONTENT},
		{"packet_size", CTF_ROLE_PACKET},
		{"events_discarded", CTF_ROLE_DISCARDED},
		{"discarded_nested", CTF_ROLE_NESTED},
		{"discarded_recursion", CTF_ROLE_RECURSION},
		{"packet_seq_num", CTF_ROLE_SEQUENCE},
		{"name_packets", CTF_ROLE_NAME_PACKETS},
		{"unused", CTF_ROLE_UNUSED},
		{"cpu_id", CTF_ROLE_CPU},
		{"level", CTF_ROLE_LEVEL},
		{"id", CTF_ROLE_ID},
		{"timestamp", CTF_ROLE_TIME},
		{"tid", CTF_ROLE_TID},
		{"vtid", CTF_ROLE_TID},
	};

	for (size_t i = 0; i < sizeof(roles) / sizeof(roles[0]); i++) {
		if (!strcmp(roles[i].name, name))
			return roles[i].role;
	}
	return CTF_ROLE_NONE;
}

bool ctf_role_is_of_packet(enum ctf_role role)
{
	switch (role) {
	case CTF_ROLE_BEGIN:
	case CTF_ROLE_END:
	case CTF_ROLE_CONTENT:
	case CTF_ROLE_PACKET:
	case CTF_ROLE_DISCARDED:
	case CTF_ROLE_NESTED:
	case CTF_ROLE_RECURSION:
	case CTF_ROLE_SEQUENCE:
	case CTF_ROLE_NAME_PACKETS:
	case CTF_ROLE_CPU:
	case CTF_ROLE_LEVEL:
	case CTF_ROLE_INSTANCE:
	case CTF_ROLE_UNUSED:
		return true;
	default:
		return false;
	}
}

static uint32_t larger(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

/* A variant is aligned as the member that is chosen, so it has no alignment of its own. */
static void measure_members(struct ctf_type *type, uint64_t *nodes)
{
	for (size_t i = 0; i < type->member_count; i++) {
		const struct ctf_type *inner = type->members[i].type;

		type->depth = larger(type->depth, inner->depth + 1);
		*nodes += inner->nodes;
		if (type->kind == CTF_STRUCT)
			type->align = larger(type->align, inner->align);
		type->no_bits &= inner->no_bits;
		type->refers |= inner->refers;
	}
}

static void measure_elements(struct ctf_type *type, uint64_t *nodes)
{
	const struct ctf_type *element = type->element;

	type->align = larger(type->align, element->align);
	type->depth = element->depth + 1;
	*nodes += element->nodes;
	type->refers |= element->refers;
	type->no_bits = element->no_bits || (type->kind == CTF_ARRAY && !type->count);
}

#define MEMBERS_FEW 8u

static uint32_t hash_of(const char *name, size_t len)
{
	uint32_t hash = 2166136261u; /* FNV-1a */

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ (unsigned char)name[i]) * 16777619u;
	return hash ^ hash >> 15;
}

static bool is_called(const struct ctf_member *member, const char *name, size_t len)
{
	return !strncmp(member->name, name, len) && !member->name[len];
}

/* Where in the index the first member of this name is, or would be. */
static uint32_t *find_place(const struct ctf_type *type, const char *name, size_t len)
{
	const size_t mask = type->index_room - 1;
	size_t at = hash_of(name, len) & mask;

	while (type->index[at] && !is_called(&type->members[type->index[at] - 1], name, len))
		at = (at + 1) & mask;
	return &type->index[at];
}

static int make_index(struct ctf_type *type, struct arena *arena)
{
	if (type->member_count <= MEMBERS_FEW)
		return 0;
	type->index_room = 32;
	while (type->index_room < 2 * type->member_count)
		type->index_room *= 2;
	type->index = arena_alloc(arena, type->index_room * sizeof(*type->index));
	if (!type->index)
		return -ENOMEM;
	for (size_t i = 0; i < type->member_count; i++) {
		const char *name = type->members[i].name;
		uint32_t *place = find_place(type, name, strlen(name));

		if (!*place)
			*place = (uint32_t)i + 1;
	}
	return 0;
}

static void fit_arrays(struct ctf_type *type, struct arena *arena)
{
	void *members = type->members, *labels = type->labels;

	arena_fit(arena, &members, type->member_count, sizeof(*type->members));
	arena_fit(arena, &labels, type->label_count, sizeof(*type->labels));
	type->members = members;
	type->labels = labels;
}

int ctf_type_measure(struct ctf_type *type, struct arena *arena)
{
	uint64_t nodes = 1 + type->label_count / CTF_LABELS_PER_NODE;

	type->align = larger(type->align, 1);
	type->depth = 1;
	/* A variant has a tag to look at, which may choose nothing. */
	type->no_bits = type->kind == CTF_STRUCT;
	type->refers = type->kind == CTF_SEQUENCE || type->kind == CTF_VARIANT;
	if (type->kind == CTF_STRUCT || type->kind == CTF_VARIANT)
		measure_members(type, &nodes);
	else if (type->kind == CTF_ARRAY || type->kind == CTF_SEQUENCE)
		measure_elements(type, &nodes);
	if (type->depth > CTF_DEPTH_MAX || nodes > CTF_NODES_MAX)
		return -E2BIG;
	type->nodes = (uint32_t)nodes;
	fit_arrays(type, arena);
	return make_index(type, arena);
}

int ctf_type_member(const struct ctf_type *type, const char *name, size_t len)
{
	if (len > 1 && name[0] == '_')
		name++, len--;
	if (type->index)
		return (int)*find_place(type, name, len) - 1;
	for (size_t i = 0; i < type->member_count; i++) {
		if (is_called(&type->members[i], name, len))
			return (int)i;
	}
	return -1;
}

/* Moves the range of signed values so that all of them compare as unsigned ones do. */
static uint64_t rank_of(int64_t value, bool is_signed)
{
	return (uint64_t)value ^ (is_signed ? 1ull << 63 : 0);
}

int ctf_choose(const struct ctf_choice *choices, size_t count, uint64_t tag, bool is_signed)
{
	const uint64_t rank = rank_of((int64_t)tag, is_signed);
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (rank_of(choices[middle].last, is_signed) < rank)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == count || rank_of(choices[low].first, is_signed) > rank)
		return -1;
	return (int)choices[low].member;
}

static int compare_unsigned(const void *left, const void *right)
{
	const struct ctf_choice *a = left, *b = right;
	const uint64_t first = (uint64_t)a->first, other = (uint64_t)b->first;

	return (first > other) - (first < other);
}

static int compare_signed(const void *left, const void *right)
{
	const struct ctf_choice *a = left, *b = right;

	return (a->first > b->first) - (a->first < b->first);
}

/* Those with an end before their begin have no value. How many are left. */
static size_t drop_empty(struct ctf_choice *choices, size_t count, bool is_signed)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++)
		if (rank_of(choices[i].first, is_signed) <= rank_of(choices[i].last, is_signed))
			choices[kept++] = choices[i];
	return kept;
}

static bool is_disjoint(const struct ctf_choice *choices, size_t count, bool is_signed)
{
	for (size_t i = 1; i < count; i++)
		if (rank_of(choices[i].first, is_signed) <= rank_of(choices[i - 1].last, is_signed))
			return false;
	return true;
}

/*
 * From @from up, what the first of @choices, as they were given, makes of it: a piece of @ret for each. Pieces
 * begin where a choice does, or behind its end.
 */
static size_t cut_pieces(const struct ctf_choice *choices, size_t count, bool is_signed,
			 struct ctf_choice *ret)
{
	uint64_t from = 0;
	size_t pieces = 0;

	for (;;) {
		const struct ctf_choice *first = NULL;
		uint64_t end = UINT64_MAX;

		for (size_t i = 0; i < count; i++) {
			uint64_t begins = rank_of(choices[i].first, is_signed);
			uint64_t ends = rank_of(choices[i].last, is_signed);

			if (begins > from && begins - 1 < end)
				end = begins - 1;
			if (begins <= from && ends >= from && ends < end)
				end = ends;
			if (begins <= from && ends >= from && !first)
				first = &choices[i];
		}
		if (first && pieces && ret[pieces - 1].member == first->member &&
		    rank_of(ret[pieces - 1].last, is_signed) + 1 == from)
			ret[pieces - 1].last = (int64_t)rank_of((int64_t)end, is_signed);
		else if (first)
			ret[pieces++] = (struct ctf_choice){
				(int64_t)rank_of((int64_t)from, is_signed),
				(int64_t)rank_of((int64_t)end, is_signed),
				first->member,
			};
		if (end == UINT64_MAX)
			return pieces;
		from = end + 1;
	}
}

int ctf_choices_sort(struct ctf_choice **choices, size_t *count, bool is_signed,
		     struct arena *arena)
{
	struct ctf_choice *sorted, *pieces;

	if (!*count)
		return 0;
	*count = drop_empty(*choices, *count, is_signed);
	sorted = arena_alloc(arena, (*count ?: 1) * sizeof(*sorted));
	if (!sorted)
		return -ENOMEM;
	memcpy(sorted, *choices, *count * sizeof(*sorted));
	qsort(sorted, *count, sizeof(*sorted), is_signed ? compare_signed : compare_unsigned);
	if (!is_disjoint(sorted, *count, is_signed)) {
		if (*count > CTF_CHOICES_MAX)
			return -E2BIG;
		pieces = arena_alloc(arena, (2 * *count + 1) * sizeof(*pieces));
		if (!pieces)
			return -ENOMEM;
		*count = cut_pieces(*choices, *count, is_signed, pieces);
		sorted = pieces;
	}
	*choices = sorted;
	return 0;
}

static void trim(const char **text, size_t *len)
{
	while (*len && ((*text)[0] == ' ' || (*text)[0] == '\t'))
		(*text)++, (*len)--;
	while (*len && ((*text)[*len - 1] == ' ' || (*text)[*len - 1] == '\t'))
		(*len)--;
}

/* Cuts what is in front of the next semicolon off @text. */
static bool take_part(const char **text, size_t *len, const char **part, size_t *part_len)
{
	const char *end = memchr(*text, ';', *len);

	if (!end)
		return false;
	*part = *text;
	*part_len = (size_t)(end - *text);
	*len -= *part_len + 1;
	*text = end + 1;
	trim(part, part_len);
	return true;
}

static bool is_word(const char *name, size_t len, const char *word)
{
	return strlen(word) == len && !memcmp(word, name, len);
}

void ctf_doc_show(struct ctf_doc *doc, const char *name, size_t len)
{
	doc->hidden = is_word(name, len, CTF_DOC_HIDDEN);
	doc->optional = is_word(name, len, CTF_DOC_OPTIONAL);
	doc->has_show = len && !doc->hidden && !doc->optional;
	doc->show = field_show_parse(name, len);
}

/* The three parts between the brackets. False: not of this form, nothing was changed. */
static bool parse_brackets(const char *text, size_t len, const char **unit, size_t *unit_len,
			   struct ctf_doc *doc)
{
	const char *scope;
	size_t scope_len, i;

	if (!take_part(&text, &len, unit, unit_len) || !take_part(&text, &len, &scope, &scope_len))
		return false;
	trim(&text, &len);
	for (i = FIELD_SCOPE_MONITOR; i <= FIELD_SCOPE_OBJECT; i++) {
		const char *name = field_scope_name((enum field_scope)i);

		if (strlen(name) == scope_len && !memcmp(name, scope, scope_len))
			break;
	}
	if (i > FIELD_SCOPE_OBJECT || memchr(text, ';', len))
		return false;
	doc->scope = (enum field_scope)i;
	ctf_doc_show(doc, text, len);
	return true;
}

int ctf_doc_parse(const char *text, size_t len, struct arena *arena, struct ctf_doc *ret)
{
	const char *end = len && text[0] == '[' ? memchr(text, ']', len) : NULL;
	struct ctf_doc doc = {.scope = FIELD_SCOPE_OBJECT};
	const char *unit = NULL;
	size_t unit_len = 0;

	if (end && parse_brackets(text + 1, (size_t)(end - text) - 1, &unit, &unit_len, &doc)) {
		len -= (size_t)(end + 1 - text);
		text = end + 1;
		trim(&text, &len);
	}
	if (len) {
		doc.text = arena_text(arena, text, len);
		if (!doc.text)
			return -ENOMEM;
	}
	if (unit_len) {
		doc.unit = arena_text(arena, unit, unit_len);
		if (!doc.unit)
			return -ENOMEM;
	}
	*ret = doc;
	return 0;
}
