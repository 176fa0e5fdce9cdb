/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pcap_bytes: integers of captures, in either byte order, wherever they lie.
 */
#ifndef SONDE_RECORD_FORMAT_PCAP_PCAP_BYTES_H
#define SONDE_RECORD_FORMAT_PCAP_PCAP_BYTES_H

#include <endian.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline uint16_t pcap_get16(const uint8_t *at, bool big_endian)
{
	uint16_t value;

	memcpy(&value, at, sizeof(value));
	return big_endian ? be16toh(value) : le16toh(value);
}

static inline uint32_t pcap_get32(const uint8_t *at, bool big_endian)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return big_endian ? be32toh(value) : le32toh(value);
}

static inline uint64_t pcap_get64(const uint8_t *at, bool big_endian)
{
	uint64_t value;

	memcpy(&value, at, sizeof(value));
	return big_endian ? be64toh(value) : le64toh(value);
}

#endif /* SONDE_RECORD_FORMAT_PCAP_PCAP_BYTES_H */
