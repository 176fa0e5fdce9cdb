// SPDX-License-Identifier: BSD-2-Clause
#include "view/gap.h"

#include "view_fixture.h"

#include "wire/note.h"

static void add_state(struct fixture *f, const char *measurement, uint32_t reason)
{
	fixture_event(f, FIXTURE_MISC, 0, 0, 0);
	fixture_text16(f, measurement);
	fixture_uint(f, reason, 4);
}

static void test_gap(void **state)
{
	static const struct field state_fields[] = {{TEXT16("measurement")}, {U(32, "reason")}};
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
	f.made[FIXTURE_MISC].field_count = 2;
	f.offsets[FIXTURE_MISC][1] = 128;
	gap_fields_find(&fields, f.classes[FIXTURE_MISC]);
	assert_true(gap_fields_any(&fields));
	add_state(&f, "tcp.ack", STATE_START);
	add_state(&f, "tcp.ack", STATE_DISABLED);
	add_state(&f, "net.drop", STATE_ENABLED);
	add_state(&f, "tcp.ack", STATE_STOP);
	assert_false(gap_is_here(&fields, &f.events[0], "tcp."));
	assert_true(gap_is_here(&fields, &f.events[1], "tcp."));
	assert_false(gap_is_here(&fields, &f.events[2], "tcp."));
	assert_false(gap_is_here(&fields, &f.events[3], "tcp."));
	fixture_fini(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_gap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
