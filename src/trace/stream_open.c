// SPDX-License-Identifier: BSD-2-Clause
#include "trace/stream_open.h"

#include <stddef.h>

#include "trace/frame_input.h"
#include "trace/stream_input.h"

int stream_open(int dir, const char *name, struct stream_input **ret)
{
	return stream_open_many(dir, NULL, name, ret);
}

int stream_open_many(int dir, const char *folder, const char *name, struct stream_input **ret)
{
	if (frame_input_is(name))
		return frame_input_open(dir, name, ret);
	return stream_input_open_file(dir, folder, name, ret);
}
