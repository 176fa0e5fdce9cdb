/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * attach: puts a loaded program onto its hook, by the kind of hook that its section names.
 *
 * The loader opens and closes attachments; whatever one of them holds in the kernel goes away
 * with the process.
 */
#ifndef SONDE_PROBE_ATTACH_H
#define SONDE_PROBE_ATTACH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct attachment;
struct bpf_program;
struct loader_config;
struct tracepoint;

/* Before @prog is loaded: its type, where libbpf does not know the section. */
void attachment_prepare(struct bpf_program *prog);
/* @section: "tp_btf/tcp_probe", as the catalogue's hook has it. Returns -errno of the kernel. */
int attachment_open(struct bpf_program *prog, const char *section,
		    const struct loader_config *config, struct attachment **ret);
/* The same for a clone (probe/loader_load.c) on one of the kernel's own tracepoints, and for the clone that
 * watches it, if @watch_fd is one. */
int attachment_open_tracepoint(int prog_fd, int watch_fd, const struct tracepoint *tp,
			       struct attachment **ret);
/* Now and then: takes hold of what came (CPUs), lets go of what went. */
void attachment_tick(struct attachment *attachment);
/* Detaches all @count of them, which is faster than one by one. NULL among them is fine. */
void attachments_close(struct attachment **attachments, size_t count);

/* Whether nothing happens unless attachment_run is called, which has the program see everything
 * in the network namespace @netns, 0 for the calling thread's. By any thread, while it is not closed. */
bool attachment_is_run(const struct attachment *attachment);
int attachment_run(struct attachment *attachment, uint32_t netns);

#endif /* SONDE_PROBE_ATTACH_H */
