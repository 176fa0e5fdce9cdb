/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * allow: which sessions a peer may see, by the name in its certificate.
 *
 * A rule is "PEER=SESSION", both globs: "web*=tcp-*". Without rules, every admitted peer may
 * see everything; with rules, a peer without a name sees nothing.
 */
#ifndef SONDE_LIVE_ACCESS_ALLOW_H
#define SONDE_LIVE_ACCESS_ALLOW_H

#include <stdbool.h>
#include <stddef.h>

struct diag;

struct allow {
	char **rules; /* each: peer, NUL, session */
	size_t count;
};

/* -EINVAL: not a rule; -ENOMEM. */
int allow_add(struct allow *allow, const char *rule, struct diag *diag);
void allow_fini(struct allow *allow);

/* @peer: NULL or "" = it has no certificate. */
bool allow_session(const struct allow *allow, const char *peer, const char *session);

#endif /* SONDE_LIVE_ACCESS_ALLOW_H */
