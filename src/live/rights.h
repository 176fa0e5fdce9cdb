/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rights: what a listening side asks of those who connect, before it says a word of any other protocol:
 * a certificate of a known authority, a token, both, or nothing; and what they may see then.
 */
#ifndef SONDE_LIVE_RIGHTS_H
#define SONDE_LIVE_RIGHTS_H

#include <stdbool.h>

#include "live/allow.h"
#include "live/credentials.h"

struct rights {
	struct credentials credentials; /* those of this side; of others the same kinds are asked */
	const struct allow *allow; /* who may see what; borrowed; NULL = all may see everything */
	/* Who comes from this machine may also come as LTTng's own programs do, which know neither. */
	bool plain_local;
};

/* Whether anything is asked of anybody; of nobody where @rights is NULL. */
bool rights_ask(const struct rights *rights);
void rights_fini(struct rights *rights);

#endif /* SONDE_LIVE_RIGHTS_H */
