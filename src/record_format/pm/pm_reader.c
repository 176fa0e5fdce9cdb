// SPDX-License-Identifier: BSD-2-Clause
#include "record_format/pm/pm_reader.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/file_window.h"
#include "record_format/pm/pm_columns.h"
#include "record_format/pm/pm_head.h"
#include "record_format/pm/pm_layout.h"
#include "schema/class_table.h"
#include "schema/lost.h"
#include "schema/source.h"
#include "schema/trace_info.h"

#define BATCH_EVENTS 1024u
#define CONVERTED_BYTES (1u << 20) /* of a batch, unless one entry takes more */
#define ENV_MAX 6u

struct pm_reader {
	struct event_source source; /* first: the vtable's functions get this */
	struct trace_info info;
	struct trace_env env[ENV_MAX];
	struct problem_list problems;
	struct file_window *file;
	uint8_t *head_bytes;
	char *head_hex;
	struct pm_head head;
	struct pm_layout layout;
	struct class_table *classes;
	const struct event_class *class;
	bool ended;
	bool any; /* an entry was read */
	uint64_t seq_no; /* of the last */
	size_t done; /* bytes of the window that the last batch shows */
	uint8_t *converted; /* payloads of a batch; NULL = entries are payloads */
	size_t batch_max; /* entries of one batch */
	struct lost_payload lost; /* of the one such event that a batch may have */
	struct event events[BATCH_EVENTS + 1];
};

/* How many entries are missing in front of @entry, by its sequence number. Counters wrap; one that
 * goes back has started again. */
static uint64_t count_lost(struct pm_reader *reader, const uint8_t *entry)
{
	const struct pm_place *place = &reader->layout.seq_no;
	uint64_t seq_no, step, mask;
	bool any = reader->any;

	if (!place->bytes)
		return 0;
	mask = UINT64_MAX >> (64 - 8 * place->bytes);
	seq_no = byte_order_load(entry + place->offset, place->bytes, place->order);
	step = (seq_no - reader->seq_no) & mask;
	reader->any = true;
	reader->seq_no = seq_no;
	return any && step > 1 && step <= mask / 2 ? step - 1 : 0;
}

static struct event lost_event(struct pm_reader *reader, uint64_t count, int64_t time_ns)
{
	reader->lost = (struct lost_payload){.count = count};
	return (struct event){
		.class = &lost_class,
		.payload = (const uint8_t *)&reader->lost,
		.offsets = lost_class.offsets,
		.time_ns = time_ns,
		.cpu = -1,
		.tid = -1,
	};
}

static const uint8_t *payload_of(struct pm_reader *reader, const uint8_t *entry, size_t i)
{
	uint8_t *payload;

	if (!reader->converted)
		return entry;
	payload = reader->converted + i * reader->layout.payload_bytes;
	pm_layout_convert(&reader->layout, entry, payload);
	return payload;
}

/* Events of @count entries, or of those up to the second gap among them. The number of events. */
static int fill_batch(struct pm_reader *reader, const uint8_t *entries, size_t count)
{
	const struct pm_layout *layout = &reader->layout;
	size_t events = 0, i;
	bool has_lost = false;

	for (i = 0; i < count; i++) {
		const uint8_t *entry = entries + i * layout->entry_bytes;
		int64_t time_ns = pm_layout_time_ns(layout, entry);
		const bool any = reader->any;
		const uint64_t before = reader->seq_no, lost = count_lost(reader, entry);

		if (lost && has_lost) {
			reader->any = any;
			reader->seq_no = before;
			break;
		}
		if (lost)
			reader->events[events++] = lost_event(reader, lost, time_ns);
		has_lost |= lost != 0;
		reader->events[events++] = (struct event){
			.class = reader->class,
			.payload = payload_of(reader, entry, i),
			.offsets = reader->class->offsets,
			.time_ns = time_ns,
			.cpu = -1,
			.tid = -1,
			.bytes = layout->entry_bytes,
		};
	}
	reader->done = i * layout->entry_bytes;
	return (int)events;
}

