// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/stack_weights.h"

#include "view_fixture.h"

#include "base/diag.h"
#include "output/profile.h"
#include "schema/class_table.h"
#include "schema/trace_info.h"

#include <errno.h>
#include <zlib.h>

#define INNER 0xffffffff81002010ull
#define OUTER 0xffffffff81001010ull

#define NUMBER(name_, slot)                                                \
	{                                                                  \
		.name = (name_), .bits = 64, .align_bits = 64, .count = 1, \
		.offset_bits = 64 * (slot)                                 \
	}
#define STACK(name_, slot)                                                                   \
	{                                                                                    \
		.name = (name_), .bits = 64, .align_bits = 64, .count = 2, .is_array = true, \
		.offset_bits = 64 * (slot)                                                   \
	}

/* Classes with stacks of two frames, and the events of one test. */
struct scene {
	struct class_table *table;
	const struct event_class *switched, *sample, *lost;
	struct trace_info info;
	struct select select;
	struct analysis analysis;
	struct stack_weights weights;
	struct buffer out;
};

static const struct field switch_list[] = {NUMBER("next_tid", 0), STACK("kernel_stack", 1),
					   NUMBER("wanted", 3)};
static const struct field sample_list[] = {NUMBER("pc", 0),    NUMBER("pid", 1),
					   NUMBER("state", 2), STACK("kernel_stack", 3),
					   NUMBER("bytes", 5), NUMBER("cut", 6)};
static const struct trace_env rate[] = {{.name = "sonde_sample_hz", .number = 100}};

static void init(struct scene *s, const char *pattern)
{
	static const struct class_plan plans[] = {
		{.name = "sched.switch",
		 .fields = switch_list,
		 .field_count = 3,
		 .payload_bytes = 32},
		{.name = "cpu.sample", .fields = sample_list, .field_count = 6, .payload_bytes = 56},
	};

	*s = (struct scene){.table = class_table_new()};
	s->switched = class_table_add(s->table, &plans[0]);
	s->sample = class_table_add(s->table, &plans[1]);
	class_table_tell(s->table, &s->info);
	s->lost = s->info.classes[0];
	s->info.env = rate;
	s->info.env_count = 1;
	s->info.symbols = symbols_new();
	assert_int_equal(
		symbols_add_kernel(s->info.symbols, INNER & ~0xfffull, 0x1000, "in ner", 6), 0);
	assert_int_equal(symbols_add_kernel(s->info.symbols, OUTER & ~0xfffull, 0x1000, "outer", 5),
			 0);
	select_init(&s->select);
	if (pattern)
		assert_int_equal(select_add_pattern(&s->select, pattern, NULL), 0);
	assert_int_equal(select_bind(&s->select, &s->info, NULL), 0);
	s->analysis = (struct analysis){.info = &s->info,
					.select = &s->select,
					.names = task_names_new(&s->info),
					.known = known_new(&s->info)};
	buffer_init(&s->out);
}

static void start(struct scene *s, const char *weight)
{
	const struct stack_weights_request request = {.weight = weight};

	assert_int_equal(stack_weights_init(&s->weights, &s->analysis, &request, NULL), 0);
}

static void fini(struct scene *s)
{
	stack_weights_fini(&s->weights);
	buffer_fini(&s->out);
	task_names_free(s->analysis.names);
	known_free(s->analysis.known);
	symbols_free(s->info.symbols);
	select_fini(&s->select);
	class_table_free(s->table);
}

static void take(struct scene *s, const struct event_class *class, int64_t ns, int32_t tid,
		 const void *payload, bool shown)
{
	const struct event event = {.class = class,
				    .payload = payload,
				    .offsets = class->offsets,
				    .time_ns = ns,
				    .tid = tid};

	assert_int_equal(stack_weights_take(&s->weights, &event, shown), 0);
}

/* @wanted: which of the two the filter wanted, 1 = the first, 2 = the second, 3 = both. */
static void change(struct scene *s, int64_t ns, int32_t tid, uint64_t next, uint64_t wanted)
{
	const uint64_t payload[] = {next, INNER, OUTER, wanted};

	take(s, s->switched, ns, tid, payload, true);
}

static void leave(struct scene *s, int64_t ns, int32_t tid, uint64_t next, bool shown)
{
	const uint64_t payload[] = {next, INNER, OUTER, 3};

	take(s, s->switched, ns, tid, payload, shown);
}

static void sample(struct scene *s, uint64_t state, uint64_t bytes)
{
	const uint64_t payload[] = {INNER, 1, state, INNER, OUTER, bytes, state == 2};

	take(s, s->sample, 0, 1, payload, true);
}

static const char *folded(struct scene *s)
{
	stack_weights_end(&s->weights);
	assert_int_equal(profile_write(&s->weights, PROFILE_FOLDED, &s->out), 0);
	buffer_char(&s->out, '\0');
	return s->out.data;
}

/* From the switch to another task until the next switch to it; never of the idle task. */
static void off_cpu_is_until_the_task_runs_again(void **state)
{
	struct scene s;

	(void)state;
	init(&s, "sched.switch");
	start(&s, NULL);
	leave(&s, 100, 5, 0, true);
	leave(&s, 150, 0, 5, true);
	leave(&s, 200, 5, 6, true); /* never again */
	leave(&s, 250, 6, 7, false); /* not asked for */
	leave(&s, 300, 7, 6, true);
	leave(&s, 340, 6, 7, true);
	assert_string_equal(folded(&s), "-;outer_[k];in_ner_[k] 90\n");
	assert_string_equal(s.weights.unit, "ns");
	assert_int_equal(s.weights.stacks[0], 2);
	assert_int_equal(s.weights.unfinished, 2); /* of 5 and of 6 */
	fini(&s);
}

