/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * credentials: what one side shows the other: a certificate, a token, both, or nothing. Servers and clients have them in
 * the same files.
 *
 * TLS (1.3, by OpenSSL 3) is mutual: both sides show a certificate that the authority of the other side has signed. A
 * token is the simple way: a secret in a file, which clients have to know (wire/token.h). It authenticates clients, but
 * does not identify them, and without TLS a host that can read the network traffic can read it.
 */
#ifndef SONDE_LIVE_ACCESS_CREDENTIALS_H
#define SONDE_LIVE_ACCESS_CREDENTIALS_H

#include <openssl/ssl.h>
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

/* PEM files. All three, or none: then TLS is not used. */
struct tls_files {
	const char *cert; /* ours, and those between it and the authority's */
	const char *key; /* its private key, without a passphrase */
	const char *ca; /* the authorities whose peers are believed */
};

enum tls_side { TLS_SERVER, TLS_CLIENT };

#define TLS_NAME_BYTES 256u

/* -EINVAL: one of them was not named. */
int tls_files_check(const struct tls_files *files, struct diag *diag);
/* -EINVAL as above; -EACCES: others may read the key; -EBADMSG: one of them is not valid. The
 * caller frees by SSL_CTX_free. */
int tls_context(enum tls_side side, const struct tls_files *files, SSL_CTX **ret,
		struct diag *diag);
/* A client's, before the handshake: the server's certificate has to be that of @host, a name or an
 * address. 0 or -ENOMEM. */
int tls_expect(SSL *ssl, const char *host);
/* The name in the other side's certificate: the first DNS name, else the common name. -ENOENT: it has
 * none that fits, or shows no certificate. */
int tls_peer_name(const SSL *ssl, char name[TLS_NAME_BYTES]);
/* Why the last call of OpenSSL in this thread failed, for people. Forgets it. */
const char *tls_reason(void);
/* The same of an error of OpenSSL, @code; NULL = it has no words for it. */
const char *tls_reason_of(unsigned long code);
/* Whether it is what the other side has said, which knows why. */
bool tls_is_alert(unsigned long code);

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
