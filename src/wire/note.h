/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * note: the records that the recorder itself writes, into a stream of their own: the tasks there
 * are when it starts, and what the programs could not record. The tags are for the kernel half,
 * which describes these records like all others; user space has none.
 */
#ifndef SONDE_WIRE_NOTE_H
#define SONDE_WIRE_NOTE_H

#include <linux/types.h>

#ifndef TEXT
#define TEXT(text)
#define UNIT(unit)
#define SCOPE(scope)
#define SHOW(show)
#define MEASURE(id, name, record, text)
#endif

#define NOTE_NAME_BYTES 32

struct sonde_task {
	__u64 head;
	__u32 tid TEXT("task");
	__u32 pid TEXT("its process");
	char comm[16] TEXT("its name from now on");
};

/* A program does not run again inside itself on one CPU (an interrupt that hits it): the kernel
 * counts these, per program, and nobody else knows of them. */
struct MEASURE(SONDE_LOSS, "sonde.loss", sonde_loss,
	       "records that a program could not make") sonde_loss {
	__u64 head;
	__u64 count TEXT("records not made since the last notice") UNIT("records") SCOPE("monitor");
	char measurement[NOTE_NAME_BYTES] TEXT("which measurement") SCOPE("monitor");
};

enum state_reason { STATE_START, STATE_ENABLED, STATE_DISABLED, STATE_STOP };

/* Between an "on" and the next "off" a measurement that has no events saw none; outside it did not
 * look. The first is written before its program is attached, the second when it is gone. */
struct MEASURE(SONDE_STATE, "sonde.state", sonde_state,
	       "a measurement goes on or off") sonde_state {
	__u64 head;
	char measurement[NOTE_NAME_BYTES] TEXT("which measurement") SCOPE("monitor");
	__u32 on TEXT("whether it records from now on") SCOPE("monitor") SHOW("flag");
	enum state_reason reason TEXT("by what") SCOPE("monitor");
};

#endif /* SONDE_WIRE_NOTE_H */
