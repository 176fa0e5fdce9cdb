// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/conn_id.h"

#include "view_fixture.h"

static void test_fields(void **state)
{
	static const struct field odd[] = {
		{ADDRESS("saddr")}, {U(32, "daddr")}, {U(16, "lport")}, {U(16, "rport")}};
	struct conn_id_fields fields;
	struct fixture f;

	(void)state;
	fixture_init(&f, NULL);
	assert_true(conn_id_find(&fields, f.classes[FIXTURE_TCP]));
	assert_false(conn_id_find(&fields, f.classes[FIXTURE_ENTER]));
	f.made[FIXTURE_TCP].fields = odd;
	f.made[FIXTURE_TCP].field_count = 4;
	assert_false(conn_id_find(&fields, f.classes[FIXTURE_TCP]));
	assert_true(conn_id_find_ports(&fields, f.classes[FIXTURE_TCP]));
	assert_false(conn_id_find_ports(&fields, f.classes[FIXTURE_ENTER]));
	fixture_fini(&f);
}

static void test_key(void **state)
{
	struct conn_id_fields fields;
	struct fixture f;

	(void)state;
	fixture_init(&f, NULL);
	assert_true(conn_id_find(&fields, f.classes[FIXTURE_TCP]));
	fixture_tcp(&f, 0, 77, 10, 800);
	fixture_tcp(&f, 1, 0, 5, 80);
	fixture_tcp(&f, 2, 0, 6, 90);
	assert_int_equal(conn_id_key(&fields, &f.events[0]), 77);
	assert_int_equal(conn_id_key(&fields, &f.events[1]) >> 63, 1);
	assert_int_equal(conn_id_key(&fields, &f.events[1]), conn_id_key(&fields, &f.events[2]));
	fixture_fini(&f);
}

/* Ports stay when the socket has none any more, and come where it had none yet. */
static void test_learn(void **state)
{
	struct conn_id_fields fields;
	struct conn_id id = {0};
	struct fixture f;
	const uint16_t none = 0;
	size_t i;

	(void)state;
	fixture_init(&f, NULL);
	assert_true(conn_id_find(&fields, f.classes[FIXTURE_TCP]));
	for (i = 0; i < 3; i++)
		fixture_tcp(&f, (int64_t)i, 77, 10, 800);
	memcpy(f.payloads[0] + f.offsets[FIXTURE_TCP][fields.lport] / 8, &none, 2);
	memcpy(f.payloads[2] + f.offsets[FIXTURE_TCP][fields.lport] / 8, &none, 2);
	conn_id_learn(&id, &fields, &f.events[0]);
	assert_int_equal(id.lport, 0);
	conn_id_learn(&id, &fields, &f.events[1]);
	assert_int_equal(id.lport, 5000);
	conn_id_learn(&id, &fields, &f.events[2]);
	assert_int_equal(id.lport, 5000);
	assert_string_equal(conn_id_text(&id).text, "10.0.0.1:5000 -> 10.0.0.2:80");
	fixture_fini(&f);
}

/* Other formats know ports only. */
static void test_ports(void **state)
{
	static const struct conn_id id = {.lport = 1055, .rport = 5050, .no_addresses = true};

	(void)state;
	assert_string_equal(conn_id_text(&id).text, "1055.5050");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fields),
		cmocka_unit_test(test_key),
		cmocka_unit_test(test_learn),
		cmocka_unit_test(test_ports),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
