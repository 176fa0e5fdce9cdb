/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cpu_set: a set of CPUs. The first 64 cost nothing; memory is taken once one is higher.
 */
#ifndef SONDE_ANALYSE_CPU_SET_H
#define SONDE_ANALYSE_CPU_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buffer;

#define CPU_SET_CPUS 8192u /* CONFIG_NR_CPUS has no more */

/* Zeros are an empty one. */
struct cpu_set {
	uint64_t low; /* CPUs 0 to 63 */
	uint64_t *high; /* the others; CPU_SET_CPUS of them, or NULL */
};

void cpu_set_fini(struct cpu_set *set);
/* Adds what "0,2-5" names. -EINVAL: it names none; -ERANGE: one of CPU_SET_CPUS or more; -ENOMEM. */
int cpu_set_parse(struct cpu_set *set, const char *text);
/* For cpu_set_add: 64 and up. Nothing happens beyond CPU_SET_CPUS or without memory. */
void cpu_set_add_high(struct cpu_set *set, uint32_t cpu);
bool cpu_set_has(const struct cpu_set *set, uint32_t cpu);
/* Each CPU that it has: start with @cpu = -1; -1 at the end. */
int32_t cpu_set_next(const struct cpu_set *set, int32_t cpu);
void cpu_set_merge(struct cpu_set *set, const struct cpu_set *other);
/* "0-3,8" */
void cpu_set_write(const struct cpu_set *set, struct buffer *out);

/* Nothing where @cpu is not known (-1). */
static inline void cpu_set_add(struct cpu_set *set, int32_t cpu)
{
	if (__builtin_expect((uint32_t)cpu < 64, 1))
		set->low |= 1ull << (uint32_t)cpu;
	else if (cpu >= 0)
		cpu_set_add_high(set, (uint32_t)cpu);
}

#endif /* SONDE_ANALYSE_CPU_SET_H */
