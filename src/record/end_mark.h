/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * end_mark: what says that a trace is complete: for each stream what it holds and lacks, then sonde.end
 * (wire/note.h). The recording shows it each packet that goes out; at the end it adds the notes.
 */
#ifndef SONDE_RECORD_END_MARK_H
#define SONDE_RECORD_END_MARK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/note.h"

struct end_mark;
struct notes;
struct ring;
struct writer;

/* NULL: no memory. */
struct end_mark *end_mark_new(uint32_t cpus);
void end_mark_free(struct end_mark *mark);

/* A packet of any stream, which starts with a struct packet_head. True: it is its stream's first. */
bool end_mark_packet(struct end_mark *mark, const void *packet);
/*
 * Adds the notes of the mark. @ring, @writer: NULL where the recording has none. @lost: of the recorder's own
 * stream, as its last packet says. Nothing else may be noted behind it. 0 or -errno.
 */
int end_mark_note(const struct end_mark *mark, struct notes *notes, const struct ring *ring,
		  struct writer *writer, uint64_t lost, enum end_reason reason);
/* By what ended the recording: 0 or -errno of writing. */
enum end_reason end_reason_of(int err);

#endif /* SONDE_RECORD_END_MARK_H */
