// SPDX-License-Identifier: BSD-2-Clause
#include "probe/loader.h"
#include "probe/loader_state.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <stdlib.h>
#include <string.h>

#include "probe/tracepoint.h"
#include "wire/record.h"
#include "wire/stack.h"

static int program_fd(const struct program *p)
{
	return p->clone_fd < 0 ? bpf_program__fd(p->bpf) : p->clone_fd;
}

static const struct {
	const char *program;
	enum stand_in which;
} stood_in_for[] = {
	{"tcp_segment", STAND_IN_SEGMENT},
	{"irq_timer_high", STAND_IN_TIMER},
	{"irq_timer_exit_high", STAND_IN_TIMER_EXIT},
	{"net_drop", STAND_IN_DROP},
	{"net_sock_recv", STAND_IN_READY},
};

/* What the stand-in of @p, if it has one, has taken on all CPUs. */
static uint64_t taken_for(const struct loader *l, const struct program *p)
{
	int fd = loader_map(l, "ring_control");
	struct ring_cpu ring;
	uint64_t taken = 0;

	for (size_t i = 0; i < sizeof(stood_in_for) / sizeof(stood_in_for[0]); i++) {
		if (strcmp(stood_in_for[i].program, p->hook->program))
			continue;
		for (uint32_t cpu = 0; cpu < l->config.cpus; cpu++) {
			if (!bpf_map_lookup_elem(fd, &cpu, &ring))
				taken += ring.taken[stood_in_for[i].which];
		}
	}
	return taken;
}

static int read_info(const struct program *p, struct bpf_prog_info *info)
{
	uint32_t len = sizeof(*info);

	*info = (struct bpf_prog_info){0};
	return bpf_obj_get_info_by_fd(program_fd(p), info, &len);
}

/* What the one that watches has seen. */
static uint64_t watched_misses(const struct loader *l, const struct program *p)
{
	uint32_t number = p->hook->tracepoint->plan.id - TRACEPOINT_FIRST_ID;
	uint64_t missed = 0;

	(void)bpf_map_lookup_elem(loader_map(l, "tp_missed"), &number, &missed);
	return missed;
}

/* A stand-in that is busy misses nothing: the program whose place it takes is not busy then. */
static uint64_t program_misses(const struct loader *l, const struct program *p)
{
	struct bpf_prog_info info;
	uint64_t taken;

	if (!program_is_loaded(p) || p->hook->stands_in || read_info(p, &info))
		return 0;
	if (p->watch_fd >= 0)
		return watched_misses(l, p);
	taken = info.recursion_misses ? taken_for(l, p) : 0;
	return info.recursion_misses > taken ? info.recursion_misses - taken : 0;
}

bool loader_is_uncounted(const struct loader *l)
{
	return l->uncounted;
}

bool loader_program(const struct loader *l, size_t i, const char **name, const char **section,
		    uint64_t *misses)
{
	const struct program *p;

	if (i >= l->program_count)
		return false;
	p = &l->programs[i];
	*name = p->name;
	*section = p->hook->section;
	*misses = program_misses(l, p);
	return true;
}

bool loader_program_runs(const struct loader *l, size_t i, uint64_t *runs, uint64_t *ns)
{
	const struct program *p = &l->programs[i];
	struct bpf_prog_info info;

	if (!p->attachment || read_info(p, &info))
		return false;
	*runs = info.run_cnt;
	*ns = info.run_time_ns;
	return true;
}

bool loader_program_makes(const struct loader *l, size_t i, const struct measurement *m)
{
	return loader_is_on(l, m) && program_makes(&l->programs[i], m);
}

/* Of element @which of an array of each CPU, all CPUs together; 0 where no object has the map. */
static uint64_t sum_of_cpus(const struct loader *l, const char *map, uint32_t which)
{
	uint64_t *counts = calloc(l->config.cpus, sizeof(*counts)), sum = 0;
	int fd = loader_map(l, map);

	if (counts && fd >= 0 && !bpf_map_lookup_elem(fd, &which, counts)) {
		for (uint32_t cpu = 0; cpu < l->config.cpus; cpu++)
			sum += counts[cpu];
	}
	free(counts);
	return sum;
}

uint64_t loader_stacks_failed(const struct loader *l)
{
	return sum_of_cpus(l, "stack_counts", STACK_COUNT_FAILED);
}

uint64_t loader_owners_forgotten(const struct loader *l, enum owner_forgotten what)
{
	return sum_of_cpus(l, "owner_forgotten", what);
}
