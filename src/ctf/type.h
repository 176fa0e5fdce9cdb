/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * type: the types that metadata declares, as a tree: integers at the leaves, structures, arrays,
 * sequences and variants above.
 *
 * Types live in their trace's arena and are shared: one alias, many members. So nothing in a type
 * depends on the place where it is used, but for what ctf/resolve finds out.
 */
#ifndef SONDE_CTF_TYPE_H
#define SONDE_CTF_TYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/field.h"

struct arena;
struct ctf_clock;

enum ctf_kind {
	CTF_INTEGER,
	CTF_ENUM, /* an integer with labels */
	CTF_FLOAT,
	CTF_STRING,
	CTF_STRUCT,
	CTF_ARRAY,
	CTF_SEQUENCE,
	CTF_VARIANT,
	CTF_KIND_COUNT,
};

enum ctf_order {
	CTF_ORDER_NATIVE, /* the trace's */
	CTF_ORDER_LE,
	CTF_ORDER_BE,
};

/* What members of packet headers, contexts and event headers mean, known by their names. */
enum ctf_role {
	CTF_ROLE_NONE,
	CTF_ROLE_MAGIC,
	CTF_ROLE_UUID,
	CTF_ROLE_STREAM,
	CTF_ROLE_BEGIN,
	CTF_ROLE_END,
	CTF_ROLE_CONTENT,
	CTF_ROLE_PACKET,
	CTF_ROLE_DISCARDED,
	CTF_ROLE_NESTED,
	CTF_ROLE_RECURSION,
	CTF_ROLE_SEQUENCE,
	CTF_ROLE_NAME_PACKETS,
	CTF_ROLE_CPU,
	CTF_ROLE_LEVEL,
	CTF_ROLE_ID,
	CTF_ROLE_TIME, /* a member called "timestamp" */
	CTF_ROLE_TID,
	CTF_ROLE_INSTANCE,
	CTF_ROLE_UNUSED, /* padding that has a name, in our own recorder's streams */
	CTF_ROLE_COUNT,
};

/* In the place of a display: what other readers show, and ours do not (sonde-trace(5)). */
#define CTF_DOC_HIDDEN "hidden"
#define CTF_DOC_OPTIONAL "optional"

/* What a doc comment says of a member: "[UNIT; SCOPE; SHOW] TEXT". */
struct ctf_doc {
	const char *text; /* NULL = none */
	const char *unit; /* NULL = none */
	enum field_scope scope;
	enum field_show show;
	bool has_show;
	bool hidden; /* a length or a tag that the source of the trace had no field for */
	bool optional; /* the variant that it is behind is an optional field */
};

struct ctf_type;

struct ctf_member {
	const char *name; /* without the underscore that keeps it apart from keywords */
	const struct ctf_type *type;
	struct ctf_doc doc;
	enum ctf_role role;
	bool escaped; /* it had that underscore */
	bool is_repeated; /* a member before it has the same name */
	bool has_twin; /* another has the same name, of which only one had it */
	unsigned int line;
	uint32_t slot; /* where walk keeps its value, 0 = unused */
};

/* Values first..last of a variant's tag choose this member. */
struct ctf_choice {
	int64_t first;
	int64_t last;
	size_t member;
};

/*
 * Brings ranges into the order of their values, for ctf_choose; of those that overlap, the first that was given
 * has what they share. The result is in @arena's memory. -E2BIG: more than CTF_CHOICES_MAX overlap; -ENOMEM.
 */
int ctf_choices_sort(struct ctf_choice **choices, size_t *count, bool is_signed,
		     struct arena *arena);
/* The member that @tag chooses, or -1. */
int ctf_choose(const struct ctf_choice *choices, size_t count, uint64_t tag, bool is_signed);

/* What a sequence's length or a variant's tag is, in headers. */
struct ctf_reference {
	const char *path; /* as written: "len", "stream.event.context.len" */
	uint32_t slot; /* where walk finds the value; 0 = not resolved */
	bool is_signed;
	const struct ctf_type *checked; /* the field that it was checked against last */
	bool has_ranges; /* `choices` are the metadata's own (CTF 2), not made of labels */
	struct ctf_choice *choices; /* of a variant */
	size_t choice_count;
};

struct ctf_type {
	struct ctf_type *next; /* all types of the trace */
	enum ctf_kind kind;
	unsigned int line; /* where it is declared */
	uint32_t align; /* bits */
	uint32_t depth; /* types inside types, this one counted */
	uint32_t nodes; /* this one and everything inside, elements counted once, and labels weighed */
	bool no_bits; /* it never takes any: all that it can do is to align what follows */
	bool refers; /* a sequence or a variant is inside, which names another field */

	/* Integers, enumerations, floats. */
	uint32_t size; /* bits */
	bool is_signed;
	bool leb128; /* an integer of CTF 2 that takes as many bytes as it needs; `size` is 64 */
	bool boolean; /* of CTF 2: any bit that is set is true */
	bool is_text; /* an encoding is given; also for strings */
	bool big_endian; /* set once the whole text is read */
	uint8_t base;
	enum ctf_order order;
	const struct ctf_doc
		*doc; /* what members of this type mean that have no comment; NULL = none */
	const char *clock_name; /* "map = clock.NAME.value"; NULL = none */
	const struct ctf_clock *clock;
	struct field_label *labels;
	size_t label_count;

	/* Structures and variants. An optional field is a variant of one member; in TSDL of two, the
	 * first of which is an empty structure. */
	bool optional; /* a tag that chooses nothing is not an error */
	struct ctf_member *members;
	size_t member_count;
	uint32_t *index; /* by the hash of a name, 1 + the member that has it first; NULL: they are few */
	size_t index_room; /* a power of two */

	/* Arrays and sequences. */
	const char *media_type; /* of a BLOB of CTF 2; NULL = no BLOB */
	const struct ctf_type *element;
	uint32_t count;

	struct ctf_reference *ref; /* of sequences, and of variants that have a tag */
};

/* "integer", "structure", ... */
const char *ctf_type_name(enum ctf_kind kind);
static inline bool ctf_type_is_number(const struct ctf_type *type)
{
	return type->kind == CTF_INTEGER || type->kind == CTF_ENUM;
}
/* Numbers whose bits are counted, so that they can lie side by side. */
static inline bool ctf_type_has_size(const struct ctf_type *type)
{
	return (ctf_type_is_number(type) || type->kind == CTF_FLOAT) && !type->leb128;
}
enum ctf_role ctf_role_find(const char *name);
/* Whether readers take such a member of a packet context for themselves. */
bool ctf_role_is_of_packet(enum ctf_role role);
/*
 * Once for each type, to which nothing is added any more: works out align, depth and nodes from what is inside, and
 * how members are found by their names, in memory of @arena. -E2BIG where a limit of wire/ctf.h is passed, -ENOMEM.
 */
int ctf_type_measure(struct ctf_type *type, struct arena *arena);
/* Index of the member called @name (@len bytes, a leading underscore ignored), or -1. */
int ctf_type_member(const struct ctf_type *type, const char *name, size_t len);
/* What stands in the place of a display (sonde-trace(5)). */
void ctf_doc_show(struct ctf_doc *doc, const char *name, size_t len);
/* Parses the inside of a doc comment. -ENOMEM or 0: any text is a description. */
int ctf_doc_parse(const char *text, size_t len, struct arena *arena, struct ctf_doc *ret);

#endif /* SONDE_CTF_TYPE_H */
