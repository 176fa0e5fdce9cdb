/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bits: integers of 1 to 64 bits that begin at any bit (CTF 1.8.3, section 4.1.5).
 */
#ifndef SONDE_CTF_BITS_H
#define SONDE_CTF_BITS_H

#include <stdbool.h>
#include <stdint.h>

/* The caller has checked that all of the bits are there. Not sign-extended. */
uint64_t bits_get(const uint8_t *bytes, uint64_t at, unsigned int size, bool big_endian);
uint64_t bits_sign(uint64_t value, unsigned int size);
/* The clock after it met an integer of @size bits that holds its lower bits (section 8). */
uint64_t bits_clock(uint64_t clock, uint64_t value, unsigned int size);

#endif /* SONDE_CTF_BITS_H */
