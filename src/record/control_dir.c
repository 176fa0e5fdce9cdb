// SPDX-License-Identifier: BSD-2-Clause
#include "record/control_dir.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/io.h"

static const char *const suffixes[CONTROL_KINDS] = {
	[CONTROL_RECORDER] = ".sock",
	[CONTROL_RELAY] = ".relay",
};

static const char *given_path(void)
{
	const char *given = secure_getenv("SONDE_RUNTIME_DIR");

	return given && *given ? given : NULL;
}

void control_dir_path(char *path, size_t room)
{
	const char *given = given_path();
	const char *session = secure_getenv("XDG_RUNTIME_DIR");

	if (given)
		snprintf(path, room, "%s", given);
	else if (!geteuid())
		snprintf(path, room, "/run/sonde"); /* the same in a session and in a service */
	else if (session && *session)
		snprintf(path, room, "%s/sonde", session);
	else
		snprintf(path, room, "/tmp/sonde-%u", geteuid());
}

/* Root may name that of a service, which has a user of its own. */
static bool is_trusted(uid_t owner)
{
	return owner == geteuid() || (!geteuid() && given_path());
}

/* In /tmp anybody could have made it before us, or put a link there. */
static int open_path(const char *path, int *ret, struct diag *diag)
{
	struct stat st;
	int fd;

	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return diag_set(diag, -errno, "%s: %s", path, strerror(errno));
	if (fstat(fd, &st) || !is_trusted(st.st_uid) || st.st_mode & 077) {
		fd_close(fd);
		return diag_set(diag, -EPERM,
				"%s: it is not a directory of yours that is closed to others",
				path);
	}
	*ret = fd;
	return 0;
}

int control_dir_find(int *ret, struct diag *diag)
{
	char path[CONTROL_PATH_BYTES];

	control_dir_path(path, sizeof(path));
	return open_path(path, ret, diag);
}

int control_dir_open(int *ret, struct diag *diag)
{
	char path[CONTROL_PATH_BYTES];

	control_dir_path(path, sizeof(path));
	if (mkdir(path, 0700) && errno != EEXIST)
		return diag_set(diag, -errno, "%s: cannot be made: %s", path, strerror(errno));
	return open_path(path, ret, diag);
}

static bool is_name_char(char c)
{
	return isalnum((unsigned char)c) || (c && strchr("-_.", c));
}

bool recorder_name_is_good(const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < len; i++) {
		if (!is_name_char(name[i]))
			return false;
	}
	return len && len < RECORDER_NAME_BYTES && *name != '.';
}

void recorder_name_make(const char *path, char name[RECORDER_NAME_BYTES])
{
	size_t end = strlen(path), start, len;

	while (end > 1 && path[end - 1] == '/')
		end--;
	for (start = end; start && path[start - 1] != '/'; start--)
		;
	len = end - start < RECORDER_NAME_BYTES ? end - start : RECORDER_NAME_BYTES - 1;
	for (size_t i = 0; i < len; i++)
		name[i] = is_name_char(path[start + i]) ? path[start + i] : '_';
	name[len] = 0;
	if (*name == '.')
		*name = '_';
	if (!len)
		strcpy(name, "trace");
}

void control_file_format(char file[CONTROL_FILE_BYTES], enum control_kind kind, const char *name,
			 pid_t pid)
{
	snprintf(file, CONTROL_FILE_BYTES, "%s.%d%s", name, (int)pid, suffixes[kind]);
}

/* Cuts it off. */
static bool parse_suffix(char *file, enum control_kind *kind)
{
	size_t len = strlen(file);

	for (unsigned int i = 0; i < CONTROL_KINDS; i++) {
		size_t suffix = strlen(suffixes[i]);

		if (len <= suffix || strcmp(file + len - suffix, suffixes[i]))
			continue;
		file[len - suffix] = 0;
		*kind = i;
		return true;
	}
	return false;
}

bool control_file_parse(const char *file, enum control_kind *kind, char name[RECORDER_NAME_BYTES],
			pid_t *pid)
{
	char copy[CONTROL_FILE_BYTES], *dot, *end;
	long number;

	if (strlen(file) >= sizeof(copy))
		return false;
	strcpy(copy, file);
	if (!parse_suffix(copy, kind))
		return false;
	dot = strrchr(copy, '.');
	if (!dot || !isdigit((unsigned char)dot[1]))
		return false;
	*dot = 0;
	number = strtol(dot + 1, &end, 10);
	if (*end || number < 1 || number > 1 << 22 || !recorder_name_is_good(copy))
		return false;
	strcpy(name, copy);
	*pid = (pid_t)number;
	return true;
}

void control_address(struct sockaddr_un *address, int dir, const char *file)
{
	*address = (struct sockaddr_un){.sun_family = AF_UNIX};
	snprintf(address->sun_path, sizeof(address->sun_path), "/proc/self/fd/%d/%s", dir, file);
}
