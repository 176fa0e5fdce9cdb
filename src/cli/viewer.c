// SPDX-License-Identifier: BSD-2-Clause
#include "cli/viewer.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/diag.h"

#define PATIENCE_TRIES 100 /* of 10 ms: one that has nothing to show it on says so by then */
#define NAME_BYTES 256u

extern char **environ;

/* The first of those that $BROWSER lists. */
static void find_program(char *name, size_t room)
{
	const char *browser = secure_getenv("BROWSER");

	if (browser && *browser)
		(void)snprintf(name, room, "%.*s", (int)strcspn(browser, ":"), browser);
	else
		(void)snprintf(name, room, "xdg-open");
}

/* Its exit status, or 0 if it continues. */
static int wait_a_moment(pid_t pid)
{
	int status;

	for (int i = 0; i < PATIENCE_TRIES; i++) {
		if (waitpid(pid, &status, WNOHANG) == pid)
			return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
		(void)usleep(10000);
	}
	return 0;
}

int viewer_open(const char *path, struct diag *diag)
{
	char program[NAME_BYTES];
	char *argv[] = {program, (char *)path, NULL};
	pid_t pid;
	int err, status;

	find_program(program, sizeof(program));
	err = posix_spawnp(&pid, program, NULL, NULL, argv, environ);
	if (err)
		return diag_set(diag, -err,
				"--open: cannot run '%s' (%s): set BROWSER to a program that shows "
				"pictures, or open %s in one",
				program, strerror(err), path);
	status = wait_a_moment(pid);
	if (status)
		return diag_set(
			diag, -EIO,
			"--open: '%s' ended with status %d: is there a display? The picture is "
			"in %s",
			program, status, path);
	return 0;
}
