// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/cpu_set.h"

#include <errno.h>
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

/* The number at *text, which moves past it. */
static int parse_cpu(const char **text, uint32_t *ret)
{
	uint32_t cpu = 0;

	if (**text < '0' || **text > '9')
		return -EINVAL;
	for (; **text >= '0' && **text <= '9'; ++*text) {
		cpu = cpu * 10 + (uint32_t)(**text - '0');
		if (cpu >= CPU_SET_CPUS)
			return -ERANGE;
	}
	*ret = cpu;
	return 0;
}

/* "3" or "2-5". */
static int parse_span(struct cpu_set *set, const char **text)
{
	uint32_t first, last;
	int err = parse_cpu(text, &first);

	if (err)
		return err;
	last = first;
	if (**text == '-') {
		++*text;
		err = parse_cpu(text, &last);
	}
	if (err || last < first)
		return err ?: -EINVAL;
	for (; first <= last; first++) {
		cpu_set_add(set, (int32_t)first);
		if (!cpu_set_has(set, first))
			return -ENOMEM;
	}
	return 0;
}

int cpu_set_parse(struct cpu_set *set, const char *text)
{
	for (;;) {
		int err = parse_span(set, &text);

		if (err)
			return err;
		if (!*text)
			return 0;
		if (*text++ != ',')
			return -EINVAL;
	}
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
