// SPDX-License-Identifier: BSD-2-Clause
#include "live/access/admission.h"

#include <errno.h>
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/diag.h"
#include "certificates.h"
#include "live/access/client_link.h"
#include "live/access/rights.h"

#define TOKEN "0123456789abcdef"
#define WRONG "0123456789abcdeg"
#define PATIENCE_NS (60 * NS_PER_SEC) /* of the test with what should happen */

static const struct credential_files none;
static const struct credential_files server_files = {{"server.crt", "server.key", "ca.crt"}, NULL};
static const struct credential_files client_files = {{"client.crt", "client.key", "ca.crt"}, NULL};
static const struct credential_files stranger_files = {{"stranger.crt", "stranger.key", "ca.crt"},
						       NULL};

/* A listening side and one that connects, both in this thread. */
struct fixture {
	struct event_base *base;
	struct rights rights;
	struct admission *admission;
	struct bufferevent *link; /* it was let in */
	bool told; /* what came over it */
	char name[TLS_NAME_BYTES];
	char said[512]; /* in the log, last */
	struct credentials shown;
	unsigned int waiting_of_address; /* before begin() */
	struct client_link client;
	struct diag diag;
};

static void log_text(void *ctx, const char *text)
{
	struct fixture *fix = ctx;

	snprintf(fix->said, sizeof(fix->said), "%s", text);
}

static void came(struct bufferevent *link, void *ctx)
{
	(void)link;
	((struct fixture *)ctx)->told = true;
}

static void admitted(void *ctx, struct bufferevent *link, const char *name)
{
	struct fixture *fix = ctx;

	fix->link = link;
	strcpy(fix->name, name);
	bufferevent_setcb(link, came, NULL, NULL, fix);
	(void)bufferevent_enable(link, EV_READ | EV_WRITE);
}

static void set_token(struct token *token, const char *text)
{
	token->len = strlen(text);
	memcpy(token->bytes, text, token->len);
}

static void begin(struct fixture *fix, const struct credential_files *files, uint64_t patience_ns)
{
	const struct admission_config config = {
		.rights = &fix->rights,
		.patience_ns = patience_ns,
		.waiting = 8,
		.waiting_of_address = fix->waiting_of_address,
		.refusal = (const uint8_t *)"no room",
		.refusal_len = 7,
		.log = log_text,
		.ctx = fix,
	};

	*fix = (struct fixture){.base = event_base_new(),
				.client.fd = -1,
				.waiting_of_address = fix->waiting_of_address};
	assert_non_null(fix->base);
	assert_int_equal(credentials_load(TLS_SERVER, files, &fix->rights.credentials, &fix->diag),
			 0);
	fix->admission = admission_new(fix->base, &config);
	assert_non_null(fix->admission);
}

static void end(struct fixture *fix)
{
	client_link_close(&fix->client);
	if (fix->link)
		bufferevent_free(fix->link);
	admission_free(fix->admission);
	event_base_free(fix->base);
	rights_fini(&fix->rights);
	credentials_fini(&fix->shown);
}

static void turn(struct fixture *fix)
{
	assert_true(event_base_loop(fix->base, EVLOOP_NONBLOCK) >= 0);
}

/* The other side is in this thread too: it goes on meanwhile. */
static int wait_for(void *ctx, int fd, short events)
{
	struct pollfd one = {.fd = fd, .events = events};

	for (uint64_t end = clock_monotonic_ns() + PATIENCE_NS; clock_monotonic_ns() < end;) {
		turn(ctx);
		if (poll(&one, 1, 1) > 0)
			return 0;
	}
	return -ETIMEDOUT;
}

