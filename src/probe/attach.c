// SPDX-License-Identifier: BSD-2-Clause
#include "probe/attach.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "probe/attach_tracepoint.h"
#include "probe/cgroup_hook.h"
#include "probe/loader_config.h"
#include "probe/netfilter.h"
#include "probe/netfilter_link.h"
#include "probe/sampler.h"
#include "probe/warden.h"

/*
 * The kind of hook of a program that opens and closes an account on each CPU (section
 * "each_cpu/NAME"): it runs there once when it is attached, and once when it is detached. Its argument
 * says which: 0, then 1. Programs are detached in the reverse order.
 */

enum { RUN_BEGIN, RUN_END };

struct each_cpu {
	struct bpf_program *prog;
	uint32_t cpus; /* possible ones */
	bool open[]; /* of each CPU: its account */
};

/* In an interrupt of that CPU. -ENXIO: it is not on line. */
static int run_on(const struct each_cpu *each, uint32_t cpu, uint64_t what)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = &what, .ctx_size_in = sizeof(what),
		    .flags = BPF_F_TEST_RUN_ON_CPU, .cpu = cpu);

	return bpf_prog_test_run_opts(bpf_program__fd(each->prog), &opts);
}

/* As struct attach_kind has them. */
static int each_cpu_open(struct bpf_program *prog, const char *target,
			 const struct loader_config *config, void **ret)
{
	struct each_cpu *each = calloc(1, sizeof(*each) + config->cpus * sizeof(each->open[0]));

	(void)target;
	if (!each)
		return -ENOMEM;
	each->prog = prog;
	each->cpus = config->cpus;
	for (uint32_t cpu = 0; cpu < each->cpus; cpu++) {
		int err = run_on(each, cpu, RUN_BEGIN);

		each->open[cpu] = !err;
		if (err && err != -ENXIO) {
			free(each);
			return err;
		}
	}
	*ret = each;
	return 0;
}

/* Opens the accounts of CPUs that came on line. */
static void each_cpu_tick(void *state)
{
	struct each_cpu *each = state;

	for (uint32_t cpu = 0; cpu < each->cpus; cpu++) {
		if (!each->open[cpu])
			each->open[cpu] = !run_on(each, cpu, RUN_BEGIN);
	}
}

static void each_cpu_close(void *state)
{
	struct each_cpu *each = state;

	for (uint32_t cpu = 0; cpu < each->cpus; cpu++) {
		if (each->open[cpu])
			(void)run_on(each, cpu, RUN_END);
	}
	free(each);
}

/*
 * The kind of hook that fires on request: an iterator (section "iter/NAME"),
 * which shows its program every object of some kind, one after the other.
 */

/* As struct attach_kind has them. */
static int attach_iter_open(struct bpf_program *prog, const char *target,
			    const struct loader_config *config, void **ret)
{
	struct bpf_link *link = bpf_program__attach_iter(prog, NULL);

	(void)target;
	(void)config; /* the program was loaded for it */
	if (!link)
		return -errno;
	*ret = link;
	return 0;
}

static void attach_iter_close(void *link)
{
	bpf_link__destroy(link);
}

/* The program writes nothing into the file; reading it makes the kernel go on. EAGAIN: it has gone
 * past a million objects, and there are more. */
static int attach_iter_run(void *link, struct warden *warden, uint32_t netns)
{
	int fd = -1, err = 0;
	char text[64];
	ssize_t len;

	if (netns)
		err = warden_netns_iter(warden, netns, bpf_link__fd(link), &fd);
	else
		fd = bpf_iter_create(bpf_link__fd(link));
	if (err || fd < 0)
		return err ?: netns ? 0 : fd; /* nothing to see there */
	do {
		len = read(fd, text, sizeof(text));
	} while (len > 0 || (len < 0 && (errno == EAGAIN || errno == EINTR)));
	len = len < 0 ? -errno : 0;
	fd_close(fd);
	return (int)len;
}

