/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * http_server: gives one page to clients that ask for it by HTTP (libevent's evhttp), until it is interrupted.
 * A client that is silent or slow holds up no other; the page itself is made within the event loop.
 */
#ifndef SONDE_CLI_HTTP_SERVER_H
#define SONDE_CLI_HTTP_SERVER_H

#include <stdbool.h>
#include <stdint.h>

struct buffer;
struct diag;
struct http_server;

struct http_server_config {
	const char *address; /* base/listen_address.h; the port is needed */
	bool insecure; /* clients on other machines may ask without a token */
	const char *
		token; /* file: clients send "Authorization: Bearer TOKEN"; NULL = none is asked for */
	const char *path;
	const char *type;
	/* Fills @body; -errno: the page cannot be made now. */
	int (*page)(void *ctx, struct buffer *body);
	void *ctx;
};

/* -EACCES: others can reach the address, and neither token nor @insecure is given; -errno; with the diag. @config's texts
 * are borrowed until http_server_free. */
int http_server_open(const struct http_server_config *config, struct http_server **ret,
		     struct diag *diag);
uint16_t http_server_port(const struct http_server *server);
/* Until the program is interrupted (cli/interrupt.h). 0 or -EIO. */
int http_server_run(struct http_server *server);
/* NULL is fine. */
void http_server_free(struct http_server *server);

#endif /* SONDE_CLI_HTTP_SERVER_H */
