/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * symbol_notes: what a trace says of its addresses: functions of the kernel, mappings of processes; and
 * its end mark, which is in the same stream.
 *
 * These notes stand behind the events that they are about, so they are read before anything else.
 */
#ifndef SONDE_TRACE_SYMBOL_NOTES_H
#define SONDE_TRACE_SYMBOL_NOTES_H

#include <stddef.h>

struct ctf_trace_class;
struct end_notes;
struct symbol_notes;
struct symbols;

/* Reads the recorder's stream in directory @dir. Nothing without such a stream; damage
 * in it is reported when it is read again. 0 or -ENOMEM. */
int symbol_notes_read(int dir, const struct ctf_trace_class *trace, struct symbols *symbols,
		      struct end_notes *end);

/*
 * The same of a trace that grows, as often as there may be more: a recorder writes them within the
 * time that a follower waits (trace/follow.h). Borrows all. NULL = no memory.
 */
struct symbol_notes *symbol_notes_new(int dir, const struct ctf_trace_class *trace,
				      struct symbols *symbols, struct end_notes *end);
void symbol_notes_free(struct symbol_notes *notes);
/* Takes in what has come since the last call. 0 or -ENOMEM. */
int symbol_notes_more(struct symbol_notes *notes);

/*
 * The same of one packet that is whole and in memory, before it is read with all others: of any stream, for most
 * have nothing of the kind. @end: described by @trace. 1 = its stream has notes of addresses, 0 = it has none, or -ENOMEM.
 */
int symbol_notes_packet(const struct ctf_trace_class *trace, const void *packet, size_t len,
			struct symbols *symbols, struct end_notes *end);

#endif /* SONDE_TRACE_SYMBOL_NOTES_H */
