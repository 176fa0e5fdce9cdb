// SPDX-License-Identifier: BSD-2-Clause
#include "output/report_table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "analyse/conn_id.h"
#include "analyse/latency.h"
#include "analyse/level.h"
#include "base/buffer.h"
#include "base/json_writer.h"

struct thing {
	const char *name; /* NULL: not known */
	uint64_t count;
	struct latency latency;
};

static void put_nested(const void *from, const char *key, struct json_writer *json)
{
	const struct thing *thing = from;

	json_writer_array(json, key);
	json_writer_uint(json, NULL, thing->count);
	json_writer_end(json);
}

static const struct report_column columns[] = {
	{.key = "name", .title = "name"},
	{.key = "count", .title = "count"},
	{.key = "took", .use = REPORT_SPREAD},
	{.title = "p50"},
	{.title = "longest"},
	{.key = "nested", .use = REPORT_NESTED},
	{.key = "half", .title = "half", .use = REPORT_FLAT},
};

static void fill(const struct report_rows *rows, const void *from, struct report_row *row)
{
	static const unsigned int permilles[] = {500, 1000};
	const struct thing *thing = from;

	report_row_text(row, from == rows->all ? "(all)" : thing->name);
	report_row_count_or_blank(row, thing->count);
	report_row_latency(row, &thing->latency);
	report_row_permilles(row, &thing->latency, permilles, 2);
	report_row_nested(row, put_nested, thing);
	report_row_real(row, (double)thing->count / 2, 1);
}

static const struct report_table table = {
	.key = "things",
	.columns = columns,
	.column_count = sizeof(columns) / sizeof(columns[0]),
	.fill = fill,
};

static struct thing things[2] = {{.name = "a\x1b,\"b\"", .count = 1234}, {.name = NULL}};
static struct thing all;
static const struct thing *const pointers[2] = {&things[0], &things[1]};
static const struct report_rows rows = {.all = &all, .list = pointers, .count = 3, .shown = 2};

static void check(struct buffer *out, const char *expected)
{
	assert_int_equal(buffer_error(out), 0);
	buffer_char(out, '\0');
	assert_string_equal(out->data, expected);
	buffer_fini(out);
}

/* What is 0 or not known is blank, texts are safe, and the rows that are left out are counted. */
static void test_text(void **state)
{
	struct buffer out;

	(void)state;
	buffer_init(&out);
	report_table_text(&table, &rows, &out);
	check(&out, "\n"
		    "name         count      p50  longest   half\n"
		    "(all)        1,234  1.00 us  1.00 us  617.0\n"
		    "a\\x1b,\\\"b\\\"  1,234  1.00 us  1.00 us  617.0\n"
		    "                                        0.0\n"
		    "... and 1 more\n");
}

/* What is not known is left out; 0 is not. */
static void test_json(void **state)
{
	struct json_writer json;
	struct buffer out;

	(void)state;
	buffer_init(&out);
	json_writer_init(&json, &out);
	json_writer_object(&json, NULL);
	report_table_json(&table, &rows, &json);
	json_writer_end(&json);
	check(&out, "{\"things\":[{\"name\":\"a\\u001b,\\\"b\\\"\",\"count\":1234,\"took\":{"
		    "\"count\":1,\"total_ns\":1000,\"min_ns\":1000,\"avg_ns\":1000,\"p50_ns\":1000,"
		    "\"p90_ns\":1000,\"p99_ns\":1000,\"max_ns\":1000,\"histogram\":[{"
		    "\"from_ns\":992,\"to_ns\":1024,\"count\":1}]},\"nested\":[1234]},"
		    "{\"count\":0,\"took\":{\"count\":0,\"total_ns\":0,\"histogram\":[]},"
		    "\"nested\":[0]}]}");
}

static void test_csv(void **state)
{
	struct buffer out;

	(void)state;
	buffer_init(&out);
	report_table_csv(&table, &rows, &out);
	check(&out, "name,count,took_count,took_total_ns,took_min_ns,took_avg_ns,took_p50_ns,"
		    "took_p90_ns,took_p99_ns,took_max_ns,half\n"
		    "\"a\\x1b,\"\"b\"\"\",1234,1,1000,1000,1000,1000,1000,1000,1000,617.0\n"
		    ",0,0,0,,,,,,,0.0\n");
}

static const struct report_column point_columns[] = {{.key = "x"}};

static void fill_point(const struct report_rows *points, const void *from, struct report_row *row)
{
	const struct level *level = points->parent;
	const uint8_t *point = from;

	report_row_count(row, *point + level->spread.count);
}

static const struct report_table point_table = {"points", false, point_columns, 1, fill_point};

/* Two of one that is known. */
static int point_rows(const struct report_rows *parents, const void *from, struct report_rows *ret)
{
	const struct level *level = from;
	uint8_t *list = calloc(2, 1);

	assert_non_null(list);
	list[1] = 1;
	assert_ptr_equal(ret->owner, parents->owner);
	ret->list = ret->owned = list;
	ret->bytes = 1;
	ret->count = level->spread.count ? 2 : 0;
	return 0;
}

