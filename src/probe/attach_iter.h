/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * attach_iter: the kind of hook that fires on request: an iterator (section "iter/NAME"),
 * which shows its program every object of some kind, one after the other.
 */
#ifndef SONDE_PROBE_ATTACH_ITER_H
#define SONDE_PROBE_ATTACH_ITER_H

#include <stdint.h>

struct bpf_program;
struct loader_config;
struct warden;

/* As struct attach_kind has them. */
int attach_iter_open(struct bpf_program *prog, const char *target,
		     const struct loader_config *config, void **ret);
void attach_iter_close(void *link);
/* Once through all objects: of those of network namespaces, through those of @netns, 0 for the calling
 * thread's. */
int attach_iter_run(void *link, struct warden *warden, uint32_t netns);

#endif /* SONDE_PROBE_ATTACH_ITER_H */
