// SPDX-License-Identifier: BSD-2-Clause
#include "meas/meas_switch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/glob.h"
#include "base/io.h"
#include "meas/meas_form.h"

#define FILE_MAX_BYTES 16384u

int meas_switch_load(int dir, bool on[MEAS_SWITCHES])
{
	char *text, *save = NULL;
	const struct meas_entry *entry;
	size_t len;
	int err;

	memset(on, 0, MEAS_SWITCHES * sizeof(*on));
	err = file_load(dir, MEAS_SWITCH_FILE, FILE_MAX_BYTES, &text, &len);
	if (err)
		return err == -ENOENT ? 0 : err;
	for (char *word = strtok_r(text, "\n", &save); word; word = strtok_r(NULL, "\n", &save)) {
		entry = meas_entry_named(word);
		if (entry)
			on[entry->id] = true;
	}
	free(text);
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

int meas_switch_store(int dir, const bool on[MEAS_SWITCHES])
{
	const struct meas_entry *entry;
	struct buffer text;
	char name[64];
	int err;

	buffer_init(&text);
	for (size_t i = 0; (entry = meas_entry_get(i)); i++) {
		if (on[entry->id])
			buffer_format(&text, "%s\n", entry->name);
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
