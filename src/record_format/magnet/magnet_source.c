// SPDX-License-Identifier: BSD-2-Clause
#include "record_format/magnet/magnet_source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/diag.h"
#include "base/file_window.h"
#include "record_format/magnet/magnet_pack.h"
#include "record_format/magnet/magnet_record.h"
#include "schema/class_table.h"
#include "schema/lost.h"
#include "schema/source.h"
#include "schema/trace_info.h"

#define BATCH_RECORDS 1024u
#define BACK_TOLD_NS ((int64_t)NS_PER_SEC) /* less is what the counters of two CPUs differ by */

/* The payload of a loss, and behind it what it was made of. */
struct magnet_loss {
	struct lost_payload lost; /* first: it is what others read */
	const uint8_t *record;
};

struct magnet_source {
	struct event_source source; /* first: the vtable's functions get this */
	struct trace_info info;
	struct trace_env env[2];
	char layout_name[MAGNET_LAYOUT_NAME_BYTES];
	struct file_window *file;
	struct magnet_layout layout;
	size_t record_bytes;
	uint64_t rate_hz; /* asked for; 0 = as records say */
	struct magnet_classes classes;
	struct magnet_clock clock;
	uint64_t record; /* number of the next, the first is 0 */
	uint64_t empty; /* records in front of it that have nothing */
	int64_t last_ns;
	size_t pending; /* bytes that the last batch has taken */
	bool ended;
	bool waits; /* at a slot without record, which may be filled while the file is followed */
	bool whole; /* no slot will be filled any more */
	struct problem_list problems;
	struct event events[BATCH_RECORDS];
	struct magnet_loss losses[BATCH_RECORDS];
};

static unsigned long long number_of(const struct magnet_source *ms)
{
	return (unsigned long long)ms->record;
}

static void take_sysinfo(struct magnet_source *ms, const struct magnet_head *head)
{
	if (magnet_clock_take(&ms->clock, head, ms->rate_hz))
		problem_list_add(&ms->problems,
				 "record %llu gives a clock of %d Hz: its times are shown as if "
				 "they were ns",
				 number_of(ms), (int)head->size);
}

/* Sources give events in the order of time. A new clock may have started before the last
 * record of the old one. */
static int64_t time_of(struct magnet_source *ms, const struct magnet_head *head)
{
	int64_t ns = magnet_clock_ns(&ms->clock, head->timestamp);

	if (ns >= ms->last_ns)
		ms->last_ns = ns;
	else if (head->event != MAGNET_SYSINFO &&
		 (uint64_t)ms->last_ns - (uint64_t)ns > (uint64_t)BACK_TOLD_NS)
		problem_list_add(
			&ms->problems,
			"record %llu: its time is %llu s before that of others in front "
			"of it, at which it is shown",
			number_of(ms),
			(unsigned long long)(((uint64_t)ms->last_ns - (uint64_t)ns) / NS_PER_SEC));
	return ms->last_ns;
}

static void take_loss(struct magnet_loss *loss, const struct magnet_head *head,
		      const uint8_t *record)
{
	*loss = (struct magnet_loss){
		.lost = {.count = head->size > 0 ? (uint32_t)head->size : 0,
			 .packets = head->size <= 0},
		.record = record,
	};
}

static void take_record(struct magnet_source *ms, const uint8_t *record,
			const struct magnet_head *head, size_t at)
{
	const struct event_class *class = magnet_classes_get(&ms->classes, head->event);
	struct event *event = &ms->events[at];

	if (head->event == MAGNET_SYSINFO)
		take_sysinfo(ms, head);
	*event = (struct event){
		.class = class ?: &lost_class,
		.payload = class ? record : (const uint8_t *)&ms->losses[at],
		.offsets = class ? class->offsets : lost_class.offsets,
		.time_ns = time_of(ms, head),
		.cpu = -1,
		.tid = -1,
		.bytes = (uint32_t)ms->record_bytes,
	};
	if (!class)
		take_loss(&ms->losses[at], head, record);
}

static bool is_zero(const uint8_t *bytes, size_t len)
{
	return !bytes[0] && !memcmp(bytes, bytes + 1, len - 1);
}

/* A slot without timestamp has no record, or one that was never finished. */
static void pass_over(struct magnet_source *ms, const uint8_t *record)
{
	if (is_zero(record, ms->record_bytes))
		ms->empty++;
	else
		problem_list_add(&ms->problems, "record %llu is not whole: it has no timestamp",
				 number_of(ms));
}

/* The first describes the clock, at any timestamp. */
static bool is_there(const struct magnet_head *head)
{
	return head->timestamp || head->event == MAGNET_SYSINFO;
}

/* Whether the first of @records, with @head, may still change: it is not there yet, or it describes the
 * clock, which is set again with the next record. */
static bool is_open(const struct magnet_source *ms, const struct magnet_head *head,
		    const uint8_t *record, size_t records)
{
	struct magnet_head next;

	if (!is_there(head))
		return true;
	if (head->event != MAGNET_SYSINFO)
		return false;
	if (records < 2)
		return true;
	magnet_head_load(&ms->layout, record + ms->record_bytes, &next);
	return !is_there(&next);
}

/* Empty slots after the last record are normal; between two records they are damage. */
static void check_empty(struct magnet_source *ms)
{
	if (ms->empty)
		problem_list_add(&ms->problems, "%llu empty record%s before record %llu",
				 (unsigned long long)ms->empty, ms->empty == 1 ? "" : "s",
				 number_of(ms));
	ms->empty = 0;
}

