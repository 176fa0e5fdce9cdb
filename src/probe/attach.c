// SPDX-License-Identifier: BSD-2-Clause
#include "probe/attach.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "probe/attach_iter.h"

/* One kind of hook: how a program gets onto it and off again. */
struct attach_kind {
	const char *prefix; /* of the section; "" fits all */
	/* @target is what follows the prefix. */
	int (*open)(struct bpf_program *prog, const char *target, void **ret);
	void (*close)(void *state);
	int (*run)(void *state); /* where it fires when it is told to; else NULL */
};

struct attachment {
	const struct attach_kind *kind;
	void *state; /* the kind's own */
};

static int open_link(struct bpf_program *prog, const char *target, void **ret)
{
	struct bpf_link *link = bpf_program__attach(prog); /* it reads the section itself */

	(void)target;
	if (!link)
		return -errno;
	*ret = link;
	return 0;
}

static void close_link(void *link)
{
	bpf_link__destroy(link);
}

/* The first that fits. */
static const struct attach_kind kinds[] = {
	{"iter/", attach_iter_open, attach_iter_close, attach_iter_run},
	{"", open_link, close_link, NULL}, /* tracepoints and functions: what libbpf knows */
};

static const struct attach_kind *kind_of(const char *section)
{
	const struct attach_kind *kind = kinds;

	while (strncmp(section, kind->prefix, strlen(kind->prefix)))
		kind++;
	return kind;
}

int attachment_open(struct bpf_program *prog, const char *section, struct attachment **ret)
{
	struct attachment *attachment = calloc(1, sizeof(*attachment));
	int err;

	if (!attachment)
		return -ENOMEM;
	attachment->kind = kind_of(section);
	err = attachment->kind->open(prog, section + strlen(attachment->kind->prefix),
				     &attachment->state);
	if (err) {
		free(attachment);
		return err;
	}
	*ret = attachment;
	return 0;
}

void attachment_close(struct attachment *attachment)
{
	if (!attachment)
		return;
	attachment->kind->close(attachment->state);
	free(attachment);
}

bool attachment_is_run(const struct attachment *attachment)
{
	return attachment->kind->run;
}

int attachment_run(struct attachment *attachment)
{
	return attachment->kind->run(attachment->state);
}
