/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * serve_sockets: which of the sockets that a service manager has opened is for what, by their names
 * (FileDescriptorName= of systemd.socket(5)).
 */
#ifndef SONDE_CLI_SERVE_SOCKETS_H
#define SONDE_CLI_SERVE_SOCKETS_H

struct diag;
struct inherited;

#define SERVE_SOCKET_LIVE "live"
#define SERVE_SOCKET_CONTROL "control"
#define SERVE_SOCKET_DATA "data"

/* Sockets without a name, and those that have their unit's for one, are for viewers. -EINVAL with the diag: one has
 * a name that says nothing. */
int serve_sockets_name(struct inherited *inherited, struct diag *diag);
/* The next that has @name, which the caller owns then; -1 = no more. */
int serve_sockets_take(struct inherited *inherited, const char *name);
/* Fails if sockets are left: -EINVAL with the diag. */
int serve_sockets_all_taken(const struct inherited *inherited, struct diag *diag);

#endif /* SONDE_CLI_SERVE_SOCKETS_H */
