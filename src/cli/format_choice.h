/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * format_choice: the table of formats as the argument of an option: for help, for completion, and
 * to be found by what was typed.
 */
#ifndef SONDE_CLI_FORMAT_CHOICE_H
#define SONDE_CLI_FORMAT_CHOICE_H

#include <stdbool.h>
#include <stddef.h>

struct diag;
struct format;
struct option_choice;

/* The @i-th of all formats, of those that can go to a pipe: false behind the last. Both have the
 * form of verb_spec.choice. */
bool format_choice_any(int id, size_t i, struct option_choice *ret);
bool format_choice_stream(int id, size_t i, struct option_choice *ret);

/* The format called @name; -EINVAL with the list of all names. @option: for the diag. @directories:
 * whether those are meant that make one. */
int format_choice_parse(const char *option, const char *name, bool directories,
			const struct format **ret, struct diag *diag);

/* --csv-safe is for the formats that are tables: -EINVAL. */
int format_choice_check_safe(const struct format *format, bool csv_safe, struct diag *diag);

#define FORMAT_CSV_SAFE_TEXT \
	"of csv and tsv, for spreadsheets: put ' in front of texts that begin with = + - @"

#endif /* SONDE_CLI_FORMAT_CHOICE_H */
