// SPDX-License-Identifier: BSD-2-Clause
#include "record/rx_event_fill.h"

#include <string.h>

#include "rx/rx_hold.h"
#include "rx/rx_record.h"
#include "rx/rx_words.h"

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
