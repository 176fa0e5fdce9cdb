# SPDX-License-Identifier: BSD-2-Clause
"""record: what recording adds to a system call, for Sonde and its peers."""
import os
import re
import subprocess

import peers
from figures import interleave, median, paired
from workbench import (CLOCK, EMPTY, LOOP, SONDE, TRACED_CPU, Failure, sonde_lost,
                       sonde_stats, tree_bytes)

CALLS = 100_000
REPEATS = 25


def loop_command(repeats=REPEATS, cpus=(TRACED_CPU,)):
    return [LOOP, str(CALLS), str(repeats), *(str(cpu) for cpu in cpus)]


def loop_ns(text):
    """The times that the loop printed, among whatever its parent prints."""
    times = [float(ns) for ns in re.findall(r'^\d+ (\d+\.\d+)$', text, re.M)]
    if not times:
        raise Failure(f'the loop printed no times: {text[-300:]}')
    return times


def check(tool, status, err, allowed=(0,)):
    if status not in allowed:
        raise Failure(f'{tool}: status {status}: {err.strip()[-300:]}')


class Variants:
    """Each method runs the loop under one tool: {'ns': median, 'min': ..., and what else}."""

    def __init__(self, bench):
        self.bench = bench

    def measure(self, name):
        return getattr(self, name)()

    def _result(self, out, **more):
        times = loop_ns(out)
        return {'ns': median(times), 'min': min(times), **more}

    def nothing(self):
        status, out, err = self.bench.run(loop_command())
        check('loop', status, err)
        return self._result(out)

    def _under(self, program):
        status, out, err = self.bench.run(peers.under_program(program, loop_command()))
        check(program, status, err)
        return self._result(out)

    def empty(self):
        return self._under(EMPTY)

    def clock(self):
        return self._under(CLOCK)

    def _sonde(self, *options, repeats=REPEATS, cpus=(TRACED_CPU,), on=None):
        trace = self.bench.path('trace')
        command = [SONDE, 'record', '-a', '-e', 'sys.enter', '-o', str(trace), *options, '--',
                   *loop_command(repeats, cpus)]
        status, out, err = self.bench.run(command, on)
        check('sonde', status, err, (0, 3))
        return trace, self._result(out, lost=sonde_lost(err), bytes=tree_bytes(trace))

    def sonde(self):
        trace, result = self._sonde()
        self.bench.clear(trace)
        return result

    def sonde_rejecting(self):
        trace, result = self._sonde('--syscall', 'reboot')
        self.bench.clear(trace)
        return result

    def sonde_all_cpus(self, repeats, cpus):
        """Every CPU at full rate, with the drainer among them."""
        trace, result = self._sonde(repeats=repeats, cpus=cpus, on=set(cpus))
        stats = sonde_stats(trace)
        self.bench.clear(trace)
        return {**result, 'events': stats['events'], 'lost_in_trace': stats['lost']}

    def sonde_size(self):
        """Bytes in the file for each getppid call, packet headers included."""
        trace, result = self._sonde()
        stats = sonde_stats(trace)
        events = next(c['events'] for c in stats['classes'] if c['name'] == 'sys.getppid')
        size = sum(f.stat().st_size for f in trace.glob('cpu*'))
        self.bench.clear(trace)
        return {'bytes_per_event': size / events, 'events': events, 'lost': result['lost']}

    def perf(self):
        data = self.bench.path('perf.data')
        status, out, err = self.bench.run(
            peers.perf_record(data, ['raw_syscalls:sys_enter']) + loop_command())
        check('perf', status, err)
        result = self._result(out, bytes=tree_bytes(data))
        self.bench.clear(data)
        return result

    def perf_size(self):
        data = self.bench.path('perf.data')
        status, _, err = self.bench.run(
            peers.perf_record(data, ['raw_syscalls:sys_enter']) + loop_command())
        check('perf', status, err)
        events, lost = peers.perf_events(data)
        size = tree_bytes(data)
        self.bench.clear(data)
        return {'bytes_per_event': size / events, 'events': events, 'lost': lost}

    def bpftrace(self):
        program = 'tracepoint:raw_syscalls:sys_enter { @ = count(); }'
        status, out, err = self.bench.run(
            peers.bpftrace(program, ' '.join(loop_command())))
        check('bpftrace', status, err)
        return self._result(out)


def measure(bench, rounds, say):
    variants = Variants(bench)
    names = ['nothing', 'empty', 'clock', 'sonde', 'sonde_rejecting', 'perf', 'bpftrace']
    missing = {}
    for name in names[1:]:
        try:
            variants.measure(name)
        except (Failure, FileNotFoundError, subprocess.SubprocessError) as failure:
            if name.startswith('sonde'):
                raise
            missing[name] = str(failure)
            say(f'{name} is left out: {failure}')
    names = [name for name in names if name not in missing]
    results = interleave(names, rounds, variants.measure, say)
    added = {name: paired(results, name, 'nothing', lambda one, base: one['ns'] - base['ns'])
             for name in names[1:]}
    cpus = sorted(os.sched_getaffinity(0))
    full = [variants.sonde_all_cpus(REPEATS * 2, cpus) for _ in range(2)]
    found = {
        'base_ns': median([one['ns'] for one in results['nothing']]),
        'base_min_ns': min(one['min'] for one in results['nothing']),
        'added_ns': added,
        'added_min_ns': {name: min(one['min'] for one in results[name]) -
                         min(one['min'] for one in results['nothing']) for name in names[1:]},
        'lost': sum(one['lost'] for one in results['sonde']),
        'calls': CALLS * REPEATS * rounds,
        'all_cpus': {'cpus': len(cpus), 'events': sum(one['events'] for one in full),
                     'ns': median([one['ns'] for one in full]),
                     'lost': sum(max(one['lost'], one['lost_in_trace']) for one in full)},
        'size': {'sonde': variants.sonde_size()},
        'missing': missing,
    }
    if 'perf' in names:
        found['size']['perf'] = variants.perf_size()
    return found
