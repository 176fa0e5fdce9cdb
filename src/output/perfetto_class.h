/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * perfetto_class: what the events of one class are on tracks, and where they say what is needed for
 * that. Found once for each class, for output/perfetto.
 */
#ifndef SONDE_OUTPUT_PERFETTO_CLASS_H
#define SONDE_OUTPUT_PERFETTO_CLASS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyse/call_stats.h"
#include "analyse/conn_id.h"
#include "analyse/disk_pair.h"
#include "analyse/gap.h"
#include "analyse/net_fields.h"
#include "base/map.h"
#include "output/perfetto_cpu.h"
#include "output/perfetto_out.h"

/*
 * The tracks of TCP connections, in a process of their own: for each a thread with what
 * happens to it (sent again, losses, changes of state, resets), and counters of what its snapshots
 * tell, written where they change.
 */

#define PERFETTO_COUNTERS 11u

/* Where a class of events has what of a connection; -1 = nowhere. */
struct perfetto_conn_fields {
	bool found;
	bool counts; /* there is a snapshot, and no news beside it: counters say all */
	struct conn_id_fields id;
	int counters[PERFETTO_COUNTERS];
};

/* Zeros: a connection of which nothing has been shown. */
struct perfetto_conn {
	uint32_t number; /* 1 = the first that was seen */
	struct conn_id id;
	uint32_t shown; /* bit by counter: it has a value */
	uint64_t values[PERFETTO_COUNTERS];
};

struct perfetto_conns {
	struct perfetto_out *po;
	struct map conns; /* struct perfetto_conn by conn_id_key */
	uint32_t count; /* that were seen */
};

void perfetto_conns_init(struct perfetto_conns *conns, struct perfetto_out *po);
void perfetto_conns_fini(struct perfetto_conns *conns);
void perfetto_conn_fields_find(struct perfetto_conn_fields *fields,
			       const struct event_class *class);
void perfetto_conn_event(struct perfetto_conns *conns, const struct perfetto_conn_fields *fields,
			 const struct event *event);

struct event_class;

enum perfetto_class_kind {
	PERFETTO_CLASS_POINT, /* nothing of the following */
	PERFETTO_CLASS_LOST,
	PERFETTO_CLASS_NAMES, /* a note of what others are called, which show it */
	PERFETTO_CLASS_NOTE, /* another one of the recorder's */
	PERFETTO_CLASS_CALL,
	PERFETTO_CLASS_SWITCH,
	PERFETTO_CLASS_WAKE,
	PERFETTO_CLASS_EXIT,
	PERFETTO_CLASS_INTERRUPT,
	PERFETTO_CLASS_WORK,
	PERFETTO_CLASS_SAMPLE,
	PERFETTO_CLASS_CONN,
	PERFETTO_CLASS_DISK,
	PERFETTO_CLASS_PACKET,
};

struct perfetto_class {
	enum perfetto_class_kind kind;
	struct gap_fields gap;
	struct call_fields call;
	struct perfetto_cpu_fields interrupt;
	struct perfetto_conn_fields conn;
	struct disk_fields disk;
	struct net_fields net;
	size_t tid; /* PERFETTO_CLASS_WAKE, PERFETTO_CLASS_SWITCH: the field with the task */
	int sides; /* PERFETTO_CLASS_SWITCH (analyse/switch_sides) */
	int state; /* PERFETTO_CLASS_SWITCH: why the other leaves; -1 = not given */
	uint64_t leaver; /* PERFETTO_CLASS_SWITCH: fields of the one that leaves */
	bool second; /* PERFETTO_CLASS_WAKE: sched.wakeup, where there is sched.waking */
};

/* @has_waking: there is sched.waking, too. */
void perfetto_class_find(struct perfetto_class *entry, const struct event_class *class,
			 bool has_waking);

#endif /* SONDE_OUTPUT_PERFETTO_CLASS_H */
