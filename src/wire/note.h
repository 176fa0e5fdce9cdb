/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * note: the records that the recorder itself writes, into a stream of their own: the tasks and names
 * there are when it starts, what the programs could not record, what they cost, and what addresses
 * mean. The tags are for the kernel half, which describes these records like all others; user space
 * has none.
 */
#ifndef SONDE_WIRE_NOTE_H
#define SONDE_WIRE_NOTE_H

#include <linux/types.h>

#include "wire/owner.h"
#include "wire/tags.h"

#define NOTE_NAME_BYTES 64

struct sonde_task {
	__u64 head;
	__u64 cgroup TEXT("its cgroup (version 2): the directory's inode; 0 = not known")
		SHOW("cgroup");
	__u32 tid TEXT("task");
	__u32 pid TEXT("its process");
	char comm[16] TEXT("its name from now on");
};

/* A program does not run again inside itself on one CPU (an interrupt that hits it): the kernel
 * counts these, per program, and only the kernel knows of them. */
struct MEASURE(SONDE_LOSS, "sonde.loss", sonde_loss,
	       "records that a program could not make") sonde_loss {
	__u64 head;
	__u64 count TEXT("records not made since the last notice") UNIT("records") SCOPE("monitor");
	char measurement[NOTE_NAME_BYTES] TEXT("which measurement") SCOPE("monitor");
};

/* Their events have no owner, or that of OWNER_WRITEBACK. */
struct MEASURE(SONDE_FORGOTTEN, "sonde.forgotten", sonde_forgotten,
	       "whose events are was forgotten, for want of room") sonde_forgotten {
	__u64 head;
	__u64 count TEXT("how many since the last notice") SCOPE("monitor");
	enum owner_forgotten what TEXT("of what") SCOPE("monitor");
	RECORD_END;
};

#define NAME_TEXT_MAX 512u /* bytes, with the NUL */

enum name_kind {
	NAME_NETNS, /* key: inode of a network namespace */
	NAME_CGROUP, /* key: inode of a cgroup's directory; the text is the path in the hierarchy */
	NAME_FILE, /* key: inode, in the file system of the device; the path begins at its root */
	NAME_FILESYSTEM, /* of the device; the text is the path that leads to its root */
	NAME_CONTAINER, /* key: the first 64 bits of the id in the path of its cgroup; what its runtime calls it */
};

/* The last word counts: what bears a number may get another name, and a number another bearer. */
struct MEASURE(SONDE_NAME, "sonde.name", sonde_name,
	       "what a number stands for, from now on") sonde_name {
	__u64 head;
	__u64 key TEXT(
		"the number: an inode, 0 of a file system, the first 64 bits of a container's id");
	__u16 major TEXT("major number of the device, of a file or file system");
	__u16 minor TEXT("minor number");
	enum name_kind kind TEXT("what the number is of");
	RECORD_END;
	char text[0] TEXT("its name");
	__u32 text_bytes TEXT("length of the name, with its NUL")
		UNIT("bytes"); /* aligns the end */
};

enum state_reason {
	STATE_START,
	STATE_ENABLED,
	STATE_DISABLED,
	STATE_STOP,
	STATE_BUDGET, /* off: it would cost more than --budget; on: it is tried again */
};

/*
 * Between an "on" and the next "off" a measurement that has no events saw none; outside it did not
 * look. The first is written before its program is attached, the second when it is gone.
 *
 * Programs are attached one after the other, so an operation of several events may be recorded
 * in part during that time. STATE_ALL goes off before the first program is attached or detached, and on again after the last
 * one: while it is on, every measurement that is on records everything.
 */
#define STATE_ALL "(all)"

struct MEASURE(SONDE_STATE, "sonde.state", sonde_state,
	       "a measurement is enabled or disabled") sonde_state {
	__u64 head;
	char measurement[NOTE_NAME_BYTES] TEXT("which measurement") SCOPE("monitor");
	__u32 on TEXT("whether it records from now on") SCOPE("monitor") SHOW("flag");
	enum state_reason reason TEXT("by what") SCOPE("monitor");
};

/* An estimate: the kernel times runs in short windows only. For every minute, and at the end for
 * what is left, so the sums over a trace are those over the whole recording. */
