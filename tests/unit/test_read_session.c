// SPDX-License-Identifier: BSD-2-Clause
/* The states of a session: open, renew, seek, end. Its sources play what a script says. */
#include "source/read_session.h"

#include <errno.h>

#include "base/diag.h"
#include "view_fixture.h"

#define NAMED 9 /* a task */
#define STEP_NS 10 /* between two events */
#define OLD_CLASSES FIXTURE_SEQUENCE /* so many are known before a renewal that adds more */

/* What one call of `next` gives: events from `first` on, or an error. */
struct act {
	int64_t first;
	int count; /* 0: the end; < 0: -errno */
};

/* A source, from its opening to its close. */
struct script {
	const struct act *acts;
	size_t classes;
	bool renews; /* it continues by itself: with the next script's acts */
	int open_err;
};

struct stage {
	struct fixture f; /* all events */
	const struct script *scripts;
	size_t opened, closed, retired, renewed, asked, sought;
	struct source_span span; /* sought last */
	bool again; /* of the last renewal */
	struct read_request request;
	struct read_session *session;
	char given[128]; /* numbers of events that a sink got, or `next` gave */
	struct event_sink sink;
};

struct played {
	struct event_source source; /* first: the vtable's functions get this */
	struct stage *stage;
	struct script script;
	size_t at;
	struct trace_info info;
};

static int played_next(struct event_source *source, const struct event **ret)
{
	struct played *played = (struct played *)source;
	const struct act *act = &played->script.acts[played->at];

	played->stage->asked++;
	if (act->count) /* the end stays */
		played->at++;
	*ret = &played->stage->f.events[act->first];
	return act->count;
}

static const char *played_problem(const struct event_source *source, size_t i)
{
	(void)source;
	return i ? NULL : "a stream is damaged";
}

static int played_seek(struct event_source *source, const struct source_span *span)
{
	struct played *played = (struct played *)source;

	played->stage->sought++;
	played->stage->span = *span;
	return 0;
}

static void read_script(struct played *played)
{
	played->at = 0;
	played->info.class_count = played->script.classes;
}

static int played_renew(struct event_source *source, bool again, struct diag *diag)
{
	struct played *played = (struct played *)source;
	struct stage *stage = played->stage;

	stage->again = again;
	played->script = stage->scripts[stage->opened + stage->renewed++];
	if (played->script.open_err)
		return diag_set(diag, played->script.open_err, "the relay is gone");
	read_script(played);
	return 0;
}

static void played_retire(struct event_source *source)
{
	((struct played *)source)->stage->retired++;
}

static void played_close(struct event_source *source)
{
	((struct played *)source)->stage->closed++;
	free(source);
}

static const struct source_ops stored_ops = {
	.next = played_next,
	.problem = played_problem,
	.seek = played_seek,
	.retire = played_retire,
	.close = played_close,
};

static const struct source_ops live_ops = {
	.next = played_next,
	.problem = played_problem,
	.renew = played_renew,
	.close = played_close,
};

static int open_script(void *ctx, const char *name, bool follow, struct event_source **ret,
		       struct diag *diag)
{
	struct stage *stage = ctx;
	const struct script *script = &stage->scripts[stage->opened];
	struct played *played;

	assert_string_equal(name, "T");
	assert_int_equal(follow, stage->request.follow);
	if (script->open_err)
		return diag_set(diag, script->open_err, "T: cannot be opened");
	stage->opened++;
	played = calloc(1, sizeof(*played));
	assert_non_null(played);
	played->stage = stage;
	played->script = *script;
	played->info = stage->f.info;
	played->source =
		(struct event_source){script->renews ? &live_ops : &stored_ops, &played->info};
	read_script(played);
	*ret = &played->source;
	return 0;
}

static void note(struct stage *stage, const struct event *event)
{
	const size_t len = strlen(stage->given);

	(void)snprintf(stage->given + len, sizeof(stage->given) - len, "%s%zu", len ? " " : "",
		       (size_t)(event - stage->f.events));
}

static int take_batch(struct event_sink *sink, const struct event *events, size_t count)
{
	struct stage *stage = (struct stage *)((char *)sink - offsetof(struct stage, sink));

	for (size_t i = 0; i < count; i++)
		if (analysis_takes(read_session_analysis(stage->session), &events[i]))
			note(stage, &events[i]);
	return 0;
}

