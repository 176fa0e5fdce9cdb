// SPDX-License-Identifier: BSD-2-Clause
#include "record/rx_place.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "record/notes.h"
#include "rx/rx_problem.h"
#include "rx/rx_record.h"
#include "rx/rx_words.h"
#include "wire/record.h"

bool rx_widen_went_back(const struct rx_widened *counters, const uint32_t *raw, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (raw[i] - counters[i].raw > INT32_MAX)
			return true;
	}
	return false;
}

void rx_widen(struct rx_widened *counters, const uint32_t *raw, size_t count, bool anew)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t more = (uint32_t)(raw[i] - counters[i].raw);

		counters[i].value = anew ? raw[i] : counters[i].value + more;
		counters[i].raw = raw[i];
	}
}

#define NO_RTT 16000 /* what a peer has before there is a sample */
#define US_PER_EIGHTH_MS 125
#define US_PER_QUARTER_MS 250

void rx_event_address(uint32_t host, uint8_t ret[16])
{
	memset(ret, 0, 16);
	ret[10] = ret[11] = 0xff;
	for (int i = 0; i < 4; i++)
		ret[12 + i] = (uint8_t)(host >> (24 - 8 * i));
}

/* What a server does not tell is whatever it has in those bytes. */
static int32_t told(const struct sonde_rx_basic *basic, char since, int32_t value)
{
	return rx_basic_has(basic, since) ? value : 0;
}

void rx_event_basic_raw(const struct sonde_rx_basic *basic, uint32_t raw[RX_BASIC_COUNTERS])
{
	raw[RX_BASIC_CALLS] = (uint32_t)basic->calls_executed;
	raw[RX_BASIC_WAITED] = (uint32_t)told(basic, RX_VERSION_WAITED, basic->waited);
	raw[RX_BASIC_RECLAIMS] = (uint32_t)basic->packet_reclaims;
}

void rx_event_stats(const struct sonde_rx_basic *basic, const struct rx_widened *counters,
		    struct rx_stats *ret)
{
	*ret = (struct rx_stats){
		.calls_executed = counters[RX_BASIC_CALLS].value,
		.waited = counters[RX_BASIC_WAITED].value,
		.packet_reclaims = counters[RX_BASIC_RECLAIMS].value,
		.waiting = told(basic, RX_VERSION_WAITING, basic->waiting),
		.idle_threads = told(basic, RX_VERSION_IDLE, basic->idle_threads),
		.free_packets = basic->free_packets,
		.packets = told(basic, RX_VERSION_PACKETS, basic->packets),
		.waiting_for_packets = basic->waiting_for_packets != 0,
		.used_fds = basic->used_fds,
		.version = basic->version,
	};
}

/* Those of the words that have a name, and are not part of a time. */
size_t rx_event_word(size_t i)
{
	size_t word = 0;

	for (;; word++) {
		if (rx_words_stat(word) && !i--)
			return word;
	}
}

static bool only_grows(size_t word)
{
	return word != SONDE_RX_STAT_BOGUS_HOST && !rx_words_stat_is_gauge(word);
}

void rx_event_counters_raw(const struct sonde_rx_stats *stats, uint32_t raw[RX_COUNTER_FIELDS])
{
	for (size_t i = 0; i < RX_COUNTER_FIELDS; i++) {
		size_t word = rx_event_word(i);

		raw[i] = only_grows(word) ? stats->words[word] : 0;
	}
}

static uint64_t time_us(const struct sonde_rx_stats *stats, enum sonde_rx_stat which)
{
	if (!stats->words[SONDE_RX_STAT_RTT_SAMPLES])
		return 0;
	return stats->words[which] * 1000000ull + stats->words[which + 1];
}

void rx_event_counters(const struct sonde_rx_stats *stats, const struct rx_widened *counters,
		       struct rx_counters *ret)
{
	uint64_t values[RX_COUNTER_FIELDS];

	for (size_t i = 0; i < RX_COUNTER_FIELDS; i++) {
		size_t word = rx_event_word(i);

		values[i] = only_grows(word) ? counters[i].value : stats->words[word];
	}
	*ret = (struct rx_counters){
		.rtt_total_us = time_us(stats, SONDE_RX_STAT_TOTAL_RTT),
		.rtt_min_us = time_us(stats, SONDE_RX_STAT_MIN_RTT),
		.rtt_max_us = time_us(stats, SONDE_RX_STAT_MAX_RTT),
	};
	memcpy((char *)ret + offsetof(struct rx_counters, packet_requests), values, sizeof(values));
}

bool rx_event_is_call(const struct sonde_rx_call *call)
{
	return call->state != SONDE_RX_CALL_NONE && call->state != SONDE_RX_CALL_DALLY;
}

