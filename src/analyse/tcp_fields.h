/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tcp_fields: where the classes of tcp events have what, and the snapshot that each of them carries
 * as numbers.
 */
#ifndef SONDE_ANALYSE_TCP_FIELDS_H
#define SONDE_ANALYSE_TCP_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyse/conn_id.h"

/* The class of snapshots that come from another format (schema/terms.h). */
#define TCP_PARTIAL_NAME "tcp.snapshot"

/* As the kernel half numbers them, probe/tcp.bpf.c and tcp_snapshot.bpf.h. */
enum tcp_cause { TCP_CAUSE_FAST, TCP_CAUSE_RTO, TCP_CAUSE_TLP, TCP_CAUSE_SYN, TCP_CAUSE_COUNT };
enum { TCP_RESET_SENT, TCP_RESET_RECEIVED };
enum { TCP_CA_OPEN, TCP_CA_DISORDER, TCP_CA_CWR, TCP_CA_RECOVERY, TCP_CA_LOSS, TCP_CA_COUNT };
enum {
	TCP_STATE_ESTABLISHED = 1,
	TCP_STATE_SYN_SENT,
	TCP_STATE_SYN_RECV,
	TCP_STATE_FIN_WAIT1,
	TCP_STATE_FIN_WAIT2,
	TCP_STATE_TIME_WAIT,
	TCP_STATE_CLOSE,
	TCP_STATE_CLOSE_WAIT,
	TCP_STATE_LAST_ACK,
	TCP_STATE_LISTEN,
	TCP_STATE_CLOSING,
};

enum tcp_kind {
	TCP_NONE, /* not an event of a connection, or it lacks a field */
	TCP_PLAIN, /* nothing but the snapshot, of another format maybe not all of it */
	TCP_CWND,
	TCP_RETRANSMIT,
	TCP_LOSS,
	TCP_STATE,
	TCP_RECV,
	TCP_RESET,
	TCP_CLOSE,
};

/* What every event has, but for those of other formats (schema/terms.h). */
enum tcp_field {
	TCP_BYTES_ACKED,
	TCP_BYTES_RECEIVED,
	TCP_NETNS,
	TCP_SND_UNA,
	TCP_SND_NXT,
	TCP_WRITE_SEQ,
	TCP_SND_CWND,
	TCP_SND_WND,
	TCP_RCV_NXT,
	TCP_COPIED_SEQ,
	TCP_MSS,
	TCP_SRTT_US,
	TCP_MDEV_US,
	TCP_RTO_US,
	TCP_PACKETS_OUT,
	TCP_SACKED_OUT,
	TCP_LOST_OUT,
	TCP_RETRANS_OUT,
	TCP_TOTAL_RETRANS,
	TCP_SNDBUF,
	TCP_WMEM_QUEUED,
	TCP_STATE_NOW,
	TCP_CA_STATE,
	TCP_FIELD_COUNT,
};

/* At most so many fields come with the snapshot. */
#define TCP_MORE_FIELDS 4u
enum { TCP_MORE_OLD_CWND };
enum { TCP_MORE_CAUSE, TCP_MORE_SEGMENTS, TCP_MORE_LENGTH, TCP_MORE_ERROR };
enum { TCP_MORE_NEW_CA };
enum { TCP_MORE_NEW_STATE };
enum { TCP_MORE_DIRECTION, TCP_MORE_REASON };

struct tcp_fields {
	enum tcp_kind kind;
	struct conn_id_fields id;
	uint32_t has; /* a bit for each enum tcp_field */
	bool cwnd_bytes; /* the congestion window is in bytes: segments are not known */
	size_t at[TCP_FIELD_COUNT];
	size_t more[TCP_MORE_FIELDS]; /* by kind, the enumerations above */
};

/* What is not there is 0. */
struct tcp_now {
	uint32_t has; /* a bit for each enum tcp_field */
	uint64_t v[TCP_FIELD_COUNT];
};

_Static_assert(TCP_FIELD_COUNT <= 32, "`has` has a bit for each");

void tcp_fields_find(struct tcp_fields *fields, const struct event_class *class);
void tcp_fields_read(const struct tcp_fields *fields, const struct event *event,
		     struct tcp_now *now);

static inline bool tcp_now_has(const struct tcp_now *now, enum tcp_field field)
{
	return now->has >> field & 1;
}

/* What comes with the snapshot. */
static inline uint64_t tcp_fields_more(const struct tcp_fields *fields, const struct event *event,
				       size_t i)
{
	return event_uint(event, fields->more[i]);
}

/* Sequence numbers are modulo 2^32; 0 where @from is behind @to. */
static inline uint32_t tcp_distance(uint64_t from, uint64_t to)
{
	uint32_t distance = (uint32_t)to - (uint32_t)from;

	return distance >> 31 ? 0 : distance;
}

#endif /* SONDE_ANALYSE_TCP_FIELDS_H */
