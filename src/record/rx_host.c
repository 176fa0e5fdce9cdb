// SPDX-License-Identifier: BSD-2-Clause
#include "record/rx_host.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/diag.h"
#include "base/io.h"
#include "base/map.h"
#include "probe/inet_diag.h"

/* Whether it begins with "PROTOCOL: ". */
static bool is_of(const char *line, const char *protocol)
{
	size_t len = strlen(protocol);

	return !strncmp(line, protocol, len) && line[len] == ':';
}

/* "Tcp: InSegs OutSegs" and "Tcp: 5 7", both in place. */
static void take_line(char *heads, char *values, const char *const *names, size_t count,
		      uint64_t *ret)
{
	char *save_head = NULL, *save_value = NULL;
	const char *head = strtok_r(heads, " \n", &save_head);
	const char *value = strtok_r(values, " \n", &save_value);

	while (head && value) {
		for (size_t i = 0; i < count; i++) {
			if (!strcmp(head, names[i]))
				ret[i] = strtoull(value, NULL, 10);
		}
		head = strtok_r(NULL, " \n", &save_head);
		value = strtok_r(NULL, " \n", &save_value);
	}
}

int snmp_get(const char *protocol, const char *const *names, size_t count, uint64_t *ret)
{
	FILE *file = fopen("/proc/thread-self/net/snmp", "re");
	char heads[4096], values[4096];
	bool found = false;

	if (!file)
		return -errno;
	memset(ret, 0, count * sizeof(*ret));
	while (!found && fgets(heads, sizeof(heads), file) && fgets(values, sizeof(values), file)) {
		found = is_of(heads, protocol) && is_of(values, protocol);
		if (found)
			take_line(heads, values, names, count, ret);
	}
	fclose(file);
	return found ? 0 : -ENODATA;
}

#define CONNS_MAX (1u << 20)
#define FRESH_NS NS_PER_SEC
#define RTT_UNKNOWN 16000 /* as Rx has it: 2 s */

/* include/net/tcp_states.h */
enum { TCP_IS_ESTABLISHED = 1, TCP_IS_SYN_SENT = 2, TCP_IS_SYN_RECV = 3 };

/* A connection, and when it came among the others: the kernel counts its sockets. */
struct entry {
	uint64_t cookie;
	struct sonde_rx_conn conn;
	struct inet_socket socket;
};

struct peer_key {
	uint32_t host;
	uint32_t port;
};

struct rx_host {
	int fd;
	uint32_t epoch;
	uint64_t asked_ns; /* 0 = never */
	struct entry *entries; /* in the order in which they came */
	size_t count;
	size_t room;
	uint32_t *active; /* indexes of those that something is under way on */
	size_t active_count;
	struct sonde_rx_peer *peers; /* in the order of their first connections */
	size_t peer_count;
	struct sonde_rx_stats stats;
	uint64_t opened; /* connections, ever */
	size_t over_ipv6; /* connections that are not among the entries */
	const struct sonde_rx_counts *counts;
};

static bool is_v4(const uint8_t *address)
{
	static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};

	return !memcmp(address, mapped, sizeof(mapped));
}

static uint32_t host_of(const uint8_t *address)
{
	return (uint32_t)address[12] << 24 | (uint32_t)address[13] << 16 |
	       (uint32_t)address[14] << 8 | address[15];
}

static uint8_t state_of(const struct inet_socket *socket, bool under_way)
{
	if (socket->state == TCP_IS_SYN_SENT || socket->state == TCP_IS_SYN_RECV)
		return SONDE_RX_CALL_PRECALL;
	if (socket->state != TCP_IS_ESTABLISHED)
		return SONDE_RX_CALL_HOLD;
	return under_way ? SONDE_RX_CALL_ACTIVE : SONDE_RX_CALL_DALLY;
}

