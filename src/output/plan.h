/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * plan: how the events of one class are written, worked out once per class: for each field the
 * text in front of it, ready to be copied, and the form of its value.
 *
 * Views walk a plan per event; nothing in it is looked up by name or measured again.
 */
#ifndef SONDE_OUTPUT_PLAN_H
#define SONDE_OUTPUT_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyse/field_choice.h"
#include "analyse/known.h"
#include "base/escape.h"
#include "output/names.h"
#include "schema/derived.h"
#include "schema/event.h"

enum plan_form {
	PLAN_UNSIGNED,
	PLAN_SIGNED,
	PLAN_HEX,
	PLAN_OCTAL,
	PLAN_BINARY,
	PLAN_SYSCALL, /* a number, and a name */
	PLAN_RESULT, /* a number, and a name where it is an error */
	PLAN_LABELS, /* a number with names */
	PLAN_FLAGS, /* a set of bits with names */
	PLAN_KNOWN, /* a number, and a name if the trace has it */
	PLAN_SYMBOL, /* the address of code, in base 16, and a name (analyse/code_names.h) */
	PLAN_ADDRESS,
	PLAN_SOCKADDR, /* bytes, as a text */
	PLAN_TEXTS, /* bytes, as several */
	PLAN_FLOAT,
	PLAN_TEXT,
	PLAN_ARRAY, /* or sequence, of numbers */
	PLAN_LIST, /* items with fields of their own */
	PLAN_DERIVED, /* a value that follows from this event and others: in event_facts */
};

/* Fields that are shown as one connection. */
struct plan_ends {
	size_t saddr, lport, daddr, rport;
};

struct plan;
struct call_meaning;
struct call_case;

struct plan_field {
	enum plan_form form;
	enum plan_form number; /* how the number, or each of an array, is written */
	uint32_t index; /* in the class; of a PLAN_DERIVED: enum derived */
	size_t rank; /* as it was asked for, from 0 up */
	const struct field *field;
	const char *prefix; /* owned by the plan, padded for emit_short */
	size_t prefix_len;
	struct label_names labels; /* of the number, or of each of an array */
	enum name_kind known; /* of a PLAN_KNOWN: what the number is of */
	struct plan *items; /* of a PLAN_LIST: how one item is written */
	const struct call_meaning *meaning; /* of an argument of a call; NULL: that of its field */
	int meaning_by; /* index of the field that decides which, or -1 */
};

struct plan {
	const struct event_class *class;
	size_t count;
	size_t context_count; /* of these, the first: contexts */
	struct plan_field *fields; /* those that are shown, apart from that in the order asked for */
	int major, minor; /* indexes of the fields with the device, or -1 */
	int compat; /* index of the field with the architecture of these numbers, or -1 */
	size_t max_bytes; /* of a line of fields, but for those that vary in length */
	int pid; /* index of the field with the process of these addresses of code, or -1 */
	bool varying; /* there are such */
	/* The places in `fields` of those that may have a name: most have none. */
	uint32_t *named;
	size_t named_count;
	bool bare; /* of items: they are one value without a name */
	bool has_ends;
	struct plan_ends ends;
};

/* What a view puts around a field's name: in front, behind, and how it escapes the name. */
struct plan_style {
	const char *before;
	const char *after;
	escape_write escape;
	const struct plan_style *items; /* around names in items of lists; NULL = the same */
};

/* What plans show of events. */
struct plan_choice {
	const struct field_choice *fields; /* NULL = all */
	uint32_t derived; /* a bit for each enum derived that is shown like a field */
};

/* 0 or -ENOMEM. Borrows @class. After a failure plan_fini is due all the same. */
int plan_init(struct plan *plan, const struct event_class *class, const struct plan_choice *choice,
	      const struct plan_style *style);
void plan_fini(struct plan *plan);

/* All classes of a source, by event_class.index. NULL: no memory. */
struct plan *plans_new(const struct event_class *const *classes, size_t count,
		       const struct plan_choice *choice, const struct plan_style *style);
void plans_free(struct plan *plans, size_t count);

/* Room for the fields of @event, whatever their values, without EMIT_SLACK_BYTES. */
static inline size_t plan_room(const struct plan *plan, const struct event *event);
size_t plan_room_varying(const struct plan *plan, const struct event *event);
/* Of these, room for the value of one field that varies and is there. */
size_t plan_room_field(const struct plan_field *pf, const struct event *event);
/* The readable name of a value, or NULL. */
const struct name *plan_name(const struct plan *plan, const struct plan_field *pf,
			     const struct names *names, const struct event *event);
/* What an argument of a system call means in @event; NULL: what its field says. */
const struct call_case *plan_case(const struct plan_field *pf, const struct event *event);
/* Whether any of the flags of a PLAN_FLAGS has a name. */
bool plan_has_flags(const struct plan_field *pf, const struct event *event);
/* The names of a PLAN_FLAGS: "O_WRONLY|O_CREAT". */
char *plan_emit_flags(char *p, const struct plan_field *pf, const struct event *event);
/* The label of element @i, or NULL. */
const struct name *plan_label(const struct plan_field *pf, const struct event *event, uint32_t i);
/* Whether the number may have several labels, and has. */
bool plan_has_labels(const struct plan_field *pf, const struct event *event);
/* Of a PLAN_LIST: whether anything in its items may have a label. */
bool plan_items_labelled(const struct plan_field *pf);
/* What the number of a PLAN_KNOWN is called, or NULL. Borrowed until the next call. */
const char *plan_known(const struct plan *plan, const struct plan_field *pf, struct known *known,
		       const struct event *event);
/* Of a PLAN_SOCKADDR, in SOCKADDR_TEXT_BYTES (schema/sockaddr.h); safe to show. */
char *plan_emit_sockaddr(char *p, const struct plan_field *pf, const struct event *event);
/* Of a PLAN_TEXTS: each in quotes, with @between (of at most two bytes) between them. */
char *plan_emit_texts(char *p, const struct plan_field *pf, const struct event *event,
		      const char *between, escape_write escape);
/* A number in its form: decimal, or 0x, 0, 0b in front. */
char *plan_emit_number(char *p, enum plan_form form, uint64_t value);

/* Whether @pf shows a field of the class's connection. */
static inline bool plan_is_end(const struct plan *plan, const struct plan_field *pf)
{
	return pf->form != PLAN_DERIVED &&
	       (pf->index == plan->ends.saddr || pf->index == plan->ends.lport ||
		pf->index == plan->ends.daddr || pf->index == plan->ends.rport);
}

/* Whether @event has a value to show. @facts: its derived values; NULL = none. */
static inline bool plan_has(const struct plan_field *pf, const struct event *event,
			    const struct event_facts *facts)
{
	if (__builtin_expect(pf->form == PLAN_DERIVED, 0))
		return facts && (facts->has >> pf->index & 1);
	return event_has(event, pf->index);
}

static inline size_t plan_room(const struct plan *plan, const struct event *event)
{
	if (__builtin_expect(!plan->varying, 1))
		return plan->max_bytes;
	return plan->max_bytes + plan_room_varying(plan, event);
}

#endif /* SONDE_OUTPUT_PLAN_H */
