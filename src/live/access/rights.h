/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rights: what a server requires of its clients, before any other protocol:
 * a certificate of a known authority, a token, both, or nothing; and what they may see then: which sessions, by the name
 * in the certificate.
 *
 * A rule is "PEER=SESSION", both globs: "web*=tcp-*". Without rules, every admitted peer may
 * see everything; with rules, a peer without a name sees nothing.
 */
#ifndef SONDE_LIVE_ACCESS_RIGHTS_H
#define SONDE_LIVE_ACCESS_RIGHTS_H

#include <stdbool.h>
#include <stddef.h>

#include "live/access/credentials.h"

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

struct rights {
	struct credentials credentials; /* those of this side; clients must have the same kinds */
	const struct allow *allow; /* access rules; borrowed; NULL = all see everything */
	/* Clients on this machine may also connect as LTTng's own programs do, which know neither. */
	bool plain_local;
};

/* Whether clients must authenticate; false if @rights is NULL. */
bool rights_ask(const struct rights *rights);
void rights_fini(struct rights *rights);

#endif /* SONDE_LIVE_ACCESS_RIGHTS_H */
