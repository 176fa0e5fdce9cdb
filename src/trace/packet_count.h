/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * packet_count: how many events a packet in memory holds, by the metadata that describes them. For
 * packets that could not be written: the writer counts their events as lost.
 */
#ifndef SONDE_TRACE_PACKET_COUNT_H
#define SONDE_TRACE_PACKET_COUNT_H

#include <stddef.h>
#include <stdint.h>

struct ctf_trace_class;

/* Events up to the first that cannot be decoded; 0 if memory is missing. */
uint64_t packet_count(const struct ctf_trace_class *trace, const void *packet, size_t len);

#endif /* SONDE_TRACE_PACKET_COUNT_H */
