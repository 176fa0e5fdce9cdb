// SPDX-License-Identifier: BSD-2-Clause
#include "trace/reader.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/io.h"
#include "ctf/metadata.h"
#include "ctf/trace_class.h"
#include "schema/source.h"
#include "schema/trace_info.h"
#include "symbol/symbols.h"
#include "trace/directory.h"
#include "trace/end_file.h"
#include "trace/end_notes.h"
#include "trace/follow.h"
#include "trace/frame_input.h"
#include "trace/merge.h"
#include "trace/name_stream.h"
#include "trace/stream_chain.h"
#include "trace/stream_input.h"
#include "trace/stream_reader.h"
#include "trace/symbol_notes.h"
#include "wire/ctf.h"
#include "wire/frame.h"
#include "wire/note.h"
#include "wire/record.h"

#ifndef SONDE_VERSION
#define SONDE_VERSION "unknown"
#endif

/* Of all streams together; one window is between the two others. */
#define WINDOWS_BYTES (24u << 20)
#define WINDOW_MIN_BYTES (16u << 10)
#define WINDOW_MAX_BYTES (128u << 10)
#define STREAMS_OPEN 256u /* of more streams no file stays open */
#define FOLLOW_WINDOW_BYTES (64u << 10) /* their number is not known before */

struct reader {
	struct event_source source; /* first: the vtable's functions get this */
	struct trace_info info;
	struct ctf_trace_class *trace;
	struct merge *merge;
	struct follow *follow; /* NULL: the trace is what it is */
	struct symbol_notes *notes; /* of a trace that is followed */
	bool consume; /* what was read goes */
	const char *many; /* the name, where no file is to stay open; while it is opened */
	int dir; /* of a trace that is followed, else -1 */
	struct problem_list problems;
	struct trace_gaps gaps;
	struct problem_list breaches; /* of the metadata, and of packets */
	struct end_notes end_notes;
	struct end_file end_file; /* of a converted trace */
	struct trace_end end;
};

/* What the trace lacks that this one was made of. */
static void add_source_missing(struct reader *reader)
{
	const struct trace_env *missing = trace_info_env(&reader->info, TRACE_MISSING_ENV);

	if (missing && missing->text)
		trace_end_tell_source(&reader->end, missing->text);
}

static bool is_ours(const struct reader *reader)
{
	const struct trace_env *tracer = trace_info_env(&reader->info, "tracer_name");

	return tracer && tracer->text && !strcmp(tracer->text, "sonde");
}

/* Whether sonde convert wrote the trace, which ends it with a file. */
static bool is_converted(const struct reader *reader)
{
	return trace_info_env(&reader->info, END_FILE_ENV);
}

static void judge_end_file(struct reader *reader, int dir, bool written)
{
	struct trace_end *end = &reader->end;
	int err = end_file_load(&reader->end_file, dir, &end->missing);

	if (err == -ENOENT && written) {
		end->kind = TRACE_END_OPEN;
		return;
	}
	end_file_judge(err, end);
}

/* Once the recorder's stream has been read. @written: it was, before that. */
static void judge_end(struct reader *reader, int dir, bool written)
{
	const struct end_notes *notes = &reader->end_notes;

	if (is_converted(reader))
		judge_end_file(reader, dir, written);
	else if (notes->found || (!written && end_notes_expected(notes)))
		end_notes_judge(notes, &reader->end);
	else if (written)
		reader->end.kind = TRACE_END_OPEN;
	else
		reader->end.kind = is_ours(reader) ? TRACE_END_UNMARKED : TRACE_END_UNKNOWN;
	add_source_missing(reader);
}

static int reader_next(struct event_source *source, const struct event **ret)
{
	struct reader *reader = (struct reader *)source;
	int count = reader->follow ? follow_next(reader->follow, ret) :
				     merge_next(reader->merge, ret);

	/* Notes about addresses come after the events that have them, but soon enough. */
	if (count == -EAGAIN)
		count = symbol_notes_more(reader->notes) ?: count;
	if (reader->follow && !count && reader->end.kind == TRACE_END_OPEN) {
		count = symbol_notes_more(reader->notes);
		judge_end(reader, reader->dir, false);
	}
	reader->info.packets = merge_packets(reader->merge);
	return count;
}

