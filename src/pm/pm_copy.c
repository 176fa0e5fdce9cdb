// SPDX-License-Identifier: BSD-2-Clause
#include "pm/pm_copy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "pm/pm_head.h"
#include "pm/pm_layout.h"
#include "pm/pm_order.h"
#include "pm/pm_reader.h"
#include "schema/event.h"
#include "schema/problem_list.h"
#include "schema/trace_info.h"

struct pm_copy {
	const struct trace_info *info;
	uint32_t entry_bytes;
	struct pm_place seq_no;
	bool any; /* an entry was written */
	uint64_t last; /* sequence number of the last, as it came */
	uint64_t lost; /* since then */
	uint64_t left_out; /* numbers that later ones close up by */
};

static int find_place(struct pm_copy *copy)
{
	struct problem_list problems; /* the reader has told them */
	struct pm_layout layout;
	struct pm_head head;
	int err;

	problem_list_init(&problems);
	err = pm_head_parse(copy->info->head, copy->info->head_bytes, &head, &problems, NULL);
	if (!err) {
		err = pm_layout_init(&layout, &head, &problems);
		copy->entry_bytes = head.entry_bytes;
		pm_head_fini(&head);
	}
	if (!err) {
		copy->seq_no = layout.seq_no;
		pm_layout_fini(&layout);
	}
	problem_list_fini(&problems);
	return err;
}

int pm_copy_new(const struct trace_info *info, struct pm_copy **ret)
{
	struct pm_copy *copy = calloc(1, sizeof(*copy));
	int err = -ENOMEM;

	if (copy) {
		copy->info = info;
		err = find_place(copy);
	}
	if (err) {
		free(copy);
		return err == -ENOMEM ? err : 0;
	}
	*ret = copy;
	return 0;
}

void pm_copy_free(struct pm_copy *copy)
{
	free(copy);
}

bool pm_copy_takes(const struct pm_copy *copy, const struct event_class *class)
{
	return !strcmp(class->name, PM_CLASS_NAME) && class->payload_bytes >= copy->entry_bytes;
}

void pm_copy_head(const struct pm_copy *copy, struct buffer *out)
{
	buffer_append(out, copy->info->head, copy->info->head_bytes);
}

void pm_copy_lost(struct pm_copy *copy, uint64_t count)
{
	copy->lost += count;
}

/* Counts the numbers in front of @seq_no that are missing and were not lost. */
static void close_up(struct pm_copy *copy, uint64_t seq_no)
{
	uint64_t mask = UINT64_MAX >> (64 - 8 * copy->seq_no.bytes);
	uint64_t step = (seq_no - copy->last) & mask;

	/* One that goes back has begun anew. */
	if (copy->any && step > copy->lost + 1 && step <= mask / 2)
		copy->left_out += step - copy->lost - 1;
	copy->any = true;
	copy->last = seq_no;
	copy->lost = 0;
}

void pm_copy_entry(struct pm_copy *copy, const struct event *event, struct buffer *out)
{
	const struct pm_place *place = &copy->seq_no;
	uint8_t *entry = (uint8_t *)buffer_reserve(out, copy->entry_bytes);
	uint64_t seq_no;

	if (!entry)
		return;
	memcpy(entry, event->payload, copy->entry_bytes);
	buffer_advance(out, copy->entry_bytes);
	if (!place->bytes)
		return;
	seq_no = pm_order_load(entry + place->offset, place->bytes, place->order);
	close_up(copy, seq_no);
	if (copy->left_out)
		pm_order_store(entry + place->offset, seq_no - copy->left_out, place->bytes,
			       place->order);
}
