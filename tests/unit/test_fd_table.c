// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/fd_table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct fd_account account;
static struct fd_table *table;

static int set_up(void **state)
{
	(void)state;
	account = (struct fd_account){0};
	table = fd_table_new(&account);
	assert_non_null(table);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	fd_table_unref(table);
	assert_int_equal(account.slots, 0);
	return 0;
}

static void opens_in(struct fd_table *in, int64_t fd, const char *path, enum fd_exec exec,
		     uint64_t since, uint64_t now)
{
	struct file_name *name = file_name_new(path, strlen(path));

	assert_non_null(name);
	fd_table_set(in, fd, name, exec, since, now);
	file_name_unref(name);
}

static void opens(int64_t fd, const char *path, uint64_t since, uint64_t now)
{
	opens_in(table, fd, path, FD_EXEC_KEEPS, since, now);
}

static void is_in(const struct fd_table *in, int64_t fd, const char *path)
{
	const struct file_name *name = fd_table_get(in, fd);

	assert_non_null(name);
	assert_string_equal(name->text, path);
	assert_int_equal(name->len, strlen(path));
}

static void is(int64_t fd, const char *path)
{
	is_in(table, fd, path);
}

static void is_unknown(int64_t fd)
{
	assert_null(fd_table_get(table, fd));
}

static void a_descriptor_is_what_was_opened(void **state)
{
	(void)state;
	is_unknown(3);
	opens(3, "/a", 1, 2);
	is(3, "/a");
	is_unknown(4);
	is_unknown(-1);
	opens(100, "/b", 3, 4);
	is(100, "/b");
	is(3, "/a");
}

static void a_close_takes_the_name_when_it_begins(void **state)
{
	(void)state;
	opens(3, "/a", 1, 2);
	fd_table_remove_begin(table, 3, 5);
	is_unknown(3);
	fd_table_remove_end(table, 3);
	is_unknown(3);
	opens(3, "/b", 7, 8);
	is(3, "/b");
}

static void what_is_opened_during_a_close_is_unknown(void **state)
{
	(void)state;
	opens(3, "/a", 1, 2);
	fd_table_remove_begin(table, 3, 5);
	opens(3, "/b", 4, 6);
	is_unknown(3);
	fd_table_remove_end(table, 3);
	is_unknown(3);
}

/* It was open until then: the other call can only have got it afterwards. */
static void what_another_thread_closed_may_be_opened(void **state)
{
	(void)state;
	opens(3, "/a", 1, 2);
	fd_table_remove_begin(table, 3, 5);
	fd_table_remove_end(table, 3);
	opens(3, "/b", 4, 7);
	is(3, "/b");
}

static void what_changed_during_an_open_is_unknown(void **state)
{
	(void)state;
	fd_table_remove_begin(table, 3,
			      5); /* of what, is not known: maybe of what is being opened */
	fd_table_remove_end(table, 3);
	opens(3, "/b", 4, 7);
	is_unknown(3);
	opens(3, "/c", 8, 10);
	is(3, "/c");
	opens(3, "/d", 9, 11);
	is_unknown(3);
}

static void a_range_is_closed(void **state)
{
	(void)state;
	opens(3, "/a", 1, 2);
	opens(4, "/b", 1, 2);
	opens(9, "/c", 1, 2);
	fd_table_range_begin(table, 4, UINT32_MAX, 5);
	is(3, "/a");
	is_unknown(4);
	is_unknown(9);
	opens(5, "/d", 6, 7);
	is_unknown(5);
	fd_table_range_end(table);
	opens(5, "/d", 8, 9);
	is(5, "/d");
}

static void an_exec_keeps_what_is_known_to_stay(void **state)
{
	(void)state;
	opens_in(table, 3, "/keeps", FD_EXEC_KEEPS, 1, 2);
	opens_in(table, 4, "/closes", FD_EXEC_CLOSES, 1, 2);
	opens_in(table, 5, "/maybe", FD_EXEC_MAYBE, 1, 2);
	opens_in(table, 6, "/set", FD_EXEC_KEEPS, 1, 2);
	fd_table_set_exec(table, 6, FD_EXEC_CLOSES, 3);
	fd_table_exec(table, 5);
	is(3, "/keeps");
	is_unknown(4);
	is_unknown(5);
	is_unknown(6);
}

static void a_copy_goes_its_own_way(void **state)
{
	struct fd_table *copy;

	(void)state;
	opens(3, "/a", 1, 2);
	opens(4, "/late", 4, 6);
	copy = fd_table_copy(table, 5, &account);
	assert_non_null(copy);
	is_in(copy, 3, "/a");
	assert_null(fd_table_get(copy, 4));
	fd_table_remove_begin(copy, 3, 7);
	fd_table_remove_end(copy, 3);
	assert_null(fd_table_get(copy, 3));
	is(3, "/a");
	fd_table_unref(copy);
}

static void a_child_that_was_seen_first_gets_what_it_did_not_change(void **state)
{
	struct fd_table *child = fd_table_new(&account);

	(void)state;
	assert_non_null(child);
	opens(3, "/a", 1, 2);
	opens(4, "/b", 1, 2);
	opens_in(child, 4, "/own", FD_EXEC_KEEPS, 6, 7);
	fd_table_inherit(child, table, 5);
	is_in(child, 3, "/a");
	is_in(child, 4, "/own");
	fd_table_unref(child);
}

