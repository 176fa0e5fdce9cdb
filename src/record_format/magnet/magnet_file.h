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

#include "record_format/magnet/magnet_record.h"

#define MAGNET_FILE_MAX_BYTES (1ull << 40)
#define MAGNET_FILE_MIN_RECORDS 4u /* two that tell of the clock and of losses, and two others */

struct diag;
struct magnet_file;

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
