// SPDX-License-Identifier: BSD-2-Clause
#include "probe/constants.h"

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "base/clock.h"
#include "base/map.h"
#include "probe/call_classes.h"
#include "probe/catalogue.h"
#include "probe/kallsyms.h"
#include "probe/loader_config.h"
#include "probe/sampler.h"
#include "probe/stacks.h"
#include "probe/warden.h"
#include "schema/syscalls.h"
#include "wire/kernel_call.h"
#include "wire/measure.h"
#include "wire/socket_call.h"
#include "wire/stack.h"
#include "wire/tracepoint.h"

/* The instructions of a program that is not loaded yet are const only by their prototype: libbpf
 * copies them when it loads. */
static struct bpf_insn *code_of(const struct bpf_program *prog)
{
	return (struct bpf_insn *)bpf_program__insns(prog);
}

static void resolve(struct bpf_program *prog, int32_t mark, int32_t id)
{
	struct bpf_insn *code = code_of(prog);

	for (size_t i = 0; i < bpf_program__insn_cnt(prog); i++) {
		if (code[i].code == (BPF_JMP | BPF_CALL) && !code[i].src_reg &&
		    code[i].imm == mark) {
			code[i].src_reg = BPF_PSEUDO_KFUNC_CALL;
			code[i].imm = id;
		}
	}
}

static void resolve_number(struct bpf_program *prog, int32_t mark, int32_t value)
{
	struct bpf_insn *code = code_of(prog);

	for (size_t i = 0; i < bpf_program__insn_cnt(prog); i++) {
		if (code[i].code == (BPF_ALU64 | BPF_MOV | BPF_K) && code[i].imm == mark)
			code[i].imm = value;
	}
}

bool kernel_call_resolve_preempt(const struct btf *kernel, struct bpf_object *obj)
{
	struct bpf_program *prog;
	int off, on;

	if (!kernel)
		return false;
	off = btf__find_by_name_kind(kernel, "bpf_preempt_disable", BTF_KIND_FUNC);
	on = btf__find_by_name_kind(kernel, "bpf_preempt_enable", BTF_KIND_FUNC);
	if (off < 0 || on < 0)
		return false;
	bpf_object__for_each_program(prog, obj)
	{
		resolve(prog, PREEMPT_DISABLE_MARK, off);
		resolve(prog, PREEMPT_ENABLE_MARK, on);
	}
	return true;
}

/* What is cast to. */
static const struct {
	int32_t mark;
	const char *name;
} cast_types[] = {
	{CAST_WORDS_MARK, "seccomp_data"},
	{CAST_PACKET_MARK, "sk_buff"},
	{CAST_HOOK_STATE_MARK, "nf_hook_state"},
	{CAST_SOCKET_MARK, "sock"},
};
#define CAST_TYPES (sizeof(cast_types) / sizeof(cast_types[0]))

bool kernel_call_resolve_cast(const struct btf *kernel, struct bpf_object *obj)
{
	struct bpf_program *prog;
	int cast, types[CAST_TYPES];

	cast = kernel ? btf__find_by_name_kind(kernel, "bpf_rdonly_cast", BTF_KIND_FUNC) : -ENOENT;
	if (cast < 0)
		return false;
	for (size_t i = 0; i < CAST_TYPES; i++) {
		types[i] = btf__find_by_name_kind(kernel, cast_types[i].name, BTF_KIND_STRUCT);
		if (types[i] < 0)
			return false;
	}
	bpf_object__for_each_program(prog, obj)
	{
		resolve(prog, CAST_MARK, cast);
		for (size_t i = 0; i < CAST_TYPES; i++)
			resolve_number(prog, cast_types[i].mark, types[i]);
	}
	return true;
}

struct bpf_map *constants_map(const struct bpf_object *obj)
{
	struct bpf_map *map;

	bpf_object__for_each_map(map, obj)
	{
		if (strstr(bpf_map__name(map), ".rodata"))
			return map;
	}
	return NULL;
}