struct MEASURE(SONDE_COST, "sonde.cost", sonde_cost,
	       "what a measurement, or the recorder itself, cost since the last such notice")
	sonde_cost {
	__u64 head;
	__u64 window_ns TEXT("time in which its runs were counted") UNIT("ns") SCOPE("monitor");
	__u64 runs TEXT("runs of its programs in that time") UNIT("runs") SCOPE("monitor");
	__u64 run_ns TEXT("CPU time that these took") UNIT("ns") SCOPE("monitor");
	RECORD_END;
	char measurements[0] TEXT("whose programs: one, or several that share them; (follow) or "
				  "(owner) for services, (recorder) for the recorder itself")
		SCOPE("monitor");
	__u32 cpus TEXT("CPUs of the machine: its share is a part of theirs together")
		SCOPE("monitor"); /* aligns the end */
};

#define NOTE_EXPRESSION_MAX 512u /* bytes, with the NUL; longer ones are truncated */

enum trigger_action { TRIGGER_SNAPSHOT, TRIGGER_STOP };

/* Its time and its tid are those of the event that the trigger fired upon. */
struct MEASURE(SONDE_TRIGGER, "sonde.trigger", sonde_trigger,
	       "a trigger fires: the event here is what it waited for") sonde_trigger {
	__u64 head;
	__u64 reaction TEXT("from the event until the recorder acted") UNIT("ns") SCOPE("monitor");
	__u64 matched TEXT("events that have satisfied it so far") UNIT("events") SCOPE("monitor");
	char measurement[NOTE_NAME_BYTES] TEXT("which measurement the event is of")
		SCOPE("monitor");
	RECORD_END;
	char expression[0] TEXT("what it waits for") SCOPE("monitor");
	enum trigger_action action TEXT("what the recorder did")
		SCOPE("monitor"); /* aligns the end */
};

/* Only functions with an address in the trace are recorded, once, after that address. */
struct MEASURE(SONDE_SYMBOL, "sonde.symbol", sonde_symbol,
	       "a function of the kernel that addresses in the trace lie in") sonde_symbol {
	__u64 head;
	__u64 start TEXT("address at which it begins") SCOPE("system") SHOW("hex");
	RECORD_END;
	char name[0] TEXT("its name; of a module's, with the module and a colon in front")
		SCOPE("system");
	__u32 size TEXT("its length") UNIT("bytes") SCOPE("system"); /* aligns the end */
};

/* Bits: which sides of a stack had more frames than are recorded, or a frame whose caller could not be found. */
enum stack_cut { STACK_WHOLE, STACK_KERNEL_CUT, STACK_USER_CUT, STACK_BOTH_CUT };

/* In each packet in front of the first event of it that has this stack. Notes of equal ids are equal, in all packets of
 * a trace. */
struct MEASURE(SONDE_STACK, "sonde.stack", sonde_stack,
	       "a stack that events of this packet have, by its id") sonde_stack {
	__u64 head;
	__u64 id TEXT("its id: a hash of its frames") SHOW("hex");
	enum stack_cut cut TEXT("which of its sides had more frames than are here");
	__u16 kernel_depth TEXT("frames of the kernel's side") UNIT("frames");
	__u16 user_depth TEXT("frames of the program's side") UNIT("frames");
	RECORD_END;
	__u64 kernel_stack[0] TEXT("pc in the kernel, then its callers") COUNTED_IN("kernel_depth")
		SHOW("symbol");
	__u64 user_stack[0] TEXT("pc in the program, then its callers") COUNTED_IN("user_depth")
		SHOW("symbol");
};

/* Instead of a descriptor: */
#define DESCRIPTOR_DIRECTORY (-1) /* the current directory of the task */
#define DESCRIPTORS_LISTED (-2) /* of no task: all descriptors that could be recorded are */
#define DESCRIPTOR_CHANGED (-3) /* nothing: it was closed while it was looked at */

/*
 * Of two kinds. In a call that makes two descriptors (pipe2), one for each, before its end: of these only the tid and the
 * descriptor count, the rest is 0.
 *
 * Of what was open at the start: as at the time of the note, between the begin of the recording of system calls and DESCRIPTORS_LISTED: first, of
 * each task, one with its directory, then those of descriptors, of one of the tasks that share them.
 */
