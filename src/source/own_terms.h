/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * own_terms: a source whose events of other formats are also given as normalized events (schema/terms.h),
 * each behind the one that it is made of. For code that computes from events: reports.
 */
#ifndef SONDE_SOURCE_OWN_TERMS_H
#define SONDE_SOURCE_OWN_TERMS_H

struct event_source;

/*
 * Takes over *@source, and puts one in its place that has all its events and the own ones; where it has
 * no event of such a format, and never will, it is unchanged. ops->renew needs @again. 0, or
 * -ENOMEM, and then it stays, too.
 */
int own_terms_add(struct event_source **source);

#endif /* SONDE_SOURCE_OWN_TERMS_H */
