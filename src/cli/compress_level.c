// SPDX-License-Identifier: BSD-2-Clause
#include "cli/compress_level.h"

#include <errno.h>
#include <stdlib.h>

#include "base/diag.h"
#include "trace/frame.h"

int compress_level_parse(const char *arg, int *ret, struct diag *diag)
{
	char *end = NULL;
	long level = arg ? strtol(arg, &end, 10) : FRAME_LEVEL_DEFAULT;

	if (arg && (end == arg || *end || level < FRAME_LEVEL_MIN || level > FRAME_LEVEL_MAX))
		return diag_set(diag, -EINVAL, "--compress: '%s' is not a level from %d to %d", arg,
				FRAME_LEVEL_MIN, FRAME_LEVEL_MAX);
	*ret = (int)level;
	return 0;
}
