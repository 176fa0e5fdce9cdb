/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * clone: more programs from one that is loaded, each with another value of one of its constants.
 * libbpf has resolved maps and the kernel's layout in its instructions already, so a clone takes the
 * verifier's time and nothing else.
 */
#ifndef SONDE_PROBE_CLONE_H
#define SONDE_PROBE_CLONE_H

#include <stddef.h>

struct bpf_object;

/*
 * Loads the only program of @mould once more under @name, with @value for the constant @variable.
 * The caller closes *@ret_fd. -errno of the kernel, with what the verifier said in @log.
 */
int clone_program(const struct bpf_object *mould, const char *name, const char *variable,
		  const void *value, size_t len, char *log, size_t log_bytes, int *ret_fd);

#endif /* SONDE_PROBE_CLONE_H */
