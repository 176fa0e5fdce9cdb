/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tls: Sonde's own peers, which authenticate by certificates: TLS 1.3, and both sides show one that
 * the authority of the other side has signed (mutual TLS). By OpenSSL 3.
 */
#ifndef SONDE_LIVE_ACCESS_TLS_H
#define SONDE_LIVE_ACCESS_TLS_H

#include <stdbool.h>
#include <stddef.h>

#include <openssl/ssl.h>

struct diag;

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

#endif /* SONDE_LIVE_ACCESS_TLS_H */