/* The end of the file, with @left bytes of an incomplete entry. */
static void end(struct pm_reader *reader, size_t left)
{
	reader->ended = true;
	if (left)
		problem_list_add(&reader->problems,
				 "the last entry is cut off: of its %" PRIu32
				 " bytes at offset %" PRIu64 " only %zu are there",
				 reader->layout.entry_bytes, file_window_offset(reader->file),
				 left);
}

static int reader_next(struct event_source *source, const struct event **ret)
{
	struct pm_reader *reader = (struct pm_reader *)source;
	const uint32_t entry_bytes = reader->layout.entry_bytes;
	const uint8_t *entries;
	ssize_t got;
	size_t count;

	if (reader->ended)
		return 0;
	file_window_skip(reader->file, reader->done);
	reader->done = 0;
	got = file_window_look(reader->file, entry_bytes, &entries);
	if (got < 0)
		return (int)got;
	if ((size_t)got < entry_bytes) {
		end(reader, (size_t)got);
		return 0;
	}
	count = (size_t)got / entry_bytes;
	*ret = reader->events;
	return fill_batch(reader, entries, count < reader->batch_max ? count : reader->batch_max);
}

static const char *reader_problem(const struct event_source *source, size_t i)
{
	return problem_list_get(&((const struct pm_reader *)source)->problems, i);
}

static void reader_close(struct event_source *source)
{
	struct pm_reader *reader = (struct pm_reader *)source;

	file_window_close(reader->file);
	problem_list_fini(&reader->problems);
	class_table_free(reader->classes);
	pm_layout_fini(&reader->layout);
	pm_head_fini(&reader->head);
	free(reader->head_bytes);
	free(reader->head_hex);
	free(reader->converted);
	free(reader);
}

static const struct source_ops reader_ops = {
	.next = reader_next,
	.problem = reader_problem,
	.close = reader_close,
};

/* Bytes of all records of the head, as far as they are there; they stay in the window. */
static ssize_t measure_head(struct file_window *file, const uint8_t **ret)
{
	unsigned int kind = PM_KIND_COUNT;
	size_t bytes = 0;
	ssize_t got;

	while (kind != PM_KIND_END) {
		int record;

		got = file_window_look(file, bytes + PM_RECORD_HEAD_BYTES, ret);
		if (got < 0 || (size_t)got < bytes + PM_RECORD_HEAD_BYTES)
			return got;
		record = pm_head_record(*ret + bytes, (size_t)got - bytes, &kind);
		bytes += record > 0 ? (size_t)record : PM_RECORD_HEAD_BYTES;
		if (record <= 0)
			break;
		if (bytes > PM_HEAD_MAX_BYTES)
			return -E2BIG;
	}
	got = file_window_look(file, bytes, ret);
	return got < 0 || (size_t)got < bytes ? got : (ssize_t)bytes;
}

/* NULL: no memory. */
static char *hex_of(const uint8_t *bytes, size_t len)
{
	static const char digits[] = "0123456789abcdef";
	char *hex = malloc(2 * len + 1);

	if (!hex)
		return NULL;
	for (size_t i = 0; i < len; i++) {
		hex[2 * i] = digits[bytes[i] >> 4];
		hex[2 * i + 1] = digits[bytes[i] & 15];
	}
	hex[2 * len] = '\0';
	return hex;
}

static int read_head(struct pm_reader *reader, struct diag *diag)
{
	const uint8_t *bytes;
	ssize_t len = measure_head(reader->file, &bytes);
	int err;

	if (len == -E2BIG)
		return diag_set(diag, -EBADMSG, "the header has more than %u bytes",
				PM_HEAD_MAX_BYTES);
	if (len < 0)
		return diag_set(diag, (int)len, "%s", strerror((int)-len));
	err = pm_head_parse(bytes, (size_t)len, &reader->head, &reader->problems, diag);
	if (err)
		return err;
	reader->head_bytes = malloc(reader->head.bytes);
	if (!reader->head_bytes)
		return diag_set(diag, -ENOMEM, "no memory");
	memcpy(reader->head_bytes, bytes, reader->head.bytes);
	reader->head_hex = hex_of(bytes, reader->head.bytes);
	if (!reader->head_hex)
		return diag_set(diag, -ENOMEM, "no memory");
	file_window_skip(reader->file, reader->head.bytes);
	return 0;
}

