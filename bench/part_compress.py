# SPDX-License-Identifier: BSD-2-Clause
"""compress: what recording with --compress takes, and reading what it wrote, beside the same trace
recorded plainly and passed through zstd -1 afterwards, which readers have to unpack first."""
import os
import shutil

from figures import interleave, median, paired
from part_drain import EVENT_BYTES, REPEATS, drained
from part_read import record, timed
from part_record import CALLS, check
from workbench import SONDE, quiet_cpus, sonde_stats, tree_bytes

READ_CALLS = 1_200_000  # two events each, as in part_read


def streams(trace):
    return sorted(file for file in trace.iterdir() if file.is_file() and file.name != 'metadata')


def packed(bench, trace, out):
    """CPU seconds of zstd -1 over each stream, as files in a directory @out."""
    out.mkdir()
    shutil.copy(trace / 'metadata', out)
    cpu = 0.0
    for stream in streams(trace):
        found = timed_on(bench, ['zstd', '-1', '-T1', '-q', '-f', str(stream), '-o',
                                 str(out / stream.name) + '.zst'])
        cpu += found['cpu']
    return cpu


def timed_on(bench, command):
    """Off the CPU where the loop was, on one, as the recorder's threads."""
    return timed(bench, ['taskset', '-c', str(min(quiet_cpus())), *command])


def recorded(bench, name):
    """One recording of the loop: what it took and what it wrote."""
    trace, packs = bench.path('trace'), bench.path('packs')
    options = ['--compress'] if name == 'sonde --compress' else []
    command = [SONDE, 'record', '-a', '-q', '-e', 'sys.enter', *options, '-o', str(trace)]
    ns, status = drained(bench, command, lambda: any(trace.glob('recorder*')), EVENT_BYTES)
    check('sonde', status, '', (0, 3))
    stats = sonde_stats(trace)
    size = tree_bytes(trace)
    if name == 'then zstd -1':
        ns += packed(bench, trace, packs) * 1e9 / stats['events']
        size = tree_bytes(packs)
        bench.clear(packs)
    bench.clear(trace)
    return {'ns': ns, 'bytes': size / stats['events'], 'lost': stats['lost']}


def unpacked(packs, out, command):
    """A shell that makes a plain trace of @packs again and runs @command over it."""
    return ['sh', '-c', f'zstd -d -q -f "{packs}"/*.zst --output-dir-flat "{out}" && exec "$@"',
            'sh', *command]


def reading(bench):
    """The same trace three times, and who reads which."""
    plain = record(bench, 'plain', READ_CALLS)
    frames, packs, again = bench.path('frames'), bench.path('packs'), bench.path('again')
    status, _, err = bench.run([SONDE, 'convert', '--compress', '-o', str(frames), str(plain)],
                               os.sched_getaffinity(0))
    check('sonde convert --compress', status, err, (0, 3))
    packed(bench, plain, packs)
    again.mkdir()
    shutil.copy(plain / 'metadata', again)
    commands = {
        'sonde stats, plain': [SONDE, 'stats', str(plain)],
        'sonde stats, compressed': [SONDE, 'stats', str(frames)],
        'zstd -d, then sonde stats': unpacked(packs, again, [SONDE, 'stats', str(again)]),
        'zstd -d, then babeltrace2 counter': unpacked(
            packs, again, ['babeltrace2', str(again), '-c', 'sink.utils.counter']),
        'sonde print, plain': [SONDE, 'print', str(plain)],
        'sonde print, compressed': [SONDE, 'print', str(frames)],
        'zstd -d, then sonde print': unpacked(packs, again, [SONDE, 'print', str(again)]),
    }
    sizes = {name: tree_bytes(path) for name, path in
             (('plain', plain), ('compressed', frames), ('zstd -1', packs))}
    return commands, sizes, sonde_stats(plain)['events']


def of(results, name, base, what):
    return paired(results, name, base, lambda one, other: one[what] / other[what])


def measure(bench, rounds, say):
    ways = ['sonde', 'sonde --compress', 'then zstd -1']
    written = interleave(ways, rounds, lambda name: recorded(bench, name), say)
    commands, sizes, events = reading(bench)
    timed(bench, commands['sonde stats, compressed'])  # the first touch is nobody's
    read = interleave(list(commands), rounds, lambda name: timed(bench, commands[name]), say)
    return {
        'calls': CALLS * REPEATS * rounds,
        'written': {name: {what: median([one[what] for one in found])
                           for what in ('ns', 'bytes')} |
                    {'min_ns': min(one['ns'] for one in found),
                     'lost': sum(one['lost'] for one in found)}
                    for name, found in written.items()},
        'of_zstd': of(written, 'sonde --compress', 'then zstd -1', 'ns'),
        'events': events,
        'sizes': sizes,
        'read': {name: {what: median([one[what] for one in found])
                        for what in ('seconds', 'cpu', 'peak_mib')}
                 for name, found in read.items()},
        'of_plain': {verb: of(read, f'sonde {verb}, compressed', f'sonde {verb}, plain', 'seconds')
                     for verb in ('stats', 'print')},
        'of_unpacked': {verb: of(read, f'sonde {verb}, compressed', f'zstd -d, then sonde {verb}',
                                 'seconds') for verb in ('stats', 'print')},
    }
