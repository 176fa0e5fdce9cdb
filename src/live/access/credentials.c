// SPDX-License-Identifier: BSD-2-Clause
#include "live/access/credentials.h"

#include <openssl/crypto.h>

static bool names_tls(const struct tls_files *files)
{
	return files->cert || files->key || files->ca;
}

#define TLS_FIRST_BYTE 0x16 /* of a handshake record (RFC 8446, 5.1) */
#define TOKEN_FIRST_BYTE ((uint8_t)TOKEN_MAGIC[0])

enum hello hello_of(uint8_t first)
{
	return first == TLS_FIRST_BYTE	 ? HELLO_TLS :
	       first == TOKEN_FIRST_BYTE ? HELLO_TOKEN :
					   HELLO_PLAIN;
}

bool credential_files_any(const struct credential_files *files)
{
	return names_tls(&files->tls) || files->token;
}

int credential_files_check(const struct credential_files *files, struct diag *diag)
{
	return names_tls(&files->tls) ? tls_files_check(&files->tls, diag) : 0;
}

int credentials_load(enum tls_side side, const struct credential_files *files,
		     struct credentials *ret, struct diag *diag)
{
	int err = 0;

	*ret = (struct credentials){0};
	if (names_tls(&files->tls))
		err = tls_context(side, &files->tls, &ret->tls, diag);
	if (!err && files->token)
		err = token_load(files->token, &ret->token, diag);
	if (err)
		credentials_fini(ret);
	return err;
}

void credentials_fini(struct credentials *credentials)
{
	SSL_CTX_free(credentials->tls);
	OPENSSL_cleanse(credentials, sizeof(*credentials));
}
