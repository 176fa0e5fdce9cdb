/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * constants: what an object is told before it is loaded: sizes, the filter, what this kernel has.
 * They are constants to the verifier, so what is off is no code. The loader calls it.
 */
#ifndef SONDE_PROBE_CONSTANTS_H
#define SONDE_PROBE_CONSTANTS_H

struct bpf_object;
struct catalogue;
struct loader_config;

/* Each object has only some of them; the others are left out. */
void constants_set(struct bpf_object *obj, const struct loader_config *config,
		   const struct catalogue *cat);

#endif /* SONDE_PROBE_CONSTANTS_H */
