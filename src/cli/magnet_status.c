// SPDX-License-Identifier: BSD-2-Clause
#include "cli/magnet_status.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/diag.h"
#include "base/escape.h"
#include "base/io.h"
#include "base/json_writer.h"
#include "cli/verb.h"
#include "record/control_dir.h"

#define TEXT_MAX_BYTES 4096u
#define NAME_BYTES 32u

static void format_name(char name[NAME_BYTES], pid_t pid)
{
	snprintf(name, NAME_BYTES, "magnet.%d", (int)pid);
}

/* A value is the rest of its line. */
static void write_line(struct buffer *out, const char *word, const char *value)
{
	buffer_string(out, word);
	buffer_char(out, ' ');
	for (const char *c = value; *c; c++)
		buffer_char(out, *c == '\n' ? '?' : *c);
	buffer_char(out, '\n');
}

static void write_text(struct buffer *out, const struct magnet_status *status)
{
	write_line(out, "file", status->file);
	write_line(out, "layout", status->layout);
	write_line(out, "events", status->events);
	buffer_format(out, "since_ns %" PRIu64 "\nroom %" PRIu64 "\nrecords %" PRIu64 "\n",
		      status->since_ns, status->room, status->records);
	buffer_format(out, "lost %" PRIu64 "\n", status->lost);
}

static int put_file(int dir, const char *name, const struct buffer *text)
{
	char temporary[NAME_BYTES + 4];
	int err = buffer_error(text), fd;

	snprintf(temporary, sizeof(temporary), "%s.new", name);
	fd = err ? -1 : openat(dir, temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0)
		return err ?: -errno;
	err = write_all(fd, text->data, text->len);
	err = fd_close(fd) ?: err;
	if (!err && renameat(dir, temporary, dir, name))
		err = -errno;
	if (err)
		(void)unlinkat(dir, temporary, 0);
	return err;
}

int magnet_status_write(int dir, const struct magnet_status *status)
{
	struct buffer text;
	char name[NAME_BYTES];
	int err;

	format_name(name, status->pid);
	buffer_init(&text);
	write_text(&text, status);
	err = put_file(dir, name, &text);
	buffer_fini(&text);
	return err;
}

void magnet_status_remove(int dir)
{
	char name[NAME_BYTES];

	format_name(name, getpid());
	(void)unlinkat(dir, name, 0);
}

static void take_text(char *to, size_t room, const char *value)
{
	snprintf(to, room, "%s", value);
	escape_blank(to);
}

static void take_word(struct magnet_status *status, const char *word, const char *value)
{
	uint64_t number = strtoull(value, NULL, 10);

	if (!strcmp(word, "file"))
		take_text(status->file, sizeof(status->file), value);
	else if (!strcmp(word, "layout"))
		take_text(status->layout, sizeof(status->layout), value);
	else if (!strcmp(word, "events"))
		take_text(status->events, sizeof(status->events), value);
	else if (!strcmp(word, "since_ns"))
		status->since_ns = number;
	else if (!strcmp(word, "room"))
		status->room = number;
	else if (!strcmp(word, "records"))
		status->records = number;
	else if (!strcmp(word, "lost"))
		status->lost = number;
}

static int read_status(int dir, const char *name, struct magnet_status *status)
{
	char *text, *line, *rest, *value;
	size_t len;
	int err = file_load(dir, name, TEXT_MAX_BYTES, &text, &len);

	if (err)
		return err;
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		value = strchr(line, ' ');
		if (!value)
			continue;
		*value = '\0';
		take_word(status, line, value + 1);
	}
	free(text);
	return 0;
}

static void print_json(const struct magnet_status *status)
{
	struct json_writer writer, *json = &writer;
	struct buffer out;

	buffer_init(&out);
	json_writer_init(json, &out);
	json_writer_object(json, NULL);
	json_writer_int(json, "pid", status->pid);
	json_writer_string(json, "file", status->file);
	json_writer_string(json, "layout", status->layout);
	json_writer_string(json, "events", status->events);
	json_writer_uint(json, "since_ns", status->since_ns);
	json_writer_uint(json, "room", status->room);
	json_writer_uint(json, "records", status->records);
	json_writer_uint(json, "lost", status->lost);
	json_writer_finish(json);
	if (!buffer_error(&out))
		fwrite(out.data, 1, out.len, stdout);
	buffer_fini(&out);
}

static void print_text(const struct magnet_status *status)
{
	char records[48], room[48], lost[48], since[40];
	time_t seconds = (time_t)(status->since_ns / NS_PER_SEC);
	struct tm tm;

	localtime_r(&seconds, &tm);
	strftime(since, sizeof(since), "%Y-%m-%d %H:%M:%S", &tm);
	count_format(records, sizeof(records), status->records);
	count_format(room, sizeof(room), status->room);
	count_format(lost, sizeof(lost), status->lost);
	printf("magnet-read, pid %d, since %s\n  to %s, layout %s\n", (int)status->pid, since,
	       status->file, status->layout);
	printf("  %s of %s records (%.1f %%), %s events lost\n  on   %s\n", records, room,
	       status->room ? 100 * (double)status->records / (double)status->room : 0.0, lost,
	       status->events);
}

/* Whether @name is one of a process that runs. */
static bool show_one(int dir, const char *name, bool json)
{
	struct magnet_status status = {0};
	int pid, end = 0;

	if (sscanf(name, "magnet.%d%n", &pid, &end) != 1 || name[end] || pid <= 0)
		return false;
	if (kill(pid, 0) && errno == ESRCH) {
		(void)unlinkat(dir, name, 0);
		return false;
	}
	status.pid = pid;
	if (read_status(dir, name, &status))
		return false; /* it has just ended */
	if (json)
		print_json(&status);
	else
		print_text(&status);
	return true;
}

static int show_all(int dir, bool json)
{
	struct dirent **entries = NULL;
	int count = scandirat(dir, ".", &entries, NULL, alphasort), shown = 0;

	for (int i = 0; i < count; i++) {
		shown += show_one(dir, entries[i]->d_name, json);
		free(entries[i]);
	}
	free(entries);
	return shown;
}

int magnet_status_show(const struct verb_spec *spec, bool json)
{
	struct diag diag = {0};
	int dir = -1, shown = 0;
	int err = control_dir_find(&dir, &diag);

	if (err && err != -ENOENT)
		return verb_fail(
			spec, err == -EPERM || err == -EACCES ? STATUS_NOT_PERMITTED : STATUS_ERROR,
			&diag);
	shown = err ? 0 : show_all(dir, json);
	(void)fd_close(dir);
	if (shown)
		return STATUS_COMPLETE;
	(void)diag_set(&diag, 0, "no magnet-read is running");
	return verb_fail(spec, STATUS_NO_MATCH, &diag);
}