/* Two ends of one TCP connection, as addresses matter. */
static void join(int ends[2])
{
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(address);
	int listener = socket(AF_INET, SOCK_STREAM, 0);

	assert_int_equal(bind(listener, (struct sockaddr *)&address, len), 0);
	assert_int_equal(listen(listener, 1), 0);
	assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &len), 0);
	ends[1] = socket(AF_INET, SOCK_STREAM, 0);
	assert_int_equal(connect(ends[1], (struct sockaddr *)&address, len), 0);
	ends[0] = accept(listener, NULL, NULL);
	assert_true(ends[0] >= 0);
	assert_int_equal(close(listener), 0);
	assert_int_equal(fcntl(ends[0], F_SETFL, O_NONBLOCK), 0);
	assert_int_equal(fcntl(ends[1], F_SETFL, O_NONBLOCK), 0);
}

static int come(struct fixture *fix, const char *host)
{
	int ends[2];

	join(ends);
	admission_take(fix->admission, ends[0], admitted, fix);
	return client_link_open(&fix->client, ends[1], &fix->shown, host, wait_for, fix,
				&fix->diag);
}

static void say(struct fixture *fix, const char *text)
{
	assert_int_equal(client_link_write(&fix->client, text, strlen(text)), strlen(text));
}

static void until_said(struct fixture *fix, const char *what)
{
	for (uint64_t end = clock_monotonic_ns() + PATIENCE_NS;
	     !*fix->said && clock_monotonic_ns() < end;)
		turn(fix);
	assert_non_null(strstr(fix->said, what));
	assert_null(fix->link);
	assert_int_equal(admission_waiting(fix->admission), 0);
}

/* It is let in, and what it says then arrives, and is told of. */
static void until_heard(struct fixture *fix, const char *text)
{
	char heard[64] = "";
	size_t len = 0;

	for (uint64_t end = clock_monotonic_ns() + PATIENCE_NS;
	     len < strlen(text) && clock_monotonic_ns() < end;) {
		turn(fix);
		if (fix->link)
			len = evbuffer_get_length(bufferevent_get_input(fix->link));
	}
	turn(fix);
	assert_true(fix->told);
	assert_int_equal(bufferevent_read(fix->link, heard, sizeof(heard) - 1), strlen(text));
	assert_string_equal(heard, text);
}

static void without_rights_everybody_is_let_in_at_once(void **state)
{
	struct fixture fix = {0};

	(void)state;
	begin(&fix, &none, 0);
	assert_false(rights_ask(&fix.rights));
	assert_int_equal(come(&fix, "relay"), 0);
	assert_non_null(fix.link);
	assert_string_equal(fix.name, "");
	say(&fix, "hello");
	until_heard(&fix, "hello");
	end(&fix);
}

static void who_knows_the_token_is_let_in(void **state)
{
	struct fixture fix = {0};

	(void)state;
	begin(&fix, &none, 0);
	set_token(&fix.rights.credentials.token, TOKEN);
	set_token(&fix.shown.token, TOKEN);
	assert_int_equal(come(&fix, "relay"), 0);
	assert_null(fix.link);
	assert_int_equal(admission_waiting(fix.admission), 1);
	say(&fix, "hello"); /* comes with the token */
	until_heard(&fix, "hello");
	assert_int_equal(admission_waiting(fix.admission), 0);
	end(&fix);
}

static void who_does_not_is_told_of_by_address(void **state)
{
	struct fixture fix = {0};
	char byte;

	(void)state;
	begin(&fix, &none, 0);
	set_token(&fix.rights.credentials.token, TOKEN);
	set_token(&fix.shown.token, WRONG);
	assert_int_equal(come(&fix, "relay"), 0);
	until_said(&fix, "127.0.0.1:");
	assert_non_null(strstr(fix.said, "it does not know the token"));
	assert_int_equal(wait_for(&fix, fix.client.fd, POLLIN), 0);
	assert_true(client_link_read(&fix.client, &byte, 1) <= 0);
	assert_non_null(strstr(fix.client.reason, "it may not know our token"));
	end(&fix);
}

