// SPDX-License-Identifier: BSD-2-Clause

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "probe/attach.h"
#include "probe/constants.h"
#include "probe/kernel_btf.h"
#include "probe/loader.h"
#include "probe/loader_state.h"
#include "probe/objects.h"
#include "probe/permit.h"
#include "probe/stacks.h"
#include "probe/tracepoint.h"
#include "wire/record.h"

/*
 * More programs from one that is loaded, each with another value of one of its constants.
 * libbpf has resolved maps and the kernel's layout in its instructions already, so a clone takes the
 * verifier's time and nothing else.
 */

#define LICENSE "Dual BSD/GPL" /* as the objects have it */

/* A map like the one that libbpf makes of an object's constants: frozen, so that the verifier takes
 * them for numbers. */
static int map_freeze(const void *bytes, size_t len, int *ret_fd)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_RDONLY_PROG);
	uint32_t key = 0;
	int err = 0;
	int fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "clone_rodata", sizeof(key), (uint32_t)len, 1,
				&opts);

	if (fd < 0)
		return fd;
	if (bpf_map_update_elem(fd, &key, bytes, BPF_ANY) || bpf_map_freeze(fd))
		err = -errno;
	if (err)
		fd_close(fd);
	else
		*ret_fd = fd;
	return err;
}

static int constants_make(const struct bpf_object *mould, const char *variable, const void *value,
			  size_t len, int *ret_fd)
{
	struct bpf_map *map = constants_map(mould);
	long at = constants_find(mould, variable, len);
	size_t room = 0;
	const void *bytes = map ? bpf_map__initial_value(map, &room) : NULL;
	char *copy;
	int err;

	if (!bytes || at < 0 || (size_t)at + len > room)
		return -ENOENT;
	copy = malloc(room);
	if (!copy)
		return -ENOMEM;
	memcpy(copy, bytes, room);
	memcpy(copy + at, value, len);
	err = map_freeze(copy, room, ret_fd);
	free(copy);
	return err;
}

/* Instructions that load an address within the map @from (libbpf has put its fd there) take it of
 * the map @to. */
static void replace_map(struct bpf_insn *code, size_t count, int from, int to)
{
	for (size_t i = 0; i < count; i++) {
		if (code[i].code == (BPF_LD | BPF_IMM | BPF_DW) &&
		    code[i].src_reg == BPF_PSEUDO_MAP_VALUE && code[i].imm == from)
			code[i].imm = to;
	}
}

