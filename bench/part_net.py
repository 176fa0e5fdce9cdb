# SPDX-License-Identifier: BSD-2-Clause
"""net: what recording takes from a TCP transfer."""
import json
import os
import re
import subprocess
import time

import peers
from figures import interleave, median, paired
from namespaces import Pair
from part_record import check
from workbench import SONDE, Failure, sonde_lost, sonde_stats, stop, tree_bytes, wait_for

SECONDS = 3
PERF_EVENTS = ['tcp:tcp_probe', 'net:net_dev_queue', 'net:net_dev_start_xmit', 'net:netif_rx',
               'net:netif_receive_skb', 'skb:consume_skb']
NAMES = ['nothing', 'sonde', 'tcpdump', 'tcpdump_96', 'perf']


class Transfer:
    """One iperf3 transfer for each method, over one pair of namespaces."""

    def __init__(self, bench, pair):
        self.bench = bench
        self.pair = pair
        self.all = os.sched_getaffinity(0)
        server = bench.start(pair.inside(pair.server, ['iperf3', '-s', '-A', str(max(self.all))]),
                             self.all, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.server = server
        time.sleep(0.3)

    def _client(self):
        return self.pair.inside(self.pair.client, [
            'iperf3', '-c', self.pair.server_address, '-t', str(SECONDS), '-J',
            '-A', str(min(self.all))])

    def _transfer(self, tool, prefix=(), allowed=(0,)):
        status, out, err = self.bench.run([*prefix, *self._client()], self.all)
        check(tool, status, err, allowed)
        received = json.loads(out[out.index('{'):])['end']['sum_received']
        return {'gbits': received['bits_per_second'] / 1e9, 'err': err}

    def measure(self, name):
        result = getattr(self, name)()
        result.pop('err')
        time.sleep(0.1)
        return result

    def nothing(self):
        return self._transfer('iperf3')

    def sonde(self):
        trace = self.bench.path('trace')
        result = self._transfer('sonde', [SONDE, 'record', '-a', '-e', 'tcp', '-o', str(trace),
                                          '--'], (0, 3))
        stats = sonde_stats(trace)
        result['lost'] = max(sonde_lost(result['err']), stats['lost'])
        result['events'] = stats['events']
        result['bytes'] = tree_bytes(trace)
        self.bench.clear(trace)
        return result

    def _tcpdump(self, *options):
        capture = self.bench.path('capture.pcap')
        said = self.bench.path('tcpdump.err')
        with open(said, 'w', encoding='utf-8') as stderr:
            process = self.bench.start(
                self.pair.inside(self.pair.client, [
                    'tcpdump', '-n', '-i', self.pair.devices[0], '-Z', 'root', *options,
                    '-w', str(capture)]), self.all, stderr=stderr)
        wait_for(lambda: 'listening on' in said.read_text(), 'tcpdump begins')
        result = self._transfer('iperf3')
        stop(process)
        lost = re.search(r'(\d+) packets dropped by kernel', said.read_text())
        result['lost'] = int(lost.group(1)) if lost else 0
        result['bytes'] = tree_bytes(capture)
        self.bench.clear(capture)
        return result

    def tcpdump(self):
        return self._tcpdump()

    def tcpdump_96(self):
        return self._tcpdump('-s', '96')

    def perf(self):
        data = self.bench.path('perf.data')
        result = self._transfer('perf', peers.perf_record(data, PERF_EVENTS))
        result['bytes'] = tree_bytes(data)
        self.bench.clear(data)
        return result


def one_mode(bench, rounds, say, offloads):
    transfer = Transfer(bench, Pair(bench, offloads))
    names = list(NAMES)
    for name in NAMES:  # once for nothing: caches, and what this machine lacks
        try:
            transfer.measure(name)
        except (Failure, FileNotFoundError) as failure:
            if name in ('nothing', 'sonde'):
                raise
            say(f'{name} is left out: {failure}')
            names.remove(name)
    results = interleave(names, rounds, transfer.measure, say)
    stop(transfer.server)
    return {
        'gbits': {name: median([one['gbits'] for one in results[name]]) for name in names},
        'loss_percent': {name: paired(results, name, 'nothing', lambda one, base:
                                      100 * (1 - one['gbits'] / base['gbits']))
                         for name in names[1:]},
        'lost': {name: sum(one['lost'] for one in results[name])
                 for name in names if 'lost' in results[name][0]},
        'events': sum(one['events'] for one in results['sonde']),
        'events_per_second': median([one['events'] for one in results['sonde']]) / SECONDS,
        'bytes': {name: median([one['bytes'] for one in results[name]]) for name in names[1:]},
    }


def measure(bench, rounds, say):
    found = {'perf_events': PERF_EVENTS, 'seconds': SECONDS}
    for mode, offloads in (('offloads_on', True), ('offloads_off', False)):
        say(mode)
        # The namespaces of one mode must go before the next makes its own.
        with type(bench)() as inner:
            found[mode] = one_mode(inner, rounds, say, offloads)
    return found
