// SPDX-License-Identifier: BSD-2-Clause
#include "live/access/client_link.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/x509_vfy.h>

#include "base/diag.h"
#include "base/io.h"
#include "live/access/credentials.h"

/* OpenSSL's socket, but that a relay which has gone is an error, and no SIGPIPE of a program that is not
 * ours. */
static BIO_METHOD *quiet;

static int quiet_write(BIO *bio, const char *bytes, int len)
{
	ssize_t put;
	int fd = -1;

	(void)BIO_get_fd(bio, &fd);
	put = send(fd, bytes, (size_t)len, MSG_NOSIGNAL);
	BIO_clear_retry_flags(bio);
	if (put < 0 && (errno == EAGAIN || errno == EINTR))
		BIO_set_retry_write(bio);
	return (int)put;
}

static void make_quiet(void)
{
	const BIO_METHOD *socket = BIO_s_socket();
	BIO_METHOD *made = BIO_meth_new(BIO_TYPE_SOCKET, "socket without SIGPIPE");

	if (made && BIO_meth_set_write(made, quiet_write) &&
	    BIO_meth_set_read(made, BIO_meth_get_read(socket)) &&
	    BIO_meth_set_puts(made, BIO_meth_get_puts(socket)) &&
	    BIO_meth_set_ctrl(made, BIO_meth_get_ctrl(socket)) &&
	    BIO_meth_set_create(made, BIO_meth_get_create(socket)) &&
	    BIO_meth_set_destroy(made, BIO_meth_get_destroy(socket)))
		quiet = made;
}

static BIO *quiet_new(int fd)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	BIO *bio;

	(void)pthread_once(&once, make_quiet);
	bio = quiet ? BIO_new(quiet) : NULL;
	if (bio)
		(void)BIO_set_fd(bio, fd, BIO_NOCLOSE);
	return bio;
}

static int explain(struct client_link *link, int err, const char *what, const char *why)
{
	(void)snprintf(link->reason, sizeof(link->reason), "%s: %s", what, why);
	return err;
}

/* OpenSSL gave an error of its own. */
static int tell_reason(struct client_link *link)
{
	const long verified = SSL_get_verify_result(link->ssl);
	const unsigned long code = ERR_peek_last_error();
	const bool refused = tls_is_alert(code);
	const char *why = tls_reason();

	if (ERR_GET_REASON(code) == SSL_R_UNEXPECTED_EOF_WHILE_READING)
		return -ECONNRESET;
	if (verified != X509_V_OK)
		return explain(link, -EACCES, "the relay's certificate",
			       X509_verify_cert_error_string(verified));
	if (ERR_GET_REASON(code) == SSL_R_TLSV1_ALERT_INTERNAL_ERROR && !link->is_open)
		return explain(link, -EBUSY,
			       "the relay has no room for another connection, or has failed",
			       "try again later");
	if (refused && !link->heard)
		return explain(link, -EACCES, "the relay does not take our certificate", why);
	if (link->is_open)
		return explain(link, -ECONNABORTED,
			       refused ? "the relay ends the connection" :
					 "the received data was modified",
			       why);
	return explain(link, -EPROTO, "it does not speak TLS as we do", why);
}

/* What became of a call of OpenSSL that gave @got, and did not succeed. */
static ssize_t fail(struct client_link *link, int got)
{
	const int syscall_err = errno;

	switch (SSL_get_error(link->ssl, got)) {
	case SSL_ERROR_WANT_READ:
		link->wants = POLLIN;
		return -EAGAIN;
	case SSL_ERROR_WANT_WRITE:
		link->wants = POLLOUT;
		return -EAGAIN;
	case SSL_ERROR_ZERO_RETURN:
		return 0;
	case SSL_ERROR_SYSCALL:
		return syscall_err ? -syscall_err : -ECONNRESET;
	default:
		return tell_reason(link);
	}
}

static void begin(struct client_link *link)
{
	ERR_clear_error();
	errno = 0;
	link->wants = 0;
	*link->reason = '\0';
}

static ssize_t tls_read(struct client_link *link, void *bytes, size_t len)
{
	int got;

	begin(link);
	got = SSL_read(link->ssl, bytes, len < INT_MAX ? (int)len : INT_MAX);
	return got > 0 ? got : fail(link, got);
}

static ssize_t tls_write(struct client_link *link, const void *bytes, size_t len)
{
	ssize_t put;
	char byte;

	begin(link);
	put = SSL_write(link->ssl, bytes, len < INT_MAX ? (int)len : INT_MAX);
	put = put > 0 ? put : fail(link, (int)put);
	if (put != -EPIPE && put != -ECONNRESET)
		return put;
	/* It may have said why. */
	begin(link);
	return SSL_peek(link->ssl, &byte, 1) < 1 && fail(link, -1) == -EACCES ? -EACCES : put;
}

/* A relay that has no token, or a server of another protocol, does not answer: the cause is a guess. */
static void suppose(struct client_link *link)
{
	if (!link->heard && !*link->reason)
		(void)explain(link, 0, "the relay has closed the connection without a word",
			      link->hint);
}

