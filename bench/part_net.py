# SPDX-License-Identifier: BSD-2-Clause
"""net: what recording takes from a TCP transfer.

One transfer runs all the time, and the tools come and go beside it, each between two looks at
the transfer alone: so neither the start of a connection nor what the machine does in other
minutes is in a difference.
"""
import os
import pathlib
import re
import statistics
import subprocess
import time

import peers
from figures import median
from namespaces import Pair
from part_record import check
from workbench import SONDE, Failure, sonde_lost, sonde_stats, stop, tree_bytes, wait_for

LOOK_SECONDS = 1.0
SETTLE_SECONDS = 0.3  # after a tool has come or gone
LOOKS_PER_ROUND = 3  # of each tool
PERF_EVENTS = ['tcp:tcp_probe', 'net:net_dev_queue', 'net:net_dev_start_xmit', 'net:netif_rx',
               'net:netif_receive_skb', 'skb:consume_skb']
# What each run of Sonde records: the state of connections, the crossings of MAGNeT, all crossings.
SONDE_RUNS = {
    'sonde': ['-e', 'tcp'],
    'net_four': ['-e', 'net.ip_send,net.dev_queue,net.dev_recv,net.ip_recv'],
    'net_all': ['-e', 'net'],
    'net_full': ['-e', 'net', '--detail', 'full'],
}
TOOLS = [*SONDE_RUNS, 'tcpdump', 'tcpdump_96', 'perf']


class Transfer:
    """One iperf3 connection between two namespaces, client and server each on its CPU."""

    def __init__(self, bench, pair):
        self.bench = bench
        self.pair = pair
        self.all = os.sched_getaffinity(0)
        self._start(pair.server, ['-s', '-A', str(max(self.all))])
        time.sleep(0.3)
        self.client = self._start(pair.client, ['-c', pair.server_address, '-t', '0', '-A',
                                                str(min(self.all))])
        time.sleep(2)  # until its windows have grown

    def _start(self, name, options):
        return self.bench.start(self.pair.inside(name, ['iperf3', *options]), self.all,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def _sent_bytes(self):
        """By the client's device, which its processes see in their own /proc/net."""
        table = pathlib.Path(f'/proc/{self.client.pid}/net/dev').read_text(encoding='ascii')
        line = next(line for line in table.splitlines() if self.pair.devices[0] in line)
        return int(line.split(':')[1].split()[8])

    def gbits(self):
        if self.client.poll() is not None:
            raise Failure('iperf3 has ended')
        time.sleep(SETTLE_SECONDS)
        before, start = self._sent_bytes(), time.monotonic()
        time.sleep(LOOK_SECONDS)
        return (self._sent_bytes() - before) * 8 / (time.monotonic() - start) / 1e9


class Tools:
    """Each runs its tool beside the transfer: {'gbits', 'lost', 'bytes', ...}."""

    def __init__(self, bench, transfer):
        self.bench = bench
        self.transfer = transfer
        self.said = bench.path('said')

    def _under(self, command, ready):
        """The transfer's rate while the command runs; what it said is in self.said."""
        with open(self.said, 'w', encoding='utf-8') as stderr:
            process = self.bench.start(command, self.transfer.all, stderr=stderr)
        wait_for(ready, f'{command[0]} begins')
        gbits = self.transfer.gbits()
        stop(process)
        return process.returncode, gbits

    def run(self, name):
        if name in SONDE_RUNS:
            return self._sonde(SONDE_RUNS[name])
        return getattr(self, name)()

    def _sonde(self, arguments):
        trace = self.bench.path('trace')
        status, gbits = self._under([SONDE, 'record', '-a', *arguments, '-o', str(trace)],
                                    (trace / 'recorder').exists)
        said = self.said.read_text(encoding='utf-8')
        check('sonde', status, said, (0, 3))
        stats = sonde_stats(trace)
        result = {'gbits': gbits, 'events': stats['events'], 'bytes': tree_bytes(trace),
                  'per_second': stats['events'] / (LOOK_SECONDS + SETTLE_SECONDS),
                  'lost': max(sonde_lost(said), stats['lost'])}
        self.bench.clear(trace)
        return result

    def _tcpdump(self, *options):
        capture, pair = self.bench.path('capture.pcap'), self.transfer.pair
        _, gbits = self._under(
            pair.inside(pair.client, ['tcpdump', '-n', '-i', pair.devices[0], '-Z', 'root',
                                      *options, '-w', str(capture)]),
            lambda: 'listening on' in self.said.read_text(encoding='utf-8'))
        lost = re.search(r'(\d+) packets dropped by kernel', self.said.read_text(encoding='utf-8'))
        result = {'gbits': gbits, 'lost': int(lost.group(1)) if lost else 0,
                  'bytes': tree_bytes(capture)}
        self.bench.clear(capture)
        return result

    def tcpdump(self):
        return self._tcpdump()

    def tcpdump_96(self):
        return self._tcpdump('-s', '96')

    def perf(self):
        data = self.bench.path('perf.data')
        _, gbits = self._under(peers.perf_record(data, PERF_EVENTS)[:-1], data.exists)
        result = {'gbits': gbits, 'bytes': tree_bytes(data)}
        self.bench.clear(data)
        return result


def quartiles(values):
    return statistics.quantiles(values, n=4) if len(values) > 1 else values * 3


def one_mode(bench, rounds, say, offloads):
    transfer = Transfer(bench, Pair(bench, offloads))
    tools = Tools(bench, transfer)
    names = []
    for name in TOOLS:  # once for nothing: caches, and what this machine lacks
        try:
            tools.run(name)
            names.append(name)
        except (Failure, FileNotFoundError) as failure:
            if name in SONDE_RUNS:
                raise
            say(f'{name} is left out: {failure}')
    alone, found = [transfer.gbits()], {name: [] for name in names}
    for number in range(rounds * LOOKS_PER_ROUND):
        turn = number % len(names)
        for name in names[turn:] + names[:turn]:
            result = tools.run(name)
            alone.append(transfer.gbits())
            result['loss'] = 100 * (1 - result['gbits'] / ((alone[-2] + alone[-1]) / 2))
            found[name].append(result)
        if not (number + 1) % LOOKS_PER_ROUND:
            say(f'round {(number + 1) // LOOKS_PER_ROUND} of {rounds}')
    losses = {name: quartiles([one['loss'] for one in found[name]]) for name in names}
    return {
        'looks': rounds * LOOKS_PER_ROUND,
        'gbits': {'nothing': median(alone),
                  **{name: median([one['gbits'] for one in found[name]]) for name in names}},
        'loss_percent': {name: losses[name][1] for name in names},
        'loss_quartiles': {name: [losses[name][0], losses[name][2]] for name in names},
        'lost': {name: sum(one['lost'] for one in found[name])
                 for name in names if 'lost' in found[name][0]},
        'events': {name: sum(one['events'] for one in found[name]) for name in SONDE_RUNS},
        'events_per_second': {name: median([one['per_second'] for one in found[name]])
                              for name in SONDE_RUNS},
        'bytes': {name: median([one['bytes'] for one in found[name]]) for name in names},
    }


def measure(bench, rounds, say):
    found = {'perf_events': PERF_EVENTS, 'seconds': LOOK_SECONDS}
    for mode, offloads in (('offloads_on', True), ('offloads_off', False)):
        say(mode)
        # The namespaces of one mode must go before the next makes its own.
        with type(bench)() as inner:
            found[mode] = one_mode(inner, rounds, say, offloads)
    return found
