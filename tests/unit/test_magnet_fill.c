// SPDX-License-Identifier: BSD-2-Clause

#include <errno.h>
#include <stdlib.h>

#include "magnet_fixture.h"
#include "record_format/magnet/magnet_file.h"

#define NOW_NS 1700000000500000000
#define BATCH 6u

static char folder[] = "/tmp/sonde-magnet-XXXXXX";
static char name[64];

/* A source of batches that are made by hand; -EAGAIN comes before each. */
struct handmade {
	struct event_source source;
	struct trace_info info;
	struct class_table *table;
	struct event events[BATCH];
	size_t count;
	int batches;
	bool asked;
};

static int handmade_next(struct event_source *source, const struct event **ret)
{
	struct handmade *made = (struct handmade *)source;

	made->asked = !made->asked;
	if (made->asked)
		return -EAGAIN;
	*ret = made->events;
	return made->batches-- > 0 ? (int)made->count : 0;
}

static const struct source_ops handmade_ops = {.next = handmade_next};
static const struct lost_payload seven_lost = {.count = 7};

static void handmade_init(struct handmade *made, int batches)
{
	const struct event_class *send, *other;

	*made = (struct handmade){.batches = batches};
	made->table = class_table_new();
	send = class_table_add(made->table, &(struct class_plan){.name = "net.tcp_send"});
	other = class_table_add(made->table, &(struct class_plan){.name = "sonde.task"});
	class_table_tell(made->table, &made->info);
	made->source = (struct event_source){&handmade_ops, &made->info};
	for (size_t i = 0; i < 3; i++)
		made->events[made->count++] = (struct event){.class = i == 1 ? other : send,
							     .time_ns = NOW_NS + (int64_t)i};
	made->events[made->count++] = (struct event){.class = &lost_class,
						     .payload = (const uint8_t *)&seven_lost,
						     .time_ns = NOW_NS + 3};
}

/* A file with room for @records, which is filled: what magnet_fill_step says last. */
static int fill(uint64_t records, int batches, struct magnet_fill *filled, uint64_t *used)
{
	struct magnet_layout layout = layout_at(5);
	struct magnet_file *file;
	struct handmade made;
	struct diag diag;
	int more = 1;

	handmade_init(&made, batches);
	assert_int_equal(magnet_file_create(name, &layout, records, true, NOW_NS, &diag), 0);
	assert_int_equal(magnet_file_open(name, &file, &diag), 0);
	assert_true(magnet_fill_can(file));
	assert_int_equal(magnet_fill_init(filled, file, &made.source), 0);
	while (more > 0)
		more = magnet_fill_step(filled);
	magnet_fill_finish(filled);
	*used = magnet_file_records(file);
	assert_int_equal(magnet_file_close(file), 0);
	magnet_fill_fini(filled);
	class_table_free(made.table);
	return more;
}

static size_t read_file(struct event *last, uint64_t *lost)
{
	struct event_source *source;
	struct file_window *window;
	const struct event *events;
	struct diag diag;
	size_t count = 0;
	int got;

	*lost = 0;
	assert_int_equal(file_window_open(name, &window), 0);
	assert_int_equal(magnet_open(window, name, &source, &diag), 0);
	while ((got = source->ops->next(source, &events)) > 0) {
		for (int i = 0; i < got; i++) {
			if (events[i].class == &lost_class)
				*lost += event_uint(&events[i], LOST_COUNT);
			*last = events[i];
			count++;
		}
	}
	assert_null(source->ops->problem(source, 0));
	source->ops->close(source);
	return count;
}

static void test_room(void **state)
{
	struct magnet_fill filled;
	uint64_t used, lost;
	struct event last;

	(void)state;
	assert_int_equal(fill(20, 2, &filled, &used), 0);
	assert_false(filled.full);
	assert_int_equal(filled.added, 6);
	assert_int_equal(filled.lost, 14);
	assert_int_equal(used, 7);
	assert_int_equal(read_file(&last, &lost), 7);
	assert_int_equal(lost, 14);
	assert_int_equal(last.time_ns, NOW_NS + 3);
}

/* What is lost is in the file, whatever it had no room for. */
static void test_full(void **state)
{
	(void)state;
	for (uint64_t room = MAGNET_FILE_MIN_RECORDS; room < 9; room++) {
		struct magnet_fill filled;
		uint64_t used, lost;
		struct event last;

		assert_int_equal(fill(room, 3, &filled, &used), 0);
		assert_true(filled.full);
		assert_int_equal(used, room);
		assert_int_equal(read_file(&last, &lost), room);
		assert_int_equal(lost, filled.lost);
		assert_ptr_equal(last.class, &lost_class);
	}
}

static void test_cut_off(void **state)
{
	struct magnet_layout layout = layout_at(5);
	struct magnet_fill filled;
	struct magnet_file *file;
	struct handmade made;
	struct diag diag;

	(void)state;
	handmade_init(&made, 1);
	assert_int_equal(magnet_file_create(name, &layout, 20, true, NOW_NS, &diag), 0);
	assert_int_equal(magnet_file_open(name, &file, &diag), 0);
	assert_int_equal(magnet_fill_init(&filled, file, &made.source), 0);
	assert_int_equal(truncate(name, 4096 / 2), 0);
	assert_int_equal(magnet_fill_step(&filled), 1);
	assert_int_equal(magnet_fill_step(&filled), -ESTALE);
	magnet_fill_fini(&filled);
	(void)magnet_file_close(file);
	class_table_free(made.table);
}

static int make_folder(void **state)
{
	(void)state;
	if (!mkdtemp(folder))
		return -1;
	snprintf(name, sizeof(name), "%s/file", folder);
	return 0;
}

static int remove_folder(void **state)
{
	(void)state;
	(void)unlink(name);
	return rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_room),
		cmocka_unit_test(test_full),
		cmocka_unit_test(test_cut_off),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
