/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * event_values: the values of named fields of each event, for reports that group and add up by them. A name means what
 * it means in an expression (schema/expr_bind): a field, a derived value, or tid, comm, event and the like of any event.
 *
 * Rule: every event that event_values_takes passes through event_values_follow in the order of time, shown or not.
 */
#ifndef SONDE_ANALYSE_EVENT_VALUES_H
#define SONDE_ANALYSE_EVENT_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyse/where.h"
#include "schema/expr_side.h"

#define EVENT_VALUES_MAX 24u

struct diag;
struct event;
struct event_class;
struct field;
struct select;
struct task_names;
struct trace_info;

enum event_value_kind {
	EVENT_VALUE_NONE, /* the event does not have it, or it is not known */
	EVENT_VALUE_SIGNED,
	EVENT_VALUE_UNSIGNED,
	EVENT_VALUE_CALL, /* a system call; above 32 bits whether it is of 32-bit code */
	EVENT_VALUE_FLOAT,
	EVENT_VALUE_TEXT,
	EVENT_VALUE_ADDRESS, /* 16 bytes */
};

/* Text is borrowed until the next event. */
struct event_value {
	enum event_value_kind kind;
	uint64_t number; /* of a signed one, its bits */
	double real;
	const char *text; /* or the address */
	size_t len;
};

/* What a name stands for in one class. */
struct event_value_place {
	bool known;
	enum expr_side_kind kind;
	struct expr_side side;
	const struct field *field; /* that describes it: unit, labels; NULL: none does */
};

struct event_values {
	struct where where; /* follows all that the names need */
	struct expr *names[EVENT_VALUES_MAX]; /* each is one name */
	const char *options[EVENT_VALUES_MAX]; /* that named it, for messages; borrowed */
	bool optional[EVENT_VALUES_MAX]; /* no event needs to have it */
	size_t count;
	const char *
		counted; /* a pattern: one of these events needs to have each name, if there are any; NULL: any; borrowed */
	size_t stack_room; /* bytes that a stack may have; 0 = as many as there may be */
	struct event_value_place *places; /* name i in class c at [c * count + i] */
	size_t class_count;
};

/* All zeros is none, and may be freed. */
void event_values_fini(struct event_values *values);
/* Adds a name, copied: "comm", "args[0]". @option: for the diag. @optional: it may be that no event has it. -EINVAL:
 * it is not a name; -E2BIG: too many. */
int event_values_add(struct event_values *values, const char *option, const char *name,
		     bool optional, struct diag *diag);
/* Whether @name can be one: 0 or -EINVAL. */
int event_values_check(const char *option, const char *name, struct diag *diag);
/* Once all are added. -ENOENT: none of the chosen events has one of them; the diag has a name that is near, or those that
 * there are. Borrows @info. */
int event_values_bind(struct event_values *values, const struct trace_info *info,
		      const struct select *select, struct diag *diag);

bool event_values_takes(const struct event_values *values, const struct event_class *class);
/* @names: as they are at that event. */
void event_values_follow(struct event_values *values, const struct event *event,
			 const struct task_names *names);
/* Whether events of @class can have value @i. */
const struct event_value_place *event_values_place(const struct event_values *values, size_t i,
						   const struct event_class *class);
/* Value @i of the event that was followed last. */
void event_values_get(const struct event_values *values, size_t i, const struct event *event,
		      struct event_value *ret);

/* A value as bytes from @at of @key on, at most @room: so that equal values are equal bytes. Returns what is behind it. */
size_t event_value_pack(uint8_t *key, size_t at, size_t room, const struct event_value *value);
/* The @i-th of the values that were packed behind each other; its text is borrowed from @key. */
void event_value_unpack(const uint8_t *key, size_t i, struct event_value *ret);

#endif /* SONDE_ANALYSE_EVENT_VALUES_H */
