// SPDX-License-Identifier: BSD-2-Clause
#include "view/cpu_set.h"

#include <stdlib.h>

#include "base/buffer.h"

void cpu_set_fini(struct cpu_set *set)
{
	free(set->high);
	*set = (struct cpu_set){0};
}

void cpu_set_add_high(struct cpu_set *set, uint32_t cpu)
{
	if (cpu >= CPU_SET_CPUS)
		return;
	if (!set->high)
		set->high = calloc(CPU_SET_CPUS / 64, sizeof(*set->high));
	if (set->high)
		set->high[cpu / 64] |= 1ull << cpu % 64;
}

bool cpu_set_has(const struct cpu_set *set, uint32_t cpu)
{
	if (cpu < 64)
		return set->low >> cpu & 1;
	return set->high && cpu < CPU_SET_CPUS && (set->high[cpu / 64] >> cpu % 64 & 1);
}

int32_t cpu_set_next(const struct cpu_set *set, int32_t cpu)
{
	int32_t end = set->high ? (int32_t)CPU_SET_CPUS : 64;

	while (++cpu < end)
		if (cpu_set_has(set, (uint32_t)cpu))
			return cpu;
	return -1;
}

void cpu_set_merge(struct cpu_set *set, const struct cpu_set *other)
{
	int32_t cpu = -1;

	while ((cpu = cpu_set_next(other, cpu)) >= 0)
		cpu_set_add(set, cpu);
}

void cpu_set_write(const struct cpu_set *set, struct buffer *out)
{
	const char *before = "";
	int32_t cpu = -1, last;

	while ((cpu = cpu_set_next(set, cpu)) >= 0) {
		for (last = cpu; cpu_set_has(set, (uint32_t)last + 1); last++)
			;
		buffer_string(out, before);
		buffer_int(out, cpu);
		if (last > cpu) {
			buffer_char(out, '-');
			buffer_int(out, last);
		}
		before = ",";
		cpu = last;
	}
}
