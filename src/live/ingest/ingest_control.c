// SPDX-License-Identifier: BSD-2-Clause
#include "live/ingest/ingest_control.h"

#include <errno.h>
#include <string.h>

#include "base/buffer.h"
#include "base/diag.h"
#include "live/access/rights.h"
#include "live/ingest/ingest_session.h"
#include "live/ingest/ingest_store.h"
#include "live/proto/ingest_message.h"

typedef int (*command_fn)(struct ingest_control *control, const struct ingest_command *c,
			  struct buffer *reply);

static uint32_t code_of(int err)
{
	switch (err) {
	case 0:
		return RELAY_OK;
	case -EACCES:
	case -EPERM:
	case -EPROTO:
		return RELAY_ERR_INVALID;
	case -EBADMSG:
		return RELAY_ERR_PROTOCOL;
	default:
		return RELAY_ERR_UNKNOWN;
	}
}

/* The peer gets the code, and may continue: what it asked for was rejected, and nothing has changed. */
static int tell(struct buffer *reply, int err)
{
	buffer_be32(reply, code_of(err));
	return 0;
}

/* The same, but after an error within what was asked for the connection ends. */
static int tell_or_end(struct buffer *reply, int err)
{
	(void)tell(reply, err);
	return err == -EPROTO ? 0 : err;
}

static int version(struct ingest_control *control, const struct ingest_command *c,
		   struct buffer *reply)
{
	buffer_be32(reply, RELAY_MAJOR);
	buffer_be32(reply, RELAY_MINOR);
	if (control->session)
		return -EPROTO; /* it speaks the version that was agreed on */
	control->minor = c->minor < RELAY_MINOR ? c->minor : RELAY_MINOR;
	control->agreed = c->major == RELAY_MAJOR && c->minor >= RELAY_MINOR_LEAST;
	return control->agreed ? 0 : -ENOTSUP;
}

/* The peer gets a code alone, and may continue; the operator gets the reason, once until something
 * is stored. */
static int note_store(const struct ingest_control *control, const char *what, int err)
{
	struct ingest_place *place = control->place;
	struct diag diag;

	if (!ingest_store_fails(err))
		return err;
	if (!place->store_error && place->warn) {
		(void)diag_set(&diag, err, "a %s of a peer is rejected, as it cannot be stored: %s",
			       what, strerror(-err));
		place->warn(place->ctx, diag.text);
	}
	place->store_error = err;
	return err;
}

static bool may_stream(const struct ingest_control *control, const struct ingest_command *c)
{
	const struct rights *rights = control->place->rights;

	return !rights || !rights->allow || allow_session(rights->allow, control->peer, c->name);
}

/* Without chunks all is in one. */
static int only_chunk(struct ingest_session *session)
{
	const struct ingest_command chunk = {.name = ""};

	return ingest_session_add_chunk(session, &chunk);
}

/* Who may have no session is not listened to any more. */
static int may_not_go_on(int err)
{
	return err == -EUSERS || err == -EPERM ? err : 0;
}

static int create_session(struct ingest_control *control, const struct ingest_command *c,
			  struct buffer *reply)
{
	struct ingest_place *place = control->place;
	bool old = control->minor < RELAY_MINOR_CHUNKS;
	struct ingest_session_info info = {.path = ""};
	int err;

	if (control->session)
		return -EPROTO;
	err = may_stream(control, c) ? ingest_session_new(place, c, control->peer,
							  control->minor >= RELAY_MINOR_SEQUENCE,
							  &control->session) :
				       -EPERM;
	if (!err && old)
		err = only_chunk(control->session);
	(void)note_store(control, "session", err);
	if (!err)
		ingest_session_info(control->session, &info);
	buffer_be64(reply, info.id);
	buffer_be32(reply, code_of(err));
	if (old)
		return may_not_go_on(err);
	buffer_be32(reply, (uint32_t)strlen(info.path) + 1);
	buffer_append(reply, info.path, strlen(info.path) + 1);
	return may_not_go_on(err);
}

/* Old peers tell the whole path, "HOST/SESSION-TIME/ust/...". */
static const char *within_session(const struct ingest_session *session, const char *path)
{
	struct ingest_session_info info;
	const char *rest;
	size_t host;

	ingest_session_info(session, &info);
	host = strlen(info.host);
	if (strncmp(path, info.host, host) != 0 || path[host] != '/')
		return path;
	rest = strchr(path + host + 1, '/');
	return rest ? rest + 1 : path;
}

static int add_stream(struct ingest_control *control, const struct ingest_command *c,
		      struct buffer *reply)
{
	struct ingest_command add = *c;
	uint64_t handle = 0;
	int err;

	if (control->minor < RELAY_MINOR_CHUNKS)
		add.path = within_session(control->session, c->path);
	err = note_store(control, "stream",
			 ingest_session_add_stream(control->session, &add, &handle));
	buffer_be64(reply, handle);
	return tell(reply, err);
}

static int streams_sent(struct ingest_control *control, const struct ingest_command *c,
			struct buffer *reply)
{
	(void)c;
	ingest_session_streams_sent(control->session);
	return tell(reply, 0);
}

/* Has no reply, so that every error ends the connection. */
static int send_metadata(struct ingest_control *control, const struct ingest_command *c,
			 struct buffer *reply)
{
	(void)reply;
	return ingest_session_metadata(control->session, c);
}

static int reset_metadata(struct ingest_control *control, const struct ingest_command *c,
			  struct buffer *reply)
{
	return tell(reply, ingest_session_reset_metadata(control->session, c->id));
}

static int send_index(struct ingest_control *control, const struct ingest_command *c,
		      struct buffer *reply)
{
	int err = ingest_session_index(control->session, c->id, &c->index);

