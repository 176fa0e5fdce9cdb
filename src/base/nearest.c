// SPDX-License-Identifier: BSD-2-Clause
#include "base/nearest.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define NAME_MAX_BYTES 64u

static size_t min3(size_t a, size_t b, size_t c)
{
	size_t least = a < b ? a : b;

	return least < c ? least : c;
}

/*
 * Edits from @a to @b: a letter more, less or another, or two neighbours swapped (optimal string
 * alignment). Three rows of the table are kept.
 */
static size_t edit_distance(const char *a, size_t a_len, const char *b, size_t b_len)
{
	size_t rows[3][NAME_MAX_BYTES + 1];
	size_t *before = rows[0], *above = rows[1], *row = rows[2], *spare;
	size_t i, j;

	for (j = 0; j <= b_len; j++)
		above[j] = before[j] = j;
	for (i = 1; i <= a_len; i++) {
		row[0] = i;
		for (j = 1; j <= b_len; j++) {
			row[j] = min3(above[j] + 1, row[j - 1] + 1,
				      above[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				row[j] = min3(row[j], before[j - 2] + 1, SIZE_MAX);
		}
		spare = before;
		before = above;
		above = row;
		row = spare;
	}
	return above[b_len];
}

void nearest_init(struct nearest *near, const char *wanted)
{
	*near = (struct nearest){.wanted = wanted, .distance = SIZE_MAX};
}

void nearest_offer(struct nearest *near, const char *name)
{
	size_t wanted_len = strlen(near->wanted);
	size_t len = strlen(name);
	bool begins = wanted_len && strncmp(name, near->wanted, wanted_len) == 0;
	size_t distance;

	if (wanted_len > NAME_MAX_BYTES || len > NAME_MAX_BYTES)
		return;
	distance = edit_distance(near->wanted, wanted_len, name, len);
	if (!begins && distance > (len > 3 ? len / 3 : 1))
		return;
	if (begins)
		distance = distance > 0; /* as good as one edit */
	if (distance < near->distance) {
		near->distance = distance;
		near->name = name;
	}
}
