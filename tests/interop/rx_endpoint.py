# SPDX-License-Identifier: BSD-2-Clause
"""An Rx endpoint that tells of connections and peers that there are not: in a thread, on a port of its
own. Its records are packed here by hand, so that nothing of the code under test is its own witness."""
import random
import socket
import struct
import threading

HEADER = struct.Struct(">IIIIIBBBBHH")
DEBUG, VERSION, ABORT = 8, 13, 4
BASIC, CONN, ALL_CONN, STATS, PEER = 1, 2, 3, 4, 5
REFUSAL = struct.pack(">ii", -8, -8)
CONN_END = struct.pack(">II168x", 0, 0xffffffff)
PEER_END = struct.pack(">I128x", 0xffffffff)


def basic(version="S", free=306, reclaims=0, calls=8, waiting_for_packets=0, fds=8, waiting=0,
          idle=14, waited=0, packets=907):
    code = version if isinstance(version, int) else ord(version)
    return struct.pack(">iiiBBBBiiii24x", free, reclaims, calls, waiting_for_packets, fds, code, 0,
                       waiting, idle, waited, packets)


def security(kind=0, level=0, flags=0, expires=0, received=(0, 0), sent=(0, 0)):
    """received, sent: (packets, bytes)."""
    return struct.pack(">BB10xIIIIII40x", kind, level, flags, expires, received[0], sent[0],
                       received[1], sent[1])


def conn(host="192.0.2.2", port=7001, cid=0x8000, epoch=0xeb005678, serial=1, error=0, flags=0,
         server=1, index=0, calls=((0, 0, 0, 0, 0),) * 4, stats=None, mtu=1444):
    """calls: (number, state, mode, flags, other) of each."""
    numbers, states, modes, call_flags, others = zip(*calls)
    return (socket.inet_aton(host) + struct.pack(">Ii4iiHBBB3x", cid, serial, *numbers, error, port,
                                                 flags, server, index) +
            bytes(states + modes + call_flags + others) + (stats or security()) +
            struct.pack(">Ii36x", epoch, mtu))


PEER_NUMBERS = struct.Struct(">HIHBB II ii II II iii 8H 4I".replace(" ", ""))


def peer(host="192.0.2.2", port=7001, numbers=(0,) * 28):
    """numbers: all between the port and the spare words, in order."""
    return (socket.inet_aton(host) + struct.pack(">H", port) + PEER_NUMBERS.pack(*numbers) +
            bytes(40))


def some_security(rng, now):
    kind = rng.choice([0, 1, 2, 3, 3, 3, 4, 9])
    # Far from where one tenth of an hour turns into the next.
    expires = rng.choice([0, 0xffffffff, now + 360 * rng.randrange(1, 1000) + 100,
                          now - 360 * rng.randrange(1, 1000) + 100])
    return security(kind, rng.choice([0, 1, 2, 3, 255]), rng.choice([0, 1, 2, 6, 10, 15, 0x103,
                                                                     0xffffffff]),
                    expires, (rng.getrandbits(32), rng.getrandbits(32)), (rng.randrange(9), 77))


def some_conn(rng, now):
    calls = [(rng.choice([0, 1, 7, -5, 0x7fffffff]), rng.randrange(8), rng.randrange(7),
              rng.choice([0, 1, 0x10, 0x20, 0x80, 0xff]), rng.choice([0, 1, 2, 3]))
             for unused in range(4)]
    return conn("192.0.2.%d" % rng.randrange(1, 5), rng.choice([7001, 7005, 65535, 0]),
                rng.getrandbits(30) << 2, rng.choice([0, rng.getrandbits(32)]),
                rng.choice([0, 3, -1, 0x7fffffff]), rng.choice([0, 0, -3, 19270408]),
                rng.choice([0, 4, 0x80, 0xff]), rng.choice([0, 1, 2]), rng.choice([0, 2, 3, 200]),
                calls, some_security(rng, now), rng.choice([0, 1444, -1]))


def some_peer(rng):
    def unsigned(bits):
        return rng.choice([0, 1, 1444 % (1 << bits), rng.getrandbits(bits)])

    signed = [rng.choice([0, 1, 16000, -1, 0x7fffffff]) for unused in range(5)]
    numbers = [unsigned(bits) for bits in (16, 32, 16, 8, 8, 32, 32)] + signed[:2] + \
        [unsigned(32) for unused in range(4)] + signed[2:] + \
        [unsigned(16) for unused in range(8)] + [unsigned(32) for unused in range(4)]
    return peer("192.0.2.%d" % rng.randrange(1, 5), rng.choice([7001, 7005, 65535]), numbers)


def some_stats(rng):
    words = [rng.choice([0, 1, 11, rng.getrandbits(32)]) for unused in range(71)]
    words[49:55] = [rng.choice([0, 1, 500]) for unused in range(6)]
    return struct.pack(">71I", *words)


class Endpoint(threading.Thread):
    """answer(type, what, index, header) gives the payload, or (type, payload), or None for silence."""

    def __init__(self, answer, address=("127.0.0.1", 0)):
        super().__init__(daemon=True)
        self.answer = answer
        family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
        self.socket = socket.socket(family, socket.SOCK_DGRAM)
        self.socket.bind(address)
        self.host, self.port = self.socket.getsockname()[:2]
        self.requests = []
        self.start()

    def run(self):
        while True:
            packet, source = self.socket.recvfrom(65536)
            if packet == b"end":
                return
            self.reply(packet, source)

    def reply(self, packet, source):
        header = list(HEADER.unpack_from(packet))
        what, index = struct.unpack_from(">ii", packet, 28) if len(packet) >= 36 else (0, 0)
        self.requests.append((header[5], what, index))
        payload = self.answer(header[5], what, index, header)
        if payload is None:
            return
        if isinstance(payload, tuple):
            header[5], payload = payload
        header[6] &= 0xfe
        self.socket.sendto(HEADER.pack(*header) + payload, source)

    def stop(self):
        self.socket.sendto(b"end", (self.host, self.port))
        self.join()
        self.socket.close()


def lists(seed, version, now, conns=6, peers=5):
    """What an endpoint of that version answers, out of records that @seed makes up."""
    rng = random.Random(seed)
    all_conns = [some_conn(rng, now) for unused in range(conns)]
    all_peers = [some_peer(rng) for unused in range(peers)]
    stats = some_stats(rng)
    head = basic(version, *(rng.choice([0, 5, -1, 907]) for unused in range(3)),
                 rng.choice([0, 1]), rng.choice([0, 8, 200]),
                 *(rng.choice([0, 5, -1, 907]) for unused in range(4)))

    def answer(kind, what, index, unused):
        if kind == VERSION:
            return b"OpenAFS 1.8.9 made up".ljust(65, b"\0")
        if what == BASIC:
            return head
        if what in (CONN, ALL_CONN):
            return all_conns[index] if index < len(all_conns) else CONN_END
        if what == STATS:
            return stats
        if what == PEER:
            return all_peers[index] if index < len(all_peers) else PEER_END
        return REFUSAL

    return answer
