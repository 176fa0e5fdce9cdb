// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/report_files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/analysis.h"
#include "analyse/call_stats.h"
#include "base/diag.h"
#include "schema/calls.h"
#include "schema/derived.h"
#include "schema/event.h"
#include "schema/syscalls.h"

#define SECONDS_MAX 65536u /* calls in progress */
#define PAGES "fs.read"
#define READ_LOOKUP 0u /* fs.read.kind */
#define READ_FILL 1u

enum class_kind {
	CLASS_OTHER,
	CLASS_ENTRY, /* of a call with two files */
	CLASS_EXIT,
	CLASS_READ, /* fs.read */
	CLASS_LOST,
};

struct files_class {
	enum class_kind kind;
	bool counts; /* its events were chosen */
	uint32_t trace;
	struct call_fields call;
	int second; /* CLASS_ENTRY: the field with the second descriptor */
	int pages, read_kind; /* CLASS_READ */
};

/* What a call does with its file. */
enum files_act {
	ACT_NONE, /* it is not given one */
	ACT_USE,
	ACT_MAP, /* which may be of no file */
	ACT_OPEN,
	ACT_READ,
	ACT_WRITE,
};

struct files_call {
	uint8_t act;
	bool both; /* the bytes that it reads or writes are written to or read from the second one */
};

static const struct {
	const char *name;
	enum files_act act;
	const char *second; /* the argument */
} acts[] = {
	{"open", ACT_OPEN, NULL},
	{"openat", ACT_OPEN, NULL},
	{"openat2", ACT_OPEN, NULL},
	{"creat", ACT_OPEN, NULL},
	{"mmap", ACT_MAP, NULL},
	{"mmap2", ACT_MAP, NULL},
	{"read", ACT_READ, NULL},
	{"pread64", ACT_READ, NULL},
	{"readv", ACT_READ, NULL},
	{"preadv", ACT_READ, NULL},
	{"preadv2", ACT_READ, NULL},
	{"recvfrom", ACT_READ, NULL},
	{"recvmsg", ACT_READ, NULL},
	{"write", ACT_WRITE, NULL},
	{"pwrite64", ACT_WRITE, NULL},
	{"writev", ACT_WRITE, NULL},
	{"pwritev", ACT_WRITE, NULL},
	{"pwritev2", ACT_WRITE, NULL},
	{"sendto", ACT_WRITE, NULL},
	{"sendmsg", ACT_WRITE, NULL},
	{"vmsplice", ACT_WRITE, NULL},
	{"sendfile", ACT_WRITE, "in_fd"},
	{"sendfile64", ACT_WRITE, "in_fd"},
	{"splice", ACT_READ, "fd_out"},
	{"copy_file_range", ACT_READ, "fd_out"},
};
#define ACTS (sizeof(acts) / sizeof(acts[0]))

struct second_key {
	uint32_t trace;
	int32_t tid;
};

struct second {
	const struct tally_row *file; /* its key is the name; NULL: not known */
};

static void add(struct files_report *fr, struct tally_row *row, enum files_measure what,
		uint64_t value)
{
	tally_add(&fr->rows.tally, &row->sums[what], (long double)value, false);
}

static void add_bytes(struct files_report *fr, struct tally_row *row, bool read, uint64_t bytes)
{
	add(fr, row, read ? FILES_READ : FILES_WRITTEN, bytes);
	if (read)
		fr->bytes_read += bytes;
	else
		fr->bytes_written += bytes;
}

/* Which of its files the call wants second is known when it begins. */
static void begin_second(struct files_report *fr, const struct files_class *entry,
			 const struct event *event)
{
	const struct second_key key = {entry->trace, event->tid};
	const struct event_facts *facts = &fr->rows.values.where.facts;
	struct second *second = map_at(&fr->seconds, &key);

	if (!second)
		return;
	second->file = NULL;
	for (uint32_t i = 0; facts->has & FACTS_FILES && i < facts->file_count; i++) {
		if (facts->files[i].field == (uint32_t)entry->second)
			second->file =
				tally_at(&fr->texts, facts->files[i].name, facts->files[i].len);
	}
}

