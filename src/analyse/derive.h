/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * derive: values of each event that are derived from those before it (schema/derived): how long a system call
 * took, a task waited for a CPU, a request was in a disk's queue and at the disk; and whose it is (analyse/owner). Exact if nothing
 * was lost; after a loss, pairs in progress are not known. Each of several traces has tasks and
 * disks of its own.
 *
 * Events have to come in the order of time, all that it has asked for. Its memory is bounded: it keeps
 * what is under way, and where that is more than there can be (because ends were not recorded) it forgets
 * all of it.
 */
#ifndef SONDE_ANALYSE_DERIVE_H
#define SONDE_ANALYSE_DERIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/derived.h"

struct derive;
struct event;
struct event_class;
struct trace_info;

/* For the values in @needs (a bit for each enum derived), of the classes in @info. NULL: no
 * memory. Borrows nothing. */
struct derive *derive_new(const struct trace_info *info, uint32_t needs);
void derive_free(struct derive *derive);
/* The same for a source that has more than it had when @old was made; pairs in progress there
 * continue. Frees @old, which may be NULL, in any case. */
struct derive *derive_renew(struct derive *old, const struct trace_info *info, uint32_t needs);

/* Whether any class of @info has events that may belong to another task than the one that ran. */
bool derive_knows_owners(const struct trace_info *info);

/* What is under way in @from is under way in @into as well, which was made for the same. 0 or -ENOMEM. */
int derive_copy(struct derive *into, const struct derive *from);
/* Whether events of @class must pass through derive_event. */
bool derive_takes(const struct derive *derive, const struct event_class *class);
/* Learns from @event, and fills in what is known of it. */
void derive_event(struct derive *derive, const struct event *event, struct event_facts *facts);

#endif /* SONDE_ANALYSE_DERIVE_H */
