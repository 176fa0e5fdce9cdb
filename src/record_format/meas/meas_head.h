/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * meas_head: the head of a measurement-system file, and whether its version fits ours.
 */
#ifndef SONDE_RECORD_FORMAT_MEAS_MEAS_HEAD_H
#define SONDE_RECORD_FORMAT_MEAS_MEAS_HEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/meas.h"

struct buffer;
struct diag;

struct meas_head {
	bool big_endian;
	bool wide;
	uint16_t release;
	uint16_t bytes; /* of the head: bytes after the known part are skipped */
	char version[MEAS_VERSION_BYTES];
};

enum meas_fit {
	MEAS_FIT_SAME,
	MEAS_FIT_HARMLESS, /* another revision of the same form */
	MEAS_FIT_UNKNOWN, /* not in a form that could tell */
	MEAS_FIT_WRONG, /* what is read would be wrong */
};

/* Whether @bytes, the first of a file, begin with a head. */
bool meas_head_is(const uint8_t *bytes, size_t len);
/* -EBADMSG with the diag: damaged, or there are fewer than MEAS_HEAD_BYTES; -ENOTSUP: of a kind that
 * is not known. */
int meas_head_unpack(struct meas_head *head, const uint8_t *bytes, size_t len, struct diag *diag);
void meas_head_pack(const struct meas_head *head, struct buffer *out);

/* Whether a file of @version can be read. Where it is not ours, the diag has the sentence that the
 * original had for it, and what comes of it. */
enum meas_fit meas_head_fit(const char *version, struct diag *diag);

#endif /* SONDE_RECORD_FORMAT_MEAS_MEAS_HEAD_H */
