// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/known.h"

#include "view_fixture.h"

static const struct field name_fields[] = {
	{U(64, "key")},
	{U(16, "major")},
	{U(16, "minor")},
	{U(32, "kind")},
	{.name = "text", .bits = 8, .count = 1, .kind = FIELD_STRING},
};
static const uint32_t name_offsets[] = {0, 64, 80, 96, 128};
static const struct event_class name_class = {.name = "sonde.name",
					      .field_count = 5,
					      .fields = name_fields,
					      .offsets = name_offsets};
static const struct event_class *const name_classes[] = {&name_class};
static const struct event_class other_class = {.name = "sonde.name",
					       .stream = 1,
					       .field_count = 5,
					       .fields = name_fields,
					       .offsets = name_offsets,
					       .index = 1};
static const struct event_class *const both_classes[] = {&name_class, &other_class};
static const struct trace_stream both_streams[] = {{.trace = 1}, {.trace = 2}};
static const struct trace_info both_info = {.class_count = 2,
					    .classes = both_classes,
					    .stream_count = 2,
					    .streams = both_streams};
static const struct trace_info name_info = {.class_count = 1, .classes = name_classes};

static void learn_by(struct known *known, const struct event_class *class, enum name_kind kind,
		     uint64_t key, uint16_t major, uint16_t minor, const char *text)
{
	struct {
		uint64_t key;
		uint16_t major, minor;
		uint32_t kind;
		char text[600];
	} payload = {key, major, minor, kind, ""};
	const struct event event = {
		.class = class, .payload = (const uint8_t *)&payload, .offsets = name_offsets};

	assert_true(strlen(text) < sizeof(payload.text));
	strcpy(payload.text, text);
	known_learn(known, &event);
}

static void learn(struct known *known, enum name_kind kind, uint64_t key, uint16_t major,
		  uint16_t minor, const char *text)
{
	learn_by(known, &name_class, kind, key, major, minor, text);
}

static void numbers_of_one_kind_are_not_those_of_another(void **state)
{
	struct known *known = known_new(&name_info);

	(void)state;
	assert_true(known_has(known, 0));
	assert_false(known_has(known, 1));
	learn(known, NAME_NETNS, 7, 0, 0, "blue");
	learn(known, NAME_CGROUP, 7, 0, 0, "/system.slice");
	assert_string_equal(known_get(known, &name_class, NAME_NETNS, 7, 0, 0), "blue");
	assert_string_equal(known_get(known, &name_class, NAME_CGROUP, 7, 0, 0), "/system.slice");
	assert_null(known_get(known, &name_class, NAME_NETNS, 8, 0, 0));
	known_free(known);
}

static void the_last_word_counts(void **state)
{
	struct known *known = known_new(&name_info);

	(void)state;
	learn(known, NAME_NETNS, 7, 0, 0, "blue");
	learn(known, NAME_NETNS, 7, 0, 0, "green");
	assert_string_equal(known_get(known, &name_class, NAME_NETNS, 7, 0, 0), "green");
	known_free(known);
}

static void files_are_seen_below_their_file_system(void **state)
{
	struct known *known = known_new(&name_info);

	(void)state;
	learn(known, NAME_FILE, 12, 8, 1, "/log/a");
	assert_string_equal(known_get(known, &name_class, NAME_FILE, 12, 8, 1), "/log/a");
	assert_null(known_get(known, &name_class, NAME_FILE, 12, 8, 2));
	learn(known, NAME_FILESYSTEM, 0, 8, 1, "/var");
	assert_string_equal(known_get(known, &name_class, NAME_FILE, 12, 8, 1), "/var/log/a");
	learn(known, NAME_FILESYSTEM, 0, 8, 1, "/");
	assert_string_equal(known_get(known, &name_class, NAME_FILE, 12, 8, 1), "/log/a");
	learn(known, NAME_FILESYSTEM, 0, 8, 1, "/var");
	learn(known, NAME_FILE, 13, 8, 1, ".../deep/b");
	assert_string_equal(known_get(known, &name_class, NAME_FILE, 13, 8, 1), ".../deep/b");
	known_free(known);
}

static void a_text_longer_than_any_name_is_not_kept(void **state)
{
	struct known *known = known_new(&name_info);
	char text[NAME_TEXT_MAX + 1];

	(void)state;
	memset(text, 'x', NAME_TEXT_MAX);
	text[NAME_TEXT_MAX] = 0;
	learn(known, NAME_FILE, 1, 8, 1, text);
	assert_null(known_get(known, &name_class, NAME_FILE, 1, 8, 1));
	text[NAME_TEXT_MAX - 1] = 0;
	learn(known, NAME_FILE, 1, 8, 1, text);
	assert_string_equal(known_get(known, &name_class, NAME_FILE, 1, 8, 1), text);
	known_free(known);
}

