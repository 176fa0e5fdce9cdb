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

#include "record/rx_event_fill.h"
#include "rx/rx_client.h"
#include "rx/rx_list.h"
#include "wire/measure.h"

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
