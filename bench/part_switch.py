# SPDX-License-Identifier: BSD-2-Clause
"""switch: how long `sonde enable GROUP` and `sonde disable GROUP` take on a running recorder.

Each round has a new recorder, which has not loaded the group yet. What is timed is the whole
command, from its start to its end; when it ends, the recorder has done it.
"""
import json
import os
import time

import peers
from figures import median
from workbench import SONDE, Failure, output_of, stop, wait_for

BARE = 'sched.exec'  # what the recorder records from the start: little
STEPS = ('first', 'disable', 'again')
PEER_EVENTS = {'sys': ['raw_syscalls:sys_enter', 'raw_syscalls:sys_exit'],
               'sched': ['sched:sched_switch', 'sched:sched_waking', 'sched:sched_wakeup']}


def groups():
    """Every group that has something to enable here."""
    shown = json.loads(output_of([SONDE, 'list', '--json']))
    return list(dict.fromkeys(one['group'] for one in shown if one['state'] != 'unavailable'))


def timed_ms(command):
    start = time.monotonic()
    output_of(command)
    return (time.monotonic() - start) * 1000


def one_round(bench, names):
    """{group: {step: ms}} with one recorder for each group."""
    found = {}
    for name in names:
        trace = bench.path('trace')
        process = bench.start([SONDE, 'record', '-a', '-q', '-e', BARE, '-o', str(trace)])
        wait_for(lambda: os.listdir(os.environ['SONDE_RUNTIME_DIR']), 'sonde record listens')
        found[name] = {'first': timed_ms([SONDE, 'enable', name]),
                       'disable': timed_ms([SONDE, 'disable', name]),
                       'again': timed_ms([SONDE, 'enable', name])}
        stop(process)
        bench.clear(trace)
    return found


def perf_ms(bench, events):
    """perf has no such command: a run of it that records next to nothing."""
    data = bench.path('perf.data')
    took = timed_ms(peers.perf_record(data, events) + ['true'])
    bench.clear(data)
    return took


def bpftrace_ms(events):
    program = ' '.join(f'tracepoint:{event} {{ @ = count(); }}' for event in events)
    return timed_ms(peers.bpftrace(program, '/bin/true'))


def measure(bench, rounds, say):
    runtime = bench.path('run')
    runtime.mkdir(mode=0o700)
    os.environ['SONDE_RUNTIME_DIR'] = str(runtime)
    names, seen, other, missing = groups(), [], {}, {}
    for number in range(rounds):
        seen.append(one_round(bench, names))
        for name, events in PEER_EVENTS.items():
            for peer, take in (('perf', lambda e: perf_ms(bench, e)), ('bpftrace', bpftrace_ms)):
                try:
                    other.setdefault(f'{peer}, {name}', []).append(take(events))
                except (Failure, FileNotFoundError) as failure:
                    missing[peer] = str(failure)
        say(f'round {number + 1} of {rounds}')
    by_group = {name: {step: {'median': median([one[name][step] for one in seen]),
                              'longest': max(one[name][step] for one in seen)}
                       for step in STEPS} for name in names}
    every = [one[name][step] for one in seen for name in names for step in STEPS]
    return {'median_ms': median(every), 'longest_ms': max(every), 'groups': by_group,
            'peers_ms': {name: median(times) for name, times in other.items() if times},
            'missing': missing}
