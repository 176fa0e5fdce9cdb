// SPDX-License-Identifier: BSD-2-Clause
#include "record/container_names.h"

#include <dirent.h>
#include <fcntl.h>
#include <glob.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "analyse/container.h"
#include "base/io.h"
#include "base/map.h"

#define FILE_BYTES_MAX (4u << 20)
#define CONTAINERS_MAX 16384u
#define PATTERN_BYTES 4096u
#define SETTLED_SECONDS \
	2 /* a directory that changed so lately may change again within its timestamp */

struct names_walk {
	struct container_names *names;
	container_name_found found;
	void *ctx;
};

struct container_names {
	const char *root;
	struct map named; /* by container_key: hash of the name that was found last */
	struct map seen; /* by hash of a path: struct timespec, when it was modified */
};

struct container_names *container_names_new(const char *root)
{
	struct container_names *names = calloc(1, sizeof(*names));

	if (!names)
		return NULL;
	names->root = root;
	map_init(&names->named, sizeof(uint64_t), sizeof(uint64_t), CONTAINERS_MAX);
	map_init(&names->seen, sizeof(uint64_t), sizeof(struct timespec), 4 * CONTAINERS_MAX);
	return names;
}

void container_names_free(struct container_names *names)
{
	if (!names)
		return;
	map_fini(&names->named);
	map_fini(&names->seen);
	free(names);
}

/* FNV-1a. */
static uint64_t hash_text(const char *text)
{
	uint64_t hash = 0xcbf29ce484222325;

	while (*text)
		hash = (hash ^ (uint8_t)*text++) * 0x100000001b3;
	return hash | 1; /* 0 is a name that was never found */
}

/* Whether what is at @path is new or another than at the last call. */
static bool has_changed(struct names_walk *walk, const char *path)
{
	const uint64_t key = hash_text(path);
	struct timespec now, *last;
	struct stat st;

	if (stat(path, &st))
		return false;
	last = map_at(&walk->names->seen, &key);
	if (last && last->tv_sec == st.st_mtim.tv_sec && last->tv_nsec == st.st_mtim.tv_nsec)
		return false;
	clock_gettime(CLOCK_REALTIME_COARSE, &now);
	if (last && now.tv_sec - st.st_mtim.tv_sec > SETTLED_SECONDS)
		*last = st.st_mtim;
	return true;
}

static void found_name(struct names_walk *walk, const char *id, const char *name)
{
	uint64_t key, hash = hash_text(name), *last;

	if (!container_is_id(id, strlen(id)) || !*name || strlen(name) >= CONTAINER_TEXT_MAX)
		return;
	key = container_key(id);
	last = map_at(&walk->names->named, &key);
	if (!last || *last == hash)
		return;
	*last = hash;
	walk->found(walk->ctx, id, name);
}

static void found_pod_name(struct names_walk *walk, const char *id, const char *space,
			   const char *pod, const char *name)
{
	char full[CONTAINER_TEXT_MAX];
	int len = snprintf(full, sizeof(full), "%s/%s/%s", space, pod, name);

	if (len > 0 && (size_t)len < sizeof(full))
		found_name(walk, id, full);
}

/* NULL: it cannot be read, or is not JSON: it may be about to be written. */
static json_t *load_json(const char *path)
{
	json_t *json = NULL;
	char *text = NULL;
	size_t len;

	if (!file_load(AT_FDCWD, path, FILE_BYTES_MAX, &text, &len))
		json = json_loadb(text, len, 0, NULL);
	free(text);
	return json;
}

