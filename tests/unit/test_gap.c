// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/gap.h"

#include "view_fixture.h"

#include "wire/note.h"

static void add_state(struct fixture *f, const char *measurement, uint32_t on, uint32_t reason)
{
	fixture_event(f, FIXTURE_MISC, 0, 0, 0);
	fixture_text16(f, measurement);
	fixture_uint(f, on, 4);
	fixture_uint(f, reason, 4);
}

static void test_gap(void **state)
{
	static const struct field state_fields[] = {
		{TEXT16("measurement")}, {U(32, "on")}, {U(32, "reason")}};
	struct gap_fields fields;
	struct fixture f;

	(void)state;
	fixture_init(&f, NULL);
	gap_fields_find(&fields, f.classes[FIXTURE_TCP]);
	assert_false(gap_fields_any(&fields));
	gap_fields_find(&fields, f.classes[FIXTURE_LOST]);
	assert_true(gap_fields_any(&fields));
	assert_true(gap_is_here(&fields, &f.events[0], "tcp."));
	f.made[FIXTURE_MISC].name = "sonde.state";
	gap_fields_find(&fields, f.classes[FIXTURE_MISC]);
	assert_false(gap_fields_any(&fields)); /* it lacks the fields */
	f.made[FIXTURE_MISC].fields = state_fields;
	f.made[FIXTURE_MISC].field_count = 3;
	f.offsets[FIXTURE_MISC][1] = 128;
	f.offsets[FIXTURE_MISC][2] = 160;
	gap_fields_find(&fields, f.classes[FIXTURE_MISC]);
	assert_true(gap_fields_any(&fields));
	add_state(&f, "tcp.ack", 1, STATE_START);
	add_state(&f, "tcp.ack", 0, STATE_DISABLED);
	add_state(&f, "net.drop", 1, STATE_ENABLED);
	add_state(&f, "tcp.ack", 0, STATE_STOP);
	add_state(&f, STATE_ALL, 0, STATE_DISABLED);
	add_state(&f, STATE_ALL, 1, STATE_DISABLED);
	assert_false(gap_is_here(&fields, &f.events[0], "tcp."));
	assert_true(gap_is_here(&fields, &f.events[1], "tcp."));
	assert_false(gap_is_here(&fields, &f.events[2], "tcp."));
	assert_false(gap_is_here(&fields, &f.events[3], "tcp."));
	assert_false(gap_is_here(&fields, &f.events[4], "tcp."));
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(gap_all(&fields, &f.events[i]), -1);
	assert_int_equal(gap_all(&fields, &f.events[4]), 0);
	assert_int_equal(gap_all(&fields, &f.events[5]), 1);
	fixture_fini(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_gap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
