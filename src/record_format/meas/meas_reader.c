// SPDX-License-Identifier: BSD-2-Clause
#include "record_format/meas/meas_reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/file_window.h"
#include "record_format/meas/meas_class.h"
#include "record_format/meas/meas_head.h"
#include "record_format/meas/meas_record.h"
#include "schema/class_table.h"
#include "schema/event.h"
#include "schema/lost.h"
#include "schema/source.h"
#include "schema/trace_info.h"

#define BATCH_EVENTS 512u
#define BATCH_SLOTS 32768u /* more than MEAS_RECORD_SLOTS_MAX */

enum env_entry { ENV_VERSION, ENV_RELEASE, ENV_ORDER, ENV_WIDE, ENV_COUNT };

struct meas_reader {
	struct event_source source; /* first: the vtable's functions get this */
	struct file_window *file;
	struct meas_head head;
	struct meas_layout layout;
	struct meas_classes classes;
	struct problem_list problems;
	struct trace_info info;
	struct trace_env env[ENV_COUNT];
	struct trace_stream stream;
	bool ended;
	int64_t time_ns; /* of the record before */
	struct event events[BATCH_EVENTS];
	uint64_t slots[BATCH_SLOTS];
};

bool meas_reader_is(const uint8_t *head, size_t len)
{
	return meas_head_is(head, len);
}

/* After an error the begin of the next record is unknown. */
static void give_up(struct meas_reader *reader, const char *why)
{
	problem_list_add(&reader->problems, "at byte %llu: %s; the rest of the file is not read",
			 (unsigned long long)file_window_offset(reader->file), why);
	reader->ended = true;
}

/* Whether the next record is there already: records from a pipe are shown as they come. */
static bool is_there(struct meas_reader *reader)
{
	const uint8_t *bytes;
	ssize_t len = file_window_look(reader->file, 0, &bytes);

	return len > 0 && meas_record_bytes(&reader->layout, bytes, (size_t)len, NULL) != 0;
}

/* The next whole record: its bytes, or 0 at the end, or -errno. */
static int look(struct meas_reader *reader, const uint8_t **bytes)
{
	size_t want = MEAS_RECORD_HEAD_BYTES;
	struct diag diag;
	ssize_t len;
	int need;

	len = file_window_look(reader->file, want, bytes);
	if (len <= 0)
		return (int)len;
	if ((size_t)len >= want) {
		need = meas_record_bytes(&reader->layout, *bytes, MEAS_RECORD_MAX_BYTES, &diag);
		if (need < 0) {
			give_up(reader, diag.text);
			return 0;
		}
		want = (size_t)need;
		len = file_window_look(reader->file, want, bytes);
		if (len < 0 || (size_t)len >= want)
			return len < 0 ? (int)len : need;
	}
	(void)diag_set(&diag, 0, "it ends within a record: %zd of %zu bytes are there", len, want);
	give_up(reader, diag.text);
	return 0;
}

/* The payload of lost_class is made of the same numbers. */
static void make_lost(uint64_t *slots)
{
	struct lost_payload lost = {slots[0], slots[1], slots[2], slots[3], (uint32_t)slots[4], 0};

	_Static_assert(sizeof(lost) == 5 * sizeof(*slots), "it fits into its slots");
	memcpy(slots, &lost, sizeof(lost));
}

static void take(struct meas_reader *reader, const uint8_t *bytes, struct event *event,
		 uint64_t *slots, bool *good)
{
	struct meas_record record = {.time_ns = reader->time_ns, .slots = slots};
	const struct event_class *class;
	struct diag diag;
	int err = meas_record_unpack(&record, &reader->layout, bytes, &diag);

	*good = !err;
	if (err) {
		problem_list_add(&reader->problems, "at byte %llu: %s",
				 (unsigned long long)file_window_offset(reader->file), diag.text);
		return;
	}
	class = meas_classes_get(&reader->classes, record.form);
	if (class == &lost_class)
		make_lost(slots);
	reader->time_ns = record.time_ns;
	*event = (struct event){
		.class = class,
		.payload = (const uint8_t *)slots,
		.offsets = class->offsets,
		.time_ns = record.time_ns,
		.cpu = record.cpu,
		.tid = record.tid,
	};
}

