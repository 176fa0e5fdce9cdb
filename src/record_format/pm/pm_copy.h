/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pm_copy: the entries of a .pm file, all or some of them, as they were, behind the head that they
 * had: from the file itself, or from a trace that was made of it and keeps the head (PM_ENV_HEAD). Where a
 * selection left entries out, numbers close up: a gap means that events were lost.
 */
#ifndef SONDE_RECORD_FORMAT_PM_PM_COPY_H
#define SONDE_RECORD_FORMAT_PM_PM_COPY_H

#include <stdbool.h>
#include <stdint.h>

struct buffer;
struct diag;
struct event;
struct event_class;
struct pm_copy;
struct trace_info;

/*
 * Borrows @info. 0 and *@ret untouched if entries have to be made again: @note says why if the trace once had
 * a head. -ENOMEM.
 */
int pm_copy_new(const struct trace_info *info, struct pm_copy **ret, struct diag *note);
/* NULL is fine. */
void pm_copy_free(struct pm_copy *copy);

bool pm_copy_takes(const struct pm_copy *copy, const struct event_class *class);
void pm_copy_head(const struct pm_copy *copy, struct buffer *out);
void pm_copy_lost(struct pm_copy *copy, uint64_t count);
void pm_copy_entry(struct pm_copy *copy, const struct event *event, struct buffer *out);

#endif /* SONDE_RECORD_FORMAT_PM_PM_COPY_H */
