/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * address_notes: notes in the trace of the kernel's functions that addresses in it lie in, so that
 * these have names wherever and whenever it is read.
 *
 * The recording shows it each packet that goes out, where a field may be such an address.
 */
#ifndef SONDE_RECORD_ADDRESS_NOTES_H
#define SONDE_RECORD_ADDRESS_NOTES_H

#include <stddef.h>
#include <stdint.h>

struct address_notes;
struct notes;
struct warden;

/* Borrows both. NULL: no memory. */
struct address_notes *address_notes_new(struct notes *notes, struct warden *warden);
void address_notes_free(struct address_notes *an);

/* What the packets hold from now on: the trace's metadata. 0 or -errno. */
int address_notes_describe(struct address_notes *an, const char *metadata, size_t len);
/* Remembers the addresses in a packet of the trace. */
void address_notes_packet(struct address_notes *an, const void *packet, size_t len);

/* Notes the functions of what is new. The first time the kernel's symbols have to be read, which
 * another thread does. 0 or -ENOMEM. */
int address_notes_tick(struct address_notes *an);
/* The same, waiting for that thread. */
int address_notes_finish(struct address_notes *an);

#endif /* SONDE_RECORD_ADDRESS_NOTES_H */
