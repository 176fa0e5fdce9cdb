/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * magnet_table: the records of a MAGNeT file as magnet-parse prints them: tab-separated, a line each, in
 * the order of the struct, in numbers of this machine.
 */
#ifndef SONDE_RECORD_FORMAT_MAGNET_MAGNET_TABLE_H
#define SONDE_RECORD_FORMAT_MAGNET_MAGNET_TABLE_H

struct buffer;
struct event;
struct magnet_layout;

/* "time	sockid	...", the names of the columns. Those of the data field only where it is there. */
void magnet_table_head(const struct magnet_layout *layout, struct buffer *out);
/* The line of @event, which a magnet_source has given. */
void magnet_table_row(const struct magnet_layout *layout, const struct event *event,
		      struct buffer *out);

#endif /* SONDE_RECORD_FORMAT_MAGNET_MAGNET_TABLE_H */
