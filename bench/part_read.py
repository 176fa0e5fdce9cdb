# SPDX-License-Identifier: BSD-2-Clause
"""read: how fast, and in how much memory, a trace is read."""
import os

from figures import interleave, median, paired
from part_record import check
from workbench import LOOP, SONDE, TIMED, TRACED_CPU, sonde_stats, tree_bytes

TRACE_CALLS = 1_200_000  # two events each: some 110 MB
LARGE_CALLS = 12_000_000  # for memory and --from alone: babeltrace2 would take minutes
FIRST_TRIES = 5
WINDOW_SECONDS = 1


def record(bench, name, calls):
    trace = bench.path(name)
    status, _, err = bench.run(
        [SONDE, 'record', '-a', '-e', 'sys.enter,sys.exit', '-o', str(trace), '--',
         LOOP, str(calls // 10), '10', str(TRACED_CPU)])
    check('sonde record', status, err, (0, 3))
    return trace


def timed(bench, command, limit=300):
    """Of a command on all CPUs."""
    status, out, err = bench.run([TIMED, *command], os.sched_getaffinity(0), limit)
    check('timed', status, err)
    seconds, cpu, peak, code = out.split()
    check(' '.join(command[:2]), int(code), err, (0, 3))
    return {'seconds': float(seconds), 'cpu': float(cpu), 'peak_mib': int(peak) / 1024}


def first_event(bench, trace):
    """Seconds until the first event of the last second but one is printed; median of several."""
    whole = sonde_stats(trace)
    start = max(whole['duration_ns'] / 1e9 - 2 * WINDOW_SECONDS, 0)
    command = [SONDE, 'print', '--from', f'+{start:.3f}', '--to', f'+{start + WINDOW_SECONDS:.3f}',
               '--limit', '1', str(trace)]
    return median([timed(bench, command)['seconds'] for _ in range(FIRST_TRIES)])


def speedup(results, sonde, peer):
    return paired(results, peer, sonde, lambda slow, fast: slow['seconds'] / fast['seconds'])


def measure(bench, rounds, say):
    trace = record(bench, 'trace', TRACE_CALLS)
    path = str(trace)
    events = sonde_stats(trace)['events']
    commands = {
        'sonde print': [SONDE, 'print', path],
        'babeltrace2': ['babeltrace2', path],
        'sonde stats': [SONDE, 'stats', path],
        'babeltrace2 counter': ['babeltrace2', path, '-c', 'sink.utils.counter'],
        'sonde print json': [SONDE, 'print', '--format', 'json', path],
        'sonde print csv': [SONDE, 'print', '--format', 'csv', path],
    }
    # The first touch of the file is nobody's.
    timed(bench, commands['sonde stats'])
    results = interleave(list(commands), rounds, lambda name: timed(bench, commands[name]), say)
    size = tree_bytes(trace)
    bench.clear(trace)
    large = record(bench, 'large', LARGE_CALLS)
    large_bytes = tree_bytes(large)
    memory = {verb: timed(bench, [SONDE, verb, str(large)])
              for verb in ('print', 'stats')}
    first_ms = 1000 * first_event(bench, large)
    bench.clear(large)
    return {
        'events': events,
        'trace_bytes': size,
        'seconds': {name: median([one['seconds'] for one in found])
                    for name, found in results.items()},
        'min_seconds': {name: min(one['seconds'] for one in found)
                        for name, found in results.items()},
        'events_per_second': {name: events / median([one['seconds'] for one in found])
                              for name, found in results.items()},
        'peak_mib': {name: max(one['peak_mib'] for one in found)
                     for name, found in results.items()},
        'print_speedup': speedup(results, 'sonde print', 'babeltrace2'),
        'stats_speedup': speedup(results, 'sonde stats', 'babeltrace2 counter'),
        'large_bytes': large_bytes,
        'large': memory,
        'first_event_ms': first_ms,
    }