/* One kind of hook: how a program gets onto it and off again. */
struct attach_kind {
	const char *prefix; /* of the section; "" fits all */
	int type; /* enum bpf_prog_type; 0: libbpf knows it by the section */
	int attach_type; /* enum bpf_attach_type, where the program must be loaded for it */
	/* @target is what follows the prefix. */
	int (*open)(struct bpf_program *prog, const char *target,
		    const struct loader_config *config, void **ret);
	void (*tick)(void *state); /* NULL: nothing there comes and goes */
	void (*close)(void *state);
	void (*wait)(void *state); /* until it is closed, where that takes a while; else NULL */
	/* Where it fires on request, in a network namespace (0 = here); else NULL. */
	int (*run)(void *state, struct warden *warden, uint32_t netns);
};

struct attachment {
	const struct attach_kind *kind;
	void *state; /* the kind's own */
	struct warden *warden;
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

static int open_netfilter(struct bpf_program *prog, const char *target,
			  const struct loader_config *config, void **ret)
{
	struct netfilter_hook *hook;
	int err = netfilter_hook_open(config->netfilter, prog, target, &hook);

	if (!err)
		*ret = hook;
	return err;
}

static void close_netfilter(void *hook)
{
	netfilter_hook_close(hook);
}

static int open_holders(struct bpf_program *prog, const char *target,
			const struct loader_config *config, void **ret)
{
	(void)target;
	*ret = config->netfilter;
	return netfilter_holders_open(config->netfilter, prog);
}

static void close_holders(void *nf)
{
	netfilter_holders_close(nf);
}

/* The first that fits. */
static const struct attach_kind kinds[] = {
	{SAMPLER_PREFIX, BPF_PROG_TYPE_PERF_EVENT, 0, sampler_open, sampler_tick, sampler_close,
	 NULL, NULL},
	{"each_cpu/", BPF_PROG_TYPE_RAW_TRACEPOINT, 0, each_cpu_open, each_cpu_tick, each_cpu_close,
	 NULL, NULL},
	{"netfilter/", NETFILTER_PROG_TYPE, NETFILTER_ATTACH_TYPE, open_netfilter, NULL,
	 close_netfilter, NULL, NULL},
	{CGROUP_HOOK_PREFIX, 0, 0, cgroup_hook_open, NULL, cgroup_hook_close, NULL, NULL},
	{"iter/bpf_link", 0, 0, open_holders, NULL, close_holders, NULL, NULL},
	{"iter/", 0, 0, attach_iter_open, NULL, attach_iter_close, NULL, attach_iter_run},
	/* Tracepoints and functions: what libbpf knows. */
	{"", 0, 0, open_link, NULL, close_link, NULL, NULL},
};

/* Of clones, which libbpf does not know. */
static const struct attach_kind tracepoint_kind = {
	.prefix = "tp/",
	.close = attach_tracepoint_close_begin,
	.wait = attach_tracepoint_close_end,
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
		(void)bpf_program__set_type(prog, (enum bpf_prog_type)kind->type);
	if (kind->attach_type)
		(void)bpf_program__set_expected_attach_type(
			prog, (enum bpf_attach_type)kind->attach_type);
}

int attachment_open(struct bpf_program *prog, const char *section,
		    const struct loader_config *config, struct attachment **ret)
{
	struct attachment *attachment = calloc(1, sizeof(*attachment));
	int err;

	if (!attachment)
		return -ENOMEM;
	attachment->kind = kind_of(section);
	attachment->warden = config->warden;
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

int attachment_open_tracepoint(int prog_fd, int watch_fd, const struct tracepoint *tp,
			       struct attachment **ret)
{
	struct attachment *attachment = calloc(1, sizeof(*attachment));
	int err;

	if (!attachment)
		return -ENOMEM;
	attachment->kind = &tracepoint_kind;
	err = attach_tracepoint_open(prog_fd, watch_fd, tp, &attachment->state);
	if (err) {
		free(attachment);
		return err;
	}
	*ret = attachment;
	return 0;
}

void attachments_close(struct attachment **attachments, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (attachments[i])
			attachments[i]->kind->close(attachments[i]->state);
	}
	for (size_t i = 0; i < count; i++) {
		if (attachments[i] && attachments[i]->kind->wait)
			attachments[i]->kind->wait(attachments[i]->state);
		free(attachments[i]);
	}
}

bool attachment_is_run(const struct attachment *attachment)
{
	return attachment->kind->run;
}

int attachment_run(struct attachment *attachment, uint32_t netns)
{
	return attachment->kind->run(attachment->state, attachment->warden, netns);
}
