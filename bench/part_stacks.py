# SPDX-License-Identifier: BSD-2-Clause
"""stacks: what an event costs with a stack of some 20 frames, and how many bytes it takes, for Sonde and perf.

The event is the end of getppid(2), made by a program with frame pointers and by the same one without ("bare"), whose stack
Sonde unwinds by .eh_frame and perf copies (--call-graph dwarf). The times are CPU time of the program, whoever else has
work; "both" is that of the program and the recorder, by the difference of a long run and a short one.
"""
from figures import interleave, median, paired
from part_read import timed
from part_record import check, loop_ns
from peers import perf_events
from workbench import BUILD, SONDE, sonde_stats

CALLS = 20_000
REPEATS = 9
DEPTH = 14  # with main, what calls it, and three of the kernel: some 20 frames
COPIED_CALLS = 2_000  # perf writes 8 KiB for each
BOTH = {'sonde': (100_000, 300_000), 'perf': (4_000, 16_000)}  # calls of the short run and the long one


def command(bare=False, calls=CALLS, repeats=REPEATS):
    return [str(BUILD / ('deep_calls_bare' if bare else 'deep_calls')), str(calls), str(repeats), str(DEPTH)]


def sonde_record(trace, options, program):
    return [SONDE, 'record', '-q', '-e', 'sys.exit', '--syscall', 'getppid', '--buffer', '32M', *options, '-o', str(trace),
            '--', *program]


def perf_record(data, options, program):
    return ['perf', 'record', '-q', '-c', '1', '-m', '32M', '-e', 'raw_syscalls:sys_exit', *options, '-o', str(data), '--',
            *program]


class Variants:
    """A name is a tool, "bare" for the program without frame pointers, and options: {'ns': of a call, 'bytes': of an event}."""

    def __init__(self, bench):
        self.bench = bench

    def _run(self, name, argv):
        status, out, err = self.bench.run(argv)
        check(name, status, err, (0, 3))
        return median(loop_ns(out))

    def sonde(self, program, options):
        trace = self.bench.path('trace')
        ns = self._run('sonde', sonde_record(trace, options, program))
        found = sonde_stats(trace)
        classes = {one['name']: one for one in found['classes']}
        taken = sum(classes[name]['bytes'] for name in ('sys.exit', 'sonde.stack') if name in classes)
        self.bench.clear(trace)
        return {'ns': ns, 'bytes': taken / classes['sys.exit']['events'], 'lost': found['lost']}

    def perf(self, program, options):
        data = self.bench.path('perf.data')
        ns = self._run('perf', perf_record(data, options, program))
        size, events = data.stat().st_size, perf_events(data)[0]
        self.bench.clear(data)
        # perf counts its reports of losses, not what was lost.
        return {'ns': ns, 'bytes': size / events, 'lost': max(int(program[1]) * int(program[2]) - events, 0)}

    def measure(self, name):
        tool, *options = name.split(' ')
        bare = 'bare' in options
        program = command(bare, COPIED_CALLS if 'dwarf' in options else CALLS)
        if tool == 'nothing':
            return {'ns': self._run('program', program), 'bytes': 0, 'lost': 0}
        return getattr(self, tool)(program, [option for option in options if option != 'bare'])

    def both(self, tool):
        """CPU time of program and recorder for an event, ns."""
        cpu, events = [], []
        for calls in BOTH[tool]:
            place = self.bench.path('both')
            program = command(True, calls // 10, 10)
            argv = sonde_record(place, ['--stack', 'sys.exit'], program) if tool == 'sonde' else \
                perf_record(place, ['--call-graph', 'dwarf'], program)
            cpu.append(timed(self.bench, argv)['cpu'])
            events.append(calls if tool == 'sonde' else perf_events(place)[0])
            self.bench.clear(place)
        return {'ns': 1e9 * (cpu[1] - cpu[0]) / (events[1] - events[0])}


def more_ns(one, base):
    return one['ns'] - base['ns']


def measure(bench, rounds, say):
    variants = Variants(bench)
    names = ['nothing', 'sonde', 'sonde --stack sys.exit=kernel', 'sonde --stack sys.exit=user', 'sonde --stack sys.exit',
             'perf', 'perf -g', 'sonde bare --stack sys.exit=user', 'sonde bare --stack sys.exit',
             'perf bare --call-graph dwarf']
    results = interleave(names, rounds, variants.measure, say)
    both = interleave(list(BOTH), rounds, variants.both, say)
    return {
        'base_ns': median([one['ns'] for one in results['nothing']]),
        'event_ns': {name: paired(results, name, 'nothing', more_ns) for name in names[1:]},
        'event_bytes': {name: median([one['bytes'] for one in results[name]]) for name in names[1:]},
        'both_ns': {tool: median([one['ns'] for one in found]) for tool, found in both.items()},
        'both_ratio': paired(both, 'sonde', 'perf', lambda one, other: one['ns'] / other['ns']),
        'lost': {name: sum(one['lost'] for one in results[name]) for name in names},
    }
