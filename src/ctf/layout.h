/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * layout: an event class's payload, flattened into fields, and where these fields lie.
 *
 * Where nothing but integers and fixed arrays is inside, offsets are the same for all events of
 * the class; else the decoder walks the fields of each event and finds their offsets.
 */
#ifndef SONDE_CTF_LAYOUT_H
#define SONDE_CTF_LAYOUT_H

#include <stdint.h>

#include "schema/event.h"

struct arena;
struct ctf_event_decl;
struct diag;

struct ctf_layout {
	struct event_class class;
	uint32_t align; /* bits: where the payload begins, from the start of the packet */
	uint32_t payload_bits; /* of a fixed layout */
	/* Of each field, bits: its own alignment, and that of structures that begin with it. */
	const uint32_t *aligns;
};

/*
 * Flattens @decl's payload into memory of @arena. -ENOTSUP: a type that has no flat form yet, the
 * diag names it and its line; -E2BIG: over a limit.
 */
int ctf_layout_make(struct arena *arena, const struct ctf_event_decl *decl, struct ctf_layout **ret,
		    struct diag *diag);

#endif /* SONDE_CTF_LAYOUT_H */