bool rx_host_conn(const struct inet_socket *socket, uint32_t epoch, struct sonde_rx_conn *ret)
{
	bool sends = socket->wmem_queued || socket->packets_out;
	bool receives = socket->rmem_alloc;

	if (!is_v4(socket->daddr))
		return false;
	*ret = (struct sonde_rx_conn){
		.host = host_of(socket->daddr),
		.port = socket->rport,
		.cid = (uint32_t)(socket->cookie << 2),
		.epoch = epoch,
		.type = socket->lport < socket->rport,
		.nat_mtu = (int32_t)socket->mss,
		.calls[0] =
			{
				.number = 1,
				.state = state_of(socket, sends || receives),
				.mode = sends	 ? SONDE_RX_MODE_SENDING :
					receives ? SONDE_RX_MODE_RECEIVING :
						   SONDE_RX_MODE_EOF,
				.other = (uint8_t)((receives ? SONDE_RX_CALL_HAS_INPUT : 0) |
						   (sends ? SONDE_RX_CALL_HAS_OUTPUT : 0)),
			},
	};
	if (socket->packets_out && socket->packets_out >= socket->snd_cwnd)
		ret->calls[0].flags = SONDE_RX_CALL_WAIT_WINDOW_SEND;
	return true;
}

void rx_host_add_to_peer(const struct inet_socket *socket, struct sonde_rx_peer *peer)
{
	uint64_t bytes = peer->bytes_sent + peer->bytes_received;
	uint16_t mss = (uint16_t)(socket->mss < UINT16_MAX ? socket->mss : UINT16_MAX);
	bool first = !peer->ref_count;

	/* Of several connections the one on which most went speaks for the way. */
	if (first || socket->bytes_sent + socket->bytes_received > bytes) {
		peer->host = host_of(socket->daddr);
		peer->port = socket->rport;
		peer->if_mtu = peer->nat_mtu = peer->max_mtu = peer->mtu = mss;
		peer->rtt = socket->srtt_us ? (int32_t)(socket->srtt_us * 8ull / 1000) :
					      RTT_UNKNOWN;
		peer->rtt_dev = (int32_t)(socket->mdev_us * 4ull / 1000);
		peer->timeout_s = socket->rto_us / 1000000;
		peer->timeout_us = socket->rto_us % 1000000;
		peer->cwind =
			(uint16_t)(socket->snd_cwnd < UINT16_MAX ? socket->snd_cwnd : UINT16_MAX);
	}
	peer->ref_count = (uint16_t)(peer->ref_count + (first ? 2 : 1)); /* and this request */
	peer->bytes_sent += socket->bytes_sent;
	peer->bytes_received += socket->bytes_received;
	peer->resent += socket->total_retrans;
	if (socket->data_segs_out > socket->total_retrans)
		peer->sent += socket->data_segs_out - socket->total_retrans;
}

static int take_socket(void *ctx, const struct inet_socket *socket)
{
	struct rx_host *host = ctx;
	struct entry *entry;

	if (host->count == host->room) {
		size_t room = host->room ? 2 * host->room : 64;
		struct entry *entries;

		if (room > CONNS_MAX)
			return 0; /* so many are shown */
		entries = reallocarray(host->entries, room, sizeof(*entries));
		if (!entries)
			return -ENOMEM;
		host->entries = entries;
		host->room = room;
	}
	entry = &host->entries[host->count];
	if (!rx_host_conn(socket, host->epoch, &entry->conn)) {
		host->over_ipv6++;
		return 0;
	}
	entry->cookie = socket->cookie;
	entry->socket = *socket;
	host->count++;
	return 0;
}

static int compare_age(const void *one, const void *other)
{
	const struct entry *a = one, *b = other;

	return (a->cookie > b->cookie) - (a->cookie < b->cookie);
}

