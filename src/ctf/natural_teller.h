/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * natural_teller: the length field of a sequence, and the tag field of a variant.
 *
 * That is a field of the source, if readers find it: by the path that the node gets. A length or a tag that
 * no field of the source holds, or that babeltrace2 2.0 does not find where the field is, gets a node of its
 * own in front of the type that needs it; our readers hide it (sonde-trace(5)). Only
 * ctf/natural_type calls this.
 */
#ifndef SONDE_CTF_NATURAL_TELLER_H
#define SONDE_CTF_NATURAL_TELLER_H

struct field;
struct natural_frame;
struct natural_maker;
struct natural_node;
struct natural_place;

/* Of @node, a sequence in @frame: the path to its length, or a length of its own. */
void natural_teller_length(struct natural_maker *maker, struct natural_place *place,
			   const struct natural_frame *frame, struct natural_node *node);
/* Of @node, a variant in @frame: its tag, a field of the source, or NULL: a tag of its own. */
const struct field *natural_teller_tag(struct natural_maker *maker, struct natural_place *place,
				       const struct natural_frame *frame,
				       struct natural_node *node);

#endif /* SONDE_CTF_NATURAL_TELLER_H */