static const struct sink_ops sink_ops = {.batch = take_batch};

/* Events 0 to 7: the first names a task, 5 is of a class that is not known at first. */
static int set_up(void **state)
{
	static struct stage stage;
	static char *sources[] = {(char *)(uintptr_t) "T"};

	memset(&stage, 0, sizeof(stage));
	fixture_init(&stage.f, NULL);
	for (int i = 0; i < 8; i++) {
		if (!i)
			fixture_switch(&stage.f, 0, 1, NAMED, "worker", 0, "idle");
		else if (i == 5)
			fixture_sequence(&stage.f, i * STEP_NS, 1);
		else
			fixture_exit(&stage.f, i * STEP_NS, NAMED, 39, i);
	}
	stage.sink.ops = &sink_ops;
	stage.request = (struct read_request){
		.sources = sources,
		.source_count = 1,
		.name = "T",
		.open = open_script,
		.open_ctx = &stage,
	};
	select_init(&stage.request.select);
	*state = &stage;
	return 0;
}

static int tear_down(void **state)
{
	struct stage *stage = *state;

	read_session_free(stage->session);
	assert_int_equal(stage->closed, stage->opened); /* each once */
	select_fini(&stage->request.select);
	fixture_fini(&stage->f);
	return 0;
}

static void open_stage(struct stage *stage, const struct script *scripts)
{
	stage->scripts = scripts;
	stage->session = read_session_new(&stage->request, &stage->f.out);
	assert_non_null(stage->session);
}

static void start(struct stage *stage, const struct script *scripts)
{
	open_stage(stage, scripts);
	assert_int_equal(read_session_open(stage->session, NULL, NULL), 0);
	assert_int_equal(read_session_bind(stage->session, NULL, NULL), 0);
	assert_int_equal(read_session_start(stage->session), 0);
}

static void renew(struct stage *stage, bool again)
{
	assert_int_equal(read_session_renew(stage->session, again, NULL, NULL), 0);
	assert_int_equal(read_session_start(stage->session), 0);
}

/* Pumps until it ends: 0 or -errno. */
static int pump(struct stage *stage)
{
	enum read_side side;
	int more;

	while ((more = read_session_pump(stage->session, &stage->sink, &side)) > 0)
		;
	assert_int_equal(side, READ_SIDE_SOURCE);
	return more;
}

static bool knows_name(const struct stage *stage)
{
	const struct analysis *analysis = read_session_analysis(stage->session);

	return TASK_NAME_LEN(task_names_get(analysis->names, NULL, NAMED)) > 0;
}

static void a_stored_source_is_read_to_its_end(void **state)
{
	const struct script scripts[] = {
		{.acts = (const struct act[]){{0, 2}, {2, -EAGAIN}, {2, 2}, {0, 0}},
		 .classes = FIXTURE_CLASSES}};
	struct stage *stage = *state;

	open_stage(stage, scripts);
	assert_null(read_session_info(stage->session));
	assert_null(read_session_problem(stage->session, 0));
	assert_int_equal(read_session_given_ns(stage->session), INT64_MIN);
	assert_int_equal(read_session_open(stage->session, NULL, NULL), 0);
	assert_int_equal(read_session_info(stage->session)->class_count, FIXTURE_CLASSES);
	assert_int_equal(read_session_bind(stage->session, NULL, NULL), 0);
	assert_ptr_equal(read_session_view(stage->session)->out, &stage->f.out);
	assert_int_equal(read_session_start(stage->session), 0);
	assert_false(read_session_has_times(stage->session));
	assert_int_equal(pump(stage), 0);
	assert_string_equal(stage->given, "0 1 2 3");
	assert_true(read_session_has_times(stage->session));
	assert_int_equal(pump(stage), 0);
	assert_int_equal(read_session_select(stage->session)->matched, 4);
	assert_int_equal(read_session_given_ns(stage->session), FIXTURE_EPOCH_NS + 3 * STEP_NS);
	assert_string_equal(read_session_problem(stage->session, 0), "a stream is damaged");
	assert_ptr_equal(read_session_thread(stage->session, 0), stage->session);
	assert_null(read_session_thread(stage->session, 1));
}