static const char *reader_problem(const struct event_source *source, size_t i)
{
	return problem_list_get(&((const struct reader *)source)->problems, i);
}

static int reader_seek(struct event_source *source, const struct source_span *span)
{
	return merge_seek(((struct reader *)source)->merge, span);
}

static size_t reader_cut(struct event_source *source, uint64_t bytes, int64_t *moments, size_t room)
{
	return merge_cut(((struct reader *)source)->merge, bytes, moments, room);
}

static int reader_chain(struct event_source *source, struct stream_chain *chain)
{
	const struct reader *reader = (const struct reader *)source;

	return merge_chain(reader->merge, reader->trace, chain);
}

static void reader_stop_when(struct event_source *source, source_stop_fn *is_stopped)
{
	merge_stop_when(((struct reader *)source)->merge, is_stopped);
}

static void reader_retire(struct event_source *source)
{
	struct reader *reader = (struct reader *)source;

	follow_free(reader->follow);
	symbol_notes_free(reader->notes);
	(void)fd_close(reader->dir);
	merge_free(reader->merge);
	reader->follow = NULL;
	reader->notes = NULL;
	reader->dir = -1;
	reader->merge = NULL;
}

static void reader_close(struct event_source *source)
{
	struct reader *reader = (struct reader *)source;

	if (!reader)
		return;
	reader_retire(source);
	ctf_trace_class_free(reader->trace);
	symbols_free(reader->info.symbols);
	problem_list_fini(&reader->problems);
	trace_gaps_fini(&reader->gaps);
	problem_list_fini(&reader->breaches);
	problem_list_fini(&reader->end.missing);
	end_notes_fini(&reader->end_notes);
	end_file_fini(&reader->end_file);
	free(reader);
}

static const struct source_ops reader_ops = {
	.next = reader_next,
	.problem = reader_problem,
	.seek = reader_seek,
	.cut = reader_cut,
	.chain = reader_chain,
	.stop_when = reader_stop_when,
	.retire = reader_retire,
	.close = reader_close,
};

bool reader_is(const char *name)
{
	struct stat st;

	return !stat(name, &st) && S_ISDIR(st.st_mode);
}

/* A newer Sonde may have written it in a form that would be shown wrong here. */
static int check_format(const struct reader *reader, struct diag *diag)
{
	const struct trace_env *format = trace_info_env(&reader->info, "sonde_format");
	const struct trace_env *version = trace_info_env(&reader->info, "tracer_version");

	if (!format || format->text || format->number <= TRACE_FORMAT)
		return 0;
	return diag_set(diag, -ENOTSUP,
			"trace format %lld, written by Sonde %s; this is Sonde %s, which reads "
			"formats up to %d: use a newer one",
			(long long)format->number,
			version && version->text ? version->text : "(unknown version)",
			SONDE_VERSION, TRACE_FORMAT);
}

static int load_metadata(struct reader *reader, int dir, const char *name, struct diag *diag)
{
	char *text = NULL;
	size_t len;
	int err = file_load(dir, "metadata", CTF_METADATA_MAX_BYTES, &text, &len);

	if (err == -ENOENT)
		return diag_set(diag, -EBADMSG, "%s: not a trace: no file named metadata", name);
	if (err == -ENOTSUP)
		return diag_set(diag, err, "%s/metadata: not a regular file", name);
	if (err)
		return diag_set(diag, err, "%s/metadata: %s", name, strerror(-err));
	err = metadata_read(text, len, &reader->trace, diag);
	free(text);
	if (err)
		return diag_prefix(diag, err, "%s/metadata", name);
	if (reader->trace->cut)
		problem_list_add(&reader->problems, "metadata: it breaks off: %s",
				 reader->trace->cut_text);
	problem_list_take(&reader->breaches, &reader->trace->breaches, &(size_t){0}, NULL);
	reader->info.breaches = &reader->breaches;
	reader->info.gaps = &reader->gaps;
	reader->info.class_count = reader->trace->class_count;
	reader->info.classes = reader->trace->classes;
	reader->info.env_count = reader->trace->env_count;
	reader->info.env = reader->trace->env;
	reader->info.stream_count = reader->trace->stream_count;
	reader->info.streams = reader->trace->kinds;
	reader->info.clock = reader->trace->clock;
	reader->info.end = &reader->end;
	err = check_format(reader, diag);
	return err ? diag_prefix(diag, err, "%s", name) : 0;
}

