/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * certificates: an authority and those whom it signs, made for a test, as PEM files.
 */
#ifndef SONDE_TEST_CERTIFICATES_H
#define SONDE_TEST_CERTIFICATES_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

struct certificate {
	X509 *cert;
	EVP_PKEY *key;
};

static inline void certificate_extend(X509 *cert, X509 *issuer, int nid, const char *value)
{
	X509V3_CTX ctx;
	X509_EXTENSION *extension;

	X509V3_set_ctx(&ctx, issuer, cert, NULL, NULL, 0);
	extension = X509V3_EXT_conf_nid(NULL, &ctx, nid, value);
	assert_non_null(extension);
	assert_int_equal(X509_add_ext(cert, extension, -1), 1);
	X509_EXTENSION_free(extension);
}

/* @by: NULL = itself, an authority. @names: as "DNS:web1,IP:127.0.0.1", or NULL. */
static inline struct certificate certificate_new(const char *common_name, const char *names,
						 const struct certificate *by)
{
	struct certificate made = {X509_new(), EVP_EC_gen("P-256")};
	const struct certificate *issuer = by ? by : &made;
	X509_NAME *name = X509_get_subject_name(made.cert);

	assert_non_null(made.key);
	assert_int_equal(X509_set_version(made.cert, X509_VERSION_3), 1);
	assert_int_equal(ASN1_INTEGER_set(X509_get_serialNumber(made.cert), by ? 2 : 1), 1);
	assert_non_null(X509_gmtime_adj(X509_getm_notBefore(made.cert), -3600));
	assert_non_null(X509_gmtime_adj(X509_getm_notAfter(made.cert), 86400));
	assert_int_equal(X509_set_pubkey(made.cert, made.key), 1);
	assert_int_equal(X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
						    (const unsigned char *)common_name, -1, -1, 0),
			 1);
	assert_int_equal(X509_set_issuer_name(made.cert, X509_get_subject_name(issuer->cert)), 1);
	if (!by)
		certificate_extend(made.cert, made.cert, NID_basic_constraints, "critical,CA:TRUE");
	if (names)
		certificate_extend(made.cert, issuer->cert, NID_subject_alt_name, names);
	assert_true(X509_sign(made.cert, issuer->key, EVP_sha256()) > 0);
	return made;
}

static inline void certificate_free(struct certificate *made)
{
	X509_free(made->cert);
	EVP_PKEY_free(made->key);
}

/* Either may be NULL. */
static inline void certificate_write(const struct certificate *made, const char *cert,
				     const char *key)
{
	FILE *file = cert ? fopen(cert, "we") : NULL;

	if (cert) {
		assert_non_null(file);
		assert_int_equal(PEM_write_X509(file, made->cert), 1);
		assert_int_equal(fclose(file), 0);
	}
	file = key ? fopen(key, "we") : NULL;
	if (key) {
		assert_non_null(file);
		assert_int_equal(PEM_write_PrivateKey(file, made->key, NULL, NULL, 0, NULL, NULL),
				 1);
		assert_int_equal(fchmod(fileno(file), 0600), 0);
		assert_int_equal(fclose(file), 0);
	}
}

/* A server of relay.example and 127.0.0.1, a client called web1, and a stranger who calls himself so, in a
 * folder of the test's own: for cmocka_run_group_tests. */
static inline int certificates_make(void **state)
{
	char *dir = strdup("tls-XXXXXX");
	struct certificate ca, other, server, client, stranger;

	if (!dir || !mkdtemp(dir) || chdir(dir))
		return -1;
	*state = dir;
	ca = certificate_new("authority", NULL, NULL);
	other = certificate_new("other authority", NULL, NULL);
	server = certificate_new("server", "DNS:relay.example,IP:127.0.0.1", &ca);
	client = certificate_new("web1", NULL, &ca);
	stranger = certificate_new("web1", NULL, &other);
	certificate_write(&ca, "ca.crt", NULL);
	certificate_write(&server, "server.crt", "server.key");
	certificate_write(&client, "client.crt", "client.key");
	certificate_write(&stranger, "stranger.crt", "stranger.key");
	certificate_free(&ca);
	certificate_free(&other);
	certificate_free(&server);
	certificate_free(&client);
	certificate_free(&stranger);
	return 0;
}

static inline int certificates_remove(void **state)
{
	static const char *const names[] = {"ca.crt",	   "server.crt", "server.key",
					    "client.crt",  "client.key", "stranger.crt",
					    "stranger.key"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		(void)unlink(names[i]);
	if (chdir("..") || rmdir(*state))
		return -1;
	free(*state);
	return 0;
}

#endif /* SONDE_TEST_CERTIFICATES_H */
