// SPDX-License-Identifier: BSD-2-Clause
#include "probe/loader.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/io.h"
#include "probe/attach.h"
#include "probe/clone.h"
#include "probe/constants.h"
#include "probe/core_types.h"
#include "probe/kernel_btf.h"
#include "probe/netfilter.h"
#include "probe/objects.h"
#include "probe/tracepoint.h"
#include "wire/measure.h"
#include "wire/netns.h"
#include "wire/record.h"

#define MAP_MAX 32
#define OPEN_MAX LOADER_PROGRAMS_MAX /* each has at least one of the programs */
#define LOG_BYTES 65536

/* One program that is to run, and then runs. */
struct program {
	const char *name; /* of its measurement or service */
	struct hook *hook;
	struct bpf_program *bpf; /* NULL: not loaded, or a clone */
	int clone_fd; /* of a tracepoint of the kernel's own, once it is loaded; or -1 */
	int watch_fd; /* what counts what that one misses, where the kernel does not; or -1 */
	struct attachment *attachment; /* NULL: not attached */
};

/* The objects share their maps by name: the first one makes a map, the others take its fd. */
struct shared_map {
	char name[16];
	int fd;
};

struct loader {
	struct catalogue *cat;
	struct loader_config config;
	bool *on; /* by class.index: is wanted now */
	struct program programs[LOADER_PROGRAMS_MAX];
	size_t program_count;
	struct bpf_object *objects[OPEN_MAX];
	size_t object_count;
	struct bpf_object *mould; /* of the clones, once it is loaded */
	struct bpf_object
		*watch; /* of those that watch them; NULL: the kernel does, or it cannot be */
	struct shared_map maps[MAP_MAX];
	size_t map_count;
	char types_path[32]; /* empty: the kernel's own */
	int types_fd;
	bool uncounted; /* what the kernel's own tracepoints miss */
	char *log;
	struct netns_changes seen; /* of network namespaces */
	unsigned int ticks; /* since the last look for new ones */
};

/* The program of that name where this loader wants it, or NULL. */
static struct program *chosen(struct loader *l, const char *object, const char *name)
{
	for (size_t i = 0; i < l->program_count; i++) {
		struct program *p = &l->programs[i];

		if (!strcmp(p->hook->object, object) && !strcmp(p->hook->program, name))
			return p;
	}
	return NULL;
}

static bool program_is_loaded(const struct program *p)
{
	return p->bpf || p->clone_fd >= 0;
}

/* Not loaded yet, though it could be. Alternatives may have led to one program twice: the first
 * time counts. */
static bool is_to_load(struct loader *l, const struct program *p)
{
	return !program_is_loaded(p) && p->hook->usable &&
	       chosen(l, p->hook->object, p->hook->program) == p;
}

static int program_add(struct loader *l, const char *name, struct hook *hook)
{
	if (chosen(l, hook->object, hook->program))
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
	if (!strcmp(name, "netns"))
		return any_chosen(l, "net", "netfilter/");
	if (!strcmp(name, "net_owner") && !any_chosen(l, "net", "") && !any_chosen(l, "sock", ""))
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

static int map_find(const struct loader *l, const char *name)
{
	for (size_t i = 0; i < l->map_count; i++) {
		if (!strncmp(l->maps[i].name, name, sizeof(l->maps[i].name) - 1))
			return l->maps[i].fd;
	}
	return -ENOENT;
}

static bool map_is_shared(const struct bpf_map *map)
{
	return !strchr(bpf_map__name(map), '.');
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
		int fd = map_find(l, name);

		if (!strcmp(name, "ring_control"))
			err = bpf_map__set_max_entries(map, c->cpus);
		if (!strcmp(name, "ring_data")) {
			err = bpf_map__set_value_size(map, (1u << c->sub_shift) + RING_SLACK_BYTES);
			err = err ?: bpf_map__set_max_entries(map, c->cpus * subs);
		}
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

		if (!map_is_shared(map) || map_find(l, bpf_map__name(map)) >= 0)
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

	constants_set(obj, &l->config, l->cat);
	err = size_maps(l, obj) ?: bpf_object__load(obj) ?: keep_maps(l, obj);
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
		struct program *p = chosen(l, name, bpf_program__name(prog));
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
		struct program *p = chosen(l, name, bpf_program__name(prog));

		if (p && !program_is_loaded(p) && (!alone || p == alone))
			p->bpf = prog;
	}
	return 0;
}

