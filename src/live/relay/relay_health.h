/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * relay_health: answers LTTng's health check (wire/lttng_health.h) at a UNIX socket. A thread of its own answers, so that
 * a client learns that the event loop hangs. The loop shows that it is alive with a timer; cli/serve_live opens this.
 */
#ifndef SONDE_LIVE_RELAY_RELAY_HEALTH_H
#define SONDE_LIVE_RELAY_RELAY_HEALTH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct diag;
struct event_base;
struct relay_health;

#define RELAY_HEALTH_HANGS_NS 10000000000ull /* a loop without a beat for so long hangs */

struct relay_health_config {
	const char
		*path; /* of the socket; borrowed. A socket of a relay that has ended is replaced */
	bool shared; /* @group may ask, too */
	gid_t group;
	/* Called in the loop: bits of those that are in error (enum lttng_health_relayd). */
	uint32_t (*find_faults)(void *ctx);
	void *ctx;
};

/* Opens the socket. 0, or -errno with the diag. */
int relay_health_open(struct event_base *base, const struct relay_health_config *config,
		      struct relay_health **ret, struct diag *diag);
/* Answers from here on, with the rights that the caller has now. 0 or -errno. */
int relay_health_start(struct relay_health *health);
/* Removes the socket. NULL is fine. */
void relay_health_close(struct relay_health *health);

#endif /* SONDE_LIVE_RELAY_RELAY_HEALTH_H */
