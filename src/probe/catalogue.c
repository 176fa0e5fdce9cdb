// SPDX-License-Identifier: BSD-2-Clause
#include "probe/catalogue.h"

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/glob.h"
#include "base/nearest.h"
#include "probe/call_classes.h"
#include "probe/cgroup_hook.h"
#include "probe/describe.h"
#include "probe/inet_diag.h"
#include "probe/kallsyms.h"
#include "probe/kernel_btf.h"
#include "probe/objects.h"
#include "probe/permit.h"
#include "probe/run_stats.h"
#include "probe/sampler.h"
#include "probe/tracepoint.h"
#include "wire/measure.h"

#define ITEM_MAX 256
#define SERVICE_MAX 24
#define GROUP_SONDE "sonde"

/* Everything that lives as long as the catalogue: the objects, whose BTF holds the names. */
struct arena {
	struct bpf_object *objects[OBJECT_COUNT];
	struct describe *describe;
	struct call_classes *calls;
	int functions_errno; /* permit_functions */
	struct measurement items[ITEM_MAX + TRACEPOINT_MAX];
	struct service services[SERVICE_MAX];
};

/* One BPF object while its BTF is read. */
struct reading {
	struct catalogue *cat;
	struct arena *arena;
	const char *object;
	struct bpf_object *bpf;
	const struct btf *btf;
	struct diag *diag;
};

const struct event_class *measurement_class(const struct measurement *m, size_t i)
{
	if (!i)
		return &m->class;
	for (size_t k = 0; m->calls && k < call_classes_count(m->calls); k++) {
		if (call_classes_chosen(m->calls, k) && !--i)
			return call_classes_get(m->calls, k);
	}
	return NULL;
}

struct measurement *catalogue_get(const struct catalogue *cat, uint32_t id)
{
	for (size_t i = 0; i < cat->count; i++) {
		if (cat->items[i].class.id == id)
			return &cat->items[i];
	}
	return NULL;
}

/* Splits "ID:name:record:text" in place, which belongs to the describer. */
static int split_tag(char *tag, char *parts[4])
{
	for (int i = 0; i < 3; i++) {
		parts[i] = tag;
		tag = strchr(tag, ':');
		if (!tag)
			return -EINVAL;
		*tag++ = 0;
	}
	parts[3] = tag;
	return 0;
}

static void item_group(struct measurement *m)
{
	size_t len = strcspn(m->name, ".");

	snprintf(m->group, sizeof(m->group), "%.*s", (int)len, m->name);
}

/* The measurement of a "measure:" tag, made where it is the first time that it is met. */
static int item_make(struct reading *r, const char *tag, struct measurement **ret)
{
	char *copy = describe_copy(r->arena->describe, tag);
	struct measurement *m;
	char *parts[4];
	int64_t id;

	if (!copy)
		return -ENOMEM;
	if (split_tag(copy, parts) || describe_enum_value(r->btf, "measure_id", parts[0], &id))
		return diag_set(r->diag, -EINVAL, "%s.bpf.o: tag '%s' is malformed", r->object,
				tag);
	m = catalogue_get(r->cat, (uint32_t)id);
	if (m) {
		*ret = m;
		return 0;
	}
	if (r->cat->count == ITEM_MAX)
		return diag_set(r->diag, -E2BIG, "more than %d measurements", ITEM_MAX);
	m = &r->cat->items[r->cat->count];
	*m = (struct measurement){.name = parts[1], .text = parts[3]};
	item_group(m);
	m->cost_ns = cost_of(m->name);
	m->class = (struct event_class){.id = (uint32_t)id, .name = m->name, .text = m->text};
	r->cat->count++;
	*ret = m;
	return describe_record(r->arena->describe, r->btf, r->cat->kernel, parts[2], &m->class,
			       r->diag);
}

static struct bpf_program *find_program(const struct reading *r, const char *name)
{
	return bpf_object__find_program_by_name(r->bpf, name);
}

static const char *function_name(const struct reading *r, uint32_t id)
{
	return btf__name_by_offset(r->btf, btf__type_by_id(r->btf, id)->name_off);
}

/* "function:what is missed where its address is hidden" */
static void check_address(const struct reading *r, uint32_t id, struct hook *hook)
{
	const char *tag = describe_tag(r->btf, id, -1, "hidden:", 0);
	const char *colon = tag ? strchr(tag, ':') : NULL;
	char function[64];

	if (!colon || !hook->usable)
		return;
	snprintf(function, sizeof(function), "%.*s", (int)(colon - tag), tag);
	if (!kernel_btf_has_function(r->cat->kernel, function) || kallsyms_shown())
		return;
	hook->misses = colon + 1;
	hook->because = "/proc/kallsyms shows addresses only to root with CAP_SYSLOG, and with the "
			"sysctl kernel.kptr_restrict below 2";
}

