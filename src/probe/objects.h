/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * objects: the BPF objects inside this program, one per group (tools/embed.py makes the arrays).
 */
#ifndef SONDE_PROBE_OBJECTS_H
#define SONDE_PROBE_OBJECTS_H

#include <stddef.h>

struct bpf_object;

#define OBJECT_COUNT 13

/* "task", "sys", ...; NULL where @i is out of range. */
const char *object_name(size_t i);
/*
 * An unloaded object of that name for libbpf, or NULL with errno. The caller closes it. @types: the
 * path of the BTF that its programs are fitted to, or NULL: the kernel's whole.
 */
struct bpf_object *object_open(const char *name, const char *types);

#endif /* SONDE_PROBE_OBJECTS_H */
