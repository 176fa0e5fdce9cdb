#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""check_layers.py CHECK: does tools/check-layers.py find files that include each other, also through
a third one and by their sources, and a lower folder that includes a higher one?"""
import pathlib
import subprocess
import sys
import tempfile

CASES = [
    ('a chain', {'base/a.c': ['base/a.h', 'base/b.h'], 'base/a.h': [], 'base/b.h': ['base/c.h'],
                 'base/c.h': []}, 'layers hold'),
    ('two headers', {'base/a.h': ['base/b.h'], 'base/b.h': ['base/a.h']},
     'files include each other: base/a -> base/b -> base/a'),
    ('a source and a header', {'base/a.c': ['base/a.h', 'base/b.h'], 'base/a.h': [],
                               'base/b.h': ['base/a.h']},
     'files include each other: base/a -> base/b -> base/a'),
    ('three sources', {'base/a.c': ['base/b.h'], 'base/a.h': [], 'base/b.c': ['base/c.h'],
                       'base/b.h': [], 'base/c.c': ['base/a.h'], 'base/c.h': []},
     'files include each other: base/a -> base/b -> base/c -> base/a'),
    ('a higher folder', {'base/a.c': ['trace/b.h'], 'trace/b.h': []},
     'base/a.c: rank 1 includes "trace/b.h" of rank 5'),
    ('a higher room', {'live/access/a.c': ['live/relay/b.h', 'live/proto/c.h'], 'live/relay/b.h': [],
                       'live/proto/c.h': []},
     'live/access/a.c: access includes "live/relay/b.h" of a room that is not below it'),
    ('a room beside it', {'live/push/a.c': ['live/viewer/b.h'], 'live/viewer/b.h': []},
     'live/push/a.c: push includes "live/viewer/b.h" of a room that is not below it'),
]


def check(tool, files):
    """Exit status and output for a tree of these files, each with those that it includes."""
    with tempfile.TemporaryDirectory() as folder:
        for name, includes in files.items():
            path = pathlib.Path(folder, 'src', name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(''.join(f'#include "{one}"\n' for one in includes), encoding='utf-8')
        done = subprocess.run([sys.executable, tool, folder], capture_output=True, text=True,
                              check=False)
    return done.returncode, done.stdout.strip()


def main():
    failed = False
    for what, files, wanted in CASES:
        found = check(sys.argv[1], files)
        if found != (int(wanted != 'layers hold'), wanted):
            print(f'{what}: {found}, not: {wanted}')
            failed = True
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