static int hook_fill(struct reading *r, uint32_t id, int part, struct hook *hook)
{
	const char *program = function_name(r, id);
	const struct bpf_program *prog = find_program(r, program);

	if (!prog)
		return diag_set(r->diag, -EINVAL, "%s.bpf.o: no program %s", r->object, program);
	*hook = (struct hook){
		.object = r->object,
		.program = bpf_program__name(prog),
		.section = bpf_program__section_name(prog),
		.part = part,
		.stands_in = describe_tag(r->btf, id, -1, "standin:", 0),
		.misses = describe_tag(r->btf, id, -1, "misses:", 0),
	};
	hook->usable = !kernel_btf_check(r->cat->kernel, hook->section, hook->reason,
					 sizeof(hook->reason));
	if (hook->usable && !strncmp(hook->section, CGROUP_HOOK_PREFIX, strlen(CGROUP_HOOK_PREFIX)))
		hook->usable = !cgroup_hook_check(hook->reason, sizeof(hook->reason));
	if (hook->usable && !strncmp(hook->section, SAMPLER_PREFIX, strlen(SAMPLER_PREFIX)))
		hook->usable = !sampler_check(hook->reason, sizeof(hook->reason));
	if (hook->usable && r->arena->functions_errno && kernel_btf_is_function(hook->section)) {
		hook->usable = false;
		snprintf(hook->reason, sizeof(hook->reason),
			 "this kernel refuses programs at functions: %s (see 'sonde doctor')",
			 strerror(r->arena->functions_errno));
	}
	check_address(r, id, hook);
	return 0;
}

/* The source without a program. A kernel may not answer; other sources work anywhere. */
static void ask_fill(const char *whom, int part, struct hook *hook)
{
	*hook = (struct hook){.object = "", .program = "", .section = whom, .part = part};
	hook->usable = strcmp(whom, INET_DIAG_NAME) ||
		       !inet_diag_check(hook->reason, sizeof(hook->reason));
}

/* "softirq:what is missed" */
static int take_context(struct reading *r, uint32_t id, struct measurement *m)
{
	const char *tag = describe_tag(r->btf, id, -1, "context:", 0);
	char *context, *colon;

	if (!tag || m->context)
		return 0;
	context = describe_copy(r->arena->describe, tag);
	if (!context)
		return -ENOMEM;
	colon = strchr(context, ':');
	if (!colon)
		return diag_set(r->diag, -EINVAL, "%s.bpf.o: tag 'context:%s' is malformed",
				r->object, tag);
	*colon = 0;
	m->context = context;
	m->misses = colon + 1;
	return 0;
}

static int take_program(struct reading *r, const char *measure, uint32_t id, int part)
{
	const char *whom = describe_tag(r->btf, id, -1, "ask:", 0);
	struct measurement *m;
	int err = item_make(r, measure, &m) ?: take_context(r, id, m);

	if (err)
		return err;
	if (m->hook_count + !!whom >= HOOK_MAX)
		return diag_set(r->diag, -E2BIG, "%s: more than %d hooks", m->name, HOOK_MAX);
	err = hook_fill(r, id, part, &m->hooks[m->hook_count++]);
	if (!err && whom)
		ask_fill(whom, part, &m->hooks[m->hook_count++]);
	return err;
}

/* A program that makes several parts has several tags, one that makes all has none. */
static int take_parts(struct reading *r, const char *measure, uint32_t id)
{
	const char *part = describe_tag(r->btf, id, -1, "part:", 0);
	int err = take_program(r, measure, id, part ? atoi(part) : 0);

	for (unsigned int n = 1; !err && (part = describe_tag(r->btf, id, -1, "part:", n)); n++)
		err = take_program(r, measure, id, atoi(part));
	return err;
}

static int take_service(struct reading *r, const char *name, uint32_t id)
{
	struct service *service;

	if (r->cat->service_count == SERVICE_MAX)
		return diag_set(r->diag, -E2BIG, "more than %d services", SERVICE_MAX);
	service = &r->cat->services[r->cat->service_count++];
	service->name = name;
	return hook_fill(r, id, 0, &service->hook);
}

/* A record that the recorder itself writes, perhaps from replies to its requests, or one that no
 * kernel can make. */
static int take_struct(struct reading *r, const char *measure, uint32_t id)
{
	const char *never = describe_tag(r->btf, id, -1, "never:", 0);
	const char *whom = describe_tag(r->btf, id, -1, "ask:", 0);
	struct measurement *m;
	int err = item_make(r, measure, &m);

	if (!err && whom)
		ask_fill(whom, 0, &m->hooks[m->hook_count++]);
	if (err || !never)
		return err;
	m->never = true;
	m->hooks[m->hook_count++] = (struct hook){.object = "", .program = "", .section = "-"};
	snprintf(m->hooks[0].reason, sizeof(m->hooks[0].reason), "%s", never);
	return 0;
}

