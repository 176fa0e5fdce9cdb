/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * natural_pack: trees of nodes (ctf/natural_node.h) filled from events. Only ctf/natural calls it.
 */
#ifndef SONDE_CTF_NATURAL_PACK_H
#define SONDE_CTF_NATURAL_PACK_H

struct buffer;
struct event;
struct natural_node;
struct pen;

/* Writes what @root is of @event, and finds room for it in @out, where the packet is. -ENOMEM. */
int natural_pack_tree(struct pen *pen, struct buffer *out, const struct natural_node *root,
		      const struct event *event);

#endif /* SONDE_CTF_NATURAL_PACK_H */
