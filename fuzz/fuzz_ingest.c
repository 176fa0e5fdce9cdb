// SPDX-License-Identifier: BSD-2-Clause
/*
 * What a peer says to a relay that stores what it gets. The input is one command as it goes over the wire, or, where its
 * length does not fit, only what the first bytes are as the head of a packet.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "live/proto/ingest_message.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A name that was let through leads nowhere else. */
static void check_name(const char *name)
{
	if (!name || !*name || strchr(name, '/') || *name == '.' || strlen(name) >= RELAY_NAME_MAX)
		abort();
}

static void check_path(const char *path)
{
	if (!path || *path == '/' || strlen(path) >= RELAY_PATH_MAX || strstr(path, "/.") ||
	    *path == '.' || strstr(path, "//"))
		abort();
}

static void check_rotation(const struct ingest_command *c)
{
	uint64_t stream, sequence, sum = 0;

	for (uint32_t i = 0; i < c->count; i++) {
		ingest_rotation_get(c, i, &stream, &sequence);
		sum += stream ^ sequence;
	}
	if (c->count && sum == 0x736f6e6465)
		abort(); /* so that all of it is read */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ingest_command c;
	struct ingest_data packet;
	struct ingest_head head;

	if (size >= RELAY_DATA_HEAD_BYTES && !ingest_data_unpack(data, &packet) &&
	    (uint64_t)packet.len + packet.padding > RELAY_PACKET_MAX)
		abort();
	if (size < RELAY_HEAD_BYTES || ingest_head_unpack(data, &head))
		return 0;
	if (head.len > RELAY_COMMAND_MAX)
		abort();
	if (ingest_command_unpack(head.command, data[0] % 16u, data + RELAY_HEAD_BYTES,
				  size - RELAY_HEAD_BYTES, &c))
		return 0;
	if (c.command == RELAY_CREATE_SESSION || c.command == RELAY_ADD_STREAM) {
		check_name(c.name);
		check_path(c.path);
	}
	if (c.command == RELAY_CREATE_SESSION)
		check_name(c.host);
	if (c.command == RELAY_ROTATE_STREAMS)
		check_rotation(&c);
	return 0;
}
