/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * magnet_pack: events of any source, as far as MAGNeT has them, made into its records: those of our
 * net group, of a recording or a trace, and of what was a MAGNeT file once.
 */
#ifndef SONDE_RECORD_FORMAT_MAGNET_MAGNET_PACK_H
#define SONDE_RECORD_FORMAT_MAGNET_MAGNET_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record_format/magnet/magnet_record.h"

/*
 * What the timestamps of a MAGNeT file mean: MAGNET_SYSINFO has a clock's rate, and
 * the wall time at a timestamp of it.
 */

struct magnet_head;

struct magnet_clock {
	uint64_t start; /* timestamp at which the wall time was ... */
	int64_t wall_ns; /* ... this, since the epoch */
	uint64_t rate_hz; /* never 0 */
};

/* From a record of MAGNET_SYSINFO. @rate_hz: replaces the record's rate, 0 = does not.
 * -EBADMSG: its rate is not valid; the clock is taken as 1 GHz then. */
int magnet_clock_take(struct magnet_clock *clock, const struct magnet_head *sysinfo,
		      uint64_t rate_hz);
/* Ours, for a file whose first record is at @first_ns: a whole second before it; and the record that
 * describes it. */
void magnet_clock_make(struct magnet_clock *clock, int64_t first_ns, struct magnet_head *sysinfo);

/* Since the epoch; times that 64 bits cannot hold are the nearest that they can. */
int64_t magnet_clock_ns(const struct magnet_clock *clock, uint64_t timestamp);
/* The first timestamp that is at @ns or later; never 0, which means "no time". */
uint64_t magnet_clock_ticks(const struct magnet_clock *clock, int64_t ns);

struct event;
struct event_class;
struct magnet_plan;
struct trace_info;

struct magnet_packer {
	struct magnet_layout layout;
	struct magnet_clock clock;
	bool has_clock; /* a MAGNET_SYSINFO has been written */
	int64_t last_ns; /* time of the last event */
	struct magnet_plan *plans; /* by event_class.index */
	size_t class_count;
};

/* 0 or -ENOMEM. Borrows nothing. */
int magnet_packer_init(struct magnet_packer *packer, const struct trace_info *info,
		       const struct magnet_layout *layout);
void magnet_packer_fini(struct magnet_packer *packer);

/* Whether events of @class can be records. Losses always can. */
bool magnet_pack_holds(const struct event_class *class);
/* The same of a class of @packer's source. */
bool magnet_packer_takes(const struct magnet_packer *packer, const struct event_class *class);
/* Whether they tell of the clock of those behind them. */
bool magnet_is_sysinfo(const struct magnet_packer *packer, const struct event_class *class);
/* Whether any class of @info that can be has something for the data field. */
bool magnet_has_data(const struct trace_info *info);

/* The first record, for a file whose first event is at @first_ns. */
void magnet_pack_sysinfo(struct magnet_packer *packer, int64_t first_ns, uint8_t *record);
/* Packs one event into the magnet_record_bytes() of @record. If more events are lost than a record
 * can count, packs the first part; *@left: the rest, for the next call, which begins
 * with 0. False: nothing is to be written. */
bool magnet_pack(struct magnet_packer *packer, const struct event *event, uint8_t *record,
		 uint64_t *left);
/* A loss of @count events, 0 = an unknown number, at @time_ns. */
void magnet_pack_lost(const struct magnet_packer *packer, int64_t time_ns, int32_t count,
		      uint8_t *record);

#endif /* SONDE_RECORD_FORMAT_MAGNET_MAGNET_PACK_H */
