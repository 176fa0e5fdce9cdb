/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * kernel_call: marks of calls in the kernel half that the loader turns into calls of the running
 * kernel's own functions (probe/kernel_call.h). No helper of BPF has such a number.
 */
#ifndef SONDE_WIRE_KERNEL_CALL_H
#define SONDE_WIRE_KERNEL_CALL_H

#define PREEMPT_DISABLE_MARK 0x536f6e01 /* bpf_preempt_disable, 6.10 and later */
#define PREEMPT_ENABLE_MARK 0x536f6e02 /* bpf_preempt_enable */
#define CAST_MARK 0x536f6e03 /* bpf_rdonly_cast, 6.2 and later */
#define CAST_TYPE_MARK 0x536f6e04 /* its second argument, in the instruction in front of it */

#endif /* SONDE_WIRE_KERNEL_CALL_H */
