// SPDX-License-Identifier: BSD-2-Clause
#include "cli/rights_reload.h"

#include <errno.h>
#include <event2/event.h>
#include <signal.h>
#include <stdlib.h>

#include "base/diag.h"
#include "cli/rights_options.h"
#include "cli/verb.h"

struct rights_reload {
	const struct rights_request *request;
	struct rights *rights;
	const struct verb_spec *spec;
	struct event *hangup;
};

static void asked_to_reload(evutil_socket_t fd, short what, void *ctx)
{
	const struct rights_reload *reload = ctx;
	struct credentials credentials;
	struct diag diag = {.text = "certificates and tokens are read again"};
	int err = credentials_load(TLS_SERVER, &reload->request->files, &credentials, &diag);

	(void)fd;
	(void)what;
	if (err) {
		(void)diag_prefix(&diag, err, "certificates and tokens stay as they were");
	} else {
		credentials_fini(&reload->rights->credentials);
		reload->rights->credentials = credentials;
	}
	(void)verb_fail(reload->spec, STATUS_COMPLETE, &diag);
}

int rights_reload_open(struct event_base *base, const struct rights_request *request,
		       struct rights *rights, const struct verb_spec *spec,
		       struct rights_reload **ret, struct diag *diag)
{
	struct rights_reload *reload;

	if (!rights_ask(rights))
		return 0;
	reload = calloc(1, sizeof(*reload));
	if (!reload)
		return diag_set(diag, -ENOMEM, "no memory");
	*reload = (struct rights_reload){.request = request, .rights = rights, .spec = spec};
	reload->hangup = evsignal_new(base, SIGHUP, asked_to_reload, reload);
	if (!reload->hangup || evsignal_add(reload->hangup, NULL)) {
		rights_reload_close(reload);
		return diag_set(diag, -ENOMEM, "no memory");
	}
	*ret = reload;
	return 0;
}

void rights_reload_close(struct rights_reload *reload)
{
	if (!reload)
		return;
	if (reload->hangup)
		event_free(reload->hangup);
	free(reload);
}
