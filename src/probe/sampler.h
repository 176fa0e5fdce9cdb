/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sampler: a program on the clock of each CPU, many times a second (a kind of hook, attach.c).
 *
 * The clock is a perf event for each CPU that is on line. Each is given the time of its start,
 * which the program asks for (bpf_get_attach_cookie).
 */
#ifndef SONDE_PROBE_SAMPLER_H
#define SONDE_PROBE_SAMPLER_H

#include <stddef.h>
#include <stdint.h>

struct bpf_program;
struct diag;
struct loader_config;

#define SAMPLER_PREFIX "perf_event/" /* of their sections */
#define SAMPLER_HZ_DEFAULT 99 /* different from the 100 or 250 Hz of the kernel's ticks */
#define SAMPLER_FRAMES_MAX 127 /* the kernel's default */
#define SAMPLER_HZ_MAX 100000 /* the kernel's timer goes no faster */

/* What the kernel permits now: kernel.perf_event_max_sample_rate, at most SAMPLER_HZ_MAX. */
uint32_t sampler_hz_max(void);
/* SAMPLER_HZ_DEFAULT, or less where the kernel does not permit that. */
uint32_t sampler_hz_default(void);

/* The argument of --rate: 0, or -EINVAL with the diag. */
int sampler_hz_parse(const char *text, uint32_t *ret, struct diag *diag);

/* Frames of a stack that the kernel takes: kernel.perf_event_max_stack. */
uint32_t sampler_frames_max(void);

/* Whether the kernel gives us a clock, if it permits programs at all: 0, or -errno with the reason. */
int sampler_check(char *reason, size_t room);
/* @target: "cpu-clock". -errno where no CPU can be sampled. */
int sampler_open(struct bpf_program *prog, const char *target, const struct loader_config *config,
		 void **ret);
/* Follows CPUs that came or went. */
void sampler_tick(void *sampler);
void sampler_close(void *sampler);

#endif /* SONDE_PROBE_SAMPLER_H */
