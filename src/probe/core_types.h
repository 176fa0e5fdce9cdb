/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * core_types: those of the kernel's types that the programs name, as a BTF of their own.
 *
 * For every type that an object names, libbpf goes through all types that it is given, and the
 * kernel has more than a hundred thousand: most of the time that loading takes in user space.
 * Types behind a pointer are skipped, since programs that read them name them too. Types of
 * the kernel's modules are not among them.
 */
#ifndef SONDE_PROBE_CORE_TYPES_H
#define SONDE_PROBE_CORE_TYPES_H

#include <stddef.h>

struct btf;

/*
 * All types of @kernel that bear a name of a type in one of the @objects, into a new BTF, which the
 * caller frees.
 */
int core_types_make(const struct btf *kernel, const struct btf *const *objects, size_t count,
		    struct btf **ret);

/* A file in memory with @types in it, for libbpf, which takes a path; -errno. */
int core_types_file(const struct btf *types);

#endif /* SONDE_PROBE_CORE_TYPES_H */
