// SPDX-License-Identifier: BSD-2-Clause
#include "base/conduit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/io.h"

#define PIPE_BYTES (1 << 20) /* what every user may have: fs.pipe-max-size */

struct conduit {
	int in; /* of the pipe */
	int out;
	int nowhere; /* where what no socket took goes */
	int err; /* sticky: something is in the pipe that should not be */
};

int conduit_new(struct conduit **ret)
{
	struct conduit *conduit = malloc(sizeof(*conduit));
	int ends[2], err;

	if (!conduit)
		return -ENOMEM;
	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK)) {
		err = -errno;
		free(conduit);
		return err;
	}
	*conduit = (struct conduit){.in = ends[1], .out = ends[0]};
	conduit->nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
	if (conduit->nowhere < 0) {
		err = -errno;
		conduit_free(conduit);
		return err;
	}
	(void)fcntl(conduit->in, F_SETPIPE_SZ, PIPE_BYTES); /* a smaller one does it too */
	*ret = conduit;
	return 0;
}

void conduit_free(struct conduit *conduit)
{
	if (!conduit)
		return;
	(void)fd_close(conduit->in);
	(void)fd_close(conduit->out);
	(void)fd_close(conduit->nowhere);
	free(conduit);
}

static ssize_t move(int from, loff_t *offset, int to, size_t len, unsigned int flags)
{
	ssize_t moved;

	do {
		moved = splice(from, offset, to, NULL, len, flags);
	} while (moved < 0 && errno == EINTR);
	return moved < 0 ? -errno : moved;
}

/* What no socket took. */
static void drop(struct conduit *conduit, size_t left)
{
	while (left) {
		ssize_t moved = move(conduit->out, NULL, conduit->nowhere, left, 0);

		if (moved <= 0) {
			conduit->err = moved ? (int)moved : -EIO; /* never may others get it */
			return;
		}
		left -= (size_t)moved;
	}
}

ssize_t conduit_send(struct conduit *conduit, int file, uint64_t offset, size_t len, int socket)
{
	loff_t at = (loff_t)offset;
	ssize_t in, out = 0;
	unsigned int flags = SPLICE_F_NONBLOCK;
	size_t sent = 0;

	if (conduit->err)
		return conduit->err;
	in = move(file, &at, conduit->in, len, 0);
	if (in <= 0)
		return in;
	if ((size_t)in < len)
		flags |= SPLICE_F_MORE; /* the next call follows at once */
	while (out >= 0 && sent < (size_t)in) {
		out = move(conduit->out, NULL, socket, (size_t)in - sent, flags);
		sent += out > 0 ? (size_t)out : 0;
	}
	drop(conduit, (size_t)in - sent);
	return sent ? (ssize_t)sent : out;
}
