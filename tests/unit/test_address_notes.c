// SPDX-License-Identifier: BSD-2-Clause
#include "record/address_notes.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "ctf/metadata_write.h"
#include "probe/kallsyms.h"
#include "probe/warden.h"
#include "record/notes.h"
#include "schema/event.h"
#include "wire/measure.h"
#include "wire/record.h"

#define CLASS_ID 44

static const uint8_t uuid[16] = "0123456789abcde";

/* A record of this class: head, pc, value. */
static const struct field fields[] = {
	{.name = "pc", .bits = 64, .align_bits = 32, .count = 1, .show = FIELD_SHOW_SYMBOL},
	{.name = "value", .bits = 64, .align_bits = 32, .count = 1, .offset_bits = 64},
};
static const uint32_t offsets[] = {0, 64};
static const struct event_class class = {
	.id = CLASS_ID,
	.name = "cpu.sample",
	.fixed = true,
	.payload_bytes = 16,
	.field_count = 2,
	.fields = fields,
	.offsets = offsets,
};

struct fixture {
	struct notes *notes;
	struct warden *warden;
	struct address_notes *an;
	struct buffer metadata;
};

static int set_up(void **state)
{
	static struct fixture f;
	const struct event_class *classes[] = {&class};
	struct metadata_spec spec = {.classes = classes, .class_count = 1};

	memcpy(spec.uuid, uuid, sizeof(uuid));
	buffer_init(&f.metadata);
	f.notes = notes_new(uuid);
	if (warden_open_here(&f.warden))
		return -1;
	f.an = address_notes_new(f.notes, f.warden);
	*state = &f;
	return !f.notes || !f.an || metadata_write(&spec, &f.metadata);
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	address_notes_free(f->an);
	warden_close(f->warden);
	notes_free(f->notes);
	buffer_fini(&f->metadata);
	return 0;
}

/* A packet with one record. */
static void show(struct fixture *f, uint64_t pc, uint64_t value)
{
	struct {
		struct packet_head head;
		uint64_t record[3];
	} packet = {
		.head =
			{
				.magic = PACKET_MAGIC,
				.content_bits = 8 * sizeof(packet),
				.packet_bits = 8 * sizeof(packet),
			},
		.record = {CLASS_ID, pc, value},
	};

	memcpy(packet.head.uuid, uuid, sizeof(uuid));
	address_notes_packet(f->an, &packet, sizeof(packet));
}

/* The name in the only note since the last call; "" where there is none. */
static const char *noted(struct fixture *f, uint64_t *start)
{
	static char name[256];
	struct sonde_symbol note;
	size_t len, head = offsetof(struct sonde_symbol, record_end);
	const uint8_t *packet;

	assert_int_equal(address_notes_finish(f->an), 0);
	packet = notes_packet(f->notes, 0, &len);
	name[0] = 0;
	if (!packet)
		return name;
	assert_int_equal(notes_count(f->notes), 1);
	memcpy(&note, packet + sizeof(struct packet_head), head);
	assert_int_equal(note.head & RECORD_ID_EXTENDED, SONDE_SYMBOL);
	*start = note.start;
	strncpy(name, (const char *)packet + sizeof(struct packet_head) + head, sizeof(name) - 1);
	return name;
}

static void a_function_of_the_kernel_is_noted_once(void **state)
{
	uint64_t at = kallsyms_find("schedule"), start = 0;
	struct fixture *f = *state;

	if (!at)
		skip(); /* the kernel hides its addresses */
	assert_int_equal(address_notes_describe(f->an, f->metadata.data, f->metadata.len), 0);
	show(f, at + 1, at);
	assert_string_equal(noted(f, &start), "schedule");
	assert_int_equal(start, at);
	show(f, at + 1, 0);
	show(f, at + 2, 0);
	assert_string_equal(noted(f, &start), "");
}

static void what_is_no_code_of_the_kernel_is_not_noted(void **state)
{
	uint64_t at = kallsyms_find("schedule"), start;
	struct fixture *f = *state;

	assert_int_equal(address_notes_describe(f->an, f->metadata.data, f->metadata.len), 0);
	show(f, 0x400000, at);
	show(f, 0, at);
	show(f, UINT64_MAX, at);
	assert_string_equal(noted(f, &start), "");
}

static void packets_may_be_damaged_or_not_described(void **state)
{
	uint8_t packet[64];
	struct fixture *f = *state;
	uint64_t start;

	show(f, UINT64_MAX, 0); /* nothing is described */
	assert_int_equal(address_notes_describe(f->an, "no metadata", 11), -EBADMSG);
	assert_int_equal(address_notes_describe(f->an, f->metadata.data, f->metadata.len), 0);
	memset(packet, 0xa5, sizeof(packet));
	for (size_t len = 0; len < sizeof(packet); len++)
		address_notes_packet(f->an, packet, len);
	assert_string_equal(noted(f, &start), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_function_of_the_kernel_is_noted_once, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(what_is_no_code_of_the_kernel_is_not_noted, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(packets_may_be_damaged_or_not_described, set_up,
						tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
