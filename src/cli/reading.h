/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * reading: what the verbs that read a SOURCE share, from the command line (cli/reading_options) to the exit
 * status: the session that reads (source/read_session) gets a sink, and gives it its events.
 */
#ifndef SONDE_CLI_READING_H
#define SONDE_CLI_READING_H

#include "cli/reading_options.h"

/* The whole of such a verb: parses, opens, passes all events to the sink, reports errors;
 * an enum exit_status. */
int reading_main(const struct reading_verb *verb, void *settings, int argc, char **argv);

#endif /* SONDE_CLI_READING_H */
