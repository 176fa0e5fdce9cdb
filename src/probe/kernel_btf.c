// SPDX-License-Identifier: BSD-2-Clause
#include "probe/kernel_btf.h"

#include <bpf/btf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "probe/cgroup_hook.h"

struct btf *kernel_btf_load(void)
{
	return btf__load_vmlinux_btf(); /* libbpf 1.x: NULL on failure */
}

/* A tracepoint NAME has a typedef btf_trace_NAME: a pointer to its prototype (since 5.5). */
static const struct btf_type *tracepoint_prototype(const struct btf *btf, const char *name)
{
	const struct btf_type *t;
	char type[96];
	int id;

	snprintf(type, sizeof(type), "btf_trace_%s", name);
	id = btf__find_by_name_kind(btf, type, BTF_KIND_TYPEDEF);
	if (id < 0)
		return NULL;
	t = btf__type_by_id(btf, (uint32_t)id);
	t = btf__type_by_id(btf, t->type);
	return btf_is_ptr(t) ? btf__type_by_id(btf, t->type) : NULL;
}

/* "none voluntary (full)": what a kernel with PREEMPT_DYNAMIC does now. */
static bool preempt_is_full_now(void)
{
	char text[128] = "";
	FILE *file = fopen("/sys/kernel/debug/sched/preempt", "re");

	if (file) {
		if (!fgets(text, sizeof(text), file))
			text[0] = 0;
		fclose(file);
		return strstr(text, "(full)");
	}
	file = fopen("/proc/cmdline", "re");
	if (!file)
		return false;
	while (fgets(text, sizeof(text), file) && !strstr(text, "preempt=full"))
		;
	fclose(file);
	return strstr(text, "preempt=full");
}

bool kernel_btf_has_function(const struct btf *btf, const char *name)
{
	return btf && btf__find_by_name_kind(btf, name, BTF_KIND_FUNC) > 0;
}

/* An iterator over NAME is known by the function bpf_iter_NAME, which is never called (since 5.8). */
static bool has_iterator(const struct btf *btf, const char *name)
{
	char function[96];

	snprintf(function, sizeof(function), "bpf_iter_%s", name);
	return kernel_btf_has_function(btf, function);
}

/* Programs on functions and iterators may be preempted, and the rings forbid that (probe/ring.bpf.h). */
static bool preemption_hurts(const struct btf *btf)
{
	struct utsname uts;

	if (kernel_btf_has_function(btf, "bpf_preempt_disable"))
		return false;
	uname(&uts);
	if (strstr(uts.version, "PREEMPT_DYNAMIC"))
		return preempt_is_full_now();
	return strstr(uts.version, "PREEMPT");
}

bool kernel_btf_is_function(const char *section)
{
	return !strncmp(section, "fentry/", 7) || !strncmp(section, "fexit/", 6);
}

static bool is_netfilter(const char *section)
{
	return !strncmp(section, "netfilter/", 10);
}

static bool may_be_preempted(const char *section)
{
	return kernel_btf_is_function(section) || is_netfilter(section) ||
	       !strncmp(section, "iter/", 5);
}

int kernel_btf_check(const struct btf *btf, const char *section, char *reason, size_t room)
{
	const char *name = strchr(section, '/');

	if (!btf) {
		snprintf(reason, room, "the kernel has no BTF: it needs CONFIG_DEBUG_INFO_BTF=y");
		return -ENOENT;
	}
	name = name ? name + 1 : section;
	if (!strncmp(section, "tp_btf/", 7) && !tracepoint_prototype(btf, name)) {
		snprintf(reason, room, "this kernel has no tracepoint %s", name);
		return -ENOENT;
	}
	if (kernel_btf_is_function(section) && !kernel_btf_has_function(btf, name)) {
		snprintf(reason, room, "this kernel has no function %s to attach to", name);
		return -ENOENT;
	}
	if (!strncmp(section, "iter/", 5) && !has_iterator(btf, name)) {
		snprintf(reason, room, "this kernel has no iterator over %s", name);
		return -ENOENT;
	}
	if (is_netfilter(section) &&
	    btf__find_by_name_kind(btf, "bpf_nf_link", BTF_KIND_STRUCT) < 0) {
		snprintf(reason, room,
			 "this kernel has no netfilter programs (6.4 and later, with "
			 "CONFIG_NETFILTER_BPF_LINK=y)");
		return -ENOENT;
	}
	if (!strncmp(section, CGROUP_HOOK_PREFIX, strlen(CGROUP_HOOK_PREFIX)) &&
	    !kernel_btf_has_function(btf, "__cgroup_bpf_run_filter_skb")) {
		snprintf(reason, room,
			 "this kernel has no programs of cgroups (CONFIG_CGROUP_BPF=y)");
		return -ENOENT;
	}
	if (may_be_preempted(section) && preemption_hurts(btf)) {
		snprintf(
			reason, room,
			"this kernel is fully preemptible and its BPF cannot prevent it (before 6.10)");
		return -ENOTSUP;
	}
	return 0;
}

int kernel_btf_tracepoint_args(const struct btf *btf, const char *name)
{
	const struct btf_type *proto = btf ? tracepoint_prototype(btf, name) : NULL;

	/* The first parameter of the prototype is the tracepoint's own data pointer. */
	return proto && btf_is_func_proto(proto) ? btf_vlen(proto) - 1 : -1;
}

bool kernel_counts_tracepoint_misses(void)
{
	struct utsname uts;
	int major, minor;

	uname(&uts);
	return sscanf(uts.release, "%d.%d", &major, &minor) != 2 || major > 6 ||
	       (major == 6 && minor >= 7);
}
