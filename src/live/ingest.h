/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ingest: takes the place of lttng-relayd for those who stream to one: session and consumer daemons of LTTng
 * 2.11 and later, and our own recorders. Listens for their control and data connections, in the event loop of
 * a relay, in whose list of sessions it shows those that are live. One that is silent, also within a
 * message, holds up nobody.
 */
#ifndef SONDE_LIVE_INGEST_H
#define SONDE_LIVE_INGEST_H

#include <stdbool.h>
#include <stdint.h>

struct diag;
struct event_base;
struct ingest;
struct session_list;

#define INGEST_CONNECTIONS 1024u

struct ingest_config {
	const char *output; /* directory, which is there */
	struct session_list *list; /* NULL = live sessions are shown nowhere */
	void (*log)(void *ctx, const char *text); /* a sentence for whoever runs it; may be NULL */
	void *ctx;
};

int ingest_new(struct event_base *base, const struct ingest_config *config, struct ingest **ret,
	       struct diag *diag);
/* One more address for connections of control, or of data: as relay_listen. *@port: what it became. */
int ingest_listen_control(struct ingest *ingest, const char *address, bool insecure, uint16_t *port,
			  struct diag *diag);
int ingest_listen_data(struct ingest *ingest, const char *address, bool insecure, uint16_t *port,
		       struct diag *diag);
/* What is stored ends with what has come. NULL is fine. */
void ingest_free(struct ingest *ingest);

#endif /* SONDE_LIVE_INGEST_H */
