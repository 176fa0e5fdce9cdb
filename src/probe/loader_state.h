/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * loader_state: what a loader holds, for the files that it consists of: loader (which programs),
 * loader_load (into the kernel), loader_switch (onto their hooks and off), loader_account (what
 * they missed and how long they ran). Nobody else includes it.
 */
#ifndef SONDE_PROBE_LOADER_STATE_H
#define SONDE_PROBE_LOADER_STATE_H

#include <stdbool.h>
#include <stddef.h>

#include "probe/catalogue.h"
#include "probe/loader_config.h"
#include "wire/netns.h"

struct attachment;
struct bpf_object;
struct bpf_program;

#define MAP_MAX 48
#define OPEN_MAX LOADER_PROGRAMS_MAX /* each has at least one of the programs */
#define LOG_BYTES 65536

/* One program that is to run, and then runs. */
struct program {
	const char *name; /* of its measurement or service */
	struct hook *hook;
	struct bpf_program *bpf; /* NULL: not loaded, or a clone */
	int clone_fd; /* of a tracepoint of the kernel's own, once it is loaded; or -1 */
	int watch_fd; /* what counts what that one misses, where the kernel does not; or -1 */
	struct attachment *attachment; /* NULL: not attached */
};

/* The objects share their maps by name: the first one makes a map, the others take its fd. */
struct shared_map {
	char name[16];
	int fd;
};

struct loader {
	struct catalogue *cat;
	struct loader_config config;
	bool *on; /* by class.index: is wanted now */
	struct program programs[LOADER_PROGRAMS_MAX];
	size_t program_count;
	struct bpf_object *objects[OPEN_MAX];
	size_t object_count;
	struct bpf_object *mould; /* of the clones, once it is loaded */
	struct bpf_object
		*watch; /* of those that watch them; NULL: the kernel does, or it cannot be */
	struct shared_map maps[MAP_MAX];
	size_t map_count;
	char types_path[32]; /* empty: the kernel's own */
	int types_fd;
	bool uncounted; /* what the kernel's own tracepoints miss */
	char *log;
	struct netns_changes seen; /* of network namespaces */
	unsigned int ticks; /* since the last look for new ones */
};

static inline bool program_is_loaded(const struct program *p)
{
	return p->bpf || p->clone_fd >= 0;
}

/* The program of that name where this loader wants it, or NULL. */
struct program *loader_chosen(struct loader *l, const char *object, const char *name);
/* Whether @p makes @m, or a part of it. */
bool program_makes(const struct program *p, const struct measurement *m);
/* Some program of that object is chosen and not loaded. */
bool loader_object_wanted(struct loader *l, const char *object);
/* Each object as a whole, or, where the kernel refuses that, program by program. */
int loader_load_all(struct loader *l);
/* The program's hook, in every measurement that it makes: @what failed, and @why ("" = no more). */
void loader_refuse(struct loader *l, struct program *p, int err, const char *what, const char *why);

#endif /* SONDE_PROBE_LOADER_STATE_H */