static const char *text_of(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

/* Docker: {"ID": "...", "Name": "/web", "Config": {"Labels": {...}}}; labels name a pod if cri-dockerd made it. */
static void read_docker(struct names_walk *walk, const char *path)
{
	json_t *json = load_json(path);
	const json_t *labels = json_object_get(json_object_get(json, "Config"), "Labels");
	const char *id = text_of(json, "ID"), *name = text_of(json, "Name");
	const char *pod = text_of(labels, "io.kubernetes.pod.name");
	const char *space = text_of(labels, "io.kubernetes.pod.namespace");
	const char *inner = text_of(labels, "io.kubernetes.container.name");

	if (id && pod && space && inner)
		found_pod_name(walk, id, space, pod, inner);
	else if (id && name)
		found_name(walk, id, name + (*name == '/'));
	json_decref(json);
}

/* CRI-O calls a container "k8s_CONTAINER_POD_NAMESPACE_UID_ATTEMPT"; none of these has an underscore in it. */
static bool read_pod_name(struct names_walk *walk, const char *id, const char *name)
{
	char copy[CONTAINER_TEXT_MAX], *save = NULL, *inner, *pod, *space;

	if (strncmp(name, "k8s_", 4) || strlen(name) >= sizeof(copy))
		return false;
	strcpy(copy, name + 4);
	inner = strtok_r(copy, "_", &save);
	pod = strtok_r(NULL, "_", &save);
	space = strtok_r(NULL, "_", &save);
	if (!space)
		return false;
	found_pod_name(walk, id, space, pod, inner);
	return true;
}

/* Podman and CRI-O: [{"id": "...", "names": ["web"]}, ...] */
static void read_storage(struct names_walk *walk, const char *path)
{
	json_t *json = load_json(path), *one;
	size_t i;

	json_array_foreach(json, i, one)
	{
		const char *id = text_of(one, "id");
		const char *name =
			json_string_value(json_array_get(json_object_get(one, "names"), 0));

		if (id && name && !read_pod_name(walk, id, name))
			found_name(walk, id, name);
	}
	json_decref(json);
}

/* The directory of the file at @path: "/run/.../ID/config.json". */
static bool id_of_folder(const char *path, char id[CONTAINER_ID_HEX + 1])
{
	const char *end = strrchr(path, '/');

	if (!end || (size_t)(end - path) <= CONTAINER_ID_HEX)
		return false;
	memcpy(id, end - CONTAINER_ID_HEX, CONTAINER_ID_HEX);
	id[CONTAINER_ID_HEX] = '\0';
	return container_is_id(id, CONTAINER_ID_HEX);
}

/* containerd: the OCI configuration of a task, with annotations of its CRI plugin or of nerdctl. */
static void read_containerd(struct names_walk *walk, const char *path)
{
	json_t *json = load_json(path);
	const json_t *notes = json_object_get(json, "annotations");
	const char *space = text_of(notes, "io.kubernetes.cri.sandbox-namespace");
	const char *pod = text_of(notes, "io.kubernetes.cri.sandbox-name");
	const char *inner = text_of(notes, "io.kubernetes.cri.container-name");
	const char *name = text_of(notes, "nerdctl/name");
	char id[CONTAINER_ID_HEX + 1];

	if (id_of_folder(path, id) && space && pod)
		found_pod_name(walk, id, space, pod, inner ?: "(sandbox)");
	else if (id_of_folder(path, id) && name)
		found_name(walk, id, name);
	json_decref(json);
}

/* kubelet: "POD_NAMESPACE_CONTAINER-ID.log"; the link's name says it all. */
static void read_kubelet(struct names_walk *walk, const char *path)
{
	const char *file = strrchr(path, '/');
	char copy[CONTAINER_TEXT_MAX + CONTAINER_ID_HEX], *save = NULL, *pod, *space, *inner, *id;

	if (!file || strlen(file + 1) >= sizeof(copy))
		return;
	strcpy(copy, file + 1);
	pod = strtok_r(copy, "_", &save);
	space = strtok_r(NULL, "_", &save);
	inner = strtok_r(NULL, ".", &save);
	id = inner ? strrchr(inner, '-') : NULL;
	if (!id)
		return;
	*id++ = '\0';
	found_pod_name(walk, id, space, pod, inner);
}

/*
 * Where runtimes keep what they know: patterns for directories, whose modification shows that containers
 * came or went, and for the files below each.
 */
static const struct {
	const char *folder, *file;
	void (*read)(struct names_walk *walk, const char *path);
} sources[] = {
	{"/var/lib/docker/containers", "*/config.v2.json", read_docker},
	{"/var/lib/containers/storage/*-containers", "containers.json", read_storage},
	{"/run/containers/storage/*-containers", "volatile-containers.json", read_storage},
	{"/home/*/.local/share/containers/storage/*-containers", "containers.json", read_storage},
	{"/run/containerd/io.containerd.runtime.v2.task/*", "*/config.json", read_containerd},
	{"/run/k3s/containerd/io.containerd.runtime.v2.task/*", "*/config.json", read_containerd},
	{"/var/log/containers", "*.log", read_kubelet},
};

static void read_folder(struct names_walk *walk, size_t source, const char *folder)
{
	char pattern[PATTERN_BYTES];
	glob_t files;

	if ((size_t)snprintf(pattern, sizeof(pattern), "%s/%s", folder, sources[source].file) >=
	    sizeof(pattern))
		return;
	if (!glob(pattern, GLOB_NOSORT, NULL, &files)) {
		for (size_t i = 0; i < files.gl_pathc && i < CONTAINERS_MAX; i++)
			if (sources[source].read == read_kubelet ||
			    has_changed(walk, files.gl_pathv[i]))
				sources[source].read(walk, files.gl_pathv[i]);
	}
	globfree(&files);
}

void container_names_walk(struct container_names *names, container_name_found found, void *ctx)
{
	struct names_walk walk = {names, found, ctx};
	glob_t folders;

	for (size_t source = 0; source < sizeof(sources) / sizeof(sources[0]); source++) {
		char pattern[PATTERN_BYTES];

		(void)snprintf(pattern, sizeof(pattern), "%s%s", names->root,
			       sources[source].folder);
		if (!glob(pattern, GLOB_NOSORT, NULL, &folders)) {
			for (size_t i = 0; i < folders.gl_pathc; i++)
				if (has_changed(&walk, folders.gl_pathv[i]))
					read_folder(&walk, source, folders.gl_pathv[i]);
		}
		globfree(&folders);
	}
}
