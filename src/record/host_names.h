/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * host_names: what this host calls its network namespaces, cgroups, containers and file systems, as notes
 * for the trace: those that exist at the start, and those that come while it is recorded.
 *
 * Cgroups that come later are recorded by the kernel half, and so are files.
 */
#ifndef SONDE_RECORD_HOST_NAMES_H
#define SONDE_RECORD_HOST_NAMES_H

struct host_names;
struct notes;

/* NULL: no memory. Borrows @notes until it is freed. */
struct host_names *host_names_new(struct notes *notes);
void host_names_free(struct host_names *names);

/* Adds all existing ones. 0 or -ENOMEM: those that cannot be read have no name. */
int host_names_add_all(struct host_names *names);
/* What has changed since the last call; costs a few stats if nothing has. 0 or -ENOMEM. */
int host_names_add_new(struct host_names *names);

#endif /* SONDE_RECORD_HOST_NAMES_H */
