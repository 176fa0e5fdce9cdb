/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * record_request: what the command line of `sonde record` asks for.
 */
#ifndef SONDE_CLI_RECORD_REQUEST_H
#define SONDE_CLI_RECORD_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/permissions.h"
#include "cli/rights_options.h"
#include "cli/rx_target.h"
#include "cli/verb.h"
#include "live/proto/live_url.h"
#include "record/control_dir.h"
#include "record/filter.h"
#include "record/rx_poll.h"
#include "record/trigger.h"
#include <stddef.h>

/* What the command line of `sonde record` says of Rx servers to be asked (--rx and its like). */

struct catalogue;
struct diag;

struct record_rx {
	struct rx_targets targets;
	struct rx_poll_server *servers; /* the same for the recorder */
	struct rx_poll_config config;
};

void record_rx_init(struct record_rx *rx);
void record_rx_fini(struct record_rx *rx);

int record_rx_add(struct record_rx *rx, const char *arg, struct diag *diag);
int record_rx_parse_period(struct record_rx *rx, const char *arg, struct diag *diag);
int record_rx_parse_rate(struct record_rx *rx, const char *arg, struct diag *diag);

/* Whether @pattern can mean nothing but measurements of rx. */
bool record_rx_is_named(const char *pattern);
/* -EINVAL: servers are named, and nothing is @wanted of them. */
int record_rx_check(const struct record_rx *rx, const struct catalogue *cat, const bool *wanted,
		    struct diag *diag);
/* NULL where no server is named. Borrowed from @rx. */
const struct rx_poll_config *record_rx_config(const struct record_rx *rx);

#define RECORD_PATTERN_MAX 128
#define RECORD_PRESET_MAX 16
#define RECORD_STACK_MAX 32

struct preset;
struct preset_line;

/* One of -e, or a line of a preset. */
struct record_pattern {
	const char *text;
	const struct preset *preset; /* NULL: -e */
	const struct preset_line *line;
};

/* One of --stack. */
struct record_stack {
	char pattern[160];
	unsigned int sides; /* wire/stack.h */
};

struct record_request {
	struct record_pattern patterns[RECORD_PATTERN_MAX];
	int pattern_count;
	bool by_default; /* no pattern was named */
	struct preset *presets[RECORD_PRESET_MAX]; /* owned; what -p named */
	int preset_count;
	char path[4096]; /* empty: none, it is only pushed */
	const char *push; /* NULL = nowhere */
	struct push_url push_url;
	uint64_t push_bytes;
	uint64_t push_patience_ns;
	char name[RECORDER_NAME_BYTES]; /* for `sonde status` and the like */
	uint64_t duration_ns;
	uint64_t period_ns; /* of tcp.poll */
	struct record_rx rx; /* servers to be asked */
	uint64_t flush_ns; /* the longest that an event waits in memory */
	bool serve; /* to live viewers */
	const char *serve_at; /* address; NULL = the default */
	struct rights_request rights; /* its files are shown to the relay of --push, too */
	uint64_t buffer_bytes;
	double budget; /* of the machine, 1.0 is all CPUs; 0 = no limit */
	bool overwrite;
	bool compress;
	int level;
	bool detail;
	bool no_text; /* of arguments of system calls */
	uint32_t sample_hz;
	struct record_stack stacks[RECORD_STACK_MAX];
	int stack_count;
	uint32_t stack_frames; /* of each side */
	struct permissions permissions;
	bool dry_run;
	bool quiet;
	bool end_command; /* where an error ends the recording */
	bool everybody; /* not only the command */
	struct filter filter;
	struct {
		enum trigger_action action;
		const char *text;
	} triggers[TRIGGERS_MAX];
	size_t trigger_count;
	uint64_t gap_ns; /* between their snapshots */
	char **command; /* NULL = none */
};

/* It asks for nothing yet. */
void record_request_init(struct record_request *req);
/* All was taken: checks that it fits together, and fills in what was not asked for. 0, or -EINVAL with the diag. */
int record_request_settle(struct record_request *req, struct diag *diag);
void record_request_fini(struct record_request *req);

/* One more, as of -e or of a preset's line. -E2BIG. */
int record_request_add_pattern(struct record_request *req, struct record_pattern pattern,
			       struct diag *diag);
/* Marks what the patterns want, by class.index of @cat; -ENOENT for one that matches nothing. */
int record_request_choose(const struct record_request *req, struct catalogue *cat, bool *wanted,
			  struct diag *diag);

/* Gives stacks to what --stack names, of what is @wanted. -EINVAL, -ENOENT: to nothing. */
int record_request_choose_stacks(const struct record_request *req, struct catalogue *cat,
				 const bool *wanted, struct diag *diag);

#endif /* SONDE_CLI_RECORD_REQUEST_H */
