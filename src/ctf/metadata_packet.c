// SPDX-License-Identifier: BSD-2-Clause
#include "ctf/metadata_packet.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/diag.h"
#include "wire/ctf.h"

struct head {
	uint64_t content_bytes; /* head included, like the next */
	uint64_t packet_bytes;
};

static bool is_big(const char *bytes)
{
	struct cursor cur;

	cursor_init(&cur, bytes, 4);
	return cursor_be32(&cur) == CTF_METADATA_MAGIC;
}

bool metadata_packet_is(const char *bytes, size_t len)
{
	struct cursor cur;

	if (len < 4)
		return false;
	cursor_init(&cur, bytes, 4);
	return is_big(bytes) || cursor_le32(&cur) == CTF_METADATA_MAGIC;
}

static int fail(struct diag *diag, int err, size_t at, const char *what)
{
	(void)diag_set(diag, err, "the metadata packet at offset %zu %s", at, what);
	if (diag)
		diag->offset = at;
	return err;
}

static bool is_known(unsigned int major, unsigned int minor)
{
	return (major == 1 && minor == 8) || (major == 2 && minor == 0);
}

static int parse_head(const char *bytes, size_t len, size_t at, struct head *ret, struct diag *diag)
{
	struct cursor cur;
	unsigned int major;
	bool big;

	if (len - at < CTF_METADATA_HEAD_BYTES || !metadata_packet_is(bytes + at, len - at))
		return fail(diag, -EBADMSG, at, "has no head");
	big = is_big(bytes + at);
	cursor_init(&cur, bytes + at, len - at);
	cursor_skip(&cur, 4 + CTF_UUID_BYTES + 4);
	ret->content_bytes = (big ? cursor_be32(&cur) : cursor_le32(&cur)) / 8;
	ret->packet_bytes = (big ? cursor_be32(&cur) : cursor_le32(&cur)) / 8;
	if (cursor_u8(&cur) || cursor_u8(&cur))
		return fail(diag, -ENOTSUP, at, "is compressed or encrypted");
	cursor_skip(&cur, 1);
	major = cursor_u8(&cur);
	if (!is_known(major, cursor_u8(&cur)))
		return fail(diag, -ENOTSUP, at, "is of another version than 1.8 and 2.0");
	if (ret->content_bytes < CTF_METADATA_HEAD_BYTES || ret->packet_bytes < ret->content_bytes)
		return fail(diag, -EBADMSG, at, "has sizes that cannot be");
	return 0;
}

int metadata_packet_bytes(const char *bytes, size_t len, size_t *ret, struct diag *diag)
{
	struct head head = {0};
	int err = parse_head(bytes, len, 0, &head, diag);

	if (!err)
		*ret = (size_t)head.packet_bytes;
	return err;
}

int metadata_packet_join(const char *bytes, size_t len, char **ret, size_t *ret_len,
			 struct diag *diag)
{
	char *text = malloc(len + 1);
	size_t text_len = 0, at = 0;
	int err = 0;

	if (!text)
		return diag_set(diag, -ENOMEM, "out of memory");
	while (at < len) {
		struct head head = {0};
		size_t content;

		err = parse_head(bytes, len, at, &head, diag);
		if (err)
			break;
		content = head.content_bytes < len - at ? (size_t)head.content_bytes : len - at;
		content -= CTF_METADATA_HEAD_BYTES;
		memcpy(text + text_len, bytes + at + CTF_METADATA_HEAD_BYTES, content);
		text_len += content;
		at += head.packet_bytes < len - at ? (size_t)head.packet_bytes : len - at;
	}
	/* After a valid packet, other bytes are treated as a truncated text. */
	if (err && !text_len) {
		free(text);
		return err;
	}
	*ret = text;
	*ret_len = text_len;
	return 0;
}
