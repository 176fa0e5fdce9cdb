/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * natural_tag: whether the labels of a number choose the options of a variant, as TSDL has it: by
 * their names alone.
 */
#ifndef SONDE_CTF_NATURAL_TAG_H
#define SONDE_CTF_NATURAL_TAG_H

#include <stdbool.h>
#include <stddef.h>

struct event_variant;
struct field;

/*
 * They do, and choose the same as the source has it: each option that has fields, none of them two,
 * with names that can be written as they are.
 */
bool natural_tag_fits(const struct event_variant *variant, const struct field *tag);
/* The label of @tag that chooses an option of @variant, or NULL. */
const char *natural_tag_label(const struct event_variant *variant, size_t option,
			      const struct field *tag);

#endif /* SONDE_CTF_NATURAL_TAG_H */
