/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pm_copy: the entries of a .pm file, all or some of them, as they are, behind the head that they
 * had. Where a selection left entries out, numbers close up: a gap means that events were lost.
 */
#ifndef SONDE_PM_PM_COPY_H
#define SONDE_PM_PM_COPY_H

#include <stdbool.h>
#include <stdint.h>

struct buffer;
struct event;
struct event_class;
struct pm_copy;
struct trace_info;

/* Borrows @info. 0 and *@ret untouched where it is no .pm file's; -ENOMEM. */
int pm_copy_new(const struct trace_info *info, struct pm_copy **ret);
/* NULL is fine. */
void pm_copy_free(struct pm_copy *copy);

bool pm_copy_takes(const struct pm_copy *copy, const struct event_class *class);
void pm_copy_head(const struct pm_copy *copy, struct buffer *out);
void pm_copy_lost(struct pm_copy *copy, uint64_t count);
void pm_copy_entry(struct pm_copy *copy, const struct event *event, struct buffer *out);

#endif /* SONDE_PM_PM_COPY_H */
