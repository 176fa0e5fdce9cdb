/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * gate: lets several threads write parts of one output, so that it comes out as if one had written it.
 *
 * Parts are numbered from 0. Whoever writes the part that is due writes straight through; the others
 * hold theirs back, and wait if they hold too much. Parts have to be begun in their order, or the one
 * that is due might have no owner.
 */
#ifndef SONDE_BASE_GATE_H
#define SONDE_BASE_GATE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"

struct gate {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	int fd;
	size_t due; /* the part that may be written */
	size_t hold_bytes; /* that each thread may hold back */
	bool closed; /* nothing goes out any more */
	int err; /* why */
};

/* What one thread has of it. */
struct gate_part {
	struct gate *gate;
	size_t number;
	struct buffer held;
};

/* Borrows @fd. */
void gate_init(struct gate *gate, int fd, size_t hold_bytes);
void gate_fini(struct gate *gate);
/* All waiting threads continue, and get @err, the first: -errno, or 0 for a normal end. */
void gate_close(struct gate *gate, int err);

/* 0, or -errno: the part ends here. -ECANCELED: the gate was closed without an error. */
int gate_put(struct gate_part *part, const void *bytes, size_t len);
/* The part is complete. Waits until it is due. Errors as gate_put. */
int gate_end(struct gate_part *part);

#endif /* SONDE_BASE_GATE_H */
