/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sockaddr: the address of a socket as strace(1) shows it: {sa_family=AF_INET, sin_port=htons(80),
 * sin_addr=inet_addr("127.0.0.1")}. The bytes are what a program passed: they can be of any length and say anything.
 * For output/ and lib/.
 */
#ifndef SONDE_SCHEMA_SOCKADDR_H
#define SONDE_SCHEMA_SOCKADDR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SOCKADDR_BYTES_MAX \
	128u /* of an address: struct sockaddr_storage; what is behind is not looked at */
#define SOCKADDR_TEXT_BYTES 1024u /* no text of an address is longer */

/*
 * At @p, where SOCKADDR_TEXT_BYTES fit, the address in the @len bytes at @bytes, safe to show (base/escape.h:
 * escape_terminal); returns the end. @big_endian: the machine that it is of.
 */
char *sockaddr_write(char *p, const uint8_t *bytes, size_t len, bool big_endian);

#endif /* SONDE_SCHEMA_SOCKADDR_H */
