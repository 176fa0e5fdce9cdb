// SPDX-License-Identifier: BSD-2-Clause
#include "cli/rx_target.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/io.h"

#define DEFAULT_PORT 7000 /* a file server's */
#define FILE_MAX (16u << 20)
#define NAME_MAX_BYTES 256u

/* @address: without its port. */
static int add(struct rx_targets *targets, const char *name, const union rx_address *address,
	       uint16_t port, bool sought, struct diag *diag)
{
	bool colons = strchr(name, ':');
	char text[NAME_MAX_BYTES + 10];
	struct rx_target *target;

	if (targets->count == RX_TARGETS_MAX)
		return diag_set(diag, -E2BIG, "more than %u servers", RX_TARGETS_MAX);
	if (targets->count == targets->room) {
		size_t room = targets->room ? 2 * targets->room : 16;
		struct rx_target *list = reallocarray(targets->list, room, sizeof(*list));

		if (!list)
			return diag_set(diag, -ENOMEM, "no memory");
		targets->list = list;
		targets->room = room;
	}
	target = &targets->list[targets->count];
	snprintf(text, sizeof(text), "%s%s%s:%u", colons ? "[" : "", name, colons ? "]" : "", port);
	*target = (struct rx_target){.name = strdup(text), .address = *address, .sought = sought};
	rx_address_set_port(&target->address, port);
	if (!target->name)
		return diag_set(diag, -ENOMEM, "no memory");
	targets->count++;
	return 0;
}

static int find_port(const char *text, uint16_t *ret, struct diag *diag)
{
	const struct servent *service = getservbyname(text, "udp");
	unsigned long number;
	char *end;

	number = strtoul(text, &end, 10);
	if (*text >= '0' && *text <= '9' && !*end && number && number <= UINT16_MAX) {
		*ret = (uint16_t)number;
		return 0;
	}
	if (!service)
		return diag_set(diag, -EINVAL,
				"'%s' is not a port: give a number, or a name of /etc/services",
				text);
	*ret = ntohs((uint16_t)service->s_port);
	return 0;
}

/* Servers of AFS speak IPv4: of a name with addresses of both kinds that one is asked. */
static int find_host(const char *name, union rx_address *ret)
{
	static const int families[] = {AF_INET, AF_INET6};
	int err = EAI_NONAME;

	for (size_t i = 0; err && *name && i < sizeof(families) / sizeof(families[0]); i++) {
		const struct addrinfo hints = {.ai_family = families[i], .ai_socktype = SOCK_DGRAM};
		struct addrinfo *found;

		err = getaddrinfo(name, NULL, &hints, &found);
		if (err)
			continue;
		memcpy(ret, found->ai_addr, found->ai_addrlen);
		freeaddrinfo(found);
	}
	return err;
}

static int add_host(struct rx_targets *targets, const char *name, uint16_t port, struct diag *diag)
{
	union rx_address address;
	int err = find_host(name, &address);

	if (err)
		return diag_set(diag, -ENOENT, "host '%s': %s", name, gai_strerror(err));
	return add(targets, name, &address, port, false, diag);
}

/* All of its addresses but, from four on, the first and the last, which belong to no host. */
static int add_network(struct rx_targets *targets, const char *name, const char *bits_text,
		       uint16_t port, struct diag *diag)
{
	char text[INET_ADDRSTRLEN], *end;
	unsigned long bits = strtoul(bits_text, &end, 10);
	struct in_addr in;
	uint64_t first, count;
	int err = 0;

	if (inet_pton(AF_INET, name, &in) != 1 || *bits_text < '0' || *bits_text > '9' || *end ||
	    bits > 32)
		return diag_set(diag, -EINVAL, "'%s/%s' is not a network such as 192.0.2.0/24",
				name, bits_text);
	count = 1ull << (32 - bits);
	if (count > RX_TARGETS_MAX)
		return diag_set(diag, -E2BIG, "'%s/%s' has more than %u addresses", name, bits_text,
				RX_TARGETS_MAX);
	first = ntohl(in.s_addr) & ~(count - 1);
	for (uint64_t i = count >= 4; !err && i < count - (count >= 4); i++) {
		const union rx_address one = {
			.in = {.sin_family = AF_INET,
			       .sin_addr.s_addr = htonl((uint32_t)(first + i))}};

		(void)inet_ntop(AF_INET, &one.in.sin_addr, text, sizeof(text));
		err = add(targets, text, &one, port, count > 1, diag);
	}
	return err;
}

/* A word a line; blank lines, and what is behind a '#', are nothing. */
static int add_file(struct rx_targets *targets, const char *name, struct diag *diag)
{
	char *text = NULL, *save = NULL;
	unsigned int number = 0;
	size_t len;
	int err = file_load(AT_FDCWD, name, FILE_MAX, &text, &len);

	if (err)
		return diag_set(diag, err, "%s: %s", name, strerror(-err));
	for (char *rest = text, *line; !err && (line = strsep(&rest, "\n"));) {
		const char *word;

		number++;
		line[strcspn(line, "#")] = '\0';
		word = strtok_r(line, " \t\r", &save);
		if (word && *word == '@')
			err = diag_set(diag, -EINVAL, "%s: line %u: a file within a file", name,
				       number);
		else if (word && rx_targets_add(targets, word, diag))
			err = diag_prefix(diag, -EINVAL, "%s: line %u", name, number);
	}
	free(text);
	return err;
}

/* Where the port begins in HOST:PORT, [ADDRESS]:PORT, and ADDRESS, which has none where it has
 * several colons; NULL: none. Brackets are removed. */
static char *split_port(char *name)
{
	char *colon = strchr(name, ':'), *end = strchr(name, ']');

	if (*name != '[' || !end || (end[1] && end[1] != ':'))
		return colon && !strchr(colon + 1, ':') ? colon : NULL;
	colon = end[1] ? end + 1 : NULL;
	*end = '\0';
	memmove(name, name + 1, (size_t)(end - name));
	return colon;
}

int rx_targets_add(struct rx_targets *targets, const char *text, struct diag *diag)
{
	char name[NAME_MAX_BYTES];
	uint16_t port = DEFAULT_PORT;
	char *colon, *slash;
	int err;

	if (*text == '@')
		return add_file(targets, text + 1, diag);
	if (strlen(text) >= sizeof(name))
		return diag_set(diag, -EINVAL, "a name of more than %zu bytes", sizeof(name) - 1);
	strcpy(name, text);
	colon = split_port(name);
	if (colon) {
		*colon = '\0';
		err = find_port(colon + 1, &port, diag);
		if (err)
			return err;
	}
	slash = strchr(name, '/');
	if (!slash)
		return add_host(targets, name, port, diag);
	*slash = '\0';
	return add_network(targets, name, slash + 1, port, diag);
}

void rx_targets_fini(struct rx_targets *targets)
{
	for (size_t i = 0; i < targets->count; i++)
		free(targets->list[i].name);
	free(targets->list);
	*targets = (struct rx_targets){0};
}
