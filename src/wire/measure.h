/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * measure: the numbers of the measurements, which are the ids of their event classes in a trace
 * and the `location` of a TCP snapshot. Names, texts and fields are in the kernel half, beside
 * the programs (probe/measure.bpf.h); a reader takes them from the metadata, never from here.
 *
 * A number is never given to another measurement: old traces and scripts may know it.
 */
#ifndef SONDE_WIRE_MEASURE_H
#define SONDE_WIRE_MEASURE_H

enum measure_id {
	SONDE_TASK = 1, /* names a task: always on */
	SONDE_LOSS = 2, /* the recorder's own: records a program could not make */
	SYS_ENTER = 16,
	SYS_EXIT = 17,
	SCHED_SWITCH = 32,
	SCHED_WAKING = 33,
	SCHED_WAKEUP = 34,
	SCHED_WAKEUP_NEW = 35,
	SCHED_MIGRATE = 36,
	SCHED_FORK = 37,
	SCHED_EXEC = 38,
	SCHED_EXIT = 39,
	TCP_ACK = 64,
	TCP_CWND = 65,
	TCP_RETRANSMIT = 66,
	TCP_LOSS = 67,
	TCP_STATE = 68,
	TCP_SEND = 69,
	TCP_RECV = 70,
	TCP_RCVBUF = 71,
	TCP_RESET = 72,
	TCP_CLOSE = 73,
};

#endif /* SONDE_WIRE_MEASURE_H */
