/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ctf: constants of the Common Trace Format, 1.8.3 and 2.0, and the limits that our readers put on
 * it.
 *
 * Every size that metadata or a packet dictates is checked against one of these before memory or
 * time is spent on it.
 */
#ifndef SONDE_WIRE_CTF_H
#define SONDE_WIRE_CTF_H

/* Section 7.1: metadata cut into packets. 37 bytes of head, in the byte order of the magic:
 * u32 magic, u8 uuid[16], u32 checksum, u32 content bits, u32 packet bits, u8 compression,
 * u8 encryption, u8 checksum scheme, u8 major, u8 minor. */
#define CTF_METADATA_MAGIC 0x75D11D57u
#define CTF_METADATA_HEAD_BYTES 37u

/* CTF 2, section 5: each fragment of the metadata begins with this (RFC 7464). */
#define CTF_RECORD_SEPARATOR '\x1e'

#define CTF_UUID_BYTES 16u

#define CTF_METADATA_MAX_BYTES (64u << 20)
#define CTF_TOKEN_MAX_BYTES (1u << 20)
/* Of one fragment, and of all aliases together: a value of some bytes takes some hundred. */
#define CTF_JSON_VALUES_MAX (1u << 18)
#define CTF_JSON_EXPANDED_MAX (1u << 22) /* values of aliases that are read once more */
#define CTF_CHOICES_MAX 256u /* ranges of one variant's selector */
#define CTF_JSON_DEPTH_MAX 160u /* a field class inside another is three deeper */
#define CTF_DEPTH_MAX 32u /* types inside types, and blocks inside blocks */
#define CTF_TYPES_MAX (1u << 18)
#define CTF_NODES_MAX (1u << 16) /* of one type, everything inside it counted */
#define CTF_LABELS_PER_NODE 4u /* of an enumeration: so many weigh as much as a type */
#define CTF_NODES_TOTAL_MAX (1u << 20) /* of all events' payloads together */
#define CTF_ALIGN_MAX (1u << 15) /* bits */
#define CTF_ARRAY_MAX (1u << 20) /* elements */
#define CTF_DIMENSIONS_MAX 8u
#define CTF_STREAMS_MAX 1024u
#define CTF_EVENTS_MAX (1u << 17)
#define CTF_BREACHES_MAX \
	100u /* places of metadata that break the standard: listed, before a last word */
#define CTF_CLOCKS_MAX 64u
#define CTF_ENV_MAX 4096u
/* Values that lengths of sequences and tags of variants name: as many of heads, and of each event. */
#define CTF_SLOTS_MAX 256u
#define CTF_FIELDS_MAX 2048u /* of one event, flattened, those of lists' items included */
#define CTF_SEQUENCE_MAX (1u << 22) /* elements */
#define CTF_OFFSETS_MAX (1u << 17) /* of one event: a field of each item of a list takes one */
#define CTF_NAME_MAX_BYTES 1024u /* of one flattened field */
#define CTF_NAMES_TOTAL_MAX_BYTES (32u << 20) /* of flattened fields, of all events together */
#define CTF_EVENT_MAX_BYTES (16u << 20) /* header, contexts and payload */
/* Members, elements and options that reading a packet may look at: types can be nested so that a few
 * bits of metadata and none of data make any number of them. */
#define CTF_STEPS_FREE 8192u /* in any packet */
#define CTF_STEPS_PER_BIT 64u /* for each bit that was read of it */
#define CTF_STEPS_MAX (1u << 22) /* of one event, and of one batch of them: some 10 ms */

#endif /* SONDE_WIRE_CTF_H */
