# SPDX-License-Identifier: BSD-2-Clause
"""calls: what typed system calls take in the file and on the CPU, and how fast they are printed.

A build of one of this project's libraries gives the mixture of calls; find and ls over /usr give many calls with paths.
"""

from figures import interleave, median, paired
from part_read import speedup, timed
from part_record import check, loop_ns
from workbench import LOOP, ROOT, SONDE, TRACED_CPU, output_of, sonde_stats

CALLS = 50_000
REPEATS = 10
LIBRARY = 'src/base/libbase.a'
WALK = 'for i in 1 2 3; do find /usr -type f; ls -lR /usr/share; done >/dev/null'


def loop(call):
    return [LOOP, '-c', call, str(CALLS), str(REPEATS), str(TRACED_CPU)]


class Variants:
    """Each name is a call and what records it, "access --no-text": {'ns': of a call}."""

    def __init__(self, bench):
        self.bench = bench

    def measure(self, name):
        call, *how = name.split(' ')
        command, trace = loop(call), self.bench.path('trace')
        if how:
            options = [option for option in how if option.startswith('--')]
            command = [SONDE, 'record', '-q', '-a', '-e', f'sys.{call}', *options, '-o', str(trace), '--', *command]
        status, out, err = self.bench.run(command)
        check(name, status, err, (0, 3))
        self.bench.clear(trace)
        return {'ns': median(loop_ns(out))}


def record(bench, trace, options, command, limit=300):
    status, _, err = bench.run([SONDE, 'record', '-q', *options, '-o', str(trace), '--', *command], limit=limit)
    check('sonde record', status, err, (0, 3))


def bytes_of_entries(stats):
    """(bytes, events) of all calls' entries, without those of their ends and of bookkeeping."""
    entries = [one for one in stats['classes'] if one['name'].startswith('sys.') and one['name'] != 'sys.exit']
    return sum(one['bytes'] for one in entries), sum(one['events'] for one in entries)


def size_of(bench, call):
    trace = bench.path('trace')
    record(bench, trace, ['-a', '-e', f'sys.{call}'], loop(call))
    size, events = bytes_of_entries(sonde_stats(trace))
    bench.clear(trace)
    return size / events


def size_in_build(bench):
    """Mean bytes of an entry while this project's library is built, without text arguments."""
    build, trace = bench.path('build'), bench.path('trace')
    output_of(['meson', 'setup', str(build), str(ROOT)])
    record(bench, trace, ['-e', 'sys', '--no-text'],
           ['env', 'CCACHE_DISABLE=1', 'ninja', '-C', str(build), LIBRARY])
    found = sonde_stats(trace)
    size, events = bytes_of_entries(found)
    bench.clear(build)
    bench.clear(trace)
    return {'bytes': size / events, 'entries': events, 'lost': found['lost']}


def printing(bench, rounds, say):
    """How fast the calls of find and ls are printed, one line for a call, beside babeltrace2's two events."""
    trace = bench.path('walk')
    record(bench, trace, ['-e', 'sys', '--buffer', '64M'], ['sh', '-c', WALK])
    found = sonde_stats(trace)
    commands = {'sonde print': [SONDE, 'print', str(trace)],
                'sonde print -j 1': [SONDE, 'print', '-j', '1', str(trace)],
                'babeltrace2': ['babeltrace2', str(trace)]}
    timed(bench, commands['sonde print'])
    results = interleave(list(commands), rounds, lambda name: timed(bench, commands[name]), say)
    bench.clear(trace)
    return {
        'events': found['events'], 'bytes': found['bytes'], 'lost': found['lost'],
        'events_per_second': {name: found['events'] / median([one['seconds'] for one in times])
                              for name, times in results.items()},
        'cpu_events_per_second': {name: found['events'] / median([one['cpu'] for one in times])
                                  for name, times in results.items()},
        'speedup': speedup(results, 'sonde print', 'babeltrace2'),
    }


def measure(bench, rounds, say):
    names = [f'{call}{how}' for call in ('getppid', 'read', 'access') for how in ('', ' sonde')]
    names.append('access sonde --no-text')
    results = interleave(names, rounds, Variants(bench).measure, say)

    def more(name, base):
        return paired(results, name, base, lambda one, other: one['ns'] - other['ns'])
    return {
        'added_ns': {name: more(name, name.split(' ')[0]) for name in names if ' ' in name},
        'text_ns': more('access sonde', 'access sonde --no-text'),
        'bytes': {call: size_of(bench, call) for call in ('getppid', 'read')},
        'build': size_in_build(bench),
        'print': printing(bench, rounds, say),
    }
