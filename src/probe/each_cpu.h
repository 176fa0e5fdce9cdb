/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * each_cpu: the kind of hook of a program that opens and closes an account on each CPU (section
 * "each_cpu/NAME"): it runs there once when it is attached, and once when it is detached. Its argument
 * says which: 0, then 1. Programs are detached in the reverse order.
 */
#ifndef SONDE_PROBE_EACH_CPU_H
#define SONDE_PROBE_EACH_CPU_H

struct bpf_program;
struct loader_config;

/* As struct attach_kind has them. */
int each_cpu_open(struct bpf_program *prog, const char *target, const struct loader_config *config,
		  void **ret);
/* Opens the accounts of CPUs that came on line. */
void each_cpu_tick(void *state);
void each_cpu_close(void *state);

#endif /* SONDE_PROBE_EACH_CPU_H */
