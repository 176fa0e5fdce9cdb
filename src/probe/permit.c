// SPDX-License-Identifier: BSD-2-Clause
#define _GNU_SOURCE
#include "probe/permit.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/confine.h"
#include "base/diag.h"
#include "base/io.h"
#include "probe/cgroup_hook.h"
#include "probe/inet_diag.h"
#include "probe/kallsyms.h"
#include "probe/run_stats.h"
#include "probe/tracefs.h"

/* linux/capability.h */
#define CAP_NET_ADMIN_BIT 12
#define CAP_SYS_ADMIN_BIT 21
#define CAP_SYS_NICE_BIT 23
#define CAP_PERFMON_BIT 38
#define CAP_BPF_BIT 39

#define CGROUP2_MAGIC 0x63677270 /* linux/magic.h */
#define HOW_TO_PERMIT                                                    \
	"use sudo, or permit it once: "                                  \
	"sudo setcap cap_bpf,cap_perfmon,cap_net_admin,cap_sys_nice+ep " \
	"\"$(command -v sonde)\""

static void set(struct permit *p, enum permit_state state, const char *remedy)
{
	p->state = state;
	snprintf(p->remedy, sizeof(p->remedy), "%s", remedy);
}

static bool read_text(const char *path, char *to, size_t room)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t len = fd < 0 ? -1 : read_at(fd, to, room - 1, 0);

	to[len > 0 ? len : 0] = 0;
	fd_close(fd);
	return len > 0;
}

static uint64_t effective_capabilities(void)
{
	char text[4096];
	const char *line;

	if (!read_text("/proc/self/status", text, sizeof(text)))
		return 0;
	line = strstr(text, "CapEff:");
	return line ? strtoull(line + 7, NULL, 16) : 0;
}

static bool has_cap(uint64_t caps, int bit)
{
	return caps >> bit & 1 || (bit >= CAP_PERFMON_BIT && caps >> CAP_SYS_ADMIN_BIT & 1);
}

static void check_kernel(struct permit *p)
{
	struct utsname uts;

	uname(&uts);
	p->name = "kernel";
	snprintf(p->found, sizeof(p->found), "%s %s on %s", uts.sysname, uts.release, uts.machine);
	if (atoi(uts.release) < 6)
		set(p, PERMIT_LIMITED, "tested with 6.1 and later; older kernels may lack hooks");
}

static void check_btf(const struct btf *kernel, struct permit *p)
{
	p->name = "btf";
	snprintf(p->found, sizeof(p->found), "%s",
		 kernel ? "/sys/kernel/btf/vmlinux" : "none: /sys/kernel/btf/vmlinux");
	if (!kernel)
		set(p, PERMIT_MISSING,
		    "a kernel built with CONFIG_DEBUG_INFO_BTF=y, as all "
		    "distributions' are since 2021");
}

static void check_capabilities(struct permit *p)
{
	uint64_t caps = effective_capabilities();
	bool bpf = has_cap(caps, CAP_BPF_BIT), perfmon = has_cap(caps, CAP_PERFMON_BIT);
	bool net = has_cap(caps, CAP_NET_ADMIN_BIT), priority = has_cap(caps, CAP_SYS_NICE_BIT);

	p->name = "capabilities";
	snprintf(p->found, sizeof(p->found),
		 "%sCAP_BPF, %sCAP_PERFMON, %sCAP_NET_ADMIN, %sCAP_SYS_NICE", bpf ? "" : "no ",
		 perfmon ? "" : "no ", net ? "" : "no ", priority ? "" : "no ");
	if (!bpf || !perfmon)
		set(p, PERMIT_MISSING, HOW_TO_PERMIT);
	else if (!net)
		set(p, PERMIT_LIMITED,
		    "without CAP_NET_ADMIN hooks of netfilter and cgroups are missing: net.ip_send, "
		    "net.tcp_recv and net.udp_recv need these, and tcp.ack and tcp.cwnd after close()");
	else if (!priority)
		set(p, PERMIT_LIMITED,
		    "without CAP_SYS_NICE the drainer has no priority and a "
		    "busy machine may lose events");
}

static void check_lockdown(struct permit *p)
{
	char text[128];

	p->name = "lockdown";
	if (!read_text("/sys/kernel/security/lockdown", text, sizeof(text))) {
		snprintf(p->found, sizeof(p->found), "not in this kernel");
		return;
	}
	text[strcspn(text, "\n")] = 0;
	snprintf(p->found, sizeof(p->found), "%s", text);
	if (strstr(text, "[confidentiality]"))
		set(p, PERMIT_MISSING,
		    "boot without lockdown=confidentiality: it forbids BPF to "
		    "read kernel memory");
}