static int find_peers(struct rx_host *host)
{
	struct map map;
	int err = 0;

	map_init(&map, sizeof(struct peer_key), sizeof(uint32_t), 0);
	host->peer_count = 0;
	for (size_t i = 0; i < host->count && !err; i++) {
		const struct inet_socket *socket = &host->entries[i].socket;
		const struct peer_key key = {host_of(socket->daddr), socket->rport};
		uint32_t *number = map_at(&map, &key); /* 1 + the index */

		if (!number) {
			err = -ENOMEM;
			break;
		}
		if (!*number) {
			host->peers[host->peer_count++] = (struct sonde_rx_peer){0};
			*number = (uint32_t)host->peer_count;
		}
		rx_host_add_to_peer(socket, &host->peers[*number - 1]);
	}
	map_fini(&map);
	return err;
}

static void find_active(struct rx_host *host)
{
	host->active_count = 0;
	for (size_t i = 0; i < host->count; i++) {
		uint8_t state = host->entries[i].conn.calls[0].state;

		if (state == SONDE_RX_CALL_PRECALL || state == SONDE_RX_CALL_ACTIVE)
			host->active[host->active_count++] = (uint32_t)i;
	}
}

static void set_time(struct sonde_rx_stats *stats, enum sonde_rx_stat which, uint64_t us)
{
	stats->words[which] = (uint32_t)(us / 1000000);
	stats->words[which + 1] = (uint32_t)(us % 1000000);
}

static void sum_rtt(const struct rx_host *host, struct sonde_rx_stats *stats)
{
	uint64_t total = 0, least = UINT64_MAX, most = 0;

	for (size_t i = 0; i < host->count; i++) {
		uint64_t us = host->entries[i].socket.srtt_us;

		if (!us)
			continue;
		stats->words[SONDE_RX_STAT_RTT_SAMPLES]++;
		total += us;
		least = us < least ? us : least;
		most = us > most ? us : most;
	}
	if (!stats->words[SONDE_RX_STAT_RTT_SAMPLES])
		return;
	set_time(stats, SONDE_RX_STAT_TOTAL_RTT, total);
	set_time(stats, SONDE_RX_STAT_MIN_RTT, least);
	set_time(stats, SONDE_RX_STAT_MAX_RTT, most);
}

static void sum_counters(struct rx_host *host, struct sonde_rx_stats *stats)
{
	static const char *const names[] = {"InSegs",  "OutSegs",     "RetransSegs", "InErrs",
					    "OutRsts", "ActiveOpens", "PassiveOpens"};
	uint64_t values[sizeof(names) / sizeof(names[0])] = {0};

	(void)snmp_get("Tcp", names, sizeof(names) / sizeof(names[0]), values);
	stats->words[SONDE_RX_STAT_READ] = (uint32_t)values[0];
	stats->words[SONDE_RX_STAT_DATA_READ] = (uint32_t)values[0];
	stats->words[SONDE_RX_STAT_SENT] = (uint32_t)(values[1] + values[2]);
	stats->words[SONDE_RX_STAT_DATA_SENT] = (uint32_t)values[1];
	stats->words[SONDE_RX_STAT_DATA_RESENT] = (uint32_t)values[2];
	stats->words[SONDE_RX_STAT_BOGUS_PACKETS] = (uint32_t)values[3];
	stats->words[SONDE_RX_STAT_ABORT_SENT] = (uint32_t)values[4];
	host->opened = values[5] + values[6];
}

static void sum_tables(const struct rx_host *host, struct sonde_rx_stats *stats)
{
	for (size_t i = 0; i < host->count; i++)
		stats->words[host->entries[i].conn.type ? SONDE_RX_STAT_SERVER_CONNS :
							  SONDE_RX_STAT_CLIENT_CONNS]++;
	stats->words[SONDE_RX_STAT_PEERS] = (uint32_t)host->peer_count;
	/* So that a client that reads the lists can see how many are not in them. */
	stats->words[SONDE_RX_STAT_CALLS] = (uint32_t)(host->count + host->over_ipv6);
}

static int make_room(struct rx_host *host)
{
	uint32_t *active = reallocarray(host->active, host->room + 1, sizeof(*active));
	struct sonde_rx_peer *peers;

	host->active = active ?: host->active;
	peers = reallocarray(host->peers, host->room + 1, sizeof(*peers));
	host->peers = peers ?: host->peers;
	return active && peers ? 0 : -ENOMEM;
}