/* The row that the event would be in if its file were the second one. */
static struct tally_row *second_row(struct files_report *fr, const struct files_class *entry,
				    const struct event *event)
{
	const struct second_key key = {entry->trace, event->tid};
	struct event_facts *facts = &fr->rows.values.where.facts;
	const struct second *second = map_get(&fr->seconds, &key);
	const uint32_t had = facts->has;
	const struct fact_file first = facts->files[0];
	struct tally_row *row;

	facts->has &= ~(1u << DERIVED_FILE);
	if (second && second->file && second->file->key) {
		facts->has |= 1u << DERIVED_FILE;
		facts->files[0] = (struct fact_file){(const char *)second->file->key,
						     second->file->key_bytes, FACTS_FIELD_NONE};
	}
	row = report_events_row(&fr->rows, event);
	facts->has = had;
	facts->files[0] = first;
	return row;
}

static const struct files_call *call_of(const struct files_report *fr,
					const struct files_class *entry, const struct event *event)
{
	static const struct files_call none;
	const int64_t nr = (int64_t)event_uint(event, (size_t)entry->call.nr);
	const bool compat = entry->call.compat >= 0 &&
			    event_uint(event, (size_t)entry->call.compat);

	return nr >= 0 && nr < (int64_t)CALL_NUMBERS ? &fr->calls[compat][nr] : &none;
}

static void count_call(struct files_report *fr, const struct files_class *entry,
		       const struct event *event)
{
	const struct files_call *call = call_of(fr, entry, event);
	const struct event_facts *facts = &fr->rows.values.where.facts;
	const int64_t ret = (int64_t)event_uint(event, (size_t)entry->call.ret);
	const bool known = facts->has >> DERIVED_FILE & 1;
	struct tally_row *row;

	if (call->act == ACT_NONE || (call->act == ACT_OPEN && ret < 0) ||
	    (call->act == ACT_MAP && !known))
		return;
	row = report_events_row(&fr->rows, event);
	row->events++;
	fr->rows.report.events++;
	fr->all_calls++;
	if (facts->has >> DERIVED_DUR & 1) {
		add(fr, row, FILES_DUR, facts->derived[DERIVED_DUR]);
		fr->dur_ns += facts->derived[DERIVED_DUR];
	}
	if (call->act == ACT_OPEN)
		add(fr, row, FILES_OPENS, 1);
	if ((call->act != ACT_READ && call->act != ACT_WRITE) || ret <= 0)
		return;
	add_bytes(fr, row, call->act == ACT_READ, (uint64_t)ret);
	if (call->both)
		add_bytes(fr, second_row(fr, entry, event), call->act != ACT_READ, (uint64_t)ret);
}

static void count_pages(struct files_report *fr, const struct files_class *entry,
			const struct event *event)
{
	const uint64_t kind = event_uint(event, (size_t)entry->read_kind);

	if (kind != READ_LOOKUP && kind != READ_FILL)
		return;
	add(fr, report_events_row(&fr->rows, event),
	    kind == READ_LOOKUP ? FILES_LOOKUPS : FILES_FILLS,
	    event_uint(event, (size_t)entry->pages));
	fr->rows.report.events++;
}

static void follow(struct files_report *fr, const struct files_class *entry,
		   const struct event *event)
{
	struct events_report *er = &fr->rows;

	if (event_values_takes(&er->values, event->class))
		event_values_follow(&er->values, event, er->report.analysis->names);
	if (entry->kind == CLASS_ENTRY)
		begin_second(fr, entry, event);
	if (entry->kind == CLASS_LOST) {
		map_fini(&fr->seconds);
		map_init(&fr->seconds, sizeof(struct second_key), sizeof(struct second),
			 SECONDS_MAX);
	}
}

static void files_batch(struct report *report, const struct event *events, size_t count)
{
	struct files_report *fr = (struct files_report *)report;

	for (size_t i = 0; i < count; i++) {
		const struct files_class *entry = &fr->classes[events[i].class->index];

		follow(fr, entry, &events[i]);
		if (entry->counts && entry->kind == CLASS_EXIT)
			count_call(fr, entry, &events[i]);
		else if (entry->counts && entry->kind == CLASS_READ)
			count_pages(fr, entry, &events[i]);
	}
}

