/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * code_names: names of addresses of code, as views show them: "tcp_ack+0x12".
 */
#ifndef SONDE_ANALYSE_CODE_NAMES_H
#define SONDE_ANALYSE_CODE_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/escape.h"
#include "symbol/symbols.h"

struct analysis;
struct event;
struct event_class;

/* The field with the process that addresses in events of @class belong to; -1: they are the task's own, or the kernel's. */
int code_name_process(const struct event_class *class);

/* Of one name as written. */
#define CODE_NAME_BYTES (SYMBOL_TEXT_BYTES * ESCAPE_FACTOR)

/*
 * What element @i of a field that shows symbols is; false where it is not known. @pid: the field
 * with the process of the address, or -1: that of the task. In a stack, every
 * element but the first is where a call returns to, and what counts is the call before that.
 */
bool code_name_find(const struct analysis *analysis, const struct event *event, size_t field,
		    int pid, uint32_t i, struct symbol_place *ret);
/* Writes that name behind @p; @p itself where it is not known. */
char *code_name_write(char *p, const struct analysis *analysis, const struct event *event,
		      size_t field, int pid, uint32_t i, escape_write escape);

#endif /* SONDE_ANALYSE_CODE_NAMES_H */
