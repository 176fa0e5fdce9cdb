// SPDX-License-Identifier: BSD-2-Clause
#include "live/push/push_session.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/cursor.h"
#include "base/diag.h"
#include "live/proto/live_url.h"
#include "live/proto/push_message.h"
#include "trace/packet_sink.h"
#include "wire/lttng_relay.h"
#include "wire/record.h"

#define TRACE_PATH "kernel" /* as LTTng's kernel traces are called within a session */
#define CODES_MAX 64u /* commands on their way */
#define LINGER_NS \
	(1 * NS_PER_SEC) /* as long as LTTng itself takes, and ten times what viewers do */
#define PENDING_NS (2 * NS_PER_MS) /* between two questions whether all has come */

struct stream {
	char name[PACKET_STREAM_NAME_BYTES];
	uint64_t handle;
	uint64_t count; /* packets that were sent */
	uint64_t confirmed;
	uint64_t end_ns; /* of the last one */
	uint32_t class_id;
};

struct push_session {
	struct push_link control;
	struct push_link data;
	struct buffer out; /* commands that are not sent yet */
	size_t codes; /* replies that are nothing but a code, and not here yet */
	uint64_t metadata; /* handle */
	struct stream *streams;
	size_t stream_count;
	bool announced; /* what is not published yet */
	char path[RELAY_PATH_MAX];
};

static int send_commands(struct push_session *ps)
{
	struct iovec part = {ps->out.data, ps->out.len};
	int err = buffer_error(&ps->out);

	err = err ?: push_link_send(&ps->control, &part, 1);
	buffer_reset(&ps->out);
	return err;
}

static int receive(struct push_session *ps, void *reply, size_t len)
{
	return push_link_receive(&ps->control, reply, len);
}

/* What is on its way has been done. */
static int collect(struct push_session *ps)
{
	uint32_t codes[CODES_MAX];
	size_t count = ps->codes;
	int err = send_commands(ps);

	ps->codes = 0;
	err = err ?: receive(ps, codes, count * sizeof(*codes));
	for (size_t i = 0; !err && i < count; i++)
		err = be32toh(codes[i]) == RELAY_OK ? 0 : -EPROTO;
	return err;
}

/* A command whose reply is a code was put into the buffer: that may wait. */
static int expect_code(struct push_session *ps)
{
	return ++ps->codes < CODES_MAX ? 0 : collect(ps);
}

/* A command was put into the buffer that has a reply of its own. Nothing else is on its way. */
static int ask(struct push_session *ps, void *reply, size_t len)
{
	return send_commands(ps) ?: receive(ps, reply, len);
}

static int agree_on_version(struct push_session *ps, struct diag *diag)
{
	struct cursor cur;
	uint8_t reply[8];
	uint32_t major, minor;
	int err;

	push_message_version(&ps->out);
	err = ask(ps, reply, sizeof(reply));
	if (err)
		return diag_set(diag, err, "it does not say which protocol it speaks: %s",
				push_session_reason(ps, err));
	cursor_init(&cur, reply, sizeof(reply));
	major = cursor_be32(&cur);
	minor = cursor_be32(&cur);
	if (major != RELAY_MAJOR || minor < RELAY_MINOR_LEAST)
		return diag_set(diag, -EPROTO,
				"it speaks protocol %u.%u, this takes %u.%u or later", major, minor,
				RELAY_MAJOR, RELAY_MINOR_LEAST);
	return 0;
}

static int read_path(struct push_session *ps, uint32_t len)
{
	int err = len > sizeof(ps->path) ? -EPROTO : receive(ps, ps->path, len);

	if (!err && len && ps->path[len - 1])
		err = -EPROTO;
	return err;
}

static int create(struct push_session *ps, const struct push_session_config *config,
		  struct diag *diag)
{
	struct push_create create = {
		.name = config->name,
		.host = config->host,
		.live_timer_us = config->live_timer_us,
		.number = config->number,
		.created_s = clock_realtime_ns() / NS_PER_SEC,
	};
	struct cursor cur;
	uint8_t reply[16];
	int err;

