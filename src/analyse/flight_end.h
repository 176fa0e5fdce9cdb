/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * flight_end: what it means that no more is known of a packet that was on its way: it may have come
 * to where ways end, gone out of sight, be lost, or be on its way still.
 */
#ifndef SONDE_ANALYSE_FLIGHT_END_H
#define SONDE_ANALYSE_FLIGHT_END_H

#include <stdbool.h>
#include <stdint.h>

#include "analyse/flights.h"
#include "analyse/packet_way.h"

/* Why no more is known of it. */
enum flight_cut {
	FLIGHT_TRACE_END,
	FLIGHT_LOST, /* events are missing */
	FLIGHT_ROOM, /* it makes room for another one */
	FLIGHT_AGAIN, /* the same packet sets out again */
};

/* @records: by enum net_crossing, which of them the trace has; @end_ns: of what was seen. */
enum way_end flight_end(const struct flight *flight, const bool *records, enum flight_cut cut,
			int64_t end_ns);

#endif /* SONDE_ANALYSE_FLIGHT_END_H */
