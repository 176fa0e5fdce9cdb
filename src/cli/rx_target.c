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

static int add(struct rx_targets *targets, const char *name, uint32_t host, uint16_t port,
	       bool sought, struct diag *diag)
{
	char text[NAME_MAX_BYTES + 8];
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
	snprintf(text, sizeof(text), "%s:%u", name, port);
	*target = (struct rx_target){
		.name = strdup(text),
		.address.in = {.sin_family = AF_INET,
			       .sin_addr.s_addr = htonl(host),
			       .sin_port = htons(port)},
		.sought = sought,
	};
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
				"'%s' is no port: a number, or a name of /etc/services", text);
	*ret = ntohs((uint16_t)service->s_port);
	return 0;
}

static int add_host(struct rx_targets *targets, const char *name, uint16_t port, struct diag *diag)
{
	const struct addrinfo hints = {.ai_family = AF_INET, .ai_socktype = SOCK_DGRAM};
	struct addrinfo *found = NULL;
	int err = *name ? getaddrinfo(name, NULL, &hints, &found) : EAI_NONAME;
	uint32_t host;

	if (err)
		return diag_set(diag, -ENOENT, "host '%s': %s", name, gai_strerror(err));
	host = ntohl(((const struct sockaddr_in *)found->ai_addr)->sin_addr.s_addr);
	freeaddrinfo(found);
	return add(targets, name, host, port, false, diag);
}

/* All of its addresses but, from four on, the first and the last, which are nobody's. */
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
		return diag_set(diag, -EINVAL, "'%s/%s' is no network, as 192.0.2.0/24", name,
				bits_text);
	count = 1ull << (32 - bits);
	if (count > RX_TARGETS_MAX)
		return diag_set(diag, -E2BIG, "'%s/%s' has more than %u addresses", name, bits_text,
				RX_TARGETS_MAX);
	first = ntohl(in.s_addr) & ~(count - 1);
	for (uint64_t i = count >= 4; !err && i < count - (count >= 4); i++) {
		struct in_addr one = {htonl((uint32_t)(first + i))};

		(void)inet_ntop(AF_INET, &one, text, sizeof(text));
		err = add(targets, text, (uint32_t)(first + i), port, count > 1, diag);
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
	colon = strchr(name, ':');
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
