/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * measure.bpf: how a measurement is declared, once, in the kernel half.
 *
 * The tags end up in the BTF of the BPF object, and the object is inside the program. `sonde
 * list`, trace metadata, JSON keys and CSV heads all come from there (probe/catalogue.c).
 *
 *	struct sys_exit {
 *		__u64 head;
 *		__s64 ret TEXT("what the call returned") SHOW("result");
 *		RECORD_END;
 *	};
 *	RECORD(sys_exit);
 *
 *	MEASURE(SYS_EXIT, "sys.exit", sys_exit, "a system call ends")
 *	SEC("tp_btf/sys_exit")
 *	int BPF_PROG(...)
 *
 * A record struct starts with the head (wire/record.h), has its 64-bit fields first, and its
 * length is the place of RECORD_END: no padding inside, or the catalogue refuses it. Members
 * behind it are written by the program one after the other, each aligned as its elements are (to
 * RECORD_ALIGN at most): arrays of no elements with a COUNTED_IN, and texts that end with a NUL.
 */
#ifndef SONDE_PROBE_MEASURE_BPF_H
#define SONDE_PROBE_MEASURE_BPF_H

#include "wire/measure.h"
#include "wire/record.h"

#define TAG(text) __attribute__((btf_decl_tag(text)))

/* Of a field: description, unit, scope (default: "object"), display. */
#define TEXT(text) TAG("text:" text)
#define UNIT(unit) TAG("unit:" unit)
#define SCOPE(scope) TAG("scope:" scope)
#define SHOW(show) TAG("show:" show)
/* Of an array behind RECORD_END: the integer before it that counts its elements. */
#define COUNTED_IN(member) TAG("length:" member)
/* Of an integer field: an enumeration of the running kernel that names its values. */
#define NAMES(enumeration) TAG("names:" enumeration)

/* Keeps the BTF of a record struct in the object, and, once, that of the ids. */
#define RECORD(name) const struct name *const volatile record_of_##name = 0
const enum measure_id *const volatile measure_ids = 0;

/*
 * In front of a program; several times, if it makes several measurements (probe/switch.bpf.h).
 * Several programs with the same id are alternatives, the first that this kernel has is taken; a
 * PART of its own makes them complements instead (several, where it makes several parts). @id must stay a name: the catalogue looks it up
 * in enum measure_id. On a struct instead of a program: the recorder itself writes such records.
 */
#define MEASURE(id, name, record, text) TAG("measure:" #id ":" name ":" #record ":" text)
#define PART(n) TAG("part:" #n)
/*
 * In front of a program that runs in an interrupt ("softirq", "irq") or in a kernel thread ("worker"), where
 * the current task is not the one that the event is about: what a filter by task therefore misses.
 */
#define CONTEXT(context, misses) TAG("context:" context ":" misses)
/* In front of a program that makes less than its preferred alternative: what it does not see. */
#define MISSES(what) TAG("misses:" what)
/* In front of a program that knows a function of the kernel by its address: what it does not see where the kernel
 * has the function and hides the address. */
#define MISSES_HIDDEN(function, what) TAG("hidden:" function ":" what)
/* On a struct with a MEASURE: no kernel has it, and why. It is listed all the same. */
#define NEVER(reason) TAG("never:" reason)
/* In front of a PART that makes what @program cannot while it is running on that CPU already. */
#define STANDS_IN(program) TAG("standin:" program)
/* Behind the last program: what the recorder asks where it may load none (probe/catalogue.h). On a struct with a
 * MEASURE: the source that it asks, as no program could know. */
#define OR_ASK(whom) TAG("ask:" whom)
/* In front of a program that is not a measurement but serves some: "follow", "owner", "dirtier". */
#define SERVICE(name) TAG("service:" name)

/* The last member of a record of fixed length: marks where it ends, rounded up to RECORD_ALIGN. */
#define RECORD_END __u32 record_end[0]
#define record_bytes(type) __builtin_offsetof(struct type, record_end)

/* Where a record of --detail brief ends: members behind it, sequences and texts included, are only
 * in one of --detail full, and the program writes them only if cfg_detail is set. */
#define BRIEF_END __u32 brief_end[0]
#define record_chosen_bytes(type) \
	(cfg_detail ? record_bytes(type) : __builtin_offsetof(struct type, brief_end))

const volatile __u8 cfg_detail = 0; /* 1: --detail full */

#endif /* SONDE_PROBE_MEASURE_BPF_H */