/* A tagged function is a program, of one measurement or several; a tagged struct has none. */
static int take_tagged(struct reading *r, uint32_t id)
{
	const struct btf_type *t = btf__type_by_id(r->btf, id);
	const char *service, *measure;
	int err = 0;

	if (!btf_is_func(t) && !btf_is_struct(t))
		return 0;
	service = describe_tag(r->btf, id, -1, "service:", 0);
	if (service)
		return take_service(r, service, id);
	for (unsigned int n = 0; !err && (measure = describe_tag(r->btf, id, -1, "measure:", n));
	     n++)
		err = btf_is_func(t) ? take_parts(r, measure, id) : take_struct(r, measure, id);
	return err;
}

/* Functions come in the order of the source, so a preferred hook stands first. */
static int read_object(struct reading *r)
{
	uint32_t count;
	int err = 0;

	r->bpf = object_open(r->object, NULL);
	if (!r->bpf)
		return diag_set(r->diag, -EINVAL, "%s.bpf.o: libbpf does not open it: %s",
				r->object, strerror(errno));
	r->btf = bpf_object__btf(r->bpf);
	if (!r->btf)
		return diag_set(r->diag, -EINVAL, "%s.bpf.o: it has no BTF", r->object);
	count = btf__type_cnt(r->btf);
	for (uint32_t id = 1; !err && id < count; id++)
		err = take_tagged(r, id);
	return err;
}

static int compare_ids(const void *a, const void *b)
{
	const struct measurement *x = a, *y = b;

	return x->class.id < y->class.id ? -1 : x->class.id > y->class.id;
}

int catalogue_open(struct catalogue **ret, struct diag *diag)
{
	struct catalogue *cat = calloc(1, sizeof(*cat));
	struct arena *arena = calloc(1, sizeof(*arena));
	int err = -ENOMEM;

	if (!cat || !arena)
		goto fail;
	cat->arena = arena;
	cat->items = arena->items;
	cat->services = arena->services;
	arena->describe = describe_new();
	arena->calls = call_classes_new();
	if (!arena->describe || !arena->calls)
		goto fail;
	cat->kernel = kernel_btf_load();
	arena->functions_errno = permit_functions(cat->kernel);
	for (size_t i = 0; i < OBJECT_COUNT; i++) {
		struct reading r = {.cat = cat, .arena = arena, .diag = diag};

		r.object = object_name(i);
		err = read_object(&r);
		arena->objects[i] = r.bpf;
		if (err)
			goto fail;
	}
	qsort(cat->items, cat->count, sizeof(*cat->items), compare_ids);
	for (size_t i = 0; i < cat->count; i++)
		cat->items[i].class.index = i;
	cat->room = cat->count + TRACEPOINT_MAX;
	catalogue_get(cat, SYS_ENTER)->calls = arena->calls;
	*ret = cat;
	return 0;

fail:
	if (cat && !cat->arena)
		free(arena);
	catalogue_close(cat);
	return err;
}

void catalogue_close(struct catalogue *cat)
{
	struct arena *arena;

	if (!cat)
		return;
	arena = cat->arena;
	for (size_t i = 0; i < cat->count; i++)
		tracepoint_free(cat->items[i].hooks[0].tracepoint);
	if (arena) {
		for (size_t i = 0; i < OBJECT_COUNT; i++)
			bpf_object__close(arena->objects[i]);
		describe_free(arena->describe);
		call_classes_free(arena->calls);
	}
	btf__free(cat->kernel);
	free(arena);
	free(cat);
}

const struct btf *catalogue_object_btf(const struct catalogue *cat, size_t i)
{
	const struct arena *arena = cat->arena;

	return bpf_object__btf(arena->objects[i]);
}

void hook_forbid(struct hook *hook)
{
	if (!hook->usable || !hook_is_program(hook))
		return;
	hook->usable = false;
	hook->forbidden = true;
	snprintf(hook->reason, sizeof(hook->reason),
		 "programs are not permitted: see 'sonde doctor'");
}

void catalogue_forbid(struct catalogue *cat)
{
	cat->forbidden = true;
	for (size_t i = 0; i < cat->service_count; i++)
		hook_forbid(&cat->services[i].hook);
	for (size_t i = 0; i < cat->count; i++) {
		for (size_t j = 0; j < cat->items[i].hook_count; j++)
			hook_forbid(&cat->items[i].hooks[j]);
	}
}

bool hook_is_program(const struct hook *hook)
{
	return *hook->program;
}

void catalogue_add(struct catalogue *cat, const struct measurement *m)
{
	const struct measurement *last = &cat->items[cat->count - 1];
	struct measurement *added = &cat->items[cat->count];

	*added = *m;
	added->class.index = cat->count++;
	added->class.id = last->class.id < TRACEPOINT_FIRST_ID ? TRACEPOINT_FIRST_ID :
								 last->class.id + 1;
	added->hooks[0].tracepoint->plan.id = (uint16_t)added->class.id;
}

