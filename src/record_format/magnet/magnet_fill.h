/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * magnet_fill: events of a source into a MAGNeT file, until either ends.
 *
 * The last record of a file is kept for a MAGNET_LOST_EVENT that counts what it had no room for.
 */
#ifndef SONDE_RECORD_FORMAT_MAGNET_MAGNET_FILL_H
#define SONDE_RECORD_FORMAT_MAGNET_MAGNET_FILL_H

#include <stdbool.h>
#include <stdint.h>

#include "record_format/magnet/magnet_pack.h"

struct event_source;
struct magnet_file;

struct magnet_fill {
	struct magnet_file *file;
	struct event_source *source;
	struct magnet_packer packer;
	uint64_t added; /* records, those that tell of clocks not counted */
	uint64_t lost; /* events, those that the full file had no room for among them */
	uint64_t turned_away; /* these alone */
	int64_t last_ns;
	bool full;
};

/* Whether the file has room for anything. */
bool magnet_fill_can(const struct magnet_file *file);
/* Borrows both. 0 or -ENOMEM. */
int magnet_fill_init(struct magnet_fill *fill, struct magnet_file *file,
		     struct event_source *source);
void magnet_fill_fini(struct magnet_fill *fill);

/* What the source has next: 1; 0 where it has ended or the file is full; -ESTALE: the file has become
 * smaller; or an error of the source. -EAGAIN is not an error, and 1. */
int magnet_fill_step(struct magnet_fill *fill);
/* Reports the events for which the file had no room. */
void magnet_fill_finish(struct magnet_fill *fill);

#endif /* SONDE_RECORD_FORMAT_MAGNET_MAGNET_FILL_H */
