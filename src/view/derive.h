/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * derive: what follows of each event from those before it (schema/derived): how long a system call
 * took, a task waited for a CPU, a request was in a disk's queue and at the disk. Exact where nothing
 * was lost; behind a loss, what was under way is not known. Of several traces each has tasks and disks of its own.
 *
 * Events have to come in the order of time, all that it has asked for. Its memory is bounded: it keeps
 * what is under way, and where that is more than there can be (because ends were not recorded) it forgets
 * all of it.
 */
#ifndef SONDE_VIEW_DERIVE_H
#define SONDE_VIEW_DERIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/derived.h"

struct derive;
struct event;
struct event_class;
struct trace_info;

/* For what @needs asks (a bit for each enum derived), of what @info tells of. NULL: no memory. Borrows nothing. */
struct derive *derive_new(const struct trace_info *info, uint32_t needs);
void derive_free(struct derive *derive);
/* The same for a source that has more than it had when @old was made; what is under way there goes on. Frees @old,
 * which may be NULL, in any case. */
struct derive *derive_renew(struct derive *old, const struct trace_info *info, uint32_t needs);

/* What is under way in @from is under way in @into as well, which was made for the same. 0 or -ENOMEM. */
int derive_copy(struct derive *into, const struct derive *from);
/* Whether events of @class must pass through derive_event. */
bool derive_takes(const struct derive *derive, const struct event_class *class);
/* Learns from @event, and fills in what is known of it. */
void derive_event(struct derive *derive, const struct event *event, struct event_facts *facts);

#endif /* SONDE_VIEW_DERIVE_H */
