/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * token: a secret in a file, which whoever wants to connect has to know (wire/token.h).
 *
 * It is the simple way: it says who is let in, not who it is, and without TLS whoever can read the
 * network can read it.
 */
#ifndef SONDE_LIVE_TOKEN_H
#define SONDE_LIVE_TOKEN_H

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

/* Whether @text is the token. How long that takes tells nothing but its length. */
bool token_is(const struct token *token, const void *text, size_t len);
/* What a client says: its bytes. */
size_t token_hello(const struct token *token, uint8_t ret[TOKEN_HELLO_MAX_BYTES]);

/*
 * What a client has said so far: 1 = it knows the token, *@used bytes said so (0 where none is asked
 * for); 0 = it goes on; -EACCES = it does not know it. How long that takes tells nothing of the token.
 */
int token_check(const struct token *token, const void *bytes, size_t len, size_t *used);

#endif /* SONDE_LIVE_TOKEN_H */
