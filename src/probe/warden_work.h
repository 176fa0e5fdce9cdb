/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * warden_work: does what a recorder may ask its privileged process for (wire/warden.h), and nothing else. It
 * opens things; their use is up to the recorder, without privilege.
 *
 * Several threads may use one of these.
 */
#ifndef SONDE_PROBE_WARDEN_WORK_H
#define SONDE_PROBE_WARDEN_WORK_H

struct warden_request;
struct warden_work;

/* @command_fd: a pidfd of the recorder's COMMAND, borrowed; -1 = none. NULL: no memory. */
struct warden_work *warden_work_new(int command_fd);
void warden_work_free(struct warden_work *work);

/* @fd: what came with the request, borrowed; -1 = nothing. 0 and what goes with the reply in *@ret, -1 for
 * nothing, which the caller closes; or -errno. */
int warden_work_do(struct warden_work *work, const struct warden_request *req, int fd, int *ret);

#endif /* SONDE_PROBE_WARDEN_WORK_H */