/* 1 = a regular file of *@bytes, 0 = none, or -errno: what the name leads to is not there. */
static int look_up(int dir, const char *name, uint64_t *bytes)
{
	struct stat st;

	if (fstatat(dir, name, &st, 0))
		return -errno;
	*bytes = S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
	return S_ISREG(st.st_mode);
}

static void note_unopened(struct reader *reader, const char *name, int err)
{
	problem_list_add(&reader->problems, "%s: cannot be opened: %s", name, strerror(-err));
}

/* @total: NULL = what is to be there is not known. */
static int add_stream(struct reader *reader, int dir, const char *name, size_t window,
		      const struct stream_total *total)
{
	struct stream_input *input;
	struct stream_reader *stream;
	int err = reader->many ? stream_open_many(dir, reader->many, name, &input) :
				 stream_open(dir, name, &input);

	if (err == -ENOMEM)
		return err;
	if (err) {
		note_unopened(reader, name, err);
		return 0;
	}
	input->consume = reader->consume;
	stream = stream_reader_new(input, reader->trace, window, &reader->problems);
	if (stream)
		stream_reader_note_breaches(stream, &reader->breaches);
	stream_reader_note_gaps(stream, &reader->gaps);
	if (stream && reader->many)
		stream_reader_save(stream);
	if (stream && total)
		stream_reader_expect(stream, total, &reader->end.missing);
	return stream ? merge_add(reader->merge, stream) : -ENOMEM;
}

/* Of one that is followed they are taken in as they come. */
static int load_notes(struct reader *reader, int dir, bool follow, struct diag *diag)
{
	bool written = directory_is_written(dir);
	int err = -ENOMEM;

	end_notes_init(&reader->end_notes, reader->trace);
	reader->info.symbols = symbols_new();
	if (reader->info.symbols && follow) {
		reader->end.kind = TRACE_END_OPEN;
		return 0;
	}
	if (reader->info.symbols)
		err = symbol_notes_read(dir, reader->trace, reader->info.symbols,
					&reader->end_notes);
	judge_end(reader, dir, written);
	return err ? diag_set(diag, err, "out of memory") : 0;
}

static size_t window_of(int streams)
{
	size_t window = WINDOWS_BYTES / (size_t)(streams > 0 ? streams : 1);

	if (window > WINDOW_MAX_BYTES)
		return WINDOW_MAX_BYTES;
	return window < WINDOW_MIN_BYTES ? WINDOW_MIN_BYTES : window;
}

static int link_streams(struct reader *reader)
{
	struct stream_chain chain;
	int err;

	stream_chain_init(&chain);
	err = merge_chain(reader->merge, reader->trace, &chain);
	if (!err)
		stream_chain_link(&chain);
	stream_chain_fini(&chain);
	return err;
}

/* What the end mark says of stream file @i, where it is the stream's last; NULL = nothing. */
static const struct stream_total *total_of(const struct reader *reader,
					   struct dirent *const *entries, int count, int i)
{
	const struct end_notes *notes = &reader->end_notes;
	const struct end_file_stream *stream = end_file_find(&reader->end_file, entries[i]->d_name);

	if (stream)
		return &stream->total;
	for (size_t k = 0; notes->found && k < notes->count; k++) {
		const struct stream_total *total = &notes->totals[k];

		if (!stream_total_is_of(total, entries[i]->d_name))
			continue;
		for (int j = i + 1; j < count; j++) {
			if (stream_total_is_of(total, entries[j]->d_name))
				return NULL;
		}
		return total;
	}
	return NULL;
}

