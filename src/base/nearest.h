/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * nearest: which of the known names did a person mean? For error messages.
 */
#ifndef SONDE_BASE_NEAREST_H
#define SONDE_BASE_NEAREST_H

#include <stddef.h>

/* The best name so far: start with zeros, offer each known name once. */
struct nearest {
	const char *wanted; /* what was typed */
	const char *name; /* borrowed; NULL = nothing is near */
	size_t distance;
};

void nearest_init(struct nearest *near, const char *wanted);
/* Takes @name where it is nearer than what was offered before, and near enough to be meant: what
 * was typed begins it, or at most a third of its letters differ. */
void nearest_offer(struct nearest *near, const char *name);

#endif /* SONDE_BASE_NEAREST_H */
