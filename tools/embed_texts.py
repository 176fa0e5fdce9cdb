#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""embed_texts.py HEADER NAME OUTPUT FILE...: writes a C source that holds texts as the table NAME.

HEADER declares `const struct embedded_text NAME[]`; an entry for each FILE, its name without the
suffix and its text, in the order of names, and one without a name at the end.
"""
import pathlib
import sys


def quoted(data):
    """As a C string; only printable ASCII stands for itself."""
    return ''.join(chr(byte) if 32 <= byte < 127 and chr(byte) not in '"\\?' else f'\\{byte:03o}'
                   for byte in data)


def main():
    header, name, target = sys.argv[1:4]
    with open(target, 'w', encoding='ascii') as out:
        out.write(f'#include "{header}"\n\nconst struct embedded_text {name}[] = {{\n')
        for path in sorted(map(pathlib.Path, sys.argv[4:])):
            out.write(f'\t{{"{path.stem}",\n')
            for line in path.read_bytes().splitlines(keepends=True):
                out.write(f'\t "{quoted(line)}"\n')
            out.write('\t},\n')
        out.write('\t{0},\n};\n')


if __name__ == '__main__':
    main()
