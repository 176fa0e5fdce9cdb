// SPDX-License-Identifier: BSD-2-Clause
#include "probe/loader.h"

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/io.h"
#include "probe/loader_state.h"
#include "probe/netfilter.h"
#include "probe/objects.h"

/* What objects call their types, sorted. The names are the objects'. */
struct name {
	const char *text;
	size_t len; /* without a flavour: "sock___old" is the kernel's "sock" */
};

struct copying {
	const struct btf *kernel;
	struct btf *to;
	uint32_t *copies; /* by id in the kernel's BTF; 0 = not copied */
	struct name *names;
	size_t name_count;
};

static bool is_named_type(const struct btf_type *t)
{
	return t->name_off && (btf_is_composite(t) || btf_is_any_enum(t) || btf_is_typedef(t));
}

static int compare_names(const void *a, const void *b)
{
	const struct name *x = a, *y = b;
	int order = memcmp(x->text, y->text, x->len < y->len ? x->len : y->len);

	return order ?: (x->len > y->len) - (x->len < y->len);
}

static struct name name_of(const struct btf *btf, const struct btf_type *t)
{
	const char *text = btf__name_by_offset(btf, t->name_off);
	const char *flavour = strstr(text, "___");

	return (struct name){text, flavour ? (size_t)(flavour - text) : strlen(text)};
}

static int collect_names(struct copying *c, const struct btf *const *objects, size_t count)
{
	size_t room = 0;

	for (size_t i = 0; i < count; i++)
		room += btf__type_cnt(objects[i]);
	c->names = calloc(room + 1, sizeof(*c->names));
	if (!c->names)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		uint32_t types = btf__type_cnt(objects[i]);

		for (uint32_t id = 1; id < types; id++) {
			const struct btf_type *t = btf__type_by_id(objects[i], id);

			if (is_named_type(t))
				c->names[c->name_count++] = name_of(objects[i], t);
		}
	}
	qsort(c->names, c->name_count, sizeof(*c->names), compare_names);
	return 0;
}

static bool is_wanted(const struct copying *c, const struct btf_type *t)
{
	struct name name;

	if (!is_named_type(t))
		return false;
	name = name_of(c->kernel, t);
	return bsearch(&name, c->names, c->name_count, sizeof(name), compare_names);
}

/* Type by type, in a way that leaves them out behind pointers: so no type contains itself. */
static int copy_type(struct copying *c, uint32_t *id);

/* The types that @t, which has been copied, still names as the kernel's BTF does. */
static int copy_named(struct copying *c, struct btf_type *t)
{
	int err = 0;

	if (btf_is_array(t))
		return copy_type(c, &btf_array(t)->type) ?: copy_type(c, &btf_array(t)->index_type);
	if (!btf_is_composite(t))
		return copy_type(c, &t->type);
	for (uint16_t i = 0; !err && i < btf_vlen(t); i++)
		err = copy_type(c, &btf_members(t)[i].type);
	return err;
}

static bool names_types(const struct btf_type *t)
{
	return btf_is_composite(t) || btf_is_array(t) || btf_is_mod(t) || btf_is_typedef(t);
}

/*
 * @t behind a copy of what it names. That goes into a copy of @t first, since the new BTF moves in
 * memory as it grows.
 */
static int add_type(struct copying *c, const struct btf_type *t)
{
	size_t bytes = sizeof(*t);
	struct btf_type *copy;
	int id, err;

	if (btf_is_ptr(t) || btf_is_func_proto(t))
		return btf__add_ptr(c->to, 0);
	if (!names_types(t))
		return btf__add_type(c->to, c->kernel, t);
	bytes += btf_is_array(t) ? sizeof(struct btf_array) : 0;
	bytes += btf_is_composite(t) ? btf_vlen(t) * sizeof(struct btf_member) : 0;
	copy = malloc(bytes);
	if (!copy)
		return -ENOMEM;
	memcpy(copy, t, bytes);
	err = copy_named(c, copy);
	id = err ?: btf__add_type(c->to, c->kernel, copy);
	free(copy);
	return id;
}

/* Puts the copy's id in the place of the kernel's. */
static int copy_type(struct copying *c, uint32_t *id)
{
	const struct btf_type *t = btf__type_by_id(c->kernel, *id);
	int added;

	if (!t)
		return -EINVAL;
	if (*id && !c->copies[*id]) {
		added = add_type(c, t);
		if (added < 0)
			return added;
		c->copies[*id] = (uint32_t)added;
	}
	*id = c->copies[*id];
	return 0;
}

static int copy_wanted(struct copying *c)
{
	uint32_t count = btf__type_cnt(c->kernel);
	int err = 0;

	for (uint32_t id = 1; !err && id < count; id++) {
		uint32_t wanted = id;

		if (is_wanted(c, btf__type_by_id(c->kernel, id)))
			err = copy_type(c, &wanted);
	}
	return err;
}

int core_types_make(const struct btf *kernel, const struct btf *const *objects, size_t count,
		    struct btf **ret)
{
	struct copying c = {.kernel = kernel, .to = btf__new_empty()};
	int err = -ENOMEM;

	c.copies = calloc(btf__type_cnt(kernel), sizeof(*c.copies));
	if (c.to && c.copies)
		err = collect_names(&c, objects, count) ?: copy_wanted(&c);
	free(c.copies);
	free(c.names);
	if (err)
		btf__free(c.to);
	else
		*ret = c.to;
	return err;
}

int core_types_file(const struct btf *types)
{
	uint32_t bytes;
	const void *data = btf__raw_data(types, &bytes);
	int fd, err;

	if (!data)
		return -ENOMEM;
	fd = memfd_create("sonde-types", MFD_CLOEXEC);
	if (fd < 0)
		return -errno;
	err = write_all(fd, data, bytes);
	if (err) {
		fd_close(fd);
		return err;
	}
	return fd;
}

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
	if (!strncmp(name, "open_", 5))
		return l->config.open_files;
	if (!strcmp(name, "commits"))
		return any_chosen(l, "fs", "tp_btf/block_dirty_buffer");
	if (!strcmp(name, "dirtier"))
		return any_chosen(l, "disk", "");
	if (!strcmp(name, "netns"))
		return any_chosen(l, "net", "netfilter/");
	if (!strcmp(name, "socket_number"))
		return any_chosen(l, "net", "");
	if (!strncmp(name, "net_", 4) && !any_chosen(l, "net", ""))
		return false;
	if (!strncmp(name, "net_", 4))
		return filter->by_pid || filter->comm_count || filter->uid_count ||
		       filter->cgroup_count;
	return filter->by_pid || filter->comm_count; /* "owner" */
}

static int choose_services(struct loader *l)
{
	int err = 0;

	for (size_t i = 0; !err && i < l->cat->service_count; i++) {
		struct service *service = &l->cat->services[i];

		service->is_needed = service_needed(l, service->name) &&
				     any_chosen(l, service->hook.object, "");
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
