/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * loader: takes the chosen measurements into the kernel and out of it.
 *
 * One refusal never stops the others: a program that the kernel does not take is left out, the
 * next alternative is tried, and the hook of the catalogue says why. Everything it holds in the
 * kernel goes away with the process.
 */
#ifndef SONDE_PROBE_LOADER_H
#define SONDE_PROBE_LOADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/catalogue.h"
#include "probe/loader_config.h"
#include "wire/owner.h"

/*
 * Those of the kernel's types that the programs name, as a BTF of their own.
 *
 * For every type that an object names, libbpf goes through all types that it is given, and the
 * kernel has more than a hundred thousand: most of the time that loading takes in user space.
 * Types behind a pointer are skipped, since programs that read them name them too. Types of
 * the kernel's modules are not among them.
 */

struct btf;

/*
 * All types of @kernel that bear a name of a type in one of the @objects, into a new BTF, which the
 * caller frees.
 */
int core_types_make(const struct btf *kernel, const struct btf *const *objects, size_t count,
		    struct btf **ret);

/* A file in memory with @types in it, for libbpf, which takes a path; -errno. */
int core_types_file(const struct btf *types);

struct diag;
struct loader;
struct netfilter_refusals;

/*
 * Loads the measurements with @wanted[class.index] set. After it, a hook that the kernel refused
 * is no longer usable, with the reason; measurement_usable says which are left. -EPERM: not
 * permitted at all; -ENOENT: nothing is left to record.
 */
int loader_open(struct catalogue *cat, const bool *wanted, const struct loader_config *config,
		struct loader **ret, struct diag *diag);
/* Detaches what is attached. NULL is fine. */
void loader_close(struct loader *loader);

/* Starts recording. Where one hook is refused it is left out, as above. */
int loader_attach(struct loader *loader, struct diag *diag);

/*
 * Turning measurements on and off while others record, @which by class.index. loader_want adds
 * what is not loaded, loader_load loads it: 30 to 150 ms, and by another thread if one likes. What
 * the kernel refuses is no longer usable, as above.
 */
int loader_want(struct loader *loader, const bool *which);
bool loader_is_loaded(struct loader *loader);
int loader_load(struct loader *loader);
/* Attaches or detaches what is loaded. A program goes when no measurement needs it any more. */
void loader_switch(struct loader *loader, const bool *which, bool on);
bool loader_is_on(const struct loader *loader, const struct measurement *m);

/* Has the programs that run on request (iterators) see all objects in the network namespace @netns, 0 for the
 * calling thread's. It may be another thread, while nothing is switched. 0, or the first error. */
int loader_run(const struct loader *loader, uint32_t netns);
/* Twice a second: follows CPUs that came or went. */
void loader_tick(struct loader *loader);

/* Now and then, and whenever the doorbell rings: hooks that are per network namespace follow these
 * as they come and go. @tick: once every tick of the recording. */
void loader_follow(struct loader *loader, bool tick);
/* Namespaces without those hooks: they could not be entered, or the kernel refused them there. */
void loader_netns_refused(const struct loader *loader, struct netfilter_refusals *ret);

/* Stops recording; programs that still run end within microseconds. */
void loader_detach(struct loader *loader);

/* The fd of a map, borrowed, or -ENOENT. */
int loader_map(const struct loader *loader, const char *name);

/* Name of measurement or service, hook's section, and how often the kernel did not run it because
 * it was already running on that CPU: a count that stays when it is detached, and whose order stays
 * when others are loaded. At most LOADER_PROGRAMS_MAX; false past the end. */
bool loader_program(const struct loader *loader, size_t i, const char **name, const char **section,
		    uint64_t *misses);

/* Runs of that program and the time they took, both while the kernel counted (run_stats.h) since it
 * was loaded; false where it is not attached. */
bool loader_program_runs(const struct loader *loader, size_t i, uint64_t *runs, uint64_t *ns);
/* Whether that program makes @m, alone or with others, and @m is on. */
bool loader_program_makes(const struct loader *loader, size_t i, const struct measurement *m);

/* Stacks that the kernel did not give, of events that are there. */
uint64_t loader_stacks_failed(const struct loader *loader);

/* How many owners had no room so far. */
uint64_t loader_owners_forgotten(const struct loader *loader, enum owner_forgotten what);

/* What programs on the kernel's own tracepoints miss is not counted here. */
bool loader_is_uncounted(const struct loader *loader);

#endif /* SONDE_PROBE_LOADER_H */
