#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""paths.py SOURCE: does every path that the documents for contributors name exist?

A path: the target of a link, and what stands between backticks and begins with a folder of the tree. A path
with capital letters (src/cli/NAME.c) stands for many."""
import pathlib
import re
import sys

DOCUMENTS = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md']
LINK = re.compile(r'\]\((?!https?:|#)([^)#\s]+)')
FOLDERS = 'bench|data|docs|examples|fuzz|include|man|schemas|script|src|tests|tools'
QUOTED = re.compile(r'`((?:%s)/[^`\s*]*)' % FOLDERS)


def main():
    source = pathlib.Path(sys.argv[1])
    count, missing = 0, []
    for document in DOCUMENTS:
        text = (source / document).read_text(encoding='utf-8')
        for path in LINK.findall(text) + QUOTED.findall(text):
            if re.search('[A-Z]{4}', path) and path not in ('LICENSE',):
                continue
            count += 1
            if not (source / path.rstrip('/')).exists():
                missing.append(f'{document}: there is no {path}')
    print('\n'.join(missing) or f'{count} paths exist')
    return 1 if missing or not count else 0


if __name__ == '__main__':
    sys.exit(main())
