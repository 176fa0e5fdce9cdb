// SPDX-License-Identifier: BSD-2-Clause
#include "rx/rx_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "rx/rx_record.h"
#include "wire/rx_debug.h"

/* What makes a record another one. */
struct identity {
	uint32_t epoch;
	uint32_t cid;
	uint32_t host;
	uint16_t port;
	uint16_t type;
};

union record {
	struct sonde_rx_conn conn;
	struct sonde_rx_peer peer;
};

static bool is_peers(const struct rx_list *list)
{
	return list->what == RX_DEBUG_PEER;
}

static size_t record_bytes(const struct rx_list *list)
{
	return is_peers(list) ? sizeof(struct sonde_rx_peer) : sizeof(struct sonde_rx_conn);
}

/* The value that `seen` has is the number of the pass, so that each pass knows the records that it
 * met twice. */
void rx_list_init(struct rx_list *list, int32_t what, uint32_t limit, unsigned int passes)
{
	*list = (struct rx_list){.what = what, .limit = limit, .passes = passes, .end = INT32_MAX};
	map_init(&list->seen, sizeof(struct identity), sizeof(uint32_t), limit);
}

void rx_list_fini(struct rx_list *list)
{
	map_fini(&list->seen);
	free(list->records);
	*list = (struct rx_list){0};
}

/* The pass is over when all that was asked is answered; the next one begins at 0. */
static void end_pass(struct rx_list *list)
{
	if (list->asked || list->next < list->end || list->err || !list->passes)
		return;
	list->passes--;
	if (list->passes) {
		list->next = 0;
		list->end = INT32_MAX;
	}
}

int32_t rx_list_ask(struct rx_list *list)
{
	if (list->err || !list->passes || list->next >= list->end)
		return -1;
	/* A list may grow while it is read, and an endless one is not a list. */
	if ((uint32_t)list->next > list->limit) {
		list->err = -E2BIG;
		return -1;
	}
	list->asked++;
	return list->next++;
}

static int unpack(const struct rx_list *list, const void *payload, size_t len, union record *record,
		  struct identity *identity, bool *end)
{
	int err;

	if (is_peers(list)) {
		const struct sonde_rx_peer *peer = &record->peer;

		err = rx_peer_unpack(payload, len, &record->peer);
		*identity = (struct identity){.host = peer->host, .port = peer->port};
		*end = rx_peer_is_end(peer);
	} else {
		const struct sonde_rx_conn *conn = &record->conn;

		err = rx_conn_unpack(payload, len, &record->conn);
		*identity = (struct identity){conn->epoch, conn->cid, conn->host, conn->port,
					      conn->type};
		*end = rx_conn_is_end(conn);
	}
	return err;
}

static int add(struct rx_list *list, const union record *record)
{
	size_t bytes = record_bytes(list);

	if (list->count == list->room) {
		size_t room = list->room ? 2 * list->room : 16;
		void *records = reallocarray(list->records, room, bytes);

		if (!records)
			return -ENOMEM;
		list->records = records;
		list->room = room;
	}
	memcpy((char *)list->records + list->count * bytes, record, bytes);
	list->count++;
	return 0;
}

/* Later passes only add: what one met and another did not may have come, or gone. */
static int take_record(struct rx_list *list, const union record *record,
		       const struct identity *identity)
{
	uint32_t *pass = map_at(&list->seen, identity);

	if (!pass)
		return list->seen.count >= list->limit ? -E2BIG : -ENOMEM;
	if (*pass) {
		list->twice += *pass == list->passes;
		*pass = list->passes;
		return 0;
	}
	*pass = list->passes;
	return add(list, record);
}

void rx_list_take(struct rx_list *list, int32_t index, int err, const void *payload, size_t len)
{
	struct identity identity = {0};
	union record record;
	bool end = false;

	list->asked--;
	err = err ?: unpack(list, payload, len, &record, &identity, &end);
	if (!err && end) {
		if (index < list->end)
			list->end = index;
	} else if (!err) {
		err = take_record(list, &record, &identity);
	}
	/* Behind the end nothing matters. */
	if (err && index < list->end && !list->err)
		list->err = err;
	end_pass(list);
}

bool rx_list_is_done(const struct rx_list *list)
{
	return !list->asked && (list->err || !list->passes);
}

const struct sonde_rx_conn *rx_list_conns(const struct rx_list *list)
{
	return is_peers(list) ? NULL : list->records;
}

const struct sonde_rx_peer *rx_list_peers(const struct rx_list *list)
{
	return is_peers(list) ? list->records : NULL;
}
