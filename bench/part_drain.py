# SPDX-License-Identifier: BSD-2-Clause
"""drain: CPU time that taking an event from the buffers into a file costs."""
import pathlib
import subprocess
import time

import peers
from figures import interleave, median
from part_record import CALLS, check, loop_command
from workbench import PLAIN_WRITE, SONDE, TRACED_CPU, stop, wait_for

REPEATS = 25
IDLE_SECONDS = 1.0
EVENT_BYTES = 20  # of the entry of getppid in the file
PERF_EVENT_BYTES = 130  # about
WARM_TIMES = 6  # as much memory as is needed: which of the free pages are taken, nobody knows
SETTLE_SECONDS = 1.3  # open sub-buffers go out within a second


def cpu_ns(pid):
    """CPU time of a process so far: the scheduler's own count, summed over its threads."""
    return sum(int((task / 'schedstat').read_text().split()[0])
               for task in pathlib.Path(f'/proc/{pid}/task').iterdir())


def drained(bench, command, ready, event_bytes):
    """ns of CPU time for each of the loop's calls, less what the process takes when idle."""
    release = bench.warm(WARM_TIMES * CALLS * REPEATS * event_bytes)
    process = bench.start(command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    wait_for(ready, ' '.join(command[:2]) + ' begins')
    time.sleep(0.5)
    before = cpu_ns(process.pid)
    time.sleep(IDLE_SECONDS)
    idle = (cpu_ns(process.pid) - before) / IDLE_SECONDS
    release()
    before, start = cpu_ns(process.pid), time.monotonic()
    status, _, err = bench.run(loop_command(REPEATS), {TRACED_CPU})
    check('loop', status, err)
    time.sleep(SETTLE_SECONDS)
    used = cpu_ns(process.pid) - before - idle * (time.monotonic() - start)
    stop(process)
    return used / (CALLS * REPEATS), process.returncode


def written(bench):
    """ns of CPU time to write what would be as many events, and nothing else."""
    path, calls = bench.path('plain'), CALLS * REPEATS
    bench.warm(WARM_TIMES * calls * EVENT_BYTES)()
    status, out, err = bench.run([PLAIN_WRITE, str(path), str(calls * EVENT_BYTES)])
    check('plain_write', status, err)
    bench.clear(path)
    return float(out) / calls, 0


def measure(bench, rounds, say):
    trace, data = bench.path('trace'), bench.path('perf.data')
    sonde = [SONDE, 'record', '-a', '-q', '-e', 'sys.enter', '-o', str(trace)]
    # Or perf would record its own writing without end.
    perf = peers.perf_record(data, ['raw_syscalls:sys_enter'])[:-1]
    perf.insert(perf.index('-o'), '--exclude-perf')

    def one(name):
        if name == 'sonde':
            found = drained(bench, sonde, (trace / 'recorder').exists, EVENT_BYTES)
            check('sonde', found[1], '', (0, 3))
            bench.clear(trace)
        elif name == 'write':
            found = written(bench)
        else:
            found = drained(bench, perf, data.exists, PERF_EVENT_BYTES)
            bench.clear(data)
        return found

    results = interleave(['sonde', 'write', 'perf'], rounds, one, say)
    return {
        'ns_per_event': {name: median([one[0] for one in found])
                         for name, found in results.items()},
        'min_ns_per_event': {name: min(one[0] for one in found)
                             for name, found in results.items()},
        'rounds_with_loss': sum(one[1] == 3 for one in results['sonde']),
        'events': CALLS * REPEATS * rounds,
    }
