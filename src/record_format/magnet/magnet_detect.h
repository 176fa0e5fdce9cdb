/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * magnet_detect: finds out which layout a MAGNeT file has, from its first bytes: the layout in which
 * its records make sense.
 */
#ifndef SONDE_RECORD_FORMAT_MAGNET_MAGNET_DETECT_H
#define SONDE_RECORD_FORMAT_MAGNET_MAGNET_DETECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct magnet_layout;

/* Of a file, enough to find its layout. */
#define MAGNET_DETECT_BYTES (64u << 10)

/* Whether @head, the first @len bytes of a file, begins with MAGNET_SYSINFO in any layout. */
bool magnet_detect_is(const uint8_t *head, size_t len);
/*
 * The layout in which the records of @head make sense. @size: of the whole file, 0 = not known.
 * -EBADMSG: it begins with MAGNET_SYSINFO in none.
 */
int magnet_detect_layout(const uint8_t *head, size_t len, uint64_t size, struct magnet_layout *ret);

#endif /* SONDE_RECORD_FORMAT_MAGNET_MAGNET_DETECT_H */
