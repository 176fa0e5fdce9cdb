// SPDX-License-Identifier: BSD-2-Clause
#include "live/session/session.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "ctf/metadata.h"
#include "ctf/trace_class.h"
#include "trace/end_file.h"

#define TEXT_BYTES (SESSION_METADATA_PACKET_BYTES - CTF_METADATA_HEAD_BYTES)
#define PIECE_BYTES (64u * SESSION_METADATA_PACKET_BYTES) /* of one reply, about */

void session_metadata_init(struct session_metadata *metadata)
{
	*metadata = (struct session_metadata){.format = LIVE_CTF_1_8};
	buffer_init(&metadata->wire);
	buffer_init(&metadata->text);
}

void session_metadata_fini(struct session_metadata *metadata)
{
	buffer_fini(&metadata->wire);
	buffer_fini(&metadata->text);
}

static void append_u32(struct session_metadata *metadata, uint32_t value)
{
	uint8_t bytes[4];

	for (unsigned int i = 0; i < 4; i++)
		bytes[i] = (uint8_t)(value >> 8 * (metadata->big_endian ? 3 - i : i));
	buffer_append(&metadata->wire, bytes, sizeof(bytes));
}

/* CTF 1.8.3, section 7.1; padded, as LTTng's are. */
static void append_packet(struct session_metadata *metadata, const char *text, size_t len)
{
	static const uint8_t schemes_and_version[] = {0, 0, 0, 1, 8};

	append_u32(metadata, CTF_METADATA_MAGIC);
	buffer_append(&metadata->wire, metadata->uuid, sizeof(metadata->uuid));
	append_u32(metadata, 0); /* no checksum */
	append_u32(metadata, (uint32_t)(CTF_METADATA_HEAD_BYTES + len) * 8);
	append_u32(metadata, SESSION_METADATA_PACKET_BYTES * 8);
	buffer_append(&metadata->wire, schemes_and_version, sizeof(schemes_and_version));
	buffer_append(&metadata->wire, text, len);
	buffer_pad(&metadata->wire, 0, TEXT_BYTES - len);
}

static void append(struct session_metadata *metadata, const char *text, size_t len)
{
	buffer_append(&metadata->text, text, len);
	if (metadata->format == LIVE_CTF_2) {
		buffer_append(&metadata->wire, text, len);
		return;
	}
	while (len) {
		size_t piece = len < TEXT_BYTES ? len : TEXT_BYTES;

		append_packet(metadata, text, piece);
		text += piece;
		len -= piece;
	}
}

static const char *env_text(const struct ctf_trace_class *trace, const char *name)
{
	for (size_t i = 0; i < trace->env_count; i++) {
		if (trace->env[i].text && !strcmp(trace->env[i].name, name))
			return trace->env[i].text;
	}
	return "";
}

static bool has_end_file(const struct ctf_trace_class *trace)
{
	for (size_t i = 0; i < trace->env_count; i++) {
		if (!strcmp(trace->env[i].name, END_FILE_ENV))
			return true;
	}
	return false;
}

/* What the first of it says of the trace, which does not change. */
static int describe(struct session_metadata *metadata, const char *text, size_t len,
		    struct diag *diag)
{
	struct ctf_trace_class *trace = NULL;
	int err = metadata_read_head(text, len, &trace, diag);

	if (err)
		return err;
	metadata->format = *text == CTF_RECORD_SEPARATOR ? LIVE_CTF_2 : LIVE_CTF_1_8;
	metadata->big_endian = trace->big_endian;
	if (trace->has_uuid)
		memcpy(metadata->uuid, trace->uuid, sizeof(metadata->uuid));
	strncpy(metadata->host, env_text(trace, "hostname"), sizeof(metadata->host) - 1);
	metadata->snapshots = !strcmp(env_text(trace, "sonde_mode"), "overwrite");
	metadata->converted = has_end_file(trace);
	ctf_trace_class_free(trace);
	return 0;
}

static int set_text(struct session_metadata *metadata, const char *text, size_t len,
		    struct diag *diag)
{
	size_t old = metadata->text.len;
	int err = 0;

	if (len < old || (old && memcmp(text, metadata->text.data, old)))
		return diag_set(diag, -EBADMSG,
				"the metadata is not what it was, with more behind");
	if (len == old)
		return 0;
	if (!old)
		err = describe(metadata, text, len, diag);
	if (err)
		return err;
	append(metadata, text + old, len - old);
	err = buffer_error(&metadata->text) ?: buffer_error(&metadata->wire);
	return err ? diag_set(diag, err, "no memory for metadata") : 0;
}

int session_metadata_set(struct session_metadata *metadata, const char *bytes, size_t len,
			 struct diag *diag)
{
	char *text = NULL;
	size_t text_len;
	int err;