static void refuse_hook(struct hook *hook, int err, const char *what, const char *why)
{
	bool permission = err == -EPERM || err == -EACCES;

	hook->usable = false;
	snprintf(hook->reason, sizeof(hook->reason), "%s %s%s: %s%s%.80s",
		 permission ? "the kernel refuses to" : "it fails to", what,
		 permission ? " it" : "", strerror(-err), *why ? ": " : "", why);
}

/* The program's hook, in every measurement that it makes. */
static void refuse(struct loader *l, struct program *p, int err, const char *what, const char *why)
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

/* Puts the next usable alternative of @p's measurement in its place; false where there is none. */
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
				refuse(l, p, err, "load", why);
				next_alternative(l, p);
			} else {
				good++;
			}
		}
	}
	return good ? 0 : whole_err;
}

static bool object_wanted(struct loader *l, const char *object)
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
		refuse(l, p, err, "load", why);
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

static int load_all(struct loader *l)
{
	int first_err = 0;
	size_t loaded = 0;

	for (size_t i = 0; i < OBJECT_COUNT; i++) {
		const char *object = object_name(i);
		int err;

		if (!object_wanted(l, object))
			continue;
		err = load_object(l, object);
		if (err && !first_err)
			first_err = err;
		loaded += !err;
	}
	return loaded ? 0 : first_err;
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
		if (object_wanted(l, object_name(i)))
			return false;
	}
	return true;
}