static int meas_next(struct event_source *source, const struct event **ret)
{
	struct meas_reader *reader = (struct meas_reader *)source;
	size_t count = 0, slot = 0, slots;
	const uint8_t *bytes;
	int len = 0;
	bool good;

	while (!reader->ended && count < BATCH_EVENTS &&
	       slot + MEAS_RECORD_SLOTS_MAX <= BATCH_SLOTS) {
		if (count && !is_there(reader))
			break;
		len = look(reader, &bytes);
		if (len <= 0)
			break;
		slots = meas_record_slots(&reader->layout, bytes);
		reader->events[count].bytes = 0;
		take(reader, bytes, &reader->events[count], &reader->slots[slot], &good);
		if (good) {
			reader->events[count++].bytes = (uint32_t)len;
			slot += slots;
		}
		file_window_skip(reader->file, (size_t)len);
	}
	*ret = reader->events;
	if (count)
		return (int)count;
	return len < 0 ? len : 0;
}

static const char *meas_problem(const struct event_source *source, size_t i)
{
	return problem_list_get(&((const struct meas_reader *)source)->problems, i);
}

static void meas_close(struct event_source *source)
{
	struct meas_reader *reader = (struct meas_reader *)source;

	file_window_close(reader->file);
	meas_classes_fini(&reader->classes);
	problem_list_fini(&reader->problems);
	free(reader);
}

static const struct source_ops meas_ops = {
	.next = meas_next,
	.problem = meas_problem,
	.close = meas_close,
};

static int read_head(struct meas_reader *reader, struct diag *diag)
{
	struct meas_head *head = &reader->head;
	const uint8_t *bytes;
	ssize_t len = file_window_look(reader->file, MEAS_HEAD_BYTES, &bytes);
	int err;

	if (len < 0)
		return diag_set(diag, (int)len, "%s", strerror((int)-len));
	err = meas_head_unpack(head, bytes, (size_t)len, diag);
	if (err)
		return err;
	if (meas_head_fit(head->version, diag) == MEAS_FIT_WRONG)
		return -ENOTSUP;
	len = file_window_look(reader->file, head->bytes, &bytes);
	if (len < head->bytes)
		return diag_set(diag, -EBADMSG, "it ends within its head, of %u bytes",
				head->bytes);
	file_window_skip(reader->file, head->bytes);
	reader->layout = (struct meas_layout){head->big_endian, head->wide};
	return 0;
}

static void tell(struct meas_reader *reader)
{
	const struct meas_head *head = &reader->head;

	reader->env[ENV_VERSION] = (struct trace_env){"meas_version", head->version, 0};
	reader->env[ENV_RELEASE] =
		(struct trace_env){"meas_release", meas_release_name(head->release), 0};
	reader->env[ENV_ORDER] =
		(struct trace_env){"meas_order", head->big_endian ? "big" : "little", 0};
	reader->env[ENV_WIDE] = (struct trace_env){"meas_wide", NULL, head->wide};
	reader->stream.has_cpu = head->wide;
	reader->stream.has_heads = head->wide;
	reader->info.env = reader->env;
	reader->info.env_count = ENV_COUNT;
	reader->info.streams = &reader->stream;
	reader->info.stream_count = 1;
	reader->info.bytes = file_window_size(reader->file);
	class_table_tell(reader->classes.table, &reader->info);
	reader->source = (struct event_source){&meas_ops, &reader->info};
}

int meas_reader_open(struct file_window *file, const char *name, struct event_source **ret,
		     struct diag *diag)
{
	struct meas_reader *reader = calloc(1, sizeof(*reader));
	int err;

	if (!reader) {
		file_window_close(file);
		return diag_set(diag, -ENOMEM, "no memory");
	}
	reader->file = file;
	problem_list_init(&reader->problems);
	err = meas_classes_init(&reader->classes);
	err = err ? diag_set(diag, err, "no memory") : read_head(reader, diag);
	if (err) {
		meas_close(&reader->source);
		return diag_prefix(diag, err, "%s", name);
	}
	tell(reader);
	*ret = &reader->source;
	return 0;
}