/* One whose file is gone, or was never made as the disk was full. Its losses are still reported. */
static int add_gone(struct reader *reader, const struct stream_total *total)
{
	struct stream_reader *stream;
	struct stream_input *input;
	char name[32];

	stream_total_name(total, name, sizeof(name));
	if (total->packets)
		problem_list_add(&reader->end.missing,
				 "incomplete: %s: the stream's file is gone, with %llu events",
				 name, (unsigned long long)total->events);
	if (!total->lost)
		return 0;
	input = stream_input_empty(name);
	stream = input ? stream_reader_new(input, reader->trace, WINDOW_MIN_BYTES,
					   &reader->problems) :
			 NULL;
	if (!stream)
		return -ENOMEM;
	stream_reader_expect(stream, total, &reader->end.missing);
	return merge_add(reader->merge, stream);
}

static int add_missing(struct reader *reader, struct dirent *const *entries, int count)
{
	const struct end_notes *notes = &reader->end_notes;
	int err = 0;

	for (size_t k = 0; !err && notes->found && k < notes->count; k++) {
		int i = 0;

		while (i < count && !stream_total_is_of(&notes->totals[k], entries[i]->d_name))
			i++;
		if (i == count)
			err = add_gone(reader, &notes->totals[k]);
	}
	return err;
}

/* The same of a converted trace. */
static void check_end_file(struct reader *reader, int dir)
{
	for (size_t i = 0; i < reader->end_file.count; i++) {
		const struct end_file_stream *stream = &reader->end_file.streams[i];
		char frames[NAME_MAX + sizeof(FRAME_SUFFIX)];

		(void)snprintf(frames, sizeof(frames), "%s" FRAME_SUFFIX, stream->name);
		if (!stream->total.packets || !faccessat(dir, stream->name, F_OK, 0) ||
		    !faccessat(dir, frames, F_OK, 0))
			continue;
		problem_list_add(&reader->end.missing,
				 "incomplete: %s: the stream's file is gone, with %llu events",
				 stream->name, (unsigned long long)stream->total.events);
	}
}

static int is_index(const struct dirent *entry)
{
	size_t len = strlen(entry->d_name);

	return len > 4 && !strcmp(entry->d_name + len - 4, ".idx");
}

/* Streams of which there is only the index. Where there is an end mark, that knows better. */
static void check_indexes(struct reader *reader, int dir)
{
	struct dirent **entries = NULL;
	int count = scandirat(dir, "index", &entries, is_index, versionsort);

	for (int i = 0; i < count; i++) {
		char *name = entries[i]->d_name;

		name[strlen(name) - 4] = 0;
		if (!reader->end_notes.found && is_ours(reader) && !is_converted(reader) &&
		    faccessat(dir, name, F_OK, 0) && errno == ENOENT)
			problem_list_add(&reader->end.missing,
					 "incomplete: %s: the stream's file is gone; its index is "
					 "there",
					 name);
		free(entries[i]);
	}
	free(entries);
}

static int add_streams(struct reader *reader, int dir, const char *name, struct diag *diag)
{
	struct dirent **entries = NULL;
	int count = scandirat(dir, ".", &entries, stream_input_is_file, versionsort);
	int err = count < 0 ? -errno : 0;

	if (err)
		return diag_set(diag, err, "%s: %s", name, strerror(-err));
	end_notes_place(&reader->end_notes, reader->trace);
	check_indexes(reader, dir);
	check_end_file(reader, dir);
	if (count > (int)STREAMS_OPEN)
		reader->many = name;
	for (int i = 0; i < count; i++) {
		uint64_t bytes = 0;
		int found = look_up(dir, entries[i]->d_name, &bytes);

		if (found < 0)
			note_unopened(reader, entries[i]->d_name, found);
		else if (!err && found)
			err = add_stream(reader, dir, entries[i]->d_name, window_of(count),
					 total_of(reader, entries, count, i));
		reader->info.bytes += bytes;
	}
	err = err ?: add_missing(reader, entries, count);
	for (int i = 0; i < count; i++)
		free(entries[i]);
	free(entries);
	err = err ?: link_streams(reader);
	return err ? diag_set(diag, err, "%s: %s", name, strerror(-err)) : 0;
}

