# SPDX-License-Identifier: BSD-2-Clause
"""costs: what a record of each measurement costs the CPU that makes it; bench/costs.tsv.

The kernel times each run of a BPF program while kernel.bpf_stats_enabled is 1. What it says of
an empty program is the timing's own cost and comes off; what calling an empty program costs is
not in its figures and is put on again.
"""
import json
import os
import pathlib
import subprocess
import sys
import time

import peers
from figures import interleave, median, paired
from namespaces import Pair
from part_record import CALLS, check, loop_command, loop_ns
from workbench import (EMPTY, LOOP, ROOT, SONDE, TRACED_CPU, Failure, output_of, stop,
                       wait_for)

COSTS = ROOT / 'bench' / 'costs.tsv'
SWITCH = pathlib.Path('/proc/sys/kernel/bpf_stats_enabled')
LOAD = str(ROOT / 'bench' / 'load.py')
FEWEST_RUNS = 100
NAME_BYTES = 15  # of a program's name that the kernel keeps
# Programs that make several measurements bear the name of none: one run makes a record of this one,
# and now and then another.
SEVERAL = {'tcp_arrival': 'tcp.ack', 'tcp_segment': 'tcp.ack'}

HEAD = '''# ns that one record costs the CPU that makes it; written by script/bench costs.
# The average over all runs of the programs, with and without a record, hooks included.
# {kernel}, {machine}
'''


def programs():
    """{id: (name, runs, ns)} of every BPF program there is."""
    shown = json.loads(output_of(['bpftool', '-j', 'prog', 'show']) or '[]')
    return {one['id']: (one.get('name', ''), one.get('run_cnt', 0), one.get('run_time_ns', 0))
            for one in shown}


def measurement_of(program, names):
    """The longest measurement name that the program's name begins with: tcp_reset_sent is
    tcp.reset's."""
    if program in SEVERAL:
        return SEVERAL[program]
    fitting = [name for name in names
               if f'{program}_'.startswith(name.replace('.', '_') + '_') or
               (len(program) == NAME_BYTES and name.replace('.', '_').startswith(program))]
    return max(fitting, key=len, default=None)


def programs_of(pid):
    """The ids of the programs that a process holds: somebody else's may bear the same names."""
    ids = set()
    for entry in pathlib.Path(f'/proc/{pid}/fdinfo').iterdir():
        try:
            ids.update(int(line.split()[1]) for line in entry.read_text().splitlines()
                       if line.startswith('prog_id:'))
        except FileNotFoundError:
            continue
    return ids


def sum_runs(pid, names):
    """{measurement: [runs, ns]} of the programs of a recorder."""
    found, mine = {}, programs_of(pid)
    for number, (program, runs, ns) in programs().items():
        name = measurement_of(program, names)
        if number in mine and name:
            entry = found.setdefault(name, [0, 0])
            entry[0] += runs
            entry[1] += ns
    return found


def under_load(bench, group, load, names):
    trace = bench.path('trace')
    process = bench.start([SONDE, 'record', '-a', '-q', '-e', group, '--period', '10ms', '-o',
                           str(trace)])
    wait_for((trace / 'recorder').exists, 'sonde record begins')
    time.sleep(0.3)
    load()
    found = sum_runs(process.pid, names)
    stop(process)
    bench.clear(trace)
    return found


def empty_run_ns(bench):
    """What the kernel says of a program that does nothing."""
    process = bench.start(peers.under_program(EMPTY, [LOOP, str(CALLS), '60', str(TRACED_CPU)]),
                          stdout=subprocess.DEVNULL)
    time.sleep(0.4)
    mine = programs_of(process.pid)
    runs, ns = next(((runs, ns) for number, (_, runs, ns) in programs().items()
                     if number in mine), (0, 0))
    stop(process)
    if runs < FEWEST_RUNS:
        raise Failure('the empty program was not seen running')
    return ns / runs


def dispatch_ns(bench, rounds, say):
    """What calling an empty program adds, with nothing timed."""
    def one(name):
        command = loop_command(8)
        if name == 'empty':
            command = peers.under_program(EMPTY, command)
        status, out, err = bench.run(command)
        check(name, status, err)
        return median(loop_ns(out))
    results = interleave(['nothing', 'empty'], rounds, one, say)
    return paired(results, 'empty', 'nothing', lambda one, base: one - base)


def switch_stats(bench):
    was = SWITCH.read_text()
    bench.undo(SWITCH.write_text, was)
    SWITCH.write_text('1')


def provoke(bench, names, say):
    """{measurement: [runs, ns]} under loads, each with its own group recording."""
    pair = Pair(bench, offloads=False)
    python = [sys.executable, '-B', LOAD]

    def run(command):
        status, _, err = bench.run(command, os.sched_getaffinity(0))
        check('load', status, err)

    def load_tcp():
        server = bench.start(pair.inside(pair.server, [*python, 'server']),
                             stderr=subprocess.DEVNULL)
        time.sleep(0.3)
        run(pair.inside(pair.client, [*python, 'client', pair.server_address,
                                      pair.devices[0]]))
        stop(server)

    def load_files():
        run([*python, 'files', str(bench.path('file'))])

    loads = {'sys': lambda: run(loop_command()), 'sched': lambda: run([*python, 'tasks']),
             'cpu': load_files, 'irq': load_files, 'tcp': load_tcp, 'net': load_tcp, 'disk': load_files,
             'fs': load_files}
    found = {}
    for group, load in loads.items():
        say(group)
        found.update({name: runs for name, runs in under_load(bench, group, load, names).items()
                      if name.startswith(group + '.')})
    return found


def measure(bench, rounds, say):
    names = [one['name'] for one in json.loads(output_of([SONDE, 'list', '--json']))]
    hook = dispatch_ns(bench, rounds, say)
    switch_stats(bench)
    empty = empty_run_ns(bench)
    found = provoke(bench, names, say)
    costs = {name: max(1.0, ns / runs - empty + hook)
             for name, (runs, ns) in found.items() if runs >= FEWEST_RUNS}
    return {'hook_ns': hook, 'empty_run_ns': empty, 'costs': costs,
            'runs': {name: runs for name, (runs, _) in found.items()},
            'left_out': sorted(set(names) - set(costs)), 'order': names}


def write_table(found, around):
    lines = [f'{name}\t{found["costs"][name]:.0f}\n' for name in found['order']
             if name in found['costs']]
    COSTS.write_text(HEAD.format(**around) + ''.join(lines), encoding='utf-8')
