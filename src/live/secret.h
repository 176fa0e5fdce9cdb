/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * secret: files that nobody but their owner is to read: tokens, private keys.
 */
#ifndef SONDE_LIVE_SECRET_H
#define SONDE_LIVE_SECRET_H

struct diag;

/* -EACCES where others than its owner may use @path; -errno. */
int secret_check(const char *path, struct diag *diag);

#endif /* SONDE_LIVE_SECRET_H */
