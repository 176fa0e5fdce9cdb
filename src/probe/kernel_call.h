/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kernel_call: calls of the running kernel's own functions in programs that are not loaded yet.
 *
 * The loader's. libbpf resolves such calls itself where they are weak externs, but where the
 * kernel lacks the function it then reads the BTF of all modules, which takes CAP_SYS_ADMIN, and
 * version 1.1 fails without it.
 */
#ifndef SONDE_PROBE_KERNEL_CALL_H
#define SONDE_PROBE_KERNEL_CALL_H

#include <stdbool.h>

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

#endif /* SONDE_PROBE_KERNEL_CALL_H */