static void a_task_that_was_not_wanted_is_nowhere(void **state)
{
	struct scene s;

	(void)state;
	init(&s, "sched.switch");
	start(&s, NULL);
	change(&s, 100, 5, 6, 1);
	change(&s, 150, 6, 5, 2);
	change(&s, 200, 5, 6, 1);
	change(&s, 250, 7, 5, 1); /* 5 is not wanted any more */
	change(&s, 350, 5, 7, 2); /* 7 was off for 100 */
	assert_string_equal(folded(&s), "-;outer_[k];in_ner_[k] 150\n");
	assert_int_equal(s.weights.stacks[0], 2);
	assert_int_equal(s.weights.unfinished, 1);
	fini(&s);
}

static void after_a_loss_nothing_is_known(void **state)
{
	const struct lost_payload lost = {.count = 1};
	struct scene s;

	(void)state;
	init(&s, "sched.switch");
	start(&s, NULL);
	leave(&s, 100, 5, 0, true);
	take(&s, s.lost, 120, -1, &lost, true);
	leave(&s, 150, 0, 5, true);
	leave(&s, 160, 5, 0, true);
	leave(&s, 161, 0, 5, true);
	assert_string_equal(folded(&s), "-;outer_[k];in_ner_[k] 1\n");
	assert_int_equal(s.weights.unfinished, 1);
	fini(&s);
}

/* Without a pattern samples of CPUs come first; idle ones do not count. */
static void samples_count_once_or_for_their_time_or_for_a_field(void **state)
{
	static const struct {
		const char *weight, *expected, *unit;
	} cases[] = {{NULL, "-;outer_[k];in_ner_[k] 2\n", "samples"},
		     {"samples", "-;outer_[k];in_ner_[k] 2\n", "samples"},
		     {"ns", "-;outer_[k];in_ner_[k] 20000000\n", "ns"},
		     {"bytes", "-;outer_[k];in_ner_[k] 42\n", NULL}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct scene s;

		init(&s, NULL);
		start(&s, cases[i].weight);
		sample(&s, 0, 40);
		sample(&s, 2, 2);
		sample(&s, 3, 1000);
		leave(&s, 100, 5, 0, true);
		leave(&s, 150, 0, 5, true);
		assert_string_equal(folded(&s), cases[i].expected);
		assert_int_equal(s.weights.cut, 1);
		if (cases[i].unit)
			assert_string_equal(s.weights.unit, cases[i].unit);
		else
			assert_null(s.weights.unit);
		fini(&s);
	}
}

static void what_cannot_be_weighed_is_an_error(void **state)
{
	static const struct stack_weights_request requests[] = {{.weight = "nothing"},
								{.diff = true}};
	static const int expected[] = {-ENOENT, -EINVAL};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct diag diag = {0};
		struct scene s;

		init(&s, NULL);
		assert_int_equal(stack_weights_init(&s.weights, &s.analysis, &requests[i], &diag),
				 expected[i]);
		assert_true(strlen(diag.text) > 20);
		fini(&s);
	}
}

/* A number in base 128, and where it ends. */
static uint64_t varint(const uint8_t **at, const uint8_t *end)
{
	uint64_t value = 0;

	for (unsigned int shift = 0; *at < end && shift < 64; shift += 7) {
		const uint8_t byte = *(*at)++;

		value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return value;
	}
	fail_msg("a number without an end");
	return 0;
}

/* What pprof would read: strings, and values of samples. */
static void a_profile_has_its_strings_and_samples(void **state)
{
	uint8_t plain[4096];
	z_stream stream = {.next_out = plain, .avail_out = sizeof(plain)};
	const uint8_t *at = plain, *end;
	unsigned int fields[16] = {0};
	char strings[512] = "";
	struct scene s;

	(void)state;
	init(&s, NULL);
	start(&s, NULL);
	sample(&s, 0, 0);
	sample(&s, 0, 0);
	stack_weights_end(&s.weights);
	assert_int_equal(profile_write(&s.weights, PROFILE_PPROF, &s.out), 0);
	stream.next_in = (Bytef *)s.out.data;
	stream.avail_in = (uInt)s.out.len;
	assert_int_equal(inflateInit2(&stream, 15 + 16), Z_OK);
	assert_int_equal(inflate(&stream, Z_FINISH), Z_STREAM_END);
	end = plain + stream.total_out;
	(void)inflateEnd(&stream);
	while (at < end) {
		const uint64_t tag = varint(&at, end), value = varint(&at, end);

		assert_true(tag >> 3 < 16);
		fields[tag >> 3]++;
		if ((tag & 7) != 2)
			continue;
		assert_true(value <= (uint64_t)(end - at));
		if (tag >> 3 == 6) {
			strncat(strings, (const char *)at, value);
			strcat(strings, "|");
		}
		at += value;
	}
	assert_string_equal(strings, "|samples|count|task|outer|in ner|-|");
	assert_int_equal(fields[1], 1); /* types of samples */
	assert_int_equal(fields[2], 1); /* samples */
	assert_int_equal(fields[4], 2); /* locations */
	assert_int_equal(fields[5], 2); /* functions */
	fini(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(off_cpu_is_until_the_task_runs_again),
		cmocka_unit_test(a_task_that_was_not_wanted_is_nowhere),
		cmocka_unit_test(after_a_loss_nothing_is_known),
		cmocka_unit_test(samples_count_once_or_for_their_time_or_for_a_field),
		cmocka_unit_test(what_cannot_be_weighed_is_an_error),
		cmocka_unit_test(a_profile_has_its_strings_and_samples),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
