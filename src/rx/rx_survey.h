/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rx_survey: asks many Rx endpoints for their data, all at once, and each so slowly that its
 * clients do not suffer.
 *
 * What it does to one of them: reading a list, every question holds up the endpoint's real work for up to 14 ms, so
 * that many at once make its clients wait. So the default is one at a time; options allow more
 * (`window`), or as many as its own answer times say it can bear (`adaptive`), and not more than `rate` a second.
 */
#ifndef SONDE_RX_RX_SURVEY_H
#define SONDE_RX_RX_SURVEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "rx/rx_client.h"
#include <sonde/rx.h>

/*
 * The connections or peers of one endpoint, which are read one by one, by index.
 *
 * Nothing holds such a list still while it is read: a new record in front moves the others, so
 * that one is read twice, or missed. A record that is read twice is kept once, by its identity;
 * another pass finds the missed ones.
 */

struct rx_list {
	int32_t what; /* RX_DEBUG_CONN, RX_DEBUG_ALL_CONN or RX_DEBUG_PEER */
	uint32_t limit; /* records at most */
	unsigned int passes; /* still to come, this one among them */
	void *records; /* struct sonde_rx_conn or sonde_rx_peer */
	size_t count;
	size_t room;
	uint64_t twice; /* records that were met again in one pass */
	int32_t next; /* index to be asked for */
	int32_t end; /* the first beyond the end; INT32_MAX: not met yet */
	unsigned int asked; /* and not answered */
	int err; /* why it is not complete; -E2BIG: it is longer than the limit */
	struct map seen;
};

/* @passes: 1 and more. */
void rx_list_init(struct rx_list *list, int32_t what, uint32_t limit, unsigned int passes);
void rx_list_fini(struct rx_list *list);

/* The index to ask for; -1: none, or none until an answer has come. */
int32_t rx_list_ask(struct rx_list *list);
/* What came of it: @err of the asking, or the payload. */
void rx_list_take(struct rx_list *list, int32_t index, int err, const void *payload, size_t len);
/* Nothing is to be asked or awaited. */
bool rx_list_is_done(const struct rx_list *list);

const struct sonde_rx_conn *rx_list_conns(const struct rx_list *list);
const struct sonde_rx_peer *rx_list_peers(const struct rx_list *list);

struct diag;

#define RX_SURVEY_LIST_MAX 20000u /* default */
#define RX_SURVEY_WINDOW_MAX 128u /* for one endpoint: its socket's buffer has room for 150 */

enum rx_survey_stage {
	RX_SURVEY_FIGURES, /* basic figures and counters are there, or err */
	RX_SURVEY_DONE, /* the lists, too; the callback may take the report's contents and leave it 0 but for `server` */
};

/* What is asked, and how. */
struct rx_survey_config {
	struct rx_client_config client;
	bool version;
	bool basic; /* without it, only the version is asked for */
	bool stats;
	bool conns;
	bool all_conns; /* not only those that something is under way on */
	bool peers;
	unsigned int passes; /* over lists; 0 = 1 */
	unsigned int window; /* questions for records of one endpoint on their way; 0 = 1 */
	bool adaptive;
	double rate; /* questions for records, a second and endpoint; 0 = any */
	uint32_t list_max; /* longer ones are not read; 0 = RX_SURVEY_LIST_MAX */
	/* Called now and then while it runs: anything but 0 ends it. @read of @expected records are there, and
	 * @silent endpoints have not answered yet. NULL: not called. */
	int (*progress)(void *ctx, uint64_t read, uint64_t expected, size_t silent);
	/* How far report @i has come; may be NULL. Anything but 0 ends the survey. */
	int (*reached)(void *ctx, size_t i, enum rx_survey_stage stage);
	void *ctx;
	/* Each endpoint is asked again @period_ns after it was asked last, or when it has been read, @rounds times;
	 * 0 = without end. One that is slow holds up no other. 0 = all are asked once. */
	uint64_t period_ns;
	uint64_t rounds;
};

/* The report of one endpoint. */
struct rx_report {
	union rx_address server; /* the caller's */
	int err; /* the first question was not answered: see rx_answer.err */
	uint64_t took_ns; /* the answer to it */
	bool has_version;
	bool has_basic;
	bool has_stats;
	char version[RX_VERSION_BYTES]; /* NUL at the end; anybody's text */
	struct sonde_rx_basic basic;
	size_t stats_bytes; /* that came of them */
	struct sonde_rx_stats stats;
	struct rx_list conns; /* only if asked for */
	struct rx_list peers;
};

/* Fills @count reports, which are 0 but for `server`. 0; what a callback said; -ENOMEM, or what receiving fails
 * with, and the diag. Data that was not read by then has that error in the reports. The caller clears them. */
int rx_survey(const struct rx_survey_config *config, struct rx_report *reports, size_t count,
	      struct diag *diag);
void rx_report_fini(struct rx_report *report);
/* Whether the endpoint reported that word of its counters: its version has it, and it came. */
bool rx_report_has_stat(const struct rx_report *report, size_t word);

#endif /* SONDE_RX_RX_SURVEY_H */
