// SPDX-License-Identifier: BSD-2-Clause
#include "live/proto/live_url.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/diag.h"
#include "wire/lttng_relay.h"

#define SCHEME "net://"

/* ":PORT" at *@at, or @otherwise without one. False: neither. */
static bool parse_port(const char **at, unsigned int otherwise, char port[6])
{
	size_t digits;

	snprintf(port, 6, "%u", otherwise);
	if (**at != ':')
		return true;
	digits = strspn(*at + 1, "0123456789");
	if (!digits || digits > 5)
		return false;
	snprintf(port, 6, "%.*s", (int)digits, *at + 1);
	*at += 1 + digits;
	return strtoul(port, NULL, 10) && strtoul(port, NULL, 10) < 65536;
}

/* The host at *@at, without its brackets. */
static bool parse_host(const char **at, char *host, size_t room)
{
	bool bracket = **at == '[';
	const char *from = *at + bracket;
	size_t len = strcspn(from, bracket ? "]" : ":/");

	if (!len || len >= room || (bracket && from[len] != ']'))
		return false;
	memcpy(host, from, len);
	host[len] = 0;
	*at = from + len + bracket;
	return true;
}

int push_url_parse(const char *text, struct push_url *ret, struct diag *diag)
{
	struct push_url url;
	const char *at = text;

	if (strncmp(at, SCHEME, strlen(SCHEME)))
		goto fail;
	at += strlen(SCHEME);
	if (!parse_host(&at, url.host, sizeof(url.host)) ||
	    !parse_port(&at, RELAY_CONTROL_PORT, url.control) ||
	    !parse_port(&at, RELAY_DATA_PORT, url.data))
		goto fail;
	if (strcmp(at, "") && strcmp(at, "/"))
		goto fail;
	*ret = url;
	return 0;

fail:
	return diag_set(diag, -EINVAL,
			"'%s' is not the URL of a relay: net://HOST[:CONTROL_PORT[:DATA_PORT]]",
			text);
}

#define FORM "net://RELAY[:PORT][/host/HOST/SESSION]"

static const struct {
	const char *prefix;
	int family;
} schemes[] = {{"net://", AF_UNSPEC}, {"net4://", AF_INET}, {"net6://", AF_INET6}};

/* What is behind the scheme, or NULL. */
static const char *skip_scheme(const char *text, int *family)
{
	for (size_t i = 0; i < sizeof(schemes) / sizeof(schemes[0]); i++) {
		size_t len = strlen(schemes[i].prefix);

		if (strncmp(text, schemes[i].prefix, len))
			continue;
		*family = schemes[i].family;
		return text + len;
	}
	return NULL;
}

bool live_url_is(const char *text)
{
	int family;

	return skip_scheme(text, &family);
}

static int fail(const char *text, struct diag *diag, const char *what)
{
	return diag_set(diag, -EINVAL, "%s: %s; the form is " FORM, text, what);
}

/* @len bytes of @from, which are to be a name: not empty, and no longer than there is room for. */
static bool take(char *to, size_t room, const char *from, size_t len)
{
	if (!len || len >= room)
		return false;
	memcpy(to, from, len);
	to[len] = '\0';
	return true;
}

static bool take_port(struct live_url *url, const char *from, size_t len)
{
	char *end;
	long port;

	if (!take(url->port, sizeof(url->port), from, len) || *from < '0' || *from > '9')
		return false;
	port = strtol(url->port, &end, 10);
	return !*end && port > 0 && port <= UINT16_MAX;
}

/* "RELAY", "RELAY:PORT", "[::1]:PORT", of @len bytes. */
static int take_relay(const char *text, const char *at, size_t len, struct live_url *url,
		      struct diag *diag)
{
	const char *end = at + len, *name_end, *rest;

	if (*at == '[') {
		name_end = memchr(at, ']', len);
		if (!name_end)
			return fail(text, diag, "no ']' after the address");
		at++;
		rest = name_end + 1;
	} else {
		name_end = memchr(at, ':', len) ?: end;
		rest = name_end;
	}
	if (!take(url->relay, sizeof(url->relay), at, (size_t)(name_end - at)))
		return fail(text, diag, "it names no relay, or too long a one");
	(void)snprintf(url->port, sizeof(url->port), "%u", LIVE_PORT);
	if (rest == end)
		return 0;
	if (*rest != ':' || !take_port(url, rest + 1, (size_t)(end - rest - 1)))
		return fail(text, diag, "the port is not a number from 1 to 65535");
	return 0;
}

int live_url_parse(const char *text, struct live_url *ret, struct diag *diag)
{
	struct live_url url = {.host = "", .session = ""};
	const char *at = skip_scheme(text, &url.family), *path, *slash;
	size_t len;
	int err;

	if (!at)
		return fail(text, diag, "it names no live session");
	path = strchrnul(at, '/');
	err = take_relay(text, at, (size_t)(path - at), &url, diag);
	if (err)
		return err;
	len = strlen(path);
	while (len && path[len - 1] == '/')
		len--;
	if (len) {
		if (len < 6 || strncmp(path, "/host/", 6))
			return fail(text, diag, "behind the relay comes /host/");
		path += 6;
		len -= 6;
		slash = memchr(path, '/', len);
		if (!slash || memchr(slash + 1, '/', len - (size_t)(slash + 1 - path)))
			return fail(text, diag, "behind /host/ come HOST and SESSION");
		if (!take(url.host, sizeof(url.host), path, (size_t)(slash - path)) ||
		    !take(url.session, sizeof(url.session), slash + 1,
			  len - (size_t)(slash + 1 - path)))
			return fail(text, diag, "HOST or SESSION is missing, or too long");
	}
	*ret = url;
	return 0;
}

void live_url_format(const struct live_url *url, char text[LIVE_URL_BYTES])
{
	const bool bracketed = strchr(url->relay, ':');
	const bool usual = strtol(url->port, NULL, 10) == LIVE_PORT;
	const char *scheme = schemes[0].prefix;

	for (size_t i = 0; i < sizeof(schemes) / sizeof(schemes[0]); i++) {
		if (schemes[i].family == url->family)
			scheme = schemes[i].prefix;
	}
	(void)snprintf(text, LIVE_URL_BYTES, "%s%s%s%s%s%s%s%s%s%s", scheme, bracketed ? "[" : "",
		       url->relay, bracketed ? "]" : "", usual ? "" : ":", usual ? "" : url->port,
		       *url->session ? "/host/" : "", url->host, *url->session ? "/" : "",
		       url->session);
}
