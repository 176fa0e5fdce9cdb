/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * record_serve: `sonde record --serve`: a relay in a thread of the recorder's process. It serves from the files
 * that the recorder writes, which waits for nothing of it.
 */
#ifndef SONDE_CLI_RECORD_SERVE_H
#define SONDE_CLI_RECORD_SERVE_H

struct diag;
struct packet_sink;
struct record_request;
struct record_serve;

/* Listens, so that errors are known before anything is recorded; *@ret stays NULL where
 * it was not asked for. */
int record_serve_open(const struct record_request *req, struct record_serve **ret,
		      struct diag *diag);
/* Behind the directory, by which it gets all but how far that is complete. Borrowed. */
struct packet_sink *record_serve_sink(struct record_serve *serve);
/* The trace directory is there: it is published, and viewers are served. NULL @serve is fine. */
int record_serve_start(struct record_serve *serve, const struct record_request *req,
		       struct diag *diag);
/* The trace is finished: viewers read it to its end, then the session ends. Frees @serve, NULL is fine. */
void record_serve_close(struct record_serve *serve);

#endif /* SONDE_CLI_RECORD_SERVE_H */
