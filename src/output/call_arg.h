/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * call_arg: an argument of a system call in the form that its meaning has (schema/call_meaning.h), as strace(1) writes
 * it. For output/text_call and output/json.
 */
#ifndef SONDE_OUTPUT_CALL_ARG_H
#define SONDE_OUTPUT_CALL_ARG_H

#include <stdint.h>

struct call_case;

#define CALL_ARG_TEXT_BYTES 512u /* no value takes more, whatever its bits */

/* At @p, @value in a form other than PLAIN and ABSENT; returns the end. */
char *call_arg_write(char *p, const struct call_case *form, uint64_t value);

#endif /* SONDE_OUTPUT_CALL_ARG_H */
