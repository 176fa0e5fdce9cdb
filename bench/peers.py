# SPDX-License-Identifier: BSD-2-Clause
"""peers: how the programs that Sonde is measured against are called."""
import os
import re

from workbench import UNDER_PROGRAM, Failure, output_of

PERF_MEMORY = '16M'  # of ring for each CPU: as Sonde's default


def perf_record(data, events):
    """perf recording every event on all CPUs, and what follows as its command."""
    chosen = [word for event in events for word in ('-e', event)]
    return ['perf', 'record', '-q', '-a', '-c', '1', '-m', PERF_MEMORY, *chosen, '-o', str(data),
            '--']


def perf_events(data):
    """(events in the file, events lost) as perf itself counts them."""
    text = output_of(['perf', 'report', '--stats', '-i', str(data)])
    events = re.search(r'SAMPLE events:\s+(\d+)', text)
    if not events:
        raise Failure(f'perf report --stats says no SAMPLE events: {text[:200]}')
    lost = 0
    for kind in ('LOST_SAMPLES', 'LOST'):
        match = re.search(rf'\b{kind} events:\s+(\d+)', text)
        lost += int(match.group(1)) if match else 0
    return int(events.group(1)), lost


def bpftrace(program, command):
    """Debian's bpftrace looks for tracepoints below debugfs alone: it gets one, which nobody
    else sees, where there is none."""
    call = ['bpftrace', '-q', '-e', program, '-c', command]
    if os.path.isdir('/sys/kernel/debug/tracing/events'):
        return call
    return ['unshare', '--mount', 'sh', '-c',
            'mount -t debugfs none /sys/kernel/debug && exec "$@"', 'sh', *call]


def under_program(program, command):
    """The command while a BPF program hangs at the entry of system calls."""
    return [UNDER_PROGRAM, program, *command]
