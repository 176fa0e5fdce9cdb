/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * code_notes: notes in the trace of which code the sampled processes have mapped, so that their
 * addresses have names when it is read.
 *
 * The sampler reports each process as soon as it has met it; then its mappings are read, and again
 * now and then while it is sampled. Mappings that are gone by then stay without names.
 */
#ifndef SONDE_RECORD_CODE_NOTES_H
#define SONDE_RECORD_CODE_NOTES_H

#include <stdbool.h>

#include "wire/process_news.h"

struct code_notes;
struct notes;
struct ring_buffer;
struct unwind_refused;
struct warden;

/* Borrows both; @warden looks into processes. NULL: no memory. */
struct code_notes *code_notes_new(struct notes *notes, struct warden *warden);
void code_notes_free(struct code_notes *code);

/* Has @doorbell hand on the reports of the sampler in the ring buffer @news_fd. Once it is loaded, and
 * once only. 0 or -errno. */
int code_notes_listen(struct code_notes *code, struct ring_buffer *doorbell, int news_fd);
/* Has it make the tables for unwinding of each of these processes too (record/unwind_tables.h), in the kernel half's
 * maps. Once only. 0 or -ENOMEM. */
int code_notes_unwind(struct code_notes *code, int tasks_fd, int chunks_fd);
void code_notes_refused(const struct code_notes *code, struct unwind_refused *ret);
bool code_notes_listens(const struct code_notes *code);
/* Looks at the recorder itself, if it was reported: others come first. For all reports since the last call: 0, or the first
 * error. */
int code_notes_tick(struct code_notes *code);

/* Notes the process's new mappings. 0 or -ENOMEM; that the process has
 * ended is not an error. */
int code_notes_process(struct code_notes *code, const struct process_news *news);

#endif /* SONDE_RECORD_CODE_NOTES_H */
