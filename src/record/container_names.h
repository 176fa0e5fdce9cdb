/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * container_names: what the container runtimes of this host call their containers, from the files that
 * they keep: Docker's config.v2.json, containers.json of Podman and CRI-O, config.json of containerd's
 * tasks, and the links that kubelet makes to the logs of containers. A pod's container is called
 * "NAMESPACE/POD/CONTAINER".
 *
 * A runtime that is not there, or whose files may not be read, has no names; that is not an error. Work is bounded:
 * files larger than 4 MiB and containers beyond 16384 are skipped.
 */
#ifndef SONDE_RECORD_CONTAINER_NAMES_H
#define SONDE_RECORD_CONTAINER_NAMES_H

struct container_names;

/* @root: the directory that has the host's /var, /run and /home, "" = the root; borrowed. NULL: no memory. */
struct container_names *container_names_new(const char *root);
void container_names_free(struct container_names *names);

/* @id: CONTAINER_ID_HEX digits (analyse/container.h), NUL-terminated; both texts are borrowed for the call. */
typedef void (*container_name_found)(void *ctx, const char *id, const char *name);

/*
 * Calls @found for each container whose name is new or another since the last call, the first time for all.
 * Directories that did not change are not read again: a stat(2) each.
 */
void container_names_walk(struct container_names *names, container_name_found found, void *ctx);

#endif /* SONDE_RECORD_CONTAINER_NAMES_H */
