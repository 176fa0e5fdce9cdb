/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * loader_config: what a loader is given beside the measurements. What attaches programs, or sets their constants,
 * is given the same.
 */
#ifndef SONDE_PROBE_LOADER_CONFIG_H
#define SONDE_PROBE_LOADER_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "wire/filter.h"

struct netfilter;
struct warden;

#define LOADER_PROGRAMS_MAX 512

struct loader_config {
	uint32_t cpus; /* possible ones: rings to make */
	uint32_t sub_shift; /* log2 of a sub-buffer's bytes */
	uint32_t sub_count; /* sub-buffers of level 0, a power of two */
	bool overwrite;
	bool detail; /* full: the members behind BRIEF_END too (probe/measure.bpf.h) */
	bool open_files; /* what is open already is recorded, once system calls are */
	uint32_t sample_hz; /* of cpu.sample */
	uint32_t stack_frames; /* of each side of a stack, at most STACK_FRAMES_MAX */
	uint64_t stack_key; /* odd; random */
	uint64_t packet_key; /* odd; random, so that a trace does not tell addresses of memory */
	const struct filter_config *filter;
	struct warden *warden; /* borrowed: enters other network namespaces */
	struct netfilter *netfilter; /* the loader's own: what hooks of namespaces share */
};

#endif /* SONDE_PROBE_LOADER_CONFIG_H */
