/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * relay_request: what viewers ask, as wire/lttng_live.h has it. How long a request is follows from its
 * command alone: real viewers tell wrong lengths, and a length of theirs is nothing to wait for.
 */
#ifndef SONDE_LIVE_PROTO_RELAY_REQUEST_H
#define SONDE_LIVE_PROTO_RELAY_REQUEST_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "wire/lttng_live.h"

#define RELAY_REQUEST_MAX_BYTES (LIVE_REQUEST_BYTES + 20u)

struct relay_request {
	enum live_command command;
	uint64_t id; /* of a session or a stream; CONNECT: what the viewer says of itself */
	uint64_t offset; /* PACKET */
	uint32_t len; /* PACKET */
	uint32_t seek; /* ATTACH: an enum live_seek, or anything else */
	uint32_t major; /* CONNECT, and the next two */
	uint32_t minor;
	uint32_t type;
};

/* The request at @bytes: its length; 0 = not complete yet; -ENOTSUP = the command is unknown, and so is
 * its length. */
ssize_t relay_request_parse(const uint8_t *bytes, size_t len, struct relay_request *ret);

#endif /* SONDE_LIVE_PROTO_RELAY_REQUEST_H */