void rx_event_conn(const struct sonde_rx_conn *conn, struct rx_conn *ret)
{
	const struct sonde_rx_security *security = &conn->security;

	*ret = (struct rx_conn){
		.epoch = conn->epoch,
		.cid = conn->cid,
		.serial = conn->serial,
		.error = conn->error,
		.nat_mtu = conn->nat_mtu,
		.peer_port = conn->port,
		.flags = conn->flags,
		.role = conn->type ? RX_ROLE_SERVER : RX_ROLE_CLIENT,
		.security = conn->security_index,
		.level = security->level,
		.security_flags = security->flags,
		.expires = security->expires,
		.packets_received = security->packets_received,
		.packets_sent = security->packets_sent,
		.bytes_received = security->bytes_received,
		.bytes_sent = security->bytes_sent,
	};
	for (size_t i = 0; i < SONDE_RX_CALLS; i++) {
		if (!rx_event_is_call(&conn->calls[i]))
			continue;
		ret->calls++;
		ret->blocked += rx_hold_find(conn, i) != RX_WAIT_NOTHING;
	}
	rx_event_address(conn->host, ret->peer);
}

void rx_event_call(const struct sonde_rx_conn *conn, size_t channel, struct rx_call *ret)
{
	const struct sonde_rx_call *call = &conn->calls[channel];

	*ret = (struct rx_call){
		.epoch = conn->epoch,
		.cid = conn->cid,
		.channel = (uint32_t)channel,
		.number = call->number,
		.peer_port = conn->port,
		.role = conn->type ? RX_ROLE_SERVER : RX_ROLE_CLIENT,
		.state = call->state,
		.mode = call->mode,
		.waits_for = rx_hold_find(conn, channel),
		.flags = call->flags,
		.has_input = (call->other & SONDE_RX_CALL_HAS_INPUT) != 0,
		.has_output = (call->other & SONDE_RX_CALL_HAS_OUTPUT) != 0,
	};
	rx_event_address(conn->host, ret->peer);
}

void rx_event_peer(const struct sonde_rx_peer *peer, struct rx_peer *ret)
{
	bool measured = peer->rtt > 0 && peer->rtt != NO_RTT;

	*ret = (struct rx_peer){
		.bytes_sent = peer->bytes_sent,
		.bytes_received = peer->bytes_received,
		.packets_sent = peer->sent,
		.packets_resent = peer->resent,
		.rtt_us = measured ? (uint32_t)peer->rtt * US_PER_EIGHTH_MS : 0,
		.rtt_dev_us = measured ? (uint32_t)peer->rtt_dev * US_PER_QUARTER_MS : 0,
		.idle_when = peer->idle_when,
		.ref_count = peer->ref_count,
		.peer_port = peer->port,
		.cwind = peer->cwind,
		.mtu = peer->mtu,
		.if_mtu = peer->if_mtu,
		.nat_mtu = peer->nat_mtu,
		.max_mtu = peer->max_mtu,
		.datagram_packets = peer->datagram_packets,
		.if_datagram_packets = peer->if_datagram_packets,
		.max_datagram_packets = peer->max_datagram_packets,
	};
	rx_event_address(peer->host, ret->peer);
}

#define WANT_CONNS (RX_PLACE_WANTS(RX_CONN) | RX_PLACE_WANTS(RX_CALL))
#define WANT_COUNTERS (RX_PLACE_WANTS(RX_COUNTERS) | WANT_CONNS | RX_PLACE_WANTS(RX_PEER))

static bool wants(const struct rx_place_out *out, uint32_t which)
{
	return out->wanted & which;
}

static void keep_error(struct rx_place_out *out, int err)
{
	if (err && !out->err)
		out->err = err;
}

/* @bytes: of the record, its head among them. */
static void note(struct rx_place_out *out, const struct rx_place *place, uint32_t id, void *record,
		 size_t bytes, char server[RX_SERVER_BYTES])
{
	if (!wants(out, RX_PLACE_WANTS(id)))
		return;
	snprintf(server, RX_SERVER_BYTES, "%s", place->name);
	keep_error(out,
		   notes_add_record(out->notes, clock_monotonic_ns(), id, out->tid,
				    (char *)record + RECORD_HEAD_BYTES, bytes - RECORD_HEAD_BYTES));
}

static void note_lost(struct rx_place_out *out, const char *measurement, uint64_t count)
{
	out->lost += count;
	keep_error(out, notes_add_loss(out->notes, measurement, count));
}

static void miss(struct rx_place_out *out, struct rx_place *place, uint64_t rounds)
{
	place->missed += rounds;
	place->account.missed += rounds;
	note_lost(out, "rx.stats", rounds);
}

