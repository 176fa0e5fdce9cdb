// SPDX-License-Identifier: BSD-2-Clause
#include "live/access/admission.h"

#include <errno.h>
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/bufferevent_ssl.h>
#include <event2/event.h>
#include <event2/util.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <openssl/x509_vfy.h>

#include "base/clock.h"
#include "base/diag.h"
#include "base/io.h"
#include "live/access/relay_address.h"
#include "live/access/rights.h"

struct waiting {
	struct admission *admission;
	struct waiting *next;
	struct waiting **at; /* what points to it */
	struct event *first; /* its first byte; then -- */
	struct bufferevent *link; /* -- this, or that byte has not come */
	struct event *late;
	int fd; /* until the link has it */
	bool may_be_plain;
	struct relay_address_key key;
	char address[RELAY_ADDRESS_BYTES];
	admission_admitted admitted;
	void *ctx;
};

struct admission {
	struct event_base *base;
	struct admission_config config;
	struct waiting *waiting;
	unsigned int count;
	uint64_t refused;
	bool is_crowded; /* and the log says so */
};

/* A fatal alert, "internal_error": none says "no room" (RFC 8446, 6.2). Before the handshake it goes in clear. */
static const uint8_t tls_no_room[] = {21, 3, 3, 0, 2, 2, 80};

static void waiting_free(struct waiting *waiting)
{
	if (waiting->next)
		waiting->next->at = waiting->at;
	*waiting->at = waiting->next;
	waiting->admission->count--;
	if (waiting->first)
		event_free(waiting->first);
	if (waiting->late)
		event_free(waiting->late);
	if (waiting->link)
		bufferevent_free(waiting->link);
	(void)fd_close(waiting->fd);
	free(waiting);
}

/* Frees @waiting. */
static void turn_away(struct waiting *waiting, const char *why)
{
	const struct admission_config *config = &waiting->admission->config;
	struct diag diag;

	(void)diag_set(&diag, 0, "connection from %s rejected: %s", waiting->address, why);
	waiting_free(waiting);
	if (config->log)
		config->log(config->ctx, diag.text);
}

void admission_refuse(const struct admission *admission, int fd)
{
	const struct admission_config *config = &admission->config;
	const bool tls = config->rights && config->rights->credentials.tls;
	uint8_t unread[4096];

	(void)send(fd, tls ? tls_no_room : config->refusal,
		   tls ? sizeof(tls_no_room) : config->refusal_len, MSG_DONTWAIT | MSG_NOSIGNAL);
	(void)shutdown(fd, SHUT_WR);
	/* Bytes that are unread when it is closed reset the connection, and a reset may overtake what was sent. */
	(void)recv(fd, unread, sizeof(unread), MSG_DONTWAIT);
	(void)fd_close(fd);
}

static void say_crowded(struct admission *admission, const char *who)
{
	const struct admission_config *config = &admission->config;
	struct diag diag;

	admission->refused++;
	if (admission->is_crowded)
		return;
	admission->is_crowded = true;
	(void)diag_set(&diag, 0,
		       "too many connections%s wait to be authenticated: some are refused", who);
	if (config->log)
		config->log(config->ctx, diag.text);
}

static uint32_t random_below(uint32_t end)
{
	uint32_t value;

	evutil_secure_rng_get_bytes(&value, sizeof(value));
	return value % end;
}

/* One of those that wait has to go, whichever. Within a handshake nothing can be said any more. */
static void drop_any(struct admission *admission)
{
	struct waiting *waiting = admission->waiting;

	for (uint32_t i = random_below(admission->count); i; i--)
		waiting = waiting->next;
	if (waiting->fd >= 0)
		admission_refuse(admission, waiting->fd);
	waiting->fd = -1;
	waiting_free(waiting);
	say_crowded(admission, "");
}

/* Whether one more of this address may wait. */
static bool make_room(struct admission *admission, const struct relay_address_key *key)
{
	const unsigned int most = admission->config.waiting, half = most / 2;
	unsigned int same = 0;

	for (const struct waiting *one = admission->waiting; one; one = one->next)
		same += !memcmp(&one->key, key, sizeof(*key));
	if (same >= admission->config.waiting_of_address) {
		say_crowded(admission, " of one address");
		return false;
	}
	if (admission->count <= half / 2)
		admission->is_crowded = false;
	if (admission->count > half && random_below(most - half) < admission->count - half)
		drop_any(admission);
	return true;
}

static void nobody_reads(struct bufferevent *link, void *ctx)
{
	(void)link;
	(void)ctx;
}

