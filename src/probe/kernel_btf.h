/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kernel_btf: what the running kernel says of itself: which tracepoints and functions it has.
 */
#ifndef SONDE_PROBE_KERNEL_BTF_H
#define SONDE_PROBE_KERNEL_BTF_H

#include <stdbool.h>
#include <stddef.h>

struct btf;

/* The running kernel's BTF (world-readable), or NULL where it has none. The caller frees it. */
struct btf *kernel_btf_load(void);

/* 0 where @section ("tp_btf/NAME", "fentry/NAME", "iter/NAME") can attach as far as BTF shows, else -ENOENT
 * and a sentence why. */
int kernel_btf_check(const struct btf *btf, const char *section, char *reason, size_t room);

/* Whether the kernel has a function of that name, by BTF. */
bool kernel_btf_has_function(const struct btf *btf, const char *name);

/* Arguments that the tracepoint passes, or -1 if it does not exist. */
int kernel_btf_tracepoint_args(const struct btf *btf, const char *name);

/* Since 6.7: what a program on a perf event misses, because another one runs on that CPU. */
bool kernel_counts_tracepoint_misses(void);

/* Whether programs of that section are at a function of the kernel, not at a tracepoint. */
bool kernel_btf_is_function(const char *section);

#endif /* SONDE_PROBE_KERNEL_BTF_H */
