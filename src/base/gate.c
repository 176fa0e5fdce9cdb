// SPDX-License-Identifier: BSD-2-Clause
#include "base/gate.h"

#include <errno.h>

#include "base/io.h"

void gate_init(struct gate *gate, int fd, size_t hold_bytes)
{
	*gate = (struct gate){.fd = fd, .hold_bytes = hold_bytes};
	(void)pthread_mutex_init(&gate->lock, NULL);
	(void)pthread_cond_init(&gate->changed, NULL);
}

void gate_fini(struct gate *gate)
{
	(void)pthread_mutex_destroy(&gate->lock);
	(void)pthread_cond_destroy(&gate->changed);
}

void gate_close(struct gate *gate, int err)
{
	(void)pthread_mutex_lock(&gate->lock);
	if (!gate->closed)
		gate->err = err;
	gate->closed = true;
	(void)pthread_cond_broadcast(&gate->changed);
	(void)pthread_mutex_unlock(&gate->lock);
}

/* Waits until the part is due, or, with @len bytes more, does not hold too much. 1 = it is due, 0 =
 * they can be held, or -errno. */
static int wait_for(struct gate_part *part, size_t len)
{
	struct gate *gate = part->gate;
	int ret;

	(void)pthread_mutex_lock(&gate->lock);
	while (!gate->closed && gate->due != part->number &&
	       len > gate->hold_bytes - part->held.len)
		(void)pthread_cond_wait(&gate->changed, &gate->lock);
	ret = gate->due == part->number;
	if (gate->closed)
		ret = gate->err ? gate->err : -ECANCELED;
	(void)pthread_mutex_unlock(&gate->lock);
	return ret;
}

static int write_held(struct gate_part *part)
{
	int err = write_all(part->gate->fd, part->held.data, part->held.len);

	buffer_reset(&part->held);
	return err;
}

int gate_put(struct gate_part *part, const void *bytes, size_t len)
{
	int due = wait_for(part, len), err;

	if (due < 0)
		return due;
	if (!due) {
		buffer_append(&part->held, bytes, len);
		return buffer_error(&part->held);
	}
	err = part->held.len ? write_held(part) : 0;
	return err ? err : write_all(part->gate->fd, bytes, len);
}

int gate_end(struct gate_part *part)
{
	struct gate *gate = part->gate;
	int err = wait_for(part, SIZE_MAX);

	if (err < 0)
		return err;
	err = part->held.len ? write_held(part) : 0;
	(void)pthread_mutex_lock(&gate->lock);
	gate->due++;
	(void)pthread_cond_broadcast(&gate->changed);
	(void)pthread_mutex_unlock(&gate->lock);
	return err;
}
