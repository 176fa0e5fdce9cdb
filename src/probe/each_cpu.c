// SPDX-License-Identifier: BSD-2-Clause
#include "probe/each_cpu.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "probe/loader_config.h"

enum { RUN_BEGIN, RUN_END };

struct each_cpu {
	struct bpf_program *prog;
	uint32_t cpus; /* possible ones */
	bool open[]; /* of each CPU: its account */
};

/* In an interrupt of that CPU. -ENXIO: it is not on line. */
static int run_on(const struct each_cpu *each, uint32_t cpu, uint64_t what)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = &what, .ctx_size_in = sizeof(what),
		    .flags = BPF_F_TEST_RUN_ON_CPU, .cpu = cpu);

	return bpf_prog_test_run_opts(bpf_program__fd(each->prog), &opts);
}

int each_cpu_open(struct bpf_program *prog, const char *target, const struct loader_config *config,
		  void **ret)
{
	struct each_cpu *each = calloc(1, sizeof(*each) + config->cpus * sizeof(each->open[0]));

	(void)target;
	if (!each)
		return -ENOMEM;
	each->prog = prog;
	each->cpus = config->cpus;
	for (uint32_t cpu = 0; cpu < each->cpus; cpu++) {
		int err = run_on(each, cpu, RUN_BEGIN);

		each->open[cpu] = !err;
		if (err && err != -ENXIO) {
			free(each);
			return err;
		}
	}
	*ret = each;
	return 0;
}

void each_cpu_tick(void *state)
{
	struct each_cpu *each = state;

	for (uint32_t cpu = 0; cpu < each->cpus; cpu++) {
		if (!each->open[cpu])
			each->open[cpu] = !run_on(each, cpu, RUN_BEGIN);
	}
}

void each_cpu_close(void *state)
{
	struct each_cpu *each = state;

	for (uint32_t cpu = 0; cpu < each->cpus; cpu++) {
		if (each->open[cpu])
			(void)run_on(each, cpu, RUN_END);
	}
	free(each);
}
