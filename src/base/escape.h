/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * escape: text of unknown origin made safe to show. Names of tasks, files and fields come from
 * programs and traces that are not trusted; none of their bytes may command a terminal or
 * break a line of output.
 */
#ifndef SONDE_BASE_ESCAPE_H
#define SONDE_BASE_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>

#define ESCAPE_NAME_BYTES 40u /* of a name in a sentence */
#define ESCAPE_FACTOR 6u /* no byte grows to more than that, in any of the forms */

/* Writes @len bytes of @text at @p, which has ESCAPE_FACTOR times as many; returns its end. */
typedef char *(*escape_write)(char *p, const char *text, size_t len);

/*
 * What is hidden: control characters (C0, DEL, C1), those that reorder text or end lines (utf8_is_unsafe), and bytes
 * that are not UTF-8. There is one function for each form of output, and no other code that escapes for it.
 *
 * For terminals: unsafe characters, quotes and backslashes as \n, \", \x1b ... The
 * quotes around it are the caller's.
 */
char *escape_terminal(char *p, const char *text, size_t len);
/* As the inside of a JSON string: unsafe characters as \u001b; bytes that are not UTF-8 become U+FFFD. */
char *escape_json(char *p, const char *text, size_t len);
/* A field of tab-separated values: \t, \n, \r, \\, and what else is hidden as \xNN. */
char *escape_tsv(char *p, const char *text, size_t len);
/* A field of RFC 4180, in quotes where it needs them, with line ends and tabs; what else is hidden as \xNN. Has 2 bytes
 * more. */
char *escape_csv(char *p, const char *text, size_t len);
/* The same for spreadsheets: a field that they might take for a formula gets a ' in front. Have 3 bytes more. */
char *escape_tsv_safe(char *p, const char *text, size_t len);
char *escape_csv_safe(char *p, const char *text, size_t len);

/* The beginning of a name, for a sentence that a terminal may show. */
struct escaped_name {
	char text[ESCAPE_NAME_BYTES * ESCAPE_FACTOR + 1];
};
struct escaped_name escape_name(const char *name);

/* In place, for a line whose length has to stay: what a terminal might obey, and what is not UTF-8,
 * becomes '?'. */
void escape_blank(char *text);

/* Whether escape_terminal would leave every byte unchanged. */
bool escape_is_plain(const char *text, size_t len);

#endif /* SONDE_BASE_ESCAPE_H */