long constants_find(const struct bpf_object *obj, const char *name, size_t len)
{
	const struct btf *btf = bpf_object__btf(obj);
	int section = btf__find_by_name_kind(btf, ".rodata", BTF_KIND_DATASEC);
	const struct btf_type *t;

	if (section < 0)
		return -ENOENT;
	t = btf__type_by_id(btf, (uint32_t)section);
	for (int i = 0; i < btf_vlen(t); i++) {
		const struct btf_var_secinfo *var = btf_var_secinfos(t) + i;
		const struct btf_type *v = btf__type_by_id(btf, var->type);

		if (!strcmp(btf__name_by_offset(btf, v->name_off), name) && len <= var->size)
			return var->offset;
	}
	return -ENOENT;
}

/* Those that clones of a program are given, each its own (probe/loader_load.c). */
static bool is_of_clone(const char *name)
{
	return !strcmp(name, "cfg_plan") || !strcmp(name, "cfg_watched");
}

/* An object whose constants are being set. */
struct setting {
	struct bpf_object *obj;
	struct warden *warden; /* NULL: the caller's privileges do */
	struct map done; /* offsets of those that were */
};

#define CONSTANTS_MAX 256u

/* Writes @len bytes at the variable @name of the object's constants, if it has it. libbpf has no
 * way to its own copy that is not const; writing there is what a generated skeleton does too. */
static void set_constant(struct setting *s, const char *name, const void *value, size_t len)
{
	struct bpf_map *map = constants_map(s->obj);
	long at = constants_find(s->obj, name, len);
	uint32_t offset = (uint32_t)at;
	size_t room = 0;
	char *data = map ? (char *)bpf_map__initial_value(map, &room) : NULL;

	if (!data || at < 0 || (size_t)at + len > room)
		return;
	memcpy(data + at, value, len);
	(void)map_at(&s->done, &offset);
}

/* Where the variable @name lies among the variables of each CPU, or -1. */
static int64_t find_cpu_variable(const struct btf *kernel, const char *name)
{
	int section = btf__find_by_name_kind(kernel, ".data..percpu", BTF_KIND_DATASEC);
	int id = btf__find_by_name_kind(kernel, name, BTF_KIND_VAR);
	const struct btf_type *t;

	if (section < 0 || id < 0)
		return -1;
	t = btf__type_by_id(kernel, (uint32_t)section);
	for (int i = 0; i < btf_vlen(t); i++) {
		if (btf_var_secinfos(t)[i].type == (uint32_t)id)
			return btf_var_secinfos(t)[i].offset;
	}
	return -1;
}

/* The byte of @name in the struct, or in one without a name inside it; -1 = not there. */
static int64_t find_member(const struct btf *kernel, uint32_t id, const char *name)
{
	const struct btf_type *t = btf__type_by_id(kernel, id);

	if (!t || !btf_is_composite(t))
		return -1;
	for (int i = 0; i < btf_vlen(t); i++) {
		const struct btf_member *m = btf_members(t) + i;
		const int64_t at = btf_member_bit_offset(t, (uint32_t)i) / 8;
		int64_t inner;

		if (!strcmp(btf__name_by_offset(kernel, m->name_off), name))
			return at;
		inner = m->name_off ? -1 : find_member(kernel, m->type, name);
		if (inner >= 0)
			return at + inner;
	}
	return -1;
}

/* From `runqueues` to what counts contexts (probe/context.bpf.h), both variables of each CPU; 0 = not known. */
static int64_t find_preempt_count(const struct btf *kernel)
{
	int64_t queues = kernel ? find_cpu_variable(kernel, "runqueues") : -1;
	int64_t count = queues < 0 ? -1 : find_cpu_variable(kernel, "__preempt_count"), member;
	int hot;

	if (queues >= 0 && count < 0) {
		count = find_cpu_variable(kernel, "pcpu_hot");
		hot = btf__find_by_name_kind(kernel, "pcpu_hot", BTF_KIND_STRUCT);
		member = hot < 0 ? -1 : find_member(kernel, (uint32_t)hot, "preempt_count");
		count = count < 0 || member < 0 ? -1 : count + member;
	}
	return count < 0 ? 0 : count - queues;
}

