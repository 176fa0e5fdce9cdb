/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * metadata_packet: metadata that is cut into packets (CTF 1.8.3, section 7.1; CTF2-PMETA-1.0),
 * joined to one text.
 */
#ifndef SONDE_CTF_METADATA_PACKET_H
#define SONDE_CTF_METADATA_PACKET_H

#include <stdbool.h>
#include <stddef.h>

struct diag;

bool metadata_packet_is(const char *bytes, size_t len);
/* How long the packet is that begins at @bytes, of which CTF_METADATA_HEAD_BYTES at least are there. 0, or
 * as metadata_packet_join. */
int metadata_packet_bytes(const char *bytes, size_t len, size_t *ret, struct diag *diag);
/*
 * The caller frees *@ret. A last packet that is cut off gives what is there. -EBADMSG where a
 * packet is malformed, -ENOTSUP where it is compressed, encrypted or of another version.
 */
int metadata_packet_join(const char *bytes, size_t len, char **ret, size_t *ret_len,
			 struct diag *diag);

#endif /* SONDE_CTF_METADATA_PACKET_H */
