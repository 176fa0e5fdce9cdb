/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * json_origin: what CTF 2 calls the outermost structures (section 5.3.1), and TSDL (CTF 1.8.3,
 * section 7.3.2), in whose words references are kept.
 */
#ifndef SONDE_CTF_JSON_ORIGIN_H
#define SONDE_CTF_JSON_ORIGIN_H

/* In the order in which they lie in packets. */
enum json_origin {
	JSON_PACKET_HEADER,
	JSON_PACKET_CONTEXT,
	JSON_EVENT_HEADER,
	JSON_COMMON_CONTEXT,
	JSON_SPECIFIC_CONTEXT,
	JSON_PAYLOAD,
	JSON_NOWHERE, /* the definition of an alias */
};

/* "packet-header"; not of JSON_NOWHERE. */
const char *json_origin_name(enum json_origin origin);
/* "trace.packet.header." */
const char *json_origin_path(enum json_origin origin);
/* JSON_NOWHERE where none has the name. */
enum json_origin json_origin_find(const char *name);

#endif /* SONDE_CTF_JSON_ORIGIN_H */