void rx_place_begin(struct rx_place_out *out, struct rx_place *place, uint64_t periods)
{
	place->round += periods;
	if (!place->answered_ns)
		place->answered_ns = clock_monotonic_ns();
	if (periods > 1 && !place->paused)
		miss(out, place, periods - 1);
	place->paused = false;
}

static void note_silence(struct rx_place_out *out, struct rx_place *place, int err,
			 unsigned int tries)
{
	struct rx_silent record = {
		.round = place->round,
		.silent_ns = clock_monotonic_ns() - place->answered_ns,
		.tries = tries,
		.error = err == -ETIMEDOUT || err == -ENOTSUP ? 0 : (uint32_t)-err,
		.why = err == -ETIMEDOUT ? RX_SILENCE_NO_ANSWER :
		       err == -ENOTSUP	 ? RX_SILENCE_REFUSED :
					   RX_SILENCE_UNREACHABLE,
	};

	record.missed = (uint32_t)place->missed + 1;
	note(out, place, RX_SILENT, &record, record_bytes(rx_silent), record.server);
	miss(out, place, 1);
}

static enum rx_list_result result_of(int err)
{
	switch (err) {
	case 0:
		return RX_LIST_COMPLETE;
	case -E2BIG:
		return RX_LIST_TOO_LONG;
	case -ENOTSUP:
		return RX_LIST_NOT_TOLD;
	case -EBADMSG:
		return RX_LIST_BROKEN;
	default:
		return RX_LIST_SILENCE;
	}
}

static uint32_t expected(const struct rx_place *place, int32_t what)
{
	const uint32_t *words = place->stats.words;

	switch (what) {
	case RX_DEBUG_PEER:
		return words[SONDE_RX_STAT_PEERS];
	case RX_DEBUG_ALL_CONN:
		return words[SONDE_RX_STAT_SERVER_CONNS] + words[SONDE_RX_STAT_CLIENT_CONNS];
	default:
		return 0; /* the number of those in use is unknown */
	}
}

/* Incomplete lists are losses, but for those that a server cannot tell. */
static void end_list(struct rx_place_out *out, struct rx_place *place)
{
	const struct rx_list *list = &place->list;
	bool peers = list->what == RX_DEBUG_PEER;
	struct rx_list_end record = {
		.round = place->list_round,
		.took_ns = clock_monotonic_ns() - place->list_begin_ns,
		.what = peers				? RX_LIST_PEERS :
			list->what == RX_DEBUG_ALL_CONN ? RX_LIST_ALL_CONNS :
							  RX_LIST_CONNS,
		.result = result_of(list->err),
		.records = (uint32_t)list->count,
		.expected = expected(place, list->what),
		.twice = (uint32_t)list->twice,
		.rounds = (uint32_t)(place->round - place->list_round),
	};

	note(out, place, RX_LIST, &record, record_bytes(rx_list_end), record.server);
	if (list->err && list->err != -ENOTSUP) {
		place->account.lists_cut++;
		note_lost(out, peers ? "rx.peer" : "rx.conn", 1);
	}
	rx_list_fini(&place->list);
}

/* Does not request a list if the statistics show its result already. */
static void begin_list(struct rx_place_out *out, struct rx_place *place, bool peers)
{
	bool all = out->all_conns && rx_basic_has(&place->basic, RX_VERSION_ALL_CONN);
	int32_t what = peers ? RX_DEBUG_PEER : all ? RX_DEBUG_ALL_CONN : RX_DEBUG_CONN;

	rx_list_init(&place->list, what, RX_PLACE_LIST_MAX, 1);
	place->list_begin_ns = clock_monotonic_ns();
	place->list_round = place->round;
	if (peers && !rx_basic_has(&place->basic, RX_VERSION_PEER))
		place->list.err = -ENOTSUP;
	else if (expected(place, what) > RX_PLACE_LIST_MAX)
		place->list.err = -E2BIG;
}

/* Behind the statistics; a list that is not at its end continues first. */
static void want_lists(const struct rx_place_out *out, struct rx_place *place)
{
	if (place->list.what || place->wants_list[0] || place->wants_list[1])
		return;
	place->wants_list[0] = wants(out, WANT_CONNS);
	place->wants_list[1] = wants(out, RX_PLACE_WANTS(RX_PEER));
}

static void forget_lists(struct rx_place_out *out, struct rx_place *place, int err)
{
	place->wants_list[0] = place->wants_list[1] = false;
	if (!place->list.what)
		return;
	place->list.err = err;
	end_list(out, place);
}

/* The counters of either collection show that the server has restarted. */
static void begin_anew(struct rx_place *place)
{
	place->begun_anew++;
	place->begun = place->stats_begun = false;
}

