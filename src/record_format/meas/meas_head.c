// SPDX-License-Identifier: BSD-2-Clause
#include "record_format/meas/meas_head.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/byte_order.h"
#include "base/diag.h"
#include "record_format/meas/meas_form.h"

enum head_at { AT_ORDER = 8, AT_BYTES = 12, AT_RELEASE = 14, AT_FLAGS = 16, AT_VERSION = 24 };

bool meas_head_is(const uint8_t *bytes, size_t len)
{
	return len >= MEAS_MAGIC_BYTES && !memcmp(bytes, MEAS_MAGIC, MEAS_MAGIC_BYTES);
}

/* What is shown to people must not be more than text. */
static int take_version(struct meas_head *head, const uint8_t *bytes, struct diag *diag)
{
	memcpy(head->version, bytes, MEAS_VERSION_BYTES);
	if (!memchr(head->version, 0, MEAS_VERSION_BYTES))
		return diag_set(diag, -EBADMSG, "the version in its head does not end");
	for (const char *c = head->version; *c; c++) {
		if (*c < ' ' || *c > '~')
			return diag_set(diag, -EBADMSG, "the version in its head is not a text");
	}
	return 0;
}

static int check(const struct meas_head *head, uint32_t flags, struct diag *diag)
{
	if (head->bytes < MEAS_HEAD_BYTES || head->bytes > MEAS_HEAD_MAX_BYTES)
		return diag_set(diag, -EBADMSG, "its head says that it has %u bytes, not %u to %u",
				head->bytes, MEAS_HEAD_BYTES, MEAS_HEAD_MAX_BYTES);
	if (!meas_release_name(head->release))
		return diag_set(diag, -ENOTSUP,
				"it is of release %u.%u, not one of 1.0, 1.1, 2.0, 3.0",
				head->release >> 8, head->release & 0xff);
	if (flags & ~MEAS_F_WIDE)
		return diag_set(diag, -ENOTSUP, "its head has flags 0x%x, which are not known",
				flags & ~MEAS_F_WIDE);
	return 0;
}

static enum byte_order order_of(const struct meas_head *head)
{
	return head->big_endian ? BYTE_ORDER_BIG : BYTE_ORDER_LITTLE;
}

int meas_head_unpack(struct meas_head *head, const uint8_t *bytes, size_t len, struct diag *diag)
{
	enum byte_order order;
	uint32_t flags;
	int err;

	if (len < MEAS_HEAD_BYTES)
		return diag_set(diag, -EBADMSG, "it ends within its head, behind %zu of %u bytes",
				len, MEAS_HEAD_BYTES);
	head->big_endian = byte_order_load(bytes + AT_ORDER, 4, BYTE_ORDER_BIG) == MEAS_ORDER_MARK;
	order = order_of(head);
	if (byte_order_load(bytes + AT_ORDER, 4, order) != MEAS_ORDER_MARK)
		return diag_set(diag, -EBADMSG,
				"the mark of its byte order is 0x%08x: neither big nor little",
				(unsigned int)byte_order_load(bytes + AT_ORDER, 4, BYTE_ORDER_BIG));
	head->bytes = (uint16_t)byte_order_load(bytes + AT_BYTES, 2, order);
	head->release = (uint16_t)byte_order_load(bytes + AT_RELEASE, 2, order);
	flags = (uint32_t)byte_order_load(bytes + AT_FLAGS, 4, order);
	head->wide = flags & MEAS_F_WIDE;
	err = take_version(head, bytes + AT_VERSION, diag);
	return err ?: check(head, flags, diag);
}

void meas_head_pack(const struct meas_head *head, struct buffer *out)
{
	const enum byte_order order = order_of(head);
	uint8_t bytes[MEAS_HEAD_BYTES] = {0};

	memcpy(bytes, MEAS_MAGIC, MEAS_MAGIC_BYTES);
	byte_order_store(bytes + AT_ORDER, 4, order, MEAS_ORDER_MARK);
	byte_order_store(bytes + AT_BYTES, 2, order, MEAS_HEAD_BYTES);
	byte_order_store(bytes + AT_RELEASE, 2, order, head->release);
	byte_order_store(bytes + AT_FLAGS, 4, order, head->wide ? MEAS_F_WIDE : 0);
	memcpy(bytes + AT_VERSION, head->version, strnlen(head->version, MEAS_VERSION_BYTES - 1));
	buffer_append(out, bytes, sizeof(bytes));
}

/* The revision of "Header: iscan.c,v 5.1 ...", up to its dot. */
static bool parse_major(const char *version, unsigned int *major)
{
	unsigned int minor;

	return sscanf(version, "Header: %*[^,],v %u.%u", major, &minor) == 2;
}

enum meas_fit meas_head_fit(const char *version, struct diag *diag)
{
	unsigned int major = 0;
	enum meas_fit fit = MEAS_FIT_UNKNOWN;
	const char *verdict =
		"Its major version is not known; ours is of the form \"Header: iscan.c,v 5.1 ...\".";

	if (!strcmp(version, MEAS_VERSION))
		return MEAS_FIT_SAME;
	if (parse_major(version, &major))
		fit = major == MEAS_VERSION_MAJOR ? MEAS_FIT_HARMLESS : MEAS_FIT_WRONG;
	if (fit == MEAS_FIT_HARMLESS)
		verdict =
			"It isn't: records have the same form, and ids that are new stay numbers.";
	else if (fit == MEAS_FIT_WRONG)
		verdict = "It is: the form of records is another, so that nothing is read.";
	(void)diag_set(diag, 0, "\"%s\" doesn't match \"%s\". Hopefully this isn't a problem. %s",
		       version, MEAS_VERSION, verdict);
	return fit;
}