/* The same events come again, with those of more classes. */
static const struct script growing[] = {
	{.acts = (const struct act[]){{0, 2}, {2, 2}, {0, -ESTALE}, {4, 1}},
	 .classes = OLD_CLASSES},
	{.acts = (const struct act[]){{0, 3}, {3, 4}, {0, 0}}, .classes = FIXTURE_CLASSES},
};

static void a_trace_that_grows_is_opened_again(void **state)
{
	struct stage *stage = *state;
	enum read_side side;

	stage->request.follow = true;
	start(stage, growing);
	assert_int_equal(pump(stage), -ESTALE);
	assert_string_equal(stage->given, "0 1 2 3");
	/* It gives nothing more until it is renewed. */
	stage->asked = 0;
	assert_int_equal(read_session_pump(stage->session, &stage->sink, &side), -ESTALE);
	assert_int_equal(stage->asked, 0);

	renew(stage, false);
	assert_int_equal(stage->opened, 2);
	assert_int_equal(stage->closed, 1);
	assert_false(knows_name(stage)); /* it is learnt again */
	assert_int_equal(read_session_info(stage->session)->class_count, FIXTURE_CLASSES);
	assert_int_equal(pump(stage), 0);
	assert_string_equal(stage->given, "0 1 2 3 4 5 6");
	assert_true(knows_name(stage));
	assert_int_equal(read_session_select(stage->session)->matched, 7);
}

static void all_of_it_again(void **state)
{
	struct stage *stage = *state;

	start(stage, growing);
	assert_int_equal(pump(stage), -ESTALE);
	stage->given[0] = '\0';
	renew(stage, true);
	assert_int_equal(pump(stage), 0);
	assert_string_equal(stage->given, "0 1 2 3 4 5 6");
	assert_int_equal(read_session_select(stage->session)->matched, 7);
}

/* Another trace has its name by now: it is read from the time on that was reached. */
static void a_trace_that_is_replaced(void **state)
{
	const struct script scripts[] = {
		{.acts = (const struct act[]){{0, 3}, {0, -ESTALE}}, .classes = OLD_CLASSES},
		{.acts = (const struct act[]){{6, 2}, {0, 0}}, .classes = FIXTURE_CLASSES}};
	struct stage *stage = *state;

	start(stage, scripts);
	assert_int_equal(pump(stage), -ESTALE);
	renew(stage, false);
	assert_int_equal(pump(stage), 0);
	assert_string_equal(stage->given, "0 1 2 6 7");
	assert_false(knows_name(stage));
}

static const struct script live[] = {
	{.acts = (const struct act[]){{0, 2}, {2, 2}, {0, -ESTALE}},
	 .classes = OLD_CLASSES,
	 .renews = true},
	{.acts = (const struct act[]){{4, 2}, {0, 0}}, .classes = FIXTURE_CLASSES, .renews = true},
};

static void a_live_session_continues(void **state)
{
	struct stage *stage = *state;

	start(stage, live);
	assert_int_equal(pump(stage), -ESTALE);
	renew(stage, false);
	assert_int_equal(stage->opened, 1);
	assert_int_equal(stage->renewed, 1);
	assert_false(stage->again);
	assert_true(knows_name(stage)); /* it does not come again */
	assert_int_equal(pump(stage), 0);
	assert_string_equal(stage->given, "0 1 2 3 4 5");
	assert_int_equal(read_session_select(stage->session)->matched, 6);
}

static void a_live_session_begins_again(void **state)
{
	struct stage *stage = *state;

	start(stage, live);
	assert_int_equal(pump(stage), -ESTALE);
	renew(stage, true);
	assert_true(stage->again);
	assert_false(knows_name(stage));
	assert_int_equal(read_session_select(stage->session)->matched, 0);
}

static void classes_that_are_in_use_stay(void **state)
{
	struct stage *stage = *state;

	stage->request.keeps_classes = true;
	start(stage, growing);
	assert_int_equal(pump(stage), -ESTALE);
	renew(stage, false);
	assert_int_equal(stage->retired, 1);
	assert_int_equal(stage->closed, 0); /* tear_down: 2 */
}

