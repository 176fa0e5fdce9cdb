// SPDX-License-Identifier: BSD-2-Clause
/* Files of Docker and Podman as dockerd 20.10.24 and podman 4.3.1 wrote them, shortened. */
#include "record/container_names.h"

#include <errno.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define DOCKER "c42dc9f7c811f4530851e6bd2f9e83755a0b5b351f6b7f33db5c29a9244909a6"
#define PODMAN "8ae0bd94e77b5d489ad86d14a0fde6c5f29f3c1976c53a5268c304558781fb4d"
#define CRIO "1110bd94e77b5d489ad86d14a0fde6c5f29f3c1976c53a5268c304558781fb4d"
#define TASK "2220bd94e77b5d489ad86d14a0fde6c5f29f3c1976c53a5268c304558781fb4d"
#define LOGGED "3330bd94e77b5d489ad86d14a0fde6c5f29f3c1976c53a5268c304558781fb4d"

static char root[] = "/tmp/container_names.XXXXXX";

/* Makes the directories that lead to it, too. */
static void put_file(const char *path, const char *text)
{
	char full[512];
	FILE *file;

	(void)snprintf(full, sizeof(full), "%s%s", root, path);
	for (char *slash = strchr(full + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		assert_true(!mkdir(full, 0700) || errno == EEXIST);
		*slash = '/';
	}
	file = fopen(full, "w");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

/* "ID NAME;" of each, the id by four digits. */
static void note(void *ctx, const char *id, const char *name)
{
	char *text = ctx;
	size_t len = strlen(text);

	assert_int_equal(strlen(id), 64);
	(void)snprintf(text + len, 512 - len, "%.4s %s;", id, name);
}

static const char *walk(struct container_names *names)
{
	static char text[512];

	text[0] = '\0';
	container_names_walk(names, note, text);
	return text;
}

static void each_runtime_says_the_names(void **state)
{
	struct container_names *names = container_names_new(root);

	(void)state;
	assert_string_equal(walk(names), "");
	put_file("/var/lib/docker/containers/" DOCKER "/config.v2.json",
		 "{\"StreamConfig\":{},\"State\":{\"Running\":true,\"Pid\":4911},\"ID\":\"" DOCKER
		 "\",\"Config\":{\"Hostname\":\"c42dc9f7c811\",\"Labels\":{}},\"Name\":\"/shop\"}");
	assert_string_equal(walk(names), "c42d shop;");
	assert_string_equal(walk(names), "");
	put_file("/var/lib/containers/storage/overlay-containers/containers.json",
		 "[{\"id\":\"" PODMAN
		 "\",\"names\":[\"web\"],\"image\":\"\",\"layer\":\"9aa2\",\"metadata\":"
		 "\"{\\\"image-name\\\":\\\"\\\",\\\"name\\\":\\\"web\\\"}\",\"flags\":{}},"
		 "{\"id\":\"" CRIO
		 "\",\"names\":[\"k8s_nginx_cart-1_shop_6bf1c1f6-6a05_0\",\"nginx\"]}]");
	assert_string_equal(walk(names), "8ae0 web;1110 shop/cart-1/nginx;");
	put_file("/run/containerd/io.containerd.runtime.v2.task/k8s.io/" TASK "/config.json",
		 "{\"ociVersion\":\"1.0.2\",\"annotations\":{"
		 "\"io.kubernetes.cri.container-name\":\"db\","
		 "\"io.kubernetes.cri.sandbox-name\":\"stock-0\","
		 "\"io.kubernetes.cri.sandbox-namespace\":\"shop\"}}");
	assert_string_equal(walk(names), "2220 shop/stock-0/db;");
	put_file("/var/log/containers/mail-7_post_smtp-in-" LOGGED ".log", "");
	assert_string_equal(walk(names), "3330 post/mail-7/smtp-in;");
	/* Another name is told; the same again is not. */
	put_file("/var/lib/docker/containers/" DOCKER "/config.v2.json",
		 "{\"ID\":\"" DOCKER "\",\"Name\":\"/store\"}");
	assert_string_equal(walk(names), "c42d store;");
	assert_string_equal(walk(names), "");
	container_names_free(names);
	names = container_names_new(root);
	assert_non_null(strstr(walk(names), "c42d store;"));
	container_names_free(names);
}

static void what_is_damaged_has_no_name(void **state)
{
	static const char *const texts[] = {
		"",
		"{",
		"[]",
		"7",
		"{\"ID\":7,\"Name\":[]}",
		"{\"ID\":\"" DOCKER "\"}",
		"{\"ID\":\"short\",\"Name\":\"/x\"}",
		"{\"ID\":\"" DOCKER "\",\"Name\":\"/\"}",
		"[{\"id\":\"" DOCKER "\",\"names\":7}]",
		"[{\"id\":\"" DOCKER "\",\"names\":[]}]",
		"[7,[],{\"names\":[\"x\"]}]",
	};
	struct container_names *names = container_names_new(root);

	(void)state;
	(void)walk(names);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		put_file("/var/lib/docker/containers/" DOCKER "/config.v2.json", texts[i]);
		put_file("/var/lib/containers/storage/overlay-containers/containers.json",
			 texts[i]);
		put_file("/run/containerd/io.containerd.runtime.v2.task/k8s.io/" TASK
			 "/config.json",
			 texts[i]);
		assert_string_equal(walk(names), "");
	}
	put_file("/var/log/containers/a_b.log", "");
	put_file("/var/log/containers/_.log", "");
	put_file("/var/log/containers/a_b_c-.log", "");
	put_file("/var/log/containers/a_b_c.log", "");
	put_file("/var/log/containers/-" LOGGED ".log", "");
	assert_string_equal(walk(names), "");
	container_names_free(names);
}

static int make_root(void **state)
{
	(void)state;
	return mkdtemp(root) ? 0 : -1;
}

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *place)
{
	(void)st;
	(void)flag;
	(void)place;
	return remove(path);
}

static int remove_root(void **state)
{
	(void)state;
	return nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_runtime_says_the_names),
		cmocka_unit_test(what_is_damaged_has_no_name),
	};

	return cmocka_run_group_tests(tests, make_root, remove_root);
}
