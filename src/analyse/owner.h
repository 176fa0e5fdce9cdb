/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * owner: which task an event belongs to, if another task ran when it happened: an interrupt hits any.
 *
 * A socket belongs to the task that used it last, in a call of its own: it sent, received, connected or listened. Its
 * later events belong to that task. The kernel half records the owner of a dropped packet if it knows it. Of a
 * request to a disk see analyse/disk_pair. What is not known is OWNER_UNKNOWN, never the task that was interrupted.
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

void owners_init(struct owners *owners);
void owners_fini(struct owners *owners);
/* Whether events of @class are of sockets. */
bool owner_fields_find(struct owner_fields *fields, const struct event_class *class);
/* Of @event, from which it learns; or OWNER_UNKNOWN. In the order of time. */
int32_t owners_take(struct owners *owners, const struct owner_fields *fields,
		    const struct event *event);

#endif /* SONDE_ANALYSE_OWNER_H */
