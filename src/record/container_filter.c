// SPDX-License-Identifier: BSD-2-Clause
/*
 * container_filter: --container, made into the cgroups of the running containers that are meant. The kernel
 * half knows cgroups only, so a container that starts later is not one of them.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/container.h"
#include "base/diag.h"
#include "base/io.h"
#include "base/map.h"
#include "record/cgroups.h"
#include "record/container_names.h"
#include "record/filter.h"

#define LISTED_BYTES 200 /* of running containers, in a message */

struct name_of {
	char text[CONTAINER_TEXT_MAX];
};

struct container_search {
	struct filter *filter;
	const char *wanted;
	struct map names; /* by container_key: struct name_of */
	char last[CGROUP_PATH_MAX]; /* the cgroup that was added last; those below it are in it */
	char listed[LISTED_BYTES]; /* names of running containers, with commas */
	size_t found;
	int err;
	struct diag *diag;
};

static void keep_name(void *ctx, const char *id, const char *name)
{
	struct container_search *search = ctx;
	const uint64_t key = container_key(id);
	struct name_of *of = map_at(&search->names, &key);

	if (of)
		(void)snprintf(of->text, sizeof(of->text), "%s", name);
}

static const char *name_of(const struct container_search *search, const struct container *container)
{
	const struct name_of *of;
	uint64_t key;

	if (!container->has_id)
		return container->text;
	key = container_key(container->text);
	of = map_get(&search->names, &key);
	return of ? of->text : NULL;
}

static void list_container(struct container_search *search, const struct container *container)
{
	const char *name = name_of(search, container);
	size_t len = strlen(search->listed);

	if (name)
		(void)snprintf(search->listed + len, sizeof(search->listed) - len, "%s%s",
			       len ? ", " : "", name);
	else
		(void)snprintf(search->listed + len, sizeof(search->listed) - len, "%s%.*s",
			       len ? ", " : "", (int)CONTAINER_ID_SHOWN, container->text);
}

static bool is_below(const char *path, const char *above)
{
	const size_t len = strlen(above);

	return len && !strncmp(path, above, len) && path[len] == '/';
}

static void look_at_cgroup(void *ctx, uint64_t id, const char *path)
{
	struct container_search *search = ctx;
	struct container container;

	(void)id; /* filter_add_cgroup finds it, and whether BPF can */
	if (search->err || is_below(path, search->last) || !container_of_path(path, &container))
		return;
	if (!container_is_wanted(search->wanted, container.has_id ? container.text : NULL,
				 name_of(search, &container))) {
		list_container(search, &container);
		return;
	}
	search->err = filter_add_cgroup(search->filter, path, search->diag);
	search->found++;
	(void)snprintf(search->last, sizeof(search->last), "%s", path);
}

static int say_not_found(const struct container_search *search)
{
	int root = cgroups_open();

	if (root < 0)
		return diag_set(search->diag, -ENOENT,
				"--container: no cgroup version 2 hierarchy is mounted (mount -t "
				"cgroup2 none DIR)");
	(void)fd_close(root);
	if (!search->listed[0])
		return diag_set(search->diag, -ENOENT, "--container: %s: no container is running",
				search->wanted);
	return diag_set(search->diag, -ENOENT, "--container: %s is not running; running: %s",
			search->wanted, search->listed);
}

int filter_add_container(struct filter *filter, const char *text, struct diag *diag)
{
	struct container_search search = {.filter = filter, .wanted = text, .diag = diag};
	struct container_names *names = container_names_new("");
	int err;

	if (!names)
		return diag_set(diag, -ENOMEM, "no memory");
	map_init(&search.names, sizeof(uint64_t), sizeof(struct name_of), 0);
	container_names_walk(names, keep_name, &search);
	err = cgroups_walk(look_at_cgroup, &search);
	if (err)
		(void)diag_set(diag, err, "--container: cannot read the cgroups: %s",
			       strerror(-err));
	else
		err = search.found ? search.err : say_not_found(&search);
	map_fini(&search.names);
	container_names_free(names);
	return err;
}