/* What is refused is no longer usable: no error. */
int loader_load(struct loader *l)
{
	int err = load_all(l);

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
	l->config.netfilter = netfilter_new(config->filter);
	if (!l->log || !l->on || !l->config.netfilter)
		goto fail;
	err = choose(l, wanted) ?: load_all(l);
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

static bool is_service(const struct loader *l, const struct program *p)
{
	for (size_t i = 0; i < l->cat->service_count; i++) {
		if (p->hook == &l->cat->services[i].hook)
			return true;
	}
	return false;
}

/* Whether @p makes @m, or a part of it. */
static bool program_makes(const struct program *p, const struct measurement *m)
{
	for (size_t i = 0; i < m->hook_count; i++) {
		const struct hook *hook = &m->hooks[i];

		if (!strcmp(hook->object, p->hook->object) &&
		    !strcmp(hook->program, p->hook->program) && measurement_makes(m, hook))
			return true;
	}
	return false;
}

/* Services stay: whom they follow, and what they mark, has to be known when something goes on. */
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
	int fd = map_find(l, "measure_on");
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

static int program_attach(const struct loader *l, struct program *p)
{
	const struct tracepoint *tp = p->hook->tracepoint;

	if (tp)
		return attachment_open_tracepoint(p->clone_fd, p->watch_fd, tp, &p->attachment);
	return attachment_open(p->bpf, p->hook->section, &l->config, &p->attachment);
}

static int program_fd(const struct program *p)
{
	return p->clone_fd < 0 ? bpf_program__fd(p->bpf) : p->clone_fd;
}

static void attach_needed(struct loader *l)
{
	for (size_t i = 0; i < l->program_count; i++) {
		struct program *p = &l->programs[i];

		int err;

		if (!program_is_loaded(p) || p->attachment || !program_needed(l, p))
			continue;
		err = program_attach(l, p);
		if (!err && is_service(l, p) && attachment_is_run(p->attachment))
			err = attachment_run(p->attachment); /* once: it serves the others */
		if (err)
			refuse(l, p, err, "attach", "");
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

int loader_attach(struct loader *l, struct diag *diag)
{
	tell_switches(l);
	attach_needed(l);
	detach_idle(l); /* parts of what was refused in another part */
	if (!is_recording(l))
		return diag_set(diag, -ENOENT, "none of the chosen measurements can run here");
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

int loader_run(const struct loader *l)
{
	int err = 0;

	for (size_t i = 0; i < l->program_count; i++) {
		const struct program *p = &l->programs[i];

		if (p->attachment && attachment_is_run(p->attachment) && !is_service(l, p))
			err = err ?: attachment_run(p->attachment);
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
	int fd = map_find(l, "netns_changes");
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

unsigned int loader_netns_refused(const struct loader *l)
{
	return (unsigned int)netfilter_refused(l->config.netfilter);
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

int loader_map(const struct loader *l, const char *name)
{
	return map_find(l, name);
}

static const struct {
	const char *program;
	enum stand_in which;
} stood_in_for[] = {
	{"tcp_segment", STAND_IN_SEGMENT},
	{"irq_timer_high", STAND_IN_TIMER},
	{"irq_timer_exit_high", STAND_IN_TIMER_EXIT},
	{"net_drop", STAND_IN_DROP},
	{"net_sock_recv", STAND_IN_READY},
};

/* What the stand-in of @p, if it has one, has taken on all CPUs. */
static uint64_t taken_for(const struct loader *l, const struct program *p)
{
	int fd = map_find(l, "ring_control");
	struct ring_cpu ring;
	uint64_t taken = 0;

	for (size_t i = 0; i < sizeof(stood_in_for) / sizeof(stood_in_for[0]); i++) {
		if (strcmp(stood_in_for[i].program, p->hook->program))
			continue;
		for (uint32_t cpu = 0; cpu < l->config.cpus; cpu++) {
			if (!bpf_map_lookup_elem(fd, &cpu, &ring))
				taken += ring.taken[stood_in_for[i].which];
		}
	}
	return taken;
}

static int read_info(const struct program *p, struct bpf_prog_info *info)
{
	uint32_t len = sizeof(*info);

	*info = (struct bpf_prog_info){0};
	return bpf_obj_get_info_by_fd(program_fd(p), info, &len);
}

/* A stand-in that is busy misses nothing: the program whose place it takes is not busy then. */
/* What the one that watches has seen. */
static uint64_t watched_misses(const struct loader *l, const struct program *p)
{
	uint32_t number = p->hook->tracepoint->plan.id - TRACEPOINT_FIRST_ID;
	uint64_t missed = 0;

	(void)bpf_map_lookup_elem(map_find(l, "tp_missed"), &number, &missed);
	return missed;
}

static uint64_t program_misses(const struct loader *l, const struct program *p)
{
	struct bpf_prog_info info;
	uint64_t taken;

	if (!program_is_loaded(p) || p->hook->stands_in || read_info(p, &info))
		return 0;
	if (p->watch_fd >= 0)
		return watched_misses(l, p);
	taken = info.recursion_misses ? taken_for(l, p) : 0;
	return info.recursion_misses > taken ? info.recursion_misses - taken : 0;
}

bool loader_is_uncounted(const struct loader *l)
{
	return l->uncounted;
}

bool loader_program(const struct loader *l, size_t i, const char **name, const char **section,
		    uint64_t *misses)
{
	const struct program *p;

	if (i >= l->program_count)
		return false;
	p = &l->programs[i];
	*name = p->name;
	*section = p->hook->section;
	*misses = program_misses(l, p);
	return true;
}

bool loader_program_runs(const struct loader *l, size_t i, uint64_t *runs, uint64_t *ns)
{
	const struct program *p = &l->programs[i];
	struct bpf_prog_info info;

	if (!p->attachment || read_info(p, &info))
		return false;
	*runs = info.run_cnt;
	*ns = info.run_time_ns;
	return true;
}

bool loader_program_makes(const struct loader *l, size_t i, const struct measurement *m)
{
	return loader_is_on(l, m) && program_makes(&l->programs[i], m);
}
