/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * record_options: the options of `sonde record`, one by one: how each is called, and what its argument may
 * be. What they make together is the request (record_request).
 */
#ifndef SONDE_CLI_RECORD_OPTIONS_H
#define SONDE_CLI_RECORD_OPTIONS_H

#include "cli/verb.h"

struct diag;
struct record_request;

extern const struct option_spec record_options[];
extern const struct verb_spec record_spec;

/* Puts what option @id says into @req, which borrows @arg, and may write into that of -e; not for -p, and not
 * for other options. 0, or -EINVAL and the like with the diag. */
int record_option_take(struct record_request *req, int id, const char *arg, struct diag *diag);

#endif /* SONDE_CLI_RECORD_OPTIONS_H */
