/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rx_place: one Rx server of those that rx_poll asks: its state so far, and the records that its answers
 * become (wire/rx_event.h). When it is asked is rx_poll's business.
 */
#ifndef SONDE_RECORD_RX_PLACE_H
#define SONDE_RECORD_RX_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rx/rx_client.h"
#include "rx/rx_survey.h"
#include "wire/measure.h"
#include "wire/rx_event.h"
#include <sonde/rx.h>

/*
 * Converts the replies of an Rx server to records (wire/rx_event.h). Values that
 * only the requester knows, heads, rounds and names, are left to it.
 */

/*
 * Counters of 32 bits that wrap, as an Rx server reports them, are continued in 64 bits,
 * from where they are when they are first seen. After a restart of the server, they start again.
 *
 * A counter that went back has started again: that it grew by more than 2^31 from one look to the
 * next, instead, would take 2 Gi packets or calls in between.
 */

struct rx_widened {
	uint64_t value;
	uint32_t raw; /* as last reported */
};

/* Whether one of @raw has less than before: all have started again. */
bool rx_widen_went_back(const struct rx_widened *counters, const uint32_t *raw, size_t count);
/* @anew: the counters restart with the reported values. */
void rx_widen(struct rx_widened *counters, const uint32_t *raw, size_t count, bool anew);

/* Counters of the basic statistics that are continued in 64 bits. */
enum rx_basic_counter {
	RX_BASIC_CALLS,
	RX_BASIC_WAITED,
	RX_BASIC_RECLAIMS,
	RX_BASIC_COUNTERS,
};

/* Fields of the counters that are words of the statistics: those between the first and rtt_total_us. */
#define RX_COUNTER_FIELDS                                            \
	((__builtin_offsetof(struct rx_counters, rtt_total_us) -     \
	  __builtin_offsetof(struct rx_counters, packet_requests)) / \
	 sizeof(uint64_t))

void rx_event_basic_raw(const struct sonde_rx_basic *basic, uint32_t raw[RX_BASIC_COUNTERS]);
void rx_event_stats(const struct sonde_rx_basic *basic, const struct rx_widened *counters,
		    struct rx_stats *ret);

/* Which word of the statistics field @i is. */
size_t rx_event_word(size_t i);
/* In the order of the fields: those that only grow; the others are 0. */
void rx_event_counters_raw(const struct sonde_rx_stats *stats, uint32_t raw[RX_COUNTER_FIELDS]);
void rx_event_counters(const struct sonde_rx_stats *stats, const struct rx_widened *counters,
		       struct rx_counters *ret);

void rx_event_conn(const struct sonde_rx_conn *conn, struct rx_conn *ret);
/* Whether there is a call in progress there, which is to have a record. */
bool rx_event_is_call(const struct sonde_rx_call *call);
void rx_event_call(const struct sonde_rx_conn *conn, size_t channel, struct rx_call *ret);
void rx_event_peer(const struct sonde_rx_peer *peer, struct rx_peer *ret);
/* IPv6, IPv4 mapped. @host: in host order. */
void rx_event_address(uint32_t host, uint8_t ret[16]);

struct notes;

/* Of a list; one that is longer is not read. */
#define RX_PLACE_LIST_MAX 20000u

#define RX_PLACE_WANTS(id) (1u << ((id)-RX_STATS))

/* Of one server, since the start. */
struct rx_place_account {
	uint64_t answered; /* rounds */
	uint64_t missed; /* rounds */
	uint64_t lists_cut; /* that were not read, or not to their end */
};

/* Where records go to, of all servers. */
struct rx_place_out {
	struct notes *notes;
	uint32_t tid;
	uint32_t wanted; /* RX_PLACE_WANTS of each measurement that is on */
	bool all_conns; /* not only those on which something is under way */
	uint64_t lost; /* all that was noted as lost */
	int err; /* the first of the notes */
};

/* What is on its way to it. */
enum rx_place_question {
	RX_PLACE_NOTHING,
	RX_PLACE_BASIC,
	RX_PLACE_STATS,
	RX_PLACE_RECORD, /* of its list */
};

struct rx_place {
	const char *name;
	union rx_address address;
	/* For the requester. */
	enum rx_place_question asked;
	uint64_t asked_ns;
	uint64_t due_ns; /* when the next round is */
	uint64_t list_due_ns; /* and the next question for a record */
	bool paused; /* nothing was wanted */
	bool wants_stats; /* the second question of the round */
	bool wants_list[2]; /* connections, peers: those of this round still to be read */
	struct rx_list list; /* that is being read; .what = 0: none */
	/* What it has reported. */
	uint64_t round;
	uint64_t answered_ns; /* when it last answered; before, when it was first asked */
	uint64_t missed; /* rounds since that */
	uint64_t list_begin_ns;
	uint64_t list_round;
	struct sonde_rx_basic basic;
	struct sonde_rx_stats stats; /* zeros: not reported */
	bool begun; /* the counters of either are known */
	bool stats_begun;
	uint32_t begun_anew;
	struct rx_widened basic_counters[RX_BASIC_COUNTERS];
	struct rx_widened counters[RX_COUNTER_FIELDS];
	struct rx_place_account account;
};

void rx_place_fini(struct rx_place *place);

/* After @periods one round begins: the others were too late, and are lost. */
void rx_place_begin(struct rx_place_out *out, struct rx_place *place, uint64_t periods);
/* Takes the result of the request in progress, or -ETIMEDOUT for one that was given up. */
void rx_place_take(struct rx_place_out *out, struct rx_place *place,
		   const struct rx_answer *answer);
/* There is a list to be read, and its next record to be asked for: its index, or -1. */
int32_t rx_place_next_record(struct rx_place_out *out, struct rx_place *place);

#endif /* SONDE_RECORD_RX_PLACE_H */
