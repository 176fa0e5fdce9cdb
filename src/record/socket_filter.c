// SPDX-License-Identifier: BSD-2-Clause
#include "record/socket_filter.h"

#include <string.h>

#include "base/map.h"
#include "probe/inet_answer.h"
#include "wire/filter.h"

static bool port_wanted(const struct filter_config *filter, const struct inet_socket *socket)
{
	for (int i = 0; i < filter->port_count; i++) {
		if (filter->port[i] == socket->lport || filter->port[i] == socket->rport)
			return true;
	}
	return !filter->port_count;
}

static bool address_matches(const struct filter_config *filter, int i, const uint8_t address[16])
{
	uint64_t words[2];

	memcpy(words, address, sizeof(words));
	return (words[0] & filter->address_mask[i][0]) == filter->address[i][0] &&
	       (words[1] & filter->address_mask[i][1]) == filter->address[i][1];
}

static bool address_wanted(const struct filter_config *filter, const struct inet_socket *socket)
{
	for (int i = 0; i < filter->address_count; i++) {
		if (address_matches(filter, i, socket->saddr) ||
		    address_matches(filter, i, socket->daddr))
			return true;
	}
	return !filter->address_count;
}

static bool uid_wanted(const struct filter_config *filter, uint32_t uid)
{
	for (int i = 0; i < filter->uid_count; i++) {
		if (filter->uid[i] == uid)
			return true;
	}
	return !filter->uid_count;
}

bool socket_filter_wants(const struct filter_config *filter, const struct map *owned,
			 const struct inet_socket *socket)
{
	return port_wanted(filter, socket) && address_wanted(filter, socket) &&
	       uid_wanted(filter, socket->uid) &&
	       (!owned || (socket->inode && map_get(owned, &socket->inode)));
}
