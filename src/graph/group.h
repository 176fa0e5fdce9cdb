/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * group: what events are grouped by, so that each has a series of its own: connections, tasks, CPUs, disks,
 * or the values of any field.
 */
#ifndef SONDE_GRAPH_GROUP_H
#define SONDE_GRAPH_GROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyse/conn_id.h"

struct diag;
struct event;
struct event_class;
struct select;
struct syscalls;
struct trace_info;
struct analysis;
struct event_facts;

#define GROUP_LABEL_BYTES 160u

enum group_by {
	GROUP_AUTO, /* connections, where events are about one; else all are one group */
	GROUP_NONE,
	GROUP_CONN,
	GROUP_TID,
	GROUP_PID,
	GROUP_COMM,
	GROUP_CONTAINER,
	GROUP_CPU,
	GROUP_DEV, /* the disk */
	GROUP_EVENT, /* what kind of event it is */
	GROUP_FIELD,
	GROUP_FILE, /* of a descriptor or an inode, where no field is called so */
	GROUP_ORIGIN, /* a host or a process, where no field is called so */
};

struct group_choice {
	enum group_by by;
	const char *field; /* of GROUP_FIELD; borrowed */
};

/* Where the events of one class tell their group. */
struct group_place {
	enum group_by by; /* never GROUP_AUTO */
	bool has_addresses; /* of GROUP_CONN; else its ports are all that is known */
	struct conn_id_fields conn;
	int major, minor; /* of GROUP_DEV; of GROUP_FILE, with the inode */
	int inode; /* of GROUP_FILE; -1: it follows from the descriptor */
	const struct event_class *class;
	size_t field; /* of GROUP_FIELD, or enum origin_part of GROUP_ORIGIN */
};

/* Two groups are the same if this is. */
struct group_key {
	uint64_t kind; /* enum group_by: classes may differ in it */
	uint64_t value;
};

/* "conn", "tid", "pid", "comm", "container", "cpu", "dev", "none"; anything else is a field. */
void group_choice_parse(const char *text, struct group_choice *ret);
/* What has to be derived of each event for it (a bit for each enum derived): tasks are the owners of events. */
uint32_t group_choice_needs(const struct group_choice *choice, const struct trace_info *info);
/* -ENOENT: no class that is shown has the field, the diag has a name that is near. */
int group_choice_check(const struct group_choice *choice, const struct trace_info *info,
		       const struct select *select, struct diag *diag);
/* False: events of @class have no such thing. Borrows @class. */
bool group_place_find(const struct group_choice *choice, const struct event_class *class,
		      struct group_place *ret);

/* False: this event has none. @facts: what group_choice_needs asks for. */
bool group_key_get(const struct group_place *place, const struct event *event,
		   const struct analysis *analysis, const struct event_facts *facts,
		   struct group_key *ret);
/* What the group of @event is called; "" where it is a connection or a task, of which more is known later.
 * @calls: names of system calls; NULL = none are needed. */
void group_label(const struct group_place *place, const struct event *event,
		 const struct analysis *analysis, const struct event_facts *facts,
		 const struct syscalls *calls, char label[GROUP_LABEL_BYTES]);
/* As "comm:number". */
void group_label_task(const struct analysis *analysis, uint32_t number,
		      char label[GROUP_LABEL_BYTES]);
/* For a place that is about connections: learns from @event about its connection. */
void group_learn_conn(const struct group_place *place, const struct event *event,
		      struct conn_id *conn);
void group_label_conn(const struct conn_id *id, bool has_addresses, char label[GROUP_LABEL_BYTES]);

#endif /* SONDE_GRAPH_GROUP_H */
