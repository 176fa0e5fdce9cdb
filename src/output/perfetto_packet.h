/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * perfetto_packet: the ways of packets through the layers, as asynchronous slices in a process of
 * their own: from the first crossing to the last, the others as arguments.
 */
#ifndef SONDE_OUTPUT_PERFETTO_PACKET_H
#define SONDE_OUTPUT_PERFETTO_PACKET_H

#include "analyse/packet_paths.h"
#include "output/perfetto_out.h"

struct event;

struct perfetto_packets {
	struct perfetto_out *po;
	struct packet_paths paths;
	uint64_t count; /* of slices */
};

/* 0 or -ENOMEM; perfetto_packets_fini is due in both cases. Borrows both. */
int perfetto_packets_init(struct perfetto_packets *packets, struct perfetto_out *po);
void perfetto_packets_fini(struct perfetto_packets *packets);
void perfetto_packet_event(struct perfetto_packets *packets, const struct net_fields *fields,
			   const struct event *event);

#endif /* SONDE_OUTPUT_PERFETTO_PACKET_H */
