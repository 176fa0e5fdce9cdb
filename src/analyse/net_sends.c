// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/net_sends.h"

#include <stdlib.h>

#define FIRST_ROOM 8u

struct handed {
	struct net_now steps[NET_SENDS_STEPS];
	size_t count;
};

/* Bytes that TCP was given at once. */
struct send {
	int64_t time_ns;
	int64_t call_ns; /* when the application gave them to the socket; 0 = not known */
	uint32_t seq;
	int32_t size;
	int32_t call_size;
	int32_t tid;
	int32_t cpu;
};

/* Sends are a ring: those whose bytes have all been in packets leave it at its begin. */
struct sender {
	struct send *sends;
	uint32_t begin;
	uint32_t count;
	uint32_t room; /* a power of two, or 0 */
	uint32_t next_seq; /* behind what has been in a packet */
	bool has_next;
};

static struct send *send_at(const struct sender *sender, uint32_t i)
{
	return &sender->sends[(sender->begin + i) & (sender->room - 1)];
}

void net_sends_init(struct net_sends *sends)
{
	*sends = (struct net_sends){0};
	map_init(&sends->calls, sizeof(int32_t), sizeof(struct handed), NET_SENDS_TASKS);
	map_init(&sends->senders, sizeof(uint64_t), sizeof(struct sender), NET_SENDS_SOCKETS);
}

void net_sends_fini(struct net_sends *sends)
{
	const void *key;
	void *value;
	size_t at = 0;

	while (map_next(&sends->senders, &at, &key, &value))
		free(((struct sender *)value)->sends);
	map_fini(&sends->senders);
	map_fini(&sends->calls);
}

void net_sends_clear(struct net_sends *sends)
{
	uint64_t refused = sends->refused;

	net_sends_fini(sends);
	net_sends_init(sends);
	sends->refused = refused;
}

static bool grow(struct sender *sender)
{
	uint32_t room = sender->room ? sender->room * 2 : FIRST_ROOM;
	struct send *more;

	if (sender->count < sender->room)
		return true;
	more = calloc(room, sizeof(*more));
	if (!more)
		return false;
	for (uint32_t i = 0; i < sender->count; i++)
		more[i] = *send_at(sender, i);
	free(sender->sends);
	sender->sends = more;
	sender->room = room;
	sender->begin = 0;
	return true;
}

static void pop(struct net_sends *sends, struct sender *sender)
{
	sender->begin = (sender->begin + 1) & (sender->room - 1);
	sender->count--;
	sends->count--;
	if (sender->count)
		return;
	/* So that memory is bounded by present sends, not by earlier ones. */
	free(sender->sends);
	sender->sends = NULL;
	sender->room = 0;
}

/* Whether all that is known of the task is that it called. */
static bool has_called(const struct handed *call)
{
	return call && call->count == 1 && call->steps[0].crossing == NET_SOCK_SEND;
}

static void add_bytes(struct net_sends *sends, const struct net_now *now)
{
	struct sender *sender = map_at(&sends->senders, &now->cookie);
	struct handed *call = map_get(&sends->calls, &now->tid);
	bool called = has_called(call);

	if (!sender || sends->count >= NET_SENDS_LIMIT || !grow(sender)) {
		sends->refused++;
		return;
	}
	*send_at(sender, sender->count++) = (struct send){
		.time_ns = now->time_ns,
		.call_ns = called ? call->steps[0].time_ns : 0,
		.seq = now->seq,
		.size = now->size,
		.call_size = called ? call->steps[0].size : 0,
		.tid = now->tid,
		.cpu = now->cpu,
	};
	sends->count++;
	if (called)
		call->count = 0;
}

void net_sends_add(struct net_sends *sends, const struct net_now *now)
{
	struct handed *call;

	if (now->crossing == NET_TRANSPORT_SEND && now->protocol == NET_PROTOCOL_TCP) {
		if (now->size > 0)
			add_bytes(sends, now);
		return;
	}
	call = map_at(&sends->calls, &now->tid);
	if (!call) {
		sends->refused++;
		return;
	}
	/* A new call, or one that was refused: whatever the task sent before is done with. */
	if (now->crossing == NET_SOCK_SEND || !has_called(call))
		call->count = 0;
	if (now->size >= 0)
		call->steps[call->count++] = *now;
}

static size_t tell(const struct net_now *now, const struct send *send, struct net_now *steps)
{
	size_t count = 0;

	steps[0] = *now;
	steps[0].tid = send->tid;
	steps[0].cpu = send->cpu;
	steps[1] = steps[0];
	if (send->call_ns) {
		steps[count].crossing = NET_SOCK_SEND;
		steps[count].time_ns = send->call_ns;
		steps[count++].size = send->call_size;
	}
	steps[count].crossing = NET_TRANSPORT_SEND;
	steps[count].time_ns = send->time_ns;
	steps[count++].size = send->size;
	return count;
}

static size_t take_bytes(struct net_sends *sends, const struct net_now *now, uint32_t payload,
			 struct net_now *steps, bool *again)
{
	struct sender *sender = map_get(&sends->senders, &now->cookie);
	const struct send *send;

	if (!sender)
		return 0;
	*again = sender->has_next && net_seq_before(now->seq, sender->next_seq);
	if (*again)
		return 0;
	while (sender->count) {
		send = send_at(sender, 0);
		if (net_seq_before(now->seq, send->seq + (uint32_t)send->size))
			break;
		pop(sends, sender);
	}
	if (!sender->count || !net_seq_within(now->seq, send->seq, (uint32_t)send->size))
		return 0;
	sender->next_seq = now->seq + payload;
	sender->has_next = true;
	return tell(now, send, steps);
}

static bool port_fits(uint16_t known, uint16_t port)
{
	return !known || known == port;
}

/* A datagram is a packet at once, and the task that sends it does nothing in between. */
static size_t take_datagram(struct net_sends *sends, const struct net_now *now,
			    struct net_now *steps)
{
	struct handed *call = map_get(&sends->calls, &now->tid);
	size_t count;

	if (!call || !call->count)
		return 0;
	for (size_t i = 0; i < call->count; i++) {
		if (!port_fits(call->steps[i].sport, now->sport) ||
		    !port_fits(call->steps[i].dport, now->dport) ||
		    call->steps[i].protocol != now->protocol)
			return 0;
		steps[i] = call->steps[i];
	}
	count = call->count;
	call->count = 0;
	return count;
}

size_t net_sends_take(struct net_sends *sends, const struct net_now *now, uint32_t payload,
		      struct net_now steps[NET_SENDS_STEPS], bool *again)
{
	*again = false;
	if (now->protocol != NET_PROTOCOL_TCP)
		return take_datagram(sends, now, steps);
	return payload ? take_bytes(sends, now, payload, steps, again) : 0;
}
