/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pm_terms: the snapshots of a .pm file in Sonde's own terms, as tcp.snapshot: what pm_columns makes
 * of our tcp events, made back. Of PSC's own columns some of that follows: what is acknowledged, and
 * what lies in the buffers. A congestion window stays in bytes where nothing tells of segments.
 */
#ifndef SONDE_PM_PM_TERMS_H
#define SONDE_PM_PM_TERMS_H

struct terms;
struct trace_info;

/* As schema/terms.h says. */
int pm_terms_new(const struct trace_info *info, struct terms **ret);

#endif /* SONDE_PM_PM_TERMS_H */
