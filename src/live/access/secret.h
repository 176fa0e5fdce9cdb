/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * secret: files that only their owner may read, this user or root: tokens, private keys.
 */
#ifndef SONDE_LIVE_ACCESS_SECRET_H
#define SONDE_LIVE_ACCESS_SECRET_H

struct diag;

/* -EACCES: other users may use @path, or it is theirs; -errno. */
int secret_check(const char *path, struct diag *diag);

#endif /* SONDE_LIVE_ACCESS_SECRET_H */
