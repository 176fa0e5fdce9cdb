// SPDX-License-Identifier: BSD-2-Clause
#include "live/access/credentials.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/io.h"

#define FILE_MAX_BYTES 4096u
#define TLS_FIRST_BYTE 0x16 /* of a handshake record (RFC 8446, 5.1) */
#define TOKEN_FIRST_BYTE ((uint8_t)TOKEN_MAGIC[0])

/* Files with secrets are their owner's alone, this user's or root's. -EACCES: other users may use @path, or it is theirs. */
static int check_secret(const char *path, struct diag *diag)
{
	struct stat st;

	if (stat(path, &st))
		return diag_set(diag, -errno, "%s: %s", path, strerror(errno));
	if (st.st_uid != geteuid() && st.st_uid != 0)
		return diag_set(
			diag, -EACCES,
			"%s: belongs to another user (uid %u), which could replace it: use a file of "
			"your own",
			path, st.st_uid);
	if (st.st_mode & (S_IRWXG | S_IRWXO))
		return diag_set(diag, -EACCES, "%s: others than its owner may use it: chmod 600 %s",
				path, path);
	return 0;
}

int token_load(const char *path, struct token *ret, struct diag *diag)
{
	char *text = NULL;
	size_t len = 0;
	int err = check_secret(path, diag);

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

bool tls_is_alert(unsigned long code)
{
	return ERR_GET_LIB(code) == ERR_LIB_SSL && ERR_GET_REASON(code) > SSL_AD_REASON_OFFSET;
}

/* "sslv3 alert certificate expired": the version is that in which the alert was new. */
const char *tls_reason_of(unsigned long code)
{
	const char *reason = code ? ERR_reason_error_string(code) : NULL;
	const char *alert = reason && tls_is_alert(code) ? strstr(reason, "alert ") : NULL;

	return alert ? alert + strlen("alert ") : reason;
}

const char *tls_reason(void)
{
	const char *reason = tls_reason_of(ERR_peek_last_error());

	ERR_clear_error();
	return reason ? reason : "OpenSSL gives no reason";
}

/* Nobody is asked for a passphrase: there may be no terminal, and no person. */
static int no_passphrase(char *text, int room, int writes, void *ctx)
{
	(void)text;
	(void)room;
	(void)writes;
	(void)ctx;
	return -1;
}

static int load_cert(SSL_CTX *ctx, const struct tls_files *files, struct diag *diag)
{
	int err = check_secret(files->key, diag);

	if (err)
		return err;
	if (SSL_CTX_use_certificate_chain_file(ctx, files->cert) != 1)
		return diag_set(diag, -EBADMSG, "%s: not a usable certificate: %s", files->cert,
				tls_reason());
	if (SSL_CTX_use_PrivateKey_file(ctx, files->key, SSL_FILETYPE_PEM) != 1)
		return diag_set(diag, -EBADMSG,
				"%s: not a usable private key (it must have no passphrase): "
				"%s",
				files->key, tls_reason());
	if (SSL_CTX_check_private_key(ctx) != 1)
		return diag_set(diag, -EBADMSG, "%s: is not the key of %s: %s", files->key,
				files->cert, tls_reason());
	return 0;
}

static int load_ca(SSL_CTX *ctx, enum tls_side side, const char *ca, struct diag *diag)
{
	STACK_OF(X509_NAME) * names;

	if (SSL_CTX_load_verify_locations(ctx, ca, NULL) != 1)
		return diag_set(diag, -EBADMSG, "%s: has no certificate of an authority: %s", ca,
				tls_reason());
	if (side == TLS_CLIENT)
		return 0;
	names = SSL_load_client_CA_file(ca);
	if (!names)
		return diag_set(diag, -EBADMSG, "%s: %s", ca, tls_reason());
	SSL_CTX_set_client_CA_list(ctx, names);
	return 0;
}

int tls_files_check(const struct tls_files *files, struct diag *diag)
{
	if (files->cert && files->key && files->ca)
		return 0;
	return diag_set(diag, -EINVAL,
			"TLS takes a certificate, its key and the authority's certificate: "
			"--tls-cert, --tls-key and --tls-ca");
}

int tls_context(enum tls_side side, const struct tls_files *files, SSL_CTX **ret, struct diag *diag)
{
	SSL_CTX *ctx;
	int err = tls_files_check(files, diag);

	if (err)
		return err;
	ctx = SSL_CTX_new(side == TLS_SERVER ? TLS_server_method() : TLS_client_method());
	if (!ctx || SSL_CTX_set_min_proto_version(ctx, TLS1_3_VERSION) != 1) {
		SSL_CTX_free(ctx);
		return diag_set(diag, -ENOMEM, "OpenSSL: %s", tls_reason());
	}
	SSL_CTX_set_default_passwd_cb(ctx, no_passphrase);
	SSL_CTX_set_verify(ctx, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, NULL);
	SSL_CTX_set_mode(ctx, SSL_MODE_AUTO_RETRY | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
	/* Nobody takes up a session again: each connection shows a certificate that is good now. */
	(void)SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_OFF);
	(void)SSL_CTX_set_num_tickets(ctx, 0);
	err = load_cert(ctx, files, diag);
	err = err ? err : load_ca(ctx, side, files->ca, diag);
	if (err)
		SSL_CTX_free(ctx);
	else
		*ret = ctx;
	return err;
}

static bool is_address(const char *host)
{
	struct in6_addr address;

	return inet_pton(AF_INET, host, &address) == 1 || inet_pton(AF_INET6, host, &address) == 1;
}

int tls_expect(SSL *ssl, const char *host)
{
	if (is_address(host))
		return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host) == 1 ? 0 : -ENOMEM;
	return SSL_set1_host(ssl, host) == 1 && SSL_set_tlsext_host_name(ssl, host) == 1 ? 0 :
											   -ENOMEM;
}

