/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * catalogue: every measurement that the kernel half holds, with its event class, its programs,
 * and what of that the running kernel can do.
 *
 * Derived from the BTF of the embedded BPF objects alone (probe/measure.bpf.h). Needs no
 * privilege; where the kernel's BTF is absent every hook is unavailable, with that reason. The
 * kernel's own tracepoints are added on request (probe/tracepoints.h).
 */
#ifndef SONDE_PROBE_CATALOGUE_H
#define SONDE_PROBE_CATALOGUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/event.h"

struct btf;
struct call_classes;
struct diag;
struct tracepoint;

#define HOOK_MAX 8 /* programs of one measurement */
#define REASON_BYTES 160

/* One program that can make a measurement, or a part of it. Or none: "inet_diag" or "rx_debug", which the recorder
 * asks without one. */
struct hook {
	const char *object; /* "tcp": the embedded object; "" without a program */
	const char *program;
	const char *section; /* "tp_btf/tcp_probe" */
	int part; /* hooks of one part are alternatives, in order of preference */
	const char *stands_in; /* the program whose place it takes where that one is busy, or NULL */
	const char *misses; /* what it does not see, or NULL */
	const char *because; /* why; NULL: for want of a preferred alternative, which does */
	struct tracepoint *tracepoint; /* of the kernel's own: its program is a clone; or NULL */
	bool usable;
	bool forbidden; /* not usable because programs are not permitted */
	bool refused; /* not usable because the kernel did not take its program */
	char reason[REASON_BYTES]; /* why not usable, and what would help */
};

struct measurement {
	const char *name; /* "tcp.ack" */
	char group[16]; /* "tcp" */
	const char *text;
	struct event_class class;
	/* sys.enter: its records are of these classes, and of `class` only where a call has none of them. NULL = none. */
	struct call_classes *calls;
	size_t hook_count; /* 0: the recorder's own notes */
	struct hook hooks[HOOK_MAX];
	const char *context; /* "softirq": of another task than the current one; NULL = of that */
	const char *misses; /* what a filter by task misses there */
	int cost_ns; /* typical, from the last benchmark; 0 = not measured */
	bool never; /* no kernel has it: it is listed, with the reason */
	uint8_t stacks; /* sides of the stack that its events have (wire/stack.h); not those of `calls` */
};

/* A program that serves others: "follow" or "owner". Of one that tells something of its own, hook.misses has what is not
 * known without it. */
struct service {
	const char *name;
	bool is_needed; /* by what was chosen (probe/loader.h) */
	struct hook hook;
};

struct catalogue {
	size_t count;
	bool forbidden; /* by catalogue_forbid: so is what is added */
	size_t room; /* what count may grow to: tables by class.index have so many entries */
	struct measurement *items; /* by event class id */
	size_t service_count;
	struct service *services;
	struct btf *kernel; /* NULL: this kernel has none */
	void *arena; /* what the rest points into */
};

/* The caller closes it. -ENOMEM, or -EINVAL where the objects contradict themselves. */
int catalogue_open(struct catalogue **ret, struct diag *diag);
void catalogue_close(struct catalogue *cat);
/* Takes over a measurement of the kernel's own tracepoints, and gives it the next id. The caller
 * has checked that it has room. */
void catalogue_add(struct catalogue *cat, const struct measurement *m);

/* The BTF of object @i (probe/objects.h), borrowed. */
const struct btf *catalogue_object_btf(const struct catalogue *cat, size_t i);

/* Programs are not permitted: only what needs none remains usable. */
void catalogue_forbid(struct catalogue *cat);
/* What its records are of: `class` first, or the classes of calls that are recorded. NULL: no more. */
const struct event_class *measurement_class(const struct measurement *m, size_t i);
/* The measurement with this id, or NULL. */
struct measurement *catalogue_get(const struct catalogue *cat, uint32_t id);

void hook_forbid(struct hook *hook);
bool hook_is_program(const struct hook *hook);
/* What a record of --detail brief has: classes lose the fields that only --detail full records. */
void catalogue_leave_out_detail(struct catalogue *cat);
/* Of system calls no texts are recorded that arguments point to: their classes lose these fields. */
void catalogue_leave_out_texts(struct catalogue *cat);

/* A field more for @class, one of @cat's, in front of the others. 0 or -ENOMEM. */
int catalogue_add_field(struct catalogue *cat, struct event_class *class,
			const struct field *field);

/* The first usable hook of @part, or NULL. */
const struct hook *measurement_hook(const struct measurement *m, int part);
/* Whether @hook, one of @m's, is what makes its part of it here. */
bool measurement_makes(const struct measurement *m, const struct hook *hook);
/* The hook that makes part of it here and misses something, or NULL; why. */
const struct hook *measurement_lesser(const struct measurement *m, const char **reason);
/* Every part has a usable hook. */
bool measurement_usable(const struct measurement *m);
/* Why it is not usable: the reason of the last alternative. */
const char *measurement_reason(const struct measurement *m);
/* It could run here, if programs were permitted. */
bool measurement_forbidden(const struct measurement *m);
/* "sonde" measurements are always on and not listed. */
bool measurement_internal(const struct measurement *m);
/* @pattern: a glob over names, or the name of a group. A measurement that no kernel has matches its own name
 * only, not its group. */
bool measurement_matches(const struct measurement *m, const char *pattern);
/* That nothing matches @pattern, and what is nearest to it; returns -ENOENT. */
int catalogue_no_match(const struct catalogue *cat, const char *pattern, struct diag *diag);

/* Arguments that tracepoint @name passes on this kernel, or -1 if it does not exist. */
int catalogue_tracepoint_args(const struct catalogue *cat, const char *name);

#endif /* SONDE_PROBE_CATALOGUE_H */
