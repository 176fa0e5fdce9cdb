/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tap: a TAP device in a network namespace. It goes when its file is closed.
 */
#ifndef LAB_WIRE_TAP_H
#define LAB_WIRE_TAP_H

struct diag;

/* "NETNS:DEVICE": makes it there, up; the fd, which does not block, or -errno. */
int tap_open(const char *where, struct diag *diag);

#endif /* LAB_WIRE_TAP_H */
