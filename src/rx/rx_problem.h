/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rx_problem: the problems in an endpoint's report, the worst first.
 */
#ifndef SONDE_RX_RX_PROBLEM_H
#define SONDE_RX_RX_PROBLEM_H

#include "wire/rx_event.h"
#include <sonde/rx.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What keeps a call from going on. What shows calls, counts them or records them asks here. */

/* Of call @i of the connection. A reader that waits for what a client still sends is not held. */
enum rx_wait rx_hold_find(const struct sonde_rx_conn *conn, size_t i);
/* "waits for a thread"; NULL of RX_WAIT_NOTHING. */
const char *rx_hold_text(enum rx_wait wait);

struct buffer;
struct rx_report;

/* From that share of its packets on a peer has trouble, if there were so many. */
#define RX_PROBLEM_RESENT_PERCENT 5u
#define RX_PROBLEM_RESENT_PACKETS 100u

enum rx_problem_kind {
	RX_PROBLEM_SILENT, /* no answer */
	RX_PROBLEM_WAITING, /* calls, for a thread */
	RX_PROBLEM_PACKETS, /* packet buffers have run out */
	RX_PROBLEM_BLOCKED, /* a call */
	RX_PROBLEM_HELD, /* a call, by a client that does not answer */
	RX_PROBLEM_MAKECALL, /* a connection all of whose calls are taken, and a caller waits for one */
	RX_PROBLEM_ERROR, /* of a connection */
	RX_PROBLEM_EXPIRED, /* its ticket */
	RX_PROBLEM_INCOMPLETE, /* a list */
	RX_PROBLEM_RESENT, /* to a peer; this and what follows: since the endpoint, or the peer's entry, began */
	RX_PROBLEM_BUSY, /* calls were rejected as busy */
};

/* @text is borrowed for the call: a sentence without its end, all of it printable. */
typedef void (*rx_problem_visitor)(void *ctx, enum rx_problem_kind kind, const char *text);

const char *rx_problem_name(enum rx_problem_kind kind); /* "waiting" */
/* Whether it is a total, which says nothing of now. */
bool rx_problem_is_total(enum rx_problem_kind kind);
/* @now_s: since 1970. @text: room for the sentences. */
void rx_problem_find(const struct rx_report *report, int64_t now_s, struct buffer *text,
		     rx_problem_visitor visit, void *ctx);

#endif /* SONDE_RX_RX_PROBLEM_H */
