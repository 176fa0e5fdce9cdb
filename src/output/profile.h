/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * profile: stacks as other programs read them: folded lines (flamegraph.pl, speedscope) and pprof's
 * profile.proto, compressed by gzip as its tools write it.
 */
#ifndef SONDE_OUTPUT_PROFILE_H
#define SONDE_OUTPUT_PROFILE_H

struct buffer;
struct diag;
struct event_sink;
struct stack_weights;
struct stack_weights_request;
struct view;

enum profile_form {
	PROFILE_FOLDED, /* "task;main;read_[k] 12": frames from the outermost, of the kernel with _[k] */
	PROFILE_PPROF,
};

/* Stacks that have been summed up, of one side. 0 or -ENOMEM. */
int profile_write(const struct stack_weights *weights, enum profile_form form, struct buffer *out);
/* A sink that collects and writes them. -ENOENT with the diag: no event has a stack; -ENOMEM. Borrows @view. */
int profile_sink_new(const struct view *view, enum profile_form form,
		     const struct stack_weights_request *request, struct event_sink **ret,
		     struct diag *diag);

#endif /* SONDE_OUTPUT_PROFILE_H */
