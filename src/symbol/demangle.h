/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * demangle: names of C++ and Rust functions as people write them.
 */
#ifndef SONDE_SYMBOL_DEMANGLE_H
#define SONDE_SYMBOL_DEMANGLE_H

/* Without parameters, as perf shows it: "std::vector<int>::push_back"; the caller frees it. NULL: @name is
 * not mangled, or too long. */
char *demangle(const char *name);

#endif /* SONDE_SYMBOL_DEMANGLE_H */