static void set_preempt_count(struct setting *s, const struct btf *kernel)
{
	int64_t at;

	if (constants_find(s->obj, "cfg_preempt_count_at", sizeof(at)) < 0)
		return;
	at = find_preempt_count(kernel);
	set_constant(s, "cfg_preempt_count_at", &at, sizeof(at));
}

/* Every constant that the object has was set. */
static int check_all(struct setting *s)
{
	const struct btf *btf = bpf_object__btf(s->obj);
	int section = btf__find_by_name_kind(btf, ".rodata", BTF_KIND_DATASEC);
	const struct btf_type *t = section < 0 ? NULL : btf__type_by_id(btf, (uint32_t)section);

	for (int i = 0; t && i < btf_vlen(t); i++) {
		const struct btf_var_secinfo *var = btf_var_secinfos(t) + i;
		const struct btf_type *v = btf__type_by_id(btf, var->type);
		const char *name = btf__name_by_offset(btf, v->name_off);
		uint32_t offset = var->offset;

		if (!strncmp(name, "cfg_", 4) && !is_of_clone(name) && !map_get(&s->done, &offset))
			return -EINVAL;
	}
	return 0;
}

static void set_flag(struct setting *s, const char *name, bool value)
{
	uint8_t byte = value;

	set_constant(s, name, &byte, sizeof(byte));
}

/* The kernel's HZ, which it does not export: the coarse clock ticks once a jiffy. */
static uint32_t jiffy_ns(void)
{
	struct timespec ts;

	if (clock_getres(CLOCK_MONOTONIC_COARSE, &ts))
		return 4000000;
	return (uint32_t)ts.tv_nsec;
}

/* The last kernel whose tracepoint programs are known to run with preemption off. */
static bool kernel_is_known(void)
{
	struct utsname uts;
	int major, minor;

	uname(&uts);
	return sscanf(uts.release, "%d.%d", &major, &minor) == 2 &&
	       (major < 6 || (major == 6 && minor <= 18));
}

static bool kernel_is_since(int wanted_major, int wanted_minor)
{
	struct utsname uts;
	int major, minor;

	uname(&uts);
	return sscanf(uts.release, "%d.%d", &major, &minor) == 2 &&
	       (major > wanted_major || (major == wanted_major && minor >= wanted_minor));
}

/* Programs of these kinds may read the registers of the task that they run in. */
static bool is_tracing(enum bpf_prog_type type)
{
	return type == BPF_PROG_TYPE_TRACING || type == BPF_PROG_TYPE_TRACEPOINT ||
	       type == BPF_PROG_TYPE_RAW_TRACEPOINT || type == BPF_PROG_TYPE_PERF_EVENT ||
	       type == BPF_PROG_TYPE_KPROBE;
}

/* bpf_loop came with 5.17; such programs are tried on 6.1 and later. Before 6.8 the verifier looks at global functions
 * that a program never calls, too, and refuses the program for what these may not do in it. */
static bool may_unwind(const struct bpf_object *obj)
{
	struct bpf_program *prog;

	if (!kernel_is_since(6, 1) || kernel_is_since(6, 8))
		return kernel_is_since(6, 1);
	bpf_object__for_each_program(prog, obj)
	{
		if (bpf_program__autoload(prog) && !is_tracing(bpf_program__type(prog)))
			return false;
	}
	return true;
}

static bool kernel_is_realtime(void)
{
	struct utsname uts;

	uname(&uts);
	return strstr(uts.version, "PREEMPT_RT");
}

