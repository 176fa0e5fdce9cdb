// SPDX-License-Identifier: BSD-2-Clause
#include "probe/sampler.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/capability.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/confine.h"
#include "base/diag.h"
#include "probe/loader_config.h"

/* One CPU's clock. */
struct sampled_cpu {
	struct bpf_link *link; /* NULL: it is not on line */
	int fd; /* of the event, the link's */
	uint64_t enabled_ns; /* how long the event had been on when last looked at */
};

struct sampler {
	struct bpf_program *prog;
	uint32_t hz;
	uint32_t cpus; /* possible ones */
	struct sampled_cpu cpu[];
};

/* A number of the kernel's, or @most where it is larger or cannot be read. */
static uint32_t read_limit(const char *path, uint32_t most)
{
	FILE *file = fopen(path, "re");
	unsigned int value = most;

	if (file) {
		if (fscanf(file, "%u", &value) != 1 || value > most)
			value = most;
		fclose(file);
	}
	return value;
}

uint32_t sampler_hz_max(void)
{
	return read_limit("/proc/sys/kernel/perf_event_max_sample_rate", SAMPLER_HZ_MAX);
}

uint32_t sampler_hz_default(void)
{
	uint32_t most = sampler_hz_max();

	return most && most < SAMPLER_HZ_DEFAULT ? most : SAMPLER_HZ_DEFAULT;
}

int sampler_hz_parse(const char *text, uint32_t *ret, struct diag *diag)
{
	uint32_t most = sampler_hz_max();
	char *end;
	unsigned long hz = strtoul(text, &end, 10);

	if (*text < '0' || *text > '9' || *end || !hz)
		return diag_set(diag, -EINVAL, "--rate: '%s' is not a number of samples a second",
				text);
	if (hz > most)
		return diag_set(
			diag, -EINVAL,
			"--rate: %s samples a second are more than the kernel takes: %u; see "
			"kernel.perf_event_max_sample_rate",
			text, most);
	*ret = (uint32_t)hz;
	return 0;
}

uint32_t sampler_frames_max(void)
{
	uint32_t frames = read_limit("/proc/sys/kernel/perf_event_max_stack", SAMPLER_FRAMES_MAX);

	return frames ?: 1;
}

static int event_open(uint32_t cpu, uint32_t hz)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = NS_PER_SEC / hz,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED,
		.disabled = 1, /* until it has its program */
	};
	long fd = syscall(SYS_perf_event_open, &attr, -1, (int)cpu, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : (int)fd;
}

/* Of the first CPU that is on line. */
static int try_event(void)
{
	uint32_t cpus = (uint32_t)sysconf(_SC_NPROCESSORS_CONF);
	int fd = -ENODEV;

	for (uint32_t cpu = 0; fd == -ENODEV && cpu < cpus; cpu++)
		fd = event_open(cpu, SAMPLER_HZ_DEFAULT);
	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

int sampler_check(char *reason, size_t room)
{
	const uint64_t enough = 1ull << CAP_PERFMON | 1ull << CAP_SYS_ADMIN;
	int err = confine_capabilities() & enough ? try_event() : 0;

	if (err == -EACCES) /* perf's own checks say so */
		snprintf(
			reason, room,
			"perf_event_open needs CAP_SYS_ADMIN here, or the sysctl kernel.perf_event_paranoid at 2 or "
			"less (it is %u)",
			read_limit("/proc/sys/kernel/perf_event_paranoid", UINT32_MAX));
	else if (err)
		snprintf(reason, room, "perf_event_open fails: %s", strerror(-err));
	return err;
}

/* -ENODEV where the CPU is not on line. */
static int cpu_open(struct sampler *s, uint32_t cpu)
{
	LIBBPF_OPTS(bpf_perf_event_opts, opts, .bpf_cookie = clock_monotonic_ns());
	int fd = event_open(cpu, s->hz);
	struct bpf_link *link;
	int err;

	if (fd < 0)
		return fd;
	link = bpf_program__attach_perf_event_opts(s->prog, fd, &opts);
	if (!link) {
		err = -errno;
		close(fd);
		return err;
	}
	s->cpu[cpu] = (struct sampled_cpu){.link = link, .fd = fd};
	return 0;
}

static void cpu_close(struct sampled_cpu *cpu)
{
	bpf_link__destroy(cpu->link); /* the event too */
	*cpu = (struct sampled_cpu){0};
}

/* An event whose CPU went off line does not come back with it, and its time stands still. */
static bool cpu_is_alive(struct sampled_cpu *cpu)
{
	uint64_t count_and_enabled[2];

	if (!cpu->link ||
	    read(cpu->fd, count_and_enabled, sizeof(count_and_enabled)) !=
		    sizeof(count_and_enabled) ||
	    count_and_enabled[1] == cpu->enabled_ns)
		return false;
	cpu->enabled_ns = count_and_enabled[1];
	return true;
}

int sampler_open(struct bpf_program *prog, const char *target, const struct loader_config *config,
		 void **ret)
{
	struct sampler *s = calloc(1, sizeof(*s) + config->cpus * sizeof(s->cpu[0]));
	int err = -ENODEV;
	bool any = false;

	(void)target;
	if (!s)
		return -ENOMEM;
	s->prog = prog;
	s->hz = config->sample_hz;
	s->cpus = config->cpus;
	for (uint32_t cpu = 0; cpu < s->cpus; cpu++) {
		int one = cpu_open(s, cpu);

		any |= !one;
		if (one && one != -ENODEV)
			err = one;
	}
	if (!any) {
		sampler_close(s);
		return err;
	}
	*ret = s;
	return 0;
}

void sampler_tick(void *sampler)
{
	struct sampler *s = sampler;

	for (uint32_t cpu = 0; cpu < s->cpus; cpu++) {
		if (cpu_is_alive(&s->cpu[cpu]))
			continue;
		cpu_close(&s->cpu[cpu]);
		(void)cpu_open(s, cpu);
	}
}

void sampler_close(void *sampler)
{
	struct sampler *s = sampler;

	for (uint32_t cpu = 0; s && cpu < s->cpus; cpu++)
		cpu_close(&s->cpu[cpu]);
	free(s);
}
