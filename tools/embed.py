#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""embed.py NAME INPUT OUTPUT: writes a C source that holds INPUT as the array NAME.

It defines `const unsigned char NAME[]`, aligned to 8 bytes (libbpf reads ELF from it in place),
and `const size_t NAME_size`.
"""
import sys


def main():
    name, source, target = sys.argv[1:]
    with open(source, 'rb') as file:
        data = file.read()
    rows = (','.join(map(str, data[at:at + 24])) for at in range(0, len(data), 24))
    with open(target, 'w', encoding='ascii') as out:
        out.write('#include <stddef.h>\n\n')
        out.write(f'extern const unsigned char {name}[];\nextern const size_t {name}_size;\n\n')
        out.write(f'const unsigned char {name}[] __attribute__((aligned(8))) = {{\n')
        out.write(',\n'.join(rows))
        out.write(f'\n}};\nconst size_t {name}_size = sizeof({name});\n')


if __name__ == '__main__':
    main()
