/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * cast.bpf: memory of the kernel's read through a pointer of a type that we say it has, by
 * bpf_rdonly_cast (6.2 and later), which the loader puts here (probe/constants.h). It costs
 * nothing at run time; a load that finds nothing mapped gives 0.
 *
 * Only in programs, not in functions that these call: there the loader puts nothing.
 */
#ifndef SONDE_PROBE_CAST_BPF_H
#define SONDE_PROBE_CAST_BPF_H

#include <linux/types.h>

#include "wire/kernel_call.h"

const volatile __u8 cfg_cast_calls = 0; /* the kernel has what cast_to calls */

/* @at as a pointer to what @mark stands for. */
#define cast_to(at, mark)                                           \
	({                                                          \
		void *cast_;                                        \
		asm volatile("r1 = %1\n"                            \
			     "r2 = %2\n"                            \
			     "call %3\n"                            \
			     "%0 = r0\n"                            \
			     : "=r"(cast_)                          \
			     : "r"(at), "i"(mark), "i"(CAST_MARK)   \
			     : "r0", "r1", "r2", "r3", "r4", "r5"); \
		cast_;                                              \
	})

/*
 * What a tracepoint passes is a trusted pointer, and for each pointer that is loaded through one the
 * verifier of 6.18 goes through all of the kernel's types several times, to find out whether it may
 * trust that too: a millisecond each. It need not.
 */
#define untrusted(at, mark) (cfg_cast_calls ? cast_to(at, mark) : (void *)(at))

#endif /* SONDE_PROBE_CAST_BPF_H */
