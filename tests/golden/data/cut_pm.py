#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""cut_pm.py FILE: a .pm file cut off at each byte: said so in each case, whole entries shown."""
import struct
import subprocess
import sys


def head_bytes(content):
    at, kind = 0, None
    while kind != 0:
        kind, length = struct.unpack_from('>HH', content, at)
        at += length
    return at


def main():
    content = open(sys.argv[1], 'rb').read()
    head, size = head_bytes(content), 14  # of an entry
    for length in range(len(content)):
        done = subprocess.run(['sonde', 'print', '-'], input=content[:length], check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        whole = max(0, length - head) // size
        shown = done.stdout.count(b'pm.snapshot')
        at_end = length >= head and (length - head) % size == 0
        wrong = done.returncode != 1 or not done.stderr.startswith(b'sonde print: ')
        if shown != whole or (done.returncode not in (0, 3) if at_end else wrong):
            print(f'cut at {length}: {shown} of {whole} entries, status {done.returncode}, {done.stderr}')
    print(f'cut off at each of {len(content)} bytes')


if __name__ == '__main__':
    main()