	memcpy(create.uuid, config->uuid, sizeof(create.uuid));
	push_message_create(&ps->out, &create);
	err = ask(ps, reply, sizeof(reply));
	cursor_init(&cur, reply, sizeof(reply));
	cursor_skip(&cur, 8);
	if (!err && cursor_be32(&cur) != RELAY_OK)
		err = -EPROTO;
	err = err ?: read_path(ps, cursor_be32(&cur));
	if (!err) {
		push_message_create_chunk(&ps->out, create.created_s);
		err = expect_code(ps) ?: collect(ps);
	}
	return err ? diag_set(diag, err, "it does not take a session: %s",
			      push_session_reason(ps, err)) :
		     0;
}

static int add_stream(struct push_session *ps, const char *name, uint64_t *handle)
{
	struct cursor cur;
	uint8_t reply[12];
	int err = collect(ps);

	if (err)
		return err;
	push_message_add_stream(&ps->out, TRACE_PATH, name);
	err = ask(ps, reply, sizeof(reply));
	cursor_init(&cur, reply, sizeof(reply));
	*handle = cursor_be64(&cur);
	if (!err && cursor_be32(&cur) != RELAY_OK)
		err = -EPROTO;
	ps->announced = true;
	return err;
}

const char *push_session_reason(const struct push_session *ps, int err)
{
	return push_link_reason(*ps->data.link.reason ? &ps->data : &ps->control, err);
}

int push_session_open(const struct push_session_config *config, struct push_session **ret,
		      struct diag *diag)
{
	struct push_session *ps = calloc(1, sizeof(*ps));
	const struct push_url *url = config->url;
	int err;

	if (!ps)
		return diag_set(diag, -ENOMEM, "no memory");
	ps->control.link.fd = -1;
	ps->data.link.fd = -1;
	buffer_init(&ps->out);
	err = push_link_open(url->host, url->control, &config->link, &ps->control, diag)   ?:
		      agree_on_version(ps, diag)					   ?:
		      push_link_open(url->host, url->data, &config->link, &ps->data, diag) ?:
		      create(ps, config, diag);
	ps->data.sent = config->sent;
	if (!err) {
		err = add_stream(ps, RELAY_METADATA_CHANNEL, &ps->metadata);
		if (err)
			diag_set(diag, err, "it does not take a stream: %s",
				 push_session_reason(ps, err));
	}
	if (err) {
		push_session_close(ps);
		return err;
	}
	*ret = ps;
	return 0;
}

const char *push_session_path(const struct push_session *ps)
{
	return ps->path;
}

int push_session_metadata(struct push_session *ps, const uint8_t uuid[16], const char *text,
			  size_t len)
{
	push_message_metadata(&ps->out, ps->metadata, uuid, text, len);
	return send_commands(ps);
}

/* That of @packet, or NULL. */
static struct stream *find(const struct push_session *ps, const void *packet)
{
	char name[PACKET_STREAM_NAME_BYTES];
	struct packet_head head;

	memcpy(&head, packet, sizeof(head));
	packet_stream_name(&head, name);
	for (size_t i = 0; i < ps->stream_count; i++) {
		if (!strcmp(ps->streams[i].name, name))
			return &ps->streams[i];
	}
	return NULL;
}

int push_session_announce(struct push_session *ps, const void *packet)
{
	struct stream stream = {0}, *streams;
	struct packet_head head;
	int err;

	if (find(ps, packet))
		return 0;
	memcpy(&head, packet, sizeof(head));
	packet_stream_name(&head, stream.name);
	stream.class_id = head.stream_id;
	err = add_stream(ps, stream.name, &stream.handle);
	if (err)
		return err;
	streams = realloc(ps->streams, (ps->stream_count + 1) * sizeof(*streams));
	if (!streams)
		return -ENOMEM;
	ps->streams = streams;
	ps->streams[ps->stream_count++] = stream;
	return 0;
}

bool push_session_has(const struct push_session *ps, const void *packet)
{
	const struct stream *stream = find(ps, packet);

	return stream && stream->count;
}

int push_session_publish(struct push_session *ps)
{
	if (!ps->announced)
		return 0;
	ps->announced = false;
	push_message_streams_sent(&ps->out);
	return expect_code(ps) ?: collect(ps);
}

