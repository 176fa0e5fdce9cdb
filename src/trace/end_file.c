// SPDX-License-Identifier: BSD-2-Clause
#include "trace/end_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "schema/trace_info.h"
#include "wire/frame.h"

#define FILE_MAX_BYTES (16u << 20)
#define HEAD "sonde end mark 1"
#define NUMBERS 4 /* of a stream */

void end_file_writer_init(struct end_file_writer *writer)
{
	*writer = (struct end_file_writer){.streams = 0};
	buffer_init(&writer->lines);
	buffer_format(&writer->lines, HEAD "\n");
}

void end_file_writer_fini(struct end_file_writer *writer)
{
	buffer_fini(&writer->lines);
}

void end_file_stream(struct end_file_writer *writer, const char *name,
		     const struct stream_total *total)
{
	buffer_format(&writer->lines, "stream %s %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
		      name, total->events, total->lost, total->packets, total->last_packet);
	writer->events += total->events;
	writer->lost += total->lost;
	writer->streams++;
}

void end_file_missing(struct end_file_writer *writer, const char *sentence)
{
	size_t at;

	buffer_format(&writer->lines, "missing ");
	at = writer->lines.len;
	buffer_format(&writer->lines, "%s", sentence);
	for (; !buffer_error(&writer->lines) && at < writer->lines.len; at++) {
		if (writer->lines.data[at] == '\n')
			writer->lines.data[at] = ' ';
	}
	buffer_format(&writer->lines, "\n");
}

int end_file_write(struct end_file_writer *writer, int dir)
{
	int fd, err;

	buffer_format(&writer->lines, "end %" PRIu64 " %" PRIu64 " %" PRIu32 "\n", writer->events,
		      writer->lost, writer->streams);
	err = buffer_error(&writer->lines);
	if (err)
		return err;
	fd = openat(dir, END_FILE_NAME, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd < 0)
		return -errno;
	err = write_all(fd, writer->lines.data, writer->lines.len);
	return fd_close(fd) ?: err;
}

/* Cuts the next line off @rest. NULL: no complete line. */
static char *take_line(char **rest)
{
	char *line = *rest, *end = strchr(line, '\n');

	if (!end)
		return NULL;
	*end = '\0';
	*rest = end + 1;
	return line;
}

/* What is behind @word and a blank in @line; NULL: it begins otherwise. */
static char *behind(char *line, const char *word)
{
	size_t len = strlen(word);

	return !strncmp(line, word, len) && line[len] == ' ' ? line + len + 1 : NULL;
}

/* Decimal numbers, a blank between two of them, and nothing else. */
static bool parse_numbers(const char *text, uint64_t *numbers, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		char *end;

		if (*text < '0' || *text > '9')
			return false;
		errno = 0;
		numbers[i] = strtoull(text, &end, 10);
		if (errno || *end != (i + 1 < count ? ' ' : '\0'))
			return false;
		text = end + 1;
	}
	return true;
}

/* Without a suffix of compression. */
static size_t base_len(const char *name)
{
	const size_t len = strlen(name), suffix = strlen(FRAME_SUFFIX);

	return len > suffix && !strcmp(name + len - suffix, FRAME_SUFFIX) ? len - suffix : len;
}

static int add_stream(struct end_file *file, char *text)
{
	char *blank = strchr(text, ' ');
	struct end_file_stream *streams = file->streams;
	uint64_t numbers[NUMBERS];

	if (!blank || blank == text || memchr(text, '/', (size_t)(blank - text)) ||
	    !parse_numbers(blank + 1, numbers, NUMBERS))
		return -EBADMSG;
	*blank = '\0';
	if (text[base_len(text)])
		return -EBADMSG;
	if (!(file->count & (file->count - 1))) /* it has room for powers of two */
		streams =
			reallocarray(streams, file->count ? 2 * file->count : 1, sizeof(*streams));
	if (!streams)
		return -ENOMEM;
	file->streams = streams;
	/* The packets that follow losses tell them: no more is to come at the end. */
	streams[file->count++] = (struct end_file_stream){
		.name = text,
		.total = {.events = numbers[0], .packets = numbers[2], .last_packet = numbers[3]},
	};
	return 0;
}

static int compare_names(const void *left, const void *right)
{
	const struct end_file_stream *a = left, *b = right;

	return strcmp(a->name, b->name);
}

static int parse(struct end_file *file, struct problem_list *missing)
{
	char *rest = file->text, *line = take_line(&rest), *text;
	uint64_t ends[3];
	int err = line && !strcmp(line, HEAD) ? 0 : -EBADMSG;

	while (!err && (line = take_line(&rest))) {
		if ((text = behind(line, "stream")))
			err = add_stream(file, text);
		else if ((text = behind(line, "missing")))
			problem_list_add(missing, "%s", text);
		else if ((text = behind(line, "end")))
			return *rest || !parse_numbers(text, ends, 3) || ends[2] != file->count ?
				       -EBADMSG :
				       0;
		else
			err = -EBADMSG;
	}
	return err ?: -EBADMSG; /* without its last line */
}

int end_file_parse(struct end_file *file, char *text, size_t len, struct problem_list *missing)
{
	int err;

	*file = (struct end_file){.text = text};
	err = strlen(text) == len ? parse(file, missing) : -EBADMSG;
	if (err)
		end_file_fini(file);
	else if (file->count)
		qsort(file->streams, file->count, sizeof(*file->streams), compare_names);
	return err;
}

int end_file_load(struct end_file *file, int dir, struct problem_list *missing)
{
	char *text;
	size_t len;
	int err = file_load(dir, END_FILE_NAME, FILE_MAX_BYTES, &text, &len);

	*file = (struct end_file){0};
	return err ?: end_file_parse(file, text, len, missing);
}

void end_file_fini(struct end_file *file)
{
	free(file->text);
	free(file->streams);
	*file = (struct end_file){0};
}

void end_file_judge(int err, struct trace_end *end)
{
	end->kind = err ? TRACE_END_MISSING : TRACE_END_MARKED;
	if (err == -ENOENT)
		problem_list_add(&end->missing,
				 "incomplete: it has no end mark (" END_FILE_NAME "): sonde "
				 "convert did not finish, or this copy has no hidden files");
	else if (err)
		problem_list_add(&end->missing,
				 "incomplete: its end mark (" END_FILE_NAME ") cannot be read: %s",
				 err == -EBADMSG ? "it is damaged" : strerror(-err));
}

const struct end_file_stream *end_file_find(const struct end_file *file, const char *name)
{
	size_t low = 0, high = file->count, len = base_len(name);

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const char *other = file->streams[middle].name;
		int order = strncmp(other, name, len);

		if (!order && !other[len])
			return &file->streams[middle];
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}