/* Frees @waiting, but not its link. */
static void let_in(struct waiting *waiting)
{
	const admission_admitted admitted = waiting->admitted;
	struct bufferevent *link = waiting->link;
	SSL *ssl = bufferevent_openssl_get_ssl(link);
	char name[TLS_NAME_BYTES] = "";
	void *ctx = waiting->ctx;

	if (ssl)
		(void)tls_peer_name(ssl, name);
	waiting->link = NULL;
	waiting_free(waiting);
	(void)bufferevent_disable(link, EV_READ);
	bufferevent_setwatermark(link, EV_READ, 0, 0);
	/* Deferred, so that it finds the callbacks that are set by then; but it takes one from the start. */
	bufferevent_setcb(link, nobody_reads, NULL, NULL, NULL);
	if (evbuffer_get_length(bufferevent_get_input(link)))
		bufferevent_trigger(link, EV_READ,
				    BEV_TRIG_IGNORE_WATERMARKS | BEV_TRIG_DEFER_CALLBACKS);
	admitted(ctx, link, name);
}

static void read_token(struct bufferevent *link, void *ctx)
{
	struct waiting *waiting = ctx;
	const struct token *token = &waiting->admission->config.rights->credentials.token;
	struct evbuffer *input = bufferevent_get_input(link);
	uint8_t hello[TOKEN_HELLO_MAX_BYTES];
	ev_ssize_t have = evbuffer_copyout(input, hello, sizeof(hello));
	size_t used = 0;
	int known = have < 0 ? -EIO : token_check(token, hello, (size_t)have, &used);

	if (known < 0) {
		turn_away(waiting, "it does not know the token");
	} else if (known) {
		(void)evbuffer_drain(input, used);
		let_in(waiting);
	}
}

/* What its certificate lacks, or what OpenSSL says. */
static void turn_away_broken(struct waiting *waiting)
{
	const SSL *ssl = bufferevent_openssl_get_ssl(waiting->link);
	const long verified = ssl ? SSL_get_verify_result(ssl) : X509_V_OK;
	const unsigned long code = bufferevent_get_openssl_error(waiting->link);
	const char *reason = tls_reason_of(code);
	struct diag why;

	if (verified != X509_V_OK)
		(void)diag_set(&why, 0, "its certificate: %s",
			       X509_verify_cert_error_string(verified));
	else if (reason)
		(void)diag_set(&why, 0, "%s: %s",
			       tls_is_alert(code) ? "it does not take our certificate" : "TLS",
			       reason);
	else
		(void)diag_set(&why, 0, "the client disconnected before authentication");
	turn_away(waiting, why.text);
}

static void happened(struct bufferevent *link, short what, void *ctx)
{
	struct waiting *waiting = ctx;

	if (what & (BEV_EVENT_EOF | BEV_EVENT_ERROR)) {
		turn_away_broken(waiting);
	} else if (what & BEV_EVENT_CONNECTED) {
		if (waiting->admission->config.rights->credentials.token.len)
			read_token(link, waiting);
		else
			let_in(waiting);
	}
}

static void ask(struct waiting *waiting, SSL_CTX *tls, bool for_token)
{
	struct event_base *base = waiting->admission->base;
	SSL *ssl = tls ? SSL_new(tls) : NULL;

	if (ssl) /* freed with the link, and on failure */
		waiting->link = bufferevent_openssl_socket_new(
			base, waiting->fd, ssl, BUFFEREVENT_SSL_ACCEPTING, BEV_OPT_CLOSE_ON_FREE);
	else if (!tls)
		waiting->link = bufferevent_socket_new(base, waiting->fd, BEV_OPT_CLOSE_ON_FREE);
	if (!waiting->link) {
		turn_away(waiting, "no memory");
		return;
	}
	waiting->fd = -1;
	if (!tls && !for_token) {
		let_in(waiting);
		return;
	}
	bufferevent_setcb(waiting->link, for_token ? read_token : NULL, NULL, happened, waiting);
	bufferevent_setwatermark(waiting->link, EV_READ, 0, TOKEN_HELLO_MAX_BYTES);
	(void)bufferevent_enable(waiting->link, EV_READ | EV_WRITE);
}

/* By its first byte: TLS, a token, or a protocol that knows of neither. */
static void begins_with(struct waiting *waiting, enum hello hello)
{
	const struct credentials *asked = &waiting->admission->config.rights->credentials;

	if (hello == HELLO_PLAIN && waiting->may_be_plain)
		ask(waiting, NULL, false);
	else if (asked->tls && hello != HELLO_TLS)
		turn_away(waiting, "it does not speak TLS");
	else if (!asked->tls && hello == HELLO_TLS)
		turn_away(waiting, "the client uses TLS, but the relay has no certificate");
	else
		ask(waiting, asked->tls, asked->token.len);
}

