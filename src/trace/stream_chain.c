// SPDX-License-Identifier: BSD-2-Clause
#include "trace/stream_chain.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/io.h"
#include "ctf/packet_index.h"
#include "trace/index_last.h"
#include "trace/stream_input.h"
#include "wire/frame.h"

struct stream_part {
	char *name;
	size_t stem; /* so much of the name is in front of its number; 0 = it has none */
	struct index_packet first;
	struct index_packet last;
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
	return end < len && end > 1 && name[end - 1] == '_' ? end - 1 : 0;
}

static int read_ends(int dir, const char *name, struct stream_part *part)
{
	int fd = stream_input_index(dir, name), err;
	struct stat st;

	if (fd < 0)
		return fd;
	err = fstat(fd, &st)				? -errno :
	      index_first(fd, st.st_size, &part->first) ?:
							  index_last(fd, st.st_size, &part->last);
	(void)fd_close(fd);
	return err;
}

int stream_chain_add(struct stream_chain *chain, int dir, const char *name)
{
	struct stream_part part = {.stem = stem_of(name)}, *parts;

	if (!part.stem || read_ends(dir, name, &part))
		return 0;
	parts = reallocarray(chain->parts, chain->count + 1, sizeof(*parts));
	if (!parts)
		return -ENOMEM;
	chain->parts = parts;
	part.name = strdup(name);
	if (!part.name)
		return -ENOMEM;
	parts[chain->count++] = part;
	return 0;
}

static const struct stream_part *find(const struct stream_chain *chain, const char *name)
{
	for (size_t i = 0; i < chain->count; i++) {
		if (!strcmp(chain->parts[i].name, name))
			return &chain->parts[i];
	}
	return NULL;
}

/* @part ends before @next begins, and both are of one stream. */
static bool is_before(const struct stream_part *part, const struct stream_part *next)
{
	return part->stem == next->stem && !memcmp(part->name, next->name, next->stem) &&
	       part->last.stream_id == next->first.stream_id &&
	       part->last.instance_id == next->first.instance_id &&
	       part->last.sequence < next->first.sequence;
}

bool stream_chain_before(const struct stream_chain *chain, const char *name,
			 struct stream_before *ret)
{
	const struct stream_part *next = find(chain, name), *before = NULL;

	for (size_t i = 0; next && i < chain->count; i++) {
		const struct stream_part *part = &chain->parts[i];

		if (is_before(part, next) &&
		    (!before || part->last.sequence > before->last.sequence))
			before = part;
	}
	if (before)
		*ret = (struct stream_before){before->last.sequence, before->last.discarded};
	return before;
}