static void one_event_at_a_time(void **state)
{
	const struct script scripts[] = {
		{.acts = (const struct act[]){{0, 2}, {0, -EAGAIN}, {2, 1}, {0, -ESTALE}},
		 .classes = OLD_CLASSES},
		{.acts = (const struct act[]){{0, 3}, {3, 3}, {0, 0}}, .classes = FIXTURE_CLASSES}};
	struct stage *stage = *state;
	const struct event *event;
	int got, pauses = 0;

	start(stage, scripts);
	while ((got = read_session_next(stage->session, &event))) {
		if (got == 1)
			note(stage, event);
		else if (got == -ESTALE)
			renew(stage, false);
		else
			pauses += got == -EAGAIN;
	}
	assert_string_equal(stage->given, "0 1 2 3 4 5");
	assert_int_equal(pauses, 1);
	assert_int_equal(read_session_next(stage->session, &event), 0);
}

static void times_are_sought_once_they_are_known(void **state)
{
	const struct script scripts[] = {
		{.acts = (const struct act[]){{0, 1}, {1, 2}, {3, 5}, {0, 0}},
		 .classes = FIXTURE_CLASSES}};
	struct stage *stage = *state;

	stage->request.select.from = (struct time_point){TIME_POINT_SINCE_FIRST, 2 * STEP_NS};
	stage->request.select.to = (struct time_point){TIME_POINT_SINCE_FIRST, 4 * STEP_NS};
	start(stage, scripts);
	assert_int_equal(pump(stage), 0);
	assert_string_equal(stage->given, "2 3 4");
	assert_true(knows_name(stage)); /* of before that time */
	assert_int_equal(stage->sought, 1);
	assert_int_equal(stage->span.from_ns, FIXTURE_EPOCH_NS + 2 * STEP_NS);
	assert_int_equal(stage->span.to_ns, FIXTURE_EPOCH_NS + 4 * STEP_NS);
	assert_true(stage->span.taught[FIXTURE_SWITCH]);
	assert_false(stage->span.taught[FIXTURE_EXIT]);
	/* Behind that time the source is not asked. */
	stage->asked = 0;
	assert_int_equal(pump(stage), 0);
	assert_int_equal(stage->asked, 0);
}

static void what_cannot_be_opened(void **state)
{
	const struct script scripts[] = {{.open_err = -ENOENT}};
	struct stage *stage = *state;
	enum read_fault fault = READ_FAULT_MEMORY;
	struct diag diag = {0};

	open_stage(stage, scripts);
	assert_int_equal(read_session_open(stage->session, &fault, &diag), -ENOENT);
	assert_int_equal(fault, READ_FAULT_SOURCE);
	assert_string_equal(diag.text, "T: cannot be opened");
	assert_null(read_session_info(stage->session));
}

/* What was read so far can still be asked for. */
static void what_cannot_be_opened_again(void **state)
{
	const struct script scripts[] = {{.acts = (const struct act[]){{0, 2}, {0, -ESTALE}},
					  .classes = OLD_CLASSES},
					 {.open_err = -EACCES}};
	struct stage *stage = *state;
	enum read_fault fault = READ_FAULT_MEMORY;
	struct diag diag = {0};

	start(stage, scripts);
	assert_int_equal(pump(stage), -ESTALE);
	assert_int_equal(read_session_renew(stage->session, false, &fault, &diag), -EACCES);
	assert_int_equal(fault, READ_FAULT_SOURCE);
	assert_string_equal(diag.text, "T: cannot be opened");
	assert_true(knows_name(stage));
	assert_int_equal(read_session_select(stage->session)->matched, 2);
}

static void what_cannot_be_renewed(void **state)
{
	const struct script scripts[] = {{.acts = (const struct act[]){{0, 2}, {0, -ESTALE}},
					  .classes = OLD_CLASSES,
					  .renews = true},
					 {.open_err = -ECONNRESET}};
	struct stage *stage = *state;
	enum read_fault fault = READ_FAULT_MEMORY;
	struct diag diag = {0};

	start(stage, scripts);
	assert_int_equal(pump(stage), -ESTALE);
	assert_int_equal(read_session_renew(stage->session, false, &fault, &diag), -ECONNRESET);
	assert_int_equal(fault, READ_FAULT_SOURCE);
	assert_string_equal(diag.text, "T: the relay is gone");
	assert_int_equal(read_session_info(stage->session)->class_count, OLD_CLASSES);
}

