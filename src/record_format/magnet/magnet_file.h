/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * magnet_file: a MAGNeT file of a fixed size that is filled through its mapping, as magnet-read does.
 *
 * A record is in it once its timestamp is, which is written last: a reader during that time, or after
 * the writer was killed, finds whole records. All of the file is on the disk beforehand, so that
 * writing to the mapping cannot fail for want of room.
 */
#ifndef SONDE_RECORD_FORMAT_MAGNET_MAGNET_FILE_H
#define SONDE_RECORD_FORMAT_MAGNET_MAGNET_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record_format/magnet/magnet_pack.h"
#include "record_format/magnet/magnet_record.h"

/*
 * Events of a source into a MAGNeT file, until either ends.
 *
 * The last record of a file is kept for a MAGNET_LOST_EVENT that counts what it had no room for.
 */

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

#define MAGNET_FILE_MAX_BYTES (1ull << 40)
#define MAGNET_FILE_MIN_RECORDS 4u /* two that tell of the clock and of losses, and two others */

struct diag;

/* Makes @name, with room for @records, of which the first is MAGNET_SYSINFO at @now_ns. -EEXIST: it is
 * there and @force is not given; -EINVAL, -E2BIG: too few records, or too many. No half-made file
 * stays. */
int magnet_file_create(const char *name, const struct magnet_layout *layout, uint64_t records,
		       bool force, int64_t now_ns, struct diag *diag);

/* -EBADMSG: not a MAGNeT file; -EBUSY: another process fills it. */
int magnet_file_open(const char *name, struct magnet_file **ret, struct diag *diag);
const struct magnet_layout *magnet_file_layout(const struct magnet_file *file);
uint64_t magnet_file_records(const struct magnet_file *file); /* used, the first included */
uint64_t magnet_file_room(const struct magnet_file *file); /* all that it can have */

/* Writes the record that describes the clock: the first if the file is empty, else the next. -ENOSPC. */
int magnet_file_begin(struct magnet_file *file, const uint8_t *record);
/* -ENOSPC: it is full. */
int magnet_file_add(struct magnet_file *file, const uint8_t *record);
/* Whether the file is still as large as it was: bytes that are gone must not be touched. */
bool magnet_file_is_whole(const struct magnet_file *file);
/* NULL is fine. 0, or -errno of bringing it to the disk. */
int magnet_file_close(struct magnet_file *file);

#endif /* SONDE_RECORD_FORMAT_MAGNET_MAGNET_FILE_H */
