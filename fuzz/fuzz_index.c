// SPDX-License-Identifier: BSD-2-Clause
/*
 * fuzz_index: any bytes as an index file, and as the map that is made of it.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/diag.h"
#include "base/io.h"
#include "ctf/packet.h"
#include "trace/packet_map.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Places rise, and whatever is looked for is behind all that is earlier. */
static void check_map(const struct packet_map *map)
{
	if (map->count > PACKET_MAP_PLACES_MAX)
		abort();
	for (size_t i = 0; i < map->count; i++) {
		const struct packet_place *place = &map->places[i];
		const struct packet_place *got = packet_map_find(map, place->begin_ns);

		if (i &&
		    (place->offset <= place[-1].offset || place->reach_ns < place[-1].reach_ns))
			abort();
		if (got && (got->reach_ns >= place->begin_ns || got->begin_ns >= place->begin_ns))
			abort();
	}
}

static void load_map(const uint8_t *data, size_t size)
{
	struct packet_map map = {0};
	int fd = memfd_create("index", MFD_CLOEXEC);

	if (fd < 0 || write_all(fd, data, size))
		abort();
	if (!packet_map_load(&map, fd, NULL, UINT64_MAX) && !map.count)
		abort();
	check_map(&map);
	packet_map_fini(&map);
	(void)fd_close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct packet_index index;
	struct diag diag = {.text = ""};

	load_map(data, size);
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
