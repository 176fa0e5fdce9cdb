/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * token: what a peer of ours says first where a token is asked for, before LTTng's own protocols
 * begin: magic, u16 bytes of the token (big-endian), the token. Nobody answers it.
 *
 * The magic is nothing that those begin with: their first byte is the upper one of a length or of a
 * circuit, and 0.
 */
#ifndef SONDE_WIRE_TOKEN_H
#define SONDE_WIRE_TOKEN_H

#define TOKEN_MAGIC "\xf0Sonde\r\n"
#define TOKEN_MAGIC_BYTES 8u
#define TOKEN_HEAD_BYTES 10u
#define TOKEN_MIN_BYTES 16u /* shorter ones can be guessed */
#define TOKEN_MAX_BYTES 512u
#define TOKEN_HELLO_MAX_BYTES (TOKEN_HEAD_BYTES + TOKEN_MAX_BYTES)

#endif /* SONDE_WIRE_TOKEN_H */
