// SPDX-License-Identifier: BSD-2-Clause
/*
 * A file with each kind of record, in both byte orders, with wide parts and without: cut behind each
 * byte, what is whole comes, and that something is missing is told.
 */
#include "record_format/meas/meas_reader.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "base/diag.h"
#include "base/file_window.h"
#include "base/io.h"
#include "record_format/meas/meas_class.h"
#include "record_format/meas/meas_form.h"
#include "record_format/meas/meas_head.h"
#include "record_format/meas/meas_record.h"
#include "schema/event.h"
#include "schema/source.h"

#define RECORDS_MAX 64u

static char path[] = "/tmp/meas_reader.XXXXXX";

/* A file, and where each of its records ends. */
struct made {
	struct meas_layout layout;
	struct buffer bytes;
	size_t ends[RECORDS_MAX];
	size_t count;
};

static void fill(uint64_t *slots, const struct meas_form *form)
{
	size_t count = meas_form_slots(form);

	for (size_t i = 0; i < count; i++)
		slots[i] = i + 1;
	if (form->shape == MEAS_SHAPE_QUEUE) {
		slots[count] = 3;
		for (size_t i = 1; i <= 3; i++)
			slots[count + i] = (uint64_t) - (int64_t)i;
	}
	if (form->shape == MEAS_SHAPE_NAME) {
		memset(slots, 0, MEAS_NAME_BYTES);
		strcpy((char *)slots, "cc1plus");
	}
}

static void make(struct made *made, bool big, bool wide)
{
	const struct meas_head head = {
		.big_endian = big,
		.wide = wide,
		.release = MEAS_RELEASE_3_0,
		.version = MEAS_VERSION,
	};
	static uint64_t slots[MEAS_RECORD_SLOTS_MAX];
	struct meas_record record = {.cpu = 1, .tid = 42, .slots = slots};

	*made = (struct made){.layout = {big, wide}};
	buffer_init(&made->bytes);
	meas_head_pack(&head, &made->bytes);
	for (size_t i = 0; (record.form = meas_form_get(i)); i++) {
		record.time_ns = 1000000000 + (int64_t)i * 1000000;
		fill(slots, record.form);
		meas_record_pack(&record, &made->layout, &made->bytes);
		made->ends[made->count++] = made->bytes.len;
	}
	assert_int_equal(buffer_error(&made->bytes), 0);
}

static void write_part(const struct made *made, size_t len)
{
	int fd = open(path, O_WRONLY | O_TRUNC);

	assert_true(fd >= 0);
	assert_int_equal(write_all(fd, made->bytes.data, len), 0);
	assert_int_equal(fd_close(fd), 0);
}

/* How many events come; -errno where the file is refused. */
static int read_all(size_t *problems)
{
	struct event_source *source;
	const struct event *events;
	struct file_window *file;
	struct diag diag = {0};
	int got, count = 0, err;

	assert_int_equal(file_window_open(path, &file), 0);
	err = meas_reader_open(file, path, &source, &diag);
	if (err) {
		assert_true(diag.text[0]);
		return err;
	}
	while ((got = source->ops->next(source, &events)) > 0)
		count += got;
	assert_int_equal(got, 0);
	for (*problems = 0; source->ops->problem(source, *problems);)
		++*problems;
	source->ops->close(source);
	return count;
}

static void cut_behind_each_byte(bool big, bool wide)
{
	struct made made;
	size_t whole = 0, problems = 0;
	bool between;

	make(&made, big, wide);
	for (size_t len = 0; len <= made.bytes.len; len++) {
		write_part(&made, len);
		if (len < MEAS_HEAD_BYTES) {
			assert_true(read_all(&problems) < 0);
			continue;
		}
		while (whole < made.count && made.ends[whole] <= len)
			whole++;
		between = len == (whole ? made.ends[whole - 1] : MEAS_HEAD_BYTES);
		assert_int_equal(read_all(&problems), whole);
		assert_int_equal(problems, between ? 0 : 1);
	}
	assert_int_equal(whole, made.count);
	buffer_fini(&made.bytes);
}

static void test_cut(void **state)
{
	(void)state;
	for (int form = 0; form < 4; form++)
		cut_behind_each_byte(form & 1, form & 2);
}

/* What is packed from a record's values is the record. */
static void pack_again(bool big, bool wide)
{
	static uint64_t slots[MEAS_RECORD_SLOTS_MAX];
	struct meas_record record = {.slots = slots};
	struct buffer again;
	struct diag diag;
	struct made made;
	size_t at = MEAS_HEAD_BYTES;
	const uint8_t *bytes;
	int len;

	make(&made, big, wide);
	buffer_init(&again);
	for (size_t i = 0; i < made.count; i++) {
		bytes = (const uint8_t *)made.bytes.data + at;
		len = meas_record_bytes(&made.layout, bytes, made.bytes.len - at, &diag);
		assert_int_equal(at + (size_t)len, made.ends[i]);
		assert_int_equal(meas_record_unpack(&record, &made.layout, bytes, &diag), 0);
		meas_record_pack(&record, &made.layout, &again);
		at = made.ends[i];
	}
	assert_int_equal(again.len, made.bytes.len - MEAS_HEAD_BYTES);
	assert_memory_equal(again.data, made.bytes.data + MEAS_HEAD_BYTES, again.len);
	buffer_fini(&again);
	buffer_fini(&made.bytes);
}

static void test_pack_again(void **state)
{
	(void)state;
	for (int form = 0; form < 4; form++)
		pack_again(form & 1, form & 2);
}

/* Each form has room for what it says, and each id of msmod's one. */
/* It lies among the words, or within the wide part behind the field before it. */
static void check_places(const struct meas_form *form, const struct record_field *field,
			 size_t *wide_at)
{
	const struct record_place *word = &field->place[MEAS_IN_WORDS];
	const struct record_place *wide = &field->place[MEAS_IN_WIDE];
	const uint32_t count = meas_field_count(field);

	assert_true(word->bytes || wide->bytes);
	assert_true(word->at + count * word->bytes <= 4u * form->words);
	assert_true(word->shift + word->bits <= 32);
	if (!wide->bytes)
		return;
	assert_int_equal(wide->at, *wide_at);
	*wide_at += count * wide->bytes;
}

static void test_forms(void **state)
{
	const struct meas_form *form;
	const struct meas_entry *entry;

	(void)state;
	for (size_t i = 0; (form = meas_form_get(i)); i++) {
		size_t fields = 0, wide_at = 4 * MEAS_WIDE_COMMON_WORDS;

		assert_true(i < MEAS_CLASSES_MAX - 2);
		assert_ptr_equal(meas_form_find(form->id, form->part), form);
		assert_ptr_equal(meas_form_named(form->name), form);
		for (const struct record_field *field = form->fields; field->name;
		     field++, fields++)
			check_places(form, field, &wide_at);
		assert_int_equal(wide_at, 4 * (MEAS_WIDE_COMMON_WORDS + meas_form_wide(form)));
		assert_true(fields <= MEAS_FIELDS_MAX);
	}
	for (size_t i = 0; (entry = meas_entry_get(i)); i++) {
		assert_non_null(meas_form_find(entry->id, 0));
		assert_ptr_equal(meas_entry_find(entry->id), entry);
		assert_ptr_equal(meas_entry_named(entry->name), entry);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forms),
		cmocka_unit_test(test_pack_again),
		cmocka_unit_test(test_cut),
	};
	int fd = mkstemp(path), failed;

	if (fd < 0)
		return 1;
	(void)fd_close(fd);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	(void)unlink(path);
	return failed;
}
