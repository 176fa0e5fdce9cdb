// SPDX-License-Identifier: BSD-2-Clause
#include "live/access/secret.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/diag.h"

int secret_check(const char *path, struct diag *diag)
{
	struct stat st;

	if (stat(path, &st))
		return diag_set(diag, -errno, "%s: %s", path, strerror(errno));
	if (st.st_uid != geteuid() && st.st_uid != 0)
		return diag_set(
			diag, -EACCES,
			"%s: belongs to another user (uid %u), which could replace it: use a file of "
			"your own",
			path, st.st_uid);
	if (st.st_mode & (S_IRWXG | S_IRWXO))
		return diag_set(diag, -EACCES, "%s: others than its owner may use it: chmod 600 %s",
				path, path);
	return 0;
}
