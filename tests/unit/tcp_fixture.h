/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tcp_fixture: tcp events made by hand: a snapshot as an array of numbers, and what each kind of
 * event adds to it. For the tests of what reports know of connections.
 */
#ifndef SONDE_TESTS_TCP_FIXTURE_H
#define SONDE_TESTS_TCP_FIXTURE_H

#include "view_fixture.h"

#include "analyse/tcp_fields.h"

#define TCP_FIXTURE_IDS 6u
#define TCP_FIXTURE_FIELDS (TCP_FIXTURE_IDS + TCP_FIELD_COUNT + TCP_MORE_FIELDS)
#define TCP_FIXTURE_EVENTS 64u

#define MS 1000000ll

struct tcp_snap {
	uint64_t cookie;
	uint8_t saddr[16];
	uint8_t daddr[16];
	uint16_t lport;
	uint16_t rport;
	uint32_t unused;
	uint64_t v[TCP_FIELD_COUNT];
	uint64_t more[TCP_MORE_FIELDS];
};

struct tcp_fixture {
	struct field fields[TCP_CLOSE + 1][TCP_FIXTURE_FIELDS];
	uint32_t offsets[TCP_FIXTURE_FIELDS];
	struct event_class made[TCP_CLOSE + 1];
	const struct event_class *classes[TCP_CLOSE + 1];
	struct tcp_snap payloads[TCP_FIXTURE_EVENTS];
	struct event events[TCP_FIXTURE_EVENTS];
	size_t count;
	struct tcp_snap now; /* what the next event has: tests change it */
};

static const struct field_label tcp_fixture_states[] = {{1, 1, "ESTABLISHED"},
							{2, 2, "SYN_SENT"},
							{4, 4, "FIN_WAIT1"},
							{7, 7, "CLOSE"}};
static const struct field_label tcp_fixture_reasons[] = {{17, 17, "TCP_ABORT_ON_DATA"}};

/* The first class is that of losses. */
static const struct {
	const char *name;
	const char *more[TCP_MORE_FIELDS];
} tcp_fixture_kinds[TCP_CLOSE + 1] = {
	[TCP_PLAIN] = {"tcp.ack", {0}},
	[TCP_CWND] = {"tcp.cwnd", {"old_cwnd"}},
	[TCP_RETRANSMIT] = {"tcp.retransmit", {"cause", "segments", "length", "error"}},
	[TCP_LOSS] = {"tcp.loss", {"new_ca_state"}},
	[TCP_STATE] = {"tcp.state", {"new_state"}},
	[TCP_RECV] = {"tcp.recv", {0}},
	[TCP_RESET] = {"tcp.reset", {"direction", "reason"}},
	[TCP_CLOSE] = {"tcp.close", {0}},
};

/* As the kernel half names them. */
static const char *const tcp_fixture_names[TCP_FIELD_COUNT] = {
	"bytes_acked",	 "bytes_received", "netns",	  "snd_una",	"snd_nxt",  "write_seq",
	"snd_cwnd",	 "snd_wnd",	   "rcv_nxt",	  "copied_seq", "mss",	    "srtt_us",
	"mdev_us",	 "rto_us",	   "packets_out", "sacked_out", "lost_out", "retrans_out",
	"total_retrans", "sndbuf",	   "wmem_queued", "state",	"ca_state",
};

static inline void tcp_fixture_class(struct tcp_fixture *t, size_t kind)
{
	struct field *field = t->fields[kind];
	size_t i;

	*field++ = (struct field){U(64, "cookie")};
	*field++ = (struct field){ADDRESS("saddr")};
	*field++ = (struct field){ADDRESS("daddr")};
	*field++ = (struct field){U(16, "lport")};
	*field++ = (struct field){U(16, "rport")};
	*field++ = (struct field){U(32, "unused")};
	for (i = 0; i < TCP_FIELD_COUNT; i++)
		*field++ = (struct field){U(64, tcp_fixture_names[i])};
	t->fields[kind][TCP_FIXTURE_IDS + TCP_STATE_NOW].labels = tcp_fixture_states;
	t->fields[kind][TCP_FIXTURE_IDS + TCP_STATE_NOW].label_count = 4;
	for (i = 0; i < TCP_MORE_FIELDS && tcp_fixture_kinds[kind].more[i]; i++)
		*field++ = (struct field){U(64, tcp_fixture_kinds[kind].more[i])};
	if (kind == TCP_RESET) {
		field[-1].labels = tcp_fixture_reasons;
		field[-1].label_count = 1;
	}
	t->made[kind] = (struct event_class){
		.id = (uint32_t)kind,
		.name = tcp_fixture_kinds[kind].name,
		.field_count = (size_t)(field - t->fields[kind]),
		.fields = t->fields[kind],
		.offsets = t->offsets,
		.index = kind,
	};
	t->classes[kind] = &t->made[kind];
}

static inline void tcp_fixture_init(struct tcp_fixture *t)
{
	uint32_t at = 0;
	size_t i;

	memset(t, 0, sizeof(*t));
	t->classes[TCP_NONE] = &lost_class;
	for (i = TCP_PLAIN; i <= TCP_CLOSE; i++)
		tcp_fixture_class(t, i);
	for (i = 0; i < TCP_FIXTURE_FIELDS; i++) {
		const struct field *field = &t->fields[TCP_RETRANSMIT][i];

		t->offsets[i] = at;
		at += field->bits * field->count;
	}
	t->now = (struct tcp_snap){
		.cookie = 5,
		.saddr = {[10] = 0xff, [11] = 0xff, 10, 0, 0, 1},
		.daddr = {[10] = 0xff, [11] = 0xff, 10, 0, 0, 2},
		.lport = 40000,
		.rport = 80,
		.v = {[TCP_STATE_NOW] = TCP_STATE_ESTABLISHED,
		      [TCP_SND_CWND] = 10,
		      [TCP_SND_WND] = 65536,
		      [TCP_MSS] = 1000,
		      [TCP_SNDBUF] = 100000,
		      [TCP_NETNS] = 77},
	};
}

/* The next event: the snapshot as it stands in ->now. */
static inline const struct event *tcp_fixture_add(struct tcp_fixture *t, enum tcp_kind kind,
						  int64_t ns)
{
	struct event *event = &t->events[t->count];

	assert_true(t->count < TCP_FIXTURE_EVENTS);
	t->payloads[t->count] = t->now;
	*event = (struct event){
		.class = t->classes[kind],
		.payload = (const uint8_t *)&t->payloads[t->count],
		.offsets = t->offsets,
		.time_ns = FIXTURE_EPOCH_NS + ns,
		.cpu = 0,
		.tid = 1,
		.bytes = 40,
	};
	t->count++;
	return event;
}

#endif /* SONDE_TESTS_TCP_FIXTURE_H */
