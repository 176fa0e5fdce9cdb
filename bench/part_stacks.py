# SPDX-License-Identifier: BSD-2-Clause
"""stacks: what an event costs with a stack of some 20 frames, and how many bytes it takes, for Sonde and perf.

The event is the end of getppid(2); the times are CPU time of the program, whoever else has work.
"""
import json

from figures import interleave, median, paired
from part_record import check, loop_ns
from workbench import BUILD, SONDE, output_of

CALLS = 20_000
REPEATS = 5
DEPTH = 14  # with main, what calls it, and three of the kernel: some 20 frames


def command():
    return [str(BUILD / 'deep_calls'), str(CALLS), str(REPEATS), str(DEPTH)]


class Variants:
    """Each method runs the calls under one tool: {'ns': of a call, 'bytes': of an event}."""

    def __init__(self, bench):
        self.bench = bench

    def _run(self, name, argv):
        status, out, err = self.bench.run(argv)
        check(name, status, err, (0, 3))
        return median(loop_ns(out))

    def sonde(self, *options):
        trace = self.bench.path('trace')
        ns = self._run('sonde', [SONDE, 'record', '-q', '-e', 'sys.exit', '--syscall', 'getppid', '--buffer', '32M',
                                 *options, '-o', str(trace), '--', *command()])
        found = json.loads(output_of([SONDE, 'stats', '--json', '-n', '1', str(trace)]))
        classes = {one['name']: one for one in found['classes']}
        taken = sum(classes[name]['bytes'] for name in ('sys.exit', 'sonde.stack') if name in classes)
        self.bench.clear(trace)
        return {'ns': ns, 'bytes': taken / classes['sys.exit']['events'], 'lost': found['lost']}

    def perf(self, *options):
        data = self.bench.path('perf.data')
        ns = self._run('perf', ['perf', 'record', '-q', '-c', '1', '-m', '32M', '-e', 'raw_syscalls:sys_exit', *options,
                                '-o', str(data), '--', *command()])
        size = data.stat().st_size
        self.bench.clear(data)
        return {'ns': ns, 'bytes': size / (CALLS * REPEATS), 'lost': 0}

    def measure(self, name):
        tool, *options = name.split(' ', 1)
        if tool == 'nothing':
            return {'ns': self._run('program', command()), 'bytes': 0, 'lost': 0}
        extra = options[0].split() if options else []
        return self.sonde(*extra) if tool == 'sonde' else self.perf(*extra)


def more_ns(one, base):
    return one['ns'] - base['ns']


def measure(bench, rounds, say):
    names = ['nothing', 'sonde', 'sonde --stack sys.exit=kernel', 'sonde --stack sys.exit=user',
             'sonde --stack sys.exit', 'perf', 'perf -g']
    results = interleave(names, rounds, Variants(bench).measure, say)
    return {
        'base_ns': median([one['ns'] for one in results['nothing']]),
        'event_ns': {name: paired(results, name, 'nothing', more_ns) for name in names[1:]},
        'event_bytes': {name: median([one['bytes'] for one in results[name]]) for name in names[1:]},
        'lost': sum(one['lost'] for name in names for one in results[name]),
    }
