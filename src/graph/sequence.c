// SPDX-License-Identifier: BSD-2-Clause
#include "graph/sequence.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/analysis.h"
#include "analyse/net_fields.h"
#include "analyse/tcp_fields.h"
#include "graph/conn_pick.h"
#include "schema/lost.h"

#define TCP_HEADER_BYTES 20 /* without options */
#define TCP_OPTIONS_MAX_BYTES 40
#define IPV4_HEADER_BYTES 20
#define IPV6_HEADER_BYTES 40

enum sequence_kind { SEQUENCE_OTHER, SEQUENCE_TCP, SEQUENCE_PACKET };

struct sequence_class {
	enum sequence_kind kind;
	struct tcp_fields tcp;
	struct net_fields net;
	int fack; /* the field, -1 = none */
	int seq, length; /* likewise, of a segment that is sent again */
};

static void find_class(struct sequence_class *entry, const struct event_class *class)
{
	tcp_fields_find(&entry->tcp, class);
	net_fields_find(&entry->net, class);
	entry->fack = event_class_find_number(class, "snd_fack");
	entry->seq = event_class_find_number(class, "seq");
	entry->length = event_class_find_number(class, "length");
	if (entry->tcp.kind != TCP_NONE)
		entry->kind = SEQUENCE_TCP;
	else if (entry->net.crossing == NET_IP_SEND)
		entry->kind = SEQUENCE_PACKET;
}

int sequence_init(struct sequence *sequence, const struct analysis *analysis,
		  const struct conn_pick *pick)
{
	const struct trace_info *info = analysis->info;

	*sequence = (struct sequence){.analysis = analysis, .pick = pick};
	map_init(&sequence->index, sizeof(uint64_t), sizeof(struct sequence_conn *),
		 SEQUENCE_CONNS);
	sequence->classes = calloc(info->class_count ?: 1, sizeof(*sequence->classes));
	sequence->conns = calloc(SEQUENCE_CONNS, sizeof(*sequence->conns));
	if (!sequence->classes || !sequence->conns)
		return -ENOMEM;
	for (size_t i = 0; i < info->class_count; i++)
		find_class(&sequence->classes[i], info->classes[i]);
	return 0;
}

static void free_conn(struct sequence_conn *conn)
{
	series_fini(&conn->packets);
	series_fini(&conn->sent);
	series_fini(&conn->acked);
	series_fini(&conn->window);
	series_fini(&conn->sacked);
	series_fini(&conn->resent);
	series_fini(&conn->losses);
	free(conn);
}

void sequence_fini(struct sequence *sequence)
{
	for (size_t i = 0; i < sequence->count; i++)
		free_conn(sequence->conns[i]);
	free(sequence->conns);
	free(sequence->classes);
	map_fini(&sequence->index);
}

/* The connection of @event, which is made where it is not there. -E2BIG; -ENOMEM. */
static int conn_at(struct sequence *sequence, uint64_t key, struct sequence_conn **ret)
{
	struct sequence_conn **slot = map_get(&sequence->index, &key), *conn;

	if (slot) {
		*ret = *slot;
		return 0;
	}
	if (sequence->count == SEQUENCE_CONNS)
		return -E2BIG;
	conn = calloc(1, sizeof(*conn));
	slot = conn ? map_at(&sequence->index, &key) : NULL;
	if (!slot) {
		free(conn);
		return -ENOMEM;
	}
	*slot = *ret = sequence->conns[sequence->count++] = conn;
	return 0;
}

/* Where @seq is from the beginning: no more than 2 GiB from what was last acknowledged. */
static int64_t place_of(const struct sequence_conn *conn, uint64_t seq)
{
	return conn->una_at + (int32_t)((uint32_t)seq - conn->una);
}

/* Two points, so that the stretch between them is what is drawn. */
static int add_stretch(struct series *series, int64_t time_ns, int64_t from, int64_t to)
{
	int err = series_add(series, time_ns, (double)from);

	return err ? err : series_add(series, time_ns, (double)to);
}

static void start(struct sequence_conn *conn, const struct tcp_now *now)
{
	conn->una = (uint32_t)now->v[TCP_SND_UNA];
	conn->started = true;
	conn->next_at = conn->packet_at = place_of(conn, now->v[TCP_SND_NXT]);
}

/*
 * A snapshot is taken when an acknowledgement comes, before the window that it brings is in force.
 * Data that is sent at once may be beyond the edge that is known then: that data is the proof of the new one.
 */
static int add_edge(struct sequence_conn *conn, int64_t time_ns, int64_t edge)
{
	conn->edge_at = edge;
	return series_add(&conn->window, time_ns, (double)edge);
}

static int add_sack(struct sequence_conn *conn, const struct sequence_class *class,
		    const struct event *event, const struct tcp_now *now)
{
	int64_t fack;

	if (class->fack < 0 || !now->v[TCP_SACKED_OUT])
		return 0;
	fack = place_of(conn, event_uint(event, (size_t) class->fack));
	if (fack <= conn->una_at)
		return 0;
	return series_add(&conn->sacked, event->time_ns, (double)fack);
}

static int add_snapshot(struct sequence_conn *conn, const struct sequence_class *class,
			const struct event *event, const struct tcp_now *now)
{
	int64_t time_ns = event->time_ns, next, edge;
	int err;

	conn->una_at = place_of(conn, now->v[TCP_SND_UNA]);
	conn->una = (uint32_t)now->v[TCP_SND_UNA];
	next = place_of(conn, now->v[TCP_SND_NXT]);
	edge = conn->una_at + (int64_t)(uint32_t)now->v[TCP_SND_WND];
	edge = edge < conn->packet_end ? conn->packet_end : edge;
	err = series_add(&conn->acked, time_ns, (double)conn->una_at);
	if (!err)
		err = add_edge(conn, time_ns, edge < next ? next : edge);
	if (!err && next > conn->next_at)
		err = add_stretch(&conn->sent, time_ns, conn->next_at, next);
	if (!err)
		err = add_sack(conn, class, event, now);
	conn->next_at = next;
	return err;
}

