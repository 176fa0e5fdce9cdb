// SPDX-License-Identifier: BSD-2-Clause
#include "record_format/magnet/magnet_record.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/glob.h"
#include "schema/class_table.h"
#include "schema/event.h"

struct magnet_layout magnet_layout_of(unsigned int number)
{
	return (struct magnet_layout){
		.big_endian = number & 1, .wide = number & 2, .data = number & 4};
}

int magnet_layout_parse(const char *text, struct magnet_layout *ret)
{
	char name[MAGNET_LAYOUT_NAME_BYTES];

	for (unsigned int i = 0; i < MAGNET_LAYOUTS; i++) {
		struct magnet_layout layout = magnet_layout_of(i);

		magnet_layout_format(&layout, name);
		if (!strcmp(name, text)) {
			*ret = layout;
			return 0;
		}
	}
	return -EINVAL;
}

void magnet_layout_format(const struct magnet_layout *layout, char name[MAGNET_LAYOUT_NAME_BYTES])
{
	snprintf(name, MAGNET_LAYOUT_NAME_BYTES, "%s%s%s", layout->big_endian ? "be" : "le",
		 layout->wide ? "64" : "32", layout->data ? "+data" : "");
}

bool magnet_layout_equals(const struct magnet_layout *a, const struct magnet_layout *b)
{
	return a->big_endian == b->big_endian && a->wide == b->wide && a->data == b->data;
}

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

#define NET(number_, name_, member_, text_)                                                     \
	{                                                                                       \
		MAGNET_##number_, MAGNET_MEMBER_##member_, "MAGNET_" #number_, "magnet." name_, \
			"net." name_, text_                                                     \
	}

static const struct magnet_event events[] = {
	NET(SOCK_SEND, "sock_send", TCP, "the application hands bytes to a socket"),
	NET(TCP_SEND, "tcp_send", TCP, "the socket hands bytes to TCP"),
	NET(UDP_SEND, "udp_send", UDP, "the socket hands bytes to UDP"),
	NET(IP_SEND, "ip_send", IP, "transport hands a packet to IP"),
	NET(DEV_QUEUE, "dev_queue", IP, "IP hands a packet to the device"),
	NET(QDISC_ENQUEUE, "qdisc_enqueue", IP, "a packet is put into the queueing discipline"),
	NET(QDISC_DEQUEUE, "qdisc_dequeue", IP,
	    "the queueing discipline gives a packet to the device"),
	NET(DEV_XMIT, "dev_xmit", IP, "the driver is given a packet"),
	NET(DEV_RECV, "dev_recv", IP, "a driver gives the stack a packet that has arrived"),
	NET(IP_RECV, "ip_recv", IP, "the stack hands a packet to IP"),
	NET(TCP_RECV, "tcp_recv", TCP, "IP hands a packet to TCP"),
	NET(UDP_RECV, "udp_recv", UDP, "IP hands a packet to UDP"),
	NET(SOCK_RECV, "sock_recv", TCP, "transport hands bytes to the socket"),
	NET(APP_RECV, "app_recv", TCP, "the application takes bytes from the socket"),
	NET(DROP, "drop", IP, "a packet ends here"),
	{MAGNET_SYSINFO, MAGNET_MEMBER_NONE, "MAGNET_SYSINFO", "magnet.sysinfo", NULL,
	 "the clock that records behind it were made by"},
	{MAGNET_LOST_EVENT, MAGNET_MEMBER_NONE, "MAGNET_LOST_EVENT", NULL, NULL, NULL},
	{0, MAGNET_MEMBER_NONE, "MAGNET_UNKNOWN", "magnet.unknown", NULL,
	 "an event with an unknown number"},
};

/* Of which members a value is: 1 << enum magnet_member. */
#define OF_ALL 0xffu
#define OF_TCP (1u << MAGNET_MEMBER_TCP)
#define OF_PORTS (OF_TCP | 1u << MAGNET_MEMBER_UDP)
#define OF_IP (1u << MAGNET_MEMBER_IP)

