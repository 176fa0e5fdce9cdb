/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * meas_making: a file of records while it is made: which measurements are on, of which release, and the
 * bytes that are not yet on their way.
 *
 * meas_sched, meas_disc and meas_cache make records of our events; each is given every event, in order.
 */
#ifndef SONDE_RECORD_FORMAT_MEAS_MEAS_MAKING_H
#define SONDE_RECORD_FORMAT_MEAS_MEAS_MAKING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "record_format/meas/meas_form.h"
#include "record_format/meas/meas_record.h"
#include "schema/event.h"

#define MEAS_IDS_MAX 256u
#define MEAS_HIT_AT (MEAS_RECORD_HEAD_BYTES + 4u * 5) /* of the hit word in a record of the cache */

struct meas_making {
	uint16_t release;
	struct meas_layout layout;
	bool on[MEAS_IDS_MAX];
	struct buffer bytes;
	uint64_t base; /* how many bytes have gone before `bytes` */
	uint64_t hold; /* from here on they may still change; UINT64_MAX = none does */
	uint64_t slots[MEAS_RECORD_SLOTS_MAX];
};

/* Where in the file the next record will be. */
static inline uint64_t meas_making_at(const struct meas_making *making)
{
	return making->base + making->bytes.len;
}

/* A record of @form that happened with @event; its values are in making->slots. */
static inline void meas_making_put(struct meas_making *making, const struct meas_form *form,
				   const struct event *event)
{
	const struct meas_record record = {
		.form = form,
		.time_ns = event->time_ns,
		.cpu = event->cpu,
		.tid = event->tid,
		.slots = making->slots,
	};

	meas_record_pack(&record, &making->layout, &making->bytes);
}

/* The number of a field that may be missing. */
static inline uint64_t meas_making_uint(const struct event *event, int field)
{
	return field < 0 ? 0 : event_uint(event, (size_t)field);
}

#define MEAS_SECTIONS 16u

/* "c8d1s2": of a disk's major number the low 8 bits, of the minor one the next 3 and the low 4. */
static inline uint32_t meas_device_word(uint64_t major, uint64_t minor)
{
	return (uint32_t)((major & 0xff) << 8 | (minor / MEAS_SECTIONS & 7) << 5 |
			  minor % MEAS_SECTIONS);
}

#endif /* SONDE_RECORD_FORMAT_MEAS_MEAS_MAKING_H */