	if (!metadata_packet_is(bytes, len))
		return set_text(metadata, bytes, len, diag);
	err = metadata_packet_join(bytes, len, &text, &text_len, diag);
	if (!err)
		err = set_text(metadata, text, text_len, diag);
	free(text);
	return err;
}

size_t session_metadata_piece(const struct session_metadata *metadata, size_t at)
{
	size_t left = metadata->wire.len - at;

	return left < PIECE_BYTES ? left : PIECE_BYTES;
}

/* A name as the URL of a viewer may hold it. */
static void copy_name(char *ret, size_t room, const char *name, const char *otherwise)
{
	memset(ret, 0, room);
	strncpy(ret, name && *name ? name : otherwise, room - 1);
	for (char *c = ret; *c; c++) {
		if (*c == '/' || (unsigned char)*c < ' ')
			*c = '-';
	}
}

int session_new(const struct session_config *config, struct session **ret)
{
	struct session *session = calloc(1, sizeof(*session));

	if (!session)
		return -ENOMEM;
	session->refs = 1;
	session->live_timer_us = config->live_timer_us ?: 1;
	session->from_beginning = config->from_beginning;
	session->ctf2 = config->ctf2;
	copy_name(session->host, sizeof(session->host), config->host, "localhost");
	copy_name(session->name, sizeof(session->name), config->name, "trace");
	*ret = session;
	return 0;
}

void session_name_host(struct session *session, const char *host)
{
	if (*host)
		copy_name(session->host, sizeof(session->host), host, "");
}

struct session *session_ref(struct session *session)
{
	session->refs++;
	return session;
}

static void free_stream(struct session_stream *stream)
{
	for (size_t i = 0; i < stream->file_count; i++)
		session_file_unref(stream->files[i]);
	free(stream->files);
	free(stream->channel);
	free(stream);
}

static void free_trace(struct session_trace *trace)
{
	for (size_t i = 0; i < trace->stream_count; i++)
		free_stream(trace->streams[i]);
	session_metadata_fini(&trace->metadata);
	free(trace->streams);
	free(trace->path);
	free(trace);
}

void session_unref(struct session *session)
{
	if (!session || --session->refs)
		return;
	for (size_t i = 0; i < session->trace_count; i++)
		free_trace(session->traces[i]);
	free(session->traces);
	free(session);
}

/* One more at the end of an array of pointers. */
static int push(void *array, size_t *count, size_t limit, void *item)
{
	void **items = *(void ***)array;

	if (*count == limit)
		return -E2BIG;
	if (!(*count & (*count - 1))) { /* full: it has room for powers of two */
		items = realloc(items, (*count ? 2 * *count : 1) * sizeof(*items));
		if (!items)
			return -ENOMEM;
		*(void ***)array = items;
	}
	items[(*count)++] = item;
	return 0;
}

int session_trace_new(struct session *session, const char *path, struct session_trace **ret)
{
	struct session_trace *trace = calloc(1, sizeof(*trace));
	int err = -ENOMEM;

	if (!trace)
		return err;
	trace->session = session;
	trace->path = strdup(path);
	session_metadata_init(&trace->metadata);
	if (trace->path)
		err = push(&session->traces, &session->trace_count, SESSION_TRACES_MAX, trace);
	if (err) {
		free_trace(trace);
		return err;
	}
	*ret = trace;
	return 0;
}

int session_trace_metadata(struct session_trace *trace, const char *bytes, size_t len,
			   struct diag *diag)
{
	return session_metadata_set(&trace->metadata, bytes, len, diag);
}

int session_stream_new(struct session_trace *trace, const char *channel, uint64_t class_id,
		       struct session_stream **ret)
{
	struct session_stream *stream = calloc(1, sizeof(*stream));
	int err = -ENOMEM;

	if (!stream)
		return err;
	stream->trace = trace;
	stream->class_id = class_id;
	stream->hidden = *channel == '.';
	stream->channel = strdup(channel);
	if (stream->channel)
		err = push(&trace->streams, &trace->stream_count, SESSION_STREAMS_MAX, stream);
	if (err) {
		free_stream(stream);
		return err;
	}
	*ret = stream;
	return 0;
}

void session_trace_publish(struct session_trace *trace)
{
	if (trace->metadata.wire.len)
		trace->published = trace->stream_count;
}

int session_stream_file(struct session_stream *stream, struct session_file *file)
{
	int err = push(&stream->files, &stream->file_count, SIZE_MAX, file);

	if (err)
		return err;
	session_file_ref(file)->first = stream->packet_count;
	return 0;
}

void session_stream_packets(struct session_stream *stream, uint64_t count)
{
	struct session_file *file;
	struct session_packet packet;

	if (!stream->file_count)
		return;
	file = stream->files[stream->file_count - 1];
	if (count <= file->count)
		return;
	file->count = count;
	stream->packet_count = file->first + count;
	if (stream->class_id == SESSION_CLASS_UNKNOWN && session_file_packet(file, 0, &packet) == 1)
		stream->class_id = packet.class_id;
}

