// SPDX-License-Identifier: BSD-2-Clause
#include "record_format/magnet/magnet_event.h"

#include <string.h>

#include "record_format/magnet/magnet_layout.h"

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

#define OF_ALL 0xffu
#define OF_TCP (1u << MAGNET_MEMBER_TCP)
#define OF_PORTS (OF_TCP | 1u << MAGNET_MEMBER_UDP)
#define OF_IP (1u << MAGNET_MEMBER_IP)

/* In the data field: @a bytes from its begin with pointers of 32 bits, @b with 64. */
#define DATA(a, b) MAGNET_AT_DATA_32 + (a), MAGNET_AT_DATA_64 + (b)
/* The @i-th long of struct magnet_tcp. */
#define TCP_LONG(name_, net_, i, unit_, text_)                              \
	{                                                                   \
		name_, net_, text_, unit_, MAGNET_LONG, FIELD_SHOW_DECIMAL, \
			DATA(4 + 4 * (i), 8 + 8 * (i)), 0, OF_TCP           \
	}
#define TCP_FLAG(name_, bit_, text_)                                                              \
	{                                                                                         \
		name_, NULL, text_, NULL, MAGNET_BIT, FIELD_SHOW_FLAG, DATA(44, 88), bit_, OF_TCP \
	}
#define IP_VALUE(name_, net_, type_, at, show_, text_)                         \
	{                                                                      \
		name_, net_, text_, NULL, type_, show_, DATA(at, at), 0, OF_IP \
	}

const struct magnet_value magnet_values[MAGNET_VALUE_COUNT] = {
	{"sockid", "cookie", "number of the connection", NULL, MAGNET_LONG, FIELD_SHOW_HEX,
	 MAGNET_AT_SOCKID, MAGNET_AT_SOCKID, 0, OF_ALL},
	{"timestamp", NULL, "when, by the clock of magnet.sysinfo", "ticks", MAGNET_U64,
	 FIELD_SHOW_DECIMAL, MAGNET_AT_TIMESTAMP_32, MAGNET_AT_TIMESTAMP_64, 0, OF_ALL},
	{"event", NULL, "number of the event", NULL, MAGNET_U32, FIELD_SHOW_DECIMAL,
	 MAGNET_AT_EVENT_32, MAGNET_AT_EVENT_64, 0, OF_ALL},
	{"size", "size", "bytes; negative: the error", "bytes", MAGNET_S32, FIELD_SHOW_RESULT,
	 MAGNET_AT_SIZE_32, MAGNET_AT_SIZE_64, 0, OF_ALL},
	{"source", "sport", "source port", NULL, MAGNET_U16, FIELD_SHOW_DECIMAL, DATA(0, 0), 0,
	 OF_PORTS},
	{"dest", "dport", "destination port", NULL, MAGNET_U16, FIELD_SHOW_DECIMAL, DATA(2, 2), 0,
	 OF_PORTS},
	TCP_LONG("snd_wnd", "snd_wnd", 0, "bytes", "window that the peer offers"),
	TCP_LONG("srtt", "srtt_us", 1, NULL, "smoothed round-trip time, 8 times; of Sonde in us"),
	TCP_LONG("rto", "rto_us", 2, NULL, "retransmission timeout; of Sonde in us"),
	TCP_LONG("packets_out", "packets_out", 3, "segments", "segments in flight"),
	TCP_LONG("retrans_out", "retrans_out", 4, "segments", "of these: sent again"),
	TCP_LONG("snd_ssthresh", "snd_ssthresh", 5, "segments", "slow start threshold"),
	TCP_LONG("snd_cwnd", "snd_cwnd", 6, "segments", "congestion window"),
	TCP_LONG("rcv_wnd", "rcv_wnd", 7, "bytes", "window that we offer"),
	TCP_LONG("write_seq", "write_seq", 8, "seq", "end of what the application has written"),
	TCP_LONG("copied_seq", "copied_seq", 9, "seq", "next byte that the application will read"),
	TCP_FLAG("fin", 0, "the sender has sent all"),
	TCP_FLAG("syn", 1, "a connection begins"),
	TCP_FLAG("rst", 2, "the connection is reset"),
	TCP_FLAG("psh", 3, "to be handed on at once"),
	TCP_FLAG("ack", 4, "it acknowledges"),
	TCP_FLAG("urg", 5, "it has urgent data"),
	TCP_FLAG("ece", 6, "congestion was met"),
	TCP_FLAG("cwr", 7, "the window was reduced"),
	IP_VALUE("version", "version", MAGNET_U8, 0, FIELD_SHOW_DECIMAL, "IP version"),
	IP_VALUE("tos", "tos", MAGNET_U8, 1, FIELD_SHOW_HEX, "type of service"),
	IP_VALUE("id", "ip_id", MAGNET_U16, 2, FIELD_SHOW_DECIMAL, "identification"),
	IP_VALUE("frag_off", "frag_off", MAGNET_U16, 4, FIELD_SHOW_HEX,
		 "flags and fragment offset"),
	IP_VALUE("ttl", "ttl", MAGNET_U8, 6, FIELD_SHOW_DECIMAL, "time to live"),
	IP_VALUE("protocol", "protocol", MAGNET_U8, 7, FIELD_SHOW_DECIMAL, "transport protocol"),
};