/* Names of programs have at most 15 characters, of a few kinds. */
static void short_name(const char *name, char to[BPF_OBJ_NAME_LEN])
{
	static const char good[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.";

	snprintf(to, BPF_OBJ_NAME_LEN, "%s", name);
	for (char *c = to; *c; c++) {
		if (!strchr(good, *c))
			*c = '_';
	}
}

/* Which functions a program has, for the kernel: without, it takes none that a helper calls (bpf_loop). */
struct functions {
	struct bpf_func_info *list; /* in order */
	uint32_t count;
};

static int compare_words(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* Where the functions begin that @code calls, or gives to helpers, and the first one; each once, in order, in @starts,
 * which has room for one more than there are instructions. How many. */
static size_t find_starts(const struct bpf_insn *code, size_t count, uint32_t *starts)
{
	size_t found = 1, kept = 1;

	starts[0] = 0;
	for (size_t i = 0; i < count; i++) {
		bool call = code[i].code == (BPF_JMP | BPF_CALL) &&
			    code[i].src_reg == BPF_PSEUDO_CALL;
		bool taken = code[i].code == (BPF_LD | BPF_IMM | BPF_DW) &&
			     code[i].src_reg == BPF_PSEUDO_FUNC;

		if (call || taken)
			starts[found++] = (uint32_t)((long)i + code[i].imm + 1);
	}
	qsort(starts, found, sizeof(*starts), compare_words);
	for (size_t i = 1; i < found; i++) {
		if (starts[i] != starts[kept - 1])
			starts[kept++] = starts[i];
	}
	return kept;
}

/*
 * As the kernel has them of @prog, which is loaded. It knows where they are in what it made of the instructions; the
 * caller loads those that were given to it, so the places are found again. -ENOTSUP: it has others. The caller frees
 * ret->list.
 */
static int functions_get(const struct bpf_program *prog, struct functions *ret)
{
	const size_t count = bpf_program__insn_cnt(prog);
	uint32_t *starts = malloc((count + 1) * sizeof(*starts));
	struct bpf_prog_info info = {0};
	uint32_t len = sizeof(info);
	struct bpf_func_info *list = NULL;
	size_t found;
	int err = -ENOMEM;

	if (!starts)
		goto out;
	found = find_starts(bpf_program__insns(prog), count, starts);
	list = calloc(found, sizeof(*list));
	if (!list)
		goto out;
	info.nr_func_info = (uint32_t)found;
	info.func_info_rec_size = sizeof(*list);
	info.func_info = (uint64_t)(uintptr_t)list;
	err = bpf_obj_get_info_by_fd(bpf_program__fd(prog), &info, &len) ? -errno : 0;
	if (!err && (info.nr_func_info != found || info.func_info_rec_size != sizeof(*list)))
		err = -ENOTSUP;
	if (err)
		goto out;
	for (size_t i = 0; i < found; i++)
		list[i].insn_off = starts[i];
	*ret = (struct functions){list, (uint32_t)found};
	list = NULL;
out:
	free(starts);
	free(list);
	return err;
}

/* A second time where it is refused, for what the verifier complains of. */
static int load(enum bpf_prog_type type, const char *name, const struct bpf_insn *code,
		size_t count, struct bpf_prog_load_opts *opts, char *log, size_t log_bytes)
{
	int fd = bpf_prog_load(type, name, LICENSE, code, count, opts);

	log[0] = 0;
	if (fd >= 0)
		return fd;
	opts->log_buf = log;
	opts->log_size = (uint32_t)log_bytes;
	opts->log_level = 1;
	return bpf_prog_load(type, name, LICENSE, code, count, opts);
}

/*
 * Loads the only program of @mould once more under @name, with @value for the constant @variable.
 * The caller closes *@ret_fd. -errno of the kernel, with what the verifier said in @log.
 */
static int clone_program(const struct bpf_object *mould, const char *name, const char *variable,
			 const void *value, size_t len, char *log, size_t log_bytes, int *ret_fd)
{
	const struct bpf_program *prog = bpf_object__next_program(mould, NULL);
	size_t count = bpf_program__insn_cnt(prog);
	LIBBPF_OPTS(bpf_prog_load_opts, opts);
	struct functions functions = {0};
	struct bpf_insn *code = NULL;
	char short_form[BPF_OBJ_NAME_LEN];
	int map_fd = -1, fd, err;

	log[0] = 0;
	err = constants_make(mould, variable, value, len, &map_fd);
	if (err)
		return err;
	code = malloc(count * sizeof(*code));
	if (!code) {
		fd_close(map_fd);
		return -ENOMEM;
	}
	memcpy(code, bpf_program__insns(prog), count * sizeof(*code));
	replace_map(code, count, bpf_map__fd(constants_map(mould)), map_fd);
	short_name(name, short_form);
	if (!functions_get(prog, &functions)) {
		opts.prog_btf_fd = (uint32_t)bpf_object__btf_fd(mould);
		opts.func_info = functions.list;
		opts.func_info_cnt = functions.count;
		opts.func_info_rec_size = sizeof(*functions.list);
	}
	fd = load(bpf_program__type(prog), short_form, code, count, &opts, log, log_bytes);
	free(functions.list);
	free(code);
	fd_close(map_fd); /* the program holds the map */
	if (fd < 0)
		return fd;
	*ret_fd = fd;
	return 0;
}

/* Not loaded yet, though it could be. Alternatives may have led to one program twice: the first
 * time counts. */
static bool is_to_load(struct loader *l, const struct program *p)
{
	return !program_is_loaded(p) && p->hook->usable &&
	       loader_chosen(l, p->hook->object, p->hook->program) == p;
}

static bool map_is_shared(const struct bpf_map *map)
{
	return !strchr(bpf_map__name(map), '.');
}

/* Memory for stacks that none asks for. */
static bool is_for_nothing(const struct loader *l, const char *map)
{
	if (!strcmp(map, "stack_rooms"))
		return !stacks_any(l->cat);
	return (!strcmp(map, "unwind_rooms") || !strcmp(map, "unwind_tasks") ||
		!strcmp(map, "unwind_chunks")) &&
	       !stacks_unwind(l->cat, l->config.detail) && !stacks_any(l->cat);
}

static int size_maps(struct loader *l, struct bpf_object *obj)
{
	const struct loader_config *c = &l->config;
	uint32_t subs = c->sub_count + (RING_LEVELS - 1) * RING_NESTED_SUBS;
	struct bpf_map *map;
	int err = 0;

	bpf_object__for_each_map(map, obj)
	{
		const char *name = bpf_map__name(map);
		int fd = loader_map(l, name);

		if (!strcmp(name, "ring_control"))
			err = bpf_map__set_max_entries(map, c->cpus);
		if (!strcmp(name, "ring_data")) {
			err = bpf_map__set_value_size(map, (1u << c->sub_shift) + RING_SLACK_BYTES);
			err = err ?: bpf_map__set_max_entries(map, c->cpus * subs);
		}
		if (is_for_nothing(l, name))
			err = bpf_map__set_max_entries(map, 1);
		if (!err && fd >= 0 && map_is_shared(map))
			err = bpf_map__reuse_fd(map, fd);
		if (err)
			return err;
	}
	return 0;
}

static int keep_maps(struct loader *l, struct bpf_object *obj)
{
	struct bpf_map *map;

	bpf_object__for_each_map(map, obj)
	{
		struct shared_map *shared = &l->maps[l->map_count];

		if (!map_is_shared(map) || loader_map(l, bpf_map__name(map)) >= 0)
			continue;
		if (l->map_count == MAP_MAX)
			return -E2BIG;
		shared->fd = dup(bpf_map__fd(map));
		if (shared->fd < 0)
			return -errno;
		snprintf(shared->name, sizeof(shared->name), "%s", bpf_map__name(map));
		l->map_count++;
	}
	return 0;
}

/* The last line that the verifier wrote, which is its complaint. */
static void last_line(const char *log, char *to, size_t room)
{
	const char *end = log + strlen(log);
	const char *start;

	while (end > log && end[-1] == '\n')
		end--;
	for (start = end; start > log && start[-1] != '\n'; start--)
		;
	if (!strncmp(start, "processed ", 10) && start > log) { /* statistics come last */
		for (end = start - 1, start = end; start > log && start[-1] != '\n'; start--)
			;
	}
	snprintf(to, room, "%.*s", (int)(end - start), start);
}

static struct bpf_object *object_new(const struct loader *l, const char *name)
{
	return object_open(name, *l->types_path ? l->types_path : NULL);
}

/* Takes over @obj, which is closed with the loader. */
static int opened_load(struct loader *l, struct bpf_object *obj)
{
	int err;

	err = constants_set(obj, &l->config, l->cat);
	err = err ?: size_maps(l, obj) ?: bpf_object__load(obj) ?: keep_maps(l, obj);
	if (err) {
		bpf_object__close(obj);
		return err;
	}
	l->objects[l->object_count++] = obj;
	return 0;
}

/* An object with only the chosen programs that are not loaded yet, or only @alone. */
static int object_load(struct loader *l, const char *name, struct program *alone)
{
	struct bpf_object *obj = object_new(l, name);
	struct bpf_program *prog;
	int err;

	if (!obj)
		return -errno;
	bpf_object__for_each_program(prog, obj)
	{
		struct program *p = loader_chosen(l, name, bpf_program__name(prog));
		bool load = p && !program_is_loaded(p) && (!alone || p == alone);

		bpf_program__set_autoload(prog, load);
		attachment_prepare(prog);
		if (load && alone) {
			l->log[0] = 0;
			bpf_program__set_log_buf(prog, l->log, LOG_BYTES);
		}
	}
	err = opened_load(l, obj);
	if (err)
		return err;
	bpf_object__for_each_program(prog, obj)
	{
		struct program *p = loader_chosen(l, name, bpf_program__name(prog));

		if (p && !program_is_loaded(p) && (!alone || p == alone))
			p->bpf = prog;
	}
	return 0;
}

static void refuse_hook(struct hook *hook, int err, const char *what, const char *why)
{
	bool permission = err == -EPERM || err == -EACCES;

	if (permission && !*why)
		why = permit_lacking(hook->section);
	hook->usable = false;
	hook->refused = true;
	snprintf(hook->reason, sizeof(hook->reason), "%s %s%s: %s%s%.80s",
		 permission ? "the kernel refuses to" : "it fails to", what,
		 permission ? " it" : "", strerror(-err), *why ? ": " : "", why);
}

/* The program's hook, in every measurement that it makes. */
void loader_refuse(struct loader *l, struct program *p, int err, const char *what, const char *why)
{
	const char *object = p->hook->object, *program = p->hook->program;

	refuse_hook(p->hook, err, what, why);
	for (size_t i = 0; i < l->cat->count; i++) {
		struct measurement *m = &l->cat->items[i];

		for (size_t j = 0; j < m->hook_count; j++) {
			if (!strcmp(m->hooks[j].object, object) &&
			    !strcmp(m->hooks[j].program, program))
				refuse_hook(&m->hooks[j], err, what, why);
		}
	}
}

/* Puts the next usable alternative of @p's measurement in its place; false if it has none. */
static bool next_alternative(struct loader *l, struct program *p)
{
	for (size_t i = 0; i < l->cat->count; i++) {
		struct measurement *m = &l->cat->items[i];
		bool ours = p->hook >= m->hooks && p->hook < m->hooks + m->hook_count;
		const struct hook *hook = ours ? measurement_hook(m, p->hook->part) : NULL;

		if (hook) {
			p->hook = &m->hooks[hook - m->hooks];
			return true;
		}
	}
	return false;
}

/* After the object as a whole was refused: each program alone, to find the one to blame. */
static int load_singly(struct loader *l, const char *object, int whole_err)
{
	int good = 0;

	for (size_t i = 0; i < l->program_count; i++) {
		struct program *p = &l->programs[i];

		while (is_to_load(l, p) && !strcmp(p->hook->object, object)) {
			char why[96] = "";
			int err = object_load(l, object, p);

			if (err) {
				last_line(l->log, why, sizeof(why));
				loader_refuse(l, p, err, "load", why);
				next_alternative(l, p);
			} else {
				good++;
			}
		}
	}
	return good ? 0 : whole_err;
}

bool loader_object_wanted(struct loader *l, const char *object)
{
	for (size_t i = 0; i < l->program_count; i++) {
		const struct program *p = &l->programs[i];

		if (is_to_load(l, p) && !strcmp(p->hook->object, object))
			return true;
	}
	return false;
}

/* An object whose only program is never attached: clones are. */
static int mould_load(struct loader *l, const char *name, struct bpf_object **ret)
{
	struct bpf_object *obj = object_new(l, name);
	int err;

	if (!obj)
		return -errno;
	l->log[0] = 0;
	bpf_program__set_log_buf(bpf_object__next_program(obj, NULL), l->log, LOG_BYTES);
	err = opened_load(l, obj);
	if (!err)
		*ret = obj;
	return err;
}

/* Kernels before 6.7 do not count what these programs miss; then others watch. */
static int moulds_load(struct loader *l)
{
	int err;

	if (l->mould)
		return 0;
	err = mould_load(l, TRACEPOINT_OBJECT, &l->mould);
	if (!err && !kernel_counts_tracepoint_misses() && mould_load(l, WATCH_OBJECT, &l->watch))
		l->uncounted = true;
	return err;
}

static int clone_load(struct loader *l, struct program *p)
{
	const struct tracepoint *tp = p->hook->tracepoint;
	uint32_t number = tp->plan.id - TRACEPOINT_FIRST_ID;
	int err = clone_program(l->mould, tp->event, "cfg_plan", &tp->plan, sizeof(tp->plan),
				l->log, LOG_BYTES, &p->clone_fd);

	if (!err && l->watch &&
	    clone_program(l->watch, tp->event, "cfg_watched", &number, sizeof(number), l->log,
			  LOG_BYTES, &p->watch_fd))
		l->uncounted = true;
	return err;
}

static int load_clones(struct loader *l)
{
	int first_err = moulds_load(l), good = 0;

	for (size_t i = 0; i < l->program_count; i++) {
		struct program *p = &l->programs[i];
		int err = first_err;
		char why[96];

		if (program_is_loaded(p) || !p->hook->usable || !p->hook->tracepoint)
			continue;
		err = err ?: clone_load(l, p);
		good += !err;
		if (!err)
			continue;
		last_line(l->log, why, sizeof(why));
		loader_refuse(l, p, err, "load", why);
	}
	return good ? 0 : first_err;
}

static int load_object(struct loader *l, const char *object)
{
	int err;

	if (!strcmp(object, TRACEPOINT_OBJECT))
		return load_clones(l);
	err = object_load(l, object, NULL);
	return err && err != -ENOMEM ? load_singly(l, object, err) : err;
}

int loader_load_all(struct loader *l)
{
	int first_err = 0;
	size_t loaded = 0;

	for (size_t i = 0; i < OBJECT_COUNT; i++) {
		const char *object = object_name(i);
		int err;

		if (!loader_object_wanted(l, object))
			continue;
		err = load_object(l, object);
		if (err && !first_err)
			first_err = err;
		loaded += !err;
	}
	return loaded ? 0 : first_err;
}
