/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * viewer_attach: the begin and the end of a viewer's stay at a relay: which sessions it has, those of them that
 * are wanted, and a word when nothing more is.
 */
#ifndef SONDE_LIVE_VIEWER_VIEWER_ATTACH_H
#define SONDE_LIVE_VIEWER_VIEWER_ATTACH_H

#include <stdint.h>

struct diag;
struct live_url;
struct viewer;
struct viewer_set;

/* Attaches all of the name in @url by @viewer, which has greeted. @seek: enum live_seek. Errors as
 * viewer_feed_attach: the set then has some of them. */
int viewer_attach(struct viewer_set *set, struct viewer *viewer, const struct live_url *url,
		  uint32_t seek, struct diag *diag);
/* Tells the relay that nothing more is wanted, as far as that can be done at once. */
void viewer_detach(struct viewer_set *set, struct viewer *viewer);

#endif /* SONDE_LIVE_VIEWER_VIEWER_ATTACH_H */
