# SPDX-License-Identifier: BSD-2-Clause
"""rx_vlserver SONDE CONNECTIONS ROUNDS: OpenAFS's vlserver with so many connections, in namespaces of its own, asked for
all of them by rxdebug and by `sonde rxdebug`, by turns, while another client of it makes calls. rxdebug has two turns,
which tell what chance does. Prints JSON: of each of them the seconds it took, and how long the other client's calls
took, in ms; `idle` is that client alone."""
import json
import os
import shutil
import socket
import subprocess
import sys
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path += [os.path.join(ROOT, 'tests/interop'), os.path.join(ROOT, 'tests/kern')]
import afs_cell  # noqa: E402
from afs_cell import DATA, PORTS, Caller  # noqa: E402
from figures import interleave, median  # noqa: E402

PORT = PORTS['vlserver']
EPOCH = 0x77777777
PAUSE = 0.01  # s between two calls
IDLE_SECONDS = 3


class Client(threading.Thread):
    """Makes calls until the end of the block; `times` has how long each took, in ms."""

    made = 0

    def __init__(self):
        super().__init__(daemon=True)
        self.caller = Caller(PORT)
        self.caller.socket.settimeout(1)  # as OpenAFS's, which then sends it again
        Client.made += 1
        self.cid = Client.made << 4
        self.times = []
        self.again = 0
        self.over = threading.Event()

    def run(self):
        number = 0
        while not self.over.wait(PAUSE):
            number += 1
            began = time.monotonic()
            self.call(number)
            self.times.append(1000 * (time.monotonic() - began))

    def call(self, number):
        while True:
            self.caller.probe(self.cid, call=number)
            try:
                while int.from_bytes(self.caller.wait(DATA)[8:12], 'big') != number:
                    pass
                return
            except socket.timeout:
                self.again += 1

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *unused):
        self.over.set()
        self.join()


def connect(count):
    """Connections that have had one call each. Their caller, which is to be kept."""
    caller = Caller(PORT, EPOCH)
    for number in range(count):
        caller.probe(0x100000 + 4 * number)
        caller.wait(DATA)
    return caller


def look(command, count):
    """(seconds, the client that made calls meanwhile)"""
    with Client() as client:
        began = time.monotonic()
        out = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout
        seconds = time.monotonic() - began
    seen = out.count(b'%x/' % EPOCH)
    if seen < count:
        raise RuntimeError(f'{command[0]} saw {seen} connections of {count}')
    return seconds, client


def of_calls(clients):
    times = sorted(one for client in clients for one in client.times)
    return {'calls': len(times), 'median_ms': median(times), 'p99_ms': times[len(times) * 99 // 100],
            'sent_again': sum(client.again for client in clients)}


def measure(sonde, count, rounds):
    kept = connect(count)
    rxdebug = [shutil.which('rxdebug'), '127.0.0.1', str(PORT), '-allconnections']
    ways = {'rxdebug': rxdebug, 'sonde': [sonde, 'rxdebug', '-a', f'127.0.0.1:{PORT}'], 'rxdebug again': rxdebug}
    with Client() as client:
        time.sleep(IDLE_SECONDS)
    looks = interleave(list(ways), rounds, lambda way: look(ways[way], count), lambda unused: None)
    del kept
    return {'connections': count, 'idle': of_calls([client]),
            **{way: {'seconds': median([one for one, _ in found]), **of_calls([one for _, one in found])}
               for way, found in looks.items()}}


def main():
    sonde = os.path.abspath(sys.argv[1])
    afs_cell.in_namespaces()
    config = afs_cell.make_cell()
    afs_cell.start('vlserver', config, '-noauth', '-database', afs_cell.path('db/vldb'))
    print(json.dumps(measure(sonde, *map(int, sys.argv[2:4]))))


main()
