/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pm_sheet: entries made of events: which columns there are, where each comes from in each class of
 * events, and the head that describes them.
 */
#ifndef SONDE_RECORD_FORMAT_PM_PM_SHEET_H
#define SONDE_RECORD_FORMAT_PM_PM_SHEET_H

#include <stdbool.h>
#include <stdint.h>

struct buffer;
struct event;
struct event_class;
struct pm_sheet;
struct trace_info;

/* Values for the head, unless the source's own head has them. */
struct pm_sheet_config {
	const char *version; /* its first 8 bytes; borrowed until the sheet is freed */
	uint32_t cluster_bytes; /* what m_clused counts */
};

/* 0, -ENOMEM, -ENOTSUP: no class has snapshots, -E2BIG: no entry can have so many columns. */
int pm_sheet_new(const struct trace_info *info, const struct pm_sheet_config *config,
		 struct pm_sheet **ret);
/* NULL is fine. */
void pm_sheet_free(struct pm_sheet *sheet);

bool pm_sheet_takes(const struct pm_sheet *sheet, const struct event_class *class);
void pm_sheet_head(const struct pm_sheet *sheet, struct buffer *out);
void pm_sheet_lost(struct pm_sheet *sheet, uint64_t count);
void pm_sheet_entry(struct pm_sheet *sheet, const struct event *event, struct buffer *out);

#endif /* SONDE_RECORD_FORMAT_PM_PM_SHEET_H */