struct MEASURE(
	SONDE_DESCRIPTOR, "sonde.descriptor", sonde_descriptor,
	"a descriptor that was open when the recording began, or one of two that a call makes")
	sonde_descriptor {
	__u64 head;
	__u32 table TEXT("the first of the tasks that share descriptors with this one");
	__u32 place TEXT("the first of those that share its current directory");
	__s32 fd TEXT("the descriptor; -1: the current directory; -2: all are recorded; -3: none");
	__u32 cloexec TEXT("whether an exec closes it") SHOW("flag");
	RECORD_END;
	char path[0] TEXT("the file, as readlink(2) of /proc/PID/fd shows it");
	__u32 path_bytes TEXT("length of the path, with its NUL")
		UNIT("bytes"); /* aligns the end */
};

#define NOTE_BUILD_ID_BYTES 20

/* All mappings of a process are recorded again when it has another program: a mapping with another begin of
 * its validity (the note's time less age_ns) is of another program. */
struct MEASURE(SONDE_MAPPING, "sonde.mapping", sonde_mapping,
	       "code that a sampled process has mapped") sonde_mapping {
	__u64 head;
	__u64 start TEXT("address at which it begins") SHOW("hex");
	__u64 end TEXT("address at which it ends") SHOW("hex");
	__u64 offset TEXT("where in the file it begins") UNIT("bytes") SHOW("hex");
	__u64 age_ns TEXT("how long before this note the process was first sampled") UNIT("ns");
	__u8 build_id[NOTE_BUILD_ID_BYTES] TEXT("build id of the file, zeros = none") SHOW("hex");
	RECORD_END;
	char path[0] TEXT("the file, as the process sees it");
	__u32 pid TEXT("process"); /* aligns the end */
};

/*
 * The end mark (sonde-trace(5)): one sonde.stream for each stream, then sonde.end, in the last packet of
 * the recorder's stream. Without it, the recorder did not finish. Packets have running numbers, so a
 * reader sees whether the last ones of a stream are there.
 */
struct MEASURE(SONDE_STREAM, "sonde.stream", sonde_stream,
	       "what a stream of this trace holds, counted by the recorder at its end")
	sonde_stream {
	__u64 head;
	__u64 events TEXT("events recorded in it, overwritten ones of a flight recorder included")
		UNIT("events") SCOPE("monitor");
	__u64 lost TEXT("events lost: buffer full, contexts nested too deep, or not written")
		UNIT("events") SCOPE("monitor");
	__u64 unwritten TEXT("of these: recorded, but the disk did not take them") UNIT("events")
		SCOPE("monitor");
	__u64 packets TEXT("packets written") UNIT("packets") SCOPE("monitor");
	__u64 last_packet TEXT("number of the last of these, packet_seq_num") SCOPE("monitor");
	__u32 of_cpu TEXT("CPU whose stream it is; of the recorder's own stream: 4294967295")
		SCOPE("monitor");
	__u32 of_level TEXT("its context level: 0 task, 1 softirq, 2 hardirq, 3 NMI")
		SCOPE("monitor");
};

/*
 * Of the trace as a whole, in its environment as sonde_format. It rises when a reader that does not know the
 * new form would show something wrong; such a reader refuses the trace. Traces without it have none of
 * the end mark.
 */
#define TRACE_FORMAT 2

/* In the environment of a trace that was made of an incomplete one: what that lacked, in sentences. */
#define TRACE_MISSING_ENV "sonde_missing"

#define STREAM_OF_RECORDER 0xffffffffu /* of_cpu */

enum end_reason {
	END_STOPPED, /* as it was asked to */
	END_DISK_FULL,
	END_WRITE_ERROR,
};

struct MEASURE(SONDE_END, "sonde.end", sonde_end,
	       "the trace ends here and is complete, but for the events that are counted as lost")
	sonde_end {
	__u64 head;
	__u64 events TEXT("events recorded in all streams") UNIT("events") SCOPE("monitor");
	__u64 lost TEXT("events lost in all streams") UNIT("events") SCOPE("monitor");
	__u32 streams TEXT("sonde.stream events before this one, one for each stream")
		SCOPE("monitor");
	enum end_reason reason TEXT("why the recording ended") SCOPE("monitor");
};

#endif /* SONDE_WIRE_NOTE_H */
