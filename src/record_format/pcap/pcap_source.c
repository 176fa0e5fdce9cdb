// SPDX-License-Identifier: BSD-2-Clause
#include "record_format/pcap/pcap_source.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/diag.h"
#include "base/file_window.h"
#include "record_format/pcap/pcap_file.h"
#include "record_format/pcap/rx_capture.h"
#include "record_format/pcap/rx_decode.h"
#include "schema/class_table.h"
#include "schema/lost.h"
#include "schema/source.h"
#include "schema/trace_info.h"

#define BATCH_EVENTS 256u
#define LINKS_TOLD 16u
#define BACK_TOLD_NS ((int64_t)NS_PER_SEC) /* less is what the clocks of two interfaces differ by */

enum phase {
	PHASE_PACKETS,
	PHASE_UNANSWERED, /* after the last packet: requests without a reply */
	PHASE_LOST,
	PHASE_SUMMARY,
	PHASE_ENDED,
};

struct pcap_source {
	struct event_source source; /* first: the vtable's functions get this */
	struct trace_info info;
	struct trace_env env;
	struct file_window *file;
	struct pcap_file capture;
	struct rx_capture_classes classes;
	struct rx_decode decode;
	struct problem_list problems;
	enum phase phase;
	bool held; /* a packet that has been read and not been decoded */
	struct pcap_packet packet;
	int64_t time_ns; /* of the last event, which none is before */
	bool went_back; /* and that was reported */
	uint32_t links[LINKS_TOLD]; /* unknown ones that were reported */
	size_t link_count;
	struct lost_payload lost;
	struct rx_summary summary;
	struct event events[BATCH_EVENTS];
	struct rx_exchange exchanges[BATCH_EVENTS];
};

static void tell_back(struct pcap_source *ps, int64_t time_ns)
{
	ps->went_back = true;
	problem_list_add(&ps->problems,
			 "at byte %" PRIu64 " its times go back by %" PRIu64
			 " s: packets are shown at the time of those in front of them (reordercap "
			 "sorts them)",
			 file_window_offset(ps->file),
			 (uint64_t)(((uint64_t)ps->time_ns - (uint64_t)time_ns) / NS_PER_SEC));
}

static void put(struct pcap_source *ps, size_t at, const struct event_class *class,
		const void *payload, int64_t time_ns, uint32_t bytes)
{
	if (time_ns >= ps->time_ns)
		ps->time_ns = time_ns;
	else if (!ps->went_back && ps->time_ns - time_ns > BACK_TOLD_NS)
		tell_back(ps, time_ns);
	ps->events[at] = (struct event){
		.class = class,
		.payload = payload,
		.offsets = class->offsets,
		.time_ns = ps->time_ns,
		.cpu = -1,
		.tid = -1,
		.bytes = bytes,
	};
}

static void tell_link(struct pcap_source *ps, uint32_t link)
{
	for (size_t i = 0; i < ps->link_count; i++) {
		if (ps->links[i] == link)
			return;
	}
	if (ps->link_count == LINKS_TOLD)
		return;
	ps->links[ps->link_count++] = link;
	problem_list_add(&ps->problems,
			 "packets of link type %" PRIu32
			 " are not looked at: Ethernet, Linux's \"any\", loopback and raw IP are",
			 link);
}

/* 1: the packet that is held has made event @at; 0: none. */
static size_t take_held(struct pcap_source *ps, size_t at)
{
	const struct pcap_packet *packet = &ps->packet;
	uint64_t unknown = ps->decode.summary.unknown;
	enum rx_capture_class class;

	if (rx_decode_expire(&ps->decode, packet->time_ns, 0, &ps->exchanges[at])) {
		put(ps, at, ps->classes.classes[RX_CAPTURE_UNANSWERED], &ps->exchanges[at],
		    packet->time_ns, 0);
		return 1;
	}
	ps->held = false;
	if (rx_decode_packet(&ps->decode, packet, &ps->exchanges[at], &class)) {
		put(ps, at, ps->classes.classes[class], &ps->exchanges[at], packet->time_ns,
		    packet->captured);
		return 1;
	}
	if (ps->decode.summary.unknown != unknown)
		tell_link(ps, packet->link);
	return 0;
}

static void end_packets(struct pcap_source *ps)
{
	ps->phase = PHASE_UNANSWERED;
	if (ps->decode.summary.cut)
		problem_list_add(&ps->problems,
				 "%" PRIu64 " packet%s cut short by the capture: tcpdump -s 0 "
				 "keeps them whole",
				 ps->decode.summary.cut,
				 ps->decode.summary.cut == 1 ? " of Rx was" :
							       "s, of Rx perhaps, were");
}

