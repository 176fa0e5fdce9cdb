/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * constants: values written into an object before it is loaded: sizes, the filter, what this kernel has.
 * They are constants to the verifier, so a disabled part becomes no code. The loader calls it.
 */
#ifndef SONDE_PROBE_CONSTANTS_H
#define SONDE_PROBE_CONSTANTS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Calls of the running kernel's own functions in programs that are not loaded yet.
 *
 * The loader's. libbpf resolves such calls itself where they are weak externs, but where the
 * kernel lacks the function it then reads the BTF of all modules, which takes CAP_SYS_ADMIN, and
 * version 1.1 fails without it.
 */

struct bpf_object;
struct btf;

/*
 * Each turns some marks of wire/kernel_call.h in all programs of @obj, opened but not loaded, into
 * calls. False where @kernel (may be NULL) lacks what is called: the marks stay, and must not be
 * run.
 */
bool kernel_call_resolve_preempt(const struct btf *kernel, struct bpf_object *obj);
/* To read through pointers that are not trusted (probe/cast.bpf.h). */
bool kernel_call_resolve_cast(const struct btf *kernel, struct bpf_object *obj);

struct bpf_map;
struct catalogue;
struct loader_config;

/* Each object has only some of them; the others are left out. -EINVAL: the object has one, "cfg_...", that is
 * none of them, or of another size: one side misspells it. */
int constants_set(struct bpf_object *obj, const struct loader_config *config,
		  const struct catalogue *cat);

/* The map that an object's constants are in, or NULL. */
struct bpf_map *constants_map(const struct bpf_object *obj);
/* Where in it the variable @name is, which has @len bytes; -ENOENT if it does not exist. */
long constants_find(const struct bpf_object *obj, const char *name, size_t len);

#endif /* SONDE_PROBE_CONSTANTS_H */
