/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * perfetto_out: records of the Chrome trace event format, one after the other, as the Perfetto UI and
 * chrome://tracing read them: {"ph":"B","ts":1.234,"pid":1,"tid":1,"cat":"sys","name":"read","args":{}}.
 *
 * Who writes a record opens it, adds members, then arguments, and closes it. Readers of this format
 * put tracks together by pid and tid alone, and some know a thread by its tid alone: so tracks
 * that are not tasks have numbers beyond those of tasks, and no tid is in two processes. Times are
 * microseconds since the first event, with three decimals: readers that take them as floating point
 * lose no nanosecond, as they would if they were since 1970.
 */
#ifndef SONDE_OUTPUT_PERFETTO_OUT_H
#define SONDE_OUTPUT_PERFETTO_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct event;
struct names;
struct plan;
struct plan_field;
struct view;

/* Groups of tracks that are not processes; their threads are numbered from the same number on. */
#define PERFETTO_CPUS 10000000u
#define PERFETTO_DISKS 11000000u /* one process for each disk */
#define PERFETTO_PACKETS 12000000u
#define PERFETTO_CONNECTIONS 13000000u
#define PERFETTO_OTHERS 14000000u
#define PERFETTO_STATES 20000000u /* and the tid: a thread for the states of a task */

struct perfetto_place {
	uint32_t pid;
	uint32_t tid;
};

struct perfetto_out {
	const struct view *view;
	struct plan *plans; /* by event_class.index: of all fields, in their order */
	struct plan *shown; /* of those that were asked for */
	struct names *names;
	int64_t origin_ns; /* the first event: time 0 */
	int64_t last_ns; /* the last event that was seen */
	bool begun;
	bool any; /* records were written */
	bool in_args;
	bool comma; /* there is an argument before */
};

/* 0 or -ENOMEM; perfetto_out_fini is due in both cases. */
int perfetto_out_init(struct perfetto_out *po, const struct view *view);
void perfetto_out_fini(struct perfetto_out *po);

/* What comes before the records. @origin_ns: time 0. */
void perfetto_begin(struct perfetto_out *po, int64_t origin_ns);
/* And behind them. */
void perfetto_end(struct perfetto_out *po);

void perfetto_open(struct perfetto_out *po, char phase, int64_t time_ns, struct perfetto_place at);
void perfetto_close(struct perfetto_out *po);
/* A member, or, behind perfetto_args, an argument. Keys and values that are known to be plain. */
void perfetto_plain(struct perfetto_out *po, const char *key, const char *value);
/* Text of unknown origin. Some readers stop at a \u outside of arguments: it writes none. */
void perfetto_text(struct perfetto_out *po, const char *key, const char *text, size_t len);
void perfetto_number(struct perfetto_out *po, const char *key, int64_t value);
/* A list of texts that are known to be plain. */
void perfetto_list(struct perfetto_out *po, const char *key);
void perfetto_list_add(struct perfetto_out *po, const char *text);
void perfetto_list_end(struct perfetto_out *po);
/* The part of the name of @event's class in front of the dot, "sys", as category. */
void perfetto_category(struct perfetto_out *po, const struct event *event);

/* From here on members are arguments. */
void perfetto_args(struct perfetto_out *po);
/* The fields of @event that were asked for as arguments, but those whose bit in @skip is set (of the first 64). */
void perfetto_fields(struct perfetto_out *po, const struct event *event, uint64_t skip);
/* What field @field of @event is called: a label, a function, a number; as text of a member. */
void perfetto_field_name(struct perfetto_out *po, const char *key, const char *before,
			 const struct event *event, size_t field);

/* The name of a process, or of a thread in it; the last one counts. */
void perfetto_name_process(struct perfetto_out *po, uint32_t pid, const char *name, size_t len);
void perfetto_name_thread(struct perfetto_out *po, struct perfetto_place at, const char *name,
			  size_t len);
/* Where it stands among the others: smaller is higher. @kind: "process" or "thread". */
void perfetto_sort(struct perfetto_out *po, const char *kind, struct perfetto_place at,
		   int64_t index);

/* @event as a point on a track, with all its fields. */
void perfetto_instant(struct perfetto_out *po, const struct event *event, struct perfetto_place at);
/* The end of the slice that was begun last on a track; @why: instead of its end, or NULL. */
void perfetto_slice_end(struct perfetto_out *po, int64_t time_ns, struct perfetto_place at,
			const char *why);

#endif /* SONDE_OUTPUT_PERFETTO_OUT_H */
