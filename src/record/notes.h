/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * notes: the recorder's own stream: the tasks there are at the start, what things are called, which
 * measurements are on, what programs could not record, what they cost, what addresses mean. Gathered
 * here, packed into packets like the kernel
 * half's.
 */
#ifndef SONDE_RECORD_NOTES_H
#define SONDE_RECORD_NOTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/filter.h"
#include "wire/note.h"

struct cost_sum;
struct notes;
struct trigger_event;

/* NULL: no memory. */
struct notes *notes_new(const uint8_t uuid[16]);
void notes_free(struct notes *notes);

/* All tasks of /proc that @pids wants (one bit a process; NULL = all). 0 or -errno. */
int notes_add_tasks(struct notes *notes, const uint64_t *pids);
/* @text is cut to NAME_TEXT_MAX. 0 or -ENOMEM. */
int notes_add_name(struct notes *notes, enum name_kind kind, uint64_t key, uint32_t dev,
		   const char *text);
int notes_add_loss(struct notes *notes, const char *measurement, uint64_t count);
int notes_add_forgotten(struct notes *notes, enum owner_forgotten what, uint64_t count);
/* As of @time_ns (CLOCK_MONOTONIC); a note is never earlier than the one before it. */
int notes_add_state(struct notes *notes, uint64_t time_ns, const char *measurement, bool on,
		    enum state_reason reason);
/* @label: whose programs. */
int notes_add_cost(struct notes *notes, const char *label, const struct cost_sum *sum,
		   uint32_t cpus);
/* @name is cut where it is too long for a record. */
int notes_add_symbol(struct notes *notes, uint64_t start, uint64_t size, const char *name);
/* Of @mapping place and build id are filled in; @pid has it since @since_ns. */
int notes_add_mapping(struct notes *notes, struct sonde_mapping *mapping, uint32_t pid,
		      uint64_t since_ns, const char *path, size_t path_len);

/* A record of another class that the recorder's stream has: the @len bytes behind its head, a
 * multiple of RECORD_ALIGN. As of @time_ns, as above. */
int notes_add_record(struct notes *notes, uint64_t time_ns, uint32_t id, uint32_t tid,
		     const void *payload, size_t len);
/* Of all that was added since the last packet. */
size_t notes_bytes(const struct notes *notes);

/* A trigger that fires upon the event of @fired, at @now_ns (CLOCK_MONOTONIC): its note
 * has the time of the event, @event_ns. */
int notes_add_trigger(struct notes *notes, uint64_t event_ns, uint64_t now_ns,
		      const struct trigger_event *fired);
/* There is to be a packet, even one without any note. */
void notes_want_packet(struct notes *notes);
/* What was added since the last call, as one packet; NULL where there is nothing. Borrowed until
 * the next call. @lost: all records lost by recursion since the start. */
const void *notes_packet(struct notes *notes, uint64_t lost, size_t *len);
/* What is noted from now on is as of @time_ns at the earliest. */
void notes_not_before(struct notes *notes, uint64_t time_ns);
/* Packets made since the start. */
uint64_t notes_packets(const struct notes *notes);
/* Records added since the start. */
uint64_t notes_count(const struct notes *notes);

#endif /* SONDE_RECORD_NOTES_H */
