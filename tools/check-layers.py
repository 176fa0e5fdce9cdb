#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""check-layers.py ROOT: a file under src includes its own folder and lower ranks only, within a
folder that has rooms its own room and lower ranks only, and no two
files include each other, directly or through others; x.c and x.h are one file."""
import collections
import pathlib
import re
import sys

RANKS = {
    'wire': 0, 'base': 1, 'schema': 2, 'symbol': 2,
    'probe': 3, 'ring': 3, 'ctf': 3, 'rx': 3, 'analyse': 4, 'record_format': 5, 'trace': 5,
    'output': 6, 'record': 6, 'live': 6, 'graph': 7, 'source': 8, 'lib': 9, 'cli': 9,
}
# Rooms of a folder. An include within the folder goes to its own room or to one of a lower rank.
ROOMS = {
    'record_format': {'pm': 0, 'magnet': 0, 'meas': 0, 'pcap': 0},
    'live': {'proto': 0, 'access': 1, 'session': 2, 'ingest': 3, 'push': 3, 'viewer': 3, 'relay': 4},
}
# What one folder alone may include: a state from inside.
PRIVATE = {'source/read_session_state.h'}
INCLUDE = re.compile(r'^\s*#\s*include\s+"(\w+)/([^"]+)"', re.M)


def room_fault(name, rest):
    """Why a file of a folder with rooms may not include "FOLDER/@rest" of that folder, or None."""
    rooms = ROOMS.get(name.parts[0])
    if not rooms:
        return None
    own, other = name.parts[1], pathlib.PurePath(rest).parts[0]
    for room in (own, other):
        if room not in rooms:
            return f'{name.parts[0]}/{room} is no room'
    if own != other and rooms[other] >= rooms[own]:
        return f'{own} includes "{name.parts[0]}/{rest}" of a room that is not below it'
    return None


def faults(src):
    """Yields a sentence for each folder without rank, each upward or sideways include, and each
    name that two sources share (but for cli, whose files have their verbs' names)."""
    seen = {}
    for path in sorted(src.rglob('*.[ch]')):
        name = path.relative_to(src)
        folder = name.parts[0]
        if folder not in RANKS:
            yield f'{name}: folder {folder} has no rank'
            continue
        if (path.suffix == '.c' and folder != 'cli' and
                seen.setdefault(path.name, name) != name):
            yield f'{name}: {seen[path.name]} has the same name'
        for target, rest in INCLUDE.findall(path.read_text(encoding='utf-8')):
            if target not in RANKS:
                yield f'{name}: includes "{target}/{rest}", which is no folder of src'
            elif target != folder and RANKS[target] >= RANKS[folder]:
                yield (f'{name}: rank {RANKS[folder]} includes "{target}/{rest}" of rank '
                       f'{RANKS[target]}')
            elif target != folder and f'{target}/{rest}' in PRIVATE:
                yield f'{name}: includes "{target}/{rest}", which is for {target}/ alone'
            elif target == folder and room_fault(name, rest):
                yield f'{name}: {room_fault(name, rest)}'


def read_graph(src):
    """{file without suffix: those that it includes}."""
    graph = collections.defaultdict(set)
    for path in sorted(src.rglob('*.[ch]')):
        name = str(path.relative_to(src).with_suffix(''))
        for folder, rest in INCLUDE.findall(path.read_text(encoding='utf-8')):
            target = str(pathlib.PurePath(folder, rest).with_suffix(''))
            if target != name:
                graph[name].add(target)
    return graph


def way_back(graph, start):
    """The shortest way from @start along the includes to @start again, or None."""
    before = {}
    waiting = collections.deque([start])
    while waiting:
        name = waiting.popleft()
        for target in sorted(graph.get(name, ())):
            if target == start:
                way = [start]
                while name != start:
                    way.append(name)
                    name = before[name]
                return [start] + way[:0:-1] + [start]
            if target not in before:
                before[target] = name
                waiting.append(target)
    return None


def cycles(graph):
    """Cycles that together have every file that is in one, each as the way round it."""
    covered = set()
    for name in sorted(graph):
        way = None if name in covered else way_back(graph, name)
        if way:
            covered.update(way)
            yield way


def main():
    src = pathlib.Path(sys.argv[1]) / 'src'
    found = list(faults(src))
    found += ['files include each other: ' + ' -> '.join(way) for way in cycles(read_graph(src))]
    print('\n'.join(found) if found else 'layers hold')
    return 1 if found else 0


if __name__ == '__main__':
    sys.exit(main())
