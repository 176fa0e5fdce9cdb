# SPDX-License-Identifier: BSD-2-Clause
"""poll: what one look at one connection costs: tcp.poll by a program, by asking, and ss."""
import os
import subprocess
import sys

from figures import interleave, median, paired
from part_record import check
from workbench import SONDE, TIMED, Failure, output_of, sonde_stats

CONNECTIONS = 1000
SS_RUNS = 20
SECONDS = 2
PERIOD = '20ms'
NO_CAPABILITIES = ['setpriv', '--inh-caps=-all', '--bounding-set=-all']

# Both ends in one namespace, and at rest.
HOLDER = '''
import socket, sys
listener = socket.create_server(('127.0.0.1', 0), backlog=64)
kept = []
for _ in range(int(sys.argv[1])):
    client = socket.create_connection(listener.getsockname())
    kept += [client, listener.accept()[0]]
    client.send(b'x')
print('ready', flush=True)
sys.stdin.read()
'''


def hold_connections(bench, name):
    output_of(['ip', 'netns', 'add', name])
    bench.undo(output_of, ['ip', 'netns', 'del', name])
    output_of(['ip', '-n', name, 'link', 'set', 'lo', 'up'])
    holder = bench.start(['prlimit', '--nofile=16384', 'nsenter', f'--net=/run/netns/{name}',
                          sys.executable, '-c', HOLDER, str(CONNECTIONS)],
                         stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL)
    if holder.stdout.readline() != 'ready\n':
        raise Failure(f'{CONNECTIONS} connections cannot be made')


def cpu_seconds(bench, name, command):
    status, out, err = bench.run([TIMED, 'nsenter', f'--net=/run/netns/{name}', *command])
    check('timed', status, err)
    _, cpu, _, code = out.split()
    check(command[0], int(code), err, (0, 3))
    return float(cpu)


def sonde_run(bench, name, before, period):
    """(CPU seconds, events) of a recording."""
    trace = bench.path('trace')
    command = [*before, SONDE, 'record', '-q', '-e', 'tcp.poll', '--netns', 'self', '--period',
               period, '-d', f'{SECONDS}s', '-o', str(trace)]
    cpu = cpu_seconds(bench, name, command)
    polled = {one['name']: one['events'] for one in sonde_stats(trace)['classes']}
    bench.clear(trace)
    return cpu, polled.get('tcp.poll', 0)


def sonde_ns(bench, name, before):
    """What many rounds take more than one does, a connection's end."""
    many, one = (sonde_run(bench, name, before, period) for period in (PERIOD, '24h'))
    if many[1] <= one[1] or one[1] < 2 * CONNECTIONS:
        raise Failure(f'{many[1]} and {one[1]} records of {2 * CONNECTIONS} ends')
    return (many[0] - one[0]) / (many[1] - one[1]) * 1e9


def ss_ns(bench, name):
    """What the runs take more than runs that look at nothing."""
    loop = f'for i in $(seq {SS_RUNS}); do ss -tinmH; done'
    many = cpu_seconds(bench, name, ['sh', '-c', loop])
    none = cpu_seconds(bench, name, ['sh', '-c', loop.replace('ss -tinmH', 'ss -V')])
    return (many - none) / SS_RUNS / (2 * CONNECTIONS) * 1e9


def measure(bench, rounds, say):
    name = f'sonde-bench-{os.getpid()}-poll'
    hold_connections(bench, name)
    ways = {
        'program': lambda: sonde_ns(bench, name, []),
        'asking': lambda: sonde_ns(bench, name, NO_CAPABILITIES),
        'ss': lambda: ss_ns(bench, name),
    }
    results = interleave(list(ways), rounds, lambda way: ways[way](), say)
    return {
        'connections': CONNECTIONS,
        'ns': {way: median(found) for way, found in results.items()},
        'min_ns': {way: min(found) for way, found in results.items()},
        'ratio_to_ss': {way: paired(results, way, 'ss', lambda one, ss: one / ss)
                        for way in ('program', 'asking')},
    }
