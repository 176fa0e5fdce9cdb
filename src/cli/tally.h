/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tally: a sink around another that counts the progress: shown on a terminal while it
 * lasts, and reported at the end.
 */
#ifndef SONDE_CLI_TALLY_H
#define SONDE_CLI_TALLY_H

#include <stdbool.h>
#include <stdint.h>

#include "schema/source.h"

struct read_session;
struct verb_spec;

struct tally {
	struct event_sink sink; /* first: the vtable's functions get this */
	struct event_sink *inner; /* owned */
	const struct read_session *session;
	bool terminal; /* someone is watching */
	uint64_t start_ns;
	uint64_t shown_ns; /* when it was shown last */
	uint64_t read_bytes; /* of events that came, as they are in the source */
	uint64_t total_bytes; /* of the source; 0 = not known */
	uint64_t events; /* written */
	bool finished;
	int err; /* the inner sink's first */
};

/* Takes @inner. Borrows @session until the sink is freed; the tally itself stays the caller's. */
void tally_init(struct tally *tally, struct event_sink *inner, const struct read_session *session);
/* One line on stderr: the present size of @path. */
void tally_print(const struct tally *tally, const struct verb_spec *spec, const char *path);

#endif /* SONDE_CLI_TALLY_H */