static void drop_file(struct session_stream *stream, size_t i)
{
	session_file_unref(stream->files[i]);
	stream->file_count--;
	memmove(stream->files + i, stream->files + i + 1,
		(stream->file_count - i) * sizeof(*stream->files));
}

void session_stream_drop(struct session_stream *stream)
{
	if (stream->file_count)
		drop_file(stream, 0);
}

void session_stream_forget_gone(struct session_stream *stream)
{
	for (size_t i = stream->file_count; i--;) {
		if (session_file_is_gone(stream->files[i]))
			drop_file(stream, i);
	}
}

void session_forget_gone(struct session *session)
{
	for (size_t i = 0; i < session->trace_count; i++) {
		const struct session_trace *trace = session->traces[i];

		for (size_t j = 0; j < trace->stream_count; j++)
			session_stream_forget_gone(trace->streams[j]);
	}
}

void session_stream_beacon(struct session_stream *stream, uint64_t time)
{
	if (time > stream->beacon)
		stream->beacon = time;
}

void session_trace_beacon(struct session_trace *trace, uint64_t time)
{
	if (time > trace->beacon)
		trace->beacon = time;
}

void session_stream_end(struct session_stream *stream)
{
	stream->ended = true;
}

void session_end(struct session *session)
{
	session->ended = true;
}

uint64_t session_stream_until(const struct session_stream *stream)
{
	return stream->beacon > stream->trace->beacon ? stream->beacon : stream->trace->beacon;
}

bool session_stream_is_over(const struct session_stream *stream)
{
	return stream->ended || stream->trace->session->ended;
}

int session_stream_packet(const struct session_stream *stream, uint64_t *number,
			  struct session_packet *ret, struct session_file **file)
{
	for (size_t i = 0; i < stream->file_count; i++) {
		struct session_file *at = stream->files[i];
		int found;

		if (*number < at->first)
			*number = at->first; /* what was before is gone */
		if (*number >= at->first + at->count)
			continue;
		found = session_file_packet(at, *number - at->first, ret);
		if (found == 1)
			*file = at;
		return found;
	}
	if (*number < stream->packet_count)
		*number = stream->packet_count; /* the last ones are gone */
	return 0;
}

uint32_t session_stream_total(const struct session *session)
{
	size_t total = 0;

	for (size_t i = 0; i < session->trace_count; i++) {
		const struct session_trace *trace = session->traces[i];

		total += trace->published > 0; /* its metadata */
		for (size_t j = 0; j < trace->published; j++)
			total += !trace->streams[j]->hidden;
	}
	return total < UINT32_MAX ? (uint32_t)total : UINT32_MAX;
}

bool session_is_ctf2(const struct session *session)
{
	for (size_t i = 0; i < session->trace_count; i++) {
		if (session->traces[i]->metadata.format == LIVE_CTF_2)
			return true;
	}
	return session->ctf2;
}

#define SUFFIX_BYTES 16u

void session_list_init(struct session_list *list)
{
	*list = (struct session_list){0};
}

void session_list_fini(struct session_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		session_unref(list->sessions[i]);
	free(list->sessions);
	session_list_init(list);
}

static bool is_taken(const struct session_list *list, const char *host, const char *name)
{
	for (size_t i = 0; i < list->count; i++) {
		if (!strcmp(list->sessions[i]->host, host) &&
		    !strcmp(list->sessions[i]->name, name))
			return true;
	}
	return false;
}

static void name_apart(const struct session_list *list, struct session *session)
{
	char name[LIVE_NAME_BYTES];

	memcpy(name, session->name, sizeof(name));
	for (unsigned int i = 2; is_taken(list, session->host, name); i++)
		snprintf(name, sizeof(name), "%.*s-%u", (int)(LIVE_NAME_BYTES - SUFFIX_BYTES),
			 session->name, i);
	memcpy(session->name, name, sizeof(name));
}

int session_list_add(struct session_list *list, struct session *session)
{
	struct session **sessions;

	if (list->count == SESSIONS_MAX)
		return -E2BIG;
	sessions = realloc(list->sessions, (list->count + 1) * sizeof(struct session *));
	if (!sessions)
		return -ENOMEM;
	list->sessions = sessions;
	name_apart(list, session);
	session->id = ++list->last_id;
	sessions[list->count++] = session_ref(session);
	return 0;
}

void session_list_remove(struct session_list *list, struct session *session)
{
	for (size_t i = 0; i < list->count; i++) {
		if (list->sessions[i] != session)
			continue;
		list->count--;
		memmove(list->sessions + i, list->sessions + i + 1,
			(list->count - i) * sizeof(struct session *));
		session_unref(session);
		return;
	}
}

struct session *session_list_find(const struct session_list *list, uint64_t id)
{
	for (size_t i = 0; i < list->count; i++) {
		if (list->sessions[i]->id == id)
			return list->sessions[i];
	}
	return NULL;
}
