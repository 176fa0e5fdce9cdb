/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rx_client: asks Rx endpoints, many at once, from one socket: sends, waits, sends again with longer and
 * longer waits, and hands out each answer, or that none came.
 *
 * A packet is an answer only if it comes from the port (and by default the address) that was
 * asked, has the number of the question, which cannot be guessed, the type of the question, and length
 * enough. Other packets are counted and dropped.
 */
#ifndef SONDE_RX_RX_CLIENT_H
#define SONDE_RX_RX_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rx/rx_message.h"
#include <netinet/in.h>

/*
 * Where an Rx endpoint is. OpenAFS speaks IPv4 alone; other programs that answer Rx, as the kernel's
 * client, know IPv6.
 */

struct buffer;

union rx_address {
	struct sockaddr any; /* its family says which of the others it is */
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
};

uint16_t rx_address_port(const union rx_address *address);
void rx_address_set_port(union rx_address *address, uint16_t port);
/* In the form that all have in common: IPv4's mapped into IPv6, ::ffff:192.0.2.1. */
struct sockaddr_in6 rx_address_mapped(const union rx_address *address);
/* Whether they are the same host, in whatever form. */
bool rx_address_is_same_host(const union rx_address *one, const union rx_address *other);
void rx_address_host(const union rx_address *address, struct buffer *out); /* "192.0.2.1" */

struct diag;
struct rx_client;

#define RX_CLIENT_WAIT_NS 1000000000ull
#define RX_CLIENT_TRIES 5u
#define RX_CLIENT_TRIES_MAX 30u
#define RX_CLIENT_WINDOW 128u /* answers that a socket's usual buffer has room for */

struct rx_client_config {
	uint64_t wait_ns; /* for the first answer; each further one is waited for twice as long; 0 = the usual */
	unsigned int tries; /* requests that are sent for one question; 0 = the usual */
	unsigned int window; /* questions on their way at once; 0 = the usual */
	bool ipv6; /* endpoints may be asked over IPv6, too */
	bool any_address; /* a host with several may answer from another one than was asked */
};

/* One question, answered or not. */
struct rx_answer {
	uint64_t tag; /* as given with the question */
	/* 0; -ETIMEDOUT: none of the tries was answered; -ENOTSUP: the endpoint does not know the question, or
	 * refuses it (an abort); or what sending says, as -ENETUNREACH, or
	 * -EAFNOSUPPORT without `ipv6`. */
	int err;
	const uint8_t *payload; /* behind the header; borrowed until the next call */
	size_t len;
	uint64_t took_ns; /* since the request that was sent last */
	unsigned int tries;
};

struct rx_client_counts {
	uint64_t sent;
	uint64_t resent; /* of these, again */
	uint64_t strangers; /* that came from an address that was not asked */
	uint64_t malformed; /* too short, of another type, or requests themselves */
	uint64_t late; /* answers to what is answered already, or was given up */
};

/* -errno with the diag: the socket cannot be opened. */
int rx_client_open(const struct rx_client_config *config, struct rx_client **ret,
		   struct diag *diag);
/* NULL is fine. */
void rx_client_close(struct rx_client *client);

/* Asks, as soon as the window permits. @tag is given back with the answer. -ENOMEM. */
int rx_client_ask(struct rx_client *client, const union rx_address *server,
		  const struct rx_query *query, uint64_t tag);
/* Waits for the next answer: 1; 0 = nothing has been asked that is not answered; -EINTR, -errno. */
int rx_client_next(struct rx_client *client, struct rx_answer *ret);
/* The same until @until_ns of the monotonic clock, also where nothing has been asked, unless it is UINT64_MAX:
 * -EAGAIN. */
int rx_client_next_until(struct rx_client *client, uint64_t until_ns, struct rx_answer *ret);
/* The same for one question, if no other is in progress. 0, or -EINTR, -errno; rx_answer.err has the result. */
int rx_client_ask_one(struct rx_client *client, const union rx_address *server,
		      const struct rx_query *query, struct rx_answer *ret);

/* For callers that wait for other things as well: readable when something has come. */
int rx_client_fd(const struct rx_client *client);
/* And when to go on without that: when something is to be sent again, or given up. UINT64_MAX = never. */
uint64_t rx_client_due_ns(const struct rx_client *client);

const struct rx_client_counts *rx_client_counts(const struct rx_client *client);

#endif /* SONDE_RX_RX_CLIENT_H */
