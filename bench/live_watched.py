# SPDX-License-Identifier: BSD-2-Clause
"""live_watched: what a recording costs that nobody, one or many viewers see while it is made, by `sonde record
--serve`: the program that is recorded, the recorder itself, and the thread that serves."""
import json
import pathlib
import re
import signal
import subprocess
import sys
import time

from figures import interleave, median, paired
from live_peers import cpu_ns
from part_record import check, loop_ns
from workbench import LOOP, ROOT, SONDE, TRACED_CPU, Failure

VIEWERS = (0, 1, 500)
CALLS = 10_000
PIECES = 50
STEP = 0.2  # seconds from one piece to the next: what the recorder does on its own counts alike for all
SETTLE = 1.0


def thread_ns(pid):
    """CPU time of a process's first thread."""
    return int(pathlib.Path(f'/proc/{pid}/task/{pid}/schedstat').read_text(encoding='ascii').split()[0])


def start_recorder(bench, trace):
    process = bench.start([SONDE, 'record', '-e', 'sys.enter', '--comm', 'syscall_loop', '--flush', '100ms',
                           '--serve=127.0.0.1:0', '-o', str(trace)], stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE)
    line = process.stderr.readline()
    found = re.search(r'localhost:(\d+)/', line)
    if not found:
        raise Failure(f'sonde record: {line}')
    return process, found[1]


def start_followers(bench, port, count):
    process = bench.start([sys.executable, '-B', str(ROOT / 'bench/live_followers.py'), port, str(count)],
                          stdout=subprocess.PIPE)
    if process.stdout.readline() != 'attached\n':
        raise Failure(f'{count} viewers are not let in')
    return process


def pieces(bench):
    """ns that a call takes, of each piece."""
    found, start = [], time.monotonic()
    for number in range(PIECES):
        status, out, err = bench.run([LOOP, str(CALLS), '1', str(TRACED_CPU)], {TRACED_CPU})
        check('loop', status, err)
        found.append(loop_ns(out)[0])
        time.sleep(max(0, start + (number + 1) * STEP - time.monotonic()))
    return found


def watched(bench, count):
    trace = bench.path('watched')
    recorder, port = start_recorder(bench, trace)
    followers = start_followers(bench, port, count) if count else None
    time.sleep(SETTLE)
    pid = recorder.pid
    before, before_all = thread_ns(pid), cpu_ns(pid)
    call_ns = median(pieces(bench))
    time.sleep(SETTLE)
    events = CALLS * PIECES
    found = {'call_ns': call_ns, 'recorder_ns': (thread_ns(pid) - before) / events}
    found['serving_ns'] = (cpu_ns(pid) - before_all) / events - found['recorder_ns']
    recorder.send_signal(signal.SIGINT)
    seen = json.loads(followers.communicate(timeout=120)[0]) if followers else []
    text = recorder.stderr.read()
    recorder.wait()
    check('sonde record', recorder.returncode, text, (0, 3))
    there = {file.name: file.stat().st_size for file in trace.iterdir()
             if file.is_file() and file.name != 'metadata'}
    found['complete'] = sum({name: size for name, size in one.items() if size} == there for one in seen)
    found['lost'] = recorder.returncode == 3
    bench.clear(trace)
    return found


def measure(bench, rounds, say):
    results = interleave(list(VIEWERS), rounds, lambda count: watched(bench, count), say)
    return {str(count): {
        **{what: median([one[what] for one in results[count]])
           for what in ('call_ns', 'recorder_ns', 'serving_ns')},
        **{what + '_ratio': paired(results, count, 0, lambda one, other, what=what: one[what] / other[what])
           for what in ('call_ns', 'recorder_ns')},
        'complete': min(one['complete'] for one in results[count]),
        'rounds_with_loss': sum(one['lost'] for one in results[count]),
    } for count in VIEWERS}
