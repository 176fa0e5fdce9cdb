// SPDX-License-Identifier: BSD-2-Clause
#include "record_format/meas/meas_switch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/glob.h"
#include "base/io.h"
#include "record_format/meas/meas_form.h"

#define FILE_MAX_BYTES 65536u

static void mark_named(const char *word, bool on[MEAS_SWITCHES])
{
	const struct meas_entry *entry = meas_entry_named(word);

	if (entry)
		on[entry->id] = true;
}

/* "@1795282091180037118 swtch setrq" */
static bool parse_change(char *line, struct meas_change *change)
{
	char *save = NULL, *end;
	const char *word = strtok_r(line + 1, " ", &save);

	*change = (struct meas_change){0};
	if (!word)
		return false;
	errno = 0;
	change->time_ns = strtoll(word, &end, 10);
	if (*end || errno || change->time_ns <= 0)
		return false;
	while ((word = strtok_r(NULL, " ", &save)))
		mark_named(word, change->on);
	return true;
}

static size_t add_change(struct meas_change list[MEAS_CHANGES_KEPT], size_t count,
			 const struct meas_change *change)
{
	if (count == MEAS_CHANGES_KEPT)
		memmove(list, list + 1, --count * sizeof(*list));
	list[count] = *change;
	return count + 1;
}

static int64_t written_at(int dir)
{
	struct stat st;

	if (fstatat(dir, MEAS_SWITCH_FILE, &st, 0))
		return 0;
	return (int64_t)st.st_mtim.tv_sec * (int64_t)NS_PER_SEC + st.st_mtim.tv_nsec;
}

int meas_switch_changes(int dir, struct meas_change ret[MEAS_CHANGES_KEPT])
{
	struct meas_change now = {.time_ns = written_at(dir)}, change;
	char *text = NULL, *save = NULL;
	size_t len, count = 0;
	int err = file_load(dir, MEAS_SWITCH_FILE, FILE_MAX_BYTES, &text, &len);

	if (err && err != -ENOENT)
		return err;
	for (char *line = err ? NULL : strtok_r(text, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		if (*line != '@')
			mark_named(line, now.on);
		else if (parse_change(line, &change))
			count = add_change(ret, count, &change);
	}
	free(text);
	if (!count || memcmp(ret[count - 1].on, now.on, sizeof(now.on)))
		count = add_change(ret, count, &now);
	return (int)count;
}

int meas_switch_load(int dir, bool on[MEAS_SWITCHES])
{
	struct meas_change changes[MEAS_CHANGES_KEPT];
	int count = meas_switch_changes(dir, changes);

	if (count < 0)
		return count;
	memcpy(on, changes[count - 1].on, sizeof(changes[0].on));
	return 0;
}

static int write_file(int dir, const char *name, const struct buffer *text)
{
	int fd = openat(dir, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666), err, end;

	if (fd < 0)
		return -errno;
	err = write_all(fd, text->data, text->len);
	end = fd_close(fd);
	err = err ?: end;
	if (!err && renameat(dir, name, dir, MEAS_SWITCH_FILE))
		err = -errno;
	if (err)
		(void)unlinkat(dir, name, 0);
	return err;
}

static void format_names(struct buffer *text, const bool on[MEAS_SWITCHES], const char *before,
			 const char *behind)
{
	const struct meas_entry *entry;

	for (size_t i = 0; (entry = meas_entry_get(i)); i++) {
		if (on[entry->id])
			buffer_format(text, "%s%s%s", before, entry->name, behind);
	}
}

int meas_switch_store(int dir, const struct meas_change *change)
{
	struct meas_change changes[MEAS_CHANGES_KEPT];
	int count = meas_switch_changes(dir, changes), err;
	struct buffer text;
	char name[64];

	if (count < 0)
		return count;
	count = (int)add_change(changes, (size_t)count, change);
	buffer_init(&text);
	format_names(&text, change->on, "", "\n");
	for (int i = 0; i < count; i++) {
		if (changes[i].time_ns <= 0) /* no file existed */
			continue;
		buffer_format(&text, "@%lld", (long long)changes[i].time_ns);
		format_names(&text, changes[i].on, " ", "");
		buffer_char(&text, '\n');
	}
	snprintf(name, sizeof(name), MEAS_SWITCH_FILE ".%d", (int)getpid());
	err = buffer_error(&text) ?: write_file(dir, name, &text);
	buffer_fini(&text);
	return err;
}

int meas_switch_mark(const char *word, bool which[MEAS_SWITCHES])
{
	const struct meas_entry *entry;
	char number[8];
	int err = -ENOENT;

	for (size_t i = 0; (entry = meas_entry_get(i)); i++) {
		snprintf(number, sizeof(number), "%u", entry->id);
		if (!glob_match(word, strlen(word), entry->name, strlen(entry->name)) &&
		    strcmp(word, number) != 0)
			continue;
		which[entry->id] = true;
		err = 0;
	}
	return err;
}

static size_t add(const char *needs[MEAS_NEEDS_MAX], size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++) {
		if (!strcmp(needs[i], name))
			return count;
	}
	if (count < MEAS_NEEDS_MAX)
		needs[count++] = name;
	return count;
}

size_t meas_switch_needs(const bool on[MEAS_SWITCHES], const char *needs[MEAS_NEEDS_MAX])
{
	const struct meas_entry *entry;
	size_t count = 0;

	for (size_t i = 0; (entry = meas_entry_get(i)); i++) {
		for (size_t n = 0; on[entry->id] && entry->needs[n]; n++)
			count = add(needs, count, entry->needs[n]);
	}
	return count;
}
