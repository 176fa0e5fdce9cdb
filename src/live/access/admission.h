/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * admission: accepted connections that are not authenticated yet: each authenticates as `rights` requires,
 * within its time, and none delays another. It belongs to the event loop of its owner.
 *
 * Nothing that a peer sends is processed before it is admitted. A peer that is rejected is closed,
 * and the log says why.
 *
 * They take no place of admitted connections: they have a limit of their own, and one for each
 * address. Above half of it a new one may take the place of a waiting one, chosen by chance; so
 * the address with the most places loses most.
 */
#ifndef SONDE_LIVE_ACCESS_ADMISSION_H
#define SONDE_LIVE_ACCESS_ADMISSION_H

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
 * The peer is admitted. The callback takes @link: it frees it, which closes the connection, sets its
 * callbacks and enables it; data that has come already reaches the read callback soon. @name: that
 * in its certificate, "" = it has none; for the call.
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
	void (*log)(void *ctx, const char *text); /* a sentence for the operator; may be NULL */
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

/* Sends the peer the reply for a full server, and closes it: an accepted connection, or one that
 * was admitted. Takes @fd, @link. */
void admission_refuse(const struct admission *admission, int fd);
void admission_refuse_link(struct admission *admission, struct bufferevent *link);

#endif /* SONDE_LIVE_ACCESS_ADMISSION_H */
