// SPDX-License-Identifier: BSD-2-Clause
#include "cli/permissions.h"

#include <errno.h>
#include <grp.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/diag.h"

#define MODE_DEFAULT 0600

int permissions_parse(const char *text, struct permissions *ret, struct diag *diag)
{
	char *end;
	unsigned long mode = strtoul(text, &end, 8);

	if (*text < '0' || *text > '7' || *end || mode > 0777)
		return diag_set(diag, -EINVAL,
				"--permissions: '%s' is not an octal number up to 775", text);
	if ((mode & 0600) != 0600)
		return diag_set(
			diag, -EINVAL,
			"--permissions: '%s' takes reading or writing from the owner: 600 is the "
			"least",
			text);
	if (mode & 0002)
		return diag_set(diag, -EINVAL,
				"--permissions: '%s' lets every user write: 775 is the most", text);
	ret->mode = (mode_t)mode;
	return 0;
}

int permissions_parse_group(const char *text, struct permissions *ret, struct diag *diag)
{
	const struct group *group = getgrnam(text);
	char *end;
	unsigned long gid;

	if (group) {
		ret->group = group->gr_gid;
		return 0;
	}
	gid = strtoul(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || gid >= (gid_t)-1)
		return diag_set(diag, -EINVAL, "--group: unknown group '%s'", text);
	ret->group = (gid_t)gid;
	return 0;
}

/* Directories of 0640 could not be entered, and files of 0750 are not programs. */
void permissions_apply(const struct permissions *permissions)
{
	mode_t mode = permissions && permissions->mode ? permissions->mode : MODE_DEFAULT;

	mode |= (mode & 0444) >> 2;
	(void)umask(~mode & 0777);
}
