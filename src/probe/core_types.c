// SPDX-License-Identifier: BSD-2-Clause
#include "probe/core_types.h"

#include <bpf/btf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/io.h"

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
