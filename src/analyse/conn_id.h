/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * conn_id: which connection an event is about: its socket's cookie, both ends. Statistics and
 * reports count by it.
 */
#ifndef SONDE_ANALYSE_CONN_ID_H
#define SONDE_ANALYSE_CONN_ID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/emit.h"
#include "schema/event.h"

/* "[address]:port -> [address]:port" */
#define CONN_ID_TEXT_BYTES (2 * EMIT_ADDRESS_BYTES + 32u + EMIT_SLACK_BYTES)

/* Where one class has what; -1 = nowhere, and then addresses are not known. Looked up once. */
struct conn_id_fields {
	int cookie, saddr, daddr, lport, rport;
};

struct conn_id {
	uint8_t saddr[16]; /* ours */
	uint8_t daddr[16]; /* the peer's */
	uint16_t lport;
	uint16_t rport;
	uint64_t cookie; /* 0 = not known */
	bool no_addresses; /* not recorded: "1055.5050", as PSC's tools name a connection */
};

struct conn_id_text {
	char text[CONN_ID_TEXT_BYTES];
};

/* Whether events of @class are about a connection. */
bool conn_id_find(struct conn_id_fields *fields, const struct event_class *class);
/* The same, where ports are enough. */
bool conn_id_find_ports(struct conn_id_fields *fields, const struct event_class *class);
/* The cookie, or, without one, a hash of addresses and ports. */
uint64_t conn_id_key(const struct conn_id_fields *fields, const struct event *event);
/* A socket has no port before it is bound or connected, and none again once it is closed: the ends
 * stay those that were known best. Zeros are one of which nothing is known. */
void conn_id_learn(struct conn_id *id, const struct conn_id_fields *fields,
		   const struct event *event);
/* "10.0.0.1:5000 -> 10.0.0.2:80", without addresses "5000.80" */
struct conn_id_text conn_id_text(const struct conn_id *id);

#endif /* SONDE_ANALYSE_CONN_ID_H */