/* The smallest program there is: "return 0", for a tracepoint or a function's entry. */
static int try_program(const struct btf *kernel, enum bpf_attach_type attach, const char *target,
		       uint32_t kind)
{
	struct bpf_insn code[2] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0},
		{.code = BPF_JMP | BPF_EXIT},
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = attach);
	int id = kernel ? btf__find_by_name_kind(kernel, target, kind) : -ENOENT;
	int fd, link, err;

	if (id < 0)
		return -ENOENT;
	opts.attach_btf_id = (uint32_t)id;
	fd = bpf_prog_load(BPF_PROG_TYPE_TRACING, "sonde_try", "Dual BSD/GPL", code, 2, &opts);
	if (fd < 0)
		return -errno;
	link = bpf_link_create(fd, 0, attach, NULL);
	err = link < 0 ? -errno : 0;
	fd_close(link);
	fd_close(fd);
	return err;
}

static void check_tracepoints(const struct btf *kernel, struct permit *p)
{
	int err = try_program(kernel, BPF_TRACE_RAW_TP, "btf_trace_sched_process_exec",
			      BTF_KIND_TYPEDEF);

	p->name = "tracepoints";
	snprintf(p->found, sizeof(p->found), "%s%s",
		 err ? "a BPF program cannot attach: " : "a BPF program attaches",
		 err ? strerror(-err) : "");
	if (err == -EPERM || err == -EACCES)
		set(p, PERMIT_MISSING, HOW_TO_PERMIT);
	else if (err)
		set(p, PERMIT_MISSING,
		    "a kernel with CONFIG_BPF_SYSCALL=y and CONFIG_BPF_EVENTS=y");
}

int permit_functions(const struct btf *kernel)
{
	int err = try_program(kernel, BPF_TRACE_FENTRY, "tcp_sendmsg_locked", BTF_KIND_FUNC);

	if (!err || err == -ENOENT ||
	    try_program(kernel, BPF_TRACE_RAW_TP, "btf_trace_sched_process_exec", BTF_KIND_TYPEDEF))
		return 0;
	return -err;
}

static bool may_load(void)
{
	uint64_t caps = effective_capabilities();

	return has_cap(caps, CAP_BPF_BIT) && has_cap(caps, CAP_PERFMON_BIT);
}

static void check_fentry(const struct btf *kernel, struct permit *p)
{
	int err = try_program(kernel, BPF_TRACE_FENTRY, "tcp_sendmsg_locked", BTF_KIND_FUNC);

	p->name = "function entry";
	snprintf(p->found, sizeof(p->found), "%s%s",
		 err ? "a BPF program cannot attach: " : "a BPF program attaches",
		 err ? strerror(-err) : "");
	if (err && !may_load())
		set(p, PERMIT_LIMITED, HOW_TO_PERMIT);
	else if (err)
		set(p, PERMIT_LIMITED,
		    "a kernel with CONFIG_FUNCTION_TRACER=y; needed only where a tracepoint is "
		    "missing: 'sonde list' says which");
}

static void check_preemption(const struct btf *kernel, struct permit *p)
{
	bool have = kernel &&
		    btf__find_by_name_kind(kernel, "bpf_preempt_disable", BTF_KIND_FUNC) > 0;

	p->name = "preemption";
	snprintf(p->found, sizeof(p->found), "%s",
		 have ? "BPF programs can switch it off (6.10 and later)" :
			"BPF programs on tracepoints run with it off (before 6.10)");
}

static void check_memory(struct permit *p)
{
	struct rlimit limit = {0};

	getrlimit(RLIMIT_MEMLOCK, &limit);
	p->name = "locked memory";
	if (limit.rlim_cur == RLIM_INFINITY)
		snprintf(p->found, sizeof(p->found), "unlimited");
	else
		snprintf(p->found, sizeof(p->found),
			 "limit %llu KiB, which does not count since 5.11 (BPF memory is the "
			 "cgroup's)",
			 (unsigned long long)limit.rlim_cur / 1024);
}

static void check_clock(struct permit *p)
{
	char text[64];

	p->name = "clock";
	if (!read_text("/sys/devices/system/clocksource/clocksource0/current_clocksource", text,
		       sizeof(text)))
		snprintf(text, sizeof(text), "unknown");
	text[strcspn(text, "\n")] = 0;
	snprintf(p->found, sizeof(p->found), "%s", text);
	if (strcmp(text, "tsc") && strcmp(text, "kvm-clock") && strcmp(text, "arch_sys_counter"))
		set(p, PERMIT_LIMITED,
		    "a slow clock makes each event cost more: use tsc if the CPU "
		    "has an invariant one");
}

