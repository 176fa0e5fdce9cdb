# SPDX-License-Identifier: BSD-2-Clause
"""sample: what samples of the CPUs take from a loop in user mode, for Sonde and perf."""
import json
import statistics

from figures import interleave, median, paired
from part_record import check, loop_ns
from workbench import SONDE, SPIN, TRACED_CPU, output_of

STEPS = 40_000_000  # some 10 ms
REPEATS = 80
RATES = (99, 997, 9999)
STACKS = 9999  # the rate at which stacks are taken too


def spin_command():
    return [SPIN, str(STEPS), str(REPEATS), str(TRACED_CPU)]


class Variants:
    """Each method runs the loop under one tool: {'ns': its least piece, ns a thousand steps}. In 10 ms
    all interrupts of the sampler are in each piece, and others' work is not in all of them."""

    def __init__(self, bench):
        self.bench = bench

    def _run(self, name, command):
        status, out, err = self.bench.run(command)
        check(name, status, err, (0, 3))
        return min(loop_ns(out))

    def nothing(self):
        return {'ns': self._run('loop', spin_command())}

    def sonde(self, rate, *options):
        trace = self.bench.path('trace')
        ns = self._run('sonde', [SONDE, 'record', '-a', '-q', '-e', 'cpu.sample', '--rate', str(rate),
                                 *options, '-o', str(trace), '--', *spin_command()])
        found = json.loads(output_of([SONDE, 'stats', '--json', '-n', '1', str(trace)]))
        self.bench.clear(trace)
        return {'ns': ns, 'samples': found['cpus']['samples'], 'missed': found['cpus']['missed'],
                'lost': found['lost']}

    def perf(self, rate, *options):
        data = self.bench.path('perf.data')
        ns = self._run('perf', ['perf', 'record', '-q', '-a', '-e', 'cpu-clock', '-F', str(rate),
                                *options, '-o', str(data), '--', *spin_command()])
        self.bench.clear(data)
        return {'ns': ns}

    def measure(self, name):
        if name == 'nothing':
            return self.nothing()
        tool, rate, *stacks = name.split()
        if tool == 'sonde':
            return self.sonde(int(rate), *(['--detail', 'full'] if stacks else []))
        return self.perf(int(rate), *(['-g'] if stacks else []))


def percent_lost(one, base):
    return (1 - base['ns'] / one['ns']) * 100


def measure(bench, rounds, say):
    names = ['nothing']
    for tool in ('sonde', 'perf'):
        names += [f'{tool} {rate}' for rate in RATES] + [f'{tool} {STACKS} stacks']
    variants = Variants(bench)
    results = interleave(names, rounds, variants.measure, say)
    bare = [one['ns'] for one in results['nothing']]
    quartiles = statistics.quantiles(bare, n=4) if rounds > 1 else [bare[0]] * 3
    return {
        'base_ns': median(bare),
        # What two runs with nothing beside them differ by, half of the time.
        'noise_percent': (quartiles[2] - quartiles[0]) / median(bare) * 100,
        'loss_percent': {name: paired(results, name, 'nothing', percent_lost)
                         for name in names[1:]},
        'samples': {name: median([one['samples'] for one in results[name]])
                    for name in names if name.startswith('sonde')},
        'missed': {name: median([one['missed'] for one in results[name]])
                   for name in names if name.startswith('sonde')},
        'lost': sum(one['lost'] for name in names if name.startswith('sonde')
                    for one in results[name]),
    }
