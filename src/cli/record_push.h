/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * record_push: what `sonde record --push` adds to a recording: a relay that gets it as well, or instead
 * of a directory.
 */
#ifndef SONDE_CLI_RECORD_PUSH_H
#define SONDE_CLI_RECORD_PUSH_H

#include <stdbool.h>

struct diag;
struct packet_sink;
struct record_push;
struct record_request;

/* *@ret stays NULL if the user has not asked for it. Borrows @req. 0, or -errno with the diag. */
int record_push_open(const struct record_request *req, struct record_push **ret, struct diag *diag);
/* Borrowed. */
struct packet_sink *record_push_sink(struct record_push *rp);
/* Waits until the relay has it all, or does not take any more; whether something was lost. NULL is fine. */
bool record_push_finish(struct record_push *rp);
/* NULL is fine. */
void record_push_close(struct record_push *rp);

#endif /* SONDE_CLI_RECORD_PUSH_H */