static void numbers_of_one_trace_are_not_those_of_another(void **state)
{
	struct known *known = known_new(&both_info);

	(void)state;
	learn_by(known, &name_class, NAME_CGROUP, 7, 0, 0, "/first");
	assert_null(known_get(known, &other_class, NAME_CGROUP, 7, 0, 0));
	learn_by(known, &other_class, NAME_CGROUP, 7, 0, 0, "/second");
	assert_string_equal(known_get(known, &name_class, NAME_CGROUP, 7, 0, 0), "/first");
	assert_string_equal(known_get(known, &other_class, NAME_CGROUP, 7, 0, 0), "/second");
	assert_string_equal(known_get(known, &other_class, NAME_CGROUP, 7, 0, 0), "/second");
	learn_by(known, &name_class, NAME_FILESYSTEM, 0, 8, 1, "/var");
	learn_by(known, &other_class, NAME_FILE, 3, 8, 1, "/log");
	assert_string_equal(known_get(known, &other_class, NAME_FILE, 3, 8, 1), "/log");
	/* Whoever knows it. */
	assert_string_equal(known_get(known, NULL, NAME_CGROUP, 7, 0, 0), "/first");
	assert_string_equal(known_get(known, NULL, NAME_FILE, 3, 8, 1), "/log");
	assert_null(known_get(known, NULL, NAME_FILE, 4, 8, 1));
	known_free(known);
}

static void a_kind_that_is_beyond_all_is_none(void **state)
{
	struct known *known = known_new(&name_info);

	(void)state;
	learn(known, (enum name_kind)(0x10000 + NAME_NETNS), 7, 0, 0, "blue");
	assert_null(known_get(known, &name_class, NAME_NETNS, 7, 0, 0));
	known_free(known);
}

#define WEB "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static void a_container_has_its_name_or_its_id(void **state)
{
	struct known *known = known_new(&both_info);
	struct known_key key;

	(void)state;
	learn_by(known, &name_class, NAME_CGROUP, 7, 0, 0, "/docker/" WEB);
	learn_by(known, &name_class, NAME_CGROUP, 8, 0, 0, "/docker/" WEB "/below");
	learn_by(known, &name_class, NAME_CGROUP, 9, 0, 0, "/system.slice");
	learn_by(known, &name_class, NAME_CGROUP, 10, 0, 0, "/lxc.payload.mail");
	assert_string_equal(known_container(known, &name_class, 7), "0123456789ab");
	assert_string_equal(known_container(known, NULL, 7), "0123456789ab");
	assert_true(known_container_key("/docker/" WEB, 1, &key));
	learn_by(known, &name_class, NAME_CONTAINER, key.number, 0, 0, "web");
	assert_string_equal(known_container(known, &name_class, 7), "web");
	assert_string_equal(known_container(known, &name_class, 8), "web");
	assert_string_equal(known_container(known, NULL, 7), "web");
	assert_null(known_container(known, &name_class, 9));
	assert_string_equal(known_container(known, &name_class, 10), "mail");
	assert_string_equal(known_container(known, &name_class, 7), "web");
	assert_null(known_container(known, &name_class, 11)); /* a cgroup that is not known */
	assert_null(known_container(known, &other_class, 7)); /* another trace's */
	learn_by(known, &other_class, NAME_CGROUP, 7, 0, 0, "/docker/" WEB);
	assert_string_equal(known_container(known, &other_class, 7), "0123456789ab");
	known_free(known);
}

static void a_trace_without_names_has_none(void **state)
{
	const struct trace_info info = {0};
	struct known *known = known_new(&info);

	(void)state;
	assert_false(known_has(known, 0));
	assert_null(known_get(known, NULL, NAME_FILE, 1, 8, 1));
	known_free(known);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_of_one_kind_are_not_those_of_another),
		cmocka_unit_test(the_last_word_counts),
		cmocka_unit_test(files_are_seen_below_their_file_system),
		cmocka_unit_test(a_text_longer_than_any_name_is_not_kept),
		cmocka_unit_test(numbers_of_one_trace_are_not_those_of_another),
		cmocka_unit_test(a_kind_that_is_beyond_all_is_none),
		cmocka_unit_test(a_container_has_its_name_or_its_id),
		cmocka_unit_test(a_trace_without_names_has_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
