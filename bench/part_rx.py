# SPDX-License-Identifier: BSD-2-Clause
"""rx: asking Rx endpoints, and answering: Sonde and OpenAFS's rxdebug, of the same responder, and of OpenAFS's server."""
import json
import os
import shutil
import struct
import subprocess
import sys
import time

from figures import interleave, median
from workbench import BUILD, ROOT, SONDE, Failure, quiet_cpus

PROGRAM = str(BUILD / 'tests/rx_program')
LOAD = str(BUILD / 'rx_load')
DELAY = str(BUILD / 'rx_delay')
SERVERS = 1000
CONNECTIONS = 10_000
VLSERVER_CONNECTIONS = 200  # of which the server itself takes some 10 ms each
VLSERVER_ROUNDS = 2  # for each round of the others
DELAY_MS = 20
LOAD_SECONDS = 3
LIMIT = 900


def write_records(path):
    """As they are on the wire: how it is, counters that tell how many connections there are, and these."""
    counters = [0] * 71
    counters[56] = CONNECTIONS
    with open(path, 'wb') as file:
        file.write(b'\1' + bytes(14) + b'S' + bytes(41))
        file.write(b'\4' + struct.pack('>71I', *counters))
        for number in range(CONNECTIONS):
            file.write(b'\3' + struct.pack('>IIi16xiHBBB3x16x76xIi36x', 0xc0000202, 4 * number, 1, 0,
                                           7001, 0, 1, 0, 1, 1444))


def start(bench, command, cpus=None):
    """(process, port) of a program that prints its port."""
    process = bench.start(command, cpus, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    port = process.stdout.readline().strip()
    if not port:
        raise Failure(f'{command[0]} does not start')
    return process, port


def cpu_seconds(process):
    with open(f'/proc/{process.pid}/stat', encoding='ascii') as file:
        fields = file.read().rpartition(')')[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')


def timed(bench, command):
    began = time.monotonic()
    process = bench.start(command, os.sched_getaffinity(0), stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE)
    if process.wait(LIMIT):
        raise Failure(f'{" ".join(command[:4])}: {process.stderr.read()[-300:]}')
    return time.monotonic() - began


def answers(bench, records):
    """(answers a second of a CPU's time, answers a second)"""
    process, port = start(bench, [PROGRAM, records, 'S', '0', '1'], quiet_cpus())
    before = cpu_seconds(process)
    _, out, _ = bench.run([LOAD, '127.0.0.1', port, str(LOAD_SECONDS)], {min(os.sched_getaffinity(0))})
    spent = cpu_seconds(process) - before
    process.communicate()
    return int(out) * LOAD_SECONDS / spent, int(out)


def classic(port):
    return [shutil.which('rxdebug'), '127.0.0.1', port, '-allconnections']


def ours(port, *more):
    return [SONDE, 'rxdebug', '-a', *more, f'127.0.0.1:{port}']


def of_vlserver(bench, rounds):
    status, out, err = bench.run([sys.executable, '-B', str(ROOT / 'bench/rx_vlserver.py'), SONDE,
                                  str(VLSERVER_CONNECTIONS), str(VLSERVER_ROUNDS * rounds)],
                                 os.sched_getaffinity(0), LIMIT)
    if status:
        raise Failure(f'vlserver: {(out + err)[-300:]}')
    return json.loads(out)


def measure(bench, rounds, say):
    if not shutil.which('rxdebug'):
        raise Failure('rxdebug is not installed')
    records = str(bench.path('records'))
    write_records(records)
    load = [answers(bench, records) for _ in range(rounds)]
    say('answers')
    _, port = start(bench, [PROGRAM, records, 'S', '0', str(SERVERS)], os.sched_getaffinity(0))
    names = bench.path('servers')
    names.write_text(''.join(f'127.{1 if i else 0}.{i >> 8}.{i & 255 if i else 1}:{port}\n'
                             for i in range(SERVERS)))
    _, far = start(bench, [DELAY, '127.0.0.1', port, str(DELAY_MS)], os.sched_getaffinity(0))
    ways = {
        'many': [SONDE, 'rxdebug', '--check', f'@{names}'],
        'near rxdebug': classic(port),
        'near sonde': ours(port),
        'near sonde auto': ours(port, '--window', 'auto'),
        'far sonde auto': ours(far, '--window', 'auto'),
        'far sonde 128': ours(far, '--window', '128'),
    }
    results = interleave(list(ways), rounds, lambda way: timed(bench, ways[way]), say)
    say('a vlserver: a minute or two')
    vlserver = of_vlserver(bench, rounds)
    say('rxdebug, far: some minutes')
    results['far rxdebug'] = [timed(bench, classic(far))]
    return {
        'servers': SERVERS,
        'connections': CONNECTIONS,
        'delay_ms': DELAY_MS,
        'answers_per_cpu_second': median([one for one, _ in load]),
        'answers_per_second': median([one for _, one in load]),
        'seconds': {way: median(found) for way, found in results.items()},
        'min_seconds': {way: min(found) for way, found in results.items()},
        'vlserver': vlserver,
    }
