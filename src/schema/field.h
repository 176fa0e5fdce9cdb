/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * field: one column of an event class: its name, meaning, and where its bits are.
 *
 * Filled from the kernel half's BTF (probe/), from trace metadata (ctf/) or from a file header
 * (record_format/ ...); everything that shows or computes reads it and knows no format. Nested structures
 * are flattened: a member of a structure has a dotted name, and so has what a variant may choose,
 * which is not in every event. Arrays of structures, of strings and the like are lists, each of
 * whose items has fields of its own.
 */
#ifndef SONDE_SCHEMA_FIELD_H
#define SONDE_SCHEMA_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum field_kind {
	FIELD_INT, /* integer of `bits` bits; an array or sequence of them: field_is_many */
	FIELD_FLOAT, /* IEEE 754 of 32 or 64 bits; an array or sequence likewise */
	FIELD_TEXT, /* bytes of text, as many as an array has elements, NUL-padded */
	FIELD_STRING, /* text that ends with a NUL: the fields behind it move */
	FIELD_LIST, /* items of class `items`: event_count, event_item */
	FIELD_KIND_COUNT,
};

/* PSC's scopes (seed 001, struct tpm_entry_description); "connection" stands for any object. */
enum field_scope {
	FIELD_SCOPE_MONITOR,
	FIELD_SCOPE_SYSTEM,
	FIELD_SCOPE_OBJECT,
};

/* How a value is best shown; what the numbers mean beyond their unit. */
enum field_show {
	FIELD_SHOW_DECIMAL,
	FIELD_SHOW_HEX,
	FIELD_SHOW_OCTAL,
	FIELD_SHOW_BINARY,
	FIELD_SHOW_SYSCALL, /* number of a system call: trace_info knows the names */
	FIELD_SHOW_RESULT, /* what a system call returned: -errno shown by name */
	FIELD_SHOW_ADDRESS, /* 16 bytes IPv6, IPv4 mapped: count = 16, bits = 8 */
	FIELD_SHOW_FLAG, /* 0 or 1 */
	FIELD_SHOW_FLAGS, /* a set of bits: its labels are names of bits (field_flags_next) */
	FIELD_SHOW_SYMBOL, /* address of code: shown with the name of the function it lies in */
	/* Numbers whose names are in the trace (sonde.name): */
	FIELD_SHOW_NETNS, /* inode of a network namespace */
	FIELD_SHOW_CGROUP, /* inode of a cgroup */
	FIELD_SHOW_FILE, /* inode; the device is in the fields major and minor */
	FIELD_SHOW_SOCKADDR, /* bytes of the address of a socket (schema/sockaddr.h): field_is_sockaddr */
	FIELD_SHOW_TEXTS, /* bytes of several texts, each with a NUL behind it: field_is_texts */
	FIELD_SHOW_COUNT,
};

/* One name for a value or a range of values (an enumeration's mapping). */
struct field_label {
	int64_t first;
	int64_t last;
	const char *name;
};

struct event_class;

/* A field as seen from another of the same event. */
struct field_ref {
	uint32_t index; /* 1 + its index; 0 = nowhere */
	uint32_t lists; /* so many lists further out; 0 = among the same fields */
};

struct field {
	const char *name; /* never NULL; may be dotted; of an item that is one value "" */
	const char *text; /* description; NULL = none */
	const char *unit; /* "ns", "bytes", "segments", ...; NULL = none */
	enum field_kind kind;
	enum field_scope scope;
	enum field_show show;
	bool is_signed;
	bool big_endian;
	bool optional; /* not in every event: event_has */
	uint16_t bits; /* of one element: 1..64; 0 = one in LEB128, as long as it needs */
	uint16_t align_bits;
	bool is_array; /* even if it has but one element */
	uint32_t count; /* elements; 1 unless an array or text; of a sequence 0 */
	/* Of a sequence: 1 + the index of the integer before it that counts its elements, event by
	 * event. 0: `count` of them. */
	uint32_t length;
	/* For a sequence whose length is not in a field of the class: 1 + where event->offsets has
	 * it. */
	uint32_t count_at;
	struct field_ref count_of; /* of such one, where lists around it have a field that does */
	const struct event_class *items; /* of a list */
	/* Position in bits from the start of the payload. Exact where the class has a fixed layout;
	 * else event->offsets has it, per event. */
	uint32_t offset_bits;
	const struct field_label *labels;
	size_t label_count;
	/* Fields of many classes are of this type: metadata declares it once, with what the field means. The same pointer
	 * is the same type; NULL = a type of its own. */
	const char *shared_type;
};

/*
 * Earlier versions recorded times of TCP as the kernel keeps them, in fractions of a microsecond ("us/8"),
 * and some file formats do. The lowest bits of such a number are the fraction: how many these are, and
 * in *@whole the unit of the rest; 0 = @unit is not a fraction. NULL is fine.
 */
unsigned int field_unit_fraction(const char *unit, const char **whole);
/* Has one integer that counts fractions count whole units: the number without these bits. */
void field_cut_fraction(struct field *field);

/* It has elements, of which there may be none. */
static inline bool field_is_many(const struct field *field)
{
	return field->count != 1 || field->is_array || field->length || field->kind == FIELD_LIST;
}

/* Its elements are bytes, each at one. */
static inline bool field_is_bytes(const struct field *field)
{
	return field->kind == FIELD_INT && field->bits == 8 && field->align_bits % 8 == 0 &&
	       field->align_bits && field_is_many(field);
}

/* Its elements are the bytes of the address of a socket. */
static inline bool field_is_sockaddr(const struct field *field)
{
	return field->show == FIELD_SHOW_SOCKADDR && field_is_bytes(field);
}

/* Those of a list of texts. */
static inline bool field_is_texts(const struct field *field)
{
	return field->show == FIELD_SHOW_TEXTS && field_is_bytes(field);
}

/* Only the event knows how many bytes it takes. */
static inline bool field_varies(const struct field *field)
{
	return field->kind == FIELD_STRING || field->kind == FIELD_LIST || field->length ||
	       field->count_at || !field->bits;
}

/* Whether @label is one of @value, which is unsigned where the field is. */
static inline bool field_label_has(const struct field *field, const struct field_label *label,
				   int64_t value)
{
	if (field->is_signed)
		return value >= label->first && value <= label->last;
	return (uint64_t)value >= (uint64_t)label->first &&
	       (uint64_t)value <= (uint64_t)label->last;
}

/* The label of @value, or NULL. Borrowed from the field. */
const char *field_label(const struct field *field, int64_t value);

/*
 * Walks the names of a set of flags, from *@at = 0 on: the next label of which all bits are in *@rest, which
 * loses them; -1: no more, and *@rest is what has no name. Labels that count up from 0 at the beginning (O_RDONLY,
 * O_WRONLY, O_RDWR) are alternatives in the lowest bits; a label 0 elsewhere is the name of no flags at all.
 */
int field_flags_next(const struct field *field, uint64_t *rest, size_t *at);
const char *field_scope_name(enum field_scope scope);
/* The names that metadata uses: "decimal", "hex", "syscall", ... */
const char *field_show_name(enum field_show show);
/* FIELD_SHOW_DECIMAL where @name is not known: later versions may add some. */
enum field_show field_show_parse(const char *name, size_t len);

#endif /* SONDE_SCHEMA_FIELD_H */
