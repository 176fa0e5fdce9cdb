// SPDX-License-Identifier: BSD-2-Clause
#include "live/access/rights.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/glob.h"

int allow_add(struct allow *allow, const char *rule, struct diag *diag)
{
	const char *split = strchr(rule, '=');
	char **rules;
	char *copy;

	if (!split || split == rule || !split[1])
		return diag_set(diag, -EINVAL, "'%s': a rule is PEER=SESSION, as in 'web*=tcp-*'",
				rule);
	copy = strdup(rule);
	rules = realloc(allow->rules, (allow->count + 1) * sizeof(*rules));
	if (rules)
		allow->rules = rules;
	if (!rules || !copy) {
		free(copy);
		return diag_set(diag, -ENOMEM, "out of memory");
	}
	copy[split - rule] = '\0';
	rules[allow->count++] = copy;
	return 0;
}

void allow_fini(struct allow *allow)
{
	for (size_t i = 0; i < allow->count; i++)
		free(allow->rules[i]);
	free(allow->rules);
	*allow = (struct allow){0};
}

static bool fits(const char *pattern, const char *name)
{
	return glob_match(pattern, strlen(pattern), name, strlen(name));
}

bool allow_session(const struct allow *allow, const char *peer, const char *session)
{
	if (!allow->count)
		return true;
	for (size_t i = 0; peer && *peer && i < allow->count; i++) {
		const char *rule = allow->rules[i];

		if (fits(rule, peer) && fits(rule + strlen(rule) + 1, session))
			return true;
	}
	return false;
}

bool rights_ask(const struct rights *rights)
{
	return rights && (rights->credentials.tls || rights->credentials.token.len);
}

void rights_fini(struct rights *rights)
{
	credentials_fini(&rights->credentials);
}
