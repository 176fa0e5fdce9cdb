/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * serve_control: the socket by which `sonde status` and `sonde stop` find a running `sonde serve`
 * (sonde-control(7)). It belongs to the relay's event loop.
 */
#ifndef SONDE_CLI_SERVE_CONTROL_H
#define SONDE_CLI_SERVE_CONTROL_H

struct ingest;
struct relay;
struct serve_control;
struct verb_spec;

#define SERVE_CONTROL_NAME "relay" /* unless it has another */

struct serve_control_config {
	const struct verb_spec *spec;
	const char *name; /* NULL = SERVE_CONTROL_NAME */
	struct relay *relay;
	const struct ingest *ingest; /* NULL = it takes nothing in */
	const char *output; /* where it stores; may be NULL */
};

/* NULL: it cannot be controlled, and it was said why; the relay does all else. Borrows what is in @config, to
 * the end. */
struct serve_control *serve_control_open(const struct serve_control_config *config);
/* While relay and ingest are still there: prepares the reply for clients that wait for the end.
 * NULL is fine, and so it is for the next. */
void serve_control_end(struct serve_control *control);
/* Tells them. */
void serve_control_close(struct serve_control *control);

#endif /* SONDE_CLI_SERVE_CONTROL_H */
