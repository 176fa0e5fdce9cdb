/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * admission: connections that were accepted and are not let in yet: they do what is asked of them (rights), each
 * within its time, and none holds up another. It belongs to the event loop of its owner.
 *
 * Nothing that a peer says gets further before it is let in. Who is not is closed, and the log says why.
 *
 * They take no place of those who are let in: there is a limit of their own, and one for each address. Above half of
 * it a new one may take the place of one of those that wait, by chance; so whoever holds most places loses most.
 */
#ifndef SONDE_LIVE_ADMISSION_H
#define SONDE_LIVE_ADMISSION_H

#include <stddef.h>
#include <stdint.h>

struct admission;
struct bufferevent;
struct event_base;
struct rights;

#define ADMISSION_PATIENCE_NS 10000000000ull
#define ADMISSION_WAITING 512u
#define ADMISSION_WAITING_OF_ADDRESS 256u /* an address of IPv4, or 64 bits of one of IPv6 */

/*
 * The peer is let in. Who gets this frees @link, which closes the connection, sets its callbacks and enables
 * it; what has come already is told by the read callback soon. @name: that in its certificate, "" = it has
 * none; for the call.
 */
typedef void (*admission_admitted)(void *ctx, struct bufferevent *link, const char *name);

struct admission_config {
	const struct rights *rights; /* borrowed; NULL = nothing is asked */
	uint64_t patience_ns; /* with each; 0 = ADMISSION_PATIENCE_NS */
	unsigned int waiting; /* at most; 0 = ADMISSION_WAITING */
	unsigned int waiting_of_address; /* likewise */
	/* What a peer reads that is refused for want of room, unless it is to speak TLS: that has an alert. Borrowed. */
	const uint8_t *refusal;
	size_t refusal_len;
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
/* How many were refused so far because too many waited. */
uint64_t admission_refused(const struct admission *admission);

/* Tells the peer that there is no room for it, and closes: an accepted connection, and one that was let in. Takes @fd,
 * @link. */
void admission_refuse(const struct admission *admission, int fd);
void admission_refuse_link(struct admission *admission, struct bufferevent *link);

#endif /* SONDE_LIVE_ADMISSION_H */