static const struct report_nest points = {&point_table, point_rows};

static const struct report_column deep_columns[] = {
	{.title = "connection"},
	{.key = "saddr"},
	{.key = "lport"},
	{.key = "daddr"},
	{.key = "rport"},
	{.key = "cookie"},
	{.key = "lost.fast.times", .title = "fast"},
	{.key = "lost.slow.times", .title = "slow", .wide = true},
	{.key = "lost.all"},
	{.key = "took", .use = REPORT_SPREAD},
	{.key = "points", .nest = &points},
	{.key = "cwnd.time_ns"},
	{.key = "cwnd.min"},
	{.key = "cwnd.avg"},
	{.key = "cwnd.p50"},
	{.key = "cwnd.p90"},
	{.key = "cwnd.p99"},
	{.key = "cwnd.max"},
};

static void fill_deep(const struct report_rows *deep, const void *from, struct report_row *row)
{
	static const struct conn_id ports = {.lport = 1055, .rport = 5050, .no_addresses = true},
				    ends = {.saddr = {[10] = 255, 255, 10, 0, 0, 1},
					    .daddr = {[10] = 255, 255, 10, 0, 0, 2},
					    .lport = 5000,
					    .rport = 80,
					    .cookie = 77};
	const struct level *level = from;

	(void)deep;
	report_row_text(row, level->spread.count ? "known" : "ports");
	report_row_conn(row, level->spread.count ? &ends : &ports);
	report_row_count(row, 1);
	report_row_time_or_blank(row, 0);
	report_row_count_if(row, 2, level->spread.count);
	report_row_skip(row, 1);
	report_row_nest(row);
	report_row_level(row, level);
}

/* A dot in a key is an object in JSON, opened for all of its members, and an underscore in CSV. */
static void test_deep(void **state)
{
	static const struct report_table deep = {
		.key = "deep",
		.columns = deep_columns,
		.column_count = sizeof(deep_columns) / sizeof(deep_columns[0]),
		.fill = fill_deep,
	};
	struct level levels[2] = {0};
	struct report_rows list = {
		.list = levels, .bytes = sizeof(levels[0]), .count = 2, .shown = 2};
	struct json_writer json;
	struct buffer out;

	(void)state;
	level_add(&levels[1], 10, 900);
	level_add(&levels[1], 20, 100);
	buffer_init(&out);
	json_writer_init(&json, &out);
	json_writer_object(&json, NULL);
	report_table_json(&deep, &list, &json);
	json_writer_end(&json);
	check(&out,
	      "{\"deep\":[{\"lport\":1055,\"rport\":5050,"
	      "\"lost\":{\"fast\":{\"times\":1},\"slow\":{\"times\":0}},"
	      "\"points\":[],\"cwnd\":{\"time_ns\":0}},"
	      "{\"saddr\":\"10.0.0.1\",\"lport\":5000,\"daddr\":\"10.0.0.2\",\"rport\":80,"
	      "\"cookie\":77,\"lost\":{\"fast\":{\"times\":1},\"slow\":{\"times\":0},\"all\":2},"
	      "\"points\":[{\"x\":1000},{\"x\":1001}],"
	      "\"cwnd\":{\"time_ns\":1000,\"min\":10,\"avg\":11.0,\"p50\":10,\"p90\":10,"
	      "\"p99\":20,\"max\":20}}]}");
	buffer_init(&out);
	report_table_csv(&deep, &list, &out);
	check(&out, "row,saddr,lport,daddr,rport,cookie,lost_fast_times,lost_slow_times,lost_all,"
		    "took_count,took_total_ns,took_min_ns,took_avg_ns,took_p50_ns,took_p90_ns,"
		    "took_p99_ns,took_max_ns,cwnd_time_ns,cwnd_min,cwnd_avg,cwnd_p50,cwnd_p90,"
		    "cwnd_p99,cwnd_max\n"
		    "1,,1055,,5050,,1,0,,,,,,,,,,0,,,,,,\n"
		    "2,10.0.0.1,5000,10.0.0.2,80,77,1,0,2,,,,,,,,,1000,10,11.0,10,10,20,20\n"
		    "\nrow,x\n2,1000\n2,1001\n");
	buffer_init(&out);
	list.title = "end";
	report_table_text(&deep, &list, &out);
	check(&out, "\n"
		    "end    fast  slow\n"
		    "ports     1\n"
		    "known     1\n");
	buffer_init(&out);
	list.narrow = true;
	report_table_text(&deep, &list, &out);
	check(&out, "\n"
		    "end    fast\n"
		    "ports     1\n"
		    "known     1\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_csv),
		cmocka_unit_test(test_deep),
	};

	latency_add(&things[0].latency, 1000);
	all = things[0];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