static void a_certificate_gives_a_name(void **state)
{
	struct fixture fix = {0};
	char answer[8] = "";

	(void)state;
	begin(&fix, &server_files, 0);
	assert_int_equal(credentials_load(TLS_CLIENT, &client_files, &fix.shown, &fix.diag), 0);
	set_token(&fix.rights.credentials.token, TOKEN);
	set_token(&fix.shown.token, TOKEN);
	assert_int_equal(come(&fix, "relay.example"), 0);
	say(&fix, "hello");
	until_heard(&fix, "hello");
	assert_string_equal(fix.name, "web1");
	assert_int_equal(bufferevent_write(fix.link, "answer", 6), 0);
	while (client_link_read(&fix.client, answer, sizeof(answer)) == -EAGAIN)
		assert_int_equal(wait_for(&fix, fix.client.fd, POLLIN), 0);
	assert_string_equal(answer, "answer");
	end(&fix);
}

static void a_stranger_learns_that_he_is_one(void **state)
{
	struct fixture fix = {0};
	ssize_t got;
	char byte;

	(void)state;
	begin(&fix, &server_files, 0);
	assert_int_equal(credentials_load(TLS_CLIENT, &stranger_files, &fix.shown, &fix.diag), 0);
	assert_int_equal(come(&fix, "127.0.0.1"), 0); /* the server has the last word */
	until_said(&fix, "its certificate: ");
	while ((got = client_link_read(&fix.client, &byte, 1)) == -EAGAIN)
		assert_int_equal(wait_for(&fix, fix.client.fd, POLLIN), 0);
	assert_int_equal(got, -EACCES);
	assert_non_null(strstr(fix.client.reason, "does not take our certificate"));
	end(&fix);
}

static void a_relay_of_another_name_is_not_believed(void **state)
{
	struct fixture fix = {0};

	(void)state;
	begin(&fix, &server_files, 0);
	assert_int_equal(credentials_load(TLS_CLIENT, &client_files, &fix.shown, &fix.diag), 0);
	assert_int_equal(come(&fix, "other.example"), -EACCES);
	assert_non_null(strstr(fix.diag.text, "mismatch"));
	until_said(&fix, "it does not take our certificate");
	end(&fix);
}

static void who_is_plain_is_not_let_in_by_tls(void **state)
{
	struct fixture fix = {0};

	(void)state;
	begin(&fix, &server_files, 0);
	assert_int_equal(come(&fix, "relay"), 0);
	say(&fix, "hello");
	until_said(&fix, "it does not speak TLS");
	end(&fix);
}

static void who_is_plain_and_local_may_be_exempt(void **state)
{
	struct fixture fix = {0};

	(void)state;
	begin(&fix, &server_files, 0);
	fix.rights.plain_local = true;
	assert_int_equal(come(&fix, "relay"), 0);
	say(&fix, "hello");
	until_heard(&fix, "hello");
	assert_string_equal(fix.name, "");
	end(&fix);
}

static void who_is_silent_is_let_in_only_where_he_may_be_plain(void **state)
{
	struct fixture fix = {0};

	(void)state;
	begin(&fix, &server_files, NS_PER_MS);
	assert_int_equal(come(&fix, "relay"), 0);
	until_said(&fix, "authentication timed out");
	end(&fix);
	begin(&fix, &server_files, NS_PER_MS);
	fix.rights.plain_local = true;
	assert_int_equal(come(&fix, "relay"), 0);
	for (uint64_t end = clock_monotonic_ns() + PATIENCE_NS;
	     !fix.link && clock_monotonic_ns() < end;)
		turn(&fix);
	assert_non_null(fix.link);
	end(&fix);
}

/* What the client reads until the other side closes. */
static void read_all(struct fixture *fix, char *text, size_t room)
{
	size_t len = 0;
	ssize_t got;

	while ((got = client_link_read(&fix->client, text + len, room - 1 - len)) > 0 ||
	       got == -EAGAIN) {
		len += got > 0 ? (size_t)got : 0;
		if (got < 0)
			assert_int_equal(wait_for(fix, fix->client.fd, POLLIN), 0);
	}
	text[len] = '\0';
}

