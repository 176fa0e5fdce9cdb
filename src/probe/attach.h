/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * attach: puts a loaded program onto its hook, by the kind of hook that its section names.
 *
 * The loader opens and closes attachments; whatever one of them holds in the kernel goes away
 * with the process.
 */
#ifndef SONDE_PROBE_ATTACH_H
#define SONDE_PROBE_ATTACH_H

struct attachment;
struct bpf_program;

/* @section: "tp_btf/tcp_probe", as the catalogue's hook has it. Returns -errno of the kernel. */
int attachment_open(struct bpf_program *prog, const char *section, struct attachment **ret);
/* Detaches. NULL is fine. */
void attachment_close(struct attachment *attachment);

#endif /* SONDE_PROBE_ATTACH_H */
