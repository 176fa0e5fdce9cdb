#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""syscalls.py OUTPUT CPU CC...: writes the C source with this architecture's system call names.

The numbers come out of the kernel's own headers, through the C preprocessor: x86-64 has its
native table and the 32-bit one, other architectures have theirs alone.
"""
import re
import subprocess
import sys

HEADERS = {'x86_64': ('asm/unistd_64.h', 'asm/unistd_32.h')}

# Calls that are younger than the headers of Debian 12 (6.1). All architectures give new calls the
# same number since 5.1; taken from Linux 6.18, arch/x86/entry/syscalls/syscall_64.tbl.
YOUNGER = {
    451: 'cachestat', 452: 'fchmodat2', 453: 'map_shadow_stack', 454: 'futex_wake',
    455: 'futex_wait', 456: 'futex_requeue', 457: 'statmount', 458: 'listmount',
    459: 'lsm_get_self_attr', 460: 'lsm_set_self_attr', 461: 'lsm_list_modules', 462: 'mseal',
    463: 'setxattrat', 464: 'getxattrat', 465: 'listxattrat', 466: 'removexattrat',
    467: 'open_tree_attr', 468: 'file_getattr', 469: 'file_setattr',
}


def names(compiler, header):
    """[(number, name)] of the __NR_ macros of @header, in the order of numbers."""
    source = f'#include <{header}>\n'
    run = lambda flags, text: subprocess.run(
        compiler + flags + ['-x', 'c', '-'], input=text, stdout=subprocess.PIPE, text=True,
        check=True).stdout
    found = re.findall(r'^#define __NR_(\w+) ', run(['-E', '-dM'], source), re.M)
    found = [name for name in found if not name.startswith(('arch_specific', 'syscalls'))]
    probe = source + ''.join(f'\n@{name}@ __NR_{name}' for name in found)
    values = re.findall(r'^@(\w+)@ (.+)$', run(['-E', '-P'], probe), re.M)
    table = dict(YOUNGER)
    for name, value in values:
        # Values are integers or sums of two; macros of others' making are left out.
        if re.fullmatch(r'[\d\s()+xa-fA-F]+', value):
            table[int(eval(value))] = name  # pylint: disable=eval-used
    return sorted(table.items())


def definition(symbol, table):
    rows = [f'{number} {name}' for number, name in table]
    text = ',"\n\t"'.join(','.join(rows[at:at + 4]) for at in range(0, len(rows), 4))
    return f'const char {symbol}[] =\n\t"{text}";\n'


def main():
    output, cpu, *compiler = sys.argv[1:]
    native, compat = HEADERS.get(cpu, ('asm/unistd.h', None))
    with open(output, 'w', encoding='ascii') as out:
        out.write('#include "schema/syscalls.h"\n\n')
        out.write(definition('syscalls_native_text', names(compiler, native)) + '\n')
        out.write(definition('syscalls_compat_text', names(compiler, compat) if compat else []))


if __name__ == '__main__':
    main()