static void one_that_was_let_in_can_be_refused(void **state)
{
	struct fixture fix = {0};
	char text[32];

	(void)state;
	for (int tls = 0; tls < 2; tls++) {
		begin(&fix, tls ? &server_files : &none, 0);
		if (tls)
			assert_int_equal(credentials_load(TLS_CLIENT, &client_files, &fix.shown,
							  &fix.diag),
					 0);
		assert_int_equal(come(&fix, "relay.example"), 0);
		for (uint64_t end = clock_monotonic_ns() + PATIENCE_NS;
		     !fix.link && clock_monotonic_ns() < end;)
			turn(&fix);
		assert_non_null(fix.link);
		admission_refuse_link(fix.admission, fix.link);
		fix.link = NULL;
		read_all(&fix, text, sizeof(text));
		assert_string_equal(text, "no room");
		assert_int_equal(admission_waiting(fix.admission), 0);
		end(&fix);
	}
}

/* Those that say nothing. */
static void crowd(struct fixture *fix, int *ends, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		int both[2];

		join(both);
		ends[i] = both[1];
		admission_take(fix->admission, both[0], admitted, fix);
		assert_true(admission_waiting(fix->admission) <= 8);
	}
}

static void close_all(const int *ends, size_t count)
{
	for (size_t i = 0; i < count; i++)
		assert_int_equal(close(ends[i]), 0);
}

static void one_address_has_a_part_of_the_places(void **state)
{
	struct fixture fix = {.waiting_of_address = 3};
	int ends[3];

	(void)state;
	begin(&fix, &server_files, 0);
	crowd(&fix, ends, 3);
	assert_string_equal(fix.said, "");
	assert_int_equal(credentials_load(TLS_CLIENT, &client_files, &fix.shown, &fix.diag), 0);
	assert_int_equal(come(&fix, "relay.example"), -EBUSY);
	assert_non_null(strstr(fix.diag.text, "no room for another connection"));
	assert_null(strstr(fix.diag.text, "certificate"));
	assert_non_null(strstr(fix.said, "too many connections of one address"));
	assert_int_equal(admission_waiting(fix.admission), 3);
	assert_int_equal(admission_refused(fix.admission), 1);
	end(&fix);
	close_all(ends, 3);
}

static void a_crowd_does_not_keep_others_out(void **state)
{
	struct fixture fix = {.waiting_of_address = 1000};
	int ends[100];

	(void)state;
	begin(&fix, &server_files, 0);
	crowd(&fix, ends, 100);
	assert_non_null(strstr(fix.said, "too many connections wait to be authenticated"));
	assert_int_equal(admission_waiting(fix.admission) + admission_refused(fix.admission), 100);
	assert_int_equal(credentials_load(TLS_CLIENT, &client_files, &fix.shown, &fix.diag), 0);
	assert_int_equal(come(&fix, "relay.example"), 0);
	say(&fix, "hello");
	until_heard(&fix, "hello");
	end(&fix);
	close_all(ends, 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_rights_everybody_is_let_in_at_once),
		cmocka_unit_test(who_knows_the_token_is_let_in),
		cmocka_unit_test(who_does_not_is_told_of_by_address),
		cmocka_unit_test(a_certificate_gives_a_name),
		cmocka_unit_test(a_stranger_learns_that_he_is_one),
		cmocka_unit_test(a_relay_of_another_name_is_not_believed),
		cmocka_unit_test(who_is_plain_is_not_let_in_by_tls),
		cmocka_unit_test(who_is_plain_and_local_may_be_exempt),
		cmocka_unit_test(who_is_silent_is_let_in_only_where_he_may_be_plain),
		cmocka_unit_test(one_that_was_let_in_can_be_refused),
		cmocka_unit_test(one_address_has_a_part_of_the_places),
		cmocka_unit_test(a_crowd_does_not_keep_others_out),
	};

	return cmocka_run_group_tests(tests, certificates_make, certificates_remove);
}