static void check_cgroups(struct permit *p)
{
	static const char *const places[] = {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"};
	struct statfs fs;

	p->name = "cgroups";
	for (size_t i = 0; i < 2; i++) {
		if (!statfs(places[i], &fs) && fs.f_type == CGROUP2_MAGIC) {
			snprintf(p->found, sizeof(p->found), "version 2 at %s", places[i]);
			return;
		}
	}
	snprintf(p->found, sizeof(p->found), "no version 2 hierarchy");
	set(p, PERMIT_LIMITED, "--cgroup needs one: mount -t cgroup2 none /sys/fs/cgroup/unified");
}

static void check_inet_diag(struct permit *p)
{
	char reason[sizeof(p->found)];

	p->name = "inet_diag";
	if (!inet_diag_check(reason, sizeof(reason))) {
		snprintf(p->found, sizeof(p->found),
			 "the kernel answers: 'sonde record -e tcp.poll' needs no privilege");
		return;
	}
	snprintf(p->found, sizeof(p->found), "%s", reason);
	set(p, PERMIT_LIMITED,
	    "a kernel with CONFIG_INET_TCP_DIAG; needed only without privileges");
}

static void check_run_stats(struct permit *p)
{
	int stats = -1, err = run_stats_open(&stats);

	fd_close(stats);
	p->name = "run times";
	snprintf(p->found, sizeof(p->found), "%s%s",
		 err ? "the kernel does not time programs: " : "the kernel times programs",
		 err ? strerror(-err) : "");
	if (err)
		set(p, PERMIT_LIMITED,
		    "CAP_SYS_ADMIN; without it the cost of recording is unknown, and --budget "
		    "is refused");
}

const char *permit_lacking(const char *section)
{
	bool net = !strncmp(section, "netfilter/", strlen("netfilter/")) ||
		   !strncmp(section, CGROUP_HOOK_PREFIX, strlen(CGROUP_HOOK_PREFIX));

	return net && !has_cap(effective_capabilities(), CAP_NET_ADMIN_BIT) ?
		       "it takes CAP_NET_ADMIN" :
		       "";
}

bool permit_to_enter(void)
{
	return has_cap(effective_capabilities(), CAP_SYS_ADMIN_BIT);
}

static void check_tracefs(struct permit *p)
{
	struct diag diag = {.text = ""};
	int count = tracefs_look(&diag);

	p->name = "tracefs";
	if (count >= 0) {
		snprintf(
			p->found, sizeof(p->found),
			"%d tracepoints of the kernel's own, for 'sonde record -e kernel:GROUP:EVENT'",
			count);
		return;
	}
	snprintf(p->found, sizeof(p->found), "no way to the kernel's own tracepoints (kernel:*)");
	set(p, PERMIT_LIMITED, diag.text);
	p->partial = true;
}

/* Without them everything is recorded, and addresses of the kernel have no names. */
static void check_symbols(struct permit *p)
{
	p->name = "kernel symbols";
	if (kallsyms_find("schedule")) {
		snprintf(p->found, sizeof(p->found), "addresses of the kernel have names");
		return;
	}
	snprintf(p->found, sizeof(p->found), "hidden: addresses of the kernel have no names");
	set(p, PERMIT_LIMITED,
	    "run as root, with the sysctl kernel.kptr_restrict below 2: /proc/kallsyms shows "
	    "addresses only to root");
}

/* It records without as well; then a fault in it is worth more to an attacker. */
static void check_confinement(struct permit *p)
{
	struct confine_support has;
	char landlock[32] = "no Landlock";

	confine_support(&has);
	if (has.landlock)
		snprintf(landlock, sizeof(landlock), "Landlock %d", has.landlock);
	p->name = "confinement";
	snprintf(p->found, sizeof(p->found),
		 "readers and relays drop capabilities, system calls (%s) and files (%s)",
		 has.seccomp ? "seccomp" : "no seccomp", landlock);
	if (!has.seccomp)
		set(p, PERMIT_LIMITED, "a kernel with CONFIG_SECCOMP_FILTER");
}

size_t permit_check(const struct btf *kernel, struct permit checks[PERMIT_MAX])
{
	size_t n = 0;

	memset(checks, 0, PERMIT_MAX * sizeof(*checks));
	check_kernel(&checks[n++]);
	check_btf(kernel, &checks[n++]);
	check_capabilities(&checks[n++]);
	check_lockdown(&checks[n++]);
	check_tracepoints(kernel, &checks[n++]);
	check_fentry(kernel, &checks[n++]);
	check_preemption(kernel, &checks[n++]);
	check_memory(&checks[n++]);
	check_clock(&checks[n++]);
	check_cgroups(&checks[n++]);
	check_inet_diag(&checks[n++]);
	check_run_stats(&checks[n++]);
	check_tracefs(&checks[n++]);
	check_symbols(&checks[n++]);
	check_confinement(&checks[n++]);
	return n;
}

int permit_require(const struct btf *kernel, struct diag *diag)
{
	struct permit p = {0};

	check_btf(kernel, &p);
	if (p.state == PERMIT_OK)
		check_capabilities(&p);
	if (p.state != PERMIT_MISSING)
		check_lockdown(&p);
	if (p.state != PERMIT_MISSING)
		check_tracepoints(kernel, &p);
	if (p.state != PERMIT_MISSING)
		return 0;
	return diag_set(diag, -EPERM, "not possible here: %s (%s); %s", p.name, p.found, p.remedy);
}