static void came(evutil_socket_t fd, short what, void *ctx)
{
	struct waiting *waiting = ctx;
	uint8_t first;
	ssize_t got = recv(fd, &first, 1, MSG_PEEK);

	(void)what;
	if (got == 1) {
		event_free(waiting->first);
		waiting->first = NULL;
		begins_with(waiting, hello_of(first));
	} else if (!got || (errno != EAGAIN && errno != EINTR)) {
		waiting_free(waiting); /* a client only checked whether the port is open */
	}
}

/* Who may be plain may also be silent: a connection for data is, until there are some. */
static void too_late(evutil_socket_t fd, short what, void *ctx)
{
	struct waiting *waiting = ctx;

	(void)fd;
	(void)what;
	if (waiting->may_be_plain && !waiting->link) {
		event_free(waiting->first);
		waiting->first = NULL;
		ask(waiting, NULL, false);
	} else {
		turn_away(waiting, "authentication timed out");
	}
}

static int await(struct waiting *waiting)
{
	const struct admission *admission = waiting->admission;
	const uint64_t patience_ns = admission->config.patience_ns ?: ADMISSION_PATIENCE_NS;
	const struct timeval patience = {(time_t)(patience_ns / NS_PER_SEC),
					 (suseconds_t)(patience_ns % NS_PER_SEC / NS_PER_US)};

	waiting->late = evtimer_new(admission->base, too_late, waiting);
	waiting->first =
		event_new(admission->base, waiting->fd, EV_READ | EV_PERSIST, came, waiting);
	if (!waiting->late || !waiting->first || evtimer_add(waiting->late, &patience) ||
	    event_add(waiting->first, NULL))
		return -ENOMEM;
	return 0;
}

/* One more; NULL = no memory. */
static struct waiting *add(struct admission *admission, int fd)
{
	struct waiting *waiting = calloc(1, sizeof(*waiting));

	if (!waiting)
		return NULL;
	waiting->admission = admission;
	waiting->fd = fd;
	waiting->at = &admission->waiting;
	waiting->next = admission->waiting;
	if (waiting->next)
		waiting->next->at = &waiting->next;
	admission->waiting = waiting;
	admission->count++;
	return waiting;
}

void admission_take(struct admission *admission, int fd, admission_admitted admitted, void *ctx)
{
	const struct rights *rights = admission->config.rights;
	struct relay_address_key key;
	struct waiting *waiting;

	relay_address_key_of_peer(fd, &key);
	if (!make_room(admission, &key)) {
		admission_refuse(admission, fd);
		return;
	}
	waiting = add(admission, fd);
	if (!waiting) {
		(void)fd_close(fd);
		return;
	}
	waiting->key = key;
	waiting->admitted = admitted;
	waiting->ctx = ctx;
	waiting->may_be_plain = relay_address_of_peer(fd, waiting->address) && rights &&
				rights->plain_local;
	if (!rights_ask(rights))
		ask(waiting, NULL, false);
	else if (await(waiting))
		turn_away(waiting, "no memory");
}

static void refusal_sent(struct bufferevent *link, void *ctx)
{
	(void)link;
	waiting_free(ctx);
}

static void refusal_failed(struct bufferevent *link, short what, void *ctx)
{
	(void)link;
	(void)what;
	waiting_free(ctx);
}

static void refusal_late(evutil_socket_t fd, short what, void *ctx)
{
	(void)fd;
	(void)what;
	waiting_free(ctx);
}

void admission_refuse_link(struct admission *admission, struct bufferevent *link)
{
	const struct timeval patience = {.tv_sec = 1};
	struct waiting *waiting = add(admission, -1);

	if (!waiting) {
		bufferevent_free(link);
		return;
	}
	waiting->link = link;
	waiting->late = evtimer_new(admission->base, refusal_late, waiting);
	bufferevent_setcb(link, NULL, refusal_sent, refusal_failed, waiting);
	if (!waiting->late || evtimer_add(waiting->late, &patience) ||
	    !admission->config.refusal_len ||
	    bufferevent_write(link, admission->config.refusal, admission->config.refusal_len) ||
	    bufferevent_enable(link, EV_WRITE))
		waiting_free(waiting);
}

struct admission *admission_new(struct event_base *base, const struct admission_config *config)
{
	struct admission *admission = calloc(1, sizeof(*admission));

	if (!admission)
		return NULL;
	admission->base = base;
	admission->config = *config;
	admission->config.waiting = config->waiting ?: ADMISSION_WAITING;
	admission->config.waiting_of_address = config->waiting_of_address ?:
						       ADMISSION_WAITING_OF_ADDRESS;
	return admission;
}

void admission_free(struct admission *admission)
{
	if (!admission)
		return;
	while (admission->waiting)
		waiting_free(admission->waiting);
	free(admission);
}

uint64_t admission_refused(const struct admission *admission)
{
	return admission->refused;
}

unsigned int admission_waiting(const struct admission *admission)
{
	return admission->count;
}
