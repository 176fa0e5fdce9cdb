/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * asking: what the verbs that talk to a running recorder, or relay, share: which one is meant, the
 * question, and what becomes of a refusal.
 */
#ifndef SONDE_CLI_ASKING_H
#define SONDE_CLI_ASKING_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "cli/verb.h"
#include "record/control_client.h"

#define ASKING_PATIENCE_MS 10000

/* For the option tables of these verbs. */
#define ASKING_RECORDER_OPTION                                                                     \
	{                                                                                          \
		'r', "recorder", "NAME|PID",                                                       \
			"which recorder, by name or process; not needed where only one runs", NULL \
	}

struct asking {
	const struct verb_spec *spec;
	unsigned int kinds;
	const char *who; /* name or pid; NULL = whatever runs */
	int dir;
	struct recorder list[RECORDERS_MAX]; /* those that are meant */
	int count;
	struct buffer answer; /* the last one, a text */
};

/* Opens the recorders of @kinds (recorder_list) that match @who. -1 = at least one is open; else the
 * exit status, and the message was printed. */
int asking_open(struct asking *ask, const struct verb_spec *spec, unsigned int kinds,
		const char *who);
void asking_close(struct asking *ask);
/* -1 = exactly one is meant; else as above. */
int asking_one(const struct asking *ask);

/* Asks list[@i]. -1 = it agrees, and the answer is there; else as above. */
int asking_ask(struct asking *ask, int i, const char *request, int timeout_ms);
/* As answer_text, made fit for a terminal. */
bool asking_text(const struct asking *ask, const char *key, size_t i, char *text, size_t room);

/* For verbs with -r and nothing else: parses, finds the one recorder, and acts. @named: kinds of which one is
 * meant where -r names it; without, only recorders are. @operands: whether there must be some, else there
 * may be none. */
int asking_run(const struct verb_spec *spec, int argc, char **argv, unsigned int named,
	       bool operands, int (*act)(struct asking *ask, char **rest));

#endif /* SONDE_CLI_ASKING_H */
