// SPDX-License-Identifier: BSD-2-Clause
#include "live/access/credentials.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <openssl/err.h>

#include "base/diag.h"
#include "certificates.h"

#define ROUNDS 32 /* more than a handshake takes */

static const struct tls_files server_files = {"server.crt", "server.key", "ca.crt"};
static const struct tls_files client_files = {"client.crt", "client.key", "ca.crt"};
static const struct tls_files stranger_files = {"stranger.crt", "stranger.key", "ca.crt"};

struct pair {
	SSL_CTX *contexts[2];
	SSL *server;
	SSL *client;
};

/* Both ends in memory, what one writes the other reads. */
static void join(struct pair *pair, const struct tls_files *client)
{
	struct diag diag;
	BIO *ends[2];

	assert_int_equal(tls_context(TLS_SERVER, &server_files, &pair->contexts[0], &diag), 0);
	assert_int_equal(tls_context(TLS_CLIENT, client, &pair->contexts[1], &diag), 0);
	pair->server = SSL_new(pair->contexts[0]);
	pair->client = SSL_new(pair->contexts[1]);
	assert_int_equal(BIO_new_bio_pair(&ends[0], 1 << 16, &ends[1], 1 << 16), 1);
	SSL_set_bio(pair->server, ends[0], ends[0]);
	SSL_set_bio(pair->client, ends[1], ends[1]);
	SSL_set_accept_state(pair->server);
	SSL_set_connect_state(pair->client);
}

static void part(struct pair *pair)
{
	SSL_free(pair->server);
	SSL_free(pair->client);
	SSL_CTX_free(pair->contexts[0]);
	SSL_CTX_free(pair->contexts[1]);
}

static bool shake_hands(struct pair *pair)
{
	char byte;

	for (int i = 0; i < ROUNDS; i++) {
		(void)SSL_do_handshake(pair->client);
		(void)SSL_do_handshake(pair->server);
	}
	/* In TLS 1.3 a client is done before it hears that it was refused. */
	return SSL_is_init_finished(pair->server) && SSL_is_init_finished(pair->client) &&
	       SSL_write(pair->server, "x", 1) == 1 && SSL_read(pair->client, &byte, 1) == 1;
}

static void who_has_certificates_is_known_by_name(void **state)
{
	struct pair pair;
	char name[TLS_NAME_BYTES];

	(void)state;
	join(&pair, &client_files);
	assert_int_equal(tls_expect(pair.client, "relay.example"), 0);
	assert_true(shake_hands(&pair));
	assert_int_equal(tls_peer_name(pair.server, name), 0);
	assert_string_equal(name, "web1"); /* it has no DNS name: the common name */
	assert_int_equal(tls_peer_name(pair.client, name), 0);
	assert_string_equal(name, "relay.example");
	part(&pair);
}

static void a_server_may_be_known_by_address(void **state)
{
	struct pair pair;

	(void)state;
	join(&pair, &client_files);
	assert_int_equal(tls_expect(pair.client, "127.0.0.1"), 0);
	assert_true(shake_hands(&pair));
	part(&pair);
}

static void another_server_is_not_believed(void **state)
{
	struct pair pair;

	(void)state;
	join(&pair, &client_files);
	assert_int_equal(tls_expect(pair.client, "other.example"), 0);
	assert_false(shake_hands(&pair));
	part(&pair);
}

static void a_client_of_another_authority_is_refused(void **state)
{
	struct pair pair;

	(void)state;
	join(&pair, &stranger_files);
	assert_false(shake_hands(&pair));
	part(&pair);
	ERR_clear_error();
}

static void files_that_do_not_fit_are_told(void **state)
{
	static const struct {
		struct tls_files files;
		const char *says;
	} wrong[] = {
		{{"none.crt", "server.key", "ca.crt"}, "none.crt"},
		{{"server.crt", "none.key", "ca.crt"}, "none.key"},
		{{"server.crt", "client.key", "ca.crt"}, "client.key"},
		{{"server.crt", "server.key", "none.crt"}, "none.crt"},
		{{"server.key", "server.key", "ca.crt"}, "server.key: not a usable certificate"},
		{{"server.crt", NULL, "ca.crt"}, "--tls-key"},
	};
	SSL_CTX *ctx;
	struct diag diag;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_true(tls_context(TLS_SERVER, &wrong[i].files, &ctx, &diag) < 0);
		assert_non_null(strstr(diag.text, wrong[i].says));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_has_certificates_is_known_by_name),
		cmocka_unit_test(a_server_may_be_known_by_address),
		cmocka_unit_test(another_server_is_not_believed),
		cmocka_unit_test(a_client_of_another_authority_is_refused),
		cmocka_unit_test(files_that_do_not_fit_are_told),
	};

	return cmocka_run_group_tests(tests, certificates_make, certificates_remove);
}