#define VALUE(members_, name_, unit_, text_)                                 \
	.members = (members_), .field.name = (name_), .field.unit = (unit_), \
	.field.text = (text_), .field.scope = FIELD_SCOPE_OBJECT
#define FROM(net_) .field.from = {.rule = RECORD_RULE_COPY, .a = (net_)}
/* Bytes from the record's begin, and how many: with pointers of 32 bits, and of 64. */
#define AT(at32, bytes32, at64, bytes64) .field.place = {{(at32), (bytes32)}, {(at64), (bytes64)}}
#define DATA(at32, at64, bytes) \
	AT(MAGNET_AT_DATA_32 + (at32), bytes, MAGNET_AT_DATA_64 + (at64), bytes)
/* The @i-th long of struct magnet_tcp. */
#define TCP_LONG(i, name_, net_, unit_, text_)                                                     \
	{                                                                                          \
		VALUE(OF_TCP, name_, unit_, text_), FROM(net_),                                    \
			AT(MAGNET_AT_DATA_32 + 4 + 4 * (i), 4, MAGNET_AT_DATA_64 + 8 + 8 * (i), 8) \
	}
/* The @i-th of the bits behind them: 0 is FIN. */
#define TCP_FLAG(i, name_, text_)                                                                  \
	{                                                                                          \
		VALUE(OF_TCP, name_, NULL, text_), .field.kind = RECORD_BIT,                       \
						   .field.show = FIELD_SHOW_FLAG, .field.place = { \
							   {MAGNET_AT_DATA_32 + 44, 1, (i), 1},    \
							   {MAGNET_AT_DATA_64 + 88, 1, (i), 1}     \
						   }                                               \
	}
#define IP_VALUE(at, bytes, name_, net_, text_, ...)                                           \
	{                                                                                      \
		VALUE(OF_IP, name_, NULL, text_), FROM(net_), DATA(at, at, bytes), __VA_ARGS__ \
	}

static const struct field_label protocol_labels[] = {
	{1, 1, "ICMP"},	    {2, 2, "IGMP"},	{6, 6, "TCP"},
	{17, 17, "UDP"},    {47, 47, "GRE"},	{50, 50, "ESP"},
	{58, 58, "ICMPV6"}, {132, 132, "SCTP"}, {136, 136, "UDPLITE"},
};

struct value {
	struct record_field field;
	uint8_t members;
};

