// SPDX-License-Identifier: BSD-2-Clause
#include "cli/rxdebug_talkers.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/json_writer.h"
#include "base/map.h"
#include "cli/rxdebug_json.h"
#include "rx/rx_survey.h"
#include "rx/rx_words.h"

#define TALKERS 10u

struct talker {
	uint32_t host;
	uint32_t conns;
	uint32_t peers;
	uint64_t bytes;
};

/* The host with the most bytes first. */
struct talkers {
	struct talker *list;
	size_t count;
	bool has_conns; /* some server was asked for them */
	bool has_peers;
};

static int compare_talkers(const void *one, const void *other)
{
	const struct talker *a = one, *b = other;

	if (a->bytes != b->bytes)
		return a->bytes < b->bytes ? 1 : -1;
	if (a->conns != b->conns)
		return a->conns < b->conns ? 1 : -1;
	return (a->host > b->host) - (a->host < b->host);
}

static struct talker *talker_of(struct map *map, uint32_t host)
{
	struct talker *talker = map_at(map, &host);

	if (talker)
		talker->host = host;
	return talker;
}

static void fold(struct map *map, const struct rx_report *report)
{
	const struct sonde_rx_conn *conns = rx_list_conns(&report->conns);
	const struct sonde_rx_peer *peers = rx_list_peers(&report->peers);
	struct talker *talker;

	for (size_t i = 0; conns && i < report->conns.count; i++) {
		talker = talker_of(map, conns[i].host);
		if (talker)
			talker->conns++;
	}
	for (size_t i = 0; peers && i < report->peers.count; i++) {
		talker = talker_of(map, peers[i].host);
		if (!talker)
			continue;
		talker->peers++;
		talker->bytes += peers[i].bytes_sent + peers[i].bytes_received;
	}
}

/* The list is the caller's to free; empty without memory. */
static struct talkers find(const struct rx_report *reports, size_t count)
{
	struct talkers talkers = {0};
	const void *key;
	struct map map;
	void *value;
	size_t at = 0;

	map_init(&map, sizeof(uint32_t), sizeof(struct talker), 0);
	for (size_t i = 0; i < count; i++) {
		fold(&map, &reports[i]);
		talkers.has_conns |= reports[i].conns.what != 0;
		talkers.has_peers |= reports[i].peers.what != 0;
	}
	talkers.list = calloc(map.count ?: 1, sizeof(*talkers.list));
	while (talkers.list && map_next(&map, &at, &key, &value))
		talkers.list[talkers.count++] = *(const struct talker *)value;
	if (talkers.count)
		qsort(talkers.list, talkers.count, sizeof(*talkers.list), compare_talkers);
	map_fini(&map);
	return talkers;
}

static void put_known(bool known, const char *text, int width, struct buffer *out)
{
	buffer_format(out, "%*s", width, known ? text : "-");
}

static void put_line(const struct talkers *talkers, const struct talker *talker, struct buffer *out)
{
	size_t start = out->len;
	char text[32];

	buffer_string(out, "  ");
	rx_words_host(talker->host, out);
	buffer_pad(out, ' ', out->len - start < 19 ? 19 - (out->len - start) : 2);
	snprintf(text, sizeof(text), "%u", talker->conns);
	put_known(talkers->has_conns, text, 12, out);
	snprintf(text, sizeof(text), "%u", talker->peers);
	put_known(talkers->has_peers, text, 8, out);
	put_known(talkers->has_peers, size_format(text, sizeof(text), talker->bytes), 12, out);
	buffer_char(out, '\n');
}

void rxdebug_talkers_text(const struct rx_report *reports, size_t count, struct buffer *out)
{
	struct talkers talkers = find(reports, count);

	/* One host or two are seen in the tables. */
	if (talkers.count > 2)
		buffer_format(out,
			      "\nTop talkers, of %zu hosts\n"
			      "  HOST              CONNECTIONS   PORTS       BYTES\n",
			      talkers.count);
	for (size_t i = 0; talkers.count > 2 && i < talkers.count && i < TALKERS; i++)
		put_line(&talkers, &talkers.list[i], out);
	free(talkers.list);
}

void rxdebug_talkers_json(const struct rx_report *reports, size_t count, struct json_writer *json)
{
	struct talkers talkers = find(reports, count);

	json_writer_array(json, "talkers");
	for (size_t i = 0; i < talkers.count; i++) {
		const struct talker *talker = &talkers.list[i];

		json_writer_object(json, NULL);
		rxdebug_json_host(json, "host", talker->host);
		json_writer_uint(json, "connections", talker->conns);
		json_writer_uint(json, "ports", talker->peers);
		json_writer_uint(json, "bytes", talker->bytes);
		json_writer_end(json);
	}
	json_writer_end(json);
	free(talkers.list);
}
