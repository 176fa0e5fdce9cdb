/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mini_debug: the section .gnu_debugdata, a symbol table compressed by xz that some distributions leave in
 * stripped programs (MiniDebugInfo).
 */
#ifndef SONDE_SYMBOL_MINI_DEBUG_H
#define SONDE_SYMBOL_MINI_DEBUG_H

#include <stddef.h>

/*
 * The file that is in it: *@ret, which the caller frees, and its length. -EBADMSG: not xz, or truncated; -E2BIG: it would
 * be larger than any such file; -ENOMEM.
 */
int mini_debug_unpack(const void *packed, size_t packed_len, void **ret, size_t *len);

#endif /* SONDE_SYMBOL_MINI_DEBUG_H */
