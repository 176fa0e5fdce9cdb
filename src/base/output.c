// SPDX-License-Identifier: BSD-2-Clause
#include "base/output.h"

#include "base/io.h"

void output_init(struct output *out, int fd, bool eager)
{
	*out = (struct output){.fd = fd, .eager = eager};
	buffer_init(&out->buf);
}

void output_fini(struct output *out)
{
	buffer_fini(&out->buf);
}

int output_flush(struct output *out)
{
	if (!out->err)
		out->err = buffer_error(&out->buf);
	if (!out->err && out->buf.len)
		out->err = out->put ? out->put(out->put_ctx, out->buf.data, out->buf.len) :
				      write_all(out->fd, out->buf.data, out->buf.len);
	buffer_reset(&out->buf);
	return out->err;
}

int output_end_batch(struct output *out)
{
	return out->eager ? output_flush(out) : out->err;
}
