// SPDX-License-Identifier: BSD-2-Clause
/*
 * fuzz_admission: any bytes as what somebody says to who asks for a token, in one piece or two: it is let in only if the
 * token comes first, and then what is behind it is read, to the byte.
 */
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "live/access/admission.h"
#include "live/access/rights.h"

#define TOKEN "0123456789abcdef"
#define SIZE_MAX_BYTES (64u << 10) /* that the socket holds */
#define STEPS 8 /* of the loop, in which all is read */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void came(struct bufferevent *link, void *ctx)
{
	(void)link;
	*(bool *)ctx = true;
}

struct reader {
	struct bufferevent *link;
	bool told;
};

static void admitted(void *ctx, struct bufferevent *link, const char *name)
{
	struct reader *reader = ctx;

	if (*name)
		abort();
	reader->link = link;
	bufferevent_setcb(link, came, NULL, NULL, &reader->told);
	(void)bufferevent_enable(link, EV_READ);
}

static void turn(struct event_base *base)
{
	for (int i = 0; i < STEPS; i++)
		(void)event_base_loop(base, EVLOOP_NONBLOCK);
}

static void check(const struct reader *reader, const struct token *token, const uint8_t *data,
		  size_t size)
{
	uint8_t hello[TOKEN_HELLO_MAX_BYTES];
	size_t len = token_hello(token, hello), left = size - len;
	struct evbuffer *input = reader->link ? bufferevent_get_input(reader->link) : NULL;

	if (size < len || memcmp(data, hello, len)) {
		if (reader->link)
			abort();
		return;
	}
	if (!input || evbuffer_get_length(input) != left || reader->told != (left > 0) ||
	    (left && memcmp(evbuffer_pullup(input, -1), data + len, left)))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rights rights = {.credentials.token.len = strlen(TOKEN)};
	const struct admission_config config = {.rights = &rights};
	struct event_base *base = event_base_new();
	struct reader reader = {0};
	struct admission *admission;
	size_t half = size && data[size - 1] & 1 ? size / 2 : size;
	int ends[2];

	memcpy(rights.credentials.token.bytes, TOKEN, strlen(TOKEN));
	if (size > SIZE_MAX_BYTES || !base ||
	    socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends))
		goto out;
	admission = admission_new(base, &config);
	if (!admission)
		abort();
	admission_take(admission, ends[0], admitted, &reader);
	(void)!send(ends[1], data, half, MSG_NOSIGNAL);
	turn(base);
	(void)!send(ends[1], data + half, size - half, MSG_NOSIGNAL);
	turn(base);
	check(&reader, &rights.credentials.token, data, size);
	if (reader.link)
		bufferevent_free(reader.link);
	admission_free(admission);
	(void)event_base_loop(base, EVLOOP_NONBLOCK);
	(void)close(ends[1]);
out:
	event_base_free(base);
	return 0;
}