/* Of what grows, nothing is known before it is looked at. */
static const struct source_ops follow_ops = {
	.next = reader_next,
	.problem = reader_problem,
	.stop_when = reader_stop_when,
	.retire = reader_retire,
	.close = reader_close,
};

static int add_followed(void *ctx, const char *name)
{
	struct reader *reader = ctx;
	uint64_t bytes;

	if (look_up(reader->dir, name, &bytes) <= 0)
		return 0;
	return add_stream(reader, reader->dir, name, FOLLOW_WINDOW_BYTES, NULL);
}

static bool takes_snapshots(const struct trace_info *info)
{
	const struct trace_env *mode = trace_info_env(info, "sonde_mode");

	return mode && mode->text && !strcmp(mode->text, "overwrite");
}

static int start_following(struct reader *reader, const struct stat *metadata, struct diag *diag)
{
	const struct follow_config config = {
		.dir = reader->dir,
		.trace = reader->trace,
		.merge = reader->merge,
		.metadata = *metadata,
		.snapshots = takes_snapshots(&reader->info),
		.add = add_followed,
		.ctx = reader,
	};

	reader->follow = follow_new(&config);
	reader->notes = symbol_notes_new(reader->dir, reader->trace, reader->info.symbols,
					 &reader->end_notes);
	return reader->follow && reader->notes ? 0 : diag_set(diag, -ENOMEM, "out of memory");
}

enum reading_way {
	READ_WHAT_IS,
	READ_MANY, /* likewise, of one of many traces */
	READ_WHAT_COMES,
	CONSUME_WHAT_COMES,
};

static int open_reader(const char *name, enum reading_way way, struct event_source **ret,
		       struct diag *diag)
{
	bool follow = way != READ_WHAT_IS && way != READ_MANY;
	struct reader *reader = NULL;
	int dir = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int err = dir < 0 ? -errno : 0;
	struct stat metadata = {0};

	if (err)
		return diag_set(diag, err, "%s: %s", name, strerror(-err));
	reader = calloc(1, sizeof(*reader));
	if (!reader) {
		err = diag_set(diag, -ENOMEM, "out of memory");
		goto out;
	}
	reader->source = (struct event_source){.ops = follow ? &follow_ops : &reader_ops,
					       .info = &reader->info};
	reader->dir = -1;
	reader->consume = way == CONSUME_WHAT_COMES;
	reader->many = way == READ_MANY ? name : NULL;
	problem_list_init(&reader->problems);
	problem_list_init(&reader->breaches);
	problem_list_init(&reader->end.missing);
	reader->merge = merge_new();
	(void)fstatat(dir, "metadata", &metadata, 0); /* before it is read: it may grow */
	err = reader->merge ? 0 : diag_set(diag, -ENOMEM, "out of memory");
	err = err ? err : load_metadata(reader, dir, name, diag);
	err = err ? err : load_notes(reader, dir, follow, diag);
	if (!err && follow) {
		reader->dir = dir;
		dir = -1;
		err = start_following(reader, &metadata, diag);
	} else if (!err) {
		err = add_streams(reader, dir, name, diag);
	}
	if (err)
		goto out;
	*ret = &reader->source;
	reader = NULL;
out:
	if (reader)
		reader_close(&reader->source);
	(void)fd_close(dir);
	return err;
}

int reader_open(const char *name, struct event_source **ret, struct diag *diag)
{
	return open_reader(name, READ_WHAT_IS, ret, diag);
}

int reader_open_many(const char *name, struct event_source **ret, struct diag *diag)
{
	return open_reader(name, READ_MANY, ret, diag);
}

int reader_follow(const char *name, struct event_source **ret, struct diag *diag)
{
	return open_reader(name, READ_WHAT_COMES, ret, diag);
}

int reader_consume(const char *name, struct event_source **ret, struct diag *diag)
{
	return open_reader(name, CONSUME_WHAT_COMES, ret, diag);
}
