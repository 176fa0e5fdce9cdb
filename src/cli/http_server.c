// SPDX-License-Identifier: BSD-2-Clause
#include "cli/http_server.h"

#include <errno.h>
#include <event2/buffer.h>
#include <event2/event.h>
#include <event2/http.h>
#include <event2/listener.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/buffer.h"
#include "base/diag.h"
#include "base/io.h"
#include "base/listen_address.h"
#include "cli/interrupt.h"
#include "live/access/credentials.h"
#include "live/access/relay_address.h"

#define BACKLOG 128
#define LOOK_US 100000 /* how soon an interruption is seen, and files may be there again */
#define HEAD_MAX 8192
#define BODY_MAX 8192
#define IDLE_S 10 /* a connection without a byte, either way */

struct http_server {
	struct http_server_config config;
	struct token token;
	struct event_base *base;
	struct event *look;
	struct evhttp *http;
	struct evconnlistener *listener; /* evhttp's */
	uint16_t port;
};

/* The scheme's name is not case-sensitive (RFC 9110, 11.1). */
static bool is_authorized(const struct http_server *server, struct evhttp_request *request)
{
	static const char scheme[] = "Bearer ";
	const char *given =
		evhttp_find_header(evhttp_request_get_input_headers(request), "Authorization");

	if (!server->token.len)
		return true;
	return given && !strncasecmp(given, scheme, strlen(scheme)) &&
	       token_is(&server->token, given + strlen(scheme), strlen(given + strlen(scheme)));
}

static void refuse(struct evhttp_request *request, int status, const char *reason)
{
	struct evbuffer *body = evhttp_request_get_output_buffer(request);

	(void)evhttp_add_header(evhttp_request_get_output_headers(request), "Content-Type",
				"text/plain");
	(void)evbuffer_add_printf(body, "%d %s\n", status, reason);
	evhttp_send_reply(request, status, reason, NULL);
}

static bool is_asked_for(const struct http_server *server, struct evhttp_request *request)
{
	const char *path = evhttp_uri_get_path(evhttp_request_get_evhttp_uri(request));

	return path && !strcmp(path, server->config.path);
}

static void answer(struct evhttp_request *request, void *ctx)
{
	const struct http_server *server = ctx;
	const enum evhttp_cmd_type method = evhttp_request_get_command(request);
	struct evkeyvalq *headers = evhttp_request_get_output_headers(request);
	struct buffer page;

	if (!is_authorized(server, request)) {
		(void)evhttp_add_header(headers, "WWW-Authenticate", "Bearer");
		refuse(request, 401, "Unauthorized");
		return;
	}
	if (method != EVHTTP_REQ_GET && method != EVHTTP_REQ_HEAD) {
		(void)evhttp_add_header(headers, "Allow", "GET, HEAD");
		refuse(request, 405, "Method Not Allowed");
		return;
	}
	if (!is_asked_for(server, request)) {
		refuse(request, 404, "Not Found");
		return;
	}
	buffer_init(&page);
	if (server->config.page(server->config.ctx, &page) || buffer_error(&page) ||
	    evbuffer_add(evhttp_request_get_output_buffer(request), page.data, page.len)) {
		refuse(request, 503, "Service Unavailable");
	} else {
		(void)evhttp_add_header(headers, "Content-Type", server->config.type);
		evhttp_send_reply(request, 200, "OK", NULL);
	}
	buffer_fini(&page);
}

/* No file is left: others wait in the backlog until idle connections have gone. */
static void not_accepted(struct evconnlistener *listener, void *ctx)
{
	(void)ctx;
	(void)evconnlistener_disable(listener);
}

static void look(evutil_socket_t fd, short what, void *ctx)
{
	struct http_server *server = ctx;

	(void)fd;
	(void)what;
	(void)evconnlistener_enable(server->listener);
	if (interrupt_seen())
		(void)event_base_loopbreak(server->base);
}

static int open_socket(const struct http_server *server, int *ret, struct diag *diag)
{
	const struct http_server_config *config = &server->config;
	struct listen_address address;
	int err;

	err = listen_address_parse(config->address, AF_UNSPEC, LISTEN_PORT_NEEDED, &address, diag);
	if (err)
		return err;
	if (!listen_address_is_loopback((const struct sockaddr *)&address.at) &&
	    !config->insecure && !server->token.len)
		return diag_set(diag, -EACCES,
				"every host that reaches %s could read the metrics: ask for a "
				"token (--token), or permit it (--insecure)",
				config->address);
	err = listen_address_open(&address, BACKLOG, ret);
	return err ? diag_set(diag, err, "TCP port %s: %s", config->address, strerror(-err)) : 0;
}

/* The listener, and with it @fd, is evhttp's from here on. */
static int add_events(struct http_server *server, int fd)
{
	const struct timeval every = {.tv_usec = LOOK_US};
	struct evhttp_bound_socket *bound = NULL;

	server->base = event_base_new();
	server->http = server->base ? evhttp_new(server->base) : NULL;
	server->look = server->base ? event_new(server->base, -1, EV_PERSIST, look, server) : NULL;
	if (server->http && server->look && !event_add(server->look, &every))
		bound = evhttp_accept_socket_with_handle(server->http, fd);
	if (!bound) {
		(void)fd_close(fd);
		return -ENOMEM;
	}
	server->port = relay_address_port(fd);
	server->listener = evhttp_bound_socket_get_listener(bound);
	evconnlistener_set_error_cb(server->listener, not_accepted);
	/* All methods come to answer(), which knows what to say. */
	evhttp_set_allowed_methods(server->http, UINT16_MAX);
	evhttp_set_max_headers_size(server->http, HEAD_MAX);
	evhttp_set_max_body_size(server->http, BODY_MAX);
	evhttp_set_timeout(server->http, IDLE_S);
	evhttp_set_gencb(server->http, answer, server);
	return 0;
}

int http_server_open(const struct http_server_config *config, struct http_server **ret,
		     struct diag *diag)
{
	struct http_server *server = calloc(1, sizeof(*server));
	int fd = -1, err;

	if (!server)
		return diag_set(diag, -ENOMEM, "no memory");
	server->config = *config;
	err = config->token ? token_load(config->token, &server->token, diag) : 0;
	err = err ?: open_socket(server, &fd, diag);
	if (!err && add_events(server, fd))
		err = diag_set(diag, -ENOMEM, "no memory or files for an HTTP server");
	if (err)
		http_server_free(server);
	else
		*ret = server;
	return err;
}

uint16_t http_server_port(const struct http_server *server)
{
	return server->port;
}

int http_server_run(struct http_server *server)
{
	return event_base_dispatch(server->base) < 0 ? -EIO : 0;
}

void http_server_free(struct http_server *server)
{
	if (!server)
		return;
	if (server->http)
		evhttp_free(server->http);
	if (server->look)
		event_free(server->look);
	if (server->base)
		event_base_free(server->base);
	free(server);
}
