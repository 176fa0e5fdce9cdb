// SPDX-License-Identifier: BSD-2-Clause
#include "record/poll_record.h"

#include <errno.h>
#include <string.h>

#include "wire/record.h"

#define ARRAY_COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* Which fields of the kernel half's there are, and where. */
struct source {
	const char *name;
	size_t from; /* in a struct poll_seen */
	size_t bytes;
	size_t info_bytes; /* of struct tcp_info that it takes */
	const char *text; /* where it differs; NULL = the kernel half's */
};

#define LIES_AT(member) \
	.from = offsetof(struct poll_seen, member), .bytes = sizeof(((struct poll_seen *)0)->member)
#define SEEN(field)                            \
	{                                      \
		.name = #field, LIES_AT(field) \
	}
#define TOLD(field, ...)                                           \
	{                                                          \
		.name = #field, LIES_AT(socket.field), __VA_ARGS__ \
	}

static const struct source sources[] = {
	SEEN(callvalue),       SEEN(tcp_mem_pages),
	SEEN(location),	       SEEN(netns),
	TOLD(cookie),	       TOLD(bytes_acked),
	TOLD(bytes_received),  TOLD(pacing_rate),
	TOLD(snd_cwnd),	       TOLD(snd_ssthresh),
	TOLD(snd_wnd),	       TOLD(rcv_wnd, .info_bytes = INET_INFO_RCV_WND_BYTES),
	TOLD(rcv_ssthresh),    TOLD(mss),
	TOLD(srtt_us),	       TOLD(mdev_us),
	TOLD(rto_us),	       TOLD(packets_out),
	TOLD(sacked_out),      TOLD(lost_out),
	TOLD(retrans_out),     TOLD(total_retrans),
	TOLD(delivered),       TOLD(reordering),
	TOLD(delivery_rate),   TOLD(busy_us),
	TOLD(rwnd_limited_us), TOLD(sndbuf_limited_us),
	TOLD(bytes_retrans),   TOLD(min_rtt_us),
	TOLD(data_segs_out),   TOLD(delivered_ce),
	TOLD(dsack_dups),      TOLD(reord_seen),
	TOLD(rcv_ooopack),     TOLD(app_limited),
	TOLD(sndbuf),	       TOLD(wmem_queued),
	TOLD(rcvbuf),	       TOLD(rmem_alloc),
	TOLD(state),	       TOLD(ca_state),
	TOLD(family),	       TOLD(lport),
	TOLD(rport),	       TOLD(saddr),
	TOLD(daddr),	       TOLD(ca_name),
};

static const struct source *find_source(const char *name)
{
	for (size_t i = 0; i < ARRAY_COUNT(sources); i++) {
		if (!strcmp(sources[i].name, name))
			return &sources[i];
	}
	return NULL;
}

/* In the order of the full class, so that no field needs padding in front of it. */
static int add_field(struct poll_record *record, const struct field *field,
		     const struct source *source)
{
	size_t i = record->class.field_count, bytes = (size_t)field->bits / 8 * field->count;

	if (i == POLL_FIELDS_MAX || field->bits % 8 || bytes != source->bytes ||
	    record->class.payload_bytes + bytes > POLL_PAYLOAD_MAX)
		return -EINVAL;
	record->fields[i] = *field;
	record->fields[i].offset_bits = record->class.payload_bytes * 8;
	if (source->text)
		record->fields[i].text = source->text;
	record->offsets[i] = record->fields[i].offset_bits;
	record->copies[i] = (struct poll_copy){
		.from = (uint16_t)source->from,
		.to = (uint16_t)record->class.payload_bytes,
		.bytes = (uint16_t)bytes,
	};
	record->class.payload_bytes += (uint32_t)bytes;
	record->class.field_count++;
	return 0;
}

int poll_record_init(struct poll_record *ret, const struct event_class *full, size_t info_bytes)
{
	size_t untold = 0;
	int err = 0;

	*ret = (struct poll_record){.class = *full};
	ret->class.fields = ret->fields;
	ret->class.offsets = ret->offsets;
	ret->class.field_count = 0;
	ret->class.payload_bytes = 0;
	for (size_t i = 0; !err && i < full->field_count; i++) {
		const struct source *source = find_source(full->fields[i].name);

		if (!source)
			continue;
		if (info_bytes < source->info_bytes)
			untold++;
		else
			err = add_field(ret, &full->fields[i], source);
	}
	if (ret->class.field_count + untold != ARRAY_COUNT(sources) ||
	    ret->class.payload_bytes % RECORD_ALIGN)
		err = -EINVAL;
	return err;
}

void poll_record_pack(const struct poll_record *record, const struct poll_seen *seen,
		      uint8_t payload[POLL_PAYLOAD_MAX])
{
	for (size_t i = 0; i < record->class.field_count; i++) {
		const struct poll_copy *copy = &record->copies[i];

		memcpy(payload + copy->to, (const uint8_t *)seen + copy->from, copy->bytes);
	}
}