static void a_thread_that_was_seen_first_makes_unknown_what_it_changed(void **state)
{
	struct fd_table *thread = fd_table_new(&account);

	(void)state;
	assert_non_null(thread);
	opens(3, "/a", 1, 2);
	opens(4, "/b", 1, 2);
	fd_table_remove_begin(thread, 4, 6);
	fd_table_remove_end(thread, 4);
	fd_table_join(table, thread, 8);
	is(3, "/a");
	is_unknown(4);
	fd_table_range_begin(thread, 0, 9, 9);
	fd_table_range_end(thread);
	fd_table_join(table, thread, 10);
	is_unknown(3);
	fd_table_unref(thread);
}

static void what_was_forgotten_during_an_open_is_unknown(void **state)
{
	struct fd_table *clone;

	(void)state;
	fd_table_forget(table, 5);
	opens(3, "/a", 4, 6);
	is_unknown(3);
	clone = fd_table_clone(table, &account);
	assert_non_null(clone);
	opens_in(clone, 40, "/b", FD_EXEC_KEEPS, 4, 7);
	assert_null(fd_table_get(clone, 40));
	fd_table_unref(clone);
}

static void a_thread_that_has_run_another_program_makes_all_unknown(void **state)
{
	struct fd_table *thread = fd_table_new(&account);

	(void)state;
	assert_non_null(thread);
	opens(3, "/a", 1, 2);
	fd_table_exec(thread, 3);
	fd_table_join(table, thread, 4);
	is_unknown(3);
	opens(3, "/b", 5, 6);
	fd_table_unref(thread);
	thread = fd_table_new(&account);
	assert_non_null(thread);
	fd_table_lose(thread, 7);
	fd_table_join(table, thread, 8);
	is_unknown(3);
	fd_table_unref(thread);
}

static void notes(int64_t fd, const char *name, uint64_t now)
{
	struct file_name *made = file_name_new(name, strlen(name));

	fd_table_note(table, fd, made, FD_EXEC_KEEPS, now);
	file_name_unref(made);
}

static void a_note_says_what_no_call_in_progress_can_change(void **state)
{
	(void)state;
	notes(3, "/noted", 2);
	is(3, "/noted");
	opens(3, "/a", 3, 4);
	notes(3, "/noted", 5);
	is(3, "/a");
	fd_table_remove_begin(table, 4, 6);
	notes(4, "/noted", 7);
	is_unknown(4);
	fd_table_remove_end(table, 4);
	notes(4, "/noted", 6);
	is_unknown(4);
	notes(4, "/noted", 8);
	is(4, "/noted");
	fd_table_range_begin(table, 5, 9, 9);
	notes(5, "/noted", 10);
	is_unknown(5);
	fd_table_range_end(table);
	fd_table_forget(table, 11);
	notes(5, "/noted", 11);
	is_unknown(5);
	notes(5, "/noted", 12);
	is(5, "/noted");
	fd_table_lose(table, 13);
	notes(5, "/noted", 14);
	is_unknown(5);
}

static void what_is_lost_stays_unknown(void **state)
{
	(void)state;
	opens(3, "/a", 1, 2);
	fd_table_forget(table, 5);
	is_unknown(3);
	opens(3, "/b", 4, 6);
	is_unknown(3);
	opens(3, "/c", 7, 8);
	is(3, "/c");
	fd_table_lose(table, 9);
	opens(3, "/d", 10, 11);
	is_unknown(3);
}

static void many_descriptors_are_unknown(void **state)
{
	(void)state;
	opens(FD_LIMIT - 1, "/a", 1, 2);
	is(FD_LIMIT - 1, "/a");
	opens(FD_LIMIT, "/b", 1, 2);
	is_unknown(FD_LIMIT);
	account.slots += FD_SLOTS_MAX;
	{
		struct fd_table *full = fd_table_new(&account);

		assert_non_null(full);
		opens_in(full, 3, "/c", FD_EXEC_KEEPS, 1, 2);
		assert_null(fd_table_get(full, 3));
		fd_table_unref(full);
	}
	account.slots -= FD_SLOTS_MAX;
}

#define TEST(NAME) cmocka_unit_test_setup_teardown(NAME, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_descriptor_is_what_was_opened),
		TEST(a_close_takes_the_name_when_it_begins),
		TEST(what_is_opened_during_a_close_is_unknown),
		TEST(what_another_thread_closed_may_be_opened),
		TEST(what_changed_during_an_open_is_unknown),
		TEST(a_range_is_closed),
		TEST(an_exec_keeps_what_is_known_to_stay),
		TEST(a_copy_goes_its_own_way),
		TEST(a_child_that_was_seen_first_gets_what_it_did_not_change),
		TEST(a_thread_that_was_seen_first_makes_unknown_what_it_changed),
		TEST(what_was_forgotten_during_an_open_is_unknown),
		TEST(a_thread_that_has_run_another_program_makes_all_unknown),
		TEST(a_note_says_what_no_call_in_progress_can_change),
		TEST(what_is_lost_stays_unknown),
		TEST(many_descriptors_are_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