static uint64_t find_symbol(const struct setting *s, const char *symbol)
{
	int fd = -1;

	if (!s->warden)
		return kallsyms_find(symbol);
	return warden_kallsyms(s->warden, &fd) ? 0 : kallsyms_find_in(fd, symbol);
}

/* The address of a symbol, or 0 where the kernel hides it. */
static void set_address(struct setting *s, const char *name, const char *symbol)
{
	uint64_t address;

	if (constants_find(s->obj, name, sizeof(address)) < 0)
		return; /* it takes long to look one up */
	address = symbol ? find_symbol(s, symbol) : 0;
	set_constant(s, name, &address, sizeof(address));
}

/* The calls that use a socket; those that other calls have replaced are not there everywhere. */
static const struct {
	const char *name;
	enum socket_call call;
} socket_calls[] = {
	{"write", SOCKET_CALL_SEND},	  {"sendto", SOCKET_CALL_SENDTO},
	{"send", SOCKET_CALL_SEND},	  {"writev", SOCKET_CALL_SENDV},
	{"sendmsg", SOCKET_CALL_SENDMSG}, {"sendmmsg", SOCKET_CALL_SENDMMSG},
	{"read", SOCKET_CALL_RECV},	  {"readv", SOCKET_CALL_RECV},
	{"recvfrom", SOCKET_CALL_RECV},	  {"recvmsg", SOCKET_CALL_RECV},
	{"recvmmsg", SOCKET_CALL_RECV},	  {"connect", SOCKET_CALL_USE},
	{"listen", SOCKET_CALL_USE},	  {"accept", SOCKET_CALL_USE},
	{"accept4", SOCKET_CALL_USE},	  {"recvmmsg_time64", SOCKET_CALL_RECV},
};

static void set_socket_calls(struct setting *s)
{
	struct syscalls *calls = syscalls_new(syscalls_native_text, syscalls_compat_text);
	uint8_t table[2][FILTER_SYSCALLS] = {0};

	for (size_t i = 0; calls && i < 2 * sizeof(socket_calls) / sizeof(socket_calls[0]); i++) {
		bool compat = i % 2;
		int nr = syscalls_number(calls, compat, socket_calls[i / 2].name);

		if (nr >= 0 && nr < FILTER_SYSCALLS)
			table[compat][nr] = (uint8_t)socket_calls[i / 2].call;
	}
	syscalls_free(calls);
	set_constant(s, "cfg_socket_calls", table, sizeof(table));
}

static void set_calls(struct setting *s, const struct catalogue *cat)
{
	struct call_plan plans[2][CALL_NUMBERS_PLANNED];

	if (constants_find(s->obj, "cfg_calls", sizeof(plans)) < 0)
		return;
	call_classes_plan(catalogue_get(cat, SYS_ENTER)->calls, plans);
	set_constant(s, "cfg_calls", plans, sizeof(plans));
}

static void set_stacks(struct setting *s, const struct loader_config *c,
		       const struct catalogue *cat)
{
	const struct measurement *enter = catalogue_get(cat, SYS_ENTER);
	uint64_t stacks[STACK_SIDES][MEASURE_WORDS] = {0};
	uint8_t sample = 0;

	for (size_t i = 0; i < cat->count; i++) {
		const struct measurement *m = &cat->items[i];
		uint32_t id = m->class.id;

		if (id == CPU_SAMPLE)
			sample = c->detail ? STACK_BOTH : m->stacks;
		if (stacks_are_own(m) || id / 64 >= MEASURE_WORDS)
			continue;
		for (int side = 0; side < STACK_SIDES; side++)
			stacks[side][id / 64] |= (uint64_t)(m->stacks >> side & 1) << id % 64;
	}
	set_constant(s, "cfg_stacks", stacks, sizeof(stacks));
	set_constant(s, "cfg_stack_frames", &c->stack_frames, sizeof(c->stack_frames));
	set_constant(s, "cfg_stack_key", &c->stack_key, sizeof(c->stack_key));
	set_constant(s, "cfg_sample_stacks", &sample, sizeof(sample));
	set_flag(s, "cfg_call_stacks", enter && call_classes_any_stacks(enter->calls));
}

