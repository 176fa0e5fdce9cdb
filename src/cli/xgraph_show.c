// SPDX-License-Identifier: BSD-2-Clause
#include "cli/xgraph_show.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/diag.h"
#include "cli/pmgraph_data.h"
#include "cli/pmgraph_draw.h"
#include "cli/xgraph_file.h"

#define PROGRAM "xgraph"
#define WINDOWS_MAX 32u
#define OPTIONS 5u /* -t TITLE -x seconds, and the program's name */

extern char **environ;

static bool is_installed(void)
{
	const char *path = secure_getenv("PATH");
	char name[4096];
	size_t len;

	for (; path && *path; path += len + (path[len] == ':')) {
		len = strcspn(path, ":");
		if (len &&
		    (size_t)snprintf(name, sizeof(name), "%.*s/" PROGRAM, (int)len, path) <
			    sizeof(name) &&
		    !access(name, X_OK))
			return true;
	}
	return false;
}

bool xgraph_can_show(void)
{
	const char *display = secure_getenv("DISPLAY");

	return display && *display && is_installed();
}

int xgraph_show_prepare(char **base)
{
	const char *tmp = secure_getenv("TMPDIR");
	char *dir = NULL;

	if (asprintf(&dir, "%s/pmgraph-XXXXXX", tmp && *tmp ? tmp : "/tmp") < 0)
		return -ENOMEM;
	if (!mkdtemp(dir)) {
		int err = -errno;

		free(dir);
		return err;
	}
	if (asprintf(base, "%s/pm", dir) < 0) {
		(void)rmdir(dir);
		free(dir);
		return -ENOMEM;
	}
	free(dir);
	return 0;
}

static int start(const struct pmgraph_data *data, const struct pmgraph_chart *chart,
		 const char *source, pid_t *pid)
{
	char title[512];
	char *argv[OPTIONS + PMGRAPH_LINES_MAX + 1] = {PROGRAM, "-t", title, "-x", "seconds"};

	(void)snprintf(title, sizeof(title), "%s: %s", source, chart->name);
	for (size_t i = 0; i < chart->count; i++) {
		const struct pmgraph_conn *conn = data->conns[chart->lines[i].conn];

		argv[OPTIONS + i] = (char *)xgraph_file_path(conn->files[chart->lines[i].param]);
	}
	return -posix_spawnp(pid, PROGRAM, NULL, NULL, argv, environ);
}

int xgraph_show(const struct pmgraph_data *data, const char *title, struct diag *diag)
{
	struct pmgraph_chart *chart = calloc(1, sizeof(*chart));
	pid_t pids[WINDOWS_MAX];
	int err = chart ? 0 : -ENOMEM, status;
	size_t count = 0;

	while (!err && count < WINDOWS_MAX && pmgraph_chart_get(data, count, chart)) {
		err = start(data, chart, title, &pids[count]);
		count += !err;
	}
	if (!err && count == WINDOWS_MAX && pmgraph_chart_get(data, count, chart))
		err = -E2BIG;
	free(chart);
	for (size_t i = 0; i < count; i++) {
		if (waitpid(pids[i], &status, 0) == pids[i] && status && !err)
			err = -EIO;
	}
	if (err == -E2BIG)
		return diag_set(diag, err,
				"more than %u graphs: choose connections by -p, or -P, or give -o",
				WINDOWS_MAX);
	if (err == -EIO)
		return diag_set(diag, err, PROGRAM " has failed: -o draws without it");
	return err ? diag_set(diag, err, PROGRAM ": %s", strerror(-err)) : 0;
}

void xgraph_show_clean(const struct pmgraph_data *data, char *base)
{
	if (!base)
		return;
	for (size_t i = 0; i < data->conn_count; i++) {
		for (size_t j = 0; j < PMGRAPH_PARAMS; j++) {
			if (data->conns[i]->files[j])
				(void)unlink(xgraph_file_path(data->conns[i]->files[j]));
		}
	}
	*strrchr(base, '/') = '\0';
	(void)rmdir(base);
	free(base);
}
