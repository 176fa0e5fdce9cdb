/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * report_syscalls: how long system calls took, from sys.enter to sys.exit of the same task, by call.
 */
#ifndef SONDE_OUTPUT_REPORT_SYSCALLS_H
#define SONDE_OUTPUT_REPORT_SYSCALLS_H

#include "output/report_kind.h"

struct view;

struct report *report_syscalls_new(const struct view *view);
report_text_fn report_syscalls_text;
report_json_fn report_syscalls_json;

#endif /* SONDE_OUTPUT_REPORT_SYSCALLS_H */