/* clang-format off */
static const struct value values[MAGNET_VALUE_COUNT] = {
	{VALUE(OF_ALL, "sockid", NULL, "number of the connection"), FROM("cookie"),
	 AT(MAGNET_AT_SOCKID, 4, MAGNET_AT_SOCKID, 8), .field.show = FIELD_SHOW_HEX},
	{VALUE(OF_ALL, "timestamp", "ticks", "when, by the clock of magnet.sysinfo"),
	 AT(MAGNET_AT_TIMESTAMP_32, 8, MAGNET_AT_TIMESTAMP_64, 8)},
	{VALUE(OF_ALL, "event", NULL, "number of the event"), AT(MAGNET_AT_EVENT_32, 4, MAGNET_AT_EVENT_64, 4)},
	{VALUE(OF_ALL, "size", "bytes", "bytes; negative: the error"), FROM("size"),
	 AT(MAGNET_AT_SIZE_32, 4, MAGNET_AT_SIZE_64, 4), .field.kind = RECORD_INT, .field.show = FIELD_SHOW_RESULT},
	{VALUE(OF_PORTS, "source", NULL, "source port"), FROM("sport"), DATA(0, 0, 2)},
	{VALUE(OF_PORTS, "dest", NULL, "destination port"), FROM("dport"), DATA(2, 2, 2)},
	TCP_LONG(0, "snd_wnd", "snd_wnd", "bytes", "window that the peer offers"),
	{VALUE(OF_TCP, "srtt", NULL, "smoothed round-trip time, 8 times; of Sonde in us"),
	 .field.from = {RECORD_RULE_COPY, "srtt_us", NULL, MAGNET_SRTT_SHIFT},
	 AT(MAGNET_AT_DATA_32 + 8, 4, MAGNET_AT_DATA_64 + 16, 8)},
	TCP_LONG(2, "rto", "rto_us", NULL, "retransmission timeout; of Sonde in us"),
	TCP_LONG(3, "packets_out", "packets_out", "segments", "segments in flight"),
	TCP_LONG(4, "retrans_out", "retrans_out", "segments", "of these: sent again"),
	TCP_LONG(5, "snd_ssthresh", "snd_ssthresh", "segments", "slow start threshold"),
	TCP_LONG(6, "snd_cwnd", "snd_cwnd", "segments", "congestion window"),
	TCP_LONG(7, "rcv_wnd", "rcv_wnd", "bytes", "window that we offer"),
	TCP_LONG(8, "write_seq", "write_seq", "seq", "end of what the application has written"),
	TCP_LONG(9, "copied_seq", "copied_seq", "seq", "next byte that the application will read"),
	TCP_FLAG(0, "fin", "the sender has sent all"),
	TCP_FLAG(1, "syn", "a connection begins"),
	TCP_FLAG(2, "rst", "the connection is reset"),
	TCP_FLAG(3, "psh", "to be handed on at once"),
	TCP_FLAG(4, "ack", "it acknowledges"),
	TCP_FLAG(5, "urg", "it has urgent data"),
	TCP_FLAG(6, "ece", "congestion was met"),
	TCP_FLAG(7, "cwr", "the window was reduced"),
	IP_VALUE(0, 1, "version", "version", "IP version"),
	IP_VALUE(1, 1, "tos", "tos", "type of service", .field.show = FIELD_SHOW_HEX),
	IP_VALUE(2, 2, "id", "ip_id", "identification"),
	IP_VALUE(4, 2, "frag_off", "frag_off", "flags and fragment offset", .field.show = FIELD_SHOW_HEX),
	IP_VALUE(6, 1, "ttl", "ttl", "time to live"),
	IP_VALUE(7, 1, "protocol", "protocol", "transport protocol", .field.labels = protocol_labels,
		 .field.label_count = COUNT_OF(protocol_labels)),
};

/* What two of the values are in MAGNET_SYSINFO. */
static const struct value sysinfo_wall = {
	VALUE(OF_ALL, "wall_s", "s", "seconds since 1970 at this timestamp; 0 = not known"),
	AT(MAGNET_AT_SOCKID, 4, MAGNET_AT_SOCKID, 8),
};
static const struct value sysinfo_rate = {
	VALUE(OF_ALL, "clock_rate", NULL, "ticks of the clock, in Hz, below 10 million in kHz"),
	AT(MAGNET_AT_SIZE_32, 4, MAGNET_AT_SIZE_64, 4), .field.kind = RECORD_INT,
};
/* clang-format on */

const struct record_field *magnet_value(enum magnet_value_id id, const struct magnet_event *event)
{
	bool sysinfo = event && event->number == MAGNET_SYSINFO;

	if (sysinfo && id == MAGNET_VALUE_SOCKID)
		return &sysinfo_wall.field;
	if (sysinfo && id == MAGNET_VALUE_SIZE)
		return &sysinfo_rate.field;
	return &values[id].field;
}

const struct magnet_event *magnet_event_get(size_t i)
{
	return i < COUNT_OF(events) ? &events[i] : NULL;
}

const struct magnet_event *magnet_event_find(uint32_t number)
{
	for (size_t i = 0; i < COUNT_OF(events); i++) {
		if (events[i].number == number && number)
			return &events[i];
	}
	return NULL;
}

const struct magnet_event *magnet_event_of_class(const char *name)
{
	for (size_t i = 0; i < COUNT_OF(events); i++) {
		if ((events[i].class && !strcmp(events[i].class, name)) ||
		    (events[i].net && !strcmp(events[i].net, name)))
			return &events[i];
	}
	return NULL;
}

