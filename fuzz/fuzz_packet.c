// SPDX-License-Identifier: BSD-2-Clause
/*
 * fuzz_packet: any bytes as a stream of packets. Where the input begins with "/""* CTF", or with a
 * record separator as CTF 2 does, it is metadata up to the first NUL and packets behind it; else the
 * metadata is ours. Every field of
 * every event is read, through windows of several sizes.
 */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "ctf/decoder.h"
#include "ctf/metadata.h"
#include "ctf/trace_class.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define EVENTS_MAX 20000u /* of one input: metadata may make events of a few bits */

static const char metadata_text[] =
	"typealias integer { size = 8; align = 8; signed = false; } := u8;"
	"typealias integer { size = 8; align = 8; signed = false; encoding = UTF8; } := text8;"
	"typealias integer { size = 16; align = 16; signed = false; } := u16;"
	"typealias integer { size = 32; align = 32; signed = false; } := u32;"
	"typealias integer { size = 64; align = 32; signed = false; } := u64;"
	"trace { major = 1; minor = 8; byte_order = le;"
	"  packet.header := struct { u32 magic; u8 uuid[16]; u32 stream_id; }; };"
	"clock { name = monotonic; freq = 1000000000; offset_s = 1700000000; offset = 5; };"
	"typealias integer { size = 32; align = 1; map = clock.monotonic.value; } := time32;"
	"typealias integer { size = 64; align = 32; map = clock.monotonic.value; } := time64;"
	"struct packet_context { time64 timestamp_begin; time64 timestamp_end; u64 content_size;"
	"  u64 packet_size; u64 events_discarded; u64 discarded_nested; u64 packet_seq_num;"
	"  u32 cpu_id; u32 level; };"
	"struct event_header { enum : integer { size = 10; align = 1; }"
	"  { compact = 0 ... 1022, extended = 1023 } id; variant <id> {"
	"  struct { time32 timestamp; } compact; struct { u32 id; time64 timestamp; } extended;"
	"  } v; } align(32);"
	"struct event_context { integer { size = 22; align = 1; } tid; };"
	"stream { id = 0; packet.context := struct packet_context;"
	"  event.header := struct event_header; event.context := struct event_context; };"
	"event { id = 1; name = \"sys.enter\"; fields := struct { u64 ip; u64 args[6];"
	"  integer { size = 31; align = 1; signed = true; } nr; integer { size = 1; align = 1; }"
	"  compat; }; };"
	"event { id = 3; name = \"tcp.state\"; fields := struct { u8 saddr[16];"
	"  enum : u32 { A = 1, B = 2 } old; string filename; text8 comm[16]; }; };"
	"event { id = 5; name = \"odd\"; fields := struct {"
	"  integer { size = 5; align = 1; signed = true; } a; integer { size = 11; align = 1; } b;"
	"  u16 c; struct { floating_point { exp_dig = 11; mant_dig = 53; align = 32; } f; u8 g; }"
	"  in; string s; u32 last; }; };"
	"event { id = 2000; name = \"far\"; fields := struct { u64 when; string what; }; };";

static uint64_t look_at(const struct event *event);

static uint64_t look_at_items(const struct event *event, size_t field)
{
	uint32_t count = event_count(event, field);
	uint64_t sum = count;

	/* An item without fields has nothing to look at, and there may be millions. */
	for (uint32_t i = 0; i < count && event->class->fields[field].items->field_count; i++) {
		struct event item = event_item(event, field, i);

		sum = sum * 31 + look_at(&item);
	}
	return sum;
}

