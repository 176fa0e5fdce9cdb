# SPDX-License-Identifier: BSD-2-Clause
"""rx_vlserver SONDE CONNECTIONS ROUNDS: OpenAFS's vlserver with so many connections, in namespaces of its own, asked for
all of them by rxdebug and by `sonde rxdebug`, by turns, while another client of it makes calls. rxdebug has two turns,
which tell what chance does. Prints JSON: of each of them the seconds it took, and how long the other client's calls
took, in ms, and how long it took itself from an answer to its next question, in us; `idle` is that client alone."""
import json
import os
import shutil
import socket
import statistics
import struct
import subprocess
import sys
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path += [os.path.join(ROOT, 'tests/interop'), os.path.join(ROOT, 'tests/kern')]
import afs_cell  # noqa: E402
from afs_cell import DATA, PORTS, Caller  # noqa: E402
from rx_endpoint import DEBUG  # noqa: E402
from figures import interleave, median  # noqa: E402

PORT = PORTS['vlserver']
EPOCH = 0x77777777
PAUSE = 0.01  # s between two calls
ETH_P_IP = 0x0800
SO_TIMESTAMPNS = 35  # asm-generic/socket.h
IDLE_SECONDS = 3


class Tap:
    """All packets to and from the server's port, as the loopback device has them with its times."""

    def __init__(self):
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(ETH_P_IP))
        self.socket.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 16 << 20)
        self.socket.bind(('lo', ETH_P_IP))
        self.socket.setblocking(False)

    def packets(self):
        """(time in ns, source port, destination port, type of Rx packet)"""
        while True:
            try:
                packet, control, _, address = self.socket.recvmsg(256, 128)
            except BlockingIOError:
                self.socket.close()
                return
            if address[2] != socket.PACKET_OUTGOING and packet[9] == socket.IPPROTO_UDP:
                seconds, nanoseconds = struct.unpack('ll', control[0][2][:16])
                yield (seconds * 10**9 + nanoseconds, *struct.unpack('>HH', packet[20:24]), packet[48])


def own_us(tap):
    """From an answer to the next question: what who asks adds to the server's time."""
    answered, found = None, []
    for time_ns, _, to, kind in tap.packets():
        if kind != DEBUG:
            continue
        if to != PORT:
            answered = time_ns
        elif answered:
            found.append((time_ns - answered) / 1000)
            answered = None
    return median(found)


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
        caller.call(0x100000 + 4 * number)
    return caller


def look(command, count):
    """(seconds, the client that made calls meanwhile, us between an answer and the next question)"""
    tap = Tap()
    with Client() as client:
        began = time.monotonic()
        out = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout
        seconds = time.monotonic() - began
    seen = out.count(b'%x/' % EPOCH)
    if seen < count:
        raise RuntimeError(f'{command[0]} saw {seen} connections of {count}')
    return seconds, client, own_us(tap)


def of_calls(clients):
    times = sorted(one for client in clients for one in client.times)
    return {'calls': len(times), 'median_ms': median(times), 'p99_ms': times[len(times) * 99 // 100],
            'sent_again': sum(client.again for client in clients)}


def against_rxdebug(looks, number_of):
    """What the number is of rxdebug's, within each round; and how far off chance alone may bring that: twice what the
    two turns of rxdebug let the median of so many rounds stray."""
    own, *theirs = ([number_of(one) for one in looks[way]] for way in ('sonde', 'rxdebug', 'rxdebug again'))
    ratios = [2 * one / (first + second) for one, first, second in zip(own, *theirs)]
    stray = statistics.pstdev([first / second for first, second in zip(*theirs)])
    return {'ratio': median(ratios), 'chance': 2 * stray / len(ratios) ** 0.5}


def measure(sonde, count, rounds):
    kept = connect(count)
    rxdebug = [shutil.which('rxdebug'), '127.0.0.1', str(PORT), '-allconnections']
    ways = {'rxdebug': rxdebug, 'sonde': [sonde, 'rxdebug', '-a', f'127.0.0.1:{PORT}'], 'rxdebug again': rxdebug}
    with Client() as client:
        time.sleep(IDLE_SECONDS)
    looks = interleave(list(ways), rounds, lambda way: look(ways[way], count), lambda unused: None)
    del kept
    return {'connections': count, 'idle': of_calls([client]),
            **{way: {'seconds': median([one[0] for one in found]), 'own_us': median([one[2] for one in found]),
                     **of_calls([one[1] for one in found])}
               for way, found in looks.items()},
            'against': {'seconds': against_rxdebug(looks, lambda one: one[0]),
                        'median_ms': against_rxdebug(looks, lambda one: median(one[1].times))}}


def main():
    sonde = os.path.abspath(sys.argv[1])
    afs_cell.in_namespaces()
    config = afs_cell.make_cell()
    afs_cell.start('vlserver', config, '-noauth', '-database', afs_cell.path('db/vldb'))
    print(json.dumps(measure(sonde, *map(int, sys.argv[2:4]))))


if __name__ == '__main__':
    main()
