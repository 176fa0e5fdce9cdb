// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/container.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define ID "c42dc9f7c811f4530851e6bd2f9e83755a0b5b351f6b7f33db5c29a9244909a6"
#define OTHER "8ae0bd94e77b5d489ad86d14a0fde6c5f29f3c1976c53a5268c304558781fb4d"
#define POD "kubepods-burstable-pod6bf1c1f6_6a05_4a51_9b7d_5d6c2a7f8e11.slice"

static const struct {
	const char *path;
	const char *text; /* NULL: no container's */
	bool has_id;
} paths[] = {
	/* As recorded of dockerd 20.10 and podman 4.3 with runc. */
	{"/docker/" ID, ID, true},
	{"/libpod_parent/libpod-" ID, ID, true},
	/* With systemd. */
	{"/system.slice/docker-" ID ".scope", ID, true},
	{"/machine.slice/libpod-" ID ".scope/container", ID, true},
	{"/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-" ID ".scope", ID, true},
	{"/machine.slice/libpod-conmon-" ID ".scope", NULL, false},
	{"/libpod_parent/conmon-" ID, NULL, false},
	/* Kubernetes: containerd and CRI-O, with systemd's cgroups and without. */
	{"/kubepods.slice/kubepods-burstable.slice/" POD "/cri-containerd-" ID ".scope", ID, true},
	{"/kubepods.slice/kubepods-burstable.slice/" POD "/crio-" ID ".scope", ID, true},
	{"/kubepods.slice/kubepods-burstable.slice/" POD "/crio-conmon-" ID ".scope", NULL, false},
	{"/kubepods/besteffort/pod6bf1c1f6-6a05-4a51-9b7d-5d6c2a7f8e11/" ID, ID, true},
	{"/system.slice/containerd.service/" POD ":cri-containerd:" ID, ID, true},
	{"/kubepods.slice/kubepods-burstable.slice/" POD, NULL, false},
	/* A container in a container: the inner one. */
	{"/docker/" ID "/kubelet/kubepods/pod1/" OTHER, OTHER, true},
	{"/docker/" ID "/system.slice/ssh.service", ID, true},
	{"/lxc.payload.web", "web", false},
	{"/lxc.payload.web/system.slice/nginx.service", "web", false},
	{"/lxc/web", "web", false},
	{"/lxc.monitor.web", NULL, false},
	{"/machine.slice/systemd-nspawn@web.service/payload", "web", false},
	{"/machine.slice/machine-web\\x2d1.scope/payload", "web-1", false},
	{"/machine.slice/machine-qemu\\x2d1\\x2dvm.scope", NULL, false},
	{"/machine.slice/systemd-nspawn@.service", NULL, false},
	{"/machine.slice/machine-.scope", NULL, false},
	{"/machine.slice/machine-a\\x2.scope", "a\\x2", false},
	/* Nearly. */
	{"/docker/" ID "0", NULL, false},
	{"/docker/x" ID, NULL, false},
	{"/docker/C42DC9F7C811F4530851E6BD2F9E83755A0B5B351F6B7F33DB5C29A9244909A6", NULL, false},
	{"/system.slice/docker.service", NULL, false},
	{"/lxc", NULL, false},
	{"/lxc.payload.", NULL, false},
	{"/", NULL, false},
	{"", NULL, false},
	{"///docker///" ID "///", ID, true},
};

static void a_path_shows_its_container(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		struct container container = {0};
		bool found = container_of_path(paths[i].path, &container);

		if (found != (paths[i].text != NULL))
			fail_msg("%s: %s", paths[i].path, container.text);
		if (!found)
			continue;
		assert_string_equal(container.text, paths[i].text);
		assert_int_equal(container.has_id, paths[i].has_id);
	}
}

static void a_name_that_is_too_long_is_none(void **state)
{
	char path[2 * CONTAINER_TEXT_MAX] = "/lxc/";
	struct container container;

	(void)state;
	memset(path + 5, 'a', CONTAINER_TEXT_MAX - 1);
	assert_true(container_of_path(path, &container));
	path[5 + CONTAINER_TEXT_MAX - 1] = 'a';
	assert_false(container_of_path(path, &container));
}

static void a_key_is_the_first_64_bits(void **state)
{
	(void)state;
	assert_true(container_key(ID) == 0xc42dc9f7c811f453);
	assert_true(container_key("0123") == 0x0123);
}

static void users_name_containers_in_several_ways(void **state)
{
	static const char *const wanted[] = {"web", "w*", "c42d", "c42dc9f7c811", ID};
	static const char *const not_wanted[] = {"we",	 "webs", "c42",	    "c42e",
						 "42dc", "",	 "shop/web"};

	(void)state;
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		assert_true(container_is_wanted(wanted[i], ID, "web"));
	for (size_t i = 0; i < sizeof(not_wanted) / sizeof(not_wanted[0]); i++)
		assert_false(container_is_wanted(not_wanted[i], ID, "web"));
	assert_true(container_is_wanted("c42d", ID, NULL));
	assert_false(container_is_wanted("c42d", NULL, "web"));
	assert_true(container_is_wanted("shop/cart-1/nginx", ID, "shop/cart-1/nginx"));
	assert_true(container_is_wanted("cart-1/nginx", ID, "shop/cart-1/nginx"));
	assert_true(container_is_wanted("nginx", ID, "shop/cart-1/nginx"));
	assert_true(container_is_wanted("shop/*", ID, "shop/cart-1/nginx"));
	assert_false(container_is_wanted("shop", ID, "shop/cart-1/nginx"));
	assert_false(container_is_wanted("cart-1", ID, "shop/cart-1/nginx"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_path_shows_its_container),
		cmocka_unit_test(a_name_that_is_too_long_is_none),
		cmocka_unit_test(a_key_is_the_first_64_bits),
		cmocka_unit_test(users_name_containers_in_several_ways),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