static const char *hint_of(const struct credentials *credentials)
{
	const bool tls = credentials && credentials->tls;
	const bool token = credentials && credentials->token.len;

	if (tls)
		return token ? "it may not know our token, or have no room for another connection" :
			       "it may ask for a token (--token), or have no room for another connection";
	return token ? "it may not know our token, ask for no token, ask for TLS (--tls-cert), or "
		       "have no room for another connection" :
		       "it may ask for a certificate (--tls-cert) or a token (--token), or have no "
		       "room for another connection";
}

ssize_t client_link_read(struct client_link *link, void *bytes, size_t len)
{
	ssize_t got;

	if (link->ssl) {
		got = tls_read(link, bytes, len);
	} else {
		got = recv(link->fd, bytes, len, 0);
		got = got < 0 ? -errno : got;
	}
	if (!got || got == -ECONNRESET)
		suppose(link);
	link->heard |= got > 0;
	return got;
}

ssize_t client_link_write_parts(struct client_link *link, const struct iovec *parts, size_t count)
{
	const struct msghdr message = {.msg_iov = (struct iovec *)(uintptr_t)parts,
				       .msg_iovlen = count};
	ssize_t put;

	while (link->ssl && count && !parts->iov_len) {
		parts++;
		count--;
	}
	if (!count)
		return 0;
	if (link->ssl) {
		put = tls_write(link, parts->iov_base, parts->iov_len);
	} else {
		put = sendmsg(link->fd, &message, MSG_NOSIGNAL);
		put = put < 0 ? -errno : put;
	}
	if (put == -EPIPE || put == -ECONNRESET)
		suppose(link);
	return put;
}

ssize_t client_link_write(struct client_link *link, const void *bytes, size_t len)
{
	const struct iovec part = {(void *)(uintptr_t)bytes, len};

	return client_link_write_parts(link, &part, 1);
}

short client_link_events(const struct client_link *link, bool write)
{
	return (short)((write ? POLLIN | POLLOUT : POLLIN) | link->wants);
}

static int make_ssl(struct client_link *link, SSL_CTX *tls, const char *host)
{
	BIO *bio = quiet_new(link->fd);

	link->ssl = SSL_new(tls);
	if (!link->ssl || !bio) {
		BIO_free(bio);
		return -ENOMEM;
	}
	SSL_set_bio(link->ssl, bio, bio);
	SSL_set_connect_state(link->ssl);
	(void)SSL_set_mode(link->ssl, SSL_MODE_ENABLE_PARTIAL_WRITE);
	return tls_expect(link->ssl, host);
}

static int shake_hands(struct client_link *link, client_link_wait wait, void *ctx)
{
	int err = 0;

	while (!err) {
		ssize_t got;

		begin(link);
		got = SSL_do_handshake(link->ssl);
		if (got == 1)
			return 0;
		got = fail(link, (int)got);
		if (got == -EAGAIN)
			err = wait(ctx, link->fd, link->wants);
		else
			err = got ? (int)got : -ECONNRESET;
	}
	return err;
}

static int say_token(struct client_link *link, const struct token *token, client_link_wait wait,
		     void *ctx)
{
	uint8_t hello[TOKEN_HELLO_MAX_BYTES];
	const size_t len = token->len ? token_hello(token, hello) : 0;
	size_t at = 0;
	int err = 0;

	while (!err && at < len) {
		ssize_t put = client_link_write(link, hello + at, len - at);

		if (put == -EAGAIN || put == -EINTR)
			err = wait(ctx, link->fd, client_link_events(link, true));
		else if (put <= 0)
			err = put ? (int)put : -ECONNRESET;
		else
			at += (size_t)put;
	}
	OPENSSL_cleanse(hello, sizeof(hello));
	return err;
}

static int fail_open(const struct client_link *link, int err, struct diag *diag)
{
	if (*link->reason)
		return diag_set(diag, err, "%s", link->reason);
	if (err == -ECONNRESET || err == -EPIPE)
		return diag_set(
			diag, -ECONNRESET,
			"it has closed the connection within the TLS handshake: it may speak no "
			"TLS, or have no room for another connection");
	if (err == -ETIMEDOUT)
		return diag_set(diag, err, "it does not answer: does it speak TLS?");
	return diag_set(diag, err, "%s", strerror(-err));
}

int client_link_open(struct client_link *link, int fd, const struct credentials *credentials,
		     const char *host, client_link_wait wait, void *ctx, struct diag *diag)
{
	int err = 0;

	*link = (struct client_link){.fd = fd, .hint = hint_of(credentials)};
	if (credentials && credentials->tls)
		err = make_ssl(link, credentials->tls, host) ?: shake_hands(link, wait, ctx);
	link->is_open = !err;
	if (!err && credentials)
		err = say_token(link, &credentials->token, wait, ctx);
	if (!err)
		return 0;
	(void)fail_open(link, err, diag);
	client_link_close(link);
	return err;
}

void client_link_close(struct client_link *link)
{
	if (link->ssl && SSL_is_init_finished(link->ssl)) {
		ERR_clear_error();
		(void)SSL_shutdown(link->ssl); /* says so, and waits for nothing */
	}
	SSL_free(link->ssl);
	link->ssl = NULL;
	(void)fd_close(link->fd);
	link->fd = -1;
}
