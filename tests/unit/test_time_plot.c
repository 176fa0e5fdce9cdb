// SPDX-License-Identifier: BSD-2-Clause
#include "graph/time_plot.h"

#include <errno.h>

#include "base/buffer.h"
#include "base/diag.h"
#include "graph/conn_pick.h"
#include "view_fixture.h"

static struct field_pick picks[2];
static struct buffer out;
static struct diag diag;

static struct time_plot_options options_for(struct fixture *f, const char *first,
					    const char *second)
{
	struct time_plot_options options = {
		.request = {.picks = picks, .pick_count = second ? 2 : 1},
		.top = 7,
		.picture = {.format = PICTURE_SVG, .width = 400, .height = 300},
	};

	buffer_init(&out);
	for (size_t i = 0; i < options.request.pick_count; i++) {
		assert_int_equal(field_pick_parse(&picks[i], i ? second : first, &diag), 0);
		assert_int_equal(field_pick_bind(&picks[i], &f->info, &f->select, &diag), 0);
	}
	f->select.origin_ns = FIXTURE_EPOCH_NS;
	return options;
}

/* The picture; the caller frees the sink. */
static const char *run(struct fixture *f, struct event_sink *sink)
{
	assert_non_null(sink);
	assert_int_equal(sink->ops->batch(sink, f->events, f->count), 0);
	assert_int_equal(sink->ops->finish(sink), 0);
	buffer_char(&out, '\0');
	assert_non_null(out.data);
	return out.data;
}

static void has(const char *text, const char *part)
{
	if (!text || !strstr(text, part))
		fail_msg("no '%s' in:\n%s", part, text ? text : "nothing");
}

static void end(struct fixture *f, struct event_sink *sink)
{
	sink->ops->free(sink);
	buffer_fini(&out);
	fixture_fini(f);
}

static void add_two_connections(struct fixture *f)
{
	for (int i = 0; i < 5; i++)
		fixture_tcp(f, i * 1000000000ll, 77, 100, 8000 + 800 * (uint32_t)i);
	fixture_lost(f, 2500000000, 1, 7, 0, 0);
	f->select.lost = 7;
	for (int i = 0; i < 3; i++)
		fixture_tcp(f, (5 + i) * 1000000000ll, 78, 100, 4000);
}

static void each_connection_has_a_line(void **state)
{
	struct time_plot_options options;
	struct time_plot_told told;
	struct event_sink *sink;
	struct fixture f;
	const char *text;

	(void)state;
	fixture_init(&f, NULL);
	add_two_connections(&f);
	options = options_for(&f, "srtt_us", NULL);
	sink = time_plot_new(&f.view.analysis, &options, &out);
	text = run(&f, sink);
	time_plot_tell(sink, &told);
	assert_int_equal(told.drawn, 2);
	assert_int_equal(told.series, 2);
	has(text, ">srtt_us (ms)<");
	has(text, "<g><title>10.0.0.1:5000 \u2192 10.0.0.2:80</title>");
	has(text, "<title>7 events lost</title>");
	has(text, "8 values");
	end(&f, sink);
}

static void the_most_lines_are_those_with_the_most_events(void **state)
{
	struct time_plot_options options;
	struct time_plot_told told;
	struct event_sink *sink;
	struct fixture f;

	(void)state;
	fixture_init(&f, NULL);
	add_two_connections(&f);
	options = options_for(&f, "tcp.ack:snd_cwnd", NULL);
	options.top = 1;
	sink = time_plot_new(&f.view.analysis, &options, &out);
	has(run(&f, sink), "5 values");
	time_plot_tell(sink, &told);
	assert_int_equal(told.drawn, 1);
	assert_int_equal(told.series, 2);
	end(&f, sink);
}

static void connections_that_are_not_there_have_no_picture(void **state)
{
	struct time_plot_options options;
	struct time_plot_told told;
	struct event_sink *sink;
	struct conn_pick conn;
	struct fixture f;

	(void)state;
	fixture_init(&f, NULL);
	add_two_connections(&f);
	options = options_for(&f, "snd_cwnd", NULL);
	assert_int_equal(conn_pick_parse("5000.81", &conn, &diag), 0);
	options.request.conns = &conn;
	options.request.conn_count = 1;
	sink = time_plot_new(&f.view.analysis, &options, &out);
	assert_string_equal(run(&f, sink), "");
	time_plot_tell(sink, &told);
	assert_int_equal(told.drawn, 0);
	end(&f, sink);
}

static void two_units_have_two_axes(void **state)
{
	struct time_plot_options options;
	struct event_sink *sink;
	struct fixture f;
	const char *text;

	(void)state;
	fixture_init(&f, NULL);
	fixture_tcp(&f, 0, 77, 100, 8000);
	fixture_tcp(&f, 1000000, 77, 100, 9000);
	options = options_for(&f, "srtt_us", "snd_cwnd");
	picks[1].factor = 0.5;
	sink = time_plot_new(&f.view.analysis, &options, &out);
	text = run(&f, sink);
	has(text, ">10.0.0.1:5000 \u2192 10.0.0.2:80<");
	has(text, ">srtt_us (ms)<");
	has(text, "<g><title>snd_cwnd \u00d7 0.5</title>");
	has(text, "rotate(-90"); /* and so is the axis on the right called */
	has(strstr(text, "</svg>"), ">snd_cwnd \u00d7 0.5<");
	end(&f, sink);
}

