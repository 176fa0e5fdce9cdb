/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pm_terms: the snapshots of a .pm file as normalized events (tcp.snapshot): what pm_columns makes
 * of our tcp events, made back. Some of it can be derived from PSC's own columns: the acknowledged bytes, and
 * the bytes in the buffers. A congestion window stays in bytes if the segment size is unknown.
 */
#ifndef SONDE_RECORD_FORMAT_PM_PM_TERMS_H
#define SONDE_RECORD_FORMAT_PM_PM_TERMS_H

struct terms;
struct trace_info;

/* As schema/terms.h says. */
int pm_terms_new(const struct trace_info *info, struct terms **ret);

#endif /* SONDE_RECORD_FORMAT_PM_PM_TERMS_H */
