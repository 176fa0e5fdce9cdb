/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * meas_reader: a measurement-system file as a source of events.
 *
 * Its environment describes the file: meas_version, meas_release ("3.0"), meas_order ("big",
 * "little"), meas_wide (0 or 1). Writing the events again makes the same bytes.
 */
#ifndef SONDE_RECORD_FORMAT_MEAS_MEAS_READER_H
#define SONDE_RECORD_FORMAT_MEAS_MEAS_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct diag;
struct event_source;
struct file_window;

/* Whether a file that begins so is one. */
bool meas_reader_is(const uint8_t *head, size_t len);
/* The source owns @file from here on, even if this fails: -EBADMSG, -ENOTSUP. */
int meas_reader_open(struct file_window *file, const char *name, struct event_source **ret,
		     struct diag *diag);

#endif /* SONDE_RECORD_FORMAT_MEAS_MEAS_READER_H */
