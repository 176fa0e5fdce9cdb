/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * credentials: what one side shows the other: a certificate (tls), a token, both, or nothing. Servers and
 * clients have them in the same files.
 */
#ifndef SONDE_LIVE_ACCESS_CREDENTIALS_H
#define SONDE_LIVE_ACCESS_CREDENTIALS_H

#include <stdbool.h>
#include <stdint.h>

#include "live/access/tls.h"
#include "live/access/token.h"

struct credential_files {
	struct tls_files tls;
	const char *token; /* NULL = none */
};

struct credentials {
	SSL_CTX *tls; /* NULL = plain */
	struct token token;
};

/* How a client with credentials, or without, begins. */
enum hello { HELLO_PLAIN, HELLO_TLS, HELLO_TOKEN };
/* By the first byte that he sends: LTTng's protocols begin with none of both. */
enum hello hello_of(uint8_t first);

/* Whether a file is named. */
bool credential_files_any(const struct credential_files *files);
/* -EINVAL: TLS takes all of its files, and one was not named. */
int credential_files_check(const struct credential_files *files, struct diag *diag);
/* 0, -EINVAL: as above; -EACCES, -EBADMSG, -errno: one cannot be used. Then
 * *@ret has none. */
int credentials_load(enum tls_side side, const struct credential_files *files,
		     struct credentials *ret, struct diag *diag);
/* Zeros are fine. */
void credentials_fini(struct credentials *credentials);

#endif /* SONDE_LIVE_ACCESS_CREDENTIALS_H */