static void take_basic(struct rx_place_out *out, struct rx_place *place,
		       const struct rx_answer *answer)
{
	int err = answer->err ?: rx_basic_unpack(answer->payload, answer->len, &place->basic);
	uint32_t raw[RX_BASIC_COUNTERS];
	struct rx_stats record;

	if (err) {
		note_silence(out, place, err, answer->tries);
		forget_lists(out, place, -ETIMEDOUT);
		return;
	}
	rx_event_basic_raw(&place->basic, raw);
	if (place->begun && rx_widen_went_back(place->basic_counters, raw, RX_BASIC_COUNTERS))
		begin_anew(place);
	rx_widen(place->basic_counters, raw, RX_BASIC_COUNTERS, !place->begun);
	place->begun = true;
	place->answered_ns = clock_monotonic_ns();
	place->missed = 0;
	place->account.answered++;
	rx_event_stats(&place->basic, place->basic_counters, &record);
	record.round = place->round;
	record.took_ns = answer->took_ns;
	record.begun = place->begun_anew;
	rx_event_address(ntohl(place->address.in.sin_addr.s_addr), record.address);
	note(out, place, RX_STATS, &record, record_bytes(rx_stats), record.server);
	place->wants_stats = wants(out, WANT_COUNTERS) &&
			     rx_basic_has(&place->basic, RX_VERSION_ALL_CONN);
	if (!place->wants_stats)
		want_lists(out, place);
}

static void take_stats(struct rx_place_out *out, struct rx_place *place,
		       const struct rx_answer *answer)
{
	int err = answer->err ?: rx_stats_unpack(answer->payload, answer->len, &place->stats);
	uint32_t raw[RX_COUNTER_FIELDS];
	struct rx_counters record;

	want_lists(out, place);
	if (err) {
		place->stats = (struct sonde_rx_stats){0};
		if (err != -ENOTSUP && wants(out, RX_PLACE_WANTS(RX_COUNTERS))) {
			place->account.missed++;
			note_lost(out, "rx.counters", 1);
		}
		return;
	}
	rx_event_counters_raw(&place->stats, raw);
	if (place->stats_begun && rx_widen_went_back(place->counters, raw, RX_COUNTER_FIELDS))
		begin_anew(place);
	rx_widen(place->counters, raw, RX_COUNTER_FIELDS, !place->stats_begun);
	place->stats_begun = true;
	rx_event_counters(&place->stats, place->counters, &record);
	record.round = place->round;
	note(out, place, RX_COUNTERS, &record, record_bytes(rx_counters), record.server);
}

static void note_conn(struct rx_place_out *out, const struct rx_place *place,
		      const struct sonde_rx_conn *conn)
{
	struct rx_conn record;

	rx_event_conn(conn, &record);
	record.round = place->list_round;
	note(out, place, RX_CONN, &record, record_bytes(rx_conn), record.server);
	for (size_t i = 0; i < SONDE_RX_CALLS; i++) {
		struct rx_call call;

		if (!rx_event_is_call(&conn->calls[i]))
			continue;
		rx_event_call(conn, i, &call);
		call.round = place->list_round;
		note(out, place, RX_CALL, &call, record_bytes(rx_call), call.server);
	}
}

static void take_record(struct rx_place_out *out, struct rx_place *place,
			const struct rx_answer *answer)
{
	struct rx_list *list = &place->list;
	size_t before = list->count;

	rx_list_take(list, (int32_t)answer->tag, answer->err, answer->payload, answer->len);
	if (list->count > before && list->what == RX_DEBUG_PEER) {
		struct rx_peer record;

		rx_event_peer(&rx_list_peers(list)[before], &record);
		record.round = place->list_round;
		note(out, place, RX_PEER, &record, record_bytes(rx_peer), record.server);
	} else if (list->count > before) {
		note_conn(out, place, &rx_list_conns(list)[before]);
	}
}

void rx_place_take(struct rx_place_out *out, struct rx_place *place, const struct rx_answer *answer)
{
	enum rx_place_question asked = place->asked;

	place->asked = RX_PLACE_NOTHING;
	switch (asked) {
	case RX_PLACE_BASIC:
		take_basic(out, place, answer);
		break;
	case RX_PLACE_STATS:
		take_stats(out, place, answer);
		break;
	case RX_PLACE_RECORD:
		take_record(out, place, answer);
		break;
	case RX_PLACE_NOTHING:
		break;
	}
}

int32_t rx_place_next_record(struct rx_place_out *out, struct rx_place *place)
{
	for (;;) {
		int32_t index;
		bool peers = !place->wants_list[0];

		if (!place->list.what) {
			if (!place->wants_list[peers])
				return -1;
			place->wants_list[peers] = false;
			begin_list(out, place, peers);
		}
		index = rx_list_ask(&place->list);
		if (index >= 0)
			return index;
		end_list(out, place);
	}
}

void rx_place_fini(struct rx_place *place)
{
	rx_list_fini(&place->list);
}