/* A text of a certificate, which may have any bytes: NULs and all. */
static int copy_name(const ASN1_STRING *text, char name[TLS_NAME_BYTES])
{
	int len = text ? ASN1_STRING_length(text) : 0;
	const unsigned char *bytes = text ? ASN1_STRING_get0_data(text) : NULL;

	if (len <= 0 || (size_t)len >= TLS_NAME_BYTES || memchr(bytes, '\0', (size_t)len))
		return -ENOENT;
	memcpy(name, bytes, (size_t)len);
	name[len] = '\0';
	return 0;
}

static int dns_name(const X509 *cert, char name[TLS_NAME_BYTES])
{
	GENERAL_NAMES *names = X509_get_ext_d2i(cert, NID_subject_alt_name, NULL, NULL);
	int err = -ENOENT;

	for (int i = 0; names && err && i < sk_GENERAL_NAME_num(names); i++) {
		const GENERAL_NAME *one = sk_GENERAL_NAME_value(names, i);

		if (one->type == GEN_DNS)
			err = copy_name(one->d.dNSName, name);
	}
	GENERAL_NAMES_free(names);
	return err;
}

static int common_name(const X509 *cert, char name[TLS_NAME_BYTES])
{
	X509_NAME *subject = X509_get_subject_name(cert);
	int at = X509_NAME_get_index_by_NID(subject, NID_commonName, -1);

	if (at < 0)
		return -ENOENT;
	return copy_name(X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, at)), name);
}

int tls_peer_name(const SSL *ssl, char name[TLS_NAME_BYTES])
{
	X509 *cert = SSL_get1_peer_certificate(ssl);
	int err = cert ? dns_name(cert, name) : -ENOENT;

	if (cert && err)
		err = common_name(cert, name);
	X509_free(cert);
	return err;
}

static bool names_tls(const struct tls_files *files)
{
	return files->cert || files->key || files->ca;
}

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