bool magnet_event_has(const struct magnet_event *event, const struct magnet_layout *layout,
		      enum magnet_value_id id)
{
	if (id == MAGNET_VALUE_EVENT)
		return !event->number;
	if (id < MAGNET_VALUE_DATA)
		return true;
	return layout->data && values[id].members & 1u << event->member;
}

static uint64_t load(const struct magnet_layout *layout, const uint8_t *record,
		     enum magnet_value_id id)
{
	const struct record_layout places = magnet_places(layout);

	return record_load(&values[id].field, &places, record);
}

static void store(const struct magnet_layout *layout, uint8_t *record, enum magnet_value_id id,
		  uint64_t value)
{
	const struct record_layout places = magnet_places(layout);

	record_store(&values[id].field, &places, record, value);
}

void magnet_head_load(const struct magnet_layout *layout, const uint8_t *record,
		      struct magnet_head *ret)
{
	ret->sockid = load(layout, record, MAGNET_VALUE_SOCKID);
	ret->timestamp = load(layout, record, MAGNET_VALUE_TIMESTAMP);
	ret->event = (uint32_t)load(layout, record, MAGNET_VALUE_EVENT);
	ret->size = (int32_t)load(layout, record, MAGNET_VALUE_SIZE);
}

void magnet_head_store(const struct magnet_layout *layout, uint8_t *record,
		       const struct magnet_head *head)
{
	store(layout, record, MAGNET_VALUE_SOCKID, head->sockid);
	store(layout, record, MAGNET_VALUE_TIMESTAMP, head->timestamp);
	store(layout, record, MAGNET_VALUE_EVENT, head->event);
	store(layout, record, MAGNET_VALUE_SIZE, (uint32_t)head->size);
}

/* The event number of the first record, which shows size of pointers and byte order. */
static bool begins_with_sysinfo(const struct magnet_layout *layout, const uint8_t *head, size_t len)
{
	size_t at = layout->wide ? MAGNET_AT_EVENT_64 : MAGNET_AT_EVENT_32;

	return len >= at + 4 && load(layout, head, MAGNET_VALUE_EVENT) == MAGNET_SYSINFO;
}

bool magnet_detect_is(const uint8_t *head, size_t len)
{
	for (unsigned int i = 0; i < MAGNET_LAYOUTS; i++) {
		struct magnet_layout layout = magnet_layout_of(i);

		if (begins_with_sysinfo(&layout, head, len))
			return true;
	}
	return false;
}

static bool is_zero(const uint8_t *bytes, size_t len)
{
	return !len || (!bytes[0] && !memcmp(bytes, bytes + 1, len - 1));
}

/*
 * How many in a thousand of the records behind the first make sense: their event is one that we know;
 * or nothing follows.
 */
static unsigned int count_sense(const struct magnet_layout *layout, const uint8_t *head, size_t len)
{
	size_t bytes = magnet_record_bytes(layout), count = 0, good = 0;
	struct magnet_head record;

	for (size_t at = bytes; at + bytes <= len; at += bytes, count++) {
		magnet_head_load(layout, head + at, &record);
		if (!record.timestamp && is_zero(head + at, len - at))
			return (unsigned int)((good + 1) * 1000 / (count + 1));
		good += record.timestamp && magnet_event_find(record.event);
	}
	return count ? (unsigned int)(good * 1000 / count) : 0;
}

static bool is_marked(const struct magnet_layout *layout, const uint8_t *head, size_t len)
{
	size_t at = magnet_data_at(layout);

	return len >= at + MAGNET_MARK_BYTES && !memcmp(head + at, MAGNET_MARK, MAGNET_MARK_BYTES);
}

/*
 * Sense decides; of a file without the data field every fifth record may look as if it had one, so where
 * most make sense without, it has none. Our own files with it are marked. Between equals: a file's size
 * is a multiple of its records'.
 */
