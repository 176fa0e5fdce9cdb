/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * reading: what the verbs that read a SOURCE share, from the command line to the exit status: opening it
 * (cli/reading_open), the loop from source to sink (cli/reading_pump, several by cli/slices), and
 * reporting errors of the input at the end (cli/reading_verdict).
 */
#ifndef SONDE_CLI_READING_H
#define SONDE_CLI_READING_H

#include "cli/reading_options.h"
#include "cli/reading_state.h"

/* The whole of such a verb: parses, opens, passes all events to the sink, reports errors;
 * an enum exit_status. */
int reading_main(const struct reading_verb *verb, void *settings, int argc, char **argv);

#endif /* SONDE_CLI_READING_H */
