/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * control: the server end of a recorder's or a relay's socket: takes one line from a client, has it answered
 * with one line, and closes. It belongs to the recorder's own loop, so nothing here waits, and what
 * clients can take is bounded: so many of them, so long a line, so long a time.
 */
#ifndef SONDE_RECORD_CONTROL_H
#define SONDE_RECORD_CONTROL_H

#include <stddef.h>
#include <stdint.h>

#include "record/control_dir.h"

struct buffer;
struct control;
struct diag;

#define CONTROL_CLIENTS_MAX 16
#define CONTROL_LINE_MAX 4096 /* bytes of a request, newline included */
#define CONTROL_PATIENCE_NS 5000000000u /* from connecting to the end of the line */

enum control_verdict {
	CONTROL_ANSWERED,
	CONTROL_STOP, /* the client waits until control_close */
};

/* Answers the request @line (no newline, NUL at its end, may be changed) with a line. */
typedef enum control_verdict (*control_handler)(void *ctx, char *line, struct buffer *answer);

/* Listens as @name in the directory @dir (control_dir.h), borrowed for the call. */
int control_open(int dir, enum control_kind kind, const char *name, control_handler handler,
		 void *ctx, struct control **ret, struct diag *diag);
/* Readable when there is something to pump. */
int control_fd(const struct control *control);
/* Goes on with every client that has sent something; 1 = one of them wants a stop. */
int control_pump(struct control *control);
/* Disconnects clients whose time is over at @now_ns (CLOCK_MONOTONIC). */
void control_tick(struct control *control, uint64_t now_ns);
/* No new clients from now on; the socket is gone. */
void control_unlink(struct control *control);
/* Those that wait for the stop get @answer (NULL = none). NULL is fine. */
void control_close(struct control *control, const struct buffer *answer);

/* An error as an answer: {"ok":false,"code":CODE,"error":TEXT}. */
void control_refuse(struct buffer *answer, const char *code, const char *text);

#endif /* SONDE_RECORD_CONTROL_H */