static void files_learn(struct report *report, const struct event *events, size_t count)
{
	struct files_report *fr = (struct files_report *)report;

	for (size_t i = 0; i < count; i++)
		follow(fr, &fr->classes[events[i].class->index], &events[i]);
}

static void files_end(struct report *report, const struct report_span *span)
{
	(void)report;
	(void)span;
}

static void files_free(struct report *report)
{
	struct files_report *fr = (struct files_report *)report;

	report_events_fini(&fr->rows);
	map_fini(&fr->seconds);
	tally_fini(&fr->texts);
	free(fr->calls[0]);
	free(fr->calls[1]);
	free(fr->classes);
	free(fr);
}

static const struct report_ops files_ops = {
	.batch = files_batch,
	.learn = files_learn,
	.end = files_end,
	.free = files_free,
};

static const char *env_text(const struct trace_info *info, const char *name)
{
	const struct trace_env *env = trace_info_env(info, name);

	return env ? env->text : NULL;
}

static struct files_call call_named(const char *name)
{
	char event[64];

	for (size_t i = 0; i < ACTS; i++) {
		if (!strcmp(acts[i].name, name))
			return (struct files_call){(uint8_t)acts[i].act, acts[i].second != NULL};
	}
	(void)snprintf(event, sizeof(event), CALLS_PREFIX "%s", name);
	return (struct files_call){calls_takes_descriptor(event) ? ACT_USE : ACT_NONE, false};
}

static int find_calls(struct files_report *fr)
{
	const struct trace_info *info = fr->rows.report.analysis->info;
	struct syscalls *calls =
		syscalls_new(env_text(info, "syscalls"), env_text(info, "syscalls_compat"));
	int err = calls ? 0 : -ENOMEM;

	for (int compat = 0; compat < 2 && !err; compat++) {
		fr->calls[compat] = calloc(CALL_NUMBERS, sizeof(*fr->calls[compat]));
		if (!fr->calls[compat])
			err = -ENOMEM;
		for (int64_t nr = 0; !err && nr < (int64_t)CALL_NUMBERS; nr++) {
			const char *name = syscalls_name(calls, compat, nr);

			if (name)
				fr->calls[compat][nr] = call_named(name);
		}
	}
	syscalls_free(calls);
	return err;
}

/* The second descriptor of an entry like sys.sendfile. */
static int find_second(const struct event_class *class)
{
	const size_t prefix = strlen(CALLS_PREFIX);

	for (size_t i = 0; !strncmp(class->name, CALLS_PREFIX, prefix) && i < ACTS; i++) {
		if (acts[i].second && !strcmp(class->name + prefix, acts[i].name))
			return event_class_find_number(class, acts[i].second);
	}
	return -1;
}

static void find_class(struct files_report *fr, const struct event_class *class)
{
	const struct analysis *analysis = fr->rows.report.analysis;
	struct files_class *entry = &fr->classes[class->index];

	*entry = (struct files_class){
		.trace = trace_info_trace(analysis->info, class->stream),
		.second = find_second(class),
		.pages = event_class_find_number(class, "pages"),
		.read_kind = event_class_find_number(class, "kind"),
		.counts = select_shows(analysis->select, class),
	};
	if (class->role == EVENT_ROLE_LOST)
		entry->kind = CLASS_LOST;
	else if (entry->second >= 0)
		entry->kind = CLASS_ENTRY;
	else if (call_fields_find(&entry->call, class) && entry->call.ends && entry->call.ret >= 0)
		entry->kind = CLASS_EXIT;
	else if (!strcmp(class->name, PAGES) && entry->pages >= 0 && entry->read_kind >= 0)
		entry->kind = CLASS_READ;
}

static bool any_counts(const struct files_report *fr, enum class_kind kind)
{
	for (size_t i = 0; i < fr->rows.report.analysis->info->class_count; i++) {
		if (fr->classes[i].kind == kind && fr->classes[i].counts)
			return true;
	}
	return false;
}

