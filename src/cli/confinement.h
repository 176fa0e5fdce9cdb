/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * confinement: what verbs give up before they take in foreign bytes (base/confine): those that read a
 * SOURCE, those that serve, and the threads of a recorder that talk with others.
 */
#ifndef SONDE_CLI_CONFINEMENT_H
#define SONDE_CLI_CONFINEMENT_H

#include <stdbool.h>
#include <stdint.h>

#define CONFINEMENT_BELOW 3

struct verb_spec;

struct confinement {
	char *const *sources; /* traces that are read */
	int source_count;
	bool network; /* it talks with others */
	const char *makes; /* a file or a directory; NULL = none */
	const char *below[CONFINEMENT_BELOW]; /* directories in which it writes; NULL = none */
	uint64_t capabilities; /* that it needs all the same */
};

/* Of the whole process, before it has threads. 0, or an enum exit_status: the reason is on stderr. */
int confinement_enter(const struct verb_spec *spec, const struct confinement *confinement);

/* Of a classic tool's own thread, once its recorder runs in another (record/feed): it reads what that one
 * records, and makes @makes. As above. */
int confinement_enter_beside_recorder(const struct verb_spec *spec, const char *makes);

/* Of a recorder's thread: sockets, and what is open. 0 or -errno. */
int confinement_enter_thread(void);

#endif /* SONDE_CLI_CONFINEMENT_H */