static int add_resent(struct sequence_conn *conn, const struct sequence_class *class,
		      const struct event *event)
{
	uint64_t length = class->length < 0 ? 0 : event_uint(event, (size_t) class->length);
	int64_t from;

	if (class->seq < 0)
		return 0;
	from = place_of(conn, event_uint(event, (size_t) class->seq));
	conn->resent_segments += tcp_fields_more(&class->tcp, event, TCP_MORE_SEGMENTS);
	return add_stretch(&conn->resent, event->time_ns, from, from + (int64_t)(uint32_t)length);
}

static int add_loss(struct sequence_conn *conn, const struct sequence_class *class,
		    const struct event *event)
{
	uint64_t state = tcp_fields_more(&class->tcp, event, TCP_MORE_NEW_CA);

	if (state != TCP_CA_RECOVERY && state != TCP_CA_LOSS)
		return 0;
	return series_add(&conn->losses, event->time_ns, (double)conn->una_at);
}

/* Whether it is the connection that was asked for. */
static bool is_wanted(const struct sequence *sequence, const struct conn_id *id)
{
	return !sequence->pick || conn_pick_matches(sequence->pick, id);
}

static int take_tcp(struct sequence *sequence, const struct sequence_class *class,
		    const struct event *event)
{
	struct sequence_conn *conn;
	struct conn_id id = {0};
	struct tcp_now now;
	int err;

	conn_id_learn(&id, &class->tcp.id, event);
	tcp_fields_read(&class->tcp, event, &now);
	/* A socket that is not connected yet, or any more, has no numbers. */
	if (!is_wanted(sequence, &id) || now.v[TCP_STATE_NOW] == TCP_STATE_LISTEN ||
	    (!now.v[TCP_SND_UNA] && !now.v[TCP_SND_NXT]))
		return 0;
	err = conn_at(sequence, conn_id_key(&class->tcp.id, event), &conn);
	if (err == -E2BIG)
		sequence->left_out++;
	if (err)
		return err == -E2BIG ? 0 : err;
	conn_id_learn(&conn->id, &class->tcp.id, event);
	conn->events++;
	if (!conn->started)
		start(conn, &now);
	err = add_snapshot(conn, class, event, &now);
	if (!err && class->tcp.kind == TCP_RETRANSMIT)
		err = add_resent(conn, class, event);
	if (!err && class->tcp.kind == TCP_LOSS)
		err = add_loss(conn, class, event);
	return err;
}

/* A packet that begins inside the one before shows by how much that one was taken for too long. */
static void learn_options(struct sequence_conn *conn, int64_t from)
{
	int64_t over = conn->packet_end - from;

	if (from <= conn->packet_at || over <= 0 ||
	    conn->option_bytes + over > TCP_OPTIONS_MAX_BYTES)
		return;
	conn->option_bytes += over;
	conn->packet_end = from;
}

/* Only for connections with a snapshot: it shows where their numbers begin. */
static int take_packet(struct sequence *sequence, const struct sequence_class *class,
		       const struct event *event)
{
	struct sequence_conn **slot, *conn;
	struct net_now now;
	int64_t from, length;
	int err;

	net_fields_read(&class->net, event, &now);
	slot = now.cookie ? map_get(&sequence->index, &now.cookie) : NULL;
	if (!slot || now.protocol != NET_PROTOCOL_TCP || !(*slot)->started)
		return 0;
	conn = *slot;
	length = (int64_t)now.size - TCP_HEADER_BYTES -
		 (now.is_ipv6 ? IPV6_HEADER_BYTES : IPV4_HEADER_BYTES);
	from = place_of(conn, now.seq);
	learn_options(conn, from);
	length -= conn->option_bytes;
	/* An acknowledgement carries nothing; data sent again is counted elsewhere. */
	if (length <= 0 || from < conn->packet_at)
		return 0;
	conn->packet_at = from;
	conn->packet_end = from + length;
	err = add_stretch(&conn->packets, event->time_ns, from, conn->packet_end);
	return err || conn->packet_end <= conn->edge_at ?
		       err :
		       add_edge(conn, event->time_ns, conn->packet_end);
}

int sequence_take(struct sequence *sequence, const struct event *event, bool shown)
{
	const struct sequence_class *class = &sequence->classes[event->class->index];

	if (event->class->role == EVENT_ROLE_LOST)
		sequence->lost += event_uint(event, LOST_COUNT);
	if (!shown || class->kind == SEQUENCE_OTHER)
		return 0;
	return class->kind == SEQUENCE_TCP ? take_tcp(sequence, class, event) :
					     take_packet(sequence, class, event);
}

/* Those that sent most first. */
static int compare(const void *a, const void *b)
{
	const struct sequence_conn *x = *(struct sequence_conn *const *)a;
	const struct sequence_conn *y = *(struct sequence_conn *const *)b;

	if (x->next_at != y->next_at)
		return x->next_at < y->next_at ? 1 : -1;
	if (x->events != y->events)
		return x->events < y->events ? 1 : -1;
	return memcmp(&x->id, &y->id, sizeof(x->id));
}

void sequence_end(struct sequence *sequence)
{
	qsort(sequence->conns, sequence->count, sizeof(*sequence->conns), compare);
}

const struct sequence_conn *sequence_chosen(const struct sequence *sequence)
{
	return sequence->count ? sequence->conns[0] : NULL;
}
