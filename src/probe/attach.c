// SPDX-License-Identifier: BSD-2-Clause
#include "probe/attach.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "probe/attach_iter.h"
#include "probe/sampler.h"

/* One kind of hook: how a program gets onto it and off again. */
struct attach_kind {
	const char *prefix; /* of the section; "" fits all */
	enum bpf_prog_type type; /* 0: libbpf knows it by the section */
	/* @target is what follows the prefix. */
	int (*open)(struct bpf_program *prog, const char *target,
		    const struct loader_config *config, void **ret);
	void (*tick)(void *state); /* NULL: nothing there comes and goes */
	void (*close)(void *state);
	int (*run)(void *state); /* where it fires when it is told to; else NULL */
};

struct attachment {
	const struct attach_kind *kind;
	void *state; /* the kind's own */
};

static int open_link(struct bpf_program *prog, const char *target,
		     const struct loader_config *config, void **ret)
{
	struct bpf_link *link = bpf_program__attach(prog); /* it reads the section itself */

	(void)target;
	(void)config;
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
	{"perf_event/", BPF_PROG_TYPE_PERF_EVENT, sampler_open, sampler_tick, sampler_close, NULL},
	{"iter/", BPF_PROG_TYPE_UNSPEC, attach_iter_open, NULL, attach_iter_close, attach_iter_run},
	/* Tracepoints and functions: what libbpf knows. */
	{"", BPF_PROG_TYPE_UNSPEC, open_link, NULL, close_link, NULL},
};

static const struct attach_kind *kind_of(const char *section)
{
	const struct attach_kind *kind = kinds;

	while (strncmp(section, kind->prefix, strlen(kind->prefix)))
		kind++;
	return kind;
}

void attachment_prepare(struct bpf_program *prog)
{
	const struct attach_kind *kind = kind_of(bpf_program__section_name(prog));

	if (kind->type)
		(void)bpf_program__set_type(prog, kind->type);
}

int attachment_open(struct bpf_program *prog, const char *section,
		    const struct loader_config *config, struct attachment **ret)
{
	struct attachment *attachment = calloc(1, sizeof(*attachment));
	int err;

	if (!attachment)
		return -ENOMEM;
	attachment->kind = kind_of(section);
	err = attachment->kind->open(prog, section + strlen(attachment->kind->prefix), config,
				     &attachment->state);
	if (err) {
		free(attachment);
		return err;
	}
	*ret = attachment;
	return 0;
}

void attachment_tick(struct attachment *attachment)
{
	if (attachment->kind->tick)
		attachment->kind->tick(attachment->state);
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
