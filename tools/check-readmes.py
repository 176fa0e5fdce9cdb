#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""check-readmes.py ROOT [--update]: the README of each folder of src lists the folder's files, all of them and no
others; x.c and x.h are one row. --update adds missing rows, with the first sentence of the file, and removes rows
of files that are gone. It keeps the texts of other rows, and everything above the table. The index of
docs/decisions.md lists all decisions, and the source files that the texts name are there."""
import pathlib
import re
import sys

LONG = 130
HEAD = '| file | |\n|---|---|\n'
ROW = re.compile(r'^\| `([\w.]+)` \| (.*) \|$', re.M)
COMMENT = re.compile(r'/\*(?!.*SPDX)\s*\*?(.*?)\*/', re.S)
NAMED = re.compile(r'`([\w/]+\.(?:bpf\.)?[ch])`')
SUMMARY = re.compile(r'\.summary = "([^"]*)"')


def files(folder):
    """{name without suffix: its sources, the header first}."""
    found = {}
    for path in sorted(folder.iterdir(), key=lambda one: (one.name.split('.')[0], one.suffix != '.h')):
        if path.suffix in ('.c', '.h'):
            found.setdefault(path.stem, []).append(path)
    return found


def shorten(words):
    """Up to the colon, if it is long and the colon is in no parentheses."""
    head, colon, unused = words.partition(': ')
    return head if colon and len(words) > LONG and head.count('(') == head.count(')') else words


def sentence(paths):
    """What the file says of itself: the first sentence of its first comment, or of a verb its summary."""
    texts = [path.read_text(encoding='utf-8') for path in paths]
    for text in texts:
        begin = text[:text.find('\n#include')] if '\n#include' in text else text[:2000]
        comment = COMMENT.search(begin)
        words = ' '.join(comment[1].replace('\n *', ' ').split()) if comment else ''
        head, colon, rest = words.partition(': ')
        if colon and ' ' not in head.replace(', ', ''):
            words = rest
        if words:
            words = re.split(r'(?<=[\w)`])\. ', words + ' ')[0].strip().rstrip('.')
            return shorten(words).replace('|', '\\|')
    summary = next(filter(None, map(SUMMARY.search, texts)), None)
    return summary[1].rstrip('.') if summary else ''


def update(readme, folder):
    text = readme.read_text(encoding='utf-8') if readme.exists() else f'# {folder.name}\n\n' + HEAD
    above = text.partition(HEAD)[0].rstrip('\n')
    known = dict(ROW.findall(text))
    rows = [f'| `{name}` | {known.get(name) or sentence(paths)} |\n' for name, paths in files(folder).items()]
    readme.write_text(above + '\n\n' + HEAD + ''.join(rows), encoding='utf-8')


def faults(root, changes):
    folders = sorted({path.parent for path in (root / 'src').rglob('*.[ch]')})
    for folder in folders:
        readme = folder / 'README.md'
        name = readme.relative_to(root)
        if changes:
            update(readme, folder)
        if not readme.exists():
            yield f'{name} is missing'
            continue
        rows = ROW.findall(readme.read_text(encoding='utf-8'))
        listed, there = [row[0] for row in rows], list(files(folder))
        yield from (f'{name}: {one} is not listed' for one in there if one not in listed)
        yield from (f'{name}: {one} is no file of the folder' for one in listed if one not in there)
        yield from (f'{name}: {one} is listed twice' for one in set(listed) if listed.count(one) > 1)
        yield from (f'{name}: {one} has no text' for one, text in rows if not text.strip())


def index_faults(root):
    text = (root / 'docs/decisions.md').read_text(encoding='utf-8')
    listed = re.findall(r'^- \[(.+)\]\(#', text, re.M)
    there = [one for one in re.findall(r'^## (.+)$', text, re.M) if one != 'Index']
    yield from (f'docs/decisions.md: not in the index: {one}' for one in there if one not in listed)
    yield from (f'docs/decisions.md: no such decision: {one}' for one in listed if one not in there)


def name_faults(root):
    """A source file is named by its path below src/, or by its name alone."""
    there = [path.relative_to(root) for path in root.rglob('*.[ch]') if not path.parts[len(root.parts)].startswith('build')]
    known = {str(path) for path in there} | {str(path)[4:] for path in there} | {path.name for path in there}
    for text in sorted([*(root / 'src').rglob('README.md'), root / 'docs/architecture.md', root / 'docs/decisions.md']):
        named = NAMED.findall(text.read_text(encoding='utf-8'))
        yield from (f'{text.relative_to(root)}: there is no {one}' for one in sorted(set(named) - known))


def main():
    found = list(index_faults(pathlib.Path(sys.argv[1])))
    found += list(name_faults(pathlib.Path(sys.argv[1])))
    found += list(faults(pathlib.Path(sys.argv[1]), '--update' in sys.argv[2:]))
    if found:
        found.append('tools/check-readmes.py . --update adds and removes rows')
    print('\n'.join(found) if found else 'the READMEs list all files')
    return 1 if found else 0


if __name__ == '__main__':
    sys.exit(main())
