/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * recording_state: what a recording holds, for the files that it consists of: recording_open (made
 * and loaded), recording (started, drained, flushed, stopped), recording_switch (measurements on and off
 * while it runs), recording_poll (rounds of tcp.poll), recording_rx (servers that are asked). No
 * other file includes it.
 */
#ifndef SONDE_RECORD_RECORDING_STATE_H
#define SONDE_RECORD_RECORDING_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "probe/loader.h"
#include "record/notes.h"
#include "record/poll_record.h"
#include "record/recording_config.h"
#include "record/recording_totals.h"
#include "trace/packet_sink.h"

struct diag;
struct end_mark;
struct event_class;
struct measurement;
struct rx_poll;

/* A program that has begun has its record, or none, after this long: it takes microseconds. */
#define RECORDING_QUIET_US 1000

struct recording {
	struct recording_config config;
	struct loader *loader;
	bool stacks; /* some measurement has them */
	struct ring *ring; /* NULL, and no doorbell: without programs in the kernel */
	struct writer *writer; /* NULL: nothing goes to disk */
	struct packet_fan sinks; /* where all goes, the writer among them */
	uint64_t bytes; /* of packets that went there */
	struct notes *notes;
	struct watch *watch; /* NULL: no triggers */
	bool wants_stop; /* a trigger does */
	struct host_names *names;
	struct overhead *overhead;
	struct address_notes *addresses;
	struct code_notes *code;
	struct ring_buffer *doorbell; /* and reports of the sampler about processes */
	uint64_t *pids; /* the map filter_pids, or our own without programs; NULL unless by_pid */
	struct poll_record poll_record; /* tcp.poll, if the recorder itself asks */
	const struct measurement *poll;
	uint64_t poll_round; /* the last one */
	uint64_t poll_missed; /* that were too late */
	uint64_t poll_incomplete; /* looks into a namespace that failed, and rounds that did */
	unsigned int poll_forbidden; /* network namespaces in the last one */
	struct recording_netns poll_failed; /* in the worst */
	struct rx_poll *rx; /* NULL: no servers are asked */
	uint64_t misses[LOADER_PROGRAMS_MAX]; /* reported so far, by program */
	uint64_t forgotten[OWNER_FORGOTTEN_COUNT]; /* likewise */
	struct buffer metadata; /* the same as in the file */
	bool *described; /* the classes in it, by class.index */
	struct end_mark *end_mark;
	bool *noted; /* which measurements are on, as the trace says */
	uint64_t lost_recursion;
	uint64_t complete_ns; /* of what was flushed; 0 = not yet */
	uint32_t cpus;
	uint32_t sub_shift;
	uint32_t sub_count;
	uint8_t uuid[16];
	bool attached;
	int err; /* first error of writing */
};

/* The first error of writing stays. */
void recording_keep_error(struct recording *rec, int err);
/* What was noted goes into the trace, at this point of it. */
void recording_write_notes(struct recording *rec);
/* Around each change of what is attached: STATE_ALL. */
void recording_note_all(struct recording *rec, uint64_t time_ns, bool on, enum state_reason reason);
/* Every measurement that is not as the trace says: it is since @time_ns. */
void recording_note_states(struct recording *rec, uint64_t time_ns, enum state_reason reason);
/* Gives the triggers the current metadata. */
int recording_describe_watch(struct recording *rec, struct diag *diag);
/* Once it is loaded. */
int recording_listen_to_sampler(struct recording *rec);
/* How @m is recorded here, and in which stream. */
const struct event_class *recording_class_of(const struct recording *rec,
					     const struct measurement *m, unsigned int *stream);
/* Whether tcp.poll is what the kernel answers to us, as there may be no program. */
bool recording_poll_asks(const struct recording *rec);
int recording_open_rx(struct recording *rec, struct diag *diag);
/* Before the last notes are written. */
void recording_finish_rx(struct recording *rec);
/* In a thread, for what takes longer than a ring lasts at full rate. */
int recording_work_while_draining(struct recording *rec, int (*work)(void *ctx), void *ctx);

#endif /* SONDE_RECORD_RECORDING_STATE_H */