/* Of the tracepoint program that is not attached itself: all of it is in use that is in some of its clones, so that the
 * kernel tells where its functions are (loader_load). */
static void set_plan(struct setting *s, const struct catalogue *cat)
{
	struct tracepoint_plan plan = {.stacks = stacks_any(cat) ? STACK_BOTH : 0};

	set_constant(s, "cfg_plan", &plan, sizeof(plan));
}

int constants_set(struct bpf_object *obj, const struct loader_config *c,
		  const struct catalogue *cat)
{
	struct setting setting = {.obj = obj, .warden = c->warden}, *s = &setting;
	int err;

	uint32_t jiffy = jiffy_ns(), mask = (1u << c->sub_shift) - 1;
	uint32_t frames = sampler_frames_max();
	uint64_t open_files = c->open_files ? ((uint64_t)c->sub_count << c->sub_shift) / 4 : 0;
	uint64_t period = NS_PER_SEC / (c->sample_hz ?: SAMPLER_HZ_DEFAULT);

	map_init(&s->done, sizeof(uint32_t), sizeof(uint8_t), CONSTANTS_MAX);
	set_constant(s, "cfg_sub_shift", &c->sub_shift, sizeof(c->sub_shift));
	set_constant(s, "cfg_sub_mask", &mask, sizeof(mask));
	set_constant(s, "cfg_sub_count", &c->sub_count, sizeof(c->sub_count));
	set_constant(s, "cfg_filter", c->filter, sizeof(*c->filter));
	set_constant(s, "cfg_ns_per_jiffy", &jiffy, sizeof(jiffy));
	set_constant(s, "cfg_sample_period_ns", &period, sizeof(period));
	set_constant(s, "cfg_frames_max", &frames, sizeof(frames));
	set_flag(s, "cfg_unwind", stacks_unwind(cat, c->detail) && may_unwind(obj));
	set_flag(s, "cfg_overwrite", c->overwrite);
	set_flag(s, "cfg_detail", c->detail);
	set_address(s, "cfg_sched_text_start", c->detail ? "__sched_text_start" : NULL);
	set_address(s, "cfg_sched_text_end", c->detail ? "__sched_text_end" : NULL);
	set_address(s, "cfg_iomap_dirty_folio", "iomap_dirty_folio");
	set_address(s, "cfg_device_notifier", "inetdev_event");
	set_flag(s, "cfg_preempt_guard", !kernel_is_known());
	set_flag(s, "cfg_preempt_calls", kernel_call_resolve_preempt(cat->kernel, obj));
	set_flag(s, "cfg_preempt_softirq", kernel_is_realtime());
	set_flag(s, "cfg_cast_calls", kernel_call_resolve_cast(cat->kernel, obj));
	set_flag(s, "cfg_retransmit_has_error",
		 catalogue_tracepoint_args(cat, "tcp_retransmit_skb") > 2);
	set_flag(s, "cfg_switch_has_state", catalogue_tracepoint_args(cat, "sched_switch") > 3);
	set_preempt_count(s, cat->kernel);
	set_constant(s, "cfg_open_files_bytes", &open_files, sizeof(open_files));
	set_constant(s, "cfg_packet_key", &c->packet_key, sizeof(c->packet_key));
	set_socket_calls(s);
	set_calls(s, cat);
	set_stacks(s, c, cat);
	set_plan(s, cat);
	set_flag(s, "cfg_drop_has_sock", catalogue_tracepoint_args(cat, "kfree_skb") > 3);
	set_flag(s, "cfg_reset_has_reason", catalogue_tracepoint_args(cat, "tcp_send_reset") > 2);
	err = check_all(s);
	map_fini(&s->done);
	return err;
}
