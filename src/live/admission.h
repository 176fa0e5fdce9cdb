/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * admission: connections that were accepted and are not let in yet: they do what is asked of them (rights), each
 * within its time, and none holds up another. It belongs to the event loop of its owner.
 *
 * Nothing that a peer says gets further before it is let in. Who is not is closed, and the log says why.
 */
#ifndef SONDE_LIVE_ADMISSION_H
#define SONDE_LIVE_ADMISSION_H

#include <stdint.h>

struct admission;
struct bufferevent;
struct event_base;
struct rights;

#define ADMISSION_PATIENCE_NS 10000000000ull

/*
 * The peer is let in. Who gets this frees @link, which closes the connection, sets its callbacks and enables
 * it; what has come already is told by the read callback soon. @name: that in its certificate, "" = it has
 * none; for the call.
 */
typedef void (*admission_admitted)(void *ctx, struct bufferevent *link, const char *name);

struct admission_config {
	const struct rights *rights; /* borrowed; NULL = nothing is asked */
	uint64_t patience_ns; /* with each; 0 = ADMISSION_PATIENCE_NS */
	void (*log)(void *ctx, const char *text); /* a sentence for whoever runs it; may be NULL */
	void *ctx; /* of the log */
};

/* NULL = no memory. */
struct admission *admission_new(struct event_base *base, const struct admission_config *config);
/* Who waits is closed. NULL is fine. */
void admission_free(struct admission *admission);

/* Takes @fd, an accepted connection that does not block. Where nothing is asked @admitted is called before
 * this returns. */
void admission_take(struct admission *admission, int fd, admission_admitted admitted, void *ctx);
/* Those that wait. */
unsigned int admission_waiting(const struct admission *admission);

#endif /* SONDE_LIVE_ADMISSION_H */
