// SPDX-License-Identifier: BSD-2-Clause
/*
 * fuzz_index: any bytes as an index file.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/diag.h"
#include "ctf/packet_index.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct packet_index index;
	struct diag diag = {.text = ""};

	if (packet_index_parse(data, size, &index, &diag)) {
		if (!diag.text[0])
			abort();
		return 0;
	}
	for (size_t i = 0; i < index.count; i++) {
		struct index_packet packet;

		if (!packet_index_get(&index, data, i, &packet) &&
		    packet.content_bytes > packet.packet_bytes)
			abort();
	}
	return 0;
}
