/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * http_answer: as much of HTTP/1.1 as it takes to give one page to who asks for it: GET, one request a
 * connection, one connection at a time, none of them for long.
 */
#ifndef SONDE_CLI_HTTP_ANSWER_H
#define SONDE_CLI_HTTP_ANSWER_H

#include <stdbool.h>
#include <stdint.h>

struct buffer;
struct diag;

/* A TCP socket that listens where @text says (base/listen_address.h), and its port. -errno with the diag. */
int http_listen(const char *text, int *ret_fd, uint16_t *ret_port, struct diag *diag);

/* Fills @body; -errno: the page cannot be made now. */
typedef int (*http_page)(void *ctx, struct buffer *body);

/* Takes one connection, if one waits for up to @wait_ms: its request for @path is answered with the page. Nothing
 * that the other side does is an error. */
void http_answer(int fd, int wait_ms, const char *path, const char *type, http_page page,
		 void *ctx);

#endif /* SONDE_CLI_HTTP_ANSWER_H */
