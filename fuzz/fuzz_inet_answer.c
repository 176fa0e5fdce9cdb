// SPDX-License-Identifier: BSD-2-Clause
/*
 * fuzz_inet_answer: any bytes as a datagram of the kernel's about its TCP sockets. What is decoded
 * is also filtered and packed as a record, as the recorder does.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "probe/inet_diag.h"
#include "record/tcp_poll.h"
#include "wire/filter.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define SEQUENCE 2 /* of the requests that the corpus answers */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct filter_config filter = {.port_count = 1,
						    .port = {22},
						    .address_count = 1,
						    .address_mask = {{~0ull, ~0ull}}};
	uint8_t *bytes = malloc(size ?: 1); /* exactly, so that a byte too far is seen */
	struct inet_answer answer;
	struct inet_socket socket;

	if (!bytes)
		return 0;
	memcpy(bytes, data, size);
	inet_answer_init(&answer, bytes, size, SEQUENCE);
	while (inet_answer_next(&answer, &socket) == INET_ANSWER_SOCKET) {
		(void)socket_filter_wants(&filter, NULL, &socket);
		if (strnlen(socket.ca_name, sizeof(socket.ca_name)) == sizeof(socket.ca_name))
			abort();
	}
	free(bytes);
	return 0;
}
