/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * record_options: the options of `sonde record`, on its command line and in presets: how each is called, what its
 * argument may be, and the request that they make together (record_request).
 */
#ifndef SONDE_CLI_RECORD_OPTIONS_H
#define SONDE_CLI_RECORD_OPTIONS_H

#include "cli/verb.h"

struct diag;
struct preset;
struct record_request;

#define RECORD_SETTING_MAX 64

extern const struct option_spec record_options[];
extern const struct verb_spec record_spec;

/* -1 = go on; else the exit status. @opts must outlive @req. */
int record_options_parse(struct options *opts, struct record_request *req);
/* The options that a preset may set, NULL behind the last. */
void record_options_settings(const char *settings[RECORD_SETTING_MAX]);
/* What @preset says, added to @req, both for the patterns and for the settings. */
int record_options_add_preset(struct record_request *req, const struct preset *preset,
			      struct diag *diag);

#endif /* SONDE_CLI_RECORD_OPTIONS_H */
