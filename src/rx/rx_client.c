// SPDX-License-Identifier: BSD-2-Clause
#include "rx/rx_client.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/diag.h"
#include "base/io.h"
#include "base/map.h"
#include "rx/rx_record.h"
#include "rx/rx_reply.h"

static bool is_ipv6(const union rx_address *address)
{
	return address->any.sa_family == AF_INET6;
}

uint16_t rx_address_port(const union rx_address *address)
{
	return ntohs(is_ipv6(address) ? address->in6.sin6_port : address->in.sin_port);
}

void rx_address_set_port(union rx_address *address, uint16_t port)
{
	if (is_ipv6(address))
		address->in6.sin6_port = htons(port);
	else
		address->in.sin_port = htons(port);
}

struct sockaddr_in6 rx_address_mapped(const union rx_address *address)
{
	struct sockaddr_in6 in6 = {.sin6_family = AF_INET6, .sin6_port = address->in.sin_port};

	if (is_ipv6(address))
		return address->in6;
	in6.sin6_addr.s6_addr[10] = in6.sin6_addr.s6_addr[11] = 0xff;
	memcpy(&in6.sin6_addr.s6_addr[12], &address->in.sin_addr, sizeof(address->in.sin_addr));
	return in6;
}

bool rx_address_is_same_host(const union rx_address *one, const union rx_address *other)
{
	const struct sockaddr_in6 a = rx_address_mapped(one), b = rx_address_mapped(other);

	return !memcmp(&a.sin6_addr, &b.sin6_addr, sizeof(a.sin6_addr));
}

void rx_address_host(const union rx_address *address, struct buffer *out)
{
	const void *host = is_ipv6(address) ? (const void *)&address->in6.sin6_addr :
					      (const void *)&address->in.sin_addr;
	char text[INET6_ADDRSTRLEN];

	buffer_string(out, inet_ntop(address->any.sa_family, host, text, sizeof(text)) ?: "");
}

#define QUESTIONS_MAX (1u << 20)
#define RECEIVE_BUFFER_BYTES (4u << 20) /* where it is permitted: answers come in bursts */
#define AGAIN_NS NS_PER_MS /* the socket takes no more just now */

enum question_state {
	QUESTION_FREE,
	QUESTION_WAITING, /* for its turn */
	QUESTION_ASKED,
};

struct question {
	enum question_state state;
	union rx_address server;
	struct rx_query query;
	uint64_t tag;
	uint32_t call;
	unsigned int tries; /* sent so far */
	uint64_t sent_ns; /* the last */
	uint64_t due_ns; /* when the next is, or it is given up */
	uint32_t next; /* 1 + that of the next one that waits, or that is free; 0 = none */
};

struct rx_client {
	struct rx_client_config config;
	int fd;
	uint32_t call; /* of the last question */
	struct question *questions;
	uint32_t room;
	uint32_t free; /* 1 + the first; 0 = none */
	uint32_t first; /* 1 + the first that waits */
	uint32_t last;
	uint32_t asked; /* how many are on their way */
	struct map calls; /* index of the question by its call number */
	struct rx_client_counts counts;
	uint8_t packet[RX_PACKET_MAX_BYTES];
};

