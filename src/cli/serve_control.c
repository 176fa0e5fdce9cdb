// SPDX-License-Identifier: BSD-2-Clause
#include "cli/serve_control.h"

#include <errno.h>
#include <event2/event.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/diag.h"
#include "base/io.h"
#include "base/json_writer.h"
#include "cli/verb.h"
#include "live/relay/relay.h"
#include "live/relay/relay_status.h"
#include "record/control.h"
#include "record/control_client.h"

#define SESSIONS_BYTES \
	(CONTROL_ANSWER_MAX - 8192u) /* leaves room for the members after the last listed session */

struct serve_control {
	struct serve_control_config config;
	struct control *control;
	struct event *asked;
	struct event *tick;
	uint64_t since_ns; /* since the epoch */
	uint64_t start_ns; /* CLOCK_MONOTONIC */
	char output[PATH_MAX]; /* absolute: a client is in another directory */
	struct buffer end;
};

static void tell(struct serve_control *control, struct buffer *out)
{
	struct json_writer json;

	json_writer_init(&json, out);
	json_writer_object(&json, NULL);
	json_writer_bool(&json, "ok", true);
	json_writer_string(&json, "kind", "relay");
	json_writer_string(&json, "name", control->config.name);
	json_writer_uint(&json, "pid", (uint64_t)getpid());
	json_writer_uint(&json, "since_ns", control->since_ns);
	json_writer_uint(&json, "elapsed_ns", clock_monotonic_ns() - control->start_ns);
	if (control->config.output)
		json_writer_string(&json, "output", control->output);
	relay_status_write(control->config.relay, control->config.ingest, SESSIONS_BYTES, &json);
	json_writer_finish(&json);
}

static enum control_verdict handle(void *ctx, char *line, struct buffer *answer)
{
	if (!strcmp(line, "stop"))
		return CONTROL_STOP;
	if (!strcmp(line, "status"))
		tell(ctx, answer);
	else
		control_refuse(answer, "usage", "a relay takes status and stop alone");
	return CONTROL_ANSWERED;
}

static void is_asked(evutil_socket_t fd, short what, void *ctx)
{
	struct serve_control *control = ctx;

	(void)fd;
	(void)what;
	if (control_pump(control->control))
		relay_stop(control->config.relay);
}

static void tick(evutil_socket_t fd, short what, void *ctx)
{
	struct serve_control *control = ctx;

	(void)fd;
	(void)what;
	control_tick(control->control, clock_monotonic_ns());
}

/* Looking for others removes the sockets of dead ones. */
static int listen_as(struct serve_control *control, struct diag *diag)
{
	struct recorder others[RECORDERS_MAX];
	int dir = -1, err;

	err = control_dir_open(&dir, diag);
	if (err)
		return err;
	(void)recorder_list(dir, RECORDER_LIST_RELAYS, others);
	err = control_open(dir, CONTROL_RELAY, control->config.name, handle, control,
			   &control->control, diag);
	fd_close(dir);
	return err;
}

static int add_events(struct serve_control *control, struct diag *diag)
{
	const struct timeval every = {.tv_sec = 1};
	struct event_base *base = relay_base(control->config.relay);

	control->asked = event_new(base, control_fd(control->control), EV_READ | EV_PERSIST,
				   is_asked, control);
	control->tick = event_new(base, -1, EV_PERSIST, tick, control);
	if (!control->asked || !control->tick || event_add(control->asked, NULL) ||
	    event_add(control->tick, &every))
		return diag_set(diag, -ENOMEM, "no memory");
	return 0;
}

struct serve_control *serve_control_open(const struct serve_control_config *config)
{
	struct serve_control *control = calloc(1, sizeof(*control));
	struct diag diag = {0}, why;

	if (!control)
		return NULL;
	control->config = *config;
	control->config.name = config->name ?: SERVE_CONTROL_NAME;
	control->since_ns = clock_realtime_ns();
	control->start_ns = clock_monotonic_ns();
	buffer_init(&control->end);
	if (config->output && !realpath(config->output, control->output))
		control->output[0] = 0;
	if (!listen_as(control, &diag) && !add_events(control, &diag))
		return control;
	(void)diag_set(&why, 0, "it cannot be controlled: %s", diag.text);
	(void)verb_fail(config->spec, 0, &why);
	serve_control_close(control);
	return NULL;
}

void serve_control_end(struct serve_control *control)
{
	if (!control)
		return;
	control_unlink(control->control);
	tell(control, &control->end);
}

void serve_control_close(struct serve_control *control)
{
	if (!control)
		return;
	if (control->asked)
		event_free(control->asked);
	if (control->tick)
		event_free(control->tick);
	control_close(control->control, &control->end);
	buffer_fini(&control->end);
	free(control);
}
