/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * natural_text: trees of nodes (ctf/natural_node.h) as TSDL. Only ctf/natural calls it.
 */
#ifndef SONDE_CTF_NATURAL_TEXT_H
#define SONDE_CTF_NATURAL_TEXT_H

struct buffer;
struct natural_node;

/* "struct { ... }", in a block. */
void natural_text_write(struct buffer *out, const struct natural_node *root);

#endif /* SONDE_CTF_NATURAL_TEXT_H */
