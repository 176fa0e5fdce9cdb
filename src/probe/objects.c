// SPDX-License-Identifier: BSD-2-Clause
#include "probe/objects.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <stdarg.h>
#include <string.h>

extern const unsigned char bpf_object_task[], bpf_object_sys[], bpf_object_sched[],
	bpf_object_trap[], bpf_object_sample[], bpf_object_irq[], bpf_object_tcp[],
	bpf_object_disk[], bpf_object_fs[], bpf_object_tracepoint[], bpf_object_watch[],
	bpf_object_net[], bpf_object_rx[];
extern const size_t bpf_object_task_size, bpf_object_sys_size, bpf_object_sched_size,
	bpf_object_trap_size, bpf_object_sample_size, bpf_object_irq_size, bpf_object_tcp_size,
	bpf_object_disk_size, bpf_object_fs_size, bpf_object_tracepoint_size, bpf_object_watch_size,
	bpf_object_net_size, bpf_object_rx_size;

static const struct {
	const char *name;
	const unsigned char *bytes;
	const size_t *size;
} objects[OBJECT_COUNT] = {
	{"task", bpf_object_task, &bpf_object_task_size},
	{"sys", bpf_object_sys, &bpf_object_sys_size},
	{"sched", bpf_object_sched, &bpf_object_sched_size},
	{"trap", bpf_object_trap, &bpf_object_trap_size},
	{"sample", bpf_object_sample, &bpf_object_sample_size},
	{"irq", bpf_object_irq, &bpf_object_irq_size},
	{"tcp", bpf_object_tcp, &bpf_object_tcp_size},
	{"disk", bpf_object_disk, &bpf_object_disk_size},
	{"fs", bpf_object_fs, &bpf_object_fs_size},
	{"tracepoint", bpf_object_tracepoint, &bpf_object_tracepoint_size},
	{"watch", bpf_object_watch, &bpf_object_watch_size},
	{"net", bpf_object_net, &bpf_object_net_size},
	{"rx", bpf_object_rx, &bpf_object_rx_size},
};

const char *object_name(size_t i)
{
	return i < OBJECT_COUNT ? objects[i].name : NULL;
}

/* By default libbpf prints to stderr; errors and logs have what matters. */
static int say_nothing(enum libbpf_print_level level, const char *format, va_list args)
{
	(void)level;
	(void)format;
	(void)args;
	return 0;
}

struct bpf_object *object_open(const char *name, const char *types)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .object_name = name, .btf_custom_path = types);

	libbpf_set_print(say_nothing);
	for (size_t i = 0; i < OBJECT_COUNT; i++) {
		if (!strcmp(objects[i].name, name))
			return bpf_object__open_mem(objects[i].bytes, *objects[i].size, &opts);
	}
	errno = ENOENT;
	return NULL;
}
