// SPDX-License-Identifier: BSD-2-Clause
#include "live/session/session_metadata.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "ctf/metadata.h"
#include "ctf/metadata_packet.h"
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
