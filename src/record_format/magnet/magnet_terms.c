// SPDX-License-Identifier: BSD-2-Clause
#include "record_format/magnet/magnet_terms.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "record_format/magnet/magnet_record.h"
#include "schema/class_table.h"
#include "schema/terms.h"
#include "schema/trace_info.h"
#include "wire/magnet.h"

#define CONNECTIONS_MAX (1u << 20)

enum snapshot {
	TCP_COOKIE,
	TCP_LPORT,
	TCP_RPORT,
	TCP_BYTES_ACKED,
	TCP_BYTES_RECEIVED,
	TCP_SND_WND,
	TCP_SRTT_US,
	TCP_RTO_US,
	TCP_PACKETS_OUT,
	TCP_RETRANS_OUT,
	TCP_SND_CWND,
	TCP_WRITE_SEQ,
	TCP_COPIED_SEQ,
	TCP_SLOTS,
};

enum crossing {
	NET_COOKIE,
	NET_SIZE,
	NET_NETNS,
	NET_IP_ID,
	NET_PROTOCOL,
	NET_SPORT,
	NET_DPORT,
	NET_SLOTS,
};

/* Where a record has what; the totals of a connection are counted. */
struct value_name {
	const char *own;
	const char *record; /* NULL: in no record */
};

static const struct value_name tcp_values[TCP_SLOTS] = {
	[TCP_COOKIE] = {"cookie", "sockid"},
	[TCP_LPORT] = {"lport", "source"},
	[TCP_RPORT] = {"rport", "dest"},
	[TCP_BYTES_ACKED] = {"bytes_acked", NULL},
	[TCP_BYTES_RECEIVED] = {"bytes_received", NULL},
	[TCP_SND_WND] = {"snd_wnd", "snd_wnd"},
	[TCP_SRTT_US] = {"srtt_us", "srtt"},
	[TCP_RTO_US] = {"rto_us", "rto"},
	[TCP_PACKETS_OUT] = {"packets_out", "packets_out"},
	[TCP_RETRANS_OUT] = {"retrans_out", "retrans_out"},
	[TCP_SND_CWND] = {"snd_cwnd", "snd_cwnd"},
	[TCP_WRITE_SEQ] = {"write_seq", "write_seq"},
	[TCP_COPIED_SEQ] = {"copied_seq", "copied_seq"},
};

static const struct value_name net_values[NET_SLOTS] = {
	[NET_COOKIE] = {"cookie", "sockid"},
	[NET_SIZE] = {"size", "size"},
	[NET_NETNS] = {"netns", NULL},
	[NET_IP_ID] = {"ip_id", "id"},
	[NET_PROTOCOL] = {"protocol", "protocol"},
	[NET_SPORT] = {"sport", NULL},
	[NET_DPORT] = {"dport", NULL},
};

#define VALUES_MAX ((size_t)TCP_SLOTS)

_Static_assert(VALUES_MAX >= (size_t)NET_SLOTS, "there is room for either");

/* A class of records. */
struct record_class {
	const struct magnet_event *event; /* NULL: not one, or not wanted */
	int from[VALUES_MAX]; /* by the slots; -1 = nowhere */
	int size;
	const struct event_class *to;
};

struct totals {
	uint64_t sent;
	uint64_t received;
};

struct magnet_terms {
	struct terms terms; /* first: the vtable's functions get this */
	struct record_class *classes; /* by event_class.index */
	size_t class_count;
	struct map totals; /* struct totals, by sockid */
};

static bool is_tcp(const struct magnet_event *event)
{
	return event->member == MAGNET_MEMBER_TCP;
}

/* NULL: events of this kind are made of nothing that records of @event have. */
static const struct value_name *values_of(const struct magnet_event *event, size_t *count)
{
	switch (event->member) {
	case MAGNET_MEMBER_TCP:
		*count = TCP_SLOTS;
		return tcp_values;
	case MAGNET_MEMBER_IP:
		*count = NET_SLOTS;
		return net_values;
	default:
		return NULL;
	}
}

/* The ports are those of the packet: of one that came, the source is the other end. */
static bool comes(const struct magnet_event *event)
{
	return event->number == MAGNET_TCP_RECV || event->number == MAGNET_SOCK_RECV ||
	       event->number == MAGNET_APP_RECV;
}

static uint64_t value(const struct event *event, int field)
{
	return field < 0 ? 0 : event_uint(event, (size_t)field);
}

static void count_totals(struct magnet_terms *mt, const struct record_class *class,
			 const struct event *event, uint64_t *slots)
{
	int32_t size = (int32_t)value(event, class->size);
	struct totals *totals = map_at(&mt->totals, &slots[TCP_COOKIE]);

	if (!totals)
		return;
	if (size > 0 && class->event->number == MAGNET_TCP_SEND)
		totals->sent += (uint64_t)size;
	if (size > 0 && class->event->number == MAGNET_APP_RECV)
		totals->received += (uint64_t)size;
	slots[TCP_BYTES_ACKED] = totals->sent;
	slots[TCP_BYTES_RECEIVED] = totals->received;
}

