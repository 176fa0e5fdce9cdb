// SPDX-License-Identifier: BSD-2-Clause
#include "cli/confinement.h"

#include <errno.h>
#include <limits.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/confine.h"
#include "base/diag.h"
#include "cli/verb.h"
#include "record/control_dir.h"

/* The directory in which @path is made. False: it is a device, and in none. */
static bool find_folder(const char *path, char folder[PATH_MAX])
{
	struct stat st;
	char *slash;

	if (!stat(path, &st) && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
		return false;
	if (!realpath(path, folder))
		(void)snprintf(folder, PATH_MAX, "%s", path);
	slash = folder + strlen(folder);
	while (slash > folder && slash[-1] == '/') /* "T/" */
		*--slash = '\0';
	slash = strrchr(folder, '/');
	if (!slash)
		strcpy(folder, ".");
	else
		slash[slash == folder] = '\0';
	return true;
}

/* Root may read what is another user's, and keeps that right alone, where the source is one. */
static uint64_t needed_to_read(const struct confinement *confinement)
{
	for (int i = 0; i < confinement->source_count; i++) {
		if (!confine_can_read(confinement->sources[i]))
			return 1ull << CAP_DAC_READ_SEARCH;
	}
	return 0;
}

/* One more directory in which files are written. */
static void add_writable(struct confine *to, const char *path)
{
	struct stat st;
	size_t count = 0;

	if (stat(path, &st)) /* as it will turn out */
		return;
	while (to->writable[count])
		count++;
	to->writable[count] = path;
	if (!confine_can_write(path))
		to->capabilities |= 1ull << CAP_DAC_OVERRIDE;
}

int confinement_enter(const struct verb_spec *spec, const struct confinement *confinement)
{
	struct confine to = {
		.allow = confinement->network ? CONFINE_NETWORK : 0,
		.capabilities = confinement->capabilities | needed_to_read(confinement),
	};
	char folder[PATH_MAX];
	struct diag diag;
	int err;

	for (size_t i = 0; i < CONFINEMENT_BELOW; i++) {
		if (!confinement->below[i])
			continue;
		to.allow |= CONFINE_FILES;
		add_writable(&to, confinement->below[i]);
	}
	if (confinement->makes && find_folder(confinement->makes, folder))
		add_writable(&to, folder);
	else if (confinement->makes) /* what is there is opened, wherever */
		to.writable[0] = NULL;
	if (confinement->makes) {
		to.allow |= CONFINE_FILES;
		if (!confine_can_write(confinement->makes))
			to.capabilities |= 1ull << CAP_DAC_OVERRIDE;
	}
	err = confine(&to);
	if (!err)
		return 0;
	(void)diag_set(&diag, err, "privileges cannot be dropped: %s", strerror(-err));
	return verb_fail(spec, STATUS_ERROR, &diag);
}

/* The trace that is read lies beside the control sockets, and goes at the end. */
int confinement_enter_beside_recorder(const struct verb_spec *spec, const char *makes)
{
	char sockets[CONTROL_PATH_BYTES];
	struct confinement confinement = {.makes = makes, .below = {sockets}};

	control_dir_path(sockets, sizeof(sockets));
	return confinement_enter(spec, &confinement);
}

int confinement_enter_thread(void)
{
	const struct confine confine_to = {.allow = CONFINE_NETWORK};

	return confine(&confine_to);
}
