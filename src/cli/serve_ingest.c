// SPDX-License-Identifier: BSD-2-Clause
#include "cli/serve_ingest.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/diag.h"
#include "cli/verb.h"
#include "live/ingest.h"
#include "live/relay.h"

static void say(void *ctx, const char *text)
{
	struct diag diag;

	(void)diag_set(&diag, 0, "%s", text);
	(void)verb_fail(ctx, 0, &diag);
}

int serve_ingest_open(const struct serve_ingest_request *request, const struct verb_spec *spec,
		      struct relay *relay, bool insecure, struct ingest **ret, struct diag *diag)
{
	const struct ingest_config config = {
		.output = request->output,
		.list = relay_sessions(relay),
		.log = say,
		.ctx = (void *)spec,
	};
	uint16_t control, data;
	int err;

	if (!request->output)
		return 0;
	if (mkdir(request->output, 0750) && errno != EEXIST)
		return diag_set(diag, -errno, "%s: %s", request->output, strerror(errno));
	err = ingest_new(relay_base(relay), &config, ret, diag)				      ?:
		      ingest_listen_control(*ret, request->control, insecure, &control, diag) ?:
		      ingest_listen_data(*ret, request->data, insecure, &data, diag);
	if (!err)
		fprintf(stderr, "net://localhost:%u:%u stores in %s, net://localhost:%u shows it\n",
			control, data, request->output, relay_port(relay));
	return err;
}
