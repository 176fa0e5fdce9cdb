// SPDX-License-Identifier: BSD-2-Clause
#include "live/access/token.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/crypto.h>

#include "base/diag.h"
#include "base/io.h"
#include "live/access/secret.h"

#define FILE_MAX_BYTES 4096u

int token_load(const char *path, struct token *ret, struct diag *diag)
{
	char *text = NULL;
	size_t len = 0;
	int err = secret_check(path, diag);

	*ret = (struct token){0};
	if (err)
		return err;
	err = file_load(AT_FDCWD, path, FILE_MAX_BYTES, &text, &len);
	if (err)
		return diag_set(diag, err, "%s: %s", path, strerror(-err));
	len = strcspn(text, "\r\n");
	if (len < TOKEN_MIN_BYTES || len > TOKEN_MAX_BYTES) {
		err = diag_set(
			diag, -EBADMSG,
			"%s: its first line is the token, and has %zu bytes: it takes %u to %u",
			path, len, TOKEN_MIN_BYTES, TOKEN_MAX_BYTES);
	} else {
		memcpy(ret->bytes, text, len);
		ret->len = len;
	}
	OPENSSL_cleanse(text, len);
	free(text);
	return err;
}

bool token_is(const struct token *token, const void *text, size_t len)
{
	return len == token->len && !CRYPTO_memcmp(text, token->bytes, len);
}

size_t token_hello(const struct token *token, uint8_t ret[TOKEN_HELLO_MAX_BYTES])
{
	memcpy(ret, TOKEN_MAGIC, TOKEN_MAGIC_BYTES);
	ret[TOKEN_MAGIC_BYTES] = (uint8_t)(token->len >> 8);
	ret[TOKEN_MAGIC_BYTES + 1] = (uint8_t)token->len;
	memcpy(ret + TOKEN_HEAD_BYTES, token->bytes, token->len);
	return TOKEN_HEAD_BYTES + token->len;
}

int token_check(const struct token *token, const void *bytes, size_t len, size_t *used)
{
	const uint8_t *said = bytes;
	size_t head = len < TOKEN_MAGIC_BYTES ? len : TOKEN_MAGIC_BYTES;
	size_t told;

	*used = 0;
	if (!token->len)
		return 1;
	if (memcmp(said, TOKEN_MAGIC, head))
		return -EACCES;
	if (len < TOKEN_HEAD_BYTES)
		return 0;
	told = (size_t)said[TOKEN_MAGIC_BYTES] << 8 | said[TOKEN_MAGIC_BYTES + 1];
	if (told < TOKEN_MIN_BYTES || told > TOKEN_MAX_BYTES)
		return -EACCES;
	if (len < TOKEN_HEAD_BYTES + told)
		return 0;
	if (!token_is(token, said + TOKEN_HEAD_BYTES, told))
		return -EACCES;
	*used = TOKEN_HEAD_BYTES + told;
	return 1;
}
