/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * magnet_source: a MAGNeT file as a source of events, in the order of the file. The payload of an event
 * is its record.
 *
 * Every record comes, MAGNET_SYSINFO among them; those of MAGNET_LOST_EVENT as losses. Where time goes
 * back from one record to the next it stands still: what the record has is in its timestamp.
 */
#ifndef SONDE_RECORD_FORMAT_MAGNET_MAGNET_SOURCE_H
#define SONDE_RECORD_FORMAT_MAGNET_MAGNET_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct diag;
struct event;
struct event_source;
struct file_window;
struct magnet_layout;

/* The environment of such a source, and of what was made of one. */
#define MAGNET_ENV_LAYOUT "magnet_layout" /* "le64+data" */
#define MAGNET_ENV_RECORDS "magnet_records" /* that the file has room for; 0 = unknown */

/* What is not to be found out from the file. */
struct magnet_choice {
	const struct magnet_layout *layout; /* NULL: detected */
	uint64_t rate_hz; /* 0: as the file says */
};

bool magnet_is(const uint8_t *head, size_t len);
/* The source owns @file from here on, even if this fails. @name is for messages. */
int magnet_open(struct file_window *file, const char *name, struct event_source **ret,
		struct diag *diag);
int magnet_open_as(struct file_window *file, const char *name, const struct magnet_choice *choice,
		   struct event_source **ret, struct diag *diag);

/* The record that an @event of such a source was made of, a loss as well; only as the source gave it. */
const uint8_t *magnet_record_of(const struct event *event);

#endif /* SONDE_RECORD_FORMAT_MAGNET_MAGNET_SOURCE_H */
