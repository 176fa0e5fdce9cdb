# SPDX-License-Identifier: BSD-2-Clause
"""ust: how fast the traces of another tracer are read, those of LTTng-UST, beside babeltrace2."""
import os
import pathlib
import shutil
import sys

from figures import interleave, median, paired
from part_read import first_event, timed
from workbench import BUILD, ROOT, SONDE, Failure, sonde_stats, tree_bytes

PROGRAM = BUILD / 'tests/ust_program'
SMALL = 2_000_000  # events of 16 bytes from each of two threads
LARGE = 34_000_000
RICH = 1_000_000  # events of a double, a string, a sequence and two contexts
CONTEXTS = ('vtid', 'procname')
CHANNEL = ('--subbuf-size=4M', '--num-subbuf=16')


def record(lttng, name, program, small, rich=0, contexts=()):
    folders = lttng.record(name, program, '0', '0', '0', str(small), str(rich), channel=CHANNEL,
                           contexts=contexts)
    if len(folders) != 1:
        raise Failure(f'LTTng has written {len(folders)} traces instead of one')
    return folders[0]


def session():
    """The tests' own LTTng session daemon."""
    sys.path += [str(ROOT / 'tests/interop'), str(ROOT / 'tests/kern')]
    if not PROGRAM.exists() or not shutil.which('lttng-sessiond'):
        raise Failure('lttng-tools or liblttng-ust-dev is not installed')
    from lttng_session import Lttng  # needs the paths above
    return Lttng()


def speedups(results, measure):
    """How many times as long babeltrace2 takes, by @measure of a run, in the median round."""
    return {name: paired(results, peer, name, lambda slow, fast: slow[measure] / fast[measure])
            for name, peer in (('sonde print -j 1', 'babeltrace2'), ('sonde print', 'babeltrace2'),
                               ('sonde stats -j 1', 'babeltrace2 dummy'),
                               ('sonde stats', 'babeltrace2 dummy'))}


def compare(bench, rounds, say, path, more=()):
    """The commands that are compared, and @more, over one trace: (what to keep, all results)."""
    commands = {
        'sonde print -j 1': [SONDE, 'print', '-j', '1', path],
        'sonde print': [SONDE, 'print', path],
        'babeltrace2': ['babeltrace2', path],
        'sonde stats -j 1': [SONDE, 'stats', '-j', '1', path],
        'sonde stats': [SONDE, 'stats', path],
        'babeltrace2 dummy': ['babeltrace2', path, '-o', 'dummy'],
        **dict(more),
    }
    events = sonde_stats(pathlib.Path(path))['events']  # the first touch of the file
    results = interleave(list(commands), rounds, lambda name: timed(bench, commands[name]), say)

    def medians(measure):
        return {name: median([one[measure] for one in found]) for name, found in results.items()}
    return {
        'events': events,
        'trace_bytes': tree_bytes(pathlib.Path(path)),
        'seconds': medians('seconds'),
        'cpu_seconds': medians('cpu'),
        'events_per_second': {name: events / one for name, one in medians('seconds').items()},
        'peak_mib': {name: max(one['peak_mib'] for one in found)
                     for name, found in results.items()},
        'speedup': speedups(results, 'seconds'),
        'cpu_speedup': speedups(results, 'cpu'),
    }, results


def measure(bench, rounds, say):
    lttng = session()
    program = lttng.program(str(PROGRAM))
    path = record(lttng, 'small', program, SMALL)
    found, results = compare(bench, rounds, say, path, [
        (f'sonde print {form}', [SONDE, 'print', '-j', '1', '--format', form, path])
        for form in ('json', 'csv')])
    say('a trace of events with several fields')
    rich, _ = compare(bench, rounds, say, record(lttng, 'rich', program, 0, RICH, CONTEXTS))
    say('the large trace')
    large = record(lttng, 'large', program, LARGE)
    found |= {
        'cpus': os.cpu_count(),
        'of_text': {name: paired(results, name, 'sonde print -j 1',
                                 lambda one, text: one['cpu'] / text['cpu'])
                    for name in ('sonde print json', 'sonde print csv')},
        'rich': rich,
        'large_bytes': tree_bytes(pathlib.Path(large)),
        'first_event_ms': 1000 * first_event(bench, large),
        'large': {verb: timed(bench, [SONDE, verb, large]) for verb in ('print', 'stats')},
    }
    lttng.end()
    return found
