// SPDX-License-Identifier: BSD-2-Clause
#include "record_format/magnet/magnet_pack.h"

#include <errno.h>

#include "magnet_fixture.h"

#define SECOND 1000000000ll

#define U(bits_, name_, at)                                                       \
	{                                                                         \
		.name = name_, .bits = bits_, .count = 1, .offset_bits = 8 * (at) \
	}

/* As the group net has them, in brief and in full. */
static const struct field brief_fields[] = {
	U(64, "cookie", 0),
	{.name = "size", .bits = 32, .count = 1, .offset_bits = 64, .is_signed = true},
	U(16, "sport", 12),
	U(16, "dport", 14),
	U(16, "ip_id", 16),
	U(8, "protocol", 18),
	U(8, "family", 19),
};
static const struct field full_fields[] = {
	U(64, "cookie", 0),
	{.name = "size", .bits = 32, .count = 1, .offset_bits = 64, .is_signed = true},
	U(16, "sport", 12),
	U(16, "dport", 14),
	U(32, "snd_wnd", 16),
	U(32, "srtt_us", 20),
	U(32, "copied_seq", 24),
	U(8, "flags", 28),
};

static const uint8_t brief_payload[20] = {
	42, 0, 0, 0, 0, 0, 0, 0, 0x98, 0xff, 0xff, 0xff, 0xd4, 0x95, 0x51, 0x14, 0x39, 0x30, 6, 2};
static const uint8_t full_payload[29] = {42, 0, 0,    0,    0,	  0,	0,    0,    100, 0,
					 0,  0, 0xd4, 0x95, 0x51, 0x14, 1,    2,    3,	 4,
					 5,  6, 7,    8,    0xff, 0xff, 0xff, 0xff, 0x92};

struct made {
	struct class_table *table;
	struct trace_info info;
	const struct event_class *ip, *tcp, *other;
};

static void made_init(struct made *made)
{
	made->table = class_table_new();
	made->ip = class_table_add(made->table, &(struct class_plan){.name = "net.ip_send",
								     .fields = brief_fields,
								     .field_count = 7});
	made->tcp = class_table_add(made->table, &(struct class_plan){.name = "net.tcp_send",
								      .fields = full_fields,
								      .field_count = 8});
	made->other = class_table_add(made->table, &(struct class_plan){.name = "sys.enter"});
	made->info = (struct trace_info){0};
	class_table_tell(made->table, &made->info);
}

static struct event event_of(const struct event_class *class, const uint8_t *payload, int64_t ns)
{
	return (struct event){
		.class = class, .payload = payload, .offsets = class->offsets, .time_ns = ns};
}

/* What a reader finds of it in each layout. */
static void test_net(void **state)
{
	struct made made;

	(void)state;
	made_init(&made);
	assert_true(magnet_has_data(&made.info));
	for (unsigned int i = 0; i < FIXTURE_LAYOUTS; i++) {
		struct magnet_layout layout = layout_at(i);
		size_t each = magnet_record_bytes(&layout);
		uint8_t bytes[3 * MAGNET_RECORD_MAX_BYTES];
		struct event ip = event_of(made.ip, brief_payload, 5 * SECOND + 7);
		struct event tcp = event_of(made.tcp, full_payload, 5 * SECOND + 8);
		struct magnet_packer packer;
		struct event_source *source;
		const struct event *events;
		uint64_t left = 0;

		assert_int_equal(magnet_packer_init(&packer, &made.info, &layout), 0);
		assert_true(magnet_packer_takes(&packer, made.ip));
		assert_true(magnet_packer_takes(&packer, &lost_class));
		assert_false(magnet_packer_takes(&packer, made.other));
		magnet_pack_sysinfo(&packer, ip.time_ns, bytes);
		assert_true(magnet_pack(&packer, &ip, bytes + each, &left));
		assert_true(magnet_pack(&packer, &tcp, bytes + 2 * each, &left));
		magnet_packer_fini(&packer);

		assert_int_equal(open_bytes(bytes, 3 * each, &source), 0);
		assert_int_equal(source->ops->next(source, &events), 3);
		assert_int_equal(events[1].time_ns, ip.time_ns);
		assert_int_equal(events[2].time_ns, tcp.time_ns);
		assert_int_equal(event_uint(&events[1], 0), 42);
		assert_int_equal((int64_t)event_uint(&events[1], 2), -104);
		if (layout.data) {
			static const uint64_t want_ip[] = {4, 0, 12345, 0, 0, 6};
			static const uint64_t want_tcp[] = {
				0x95d4, 0x1451, 0x04030201, 0x08070605ull << 3,
				0,	0,	0,	    0,
				0,	0,	0,	    0xffffffff,
				0,	1,	0,	    0,
				1,	0,	0,	    1};

			for (size_t k = 0; k < 6; k++)
				assert_int_equal(event_uint(&events[1], 3 + k), want_ip[k]);
			for (size_t k = 0; k < 20; k++)
				assert_int_equal(event_uint(&events[2], 3 + k), want_tcp[k]);
		}
		source->ops->close(source);
	}
	class_table_free(made.table);
}

/* More than a record can count takes several; how many a flight recorder wrote over nobody knows. */
static void test_losses(void **state)
{
	struct magnet_layout layout = layout_at(1);
	struct lost_payload lost = {.count = 2ull * INT32_MAX + 5};
	struct event event = event_of(&lost_class, (const uint8_t *)&lost, 9 * SECOND);
	uint8_t record[MAGNET_RECORD_MAX_BYTES];
	struct magnet_packer packer;
	struct magnet_head head;
	uint64_t left = 0, sum = 0;
	struct made made;

	(void)state;
	made_init(&made);
	assert_int_equal(magnet_packer_init(&packer, &made.info, &layout), 0);
	magnet_pack_sysinfo(&packer, event.time_ns, record);
	do {
		assert_true(magnet_pack(&packer, &event, record, &left));
		magnet_head_load(&layout, record, &head);
		assert_int_equal(head.event, MAGNET_LOST_EVENT);
		assert_true(head.size > 0);
		sum += (uint64_t)head.size;
	} while (left);
	assert_int_equal(sum, lost.count);
	lost = (struct lost_payload){.packets = 3};
	assert_true(magnet_pack(&packer, &event, record, &left));
	magnet_head_load(&layout, record, &head);
	assert_int_equal(head.size, 0);
	lost.packets = 0;
	assert_false(magnet_pack(&packer, &event, record, &left));
	magnet_packer_fini(&packer);
	class_table_free(made.table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_net),
		cmocka_unit_test(test_losses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
