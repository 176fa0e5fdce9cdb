#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Writes the powers of ten of base/shortest.c: 128 bits each, the highest of which is set, rounded up."""
import sys

LOW, HIGH = -292, 324  # what k is for any double: base/shortest.c


def top_bits(k):
    if k >= 0:
        power = 10 ** k
        shift = power.bit_length() - 128
        return power << -shift if shift <= 0 else -(-power >> shift)
    divisor = 10 ** -k
    shift = 127 + divisor.bit_length()
    quotient = -(-(1 << shift) // divisor)
    return quotient if quotient < 1 << 128 else -(-(1 << shift - 1) // divisor)


with open(sys.argv[1], "w", encoding="ascii") as out:
    out.write("/* Made by tools/powers.py. */\n#include \"base/shortest.h\"\n\n")
    out.write("const struct shortest_power shortest_powers[%d] = {\n" % (HIGH - LOW + 1))
    for k in range(LOW, HIGH + 1):
        bits = top_bits(k)
        assert bits >> 127 == 1, k
        out.write("\t{0x%016xu, 0x%016xu}, /* %d */\n" % (bits >> 64, bits & (1 << 64) - 1, k))
    out.write("};\n")