/* The records of @bytes, up to a batch: how many events they are. */
static size_t take_records(struct magnet_source *ms, const uint8_t *bytes, size_t records)
{
	struct magnet_head head;
	size_t count = 0, i;

	for (i = 0; i < records; i++, ms->record++) {
		const uint8_t *record = bytes + i * ms->record_bytes;

		magnet_head_load(&ms->layout, record, &head);
		if (!ms->whole && is_open(ms, &head, record, records - i)) {
			ms->waits = true;
			break;
		}
		if (!is_there(&head)) {
			pass_over(ms, record);
			continue;
		}
		check_empty(ms);
		take_record(ms, record, &head, count++);
	}
	ms->pending = i * ms->record_bytes;
	return count;
}

static void end(struct magnet_source *ms, size_t left)
{
	ms->ended = true;
	if (left)
		problem_list_add(&ms->problems,
				 "it ends within record %llu: of its %zu bytes %zu are there",
				 number_of(ms), ms->record_bytes, left);
}

/* 0: go on; -EAGAIN, -errno. */
static int wait_for_more(struct magnet_source *ms)
{
	bool waits = ms->waits;
	int err = waits ? file_window_again(ms->file) : 0;

	ms->waits = false;
	ms->whole |= waits && !err;
	return err;
}

static int magnet_next(struct event_source *source, const struct event **ret)
{
	struct magnet_source *ms = (struct magnet_source *)source;
	size_t count = 0, records;
	const uint8_t *bytes;
	ssize_t got;

	*ret = ms->events;
	while (!count && !ms->ended) {
		file_window_skip(ms->file, ms->pending);
		ms->pending = 0;
		got = wait_for_more(ms);
		if (got)
			return (int)got;
		got = file_window_look(ms->file, ms->record_bytes, &bytes);
		if (got < 0)
			return (int)got;
		records = (size_t)got / ms->record_bytes;
		if (records > BATCH_RECORDS)
			records = BATCH_RECORDS;
		if (!records)
			end(ms, (size_t)got);
		else
			count = take_records(ms, bytes, records);
	}
	return (int)count;
}

static const char *magnet_problem(const struct event_source *source, size_t i)
{
	return problem_list_get(&((const struct magnet_source *)source)->problems, i);
}

static void magnet_close(struct event_source *source)
{
	struct magnet_source *ms = (struct magnet_source *)source;

	file_window_close(ms->file);
	magnet_classes_fini(&ms->classes);
	problem_list_fini(&ms->problems);
	free(ms);
}

static const struct source_ops magnet_ops = {
	.next = magnet_next,
	.problem = magnet_problem,
	.close = magnet_close,
};

static void tell(struct magnet_source *ms)
{
	uint64_t size = file_window_size(ms->file);

	magnet_layout_format(&ms->layout, ms->layout_name);
	ms->env[0] = (struct trace_env){.name = MAGNET_ENV_LAYOUT, .text = ms->layout_name};
	ms->env[1] = (struct trace_env){.name = MAGNET_ENV_RECORDS,
					.number = (int64_t)(size / ms->record_bytes)};
	ms->info.env = ms->env;
	ms->info.env_count = 2;
	ms->info.bytes = size;
	class_table_tell(ms->classes.table, &ms->info);
	ms->source.info = &ms->info;
}

static int choose_layout(struct magnet_source *ms, const struct magnet_choice *choice,
			 const char *name, struct diag *diag)
{
	const uint8_t *head;
	ssize_t len = file_window_look(ms->file, MAGNET_DETECT_BYTES, &head);
	int err = 0;

	if (len < 0)
		return diag_set(diag, (int)len, "%s: %s", name, strerror((int)-len));
	if (choice->layout)
		ms->layout = *choice->layout;
	else
		err = magnet_detect_layout(head, (size_t)len, file_window_size(ms->file),
					   &ms->layout);
	if (err)
		return diag_set(diag, err, "%s: does not begin with MAGNET_SYSINFO: no MAGNeT file",
				name);
	ms->record_bytes = magnet_record_bytes(&ms->layout);
	return 0;
}

int magnet_open_as(struct file_window *file, const char *name, const struct magnet_choice *choice,
		   struct event_source **ret, struct diag *diag)
{
	struct magnet_source *ms = calloc(1, sizeof(*ms));
	int err;

	if (!ms) {
		file_window_close(file);
		return diag_set(diag, -ENOMEM, "no memory");
	}
	ms->source.ops = &magnet_ops;
	ms->file = file;
	ms->last_ns = INT64_MIN;
	ms->rate_hz = choice->rate_hz;
	ms->clock.rate_hz = choice->rate_hz ?: MAGNET_RATE_HZ;
	problem_list_init(&ms->problems);
	err = choose_layout(ms, choice, name, diag);
	if (!err && magnet_classes_init(&ms->classes, &ms->layout))
		err = diag_set(diag, -ENOMEM, "no memory");
	if (err) {
		magnet_close(&ms->source);
		return err;
	}
	tell(ms);
	*ret = &ms->source;
	return 0;
}

int magnet_open(struct file_window *file, const char *name, struct event_source **ret,
		struct diag *diag)
{
	return magnet_open_as(file, name, &(struct magnet_choice){0}, ret, diag);
}

bool magnet_is(const uint8_t *head, size_t len)
{
	return magnet_detect_is(head, len);
}

const uint8_t *magnet_record_of(const struct event *event)
{
	if (event->class->role == EVENT_ROLE_LOST)
		return ((const struct magnet_loss *)event->payload)->record;
	return event->payload;
}
