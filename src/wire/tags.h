/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * tags: for records that user space writes and the kernel half describes (probe/measure.bpf.h): there
 * the tags of structs and fields mean something, in user space they are nothing.
 */
#ifndef SONDE_WIRE_TAGS_H
#define SONDE_WIRE_TAGS_H

#ifndef TEXT
#define TEXT(text)
#define UNIT(unit)
#define SCOPE(scope)
#define SHOW(show)
#define COUNTED_IN(member)
#define MEASURE(id, name, record, text)
#define OR_ASK(whom)
#define RECORD_END __u32 record_end[0]
#define record_bytes(type) __builtin_offsetof(struct type, record_end)
#endif

#endif /* SONDE_WIRE_TAGS_H */
