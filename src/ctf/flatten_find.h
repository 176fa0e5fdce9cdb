/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * flatten_find: which value the length of a sequence or the tag of a variant is (CTF 1.8.3, 7.3.2).
 * Only ctf/flatten calls it.
 *
 * A path is looked for in the structure that holds the sequence or variant, then in those around it,
 * then in the scopes before: contexts, event header, packet context, packet header. What stands in an
 * item of a list, or in what a variant may choose, is seen only from in there.
 */
#ifndef SONDE_CTF_FLATTEN_FIND_H
#define SONDE_CTF_FLATTEN_FIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/field.h"

struct ctf_type;
struct flatten;

struct flatten_value {
	const struct ctf_type *type; /* an integer, for variants an enumeration */
	uint16_t slot; /* where it is kept */
	struct field_ref place; /* the field that it is, if it is one */
};

/* The last step is a number that may be looked for, and with @is_field the last field of the frame.
 * -ENOMEM or 0. */
int flatten_find_offer(struct flatten *flatten, const struct ctf_type *type, bool is_field);
/*
 * In CTF 2, what all options of a variant have is found behind it, by the name of the variant alone
 * (section 6.4.2). This is called behind each option, of which @before were there: its numbers are
 * those from @own on, and those from @first on are what all before it have. -ENOMEM or 0.
 */
int flatten_find_share(struct flatten *flatten, const char *option, size_t before, size_t first,
		       size_t own);
/* Behind all @options: what not each of them has is forgotten. */
void flatten_find_settle(struct flatten *flatten, size_t first, size_t options);
/* -ENOENT: none before it; -E2BIG: too many are kept already; -ENOMEM. */
int flatten_find(struct flatten *flatten, const struct ctf_type *type, struct flatten_value *ret);

#endif /* SONDE_CTF_FLATTEN_FIND_H */
