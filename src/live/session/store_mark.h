/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * store_mark: marks a folder that a relay has stored, and says whether one still stores to it. A
 * hidden file, ".sonde-relay", with the inode number of the folder in it, so that a copy does not
 * count; the storing relay holds a lock on it.
 */
#ifndef SONDE_LIVE_SESSION_STORE_MARK_H
#define SONDE_LIVE_SESSION_STORE_MARK_H

#include <stdbool.h>
#include <stdint.h>

struct store_mark {
	uint64_t inode; /* of the mark */
	bool held; /* a relay stores there */
};

/* Marks the folder @dir, until *@fd is closed as one that is being stored to. The caller closes it. */
int store_mark_make(int dir, int *fd, uint64_t *inode);
/* False: it has no mark, or another folder's. */
bool store_mark_look(int dir, struct store_mark *ret);
/* Removes it from a folder that is removed next. */
void store_mark_remove(int dir);

#endif /* SONDE_LIVE_SESSION_STORE_MARK_H */
