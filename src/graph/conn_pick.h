/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * conn_pick: which connections are meant: "1055.5050", by the local and the remote port, as pmgraph says it;
 * "10.0.0.1:1055-10.0.0.2:5050" or "[fd00::1]:1055-[fd00::2]:5050", by both ends, ours first.
 */
#ifndef SONDE_GRAPH_CONN_PICK_H
#define SONDE_GRAPH_CONN_PICK_H

#include <stdbool.h>
#include <stdint.h>

struct conn_id;
struct diag;

struct conn_pick {
	bool by_address;
	uint8_t saddr[16], daddr[16]; /* only then; IPv4 as IPv6 has it */
	uint16_t lport, rport;
};

/* -EINVAL, with the diag: it is neither. */
int conn_pick_parse(const char *text, struct conn_pick *ret, struct diag *diag);
bool conn_pick_matches(const struct conn_pick *pick, const struct conn_id *id);

#endif /* SONDE_GRAPH_CONN_PICK_H */
