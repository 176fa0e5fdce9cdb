/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * magnet_record: the records of MAGNeT files: in which of eight layouts they are, the events that they are
 * of, and the values of each: the one table by which records are read and packed, classes of events are
 * made and columns are named.
 */
#ifndef SONDE_RECORD_FORMAT_MAGNET_MAGNET_RECORD_H
#define SONDE_RECORD_FORMAT_MAGNET_MAGNET_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/record_field.h"
#include "wire/magnet.h"

struct class_table;
struct diag;
struct event_class;

#define MAGNET_LAYOUT_NAME_BYTES 12u /* "le64+data" */

struct magnet_layout {
	bool big_endian;
	bool wide; /* pointers and longs of 64 bits */
	bool data; /* records have the data field */
};

#define MAGNET_LAYOUTS 8u
/* One of them, @number below MAGNET_LAYOUTS. */
struct magnet_layout magnet_layout_of(unsigned int number);

/* "le32", "le64", "be32", "be64", with "+data" behind or not. -EINVAL: none of these. */
int magnet_layout_parse(const char *text, struct magnet_layout *ret);
void magnet_layout_format(const struct magnet_layout *layout, char name[MAGNET_LAYOUT_NAME_BYTES]);
bool magnet_layout_equals(const struct magnet_layout *a, const struct magnet_layout *b);

/* Of a file, enough to find its layout. */
#define MAGNET_DETECT_BYTES (64u << 10)

/* Whether @head, the first @len bytes of a file, begins with MAGNET_SYSINFO in any layout. */
bool magnet_detect_is(const uint8_t *head, size_t len);
/*
 * The layout in which the records of @head make sense. @size: of the whole file, 0 = not known.
 * -EBADMSG: it begins with MAGNET_SYSINFO in none.
 */
int magnet_detect_layout(const uint8_t *head, size_t len, uint64_t size, struct magnet_layout *ret);

static inline size_t magnet_data_at(const struct magnet_layout *layout)
{
	return layout->wide ? MAGNET_AT_DATA_64 : MAGNET_AT_DATA_32;
}

static inline size_t magnet_record_bytes(const struct magnet_layout *layout)
{
	return magnet_data_at(layout) + (!layout->data ? 0 :
					 layout->wide  ? MAGNET_DATA_BYTES_64 :
							 MAGNET_DATA_BYTES_32);
}

/* What every record has. */
struct magnet_head {
	uint64_t sockid;
	uint64_t timestamp;
	uint32_t event;
	int32_t size;
};

void magnet_head_load(const struct magnet_layout *layout, const uint8_t *record,
		      struct magnet_head *ret);
void magnet_head_store(const struct magnet_layout *layout, uint8_t *record,
		       const struct magnet_head *head);

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
	const char *class; /* "magnet.tcp_send"; NULL: they are losses */
	const char *net; /* ours: "net.tcp_send"; NULL = none */
	const char *text;
};

/* The @i-th of all, MAGNET_SYSINFO and unknown ones among them; NULL behind the last. */
const struct magnet_event *magnet_event_get(size_t i);
/* NULL: @number is unknown. */
const struct magnet_event *magnet_event_find(uint32_t number);
/* The event of a class called @name, of this format or of net; NULL: not found. */
const struct magnet_event *magnet_event_of_class(const char *name);

enum magnet_value_id {
	MAGNET_VALUE_SOCKID,
	MAGNET_VALUE_TIMESTAMP,
	MAGNET_VALUE_EVENT,
	MAGNET_VALUE_SIZE,
	MAGNET_VALUE_DATA, /* the first of the data field */
	MAGNET_VALUE_VERSION = MAGNET_VALUE_DATA + 20, /* the first of struct magnet_ip */
	MAGNET_VALUE_COUNT = MAGNET_VALUE_VERSION + 6,
};

/* A record's srtt is 8 times the smoothed round-trip time: so many bits more than ours. */
#define MAGNET_SRTT_SHIFT 3u

/* What @id is in records of @event, or in most records: NULL. */
const struct record_field *magnet_value(enum magnet_value_id id, const struct magnet_event *event);
/* Whether records of @event have it in this layout. */
bool magnet_event_has(const struct magnet_event *event, const struct magnet_layout *layout,
		      enum magnet_value_id id);
/* A value is in one of two places: by the size of pointers. */
static inline struct record_layout magnet_places(const struct magnet_layout *layout)
{
	return (struct record_layout){layout->big_endian ? BYTE_ORDER_BIG : BYTE_ORDER_LITTLE,
				      layout->wide};
}

#define MAGNET_CLASSES_MAX 32u

/* The classes of events that records become. The payload of such an event is its record, as it lies in
 * the file. */
struct magnet_classes {
	struct class_table *table;
	const struct event_class *classes[MAGNET_CLASSES_MAX]; /* as magnet_event_get counts */
};

/* 0 or -ENOMEM; magnet_classes_fini is due in both cases. */
int magnet_classes_init(struct magnet_classes *classes, const struct magnet_layout *layout);
/* Of zeros is fine. */
void magnet_classes_fini(struct magnet_classes *classes);
/* Of records with this number; NULL: they are losses. */
const struct event_class *magnet_classes_get(const struct magnet_classes *classes, uint32_t number);
/* Whether @class is one that was made so in this process, so that the payload of its events is
 * their record, and in @layout. */
bool magnet_class_is_own(const struct event_class *class, const struct magnet_layout *layout);

#define MAGNET_NAMES_MAX 32u

struct magnet_names {
	const char *names[MAGNET_NAMES_MAX]; /* "net.tcp_send"; each once */
	size_t count;
};

/* Adds our measurements that @patterns match, which stand in a list with commas, of those that MAGNeT has
 * a record for. -ENOENT: one matches none. */
int magnet_names_add(struct magnet_names *names, const char *patterns, struct diag *diag);

#endif /* SONDE_RECORD_FORMAT_MAGNET_MAGNET_RECORD_H */
