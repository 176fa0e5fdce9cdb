/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * magnet_event: the events that MAGNeT's records are of, and the values that a record of each has:
 * the one table from which classes are made, records are packed and columns are named.
 */
#ifndef SONDE_RECORD_FORMAT_MAGNET_MAGNET_EVENT_H
#define SONDE_RECORD_FORMAT_MAGNET_MAGNET_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/field.h"
#include "wire/magnet.h"

struct magnet_layout;

/* What a record's data field is. */
enum magnet_member {
	MAGNET_MEMBER_NONE,
	MAGNET_MEMBER_TCP,
	MAGNET_MEMBER_UDP, /* the ports of struct magnet_tcp, where they are in it */
	MAGNET_MEMBER_IP,
};

struct magnet_event {
	uint32_t number; /* 0: for events with unknown numbers */
	enum magnet_member member;
	const char *name; /* "MAGNET_TCP_SEND" */
	const char *class; /* "magnet.tcp_send" */
	const char *net; /* ours: "net.tcp_send"; NULL = none */
	const char *text;
};

/* What an integer in a record is. */
enum magnet_type {
	MAGNET_U8,
	MAGNET_U16,
	MAGNET_U32,
	MAGNET_S32,
	MAGNET_U64,
	MAGNET_LONG, /* of 4 bytes or 8, as pointers are */
	MAGNET_BIT, /* one of a 16-bit unit */
};

enum magnet_value_id {
	MAGNET_VALUE_SOCKID,
	MAGNET_VALUE_TIMESTAMP,
	MAGNET_VALUE_EVENT,
	MAGNET_VALUE_SIZE,
	MAGNET_VALUE_DATA, /* the first of the data field */
	MAGNET_VALUE_SRTT = MAGNET_VALUE_DATA + 3,
	MAGNET_VALUE_VERSION = MAGNET_VALUE_DATA + 20, /* the first of struct magnet_ip */
	MAGNET_VALUE_COUNT = MAGNET_VALUE_VERSION + 6,
};

/* A record's srtt is 8 times the smoothed round-trip time: so many bits more than ours. */
#define MAGNET_SRTT_SHIFT 3u

/* One value of a record. */
struct magnet_value {
	const char *name; /* as in the struct */
	const char *net; /* the field of our net classes that fills it; NULL = none */
	const char *text;
	const char *unit;
	enum magnet_type type;
	enum field_show show;
	uint8_t at32; /* byte in a record, with pointers of 32 bits */
	uint8_t at64; /* and of 64 */
	uint8_t bit; /* of MAGNET_BIT: 0 is FIN */
	uint8_t members; /* of which members it is: 1 << enum magnet_member, or all */
};

extern const struct magnet_value magnet_values[MAGNET_VALUE_COUNT];

/* The @i-th of all, MAGNET_SYSINFO and unknown ones among them; NULL behind the last. */
const struct magnet_event *magnet_event_get(size_t i);
/* NULL: @number is unknown. */
const struct magnet_event *magnet_event_find(uint32_t number);
/* The event of a class called @name, of this format or of net; NULL: not found. */
const struct magnet_event *magnet_event_of_class(const char *name);

/* Whether records of @event have @value in this layout. */
bool magnet_event_has(const struct magnet_event *event, const struct magnet_layout *layout,
		      enum magnet_value_id value);
/* Where, in bytes from the record's begin; of a bit: its unit. And how many. */
size_t magnet_value_at(const struct magnet_value *value, const struct magnet_layout *layout);
size_t magnet_value_bytes(const struct magnet_value *value, const struct magnet_layout *layout);
/* Describes it as a field of an @event whose payload is the record. */
void magnet_value_describe(enum magnet_value_id value, const struct magnet_event *event,
			   const struct magnet_layout *layout, struct field *ret);

#endif /* SONDE_RECORD_FORMAT_MAGNET_MAGNET_EVENT_H */