static int find_classes(struct files_report *fr)
{
	const struct trace_info *info = fr->rows.report.analysis->info;

	fr->classes = calloc(info->class_count ?: 1, sizeof(*fr->classes));
	if (!fr->classes)
		return -ENOMEM;
	for (size_t i = 0; i < info->class_count; i++)
		find_class(fr, info->classes[i]);
	return 0;
}

/* The keys, and what calls are measured by, which no event needs to have. */
static int find_values(struct files_report *fr, struct diag *diag)
{
	struct events_report *er = &fr->rows;
	const struct trace_info *info = er->report.analysis->info;
	int err = 0;

	er->values.counted = any_counts(fr, CLASS_EXIT) ? CALLS_EXIT : PAGES;
	for (size_t i = 0; i < er->grouping.by_count && !err; i++)
		err = event_values_add(&er->values, "--by", er->grouping.by[i], false, diag);
	err = err ?: event_values_add(&er->values, "", "dur", true, diag);
	err = err ?: event_values_add(&er->values, "", "file", true, diag);
	err = err ?: event_values_bind(&er->values, info, er->report.analysis->select, diag);
	er->values.where.known = er->report.analysis->known;
	for (size_t c = 0; c < info->class_count && !err; c++) {
		struct files_class *entry = &fr->classes[c];

		for (size_t i = 0; i < er->grouping.by_count; i++)
			entry->counts &=
				event_values_place(&er->values, i, info->classes[c])->known;
		if (!er->sample && entry->counts &&
		    (entry->kind == CLASS_EXIT || entry->kind == CLASS_READ))
			er->sample = info->classes[c];
	}
	return err;
}

static void describe(struct files_report *fr)
{
	static const struct field bytes = {.name = "bytes", .unit = "bytes"};
	const bool calls = any_counts(fr, CLASS_EXIT), pages = any_counts(fr, CLASS_READ);

	for (size_t i = 0; i < FILES_MEASURES; i++)
		report_events_describe(&fr->rows, i,
				       i == FILES_LOOKUPS || i == FILES_FILLS ? pages : calls,
				       i == FILES_DUR ? derived_described(DERIVED_DUR) :
				       i == FILES_READ || i == FILES_WRITTEN ? &bytes :
									       NULL);
}

/* Without any file the rows would all be one. */
static int check_files(const struct files_report *fr, struct diag *diag)
{
	if (any_counts(fr, CLASS_READ) ||
	    derived_known(fr->rows.report.analysis->info) & 1u << DERIVED_FILE)
		return 0;
	for (size_t i = 0; i < fr->rows.grouping.by_count; i++) {
		if (!strcmp(fr->rows.grouping.by[i], "file"))
			return diag_set(
				diag, -ENOENT,
				"files: the trace does not have all system calls that change "
				"descriptors; record with -e sys");
	}
	return 0;
}

int report_files_make(const struct analysis *analysis, const struct report_grouping *grouping,
		      struct report **ret, struct diag *diag)
{
	struct files_report *fr = calloc(1, sizeof(*fr));
	int err;

	if (!fr)
		return diag_set(diag, -ENOMEM, "no memory");
	fr->rows.report.ops = &files_ops;
	map_init(&fr->seconds, sizeof(struct second_key), sizeof(struct second), SECONDS_MAX);
	err = report_events_init(&fr->rows, analysis, grouping);
	err = tally_init(&fr->texts, 0) ?: err;
	err = err ?: find_calls(fr);
	err = err ?: find_classes(fr);
	if (err)
		(void)diag_set(diag, err, "no memory");
	/* Of other events there is nothing to report. */
	if (!err && (any_counts(fr, CLASS_EXIT) || any_counts(fr, CLASS_READ))) {
		err = find_values(fr, diag) ?: check_files(fr, diag);
		describe(fr);
	}
	if (err) {
		files_free(&fr->rows.report);
		return err;
	}
	*ret = &fr->rows.report;
	return 0;
}
