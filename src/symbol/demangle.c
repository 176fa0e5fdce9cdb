// SPDX-License-Identifier: BSD-2-Clause
#include "symbol/demangle.h"

#include <libiberty/demangle.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Mangled names can stand for much longer ones: these are enough, and bound what a file can ask for. */
#define MANGLED_MAX 2048u
#define PLAIN_MAX 4096u

/* C++ (Itanium ABI) and old Rust begin with _Z, Rust's own scheme (RFC 2603) with _R. */
static bool is_mangled(const char *name)
{
	return name[0] == '_' && (name[1] == 'Z' || name[1] == 'R');
}

char *demangle(const char *name)
{
	char *plain;

	if (!is_mangled(name) || strnlen(name, MANGLED_MAX) == MANGLED_MAX)
		return NULL;
	plain = cplus_demangle(name, DMGL_AUTO);
	if (plain && strlen(plain) >= PLAIN_MAX)
		plain[PLAIN_MAX - 1] = '\0';
	return plain;
}
