// SPDX-License-Identifier: BSD-2-Clause
#include "ctf/natural_tag.h"

#include <stdint.h>
#include <string.h>

#include "ctf/metadata_field.h"
#include "schema/field.h"
#include "schema/variant.h"
#include "wire/ctf.h"

#define NO_OPTION SIZE_MAX

/* As ctf_type_member: a leading underscore only keeps names apart from keywords. */
static size_t find_option(const struct event_variant *variant, const char *label)
{
	if (label[0] == '_' && label[1])
		label++;
	for (size_t i = 0; i < variant->option_count; i++) {
		if (!strcmp(variant->options[i].name, label))
			return i;
	}
	return NO_OPTION;
}

const char *natural_tag_label(const struct event_variant *variant, size_t option,
			      const struct field *tag)
{
	for (size_t i = 0; i < tag->label_count; i++) {
		if (find_option(variant, tag->labels[i].name) == option)
			return tag->labels[i].name;
	}
	return NULL;
}

/* The labels choose what the source chooses, in the same order. */
static bool is_same(const struct event_variant *variant, const struct field *tag)
{
	size_t count = 0;

	for (size_t i = 0; i < tag->label_count; i++) {
		const struct field_label *label = &tag->labels[i];
		size_t option = find_option(variant, label->name);
		const struct event_choice *choice = &variant->choices[count];

		if (option == NO_OPTION)
			continue;
		if (count == variant->choice_count || choice->option != option ||
		    choice->first != label->first || choice->last != label->last ||
		    strcmp(natural_tag_label(variant, option, tag), label->name) != 0)
			return false;
		count++;
	}
	return count == variant->choice_count;
}

static bool is_less(int64_t a, int64_t b, bool is_signed)
{
	return is_signed ? a < b : (uint64_t)a < (uint64_t)b;
}

/* Of labels that overlap the first one wins here, and elsewhere they are an error. */
static bool overlap(const struct event_variant *variant, bool is_signed)
{
	for (size_t i = 0; i < variant->choice_count; i++) {
		for (size_t j = 0; j < i; j++) {
			const struct event_choice *a = &variant->choices[i];
			const struct event_choice *b = &variant->choices[j];

			if (!is_less(a->last, b->first, is_signed) &&
			    !is_less(b->last, a->first, is_signed))
				return true;
		}
	}
	return false;
}

bool natural_tag_fits(const struct event_variant *variant, const struct field *tag)
{
	if (tag->kind != FIELD_INT || field_is_many(tag) || !tag->label_count ||
	    variant->optional || variant->choice_count > CTF_CHOICES_MAX ||
	    !is_same(variant, tag) || overlap(variant, tag->is_signed))
		return false;
	for (size_t i = 0; i < variant->option_count; i++) {
		const struct event_option *option = &variant->options[i];
		const char *label = natural_tag_label(variant, i, tag);

		if (label ? !metadata_is_name(label) : option->first != option->end)
			return false;
	}
	return true;
}
