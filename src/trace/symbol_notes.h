/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * symbol_notes: what a trace says of its addresses: functions of the kernel, mappings of processes.
 *
 * These notes stand behind the events that they are about, so they are read before anything else.
 */
#ifndef SONDE_TRACE_SYMBOL_NOTES_H
#define SONDE_TRACE_SYMBOL_NOTES_H

struct ctf_trace_class;
struct symbols;

/* Reads the recorder's stream in directory @dir. Nothing where there is no such stream; what is damaged
 * in it is told when it is read again. 0 or -ENOMEM. */
int symbol_notes_read(int dir, const struct ctf_trace_class *trace, struct symbols *symbols);

#endif /* SONDE_TRACE_SYMBOL_NOTES_H */