/* Room for what a batch of payloads takes if entries cannot be used directly. */
static int make_room(struct pm_reader *reader)
{
	reader->batch_max = BATCH_EVENTS;
	if (!pm_layout_converts(&reader->layout))
		return 0;
	while (reader->batch_max > 1 &&
	       reader->batch_max * reader->layout.payload_bytes > CONVERTED_BYTES)
		reader->batch_max /= 2;
	reader->converted = malloc(reader->batch_max * reader->layout.payload_bytes);
	return reader->converted ? 0 : -ENOMEM;
}

static int make_class(struct pm_reader *reader)
{
	const struct pm_layout *layout = &reader->layout;
	const struct class_plan plan = {
		.name = PM_CLASS_NAME,
		.text = "the state of a TCP connection at an event",
		.fields = layout->fields,
		.field_count = layout->field_count,
		.payload_bytes = layout->payload_bytes,
	};

	reader->classes = class_table_new();
	if (reader->classes)
		reader->class = class_table_add(reader->classes, &plan);
	if (!reader->class)
		return -ENOMEM;
	class_table_tell(reader->classes, &reader->info);
	return 0;
}

static void tell_text(struct pm_reader *reader, const char *name, const char *text)
{
	reader->env[reader->info.env_count++] = (struct trace_env){.name = name, .text = text};
}

static void tell_number(struct pm_reader *reader, const char *name, int64_t number)
{
	reader->env[reader->info.env_count++] = (struct trace_env){.name = name, .number = number};
}

static void tell(struct pm_reader *reader)
{
	static const char *const orders[PM_ORDER_COUNT + 1] = {
		[PM_ORDER_LITTLE] = "little",
		[PM_ORDER_BIG] = "big",
		[PM_ORDER_PDP] = "pdp",
		[PM_ORDER_COUNT] = "unknown",
	};
	const struct pm_head *head = &reader->head;

	reader->info.env = reader->env;
	tell_number(reader, "psc_mods", head->mods);
	if (head->version[0])
		tell_text(reader, "psc_version", head->version);
	tell_text(reader, "pm_order", orders[head->order]);
	if (head->cluster_bytes)
		tell_number(reader, "mclsize", head->cluster_bytes);
	tell_text(reader, PM_ENV_HEAD, reader->head_hex);
	reader->info.bytes = file_window_size(reader->file);
	reader->info.head = reader->head_bytes;
	reader->info.head_bytes = head->bytes;
}

static int prepare(struct pm_reader *reader, struct diag *diag)
{
	int err = read_head(reader, diag);

	if (err)
		return err;
	err = pm_layout_init(&reader->layout, &reader->head, &reader->problems);
	err = err ? err : make_room(reader);
	err = err ? err : make_class(reader);
	if (err)
		return diag_set(diag, err, "no memory");
	tell(reader);
	return 0;
}

int pm_reader_open(struct file_window *file, const char *name, struct event_source **ret,
		   struct diag *diag)
{
	struct pm_reader *reader = calloc(1, sizeof(*reader));
	int err;

	if (!reader) {
		file_window_close(file);
		return diag_set(diag, -ENOMEM, "no memory");
	}
	reader->source = (struct event_source){.ops = &reader_ops, .info = &reader->info};
	reader->file = file;
	problem_list_init(&reader->problems);
	err = prepare(reader, diag);
	if (err) {
		reader_close(&reader->source);
		return diag_prefix(diag, err, "%s", name);
	}
	*ret = &reader->source;
	return 0;
}
