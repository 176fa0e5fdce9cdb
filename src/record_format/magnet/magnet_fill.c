// SPDX-License-Identifier: BSD-2-Clause
#include "record_format/magnet/magnet_fill.h"

#include <errno.h>
#include <string.h>

#include "record_format/magnet/magnet_file.h"
#include "schema/lost.h"
#include "schema/source.h"

bool magnet_fill_can(const struct magnet_file *file)
{
	return magnet_file_records(file) + 1 < magnet_file_room(file);
}

int magnet_fill_init(struct magnet_fill *fill, struct magnet_file *file,
		     struct event_source *source)
{
	*fill = (struct magnet_fill){.file = file, .source = source};
	return magnet_packer_init(&fill->packer, source->info, magnet_file_layout(file));
}

void magnet_fill_fini(struct magnet_fill *fill)
{
	magnet_packer_fini(&fill->packer);
}

static void begin(struct magnet_fill *fill, int64_t first_ns)
{
	uint8_t record[MAGNET_RECORD_MAX_BYTES];

	magnet_pack_sysinfo(&fill->packer, first_ns, record);
	(void)magnet_file_begin(fill->file, record);
}

static uint64_t losses_of(const struct event *event)
{
	struct lost_payload lost;

	if (event->class->role != EVENT_ROLE_LOST)
		return 0;
	memcpy(&lost, event->payload, sizeof(lost));
	return lost.count;
}

/* @events: the number that it stands for. */
static void turn_away(struct magnet_fill *fill, uint64_t events)
{
	fill->full = true;
	fill->turned_away += events;
}

static void add(struct magnet_fill *fill, const struct event *event)
{
	uint8_t record[MAGNET_RECORD_MAX_BYTES];
	bool is_loss = event->class->role == EVENT_ROLE_LOST;
	uint64_t left = 0;

	fill->lost += losses_of(event);
	fill->last_ns = event->time_ns;
	if (!fill->packer.has_clock && magnet_fill_can(fill->file))
		begin(fill, event->time_ns);
	do {
		uint64_t told = !is_loss ? 1 : left ?: losses_of(event);

		if (magnet_fill_can(fill->file) &&
		    !magnet_pack(&fill->packer, event, record, &left))
			return;
		if (!magnet_fill_can(fill->file) || magnet_file_add(fill->file, record)) {
			turn_away(fill, told);
			fill->lost += !is_loss;
			return;
		}
		fill->added++;
	} while (left);
}

int magnet_fill_step(struct magnet_fill *fill)
{
	const struct event *events;
	int got = fill->full ? 0 : fill->source->ops->next(fill->source, &events);

	if (got == -EAGAIN)
		return 1;
	if (got <= 0)
		return got;
	if (!magnet_file_is_whole(fill->file))
		return -ESTALE;
	for (int i = 0; i < got; i++) {
		if (magnet_packer_takes(&fill->packer, events[i].class))
			add(fill, &events[i]);
	}
	return !fill->full;
}

void magnet_fill_finish(struct magnet_fill *fill)
{
	uint8_t record[MAGNET_RECORD_MAX_BYTES];
	uint64_t count = fill->turned_away;

	if (!count)
		return;
	magnet_pack_lost(&fill->packer, fill->last_ns,
			 count < INT32_MAX ? (int32_t)count : INT32_MAX, record);
	(void)magnet_file_add(fill->file, record);
}