static unsigned int rate(const struct magnet_layout *layout, const uint8_t *head, size_t len,
			 uint64_t size)
{
	unsigned int sense = count_sense(layout, head, len);

	if (layout->data && is_marked(layout, head, len))
		return UINT32_MAX;
	if (!layout->data && sense > 500)
		sense = 1001;
	return 1 + sense * 4 + (size && size % magnet_record_bytes(layout) == 0 ? 2 : 0) +
	       !layout->data;
}

int magnet_detect_layout(const uint8_t *head, size_t len, uint64_t size, struct magnet_layout *ret)
{
	unsigned int best = 0;

	for (unsigned int i = 0; i < MAGNET_LAYOUTS; i++) {
		struct magnet_layout layout = magnet_layout_of(i);
		unsigned int score;

		if (!begins_with_sysinfo(&layout, head, len))
			continue;
		score = rate(&layout, head, len, size);
		if (score > best) {
			best = score;
			*ret = layout;
		}
	}
	return best ? 0 : -EBADMSG;
}

static const struct event_class *make_class(struct class_table *table,
					    const struct magnet_event *event,
					    const struct magnet_layout *layout)
{
	const struct record_layout places = magnet_places(layout);
	struct field fields[MAGNET_VALUE_COUNT];
	struct class_plan plan = {
		.name = event->class,
		.text = event->text,
		.fields = fields,
		.payload_bytes = (uint32_t)magnet_record_bytes(layout),
	};

	for (unsigned int id = 0; id < MAGNET_VALUE_COUNT; id++) {
		if (magnet_event_has(event, layout, id))
			record_describe(magnet_value(id, event), &places, 0,
					&fields[plan.field_count++]);
	}
	return class_table_add(table, &plan);
}

int magnet_classes_init(struct magnet_classes *classes, const struct magnet_layout *layout)
{
	const struct magnet_event *event;

	*classes = (struct magnet_classes){.table = class_table_new()};
	for (size_t i = 0; classes->table && (event = magnet_event_get(i)); i++) {
		if (!event->class)
			continue;
		classes->classes[i] = make_class(classes->table, event, layout);
		if (!classes->classes[i])
			return -ENOMEM;
	}
	return classes->table ? 0 : -ENOMEM;
}

void magnet_classes_fini(struct magnet_classes *classes)
{
	class_table_free(classes->table);
	classes->table = NULL;
}

const struct event_class *magnet_classes_get(const struct magnet_classes *classes, uint32_t number)
{
	const struct magnet_event *event;
	size_t i;

	for (i = 0; (event = magnet_event_get(i)); i++) {
		if (event->number == number || !event->number)
			break;
	}
	return classes->classes[i];
}

/* Sonde's names are unique addresses, and such a class has one layout. */
bool magnet_class_is_own(const struct event_class *class, const struct magnet_layout *layout)
{
	const struct magnet_event *event = magnet_event_of_class(class->name);

	return event && event->class == class->name &&
	       class->payload_bytes == magnet_record_bytes(layout) &&
	       class->fields[0].big_endian == layout->big_endian;
}

static void add_name(struct magnet_names *names, const char *name)
{
	for (size_t i = 0; i < names->count; i++) {
		if (!strcmp(names->names[i], name))
			return;
	}
	if (names->count < MAGNET_NAMES_MAX)
		names->names[names->count++] = name;
}

static int add_pattern(struct magnet_names *names, const char *pattern, struct diag *diag)
{
	const struct magnet_event *event;
	bool any = false;

	for (size_t i = 0; (event = magnet_event_get(i)); i++) {
		if (!event->net || !pattern_matches(pattern, event->net))
			continue;
		add_name(names, event->net);
		any = true;
	}
	if (any)
		return 0;
	return diag_set(diag, -ENOENT, "'%s' is nothing that MAGNeT has a record for", pattern);
}

int magnet_names_add(struct magnet_names *names, const char *patterns, struct diag *diag)
{
	char *list = strdup(patterns), *rest = list, *one;
	int err = 0;

	if (!list)
		return diag_set(diag, -ENOMEM, "no memory");
	while (!err && (one = strsep(&rest, ",")))
		err = add_pattern(names, one, diag);
	free(list);
	return err;
}
