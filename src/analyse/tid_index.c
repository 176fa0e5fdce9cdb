// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/tid_index.h"

#include <stdlib.h>

struct tid_index *tid_index_new(uint32_t limit)
{
	struct tid_index *index = calloc(1, sizeof(*index));

	if (index)
		index->limit = limit;
	return index;
}

void tid_index_free(struct tid_index *index)
{
	size_t i;

	if (!index)
		return;
	for (i = 0; i < TID_LIMIT / TID_PAGE; i++)
		free(index->pages[i]);
	free(index);
}

uint32_t tid_index_add(struct tid_index *index, int32_t tid)
{
	uint32_t **page, *slot;

	if ((uint32_t)tid >= TID_LIMIT)
		return 0;
	page = &index->pages[(uint32_t)tid / TID_PAGE];
	if (!*page) {
		if (index->count >= index->limit)
			return 0;
		*page = calloc(TID_PAGE, sizeof(**page));
		if (!*page)
			return 0;
	}
	slot = &(*page)[(uint32_t)tid % TID_PAGE];
	if (!*slot && index->count < index->limit)
		*slot = ++index->count;
	return *slot;
}