static void an_expression_is_parsed_before_anything_is_opened(void **state)
{
	struct stage *stage = *state;
	enum read_fault fault = READ_FAULT_MEMORY;
	struct diag diag = {0};

	stage->request.where = "ret ==";
	open_stage(stage, growing);
	assert_true(read_session_open(stage->session, &fault, &diag) < 0);
	assert_int_equal(fault, READ_FAULT_WHERE);
	assert_true(diag.text[0]);
	assert_int_equal(stage->opened, 0);
}

static void an_expression_chooses(void **state)
{
	struct stage *stage = *state;

	stage->request.where = "ret > 1";
	start(stage, growing);
	assert_int_equal(pump(stage), -ESTALE);
	assert_string_equal(stage->given, "2 3");
	renew(stage, false);
	assert_int_equal(pump(stage), 0);
	assert_string_equal(stage->given, "2 3 4 6");
}

/* A stored trace has nothing to wait for; in a live session it may still come. */
static void a_pattern_that_no_event_matches(void **state)
{
	struct stage *stage = *state;
	enum read_fault fault = READ_FAULT_MEMORY;
	struct diag diag = {0};

	assert_int_equal(select_add_pattern(&stage->request.select, "seq.stack", NULL), 0);
	open_stage(stage, growing);
	assert_int_equal(read_session_open(stage->session, NULL, NULL), 0);
	assert_int_equal(read_session_bind(stage->session, &fault, &diag), -ENOENT);
	assert_int_equal(fault, READ_FAULT_EVENTS);
	assert_non_null(strstr(diag.text, "no event in it matches 'seq.stack'"));
	read_session_free(stage->session);
	stage->opened = stage->closed = 0;

	start(stage, live);
	assert_non_null(strstr(read_session_unmatched(stage->session), "'seq.stack'"));
	assert_int_equal(pump(stage), -ESTALE);
	assert_string_equal(stage->given, "");
	renew(stage, false);
	assert_null(read_session_unmatched(stage->session));
	assert_int_equal(pump(stage), 0);
	assert_string_equal(stage->given, "5");
}

/* It was said when the session was opened. */
static void what_still_does_not_match_is_said_once(void **state)
{
	const struct script scripts[] = {
		live[0], {.acts = (const struct act[]){{4, 1}, {0, 0}}, .classes = OLD_CLASSES}};
	struct stage *stage = *state;

	assert_int_equal(select_add_pattern(&stage->request.select, "seq.stack", NULL), 0);
	start(stage, scripts);
	assert_non_null(read_session_unmatched(stage->session));
	assert_int_equal(pump(stage), -ESTALE);
	renew(stage, false);
	assert_null(read_session_unmatched(stage->session));
	assert_int_equal(pump(stage), 0);
	assert_string_equal(stage->given, "");
}

static bool always(void)
{
	return true;
}

static void one_that_is_stopped_ends(void **state)
{
	struct stage *stage = *state;

	stage->request.is_stopped = always;
	start(stage, growing);
	assert_int_equal(pump(stage), 0);
	assert_int_equal(stage->asked, 0);
}

#define SESSION_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		SESSION_TEST(a_stored_source_is_read_to_its_end),
		SESSION_TEST(a_trace_that_grows_is_opened_again),
		SESSION_TEST(all_of_it_again),
		SESSION_TEST(a_trace_that_is_replaced),
		SESSION_TEST(a_live_session_continues),
		SESSION_TEST(a_live_session_begins_again),
		SESSION_TEST(classes_that_are_in_use_stay),
		SESSION_TEST(one_event_at_a_time),
		SESSION_TEST(times_are_sought_once_they_are_known),
		SESSION_TEST(what_cannot_be_opened),
		SESSION_TEST(what_cannot_be_opened_again),
		SESSION_TEST(what_cannot_be_renewed),
		SESSION_TEST(an_expression_is_parsed_before_anything_is_opened),
		SESSION_TEST(an_expression_chooses),
		SESSION_TEST(a_pattern_that_no_event_matches),
		SESSION_TEST(what_still_does_not_match_is_said_once),
		SESSION_TEST(one_that_is_stopped_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
