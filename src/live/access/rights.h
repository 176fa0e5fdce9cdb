/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rights: what a server requires of its clients, before any other protocol:
 * a certificate of a known authority, a token, both, or nothing; and what they may see then.
 */
#ifndef SONDE_LIVE_ACCESS_RIGHTS_H
#define SONDE_LIVE_ACCESS_RIGHTS_H

#include <stdbool.h>

#include "live/access/allow.h"
#include "live/access/credentials.h"

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