/* Every connection has a congestion window: a socket without one is of another protocol. */
static void take_tcp(struct magnet_terms *mt, const struct record_class *class,
		     const struct event *event, struct terms_out *out)
{
	uint64_t *slots, port;

	if (!value(event, class->from[TCP_SND_CWND]))
		return;
	slots = terms_put(out, class->to, TCP_SLOTS, event);
	for (size_t i = 0; i < TCP_SLOTS; i++)
		slots[i] = value(event, class->from[i]);
	slots[TCP_SRTT_US] >>= MAGNET_SRTT_SHIFT;
	if (comes(class->event)) {
		port = slots[TCP_LPORT];
		slots[TCP_LPORT] = slots[TCP_RPORT];
		slots[TCP_RPORT] = port;
	}
	count_totals(mt, class, event, slots);
}

/* Without an id it cannot be identified. */
static void take_net(const struct record_class *class, const struct event *event,
		     struct terms_out *out)
{
	uint64_t *slots;

	if (!value(event, class->from[NET_IP_ID]))
		return;
	slots = terms_put(out, class->to, NET_SLOTS, event);
	for (size_t i = 0; i < NET_SLOTS; i++)
		slots[i] = value(event, class->from[i]);
}

static void take(struct terms *terms, const struct event *event, struct terms_out *out)
{
	struct magnet_terms *mt = (struct magnet_terms *)terms;
	const struct record_class *class;

	if (!event || event->class->index >= mt->class_count)
		return;
	class = &mt->classes[event->class->index];
	if (class->event && is_tcp(class->event))
		take_tcp(mt, class, event, out);
	else if (class->event)
		take_net(class, event, out);
}

static int make_class(struct record_class *class, struct class_table *table)
{
	struct field fields[VALUES_MAX];
	struct class_plan plan = {
		.name = is_tcp(class->event) ? "tcp.snapshot" : class->event->net,
		.fields = fields,
		.payload_bytes = 8 * VALUES_MAX,
	};
	const struct value_name *values = values_of(class->event, &plan.field_count);

	for (size_t i = 0; i < plan.field_count; i++)
		fields[i] = (struct field)TERMS_INT(values[i].own, i);
	class->to = class_table_add(table, &plan);
	return class->to ? 0 : -ENOMEM;
}

static int classes(struct terms *terms, struct class_table *table)
{
	struct magnet_terms *mt = (struct magnet_terms *)terms;

	for (size_t i = 0; i < mt->class_count; i++) {
		if (mt->classes[i].event && make_class(&mt->classes[i], table))
			return -ENOMEM;
	}
	return 0;
}

static void free_terms(struct terms *terms)
{
	struct magnet_terms *mt = (struct magnet_terms *)terms;

	if (!mt)
		return;
	map_fini(&mt->totals);
	free(mt->classes);
	free(mt);
}

static const struct terms_ops magnet_terms_ops = {classes, take, free_terms};

/* Whether @class is of this format and has the data field. */
static bool find_values(struct record_class *found, const struct event_class *class)
{
	const struct magnet_event *event = magnet_event_of_class(class->name);
	const struct value_name *values;
	bool good = true;
	size_t count;

	if (!event || !event->class || strcmp(event->class, class->name) != 0)
		return false;
	values = values_of(event, &count);
	for (size_t i = 0; values && i < count; i++) {
		const char *name = values[i].record;

		found->from[i] = name ? event_class_find_number(class, name) : -1;
		good = good && (!name || found->from[i] >= 0);
	}
	good = good && values;
	found->size = event_class_find_number(class, "size");
	found->event = good ? event : NULL;
	return good;
}

int magnet_terms_new(const struct trace_info *info, struct terms **ret)
{
	struct magnet_terms *mt = calloc(1, sizeof(*mt));
	bool any = false;

	if (!mt)
		return -ENOMEM;
	map_init(&mt->totals, sizeof(uint64_t), sizeof(struct totals), CONNECTIONS_MAX);
	mt->terms.ops = &magnet_terms_ops;
	mt->class_count = info->class_count;
	mt->classes = calloc(info->class_count ?: 1, sizeof(*mt->classes));
	if (!mt->classes) {
		free_terms(&mt->terms);
		return -ENOMEM;
	}
	for (size_t i = 0; i < info->class_count; i++)
		any |= find_values(&mt->classes[i], info->classes[i]);
	if (any)
		*ret = &mt->terms;
	else
		free_terms(&mt->terms);
	return 0;
}
