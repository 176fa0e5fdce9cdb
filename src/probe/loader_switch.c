// SPDX-License-Identifier: BSD-2-Clause
#include "probe/loader.h"
#include "probe/loader_state.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/diag.h"
#include "probe/attach.h"
#include "probe/netfilter.h"
#include "probe/tracepoint.h"
#include "probe/warden.h"
#include "wire/measure.h"
#include "wire/netns.h"

bool program_makes(const struct program *p, const struct measurement *m)
{
	for (size_t i = 0; i < m->hook_count; i++) {
		const struct hook *hook = &m->hooks[i];

		if (!strcmp(hook->object, p->hook->object) &&
		    !strcmp(hook->program, p->hook->program) && measurement_makes(m, hook))
			return true;
	}
	return false;
}

/* Services stay: the tasks that they follow, and the sockets that they mark, must be known when a
 * measurement is enabled. */
static bool is_service(const struct loader *l, const struct program *p)
{
	for (size_t i = 0; i < l->cat->service_count; i++) {
		if (p->hook == &l->cat->services[i].hook)
			return true;
	}
	return false;
}

static bool program_needed(const struct loader *l, const struct program *p)
{
	for (size_t i = 0; i < l->cat->count; i++) {
		const struct measurement *m = &l->cat->items[i];

		if (loader_is_on(l, m) && program_makes(p, m))
			return true;
	}
	return is_service(l, p);
}

/* For the programs that make several. An object that has none lacks the map. */
static void tell_switches(const struct loader *l)
{
	int fd = loader_map(l, "measure_on");
	uint64_t words[MEASURE_WORDS] = {0};
	uint32_t key = 0;

	for (size_t i = 0; i < l->cat->count; i++) {
		uint32_t id = l->cat->items[i].class.id;

		if (l->on[i] && id / 64 < MEASURE_WORDS)
			words[id / 64] |= 1ull << id % 64;
	}
	if (fd >= 0)
		(void)bpf_map_update_elem(fd, &key, words, BPF_ANY);
}

/* Run by note_open_files. */
static bool is_late(const struct program *p)
{
	return !strcmp(p->name, "open_tasks") || !strcmp(p->name, "open_files");
}

static int program_attach(const struct loader *l, struct program *p)
{
	const struct tracepoint *tp = p->hook->tracepoint;

	if (tp)
		return attachment_open_tracepoint(p->clone_fd, p->watch_fd, tp, &p->attachment);
	return attachment_open(p->bpf, p->hook->section, &l->config, &p->attachment);
}

/* Whether all needed programs are attached; refused ones are no longer usable. */
static bool attach_each(struct loader *l)
{
	bool all = true;

	for (size_t i = 0; i < l->program_count; i++) {
		struct program *p = &l->programs[i];
		int err;

		if (!program_is_loaded(p) || p->attachment || !program_needed(l, p))
			continue;
		err = program_attach(l, p);
		if (!err && is_service(l, p) && !is_late(p) && attachment_is_run(p->attachment))
			err = attachment_run(p->attachment, 0); /* once: it serves the others */
		if (err)
			loader_refuse(l, p, err, "attach", warden_why(l->config.warden));
		all &= !err;
	}
	return all;
}

/* Each refusal leaves fewer alternatives, so it ends. */
static void attach_needed(struct loader *l)
{
	while (!attach_each(l) && !loader_want(l, l->on) && !loader_is_loaded(l)) {
		if (loader_load(l))
			return;
	}
}

static void detach_idle(struct loader *l)
{
	struct attachment *idle[LOADER_PROGRAMS_MAX];
	size_t count = 0;

	for (size_t i = l->program_count; i-- > 0;) {
		struct program *p = &l->programs[i];

		if (!p->attachment || program_needed(l, p))
			continue;
		idle[count++] = p->attachment;
		p->attachment = NULL;
	}
	attachments_close(idle, count);
}

static bool is_recording(const struct loader *l)
{
	for (size_t i = 0; i < l->cat->count; i++) {
		const struct measurement *m = &l->cat->items[i];

		if (!measurement_internal(m) && loader_is_on(l, m))
			return true;
	}
	return false;
}

/* Once all calls are recorded that change them. What it cannot list is not known to readers. */
static void note_open_files(struct loader *l)
{
	static const char *const passes[] = {"open_tasks", "open_files"};

	for (size_t pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < l->program_count; i++) {
			const struct program *p = &l->programs[i];

			if (p->attachment && !strcmp(p->name, passes[pass]))
				(void)attachment_run(p->attachment, 0);
		}
	}
}

int loader_attach(struct loader *l, struct diag *diag)
{
	tell_switches(l);
	attach_needed(l);
	detach_idle(l); /* parts of what was refused in another part */
	if (!is_recording(l))
		return diag_set(diag, -ENOENT, "none of the chosen measurements can run here");
	note_open_files(l);
	return 0;
}

void loader_switch(struct loader *l, const bool *which, bool on)
{
	for (size_t i = 0; i < l->cat->count; i++) {
		if (which[i])
			l->on[i] = on;
	}
	tell_switches(l);
	attach_needed(l);
	detach_idle(l);
}

int loader_run(const struct loader *l, uint32_t netns)
{
	int err = 0;

	for (size_t i = 0; i < l->program_count; i++) {
		const struct program *p = &l->programs[i];

		if (p->attachment && attachment_is_run(p->attachment) && !is_service(l, p))
			err = err ?: attachment_run(p->attachment, netns);
	}
	return err;
}

void loader_tick(struct loader *l)
{
	for (size_t i = 0; i < l->program_count; i++) {
		if (l->programs[i].attachment)
			attachment_tick(l->programs[i].attachment);
	}
}

/* Without a notice, new ones are looked for all the same, but not often: it takes a look at every
 * process. */
#define LOOK_TICKS 10

void loader_follow(struct loader *l, bool tick)
{
	int fd = loader_map(l, "netns_changes");
	struct netns_changes now = l->seen;
	uint32_t key = 0;

	if (!netfilter_is_active(l->config.netfilter))
		return;
	if (fd >= 0)
		(void)bpf_map_lookup_elem(fd, &key, &now);
	l->ticks += tick;
	if (now.made != l->seen.made || l->ticks >= LOOK_TICKS) {
		l->ticks = 0;
		(void)netfilter_join_new(l->config.netfilter);
	}
	if (now.gone != l->seen.gone || tick)
		(void)netfilter_leave_lonely(l->config.netfilter);
	l->seen = now;
}

void loader_netns_refused(const struct loader *l, struct netfilter_refusals *ret)
{
	netfilter_refused(l->config.netfilter, ret);
}

void loader_detach(struct loader *l)
{
	struct attachment *all[LOADER_PROGRAMS_MAX];
	size_t count = 0;

	for (size_t i = l->program_count; i-- > 0;) {
		all[count++] = l->programs[i].attachment;
		l->programs[i].attachment = NULL;
	}
	attachments_close(all, count);
}
