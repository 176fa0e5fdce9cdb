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
#include "analyse/disk_pair.h"
#include "analyse/gap.h"
#include "analyse/net_fields.h"
#include "output/perfetto_conn.h"
#include "output/perfetto_cpu.h"

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
	int state; /* PERFETTO_CLASS_SWITCH: why the other leaves; -1 = not given */
	uint64_t leaver; /* PERFETTO_CLASS_SWITCH: fields of the one that leaves */
	bool second; /* PERFETTO_CLASS_WAKE: sched.wakeup, where there is sched.waking */
};

/* @has_waking: there is sched.waking, too. */
void perfetto_class_find(struct perfetto_class *entry, const struct event_class *class,
			 bool has_waking);

#endif /* SONDE_OUTPUT_PERFETTO_CLASS_H */