/* What follows from several events, by the value of a field. */
static void calls_have_durations_and_names(void **state)
{
	struct time_plot_options options;
	struct event_sink *sink;
	struct fixture f;
	const char *text;

	(void)state;
	fixture_init(&f, "sys.exit");
	fixture_enter(&f, 1000, 42, 0, false);
	fixture_exit(&f, 3000, 42, 0, 1);
	fixture_enter(&f, 4000, 42, 39, false);
	fixture_exit(&f, 9000, 42, 39, 1);
	options = options_for(&f, "dur", NULL);
	group_choice_parse("nr", &options.request.by);
	sink = time_plot_new(&f.view.analysis, &options, &out);
	assert_false(time_plot_can_add(sink));
	text = run(&f, sink);
	has(text, "<title>read</title>");
	has(text, "<title>getpid</title>");
	has(text, "time in the system call (\u00b5s)");
	end(&f, sink);
}

/* Two sinks with turns of the events draw what one draws. */
static void parts_make_the_same_picture(void **state)
{
	struct time_plot_options options;
	struct event_sink *whole, *part[2];
	struct buffer expected;
	struct fixture f;

	(void)state;
	fixture_init(&f, NULL);
	add_two_connections(&f);
	options = options_for(&f, "srtt_us", "snd_cwnd");
	whole = time_plot_new(&f.view.analysis, &options, &out);
	(void)run(&f, whole);
	expected = out;
	buffer_init(&out);
	for (int i = 0; i < 2; i++)
		part[i] = time_plot_new(&f.view.analysis, &options, &out);
	for (size_t i = 0; i < f.count; i++) {
		struct event_sink *sink = part[i / 2 % 2];

		assert_int_equal(sink->ops->batch(sink, &f.events[i], 1), 0);
	}
	assert_true(time_plot_can_add(part[0]));
	assert_true(time_plot_add(part[0], part[1]));
	assert_int_equal(part[0]->ops->finish(part[0]), 0);
	buffer_char(&out, '\0');
	assert_string_equal(out.data, expected.data);
	buffer_fini(&expected);
	part[1]->ops->free(part[1]);
	whole->ops->free(whole);
	end(&f, part[0]);
}

/* As in a damaged trace: whatever the picture shows, it is one. */
static void any_times_make_a_picture(void **state)
{
	struct time_plot_options options;
	struct event_sink *sink;
	struct fixture f;

	(void)state;
	fixture_init(&f, NULL);
	for (int i = 0; i < 4; i++)
		fixture_tcp(&f, 0, 77, 100, 4000);
	f.events[0].time_ns = INT64_MIN;
	f.events[1].time_ns = -1;
	f.events[2].time_ns = INT64_MAX;
	options = options_for(&f, "srtt_us", "snd_cwnd");
	options.log_x = true;
	sink = time_plot_new(&f.view.analysis, &options, &out);
	has(run(&f, sink), "8 values");
	end(&f, sink);
}

static int bind(struct fixture *f, const char *text)
{
	int err = field_pick_parse(&picks[0], text, &diag);

	return err ? err : field_pick_bind(&picks[0], &f->info, &f->select, &diag);
}

static void what_is_no_field_is_told(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, NULL);
	assert_int_equal(bind(&f, "snd_cwmd"), -ENOENT);
	assert_non_null(strstr(diag.text, "did you mean 'snd_cwnd'?"));
	assert_int_equal(bind(&f, "cwnd"), -ENOENT);
	assert_non_null(strstr(diag.text, "did you mean 'snd_cwnd'?"));
	assert_int_equal(bind(&f, "path"), -EINVAL);
	assert_non_null(strstr(diag.text, "is not a number"));
	assert_int_equal(bind(&f, "list"), -EINVAL);
	assert_int_equal(bind(&f, "udp.*:snd_cwnd"), -ENOENT);
	assert_int_equal(bind(&f, "sys.exit:snd_cwnd"), -ENOENT);
	assert_int_equal(bind(&f, "tcp.ack:"), -EINVAL);
	assert_int_equal(bind(&f, ""), -EINVAL);
	assert_int_equal(bind(&f, "misc.all:ratio"), 0);
	fixture_fini(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_connection_has_a_line),
		cmocka_unit_test(the_most_lines_are_those_with_the_most_events),
		cmocka_unit_test(connections_that_are_not_there_have_no_picture),
		cmocka_unit_test(two_units_have_two_axes),
		cmocka_unit_test(calls_have_durations_and_names),
		cmocka_unit_test(parts_make_the_same_picture),
		cmocka_unit_test(any_times_make_a_picture),
		cmocka_unit_test(what_is_no_field_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
