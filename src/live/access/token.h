/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * token: a secret in a file, which clients have to know (wire/token.h).
 *
 * It is the simple way: it authenticates clients, but does not identify them, and without TLS a
 * host that can read the network traffic can read it.
 */
#ifndef SONDE_LIVE_ACCESS_TOKEN_H
#define SONDE_LIVE_ACCESS_TOKEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/token.h"

struct diag;

struct token {
	uint8_t bytes[TOKEN_MAX_BYTES];
	size_t len; /* 0 = none is asked for */
};

/* The first line of the file @path. -EACCES where others than its owner may read it, -EBADMSG where
 * the token is too short or too long. */
int token_load(const char *path, struct token *ret, struct diag *diag);

/* Whether @text is the token. The time that it takes depends only on its length. */
bool token_is(const struct token *token, const void *text, size_t len);
/* What a client says: its bytes. */
size_t token_hello(const struct token *token, uint8_t ret[TOKEN_HELLO_MAX_BYTES]);

/*
 * What a client has said so far: 1 = it knows the token, *@used bytes of it (0 if none is required
 * ); 0 = more bytes needed; -EACCES = wrong token. The time that it takes does not depend on the token.
 */
int token_check(const struct token *token, const void *bytes, size_t len, size_t *used);

#endif /* SONDE_LIVE_ACCESS_TOKEN_H */
