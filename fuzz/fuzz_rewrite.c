// SPDX-License-Identifier: BSD-2-Clause
/*
 * fuzz_rewrite: any metadata and packets, as fuzz_packet has them, written again as sonde convert does:
 * what comes out must be read, and be the same.
 */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/diag.h"
#include "ctf/arena.h"
#include "ctf/decoder.h"
#include "ctf/metadata.h"
#include "ctf/metadata_write.h"
#include "ctf/natural.h"
#include "ctf/trace_class.h"
#include "wire/record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define EVENTS_MAX 200u
#define CLASSES_MAX 64u
#define ITEMS_MAX 4096u /* of an event: lists of what has no bits may have millions */

struct rewriting {
	struct ctf_trace_class *from;
	struct ctf_trace_class *to;
	struct arena arena; /* of the naturals */
	struct natural naturals[CLASSES_MAX]; /* by index of the class, 0 is nobody's */
	size_t count;
};

/* Each class in a stream of its own, whose context may be its. */
static void describe(struct rewriting *rw, struct buffer *out)
{
	struct metadata_spec spec = {.clock_text = "x"};

	metadata_write_head(&spec, out);
	for (size_t i = 1; i < rw->count; i++) {
		struct buffer context;

		buffer_init(&context);
		if (rw->naturals[i].trees.shared)
			natural_describe_shared(&rw->naturals[i], &context);
		buffer_char(&context, '\0');
		metadata_write_stream(out, (unsigned int)i, METADATA_PLAIN,
				      rw->naturals[i].trees.shared ? context.data : NULL);
		if (natural_describe(&rw->naturals[i], out, (uint32_t)i))
			abort();
		buffer_fini(&context);
	}
}

static bool start(struct rewriting *rw)
{
	struct diag diag = {.text = ""};
	struct buffer text;
	int err;

	rw->count = rw->from->class_count < CLASSES_MAX ? rw->from->class_count : CLASSES_MAX;
	for (size_t i = 1; i < rw->count; i++) {
		if (natural_init(&rw->naturals[i], rw->from->classes[i], false, &rw->arena, NULL))
			abort();
	}
	buffer_init(&text);
	describe(rw, &text);
	err = metadata_read(text.data, text.len, &rw->to, &diag);
	if (err && err != -E2BIG) /* what is added may be too much */
		abort();
	buffer_fini(&text);
	return !err;
}

static void compare(const struct event *a, const struct event *b, unsigned int *left);

static void compare_field(const struct event *a, const struct event *b, size_t i,
			  unsigned int *left)
{
	enum field_kind kind = a->class->fields[i].kind;
	uint32_t count = event_count(a, i);
	size_t len, other;

	if (count != event_count(b, i))
		abort();
	if (kind == FIELD_STRING || kind == FIELD_TEXT) {
		const char *text = event_text(a, i, &len), *again = event_text(b, i, &other);

		if (len != other || memcmp(text, again, len))
			abort();
		return;
	}
	for (uint32_t j = 0; j < count && *left; j++, --*left) {
		/* A list of numbers that can lie side by side has become an array of them. */
		bool lists = kind == FIELD_LIST, list = b->class->fields[i].kind == FIELD_LIST;
		struct event one = lists ? event_item(a, i, j) : *a;
		struct event two = list ? event_item(b, i, j) : *b;

		if (lists && list)
			compare(&one, &two, left);
		else if (event_element(&one, lists ? 0 : i, lists ? 0 : j) !=
			 event_element(&two, list ? 0 : i, list ? 0 : j))
			abort();
	}
}

static void compare(const struct event *a, const struct event *b, unsigned int *left)
{
	if (a->class->field_count != b->class->field_count)
		abort();
	for (size_t i = 0; i < a->class->field_count; i++) {
		if (event_has(a, i) != event_has(b, i))
			abort();
		if (event_has(a, i))
			compare_field(a, b, i, left);
	}
}

/* A packet of one event. */
static void rewrite(struct rewriting *rw, const struct event *event)
{
	static struct decoder decoder;
	static uint32_t offsets[2 * CTF_OFFSETS_MAX];
	const struct natural *natural = &rw->naturals[event->class->index];
	struct plain_packet_head head = {.magic = PACKET_MAGIC,
					 .stream_id = (uint32_t)event->class->index};
	struct plain_head record = {.id = event->class->id};
	struct event again;
	struct event_batch batch = {.events = &again,
				    .room = 1,
				    .offsets = offsets,
				    .offset_room = sizeof(offsets) / sizeof(*offsets)};
	unsigned int left = ITEMS_MAX, spare;
	struct diag diag = {.text = ""};
	struct buffer out;

	buffer_init(&out);
	buffer_append(&out, &head, sizeof(head));
	buffer_append(&out, &record, sizeof(record));
	spare = natural_pack(natural, event, &out);
	if (buffer_error(&out))
		abort();
	head.content_bits = (uint64_t)out.len * 8 - spare;
	head.packet_bits = (uint64_t)out.len * 8;
	memcpy(out.data, &head, sizeof(head));
	decoder_init(&decoder, rw->to);
	if (decoder_open(&decoder, (const uint8_t *)out.data, out.len, out.len, &diag))
		abort();
	(void)decoder_run(&decoder, INT64_MAX, &batch, &diag);
	/* On whole bytes it may be larger than what can be read. */
	if (batch.count)
		compare(event, &again, &left);
	else if (out.len < CTF_EVENT_MAX_BYTES / 64 && !strstr(diag.text, "larger than can be"))
		abort();
	buffer_fini(&out);
}

static void read_packets(struct rewriting *rw, const uint8_t *data, size_t size)
{
	static struct decoder decoder;
	static struct event events[16];
	static uint32_t offsets[CTF_OFFSETS_MAX];
	unsigned int left = EVENTS_MAX;
	struct diag diag;

	decoder_init(&decoder, rw->from);
	while (size && left && !decoder_open(&decoder, data, size, size, &diag)) {
		uint64_t bytes = decoder.packet.packet_bits / 8;
		int more = 1;

		while (left && more == 1) {
			struct event_batch batch = {.events = events,
						    .room = 16,
						    .offsets = offsets,
						    .offset_room = CTF_OFFSETS_MAX};

			more = decoder_run(&decoder, INT64_MAX, &batch, &diag);
			for (size_t i = 0; i < batch.count && left; i++, left--) {
				if (events[i].class->index && events[i].class->index < rw->count)
					rewrite(rw, &events[i]);
			}
			free(batch.copies);
			if (!batch.count)
				break;
		}
		if (bytes >= size)
			break;
		data += bytes;
		size -= bytes;
	}
	decoder_fini(&decoder);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct rewriting rw;
	const uint8_t *end;
	size_t len;

	if (size < 7 || (data[0] != CTF_RECORD_SEPARATOR && memcmp(data, "/* CTF", 6)))
		return 0;
	end = memchr(data, 0, size);
	len = end ? (size_t)(end - data) : size;
	rw = (struct rewriting){0};
	if (metadata_read((const char *)data, len, &rw.from, NULL))
		return 0;
	if (start(&rw) && end)
		read_packets(&rw, end + 1, size - len - 1);
	arena_fini(&rw.arena);
	ctf_trace_class_free(rw.from);
	ctf_trace_class_free(rw.to);
	return 0;
}
