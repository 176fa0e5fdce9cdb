// SPDX-License-Identifier: BSD-2-Clause
#include "cli/rxdebug_inventory.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/diag.h"
#include "base/escape.h"
#include "base/json_writer.h"
#include "base/map.h"
#include "cli/rxdebug_json.h"
#include "cli/rxdebug_request.h"
#include "cli/verb.h"
#include "rx/rx_words.h"

#define CLIENT_PORT 7001

/* Says of each server why its peers, or some of them, are not known. Whether all are. */
static bool tell_missing(const struct rxdebug_request *request, const struct rx_report *servers)
{
	bool complete = true;

	for (size_t i = 0; i < request->targets.count; i++) {
		const struct rx_report *server = &servers[i];
		const struct rx_target *target = &request->targets.list[i];
		int err = server->err ?: server->peers.err;

		if (!err || (target->sought && server->err))
			continue;
		complete = false;
		fprintf(stderr, "sonde rxdebug: %s: %zu peers were read: ", target->name,
			server->peers.count);
		if (err == -E2BIG)
			fprintf(stderr, "there are more than %u; use --force to read them\n",
				server->peers.limit);
		else
			fprintf(stderr, "%s\n",
				err == -ENOTSUP	  ? "the server does not list its peers" :
				err == -ETIMEDOUT ? "no answer" :
						    strerror(-err));
	}
	return complete;
}

/* Each host once. */
static int add_hosts(const struct rx_report *server, struct map *hosts)
{
	const struct sonde_rx_peer *peers = rx_list_peers(&server->peers);

	for (size_t i = 0; peers && i < server->peers.count; i++) {
		if (!map_at(hosts, &peers[i].host))
			return -ENOMEM;
	}
	return 0;
}

static uint32_t host_of(const struct rx_report *client)
{
	return ntohl(client->server.in.sin_addr.s_addr);
}

static struct rx_report *make_clients(const struct map *hosts)
{
	struct rx_report *clients = calloc(hosts->count ?: 1, sizeof(*clients));
	const void *key;
	void *value;
	size_t at = 0, count = 0;

	while (clients && map_next(hosts, &at, &key, &value)) {
		uint32_t host;

		memcpy(&host, key, sizeof(host));
		clients[count++].server.in = (struct sockaddr_in){
			.sin_family = AF_INET,
			.sin_addr.s_addr = htonl(host),
			.sin_port = htons(CLIENT_PORT),
		};
	}
	return clients;
}

/* By version, those that do not answer last; then by address. */
static int compare_clients(const void *one, const void *other)
{
	const struct rx_report *a = one, *b = other;
	int order;

	if (a->has_version != b->has_version)
		return a->has_version ? -1 : 1;
	order = strcmp(a->version, b->version);
	return order ?: (host_of(a) > host_of(b)) - (host_of(a) < host_of(b));
}

static void put_text(const struct rx_report *clients, size_t count, struct buffer *out)
{
	size_t same;

	buffer_string(out, "HOSTS  VERSION\n");
	for (size_t i = 0; i < count; i += same) {
		char text[RX_VERSION_BYTES];

		for (same = 1; i + same < count &&
			       clients[i + same].has_version == clients[i].has_version &&
			       !strcmp(clients[i + same].version, clients[i].version);)
			same++;
		memcpy(text, clients[i].version, sizeof(text));
		escape_blank(text);
		buffer_format(out, "%5zu  %s\n", same,
			      clients[i].has_version ? text : "(no answer)");
		for (size_t j = i; j < i + same; j++) {
			buffer_string(out, "         ");
			rx_words_host(host_of(&clients[j]), out);
			buffer_char(out, '\n');
		}
	}
}

static void put_json(const struct rx_report *clients, size_t count, struct buffer *out)
{
	struct json_writer writer, *json = &writer;

	json_writer_init(json, out);
	json_writer_object(json, NULL);
	json_writer_array(json, "inventory");
	for (size_t i = 0; i < count; i++) {
		json_writer_object(json, NULL);
		rxdebug_json_host(json, "host", host_of(&clients[i]));
		json_writer_string(json, "version",
				   clients[i].has_version ? clients[i].version : NULL);
		json_writer_end(json);
	}
	json_writer_finish(json);
}

int rxdebug_inventory(const struct rxdebug_request *request, const struct rx_report *servers,
		      struct buffer *out, struct diag *diag)
{
	struct rx_survey_config survey = request->survey;
	struct rx_report *clients = NULL;
	struct map hosts;
	int err = 0;

	map_init(&hosts, sizeof(uint32_t), sizeof(uint8_t), 0);
	for (size_t i = 0; !err && i < request->targets.count; i++)
		err = add_hosts(&servers[i], &hosts);
	if (!err)
		clients = make_clients(&hosts);
	if (clients) {
		survey.basic = survey.stats = survey.conns = survey.peers = false;
		survey.version = true;
		err = rx_survey(&survey, clients, hosts.count, diag);
	} else {
		err = diag_set(diag, -ENOMEM, "no memory");
	}
	if (!err) {
		qsort(clients, hosts.count, sizeof(*clients), compare_clients);
		if (request->json)
			put_json(clients, hosts.count, out);
		else
			put_text(clients, hosts.count, out);
	}
	free(clients);
	map_fini(&hosts);
	return err ?: tell_missing(request, servers) ? STATUS_COMPLETE : STATUS_ERROR;
}
