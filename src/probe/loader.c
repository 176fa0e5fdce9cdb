// SPDX-License-Identifier: BSD-2-Clause
#include "probe/loader.h"

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/io.h"
#include "probe/core_types.h"
#include "probe/loader_state.h"
#include "probe/netfilter.h"
#include "probe/objects.h"

struct program *loader_chosen(struct loader *l, const char *object, const char *name)
{
	for (size_t i = 0; i < l->program_count; i++) {
		struct program *p = &l->programs[i];

		if (!strcmp(p->hook->object, object) && !strcmp(p->hook->program, name))
			return p;
	}
	return NULL;
}

static int program_add(struct loader *l, const char *name, struct hook *hook)
{
	if (loader_chosen(l, hook->object, hook->program))
		return 0; /* it makes another measurement too */
	if (l->program_count == LOADER_PROGRAMS_MAX)
		return -E2BIG;
	l->programs[l->program_count++] =
		(struct program){.name = name, .hook = hook, .clone_fd = -1, .watch_fd = -1};
	return 0;
}

bool loader_is_on(const struct loader *l, const struct measurement *m)
{
	return l->on[m->class.index] && measurement_usable(m);
}

/* The preferred usable hook of every part of @m; nothing where a part has none. */
static int choose_measurement(struct loader *l, struct measurement *m)
{
	int err = 0;

	if (!measurement_usable(m))
		return 0;
	for (size_t i = 0; !err && i < m->hook_count; i++) {
		if (measurement_makes(m, &m->hooks[i]))
			err = program_add(l, m->name, &m->hooks[i]);
	}
	return err;
}

/* Whether one of the chosen programs is of that object, at a hook of that kind. */
static bool any_chosen(const struct loader *l, const char *object, const char *kind)
{
	for (size_t i = 0; i < l->program_count; i++) {
		const struct hook *hook = l->programs[i].hook;

		if (!strcmp(hook->object, object) && !strncmp(hook->section, kind, strlen(kind)))
			return true;
	}
	return false;
}

static bool service_needed(const struct loader *l, const char *name)
{
	const struct filter_config *filter = l->config.filter;

	if (!strcmp(name, "cgroups"))
		return true;
	if (!strcmp(name, "follow"))
		return filter->follow;
	if (!strcmp(name, "commits"))
		return any_chosen(l, "fs", "tp_btf/block_dirty_buffer");
	if (!strcmp(name, "netns"))
		return any_chosen(l, "net", "netfilter/");
	if (!strcmp(name, "socket_number"))
		return any_chosen(l, "net", "");
	if (!strcmp(name, "net_owner") && !any_chosen(l, "net", ""))
		return false;
	return filter->by_pid || filter->comm_count; /* "owner" */
}

static int choose_services(struct loader *l)
{
	int err = 0;

	for (size_t i = 0; !err && i < l->cat->service_count; i++) {
		struct service *service = &l->cat->services[i];

		if (service->hook.usable && service_needed(l, service->name))
			err = program_add(l, service->name, &service->hook);
	}
	return err;
}

static int choose(struct loader *l, const bool *wanted)
{
	int err = 0;

	for (size_t i = 0; !err && i < l->cat->count; i++) {
		struct measurement *m = &l->cat->items[i];

		if (!wanted[i] && !measurement_internal(m))
			continue;
		err = choose_measurement(l, m);
		l->on[i] = true;
	}
	return err ?: choose_services(l);
}

int loader_want(struct loader *l, const bool *which)
{
	int err = 0;

	for (size_t i = 0; !err && i < l->cat->count; i++) {
		if (which[i])
			err = choose_measurement(l, &l->cat->items[i]);
	}
	return err ?: choose_services(l);
}

bool loader_is_loaded(struct loader *l)
{
	for (size_t i = 0; i < OBJECT_COUNT; i++) {
		if (loader_object_wanted(l, object_name(i)))
			return false;
	}
	return true;
}

/* An alternative that takes a refused program's place may bring its stand-in. */
static int load_chosen(struct loader *l)
{
	int err;

	do {
		err = loader_load_all(l) ?: loader_want(l, l->on);
	} while (!err && !loader_is_loaded(l));
	return err;
}

/* What is refused is no longer usable: no error. */
int loader_load(struct loader *l)
{
	int err = load_chosen(l);

	return err == -ENOMEM ? err : 0;
}

/* Where that is not possible libbpf reads the kernel's types itself, and takes its time. */
static void make_types(struct loader *l)
{
	const struct btf *objects[OBJECT_COUNT];
	struct btf *types = NULL;

	for (size_t i = 0; i < OBJECT_COUNT; i++)
		objects[i] = catalogue_object_btf(l->cat, i);
	if (!l->cat->kernel || core_types_make(l->cat->kernel, objects, OBJECT_COUNT, &types))
		return;
	l->types_fd = core_types_file(types);
	btf__free(types);
	if (l->types_fd >= 0)
		snprintf(l->types_path, sizeof(l->types_path), "/proc/self/fd/%d", l->types_fd);
	if (access(l->types_path, R_OK))
		*l->types_path = 0;
}

int loader_open(struct catalogue *cat, const bool *wanted, const struct loader_config *config,
		struct loader **ret, struct diag *diag)
{
	struct loader *l = calloc(1, sizeof(*l));
	int err = -ENOMEM;

	if (!l)
		return -ENOMEM;
	l->cat = cat;
	l->config = *config;
	l->types_fd = -1;
	make_types(l);
	l->log = malloc(LOG_BYTES);
	l->on = calloc(cat->room, sizeof(*l->on));
	l->config.netfilter = netfilter_new(config->filter, config->warden);
	if (!l->log || !l->on || !l->config.netfilter)
		goto fail;
	err = choose(l, wanted) ?: load_chosen(l);
	if (err) {
		diag_set(diag, err, "loading the programs fails: %s", strerror(-err));
		goto fail;
	}
	*ret = l;
	return 0;

fail:
	loader_close(l);
	return err;
}

static void program_close(struct program *p)
{
	fd_close(p->clone_fd);
	fd_close(p->watch_fd);
}

void loader_close(struct loader *l)
{
	if (!l)
		return;
	loader_detach(l);
	for (size_t i = 0; i < l->program_count; i++)
		program_close(&l->programs[i]);
	for (size_t i = 0; i < l->object_count; i++)
		bpf_object__close(l->objects[i]);
	for (size_t i = 0; i < l->map_count; i++)
		fd_close(l->maps[i].fd);
	fd_close(l->types_fd);
	netfilter_free(l->config.netfilter);
	free(l->log);
	free(l->on);
	free(l);
}

int loader_map(const struct loader *l, const char *name)
{
	for (size_t i = 0; i < l->map_count; i++) {
		if (!strncmp(l->maps[i].name, name, sizeof(l->maps[i].name) - 1))
			return l->maps[i].fd;
	}
	return -ENOENT;
}
