// SPDX-License-Identifier: BSD-2-Clause
#include "record/preset_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/io.h"
#include "base/nearest.h"
#include "record/preset_builtin.h"

#define SUFFIX ".preset"
#define FOLDER "sonde/presets"

enum place { PLACE_USER, PLACE_INSTALLED, PLACE_COUNT };

/* False if the user has no such place. */
static bool user_path(char path[PATH_MAX])
{
	const char *config = secure_getenv("XDG_CONFIG_HOME");
	const char *home = secure_getenv("HOME");

	if (config && *config == '/')
		return snprintf(path, PATH_MAX, "%s/" FOLDER, config) < PATH_MAX;
	return home && *home && snprintf(path, PATH_MAX, "%s/.config/" FOLDER, home) < PATH_MAX;
}

static bool installed_path(char path[PATH_MAX])
{
	char program[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", program, sizeof(program) - 1);
	char *slash;

	if (len <= 0)
		return false;
	program[len] = 0;
	for (int i = 0; i < 2; i++) { /* PREFIX/bin/sonde */
		slash = strrchr(program, '/');
		if (!slash)
			return false;
		*slash = 0;
	}
	return snprintf(path, PATH_MAX, "%s/share/" FOLDER, program) < PATH_MAX;
}

static bool place_path(enum place place, char path[PATH_MAX])
{
	return place == PLACE_USER ? user_path(path) : installed_path(path);
}

/* "web" of "web.preset". */
static bool parse_file_name(const char *file, preset_name name)
{
	size_t len = strlen(file);

	if (len <= strlen(SUFFIX) || strcmp(file + len - strlen(SUFFIX), SUFFIX))
		return false;
	len -= strlen(SUFFIX);
	if (len >= sizeof(preset_name))
		return false;
	memcpy(name, file, len);
	name[len] = 0;
	return recorder_name_is_good(name);
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(a, b);
}

static int add_name(preset_name *names, int count, const char *name)
{
	for (int i = 0; i < count; i++) {
		if (!strcmp(names[i], name))
			return count;
	}
	if (count == PRESETS_MAX)
		return count;
	strcpy(names[count], name); /* parsed or our own, so it fits */
	return count + 1;
}

static int add_names_of(preset_name *names, int count, enum place place)
{
	char path[PATH_MAX];
	DIR *dir = place_path(place, path) ? opendir(path) : NULL;
	struct dirent *entry;
	preset_name name;

	while (dir && (entry = readdir(dir))) {
		if (parse_file_name(entry->d_name, name))
			count = add_name(names, count, name);
	}
	if (dir)
		closedir(dir);
	return count;
}

int preset_names(preset_name *names)
{
	int count = 0;

	for (const struct embedded_text *one = preset_builtin; one->name; one++)
		count = add_name(names, count, one->name);
	for (enum place place = 0; place < PLACE_COUNT; place++)
		count = add_names_of(names, count, place);
	qsort(names, (size_t)count, sizeof(*names), compare_names);
	return count;
}

/* Nothing but a file of bytes: a pipe would wait for a writer. */
static int check_kind(const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return -errno;
	return S_ISREG(st.st_mode) ? 0 : -EINVAL;
}

/* -ENOENT without a message: the file does not exist. */
static int read_file(const char *name, const char *path, const char *const *settings,
		     struct preset **ret, struct diag *diag)
{
	char *text = NULL;
	size_t len = 0;
	int err = check_kind(path);

	if (err == -ENOENT || err == -ENOTDIR)
		return -ENOENT;
	if (err == -EINVAL)
		return diag_set(diag, err, "%s: it is not a regular file", path);
	err = err ?: file_load(AT_FDCWD, path, PRESET_BYTES_MAX, &text, &len);
	if (err)
		return diag_set(diag, err, "%s: %s", path, strerror(-err));
	err = preset_parse(name, path, text, len, settings, ret, diag);
	free(text);
	return err == -ENOENT ? -EINVAL : err;
}

static int read_builtin(const char *name, const char *const *settings, struct preset **ret,
			struct diag *diag)
{
	char origin[sizeof(preset_name) + 8];

	snprintf(origin, sizeof(origin), "preset %s", name);
	for (const struct embedded_text *one = preset_builtin; one->name; one++) {
		if (!strcmp(one->name, name))
			return preset_parse(name, origin, one->text, strlen(one->text), settings,
					    ret, diag);
	}
	return -ENOENT;
}

static int fail_unknown(const char *name, struct diag *diag)
{
	preset_name *names = calloc(PRESETS_MAX, sizeof(*names));
	int count = names ? preset_names(names) : 0;
	struct nearest near;

	nearest_init(&near, name);
	for (int i = 0; i < count; i++)
		nearest_offer(&near, names[i]);
	if (near.name)
		diag_set(diag, -ENOENT, "no preset '%s': did you mean '%s'?", name, near.name);
	else
		diag_set(diag, -ENOENT, "no preset '%s': see 'sonde list --presets'", name);
	free(names);
	return -ENOENT;
}

static int open_file(const char *path, const char *const *settings, struct preset **ret,
		     struct diag *diag)
{
	preset_name name;
	int err;

	recorder_name_make(path, name);
	err = read_file(name, path, settings, ret, diag);
	return err == -ENOENT ? diag_set(diag, err, "%s: no such file", path) : err;
}

int preset_open(const char *name, const char *const *settings, struct preset **ret,
		struct diag *diag)
{
	const char *from = "";
	char path[PATH_MAX + 64];
	int err = -ENOENT;

	if (strchr(name, '/'))
		return open_file(name, settings, ret, diag);
	if (!recorder_name_is_good(name))
		return fail_unknown(name, diag);
	for (enum place place = 0; err == -ENOENT && place < PLACE_COUNT; place++) {
		size_t len;

		if (!place_path(place, path))
			continue;
		len = strlen(path);
		snprintf(path + len, sizeof(path) - len, "/%s" SUFFIX, name);
		err = read_file(name, path, settings, ret, diag);
		from = place == PLACE_USER ? "yours" : "installed";
	}
	if (err == -ENOENT) {
		err = read_builtin(name, settings, ret, diag);
		from = "built in";
	}
	if (!err)
		(*ret)->place = from;
	return err == -ENOENT ? fail_unknown(name, diag) : err;
}