static int open_socket(struct rx_client *client)
{
	const union rx_address any = {.any.sa_family = client->config.ipv6 ? AF_INET6 : AF_INET};
	int bytes = RECEIVE_BUFFER_BYTES, no = 0;

	client->fd = socket(any.any.sa_family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (client->fd < 0)
		return -errno;
	/* One for both, that all answers come in where they are waited for. */
	if (client->config.ipv6 &&
	    setsockopt(client->fd, IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof(no)))
		return -errno;
	if (bind(client->fd, &any.any, client->config.ipv6 ? sizeof(any.in6) : sizeof(any.in)))
		return -errno;
	if (setsockopt(client->fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes)))
		(void)setsockopt(client->fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
	return 0;
}

int rx_client_open(const struct rx_client_config *config, struct rx_client **ret, struct diag *diag)
{
	struct rx_client *client = calloc(1, sizeof(*client));
	int err;

	if (!client)
		return diag_set(diag, -ENOMEM, "no memory");
	client->config = *config;
	client->config.wait_ns = config->wait_ns ?: RX_CLIENT_WAIT_NS;
	client->config.tries = config->tries ?: RX_CLIENT_TRIES;
	client->config.window = config->window ?: RX_CLIENT_WINDOW;
	map_init(&client->calls, sizeof(uint32_t), sizeof(uint32_t), QUESTIONS_MAX);
	/* Whoever does not see our packets should not be able to answer them. */
	if (getrandom(&client->call, sizeof(client->call), 0) != sizeof(client->call))
		client->call = (uint32_t)clock_monotonic_ns();
	err = open_socket(client);
	if (err) {
		diag_set(diag, err, "a UDP socket: %s", strerror(-err));
		rx_client_close(client);
		return err;
	}
	*ret = client;
	return 0;
}

void rx_client_close(struct rx_client *client)
{
	if (!client)
		return;
	(void)fd_close(client->fd);
	map_fini(&client->calls);
	free(client->questions);
	free(client);
}

const struct rx_client_counts *rx_client_counts(const struct rx_client *client)
{
	return &client->counts;
}

int rx_client_fd(const struct rx_client *client)
{
	return client->fd;
}

uint64_t rx_client_due_ns(const struct rx_client *client)
{
	uint64_t due_ns = UINT64_MAX;

	for (uint32_t i = 0; i < client->room; i++) {
		const struct question *question = &client->questions[i];

		if (question->state == QUESTION_ASKED && question->due_ns < due_ns)
			due_ns = question->due_ns;
	}
	return due_ns;
}

static int grow(struct rx_client *client)
{
	uint32_t room = client->room ? 2 * client->room : 16;
	struct question *questions;

	if (room > QUESTIONS_MAX)
		return -ENOMEM;
	questions = reallocarray(client->questions, room, sizeof(*questions));
	if (!questions)
		return -ENOMEM;
	for (uint32_t i = client->room; i < room; i++)
		questions[i] = (struct question){.next = i + 1 < room ? i + 2 : client->free};
	client->free = client->room + 1;
	client->questions = questions;
	client->room = room;
	return 0;
}

int rx_client_ask(struct rx_client *client, const union rx_address *server,
		  const struct rx_query *query, uint64_t tag)
{
	struct question *question;
	uint32_t i, *slot;

	if (!client->free && grow(client))
		return -ENOMEM;
	i = client->free - 1;
	question = &client->questions[i];
	client->call++;
	slot = map_at(&client->calls, &client->call);
	if (!slot)
		return -ENOMEM;
	*slot = i;
	client->free = question->next;
	*question = (struct question){
		.state = QUESTION_WAITING,
		.server = *server,
		.query = *query,
		.tag = tag,
		.call = client->call,
	};
	if (client->last)
		client->questions[client->last - 1].next = i + 1;
	else
		client->first = i + 1;
	client->last = i + 1;
	return 0;
}

/* It is answered, or given up. */
static void put_back(struct rx_client *client, struct question *question)
{
	map_remove(&client->calls, &question->call);
	client->asked--;
	question->state = QUESTION_FREE;
	question->next = client->free;
	client->free = (uint32_t)(question - client->questions) + 1;
}

static void fill_answer(const struct question *question, int err, struct rx_answer *ret)
{
	*ret = (struct rx_answer){.tag = question->tag, .err = err, .tries = question->tries};
}

/* As the socket has addresses. */
static ssize_t send_to(const struct rx_client *client, const union rx_address *server,
		       const uint8_t *packet, size_t len)
{
	const struct sockaddr_in6 mapped = rx_address_mapped(server);

	if (client->config.ipv6)
		return sendto(client->fd, packet, len, 0, (const struct sockaddr *)&mapped,
			      sizeof(mapped));
	return sendto(client->fd, packet, len, 0, &server->any, sizeof(server->in));
}

/* 0, or what sending says; where the socket is full it is tried again soon. */
static int send_question(struct rx_client *client, struct question *question, uint64_t now_ns)
{
	uint8_t packet[RX_REQUEST_MAX_BYTES];
	size_t len = rx_query_pack(&question->query, question->call, packet);

	if (send_to(client, &question->server, packet, len) < 0) {
		if (errno != EAGAIN && errno != ENOBUFS && errno != EINTR)
			return -errno;
		question->due_ns = now_ns + AGAIN_NS;
		return 0;
	}
	client->counts.sent++;
	client->counts.resent += question->tries > 0;
	question->sent_ns = now_ns;
	question->due_ns = now_ns + (client->config.wait_ns << question->tries);
	question->tries++;
	return 0;
}

/* Sends the requests whose turn it is; *@ret_sent: how many. 1: one could not be sent, as *@ret says. */
static int send_waiting(struct rx_client *client, uint32_t *ret_sent, struct rx_answer *ret)
{
	*ret_sent = 0;
	while (client->first && client->asked < client->config.window) {
		struct question *question = &client->questions[client->first - 1];
		int err;

		client->first = question->next;
		if (!client->first)
			client->last = 0;
		question->next = 0;
		question->state = QUESTION_ASKED;
		client->asked++;
		err = send_question(client, question, clock_monotonic_ns());
		++*ret_sent;
		if (!err)
			continue;
		fill_answer(question, err, ret);
		put_back(client, question);
		return 1;
	}
	return 0;
}

/* Sends unanswered requests again. 1: one is given up, as *@ret says. */
static int send_again(struct rx_client *client, uint64_t *next_ns, struct rx_answer *ret)
{
	uint64_t now_ns = clock_monotonic_ns();

	*next_ns = UINT64_MAX;
	for (uint32_t i = 0; i < client->room; i++) {
		struct question *question = &client->questions[i];
		int err = 0;

		if (question->state != QUESTION_ASKED)
			continue;
		if (question->due_ns <= now_ns)
			err = question->tries < client->config.tries ?
				      send_question(client, question, now_ns) :
				      -ETIMEDOUT;
		if (err) {
			fill_answer(question, err, ret);
			put_back(client, question);
			return 1;
		}
		if (question->due_ns < *next_ns)
			*next_ns = question->due_ns;
	}
	return 0;
}

static bool comes_from(const struct rx_client *client, const union rx_address *from,
		       const union rx_address *server)
{
	return rx_address_port(from) == rx_address_port(server) &&
	       (client->config.any_address || rx_address_is_same_host(from, server));
}

static size_t least_bytes(const struct rx_query *query)
{
	return query->type == RX_TYPE_VERSION ? 1 : rx_reply_least_bytes(query->what);
}

static bool is_of_list(const struct rx_query *query)
{
	return query->type == RX_TYPE_DEBUG &&
	       (query->what == RX_DEBUG_CONN || query->what == RX_DEBUG_ALL_CONN ||
		query->what == RX_DEBUG_PEER);
}

/* What the packet is to the question: 0 = its answer, -ENOTSUP = a refusal, -EBADMSG = nothing. */
static int judge(const struct sonde_rx_header *header, const struct rx_query *query,
		 const uint8_t *payload, size_t len)
{
	if (header->flags & RX_FLAG_CLIENT_INITIATED)
		return -EBADMSG;
	if (header->type == RX_TYPE_ABORT)
		return -ENOTSUP;
	if (header->type != query->type)
		return -EBADMSG;
	if (query->type == RX_TYPE_DEBUG && rx_payload_is_refusal(payload, len))
		return -ENOTSUP;
	if (is_of_list(query) && rx_payload_is_end(payload, len))
		return 0;
	return len < least_bytes(query) ? -EBADMSG : 0;
}

/* One packet that came: 1 = an answer, 0 = not of interest. */
static int take_packet(struct rx_client *client, size_t len, const union rx_address *from,
		       struct rx_answer *ret)
{
	const uint8_t *payload = client->packet + RX_HEADER_BYTES;
	struct question *question;
	struct sonde_rx_header header;
	uint32_t *slot;
	int err;

	if (rx_header_unpack(client->packet, len, &header)) {
		client->counts.malformed++;
		return 0;
	}
	slot = map_get(&client->calls, &header.call);
	question = slot ? &client->questions[*slot] : NULL;
	if (!question || question->state != QUESTION_ASKED) {
		client->counts.late++;
		return 0;
	}
	if (!comes_from(client, from, &question->server)) {
		client->counts.strangers++;
		return 0;
	}
	len -= RX_HEADER_BYTES;
	err = judge(&header, &question->query, payload, len);
	if (err == -EBADMSG) {
		client->counts.malformed++;
		return 0;
	}
	fill_answer(question, err, ret);
	ret->payload = payload;
	ret->len = len;
	ret->took_ns = clock_monotonic_ns() - question->sent_ns;
	put_back(client, question);
	return 1;
}

/* Of what has come: 1 = an answer, 0 = there is nothing more, or -errno. */
static int receive(struct rx_client *client, struct rx_answer *ret)
{
	union rx_address from;
	ssize_t len;
	int got = 0;

	while (!got) {
		socklen_t from_len = sizeof(from);

		len = recvfrom(client->fd, client->packet, sizeof(client->packet), 0, &from.any,
			       &from_len);
		if (len < 0)
			return errno == EAGAIN || errno == ECONNREFUSED ? 0 : -errno;
		got = take_packet(client, (size_t)len, &from, ret);
	}
	return got;
}

static int wait_until(const struct rx_client *client, uint64_t until_ns)
{
	uint64_t now_ns = clock_monotonic_ns();
	uint64_t left_ns = until_ns > now_ns ? until_ns - now_ns : 0;
	const struct timespec timeout = {(time_t)(left_ns / NS_PER_SEC),
					 (long)(left_ns % NS_PER_SEC)};
	struct pollfd poll = {.fd = client->fd, .events = POLLIN};

	return ppoll(&poll, 1, &timeout, NULL) < 0 ? -errno : 0;
}

int rx_client_next_until(struct rx_client *client, uint64_t until_ns, struct rx_answer *ret)
{
	uint64_t next_ns;
	uint32_t sent;
	int got;

	for (;;) {
		got = send_waiting(client, &sent, ret);
		/* Where all that is on its way was sent just now nothing can have come: one question after the
		 * other takes three system calls each, as rxdebug's do. */
		if (!got && (!sent || sent < client->asked))
			got = receive(client, ret);
		if (got)
			return got;
		if (!client->asked && until_ns == UINT64_MAX)
			return 0;
		got = send_again(client, &next_ns, ret);
		if (got)
			return got;
		if (until_ns < next_ns && until_ns <= clock_monotonic_ns())
			return -EAGAIN;
		got = wait_until(client, until_ns < next_ns ? until_ns : next_ns);
		if (got)
			return got;
	}
}

int rx_client_next(struct rx_client *client, struct rx_answer *ret)
{
	return rx_client_next_until(client, UINT64_MAX, ret);
}

int rx_client_ask_one(struct rx_client *client, const union rx_address *server,
		      const struct rx_query *query, struct rx_answer *ret)
{
	int got = rx_client_ask(client, server, query, 0) ?: rx_client_next(client, ret);

	return got == 1 ? 0 : got;
}
