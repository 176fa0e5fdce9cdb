// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/conn_id.h"

#include <string.h>

static int find_address(const struct event_class *class, const char *name)
{
	int i = event_class_find(class, name);

	if (i >= 0 && (class->fields[i].kind != FIELD_INT || class->fields[i].count != 16 ||
		       class->fields[i].bits != 8))
		return -1;
	return i;
}

bool conn_id_find_ports(struct conn_id_fields *fields, const struct event_class *class)
{
	*fields = (struct conn_id_fields){
		.cookie = event_class_find_number(class, "cookie"),
		.saddr = find_address(class, "saddr"),
		.daddr = find_address(class, "daddr"),
		.lport = event_class_find_number(class, "lport"),
		.rport = event_class_find_number(class, "rport"),
	};
	return fields->lport >= 0 && fields->rport >= 0;
}

bool conn_id_find(struct conn_id_fields *fields, const struct event_class *class)
{
	return conn_id_find_ports(fields, class) && fields->saddr >= 0 && fields->daddr >= 0;
}

static uint64_t get(const struct event *event, int field)
{
	return field >= 0 ? event_uint(event, (size_t)field) : 0;
}

static uint64_t mix(uint64_t hash, const void *bytes, size_t len)
{
	const uint8_t *p = bytes;
	size_t i;

	for (i = 0; i < len; i++) /* FNV-1a, 64 bits */
		hash = (hash ^ p[i]) * 0x100000001b3u;
	return hash;
}

static bool has_addresses(const struct conn_id_fields *fields)
{
	return fields->saddr >= 0 && fields->daddr >= 0;
}

uint64_t conn_id_key(const struct conn_id_fields *fields, const struct event *event)
{
	uint64_t cookie = get(event, fields->cookie), hash = 0xcbf29ce484222325u;
	uint64_t ports;

	if (cookie)
		return cookie;
	ports = get(event, fields->lport) << 16 | get(event, fields->rport);
	if (has_addresses(fields)) {
		hash = mix(hash, event_bytes(event, (size_t)fields->saddr), 16);
		hash = mix(hash, event_bytes(event, (size_t)fields->daddr), 16);
	}
	hash = mix(hash, &ports, sizeof(ports));
	return hash | 1ull << 63; /* cookies count from 1: they never come that far */
}

void conn_id_learn(struct conn_id *id, const struct conn_id_fields *fields,
		   const struct event *event)
{
	uint64_t lport = get(event, fields->lport), rport = get(event, fields->rport);
	bool known = id->cookie || id->lport || id->rport;

	if (known && (id->lport || !lport) && (id->rport || !rport))
		return;
	id->no_addresses = !has_addresses(fields);
	if (!id->no_addresses) {
		memcpy(id->saddr, event_bytes(event, (size_t)fields->saddr), sizeof(id->saddr));
		memcpy(id->daddr, event_bytes(event, (size_t)fields->daddr), sizeof(id->daddr));
	}
	id->lport = (uint16_t)lport;
	id->rport = (uint16_t)rport;
	id->cookie = get(event, fields->cookie);
}

struct conn_id_text conn_id_text(const struct conn_id *id)
{
	struct conn_id_text text;
	char *p = text.text;

	if (!id->no_addresses) {
		p = emit_address(p, id->saddr, 1);
		p = emit_char(p, ':');
	}
	p = emit_uint(p, id->lport);
	if (id->no_addresses) {
		p = emit_char(p, '.');
	} else {
		p = emit_bytes(p, " -> ", 4);
		p = emit_address(p, id->daddr, 1);
		p = emit_char(p, ':');
	}
	p = emit_uint(p, id->rport);
	*p = '\0';
	return text;
}
