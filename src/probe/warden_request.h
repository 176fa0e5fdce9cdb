/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * warden_request: takes the requests apart that the privileged process gets. The recorder that sends them may
 * have been taken over: whatever is not exactly a request of the list (wire/warden.h) is refused here.
 */
#ifndef SONDE_PROBE_WARDEN_REQUEST_H
#define SONDE_PROBE_WARDEN_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

#include "wire/warden.h"

/* @fds: how many file descriptors came with it. 0 or -EBADMSG. */
int warden_request_parse(const void *bytes, size_t len, size_t fds, struct warden_request *ret);
/* Whether a request of @kind carries a file descriptor, and whether the reply to a good one must. */
bool warden_request_gives(enum warden_kind kind);
bool warden_request_gets(enum warden_kind kind);

#endif /* SONDE_PROBE_WARDEN_REQUEST_H */
