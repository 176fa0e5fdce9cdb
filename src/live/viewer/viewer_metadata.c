// SPDX-License-Identifier: BSD-2-Clause
#include "live/viewer/viewer_metadata.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "ctf/metadata.h"
#include "ctf/metadata_packet.h"
#include "ctf/trace_class.h"
#include "wire/ctf.h"

void viewer_metadata_init(struct viewer_metadata *metadata)
{
	buffer_init(&metadata->text);
	buffer_init(&metadata->raw);
	metadata->parsed = 0;
	metadata->cut = false;
}

void viewer_metadata_fini(struct viewer_metadata *metadata)
{
	buffer_fini(&metadata->text);
	buffer_fini(&metadata->raw);
}

/* Takes @len bytes, from the front, of what is raw. */
static void cut_raw(struct buffer *raw, size_t len)
{
	memmove(raw->data, raw->data + len, raw->len - len);
	raw->len -= len;
}

/* Whether so few bytes may be the begin of a packet. */
static bool may_be_packet(const struct buffer *raw)
{
	static const uint8_t magics[2][4] = {{0x75, 0xd1, 0x1d, 0x57}, {0x57, 0x1d, 0xd1, 0x75}};

	return raw->len && raw->len < sizeof(magics[0]) &&
	       (!memcmp(raw->data, magics[0], raw->len) || !memcmp(raw->data, magics[1], raw->len));
}

/* Appends complete packets to the text. 1 = the rest needs more bytes, 0 = the rest is not a packet, or
 * -errno. */
static int take_packets(struct viewer_metadata *metadata, struct diag *diag)
{
	struct buffer *raw = &metadata->raw;
	size_t bytes, text_len;
	char *text;
	int err;

	while (raw->len >= 4 && metadata_packet_is(raw->data, raw->len)) {
		if (raw->len < CTF_METADATA_HEAD_BYTES)
			return 1;
		err = metadata_packet_bytes(raw->data, raw->len, &bytes, diag);
		if (err)
			return err;
		if (bytes > CTF_METADATA_MAX_BYTES)
			return diag_set(diag, -E2BIG, "a metadata packet has %zu bytes", bytes);
		if (raw->len < bytes)
			return 1;
		err = metadata_packet_join(raw->data, bytes, &text, &text_len, diag);
		if (err)
			return err;
		buffer_append(&metadata->text, text, text_len);
		free(text);
		cut_raw(raw, bytes);
	}
	return may_be_packet(raw);
}

int viewer_metadata_add(struct viewer_metadata *metadata, const uint8_t *bytes, size_t len,
			struct diag *diag)
{
	int got;

	if (metadata->text.len + metadata->raw.len + len > CTF_METADATA_MAX_BYTES)
		return diag_set(diag, -E2BIG, "the metadata has more than %u bytes",
				CTF_METADATA_MAX_BYTES);
	buffer_append(&metadata->raw, bytes, len);
	if (buffer_error(&metadata->raw))
		return diag_set(diag, -ENOMEM, "no memory");
	got = take_packets(metadata, diag);
	if (got < 0)
		return got;
	if (!got && metadata->raw.len) {
		buffer_append(&metadata->text, metadata->raw.data, metadata->raw.len);
		buffer_reset(&metadata->raw);
	}
	return buffer_error(&metadata->text) ? diag_set(diag, -ENOMEM, "no memory") : 0;
}

bool viewer_metadata_continues(const struct viewer_metadata *metadata,
			       const struct viewer_metadata *old)
{
	return old->text.len && metadata->text.len >= old->text.len &&
	       !memcmp(metadata->text.data, old->text.data, old->text.len);
}

int viewer_metadata_parse(struct viewer_metadata *metadata, struct ctf_trace_class **ret,
			  struct diag *diag)
{
	int err;

	if (metadata->text.len == metadata->parsed)
		return 0;
	err = metadata_read(metadata->text.data, metadata->text.len, ret, diag);
	metadata->parsed = metadata->text.len;
	metadata->cut = err == -ENODATA || (!err && (*ret)->cut);
	if (err == -ENODATA)
		return 0;
	return err ?: 1;
}

bool viewer_metadata_is_cut(const struct viewer_metadata *metadata)
{
	return metadata->cut || metadata->raw.len;
}
