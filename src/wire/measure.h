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
	SONDE_STATE = 3, /* the recorder's own: a measurement is enabled or disabled */
	SONDE_SYMBOL = 4, /* the recorder's own: names a function of the kernel */
	SONDE_MAPPING = 5, /* the recorder's own: code that a process has mapped */
	SONDE_TRIGGER = 6, /* the recorder's own: what it waited for has come */
	SONDE_COST = 7, /* the recorder's own: what a measurement cost */
	SONDE_NAME = 8, /* what a number is called: a namespace, a cgroup, a file */
	SONDE_STREAM = 9, /* the recorder's own: what one stream holds, at the end */
	SONDE_END = 10, /* the recorder's own: the trace is complete */
	SONDE_STACK = 11, /* a stack of events in the same packet */
	SONDE_FORGOTTEN = 12, /* the recorder's own: owners that had no room */
	SONDE_DESCRIPTOR = 13, /* a descriptor that was open when the recording began */
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
	SCHED_TRAP = 40,
	CPU_SAMPLE = 44,
	IRQ_ENTER = 48,
	IRQ_EXIT = 49,
	IRQ_SOFT_RAISE = 50,
	IRQ_SOFT_ENTER = 51,
	IRQ_SOFT_EXIT = 52,
	IRQ_TIMER = 53,
	IRQ_TIMER_EXIT = 54,
	IRQ_WORK_QUEUE = 55,
	IRQ_WORK_ENTER = 56,
	IRQ_WORK_EXIT = 57,
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
	TCP_POLL = 74,
	DISK_QUEUE = 96,
	DISK_ISSUE = 97,
	DISK_COMPLETE = 98,
	DISK_BIO = 99,
	DISK_MERGE = 100,
	DISK_REQUEUE = 101,
	DISK_TAPE = 102, /* no kernel has it */
	FS_READ = 112,
	FS_READAHEAD = 113,
	FS_WRITE = 114,
	FS_WRITEBACK = 115,
	FS_FSYNC = 116,
	NET_SOCK_SEND = 128,
	NET_TCP_SEND = 129,
	NET_UDP_SEND = 130,
	NET_IP_SEND = 131,
	NET_DEV_QUEUE = 132,
	NET_QDISC_ENQUEUE = 133,
	NET_QDISC_DEQUEUE = 134,
	NET_DEV_XMIT = 135,
	NET_DEV_RECV = 136,
	NET_IP_RECV = 137,
	NET_TCP_RECV = 138,
	NET_UDP_RECV = 139,
	NET_SOCK_RECV = 140,
	NET_APP_RECV = 141,
	NET_DROP = 142,
	RX_STATS = 160,
	RX_COUNTERS = 161,
	RX_CONN = 162,
	RX_CALL = 163,
	RX_PEER = 164,
	RX_LIST = 165,
	RX_SILENT = 166,
};

/* A bit for each: which are on. */
#define MEASURE_WORDS 4

#endif /* SONDE_WIRE_MEASURE_H */
