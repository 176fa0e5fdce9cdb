/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * meas_cache: records of HP-UX's buffer cache measurements, from fs.*.
 *
 * Whether a read found its pages in the cache shows by what else the same task does: it has them read
 * ahead while it waits, or, where that is not recorded, takes them in. Some kernels tell of the read
 * before, some behind. So a record says that it hit, unless that is known better, and is held back for as
 * long as it may turn out wrong: making->hold is the first held record.
 */
#ifndef SONDE_RECORD_FORMAT_MEAS_MEAS_CACHE_H
#define SONDE_RECORD_FORMAT_MEAS_MEAS_CACHE_H

#include <stdint.h>

struct event;
struct meas_cache;
struct meas_making;
struct trace_info;

/* NULL: no memory. Borrows the classes of @info. */
struct meas_cache *meas_cache_new(const struct trace_info *info);
/* NULL is fine. */
void meas_cache_free(struct meas_cache *cache);
void meas_cache_take(struct meas_cache *cache, const struct event *event,
		     struct meas_making *making);
/* The time is @now_ns: releases records that were held back for long enough. */
void meas_cache_settle(struct meas_cache *cache, int64_t now_ns, struct meas_making *making);
/* Events are missing here. */
void meas_cache_lose(struct meas_cache *cache);

#endif /* SONDE_RECORD_FORMAT_MEAS_MEAS_CACHE_H */
