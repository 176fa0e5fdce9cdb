// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/container.h"

#include <stdio.h>
#include <string.h>

#include "base/glob.h"

#define ID_SHORTEST 4u /* digits that a user gives at least */

static bool is_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

bool container_is_id(const char *text, size_t len)
{
	size_t i = 0;

	while (i < len && is_hex(text[i]))
		i++;
	return len == CONTAINER_ID_HEX && i == len;
}

static bool ends_with(const char *text, size_t len, const char *end)
{
	const size_t end_len = strlen(end);

	return len >= end_len && !memcmp(text + len - end_len, end, end_len);
}

static bool begins_with(const char *text, size_t len, const char *begin)
{
	const size_t begin_len = strlen(begin);

	return len > begin_len && !memcmp(text, begin, begin_len);
}

static int hex_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* As systemd escapes names of units (systemd.unit(5)): "\x2d" is "-". */
static void unescape_unit(char *text)
{
	char *to = text;

	while (*text) {
		int high = text[0] == '\\' && text[1] == 'x' ? hex_digit(text[2]) : -1;
		int low = high < 0 ? -1 : hex_digit(text[3]);

		if (low >= 0 && (high || low)) {
			*to++ = (char)(high << 4 | low);
			text += 4;
		} else {
			*to++ = *text++;
		}
	}
	*to = '\0';
}

static bool put_name(const char *name, size_t len, struct container *ret)
{
	if (!len || len >= sizeof(ret->text))
		return false;
	ret->has_id = false;
	memcpy(ret->text, name, len);
	ret->text[len] = '\0';
	return true;
}

/* "ID", "docker-ID.scope", "cri-containerd-ID.scope", "libpod-ID", "POD.slice:cri-containerd:ID". */
static bool find_id(const char *part, size_t len, struct container *ret)
{
	const char *id;

	if (ends_with(part, len, ".scope"))
		len -= strlen(".scope");
	if (len < CONTAINER_ID_HEX)
		return false;
	len -= CONTAINER_ID_HEX;
	id = part + len;
	if (!container_is_id(id, CONTAINER_ID_HEX) ||
	    (len && part[len - 1] != '-' && part[len - 1] != ':'))
		return false;
	/* The monitor of a container is not in it. */
	if (ends_with(part, len, "conmon-"))
		return false;
	ret->has_id = true;
	memcpy(ret->text, id, CONTAINER_ID_HEX);
	ret->text[CONTAINER_ID_HEX] = '\0';
	return true;
}

/* "lxc.payload.web", and "lxc/web" of old versions. */
static bool find_lxc(const char *before, size_t before_len, const char *part, size_t len,
		     struct container *ret)
{
	if (begins_with(part, len, "lxc.payload."))
		return put_name(part + strlen("lxc.payload."), len - strlen("lxc.payload."), ret);
	if (before_len == strlen("lxc") && !memcmp(before, "lxc", before_len))
		return put_name(part, len, ret);
	return false;
}

/* "systemd-nspawn@web.service", "machine-web.scope"; machines of qemu are not containers. */
static bool find_machine(const char *part, size_t len, struct container *ret)
{
	bool found = false;

	if (begins_with(part, len, "systemd-nspawn@") && ends_with(part, len, ".service"))
		found = put_name(part + 15, len - 15 - strlen(".service"), ret);
	else if (begins_with(part, len, "machine-") && ends_with(part, len, ".scope") &&
		 !begins_with(part, len, "machine-qemu"))
		found = put_name(part + 8, len - 8 - strlen(".scope"), ret);
	if (found)
		unescape_unit(ret->text);
	return found;
}

bool container_of_path(const char *path, struct container *ret)
{
	const char *before = path;
	size_t before_len = 0;
	bool found = false;

	for (;;) {
		size_t len;

		path += strspn(path, "/");
		len = strcspn(path, "/");
		if (!len)
			return found;
		found |= find_id(path, len, ret) || find_lxc(before, before_len, path, len, ret) ||
			 find_machine(path, len, ret);
		before = path;
		before_len = len;
		path += len;
	}
}

uint64_t container_key(const char *id)
{
	uint64_t key = 0;

	for (int i = 0; i < 16 && is_hex(id[i]); i++)
		key = key << 4 | (uint64_t)hex_digit(id[i]);
	return key;
}

static bool is_start_of_id(const char *wanted, const char *id)
{
	const size_t len = strlen(wanted);

	return id && len >= ID_SHORTEST && !strncmp(id, wanted, len);
}

bool container_is_wanted(const char *wanted, const char *id, const char *name)
{
	const size_t len = strlen(wanted);

	if (is_start_of_id(wanted, id))
		return true;
	while (name) {
		if (glob_match(wanted, len, name, strlen(name)))
			return true;
		name = strchr(name, '/');
		name += name != NULL;
	}
	return false;
}