	return err ?: tell(reply, err);
}

static int close_stream(struct ingest_control *control, const struct ingest_command *c,
			struct buffer *reply)
{
	return tell(reply, ingest_session_close_stream(control->session, c->id, c->number));
}

static int data_pending(struct ingest_control *control, const struct ingest_command *c,
			struct buffer *reply)
{
	int pending = ingest_session_is_pending(control->session, c->id, c->number);

	if (pending < 0)
		return tell(reply, pending);
	buffer_be32(reply, (uint32_t)pending);
	return 0;
}

/* All that was sent on the control connection has been dealt with: it goes in order. */
static int quiescent(struct ingest_control *control, const struct ingest_command *c,
		     struct buffer *reply)
{
	return tell(reply, ingest_session_check_pending(control->session, c->id));
}

static int begin_pending(struct ingest_control *control, const struct ingest_command *c,
			 struct buffer *reply)
{
	(void)c;
	ingest_session_begin_pending(control->session);
	return tell(reply, 0);
}

static int end_pending(struct ingest_control *control, const struct ingest_command *c,
		       struct buffer *reply)
{
	(void)c;
	buffer_be32(reply, ingest_session_end_pending(control->session));
	return 0;
}

static int rotate_streams(struct ingest_control *control, const struct ingest_command *c,
			  struct buffer *reply)
{
	return tell_or_end(reply, ingest_session_rotate(control->session, c));
}

static int create_chunk(struct ingest_control *control, const struct ingest_command *c,
			struct buffer *reply)
{
	return tell_or_end(reply, ingest_session_add_chunk(control->session, c));
}

static int close_chunk(struct ingest_control *control, const struct ingest_command *c,
		       struct buffer *reply)
{
	char path[RELAY_PATH_MAX] = "";
	int err = ingest_session_close_chunk(control->session, c, path);

	(void)tell(reply, err);
	buffer_be32(reply, (uint32_t)strlen(path) + 1);
	buffer_append(reply, path, strlen(path) + 1);
	return 0;
}

static int chunk_exists(struct ingest_control *control, const struct ingest_command *c,
			struct buffer *reply)
{
	(void)tell(reply, 0);
	buffer_char(reply, ingest_session_has_chunk(control->session, c->id));
	return 0;
}

static int configuration(struct ingest_control *control, const struct ingest_command *c,
			 struct buffer *reply)
{
	(void)tell(reply, c->id ? -EPROTO : 0);
	buffer_be64(reply, control->place->disallow_clear ? 0 : RELAY_CLEAR_ALLOWED);
	return 0;
}

static int start_data(struct ingest_control *control, const struct ingest_command *c,
		      struct buffer *reply)
{
	(void)control;
	(void)c;
	return tell(reply, 0);
}

static const struct {
	command_fn act;
	bool needs_session;
} commands[] = {
	[RELAY_ADD_STREAM] = {add_stream, true},
	[RELAY_CREATE_SESSION] = {create_session, false},
	[RELAY_START_DATA] = {start_data, true},
	[RELAY_SEND_METADATA] = {send_metadata, true},
	[RELAY_CLOSE_STREAM] = {close_stream, true},
	[RELAY_DATA_PENDING] = {data_pending, true},
	[RELAY_QUIESCENT_CONTROL] = {quiescent, true},
	[RELAY_BEGIN_DATA_PENDING] = {begin_pending, true},
	[RELAY_END_DATA_PENDING] = {end_pending, true},
	[RELAY_SEND_INDEX] = {send_index, true},
	[RELAY_STREAMS_SENT] = {streams_sent, true},
	[RELAY_RESET_METADATA] = {reset_metadata, true},
	[RELAY_ROTATE_STREAMS] = {rotate_streams, true},
	[RELAY_CREATE_TRACE_CHUNK] = {create_chunk, true},
	[RELAY_CLOSE_TRACE_CHUNK] = {close_chunk, true},
	[RELAY_TRACE_CHUNK_EXISTS] = {chunk_exists, true},
	[RELAY_GET_CONFIGURATION] = {configuration, false},
};

/* The peer gets the refusal in the form of that command's reply. */
static void refuse(const struct ingest_control *control, uint32_t command, int err,
		   struct buffer *reply)
{
	if (command == RELAY_SEND_METADATA) /* has none */
		return;
	if (command == RELAY_CREATE_SESSION || command == RELAY_ADD_STREAM)
		buffer_be64(reply, 0);
	(void)tell(reply, err);
	if (command == RELAY_CREATE_SESSION && control->minor >= RELAY_MINOR_CHUNKS) {
		buffer_be32(reply, 1);
		buffer_char(reply, 0);
	}
}

static int act(struct ingest_control *control, const struct ingest_command *c, struct buffer *reply)
{
	if (commands[c->command].needs_session && !control->session)
		return -EPROTO;
	return commands[c->command].act(control, c, reply);
}

int ingest_control_do(struct ingest_control *control, uint32_t command, const void *bytes,
		      size_t len, struct buffer *reply)
{
	size_t before = reply->len;
	struct ingest_command c;
	int err = ingest_command_unpack(command, control->minor, bytes, len, &c);
	bool leads_elsewhere = err == -EACCES; /* that name: another may follow */

	if (!err && command == RELAY_VERSION)
		return version(control, &c, reply);
	if (!control->agreed)
		return err && !leads_elsewhere ? err : -EPROTO;
	err = err ?: act(control, &c, reply);
	if (err && reply->len == before)
		refuse(control, command, err, reply);
	if (leads_elsewhere)
		err = 0;
	if (!err && control->session)
		err = ingest_session_settle(control->session);
	return err ?: buffer_error(reply);
}
