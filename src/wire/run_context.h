/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * run_context: what a CPU was at when something happened, as the field `context` of wakeups has it.
 */
#ifndef SONDE_WIRE_RUN_CONTEXT_H
#define SONDE_WIRE_RUN_CONTEXT_H

enum run_context {
	CONTEXT_UNKNOWN,
	CONTEXT_TASK,
	CONTEXT_SOFTIRQ,
	CONTEXT_IRQ,
	CONTEXT_NMI,
};

#endif /* SONDE_WIRE_RUN_CONTEXT_H */
