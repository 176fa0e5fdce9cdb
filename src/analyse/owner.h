/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * owner: which task an event belongs to, if another task ran when it happened: an interrupt hits any.
 *
 * A socket belongs to the task that used it last, in a call of its own: it sent, received, connected or listened. Its
 * later events belong to that task. The kernel half records the owner of a dropped packet if it knows it. Of a
 * request to a disk see analyse/disk_pair. The handler of an interrupt, a soft interrupt and timers are owners
 * themselves, with negative numbers (schema/derived). What is not known is OWNER_UNKNOWN, never the task that was interrupted.
 * analyse/derive asks.
 */
#ifndef SONDE_ANALYSE_OWNER_H
#define SONDE_ANALYSE_OWNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"

struct event;
struct event_class;

/* Where a class of events says what. */
struct owner_fields {
	bool uses; /* the task that runs uses the socket */
	bool has_state, has_owner;
	size_t cookie; /* number of the socket */
	size_t new_state; /* with has_state: the task that runs uses it where it connects or listens */
	size_t owner; /* with has_owner: the tid that the kernel half knows, or 0 */
};

struct owners {
	struct map sockets; /* tid by cookie */
};

/* Where a class of events of interrupts says which. */
struct owner_irq {
	enum { OWNER_FIELD_IRQ, OWNER_FIELD_VECTOR, OWNER_FIELD_NONE } kind;
	size_t number; /* of OWNER_FIELD_NONE: unused, all are timers */
};

/* Whether events of @class are of interrupts. */
bool owner_irq_find(struct owner_irq *irq, const struct event_class *class);
int32_t owner_irq_take(const struct owner_irq *irq, const struct event *event);

void owners_init(struct owners *owners);
void owners_fini(struct owners *owners);
/* Whether events of @class are of sockets. */
bool owner_fields_find(struct owner_fields *fields, const struct event_class *class);
/* Of @event, from which it learns; or OWNER_UNKNOWN. In the order of time. */
int32_t owners_take(struct owners *owners, const struct owner_fields *fields,
		    const struct event *event);

#endif /* SONDE_ANALYSE_OWNER_H */
