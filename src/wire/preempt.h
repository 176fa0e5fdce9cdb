/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * preempt: marks of calls in the kernel half that the loader turns into calls of the running
 * kernel's own functions (probe/ring.bpf.h). No helper of BPF has such a number.
 */
#ifndef SONDE_WIRE_PREEMPT_H
#define SONDE_WIRE_PREEMPT_H

#define PREEMPT_DISABLE_MARK 0x536f6e01 /* bpf_preempt_disable, 6.10 and later */
#define PREEMPT_ENABLE_MARK 0x536f6e02 /* bpf_preempt_enable */

#endif /* SONDE_WIRE_PREEMPT_H */
