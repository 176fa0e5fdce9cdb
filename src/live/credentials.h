/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * credentials: what one side shows the other: a certificate (tls), a token, both, or nothing. Who listens and
 * who connects have them in the same files.
 */
#ifndef SONDE_LIVE_CREDENTIALS_H
#define SONDE_LIVE_CREDENTIALS_H

#include <stdbool.h>

#include "live/tls.h"
#include "live/token.h"

struct credential_files {
	struct tls_files tls;
	const char *token; /* NULL = none */
};

struct credentials {
	SSL_CTX *tls; /* NULL = plain */
	struct token token;
};

/* Whether a file is named. */
bool credential_files_any(const struct credential_files *files);
/* 0, -EINVAL: a file is missing among those of TLS; -EACCES, -EBADMSG, -errno: one cannot be used. Then
 * *@ret has none. */
int credentials_load(enum tls_side side, const struct credential_files *files,
		     struct credentials *ret, struct diag *diag);
/* Zeros are fine. */
void credentials_fini(struct credentials *credentials);

#endif /* SONDE_LIVE_CREDENTIALS_H */
