/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * container: which container a cgroup belongs to, as the cgroup's path shows it. The recorder uses it to find
 * the cgroups of a container, readers to name the container of a task. It reads no files: what a runtime calls
 * the container of an id comes from the trace (wire/note.h, NAME_CONTAINER).
 *
 * Paths as of Docker 20.10, Podman 4.3, CRI-O, containerd and kubelet (with systemd's and with plain
 * cgroups), LXC 5.0 and systemd-nspawn 252.
 */
#ifndef SONDE_ANALYSE_CONTAINER_H
#define SONDE_ANALYSE_CONTAINER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CONTAINER_ID_HEX 64u /* digits of an id */
#define CONTAINER_ID_SHOWN 12u /* digits that runtimes show of it */
#define CONTAINER_TEXT_MAX 256u /* with the NUL */

struct container {
	bool has_id; /* text is an id of CONTAINER_ID_HEX digits; else it is the name itself */
	char text[CONTAINER_TEXT_MAX];
};

/* The innermost container that the cgroup at @path is in. False: it is in none. */
bool container_of_path(const char *path, struct container *ret);

/* Whether @text is an id: CONTAINER_ID_HEX digits, in lower case. */
bool container_is_id(const char *text, size_t len);
/* The number that stands for an id in notes: its first 64 bits. */
uint64_t container_key(const char *id);

/*
 * Whether a user who asks for @wanted means the container with this @id (NULL: it has none) and @name
 * (NULL: not known): the name, a glob for it, one or more trailing parts of a name with slashes ("pod/nginx" of
 * "shop/pod/nginx"), or the first digits of the id, at least four.
 */
bool container_is_wanted(const char *wanted, const char *id, const char *name);

#endif /* SONDE_ANALYSE_CONTAINER_H */