static const struct field_label protocol_labels[] = {
	{1, 1, "ICMP"},	    {2, 2, "IGMP"},	{6, 6, "TCP"},
	{17, 17, "UDP"},    {47, 47, "GRE"},	{50, 50, "ESP"},
	{58, 58, "ICMPV6"}, {132, 132, "SCTP"}, {136, 136, "UDPLITE"},
};

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
		      enum magnet_value_id value)
{
	if (value == MAGNET_VALUE_EVENT)
		return !event->number;
	if (value < MAGNET_VALUE_DATA)
		return true;
	return layout->data && magnet_values[value].members & 1u << event->member;
}

size_t magnet_value_at(const struct magnet_value *value, const struct magnet_layout *layout)
{
	return layout->wide ? value->at64 : value->at32;
}

size_t magnet_value_bytes(const struct magnet_value *value, const struct magnet_layout *layout)
{
	switch (value->type) {
	case MAGNET_U8:
		return 1;
	case MAGNET_U16:
	case MAGNET_BIT:
		return 2;
	case MAGNET_U32:
	case MAGNET_S32:
		return 4;
	case MAGNET_U64:
		return 8;
	default: /* MAGNET_LONG */
		return layout->wide ? 8 : 4;
	}
}

/* What two of its values are in MAGNET_SYSINFO. */
static void describe_sysinfo(enum magnet_value_id value, struct field *field)
{
	if (value == MAGNET_VALUE_SOCKID) {
		field->name = "wall_s";
		field->text = "seconds since 1970 at this timestamp; 0 = not known";
		field->unit = "s";
		field->show = FIELD_SHOW_DECIMAL;
	} else if (value == MAGNET_VALUE_SIZE) {
		field->name = "clock_rate";
		field->text = "ticks of the clock, in Hz, below 10 million in kHz";
		field->unit = NULL;
		field->show = FIELD_SHOW_DECIMAL;
	}
}

/* Compilers lay bits out from the first byte on, in either byte order: in the order of fields. */
void magnet_value_describe(enum magnet_value_id id, const struct magnet_event *event,
			   const struct magnet_layout *layout, struct field *ret)
{
	const struct magnet_value *value = &magnet_values[id];
	bool is_protocol = id == MAGNET_VALUE_COUNT - 1;
	bool is_bit = value->type == MAGNET_BIT;
	size_t bytes = magnet_value_bytes(value, layout);

	*ret = (struct field){
		.name = value->name,
		.text = value->text,
		.unit = value->unit,
		.scope = FIELD_SCOPE_OBJECT,
		.show = value->show,
		.is_signed = value->type == MAGNET_S32,
		.big_endian = layout->big_endian,
		.bits = (uint16_t)(is_bit ? 1 : bytes * 8),
		.align_bits = (uint16_t)(is_bit ? 1 : 8),
		.count = 1,
		.offset_bits = (uint32_t)magnet_value_at(value, layout) * 8 + value->bit,
		.labels = is_protocol ? protocol_labels : NULL,
		.label_count = is_protocol ? COUNT_OF(protocol_labels) : 0,
	};
	if (event->number == MAGNET_SYSINFO)
		describe_sysinfo(id, ret);
}