void catalogue_leave_out_detail(struct catalogue *cat)
{
	for (size_t i = 0; i < cat->count; i++) {
		struct event_class *class = &cat->items[i].class;
		bool own_stacks = class->id == CPU_SAMPLE && cat->items[i].stacks;

		if (!class->detail_count || own_stacks)
			continue;
		class->field_count -= class->detail_count;
		class->detail_count = 0;
		class->payload_bytes = class->offsets[class->field_count] / 8;
		class->fixed = true;
	}
}

void catalogue_leave_out_texts(struct catalogue *cat)
{
	call_classes_leave_out_texts(catalogue_get(cat, SYS_ENTER)->calls);
}

int catalogue_add_field(struct catalogue *cat, struct event_class *class, const struct field *field)
{
	struct arena *arena = cat->arena;

	return describe_add_first(arena->describe, class, field);
}

const struct hook *measurement_hook(const struct measurement *m, int part)
{
	for (size_t i = 0; i < m->hook_count; i++) {
		if (m->hooks[i].part == part && m->hooks[i].usable)
			return &m->hooks[i];
	}
	return NULL;
}

/* A stand-in has a place only beside the program that it stands in for. */
static bool has_place(const struct measurement *m, const struct hook *hook)
{
	for (size_t i = 0; hook->stands_in && i < m->hook_count; i++) {
		if (!strcmp(m->hooks[i].program, hook->stands_in))
			return measurement_makes(m, &m->hooks[i]);
	}
	return true;
}

bool measurement_makes(const struct measurement *m, const struct hook *hook)
{
	return measurement_hook(m, hook->part) == hook && has_place(m, hook);
}

const struct hook *measurement_lesser(const struct measurement *m, const char **reason)
{
	const struct hook *lesser = NULL;

	for (size_t i = 0; !lesser && i < m->hook_count; i++) {
		if (m->hooks[i].misses && measurement_makes(m, &m->hooks[i]))
			lesser = &m->hooks[i];
	}
	for (size_t i = 0; lesser && &m->hooks[i] < lesser; i++) {
		if (m->hooks[i].part == lesser->part)
			*reason = m->hooks[i].reason;
	}
	if (lesser && lesser->because)
		*reason = lesser->because;
	return lesser;
}

static bool part_is_served(const struct measurement *m, const struct hook *hook)
{
	return measurement_hook(m, hook->part) || !has_place(m, hook);
}

bool measurement_usable(const struct measurement *m)
{
	for (size_t i = 0; i < m->hook_count; i++) {
		if (!part_is_served(m, &m->hooks[i]))
			return false;
	}
	return m->hook_count > 0;
}

/* The reason of the refused hook is more useful than that of its substitute, which most kernels lack. */
const char *measurement_reason(const struct measurement *m)
{
	const char *reason = "";

	for (size_t i = 0; i < m->hook_count; i++) {
		if (part_is_served(m, &m->hooks[i]))
			continue;
		reason = m->hooks[i].reason;
		if (m->hooks[i].refused)
			break;
	}
	return reason;
}

bool measurement_forbidden(const struct measurement *m)
{
	bool forbidden = false;

	for (size_t i = 0; i < m->hook_count; i++)
		forbidden |= m->hooks[i].forbidden;
	return forbidden && !measurement_usable(m);
}

bool measurement_internal(const struct measurement *m)
{
	return !strcmp(m->group, GROUP_SONDE);
}

bool measurement_matches(const struct measurement *m, const char *pattern)
{
	if (measurement_internal(m))
		return false;
	return m->never ? !strcmp(pattern, m->name) : pattern_matches(pattern, m->name);
}

int catalogue_no_match(const struct catalogue *cat, const char *pattern, struct diag *diag)
{
	struct nearest near;

	nearest_init(&near, pattern);
	for (size_t i = 0; i < cat->count; i++) {
		if (measurement_internal(&cat->items[i]))
			continue;
		nearest_offer(&near, cat->items[i].name);
		nearest_offer(&near, cat->items[i].group);
	}
	if (near.name)
		return diag_set(diag, -ENOENT, "no measurement matches '%s': did you mean '%s'?",
				pattern, near.name);
	return diag_set(diag, -ENOENT, "no measurement matches '%s': see 'sonde list%s'", pattern,
			strncmp(pattern, TRACEPOINT_PREFIX, strlen(TRACEPOINT_PREFIX)) ?
				"" :
				" " TRACEPOINT_PREFIX "*");
}

int catalogue_tracepoint_args(const struct catalogue *cat, const char *name)
{
	return kernel_btf_tracepoint_args(cat->kernel, name);
}
