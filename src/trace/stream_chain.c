// SPDX-License-Identifier: BSD-2-Clause
#include "trace/stream_chain.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ctf/trace_class.h"
#include "trace/stream_ends.h"
#include "trace/stream_reader.h"
#include "wire/frame.h"

struct stream_part {
	char *name;
	size_t stem; /* so much of the name is in front of its number; all of it where it has none */
	const struct ctf_trace_class *trace; /* NULL: all parts are of one trace */
	struct stream_reader *reader; /* NULL: no one asks but stream_chain_before */
	bool has_ends;
	struct stream_ends ends;
	const struct stream_part *before; /* the part that this one continues; NULL = none */
};

void stream_chain_init(struct stream_chain *chain)
{
	*chain = (struct stream_chain){0};
}

void stream_chain_fini(struct stream_chain *chain)
{
	for (size_t i = 0; i < chain->count; i++)
		free(chain->parts[i].name);
	free(chain->parts);
	stream_chain_init(chain);
}

/* "ch_0" of "ch_0_12" and of "ch_0_12.zst". */
static size_t stem_of(const char *name)
{
	size_t len = strlen(name), suffix = strlen(FRAME_SUFFIX), end;

	if (len > suffix && !strcmp(name + len - suffix, FRAME_SUFFIX))
		len -= suffix;
	for (end = len; end && name[end - 1] >= '0' && name[end - 1] <= '9'; end--)
		;
	return end < len && end > 1 && name[end - 1] == '_' ? end - 1 : len;
}

static int add_part(struct stream_chain *chain, const char *name, const struct stream_part *part)
{
	struct stream_part *parts = chain->parts;

	if (!(chain->count & (chain->count - 1))) /* it has room for powers of two */
		parts = reallocarray(parts, chain->count ? 2 * chain->count : 1, sizeof(*parts));
	if (!parts)
		return -ENOMEM;
	chain->parts = parts;
	parts[chain->count] = *part;
	parts[chain->count].name = strdup(name);
	parts[chain->count].stem = stem_of(name);
	return parts[chain->count].name ? (chain->count++, 0) : -ENOMEM;
}

int stream_chain_add(struct stream_chain *chain, const struct ctf_trace_class *trace,
		     struct stream_reader *reader)
{
	const struct stream_part part = {.trace = trace, .reader = reader};

	return add_part(chain, stream_reader_name(reader), &part);
}

int stream_chain_add_file(struct stream_chain *chain, int dir, const char *name)
{
	struct stream_part part = {.has_ends = true};

	return stream_ends_by_index(dir, name, &part.ends) ? add_part(chain, name, &part) : 0;
}

static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* Traces without a UUID are each of their own. */
static int compare_traces(const struct ctf_trace_class *a, const struct ctf_trace_class *b)
{
	if (a == b)
		return 0;
	if (a && b && a->has_uuid && b->has_uuid)
		return memcmp(a->uuid, b->uuid, CTF_UUID_BYTES);
	return compare_numbers((uintptr_t)a, (uintptr_t)b);
}

/* By what is known without reading: parts that are equal in this may be of one stream. */
static int compare_families(const void *left, const void *right)
{
	const struct stream_part *a = left, *b = right;

	return compare_traces(a->trace, b->trace)	 ?:
		       compare_numbers(a->stem, b->stem) ?:
							   memcmp(a->name, b->name, a->stem);
}

/* Within a family. Where packets do not tell their instance, the whole name has to. */
static int compare_streams(const struct stream_part *a, const struct stream_part *b)
{
	const struct stream_ends *x = &a->ends, *y = &b->ends;

	return compare_numbers(b->has_ends, a->has_ends)		 ?:
		       compare_numbers(x->has_instance, y->has_instance) ?:
		       compare_numbers(x->stream_id, y->stream_id)	 ?:
		       compare_numbers(x->instance_id, y->instance_id)	 ?:
		       x->has_instance					 ? 0 :
									   strcmp(a->name, b->name);
}

static int compare_parts(const void *left, const void *right)
{
	const struct stream_part *a = left, *b = right;

	return compare_streams(a, b) ?:
				       compare_numbers(a->ends.last_sequence, b->ends.last_sequence);
}

/* Of the parts from @low on, up to @next, which are of its stream: the last that ends before @next begins. */
static const struct stream_part *find_before(const struct stream_part *low,
					     const struct stream_part *next)
{
	const struct stream_part *end = next;

	while (low < end) {
		const struct stream_part *middle = low + (end - low) / 2;

		if (middle->ends.last_sequence < next->ends.first_sequence)
			low = middle + 1;
		else
			end = middle;
	}
	return low;
}

static void link_family(struct stream_part *parts, size_t count)
{
	struct stream_part *first = parts;

	for (size_t i = 0; i < count; i++)
		if (!parts[i].has_ends && parts[i].reader)
			parts[i].has_ends = stream_reader_ends(parts[i].reader, &parts[i].ends);
	qsort(parts, count, sizeof(*parts), compare_parts);
	for (struct stream_part *part = parts; part < parts + count && part->has_ends; part++) {
		const struct stream_part *behind;

		if (compare_streams(first, part))
			first = part;
		behind = find_before(first, part);
		part->before = behind > first ? behind - 1 : NULL;
	}
}

static struct stream_before before_of(const struct stream_part *part)
{
	return (struct stream_before){part->before->ends.last_sequence,
				      part->before->ends.discarded};
}

void stream_chain_link(struct stream_chain *chain)
{
	size_t first = 0;

	if (chain->count)
		qsort(chain->parts, chain->count, sizeof(*chain->parts), compare_families);
	for (size_t i = 1; i <= chain->count; i++) {
		if (i < chain->count && !compare_families(&chain->parts[first], &chain->parts[i]))
			continue;
		if (i - first > 1)
			link_family(&chain->parts[first], i - first);
		first = i;
	}
	for (size_t i = 0; i < chain->count; i++) {
		const struct stream_part *part = &chain->parts[i];
		struct stream_before before;

		if (!part->before || !part->reader)
			continue;
		before = before_of(part);
		stream_reader_continue(part->reader, &before);
	}
}

bool stream_chain_before(const struct stream_chain *chain, const char *name,
			 struct stream_before *ret)
{
	for (size_t i = 0; i < chain->count; i++) {
		if (strcmp(chain->parts[i].name, name) || !chain->parts[i].before)
			continue;
		*ret = before_of(&chain->parts[i]);
		return true;
	}
	return false;
}