/* Up to a batch: how many events, or -errno without any. */
static int take_packets(struct pcap_source *ps)
{
	size_t count = 0;
	struct diag diag;
	int got;

	while (count < BATCH_EVENTS) {
		if (ps->held) {
			count += take_held(ps, count);
			continue;
		}
		/* What comes through a pipe is shown as it comes. */
		if (count && !pcap_file_is_ready(&ps->capture))
			break;
		got = pcap_file_next(&ps->capture, &ps->packet, &diag);
		if (got < 0 && got != -EBADMSG && got != -E2BIG)
			return count ? (int)count : got;
		if (got < 0)
			problem_list_add(&ps->problems, "%s", diag.text);
		if (got <= 0) {
			end_packets(ps);
			break;
		}
		ps->held = true;
	}
	return (int)count;
}

static size_t take_unanswered(struct pcap_source *ps)
{
	size_t count = 0;

	while (count < BATCH_EVENTS && rx_decode_expire(&ps->decode, INT64_MAX, ps->capture.time_ns,
							&ps->exchanges[count])) {
		put(ps, count, ps->classes.classes[RX_CAPTURE_UNANSWERED], &ps->exchanges[count],
		    ps->capture.time_ns, 0);
		count++;
	}
	if (!count)
		ps->phase = PHASE_LOST;
	return count;
}

static size_t take_lost(struct pcap_source *ps)
{
	ps->phase = PHASE_SUMMARY;
	ps->lost.count = pcap_file_dropped(&ps->capture);
	if (!ps->lost.count)
		return 0;
	put(ps, 0, &lost_class, &ps->lost, ps->capture.time_ns, 0);
	return 1;
}

static size_t take_summary(struct pcap_source *ps)
{
	ps->phase = PHASE_ENDED;
	ps->summary = ps->decode.summary;
	put(ps, 0, ps->classes.classes[RX_CAPTURE_SUMMARY], &ps->summary, ps->capture.time_ns, 0);
	return 1;
}

static int pcap_next(struct event_source *source, const struct event **ret)
{
	struct pcap_source *ps = (struct pcap_source *)source;
	int got = 0;

	*ret = ps->events;
	while (!got && ps->phase != PHASE_ENDED) {
		switch (ps->phase) {
		case PHASE_PACKETS:
			got = take_packets(ps);
			break;
		case PHASE_UNANSWERED:
			got = (int)take_unanswered(ps);
			break;
		case PHASE_LOST:
			got = (int)take_lost(ps);
			break;
		default:
			got = (int)take_summary(ps);
		}
	}
	return got;
}

static const char *pcap_problem(const struct event_source *source, size_t i)
{
	return problem_list_get(&((const struct pcap_source *)source)->problems, i);
}

static void pcap_close(struct event_source *source)
{
	struct pcap_source *ps = (struct pcap_source *)source;

	pcap_file_fini(&ps->capture);
	file_window_close(ps->file);
	rx_decode_fini(&ps->decode);
	rx_capture_classes_fini(&ps->classes);
	problem_list_fini(&ps->problems);
	free(ps);
}

static const struct source_ops pcap_ops = {
	.next = pcap_next,
	.problem = pcap_problem,
	.close = pcap_close,
};

static void tell(struct pcap_source *ps)
{
	ps->env = (struct trace_env){PCAP_ENV_FORMAT, ps->capture.is_ng ? "pcapng" : "pcap", 0};
	ps->info.env = &ps->env;
	ps->info.env_count = 1;
	ps->info.bytes = file_window_size(ps->file);
	class_table_tell(ps->classes.table, &ps->info);
	ps->source = (struct event_source){&pcap_ops, &ps->info};
}

bool pcap_source_is(const uint8_t *head, size_t len)
{
	return pcap_file_is(head, len);
}

int pcap_source_open(struct file_window *file, const char *name, struct event_source **ret,
		     struct diag *diag)
{
	struct pcap_source *ps = calloc(1, sizeof(*ps));
	int err;

	if (!ps) {
		file_window_close(file);
		return diag_set(diag, -ENOMEM, "no memory");
	}
	ps->file = file;
	problem_list_init(&ps->problems);
	rx_decode_init(&ps->decode);
	err = rx_capture_classes_init(&ps->classes);
	err = err ? diag_set(diag, err, "no memory") : pcap_file_init(&ps->capture, file, diag);
	if (err) {
		pcap_close(&ps->source);
		return diag_prefix(diag, err, "%s", name);
	}
	tell(ps);
	*ret = &ps->source;
	return 0;
}
