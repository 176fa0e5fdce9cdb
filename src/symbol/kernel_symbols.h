/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kernel_symbols: the functions of a running kernel and its modules, from /proc/kallsyms.
 */
#ifndef SONDE_SYMBOL_KERNEL_SYMBOLS_H
#define SONDE_SYMBOL_KERNEL_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct symbol_table;

/* Addresses of the kernel have the highest bit, on all that Sonde runs on. */
static inline bool kernel_symbols_has(uint64_t address)
{
	return address >> 63;
}

/* Adds the functions among the @len bytes of @text, those of a module as "module:function". -EPERM
 * where the addresses are hidden; -ENOMEM, -E2BIG. */
int kernel_symbols_parse(const char *text, size_t len, struct symbol_table *table);
/* Those of this kernel, from /proc/kallsyms as @fd has it open: some 50 ms. -errno, as above, or of reading it. */
int kernel_symbols_load(int fd, struct symbol_table *table);

#endif /* SONDE_SYMBOL_KERNEL_SYMBOLS_H */