static int send_packet(struct push_session *ps, const struct stream *stream, const void *packet,
		       size_t len, size_t padding)
{
	struct iovec parts[2];
	struct buffer head;
	int err;

	buffer_init(&head);
	push_message_data(&head, stream->handle, stream->count, (uint32_t)len, (uint32_t)padding);
	parts[0] = (struct iovec){head.data, head.len};
	parts[1] = (struct iovec){(void *)(uintptr_t)packet, len};
	err = buffer_error(&head) ?: push_link_send(&ps->data, parts, 2);
	buffer_fini(&head);
	return err;
}

int push_session_packet(struct push_session *ps, const void *packet, size_t len)
{
	struct stream *stream = find(ps, packet);
	struct push_index index;
	struct packet_head head;
	int err;

	if (!stream)
		return -EINVAL;
	memcpy(&head, packet, sizeof(head));
	err = send_packet(ps, stream, packet, len, head.packet_bits / 8 - len);
	if (err)
		return err;
	index = (struct push_index){
		.stream = stream->handle,
		.number = stream->count++,
		.packet_bits = head.packet_bits,
		.content_bits = head.content_bits,
		.begin = head.begin_ns,
		.end = head.end_ns,
		.discarded = head.discarded,
		.class_id = head.stream_id,
		.instance = (uint64_t)head.cpu * RING_LEVELS + head.level,
		.sequence = head.sequence,
	};
	stream->end_ns = head.end_ns;
	push_message_index(&ps->out, &index);
	return expect_code(ps);
}

/* Waits until the relay has all of one stream. */
static int confirm(struct push_session *ps, struct stream *stream)
{
	uint64_t end_ns = clock_monotonic_ns() + ps->control.config.patience_ns;
	uint32_t pending = htobe32(1);

	while (stream->confirmed != stream->count) {
		int err;

		push_message_pending(&ps->out, stream->handle, stream->count - 1);
		err = ask(ps, &pending, sizeof(pending));
		if (!err && !pending)
			stream->confirmed = stream->count;
		else if (!err && be32toh(pending) != 1)
			err = -EPROTO;
		else if (!err && clock_monotonic_ns() > end_ns)
			err = -ETIMEDOUT;
		else if (!err)
			err = push_link_sleep(ps->control.config.stop_fd, PENDING_NS);
		if (err)
			return err;
	}
	return 0;
}

int push_session_confirm(struct push_session *ps)
{
	int err = collect(ps);

	for (size_t i = 0; !err && i < ps->stream_count; i++)
		err = confirm(ps, &ps->streams[i]);
	return err;
}

int push_session_beacon(struct push_session *ps, uint64_t time_ns)
{
	int err = 0;

	for (size_t i = 0; !err && i < ps->stream_count; i++) {
		const struct stream *stream = &ps->streams[i];
		const struct push_index beacon = {
			.stream = stream->handle,
			.number = stream->count - 1,
			.end = time_ns,
			.class_id = stream->class_id,
		};

		if (!stream->count || stream->end_ns > time_ns)
			continue;
		push_message_index(&ps->out, &beacon);
		err = expect_code(ps);
	}
	return err ?: collect(ps);
}

/*
 * Lttng-relayd 2.13 hangs up when a session ends, whatever viewers have not fetched by then, so they are
 * given time. Its chunk ends with it: that has no name, and so no other place to go to.
 */
int push_session_end(struct push_session *ps)
{
	int err = push_session_confirm(ps);

	err = err ?: push_link_sleep(ps->control.config.stop_fd, LINGER_NS);
	for (size_t i = 0; !err && i < ps->stream_count; i++) {
		const struct stream *stream = &ps->streams[i];

		push_message_close_stream(&ps->out, stream->handle, stream->count - 1);
		err = expect_code(ps);
	}
	if (err)
		return err;
	push_message_close_stream(&ps->out, ps->metadata, RELAY_NO_PACKET);
	return expect_code(ps) ?: collect(ps);
}

void push_session_close(struct push_session *ps)
{
	if (!ps)
		return;
	push_link_close(&ps->control);
	push_link_close(&ps->data);
	buffer_fini(&ps->out);
	free(ps->streams);
	free(ps);
}
