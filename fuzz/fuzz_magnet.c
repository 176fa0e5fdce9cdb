// SPDX-License-Identifier: BSD-2-Clause
/*
 * fuzz_magnet: any bytes as a MAGNeT file. Every field of every event is read, and every event made a
 * record again: in the file's own layout, where one that was no loss is what it was, and in another.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/diag.h"
#include "record_format/magnet/magnet_pack.h"
#include "record_format/magnet/magnet_record.h"
#include "record_format/magnet/magnet_source.h"
#include "schema/source.h"

#include "memory_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t look_at(const struct event *event)
{
	uint64_t sum = (uint64_t)event->time_ns;

	for (size_t i = 0; i < event->class->field_count; i++)
		sum = sum * 31 + event_uint(event, i);
	return sum;
}

/* Its timestamp may be another: where time goes back behind a MAGNET_SYSINFO. */
static void check_record(const struct magnet_layout *layout, const struct event *event,
			 const uint8_t *record)
{
	struct magnet_head was, is;

	magnet_head_load(layout, event->payload, &was);
	magnet_head_load(layout, record, &is);
	if (was.sockid != is.sockid || was.event != is.event || was.size != is.size)
		abort();
}

static uint64_t repack(struct magnet_packer *packer, const struct event *event, bool own)
{
	uint8_t record[MAGNET_RECORD_MAX_BYTES];
	uint64_t left = 0, sum = 0;

	do {
		if (!magnet_pack(packer, event, record, &left))
			break;
		if (own && event->class->role != EVENT_ROLE_LOST)
			check_record(&packer->layout, event, record);
		sum += record[magnet_record_bytes(&packer->layout) - 1];
	} while (left);
	return sum;
}

static uint64_t read_source(struct event_source *source, const struct magnet_layout *other)
{
	const struct trace_env *env = trace_info_env(source->info, MAGNET_ENV_LAYOUT);
	struct magnet_packer own = {0}, foreign = {0};
	struct magnet_layout layout;
	const struct event *events;
	uint8_t record[MAGNET_RECORD_MAX_BYTES];
	uint64_t sum = 0;
	int got;

	if (magnet_layout_parse(env->text, &layout) ||
	    magnet_packer_init(&own, source->info, &layout) ||
	    magnet_packer_init(&foreign, source->info, other))
		abort();
	magnet_pack_sysinfo(&own, 0, record);
	magnet_pack_sysinfo(&foreign, 0, record);
	while ((got = source->ops->next(source, &events)) > 0) {
		for (int i = 0; i < got; i++) {
			sum += look_at(&events[i]) + repack(&own, &events[i], true) +
			       repack(&foreign, &events[i], false);
		}
	}
	for (size_t i = 0; source->ops->problem(source, i); i++)
		sum += strlen(source->ops->problem(source, i));
	magnet_packer_fini(&own);
	magnet_packer_fini(&foreign);
	return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct magnet_layout other = {.wide = size & 1, .big_endian = size & 2, .data = size & 4};
	static volatile uint64_t sum;
	struct event_source *source;
	struct diag diag = {0};

	if (magnet_open(memory_file(data, size), "file", &source, &diag))
		return 0;
	sum += read_source(source, &other);
	(void)sum;
	source->ops->close(source);
	return 0;
}