static uint64_t look_at(const struct event *event)
{
	uint64_t sum = (uint64_t)event->time_ns * 7 + (uint32_t)event->tid * 5ull + event->bytes;

	for (size_t i = 0; i < event->class->field_count; i++) {
		const struct field *field = &event->class->fields[i];
		size_t len = 0;

		if (!event_has(event, i))
			continue;
		if (field->kind == FIELD_LIST) {
			sum += look_at_items(event, i);
			continue;
		}
		if (field->kind == FIELD_TEXT || field->kind == FIELD_STRING) {
			const char *text = event_text(event, i, &len);

			for (size_t j = 0; j < len; j++)
				sum += (unsigned char)text[j];
			continue;
		}
		/* First and last are enough: what is between lies between. */
		if (event_count(event, i))
			sum += event_element(event, i, 0) +
			       event_element(event, i, event_count(event, i) - 1);
	}
	return sum;
}

/* One packet through windows of @window bytes, each an allocation of its own. */
static uint64_t read_packet(struct decoder *decoder, const uint8_t *data, size_t size,
			    size_t window, unsigned int *left)
{
	static struct event events[64];
	static uint32_t offsets[CTF_OFFSETS_MAX];
	struct event_batch batch = {
		.events = events, .room = 64, .offsets = offsets, .offset_room = CTF_OFFSETS_MAX};
	size_t at = 0, len = size < window ? size : window;
	uint8_t *bytes = malloc(len ? len : 1);
	struct diag diag;
	uint64_t sum = 0;
	int more = bytes ? 1 : -ENOMEM;

	while (*left && (more == 1 || more == -EAGAIN)) {
		if (more == -EAGAIN) {
			size_t next = (size_t)decoder_byte(decoder);

			window = next == at ? window * 2 : window;
			at = next;
			len = size - at < window ? size - at : window;
			free(bytes);
			bytes = malloc(len ? len : 1);
			if (!bytes)
				break;
			memcpy(bytes, data + at, len);
			decoder_set_window(decoder, at, bytes, len);
		} else if (!at && !batch.count && decoder->data != bytes) {
			memcpy(bytes, data, len);
			decoder_set_window(decoder, 0, bytes, len);
		}
		batch.count = 0;
		batch.offset_count = 0;
		batch.full = false;
		more = decoder_run(decoder, decoder->next_ns + (int64_t)(len & 1), &batch, &diag);
		for (size_t i = 0; i < batch.count; i++)
			sum += look_at(&batch.events[i]);
		/* A limit that lets nothing through has moved next_ns, or nothing ever would. */
		*left -= batch.count < *left ? (unsigned int)batch.count : *left;
	}
	free(bytes);
	free(batch.copies);
	return sum;
}

static uint64_t read_stream(const struct ctf_trace_class *trace, const uint8_t *data, size_t size,
			    size_t window)
{
	static struct decoder decoder;
	unsigned int left = EVENTS_MAX;
	struct diag diag;
	uint64_t sum = 0;

	decoder_init(&decoder, trace);
	while (size && left) {
		uint64_t bytes;

		if (decoder_open(&decoder, data, size, size, &diag))
			break;
		sum += read_packet(&decoder, data, size, window, &left);
		bytes = decoder.packet.packet_bits / 8;
		if (bytes >= size)
			break;
		data += bytes;
		size -= bytes;
	}
	decoder_fini(&decoder);
	return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ctf_trace_class *trace = NULL;
	const char *text = metadata_text;
	size_t len = sizeof(metadata_text) - 1;
	uint64_t whole;

	if (size > 6 && (data[0] == CTF_RECORD_SEPARATOR || !memcmp(data, "/* CTF", 6))) {
		const uint8_t *end = memchr(data, 0, size);

		text = (const char *)data;
		len = end ? (size_t)(end - data) : size;
		data += end ? len + 1 : len;
		size -= end ? len + 1 : len;
	}
	if (metadata_read(text, len, &trace, NULL))
		return 0;
	whole = read_stream(trace, data, size, size + 1);
	if (read_stream(trace, data, size, 512) != whole && size < 1u << 14)
		abort(); /* windows must not change what is read */
	for (size_t i = 0; i < trace->stream_count; i++)
		trace->streams[i]->plan = NULL;
	if (read_stream(trace, data, size, size + 1) != whole)
		abort(); /* nor may the fast path */
	ctf_trace_class_free(trace);
	return 0;
}