/* After an error the entries found before it are used; the client cannot get the error. */
static int ask_kernel(struct rx_host *host)
{
	bool interrupted = false;
	int err;

	host->count = host->peer_count = host->active_count = host->over_ipv6 = 0;
	err = inet_diag_dump(host->fd, take_socket, host, &interrupted);
	err = err ?: make_room(host);
	if (!err) {
		qsort(host->entries, host->count, sizeof(*host->entries), compare_age);
		find_active(host);
		err = find_peers(host);
	}
	host->stats = (struct sonde_rx_stats){0};
	sum_counters(host, &host->stats);
	sum_tables(host, &host->stats);
	sum_rtt(host, &host->stats);
	host->asked_ns = clock_monotonic_ns();
	return err;
}

static void refresh(struct rx_host *host)
{
	if (clock_monotonic_ns() - host->asked_ns >= FRESH_NS)
		(void)ask_kernel(host);
}

static void tell_basic(void *ctx, struct sonde_rx_basic *ret)
{
	struct rx_host *host = ctx;

	refresh(host);
	ret->calls_executed = (int32_t)host->opened;
}

static bool tell_conn(void *ctx, uint32_t index, bool all, struct sonde_rx_conn *ret)
{
	struct rx_host *host = ctx;

	if (!index)
		refresh(host);
	if (index >= (all ? host->count : host->active_count))
		return false;
	*ret = host->entries[all ? index : host->active[index]].conn;
	return true;
}

static void tell_stats(void *ctx, struct sonde_rx_stats *ret)
{
	struct rx_host *host = ctx;

	refresh(host);
	*ret = host->stats;
	if (!host->counts)
		return;
	/* Of Rx itself there are DEBUG packets alone. */
	ret->words[SONDE_RX_STAT_READ + 7] = (uint32_t)host->counts->received;
	ret->words[SONDE_RX_STAT_SENT + 7] = (uint32_t)host->counts->answered;
	ret->words[SONDE_RX_STAT_SPURIOUS_READ] = (uint32_t)host->counts->malformed;
	ret->words[SONDE_RX_STAT_SEND_FAILURES] = (uint32_t)host->counts->unsent;
}

static bool tell_peer(void *ctx, uint32_t index, struct sonde_rx_peer *ret)
{
	struct rx_host *host = ctx;

	if (!index)
		refresh(host);
	if (index >= host->peer_count)
		return false;
	*ret = host->peers[index];
	return true;
}

const struct sonde_rx_callbacks rx_host_callbacks = {
	.basic = tell_basic,
	.conn = tell_conn,
	.stats = tell_stats,
	.peer = tell_peer,
};

void rx_host_set_counts(struct rx_host *host, const struct sonde_rx_counts *counts)
{
	host->counts = counts;
}

size_t rx_host_over_ipv6(const struct rx_host *host)
{
	return host->over_ipv6;
}

int rx_host_open(struct rx_host **ret, struct diag *diag)
{
	struct rx_host *host;
	struct timespec up;
	char reason[256];
	int err = inet_diag_check(reason, sizeof(reason));

	if (err)
		return diag_set(diag, err, "connections: %s", reason);
	host = calloc(1, sizeof(*host));
	if (!host)
		return diag_set(diag, -ENOMEM, "no memory");
	err = inet_diag_open(&host->fd);
	if (err) {
		host->fd = -1;
		rx_host_close(host);
		return diag_set(diag, err, "connections: %s", strerror(-err));
	}
	/* Rx has the time at which a program began; connections are the kernel's. */
	(void)clock_gettime(CLOCK_BOOTTIME, &up);
	host->epoch = (uint32_t)(clock_realtime_ns() / NS_PER_SEC - (uint64_t)up.tv_sec);
	*ret = host;
	return 0;
}

void rx_host_close(struct rx_host *host)
{
	if (!host)
		return;
	(void)fd_close(host->fd);
	free(host->entries);
	free(host->active);
	free(host->peers);
	free(host);
}
