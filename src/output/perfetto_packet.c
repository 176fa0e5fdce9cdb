// SPDX-License-Identifier: BSD-2-Clause
#include "output/perfetto_packet.h"

#include <string.h>

#include "analyse/net_fields.h"
#include "analyse/packet_way.h"
#include "base/emit.h"
#include "output/view.h"

/* Of one crossing: its name, two numbers, and what stands between. */
#define STEP_BYTES (32u + 2 * EMIT_NUMBER_BYTES + EMIT_SLACK_BYTES)

static const struct perfetto_place place = {PERFETTO_PACKETS, PERFETTO_PACKETS};

static const char *name_of(const struct packet_way *way)
{
	bool sent = way->steps[0].crossing <= NET_DEV_XMIT;

	switch (way->key.protocol) {
	case NET_PROTOCOL_TCP:
		return sent ? "TCP sent" : "TCP received";
	case NET_PROTOCOL_UDP:
		return sent ? "UDP sent" : "UDP received";
	case NET_PROTOCOL_ICMP:
	case NET_PROTOCOL_ICMPV6:
		return sent ? "ICMP sent" : "ICMP received";
	default:
		return sent ? "IP sent" : "IP received";
	}
}

/* Readers put together what has the same name, category and id. */
static void put(struct perfetto_packets *packets, char phase, int64_t time_ns,
		const struct packet_way *way)
{
	char id[EMIT_NUMBER_BYTES + EMIT_SLACK_BYTES];

	*emit_hex(id, packets->count) = '\0';
	perfetto_open(packets->po, phase, time_ns, place);
	perfetto_plain(packets->po, "cat", "net");
	perfetto_plain(packets->po, "id", id);
	perfetto_plain(packets->po, "name", name_of(way));
}

/* Each crossing, and when. As arguments, not as points: readers name a point of such a slice like the
 * slice, and there are ten times as many. */
static void put_steps(struct perfetto_packets *packets, const struct packet_way *way)
{
	struct perfetto_out *po = packets->po;

	perfetto_list(po, "way");
	for (size_t i = 0; i < way->count; i++) {
		const struct way_step *step = &way->steps[i];
		const char *name = net_crossing_name((enum net_crossing)step->crossing,
						     (uint8_t)way->key.protocol);
		char text[STEP_BYTES], *p;

		p = emit_bytes(text, name, strlen(name));
		p = emit_bytes(p, " +", 2);
		p = emit_uint(p, i ? packet_way_took(way, i) : 0);
		p = emit_bytes(p, " ns, cpu ", 9);
		*emit_int(p, step->cpu) = '\0';
		perfetto_list_add(po, text);
	}
	perfetto_list_end(po);
}

static void put_begin(struct perfetto_packets *packets, const struct packet_way *way)
{
	struct perfetto_out *po = packets->po;

	put(packets, 'b', way->steps[0].time_ns, way);
	perfetto_args(po);
	perfetto_number(po, "sport", way->sport);
	perfetto_number(po, "dport", way->dport);
	perfetto_number(po, "size", way->size);
	perfetto_number(po, "seq", way->key.seq);
	perfetto_number(po, "ip_id", way->key.ip_id);
	perfetto_plain(po, "end", way_end_name(way->end));
	put_steps(packets, way);
	perfetto_close(po);
}

static void take_way(void *owner, const struct packet_way *way)
{
	struct perfetto_packets *packets = owner;
	int64_t end_ns;

	if (!way->count)
		return;
	if (!packets->count++) {
		perfetto_name_process(packets->po, place.pid, "Packets", 7);
		perfetto_sort(packets->po, "process", place, -1);
	}
	/* Clocks of two CPUs may differ a little: it does not end before it begins. */
	end_ns = way->steps[0].time_ns + (int64_t)packet_way_total(way);
	put_begin(packets, way);
	put(packets, 'e', end_ns, way);
	perfetto_close(packets->po);
	/* At the end of the trace they come all at once; errors are reported there. */
	(void)output_end_line(packets->po->view->out);
}

int perfetto_packets_init(struct perfetto_packets *packets, struct perfetto_out *po)
{
	*packets = (struct perfetto_packets){.po = po};
	return packet_paths_init(&packets->paths, take_way, packets);
}

void perfetto_packets_fini(struct perfetto_packets *packets)
{
	packet_paths_fini(&packets->paths);
}

void perfetto_packet_event(struct perfetto_packets *packets, const struct net_fields *fields,
			   const struct event *event)
{
	struct net_now now;

	net_fields_read(fields, event, &now);
	packet_paths_count(&packets->paths, &now);
}
