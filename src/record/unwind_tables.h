/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * unwind_tables: gives the kernel half what it needs to unwind the stacks of processes (probe/unwind.bpf.h): for each
 * process that was sampled, which rows hold at which of its addresses.
 *
 * A process has its table from its first sample's report on, and a new one as its code changes; until then, and where
 * a limit is reached, its stacks are by frame pointers.
 */
#ifndef SONDE_RECORD_UNWIND_TABLES_H
#define SONDE_RECORD_UNWIND_TABLES_H

#include <stddef.h>
#include <stdint.h>

struct process_news;
struct unwind_tables;
struct warden;

/* @tasks_fd, @chunks_fd: the kernel half's maps, borrowed. Borrows @warden. NULL: no memory. */
struct unwind_tables *unwind_tables_new(int tasks_fd, int chunks_fd, struct warden *warden);
/* NULL is fine. */
void unwind_tables_free(struct unwind_tables *tables);

/* The process's mappings are the @len bytes of @maps, /proc/PID/maps. 0 or -ENOMEM. */
int unwind_tables_process(struct unwind_tables *tables, const struct process_news *news,
			  const char *maps, size_t len);

struct unwind_refused {
	uint64_t files; /* there was no room for their tables */
	uint64_t processes; /* have none, or not for all of their code */
};
void unwind_tables_refused(const struct unwind_tables *tables, struct unwind_refused *ret);

#endif /* SONDE_RECORD_UNWIND_TABLES_H */
