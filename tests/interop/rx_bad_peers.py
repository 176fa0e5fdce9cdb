#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Peers that are not as they should be. Of `sonde rxdebug`: answers that are longer than they should be, in any order,
twice, late, lost, from strangers, with texts that have no end. Of responders: all that is no request, and more
requests than they should answer, from as many addresses as there are."""
import json
import os
import random
import shutil
import signal
import socket
import struct
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kern"))
from harness import PATIENCE, SONDE, check, cleanups, equal, finish, path, run  # noqa: E402
from rx_endpoint import (ABORT, ALL_CONN, BASIC, CONN, CONN_END, DEBUG, HEADER, PEER, PEER_END,  # noqa: E402
                         REFUSAL, STATS, VERSION, Endpoint, basic, conn, lists, peer)
from rx_program import RxProgram  # noqa: E402

ASK = struct.Struct(">ii")
REQUEST_BYTES = 36
PAYLOADS = {BASIC: 56, CONN: 176, ALL_CONN: 176, STATS: 284, PEER: 132}
CONNS = 60


def plain(kind, what, index, unused):
    if kind == VERSION:
        return b"plain".ljust(65, b"\0")
    if what in (CONN, ALL_CONN):
        return conn(cid=4 * index) if index < CONNS else CONN_END
    if what == PEER:
        return peer(port=index + 1) if index < CONNS else PEER_END
    return {BASIC: basic(), STATS: bytes(284)}.get(what, REFUSAL)


def told(endpoint, *args):
    done = run(SONDE, "rxdebug", "--json", "-a", "-p", *args, "127.0.0.1:%d" % endpoint.port, good=None)
    return json.loads(done.stdout)["servers"][0]


def is_all(what, one):
    """Each record once, and the lists are whole."""
    equal(what + ": answered", one["answered"], True)
    for name, key, want in (("connections", "cid", [4 * i for i in range(CONNS)]),
                            ("peers", "port", [i + 1 for i in range(CONNS)])):
        found = one.get(name, {"complete": None, "list": []})
        equal("%s: %s are whole" % (what, name), found["complete"], True)
        equal("%s: %s" % (what, name), sorted(record[key] for record in found["list"]), want)


class Mean(Endpoint):
    """Answers as @manner(self, request, send) says: send() sends the answer."""

    def __init__(self, manner, answer=plain):
        self.manner = manner
        self.held = []
        super().__init__(answer)

    def reply(self, packet, source):
        header = list(HEADER.unpack_from(packet))
        what, index = struct.unpack_from(">ii", packet, 28) if len(packet) >= 36 else (0, 0)
        payload = self.answer(header[5], what, index, header)
        header[6] &= 0xfe
        whole = HEADER.pack(*header) + payload
        self.manner(self, packet, lambda: self.socket.sendto(whole, source))


def every_second(mean, packet, send):
    """Who asks for the first time is not heard."""
    if packet in mean.held:
        send()
    mean.held.append(packet)


def twice(unused, packet, send):
    send()
    send()


def late(mean, packet, send):
    """Each answer again with the next one, when nobody waits for it any more."""
    for before in mean.held:
        before()
    mean.held = [send]
    send()


def any_order(mean, packet, send):
    """Held until nobody asks any more, then in whatever order."""
    mean.held.append(send)
    mean.socket.settimeout(0.02)
    try:
        mean.socket.recvfrom(1, socket.MSG_PEEK)
    except socket.timeout:
        random.Random(1).shuffle(mean.held)
        for one in mean.held:
            one()
        mean.held = []
    mean.socket.settimeout(None)


def manners():
    for manner in (every_second, twice, late, any_order):
        for window in ("1", "16"):
            mean = Mean(manner)
            wait = ["--wait", "100ms", "--tries", "10"] if manner == every_second else ["--wait", "20s"]
            is_all("%s, window %s" % (manner.__name__, window), told(mean, "--window", window, *wait))
            mean.stop()


def longer():
    """What later versions have more is nobody's trouble, up to what fits into a packet."""
    for more in (1, 4, 1200):
        endpoint = Endpoint(lambda kind, what, index, header, more=more:
                            plain(kind, what, index, header) + bytes(more))
        is_all("%d bytes longer" % more, told(endpoint))
        endpoint.stop()


def too_short():
    """Any answer without its last byte, but for those of which parts are known of old servers, is none."""
    for what in (BASIC, CONN, PEER):
        endpoint = Endpoint(lambda kind, asked, index, header, what=what:
                            plain(kind, asked, index, header)[:30 if asked == what and kind == DEBUG else None])
        done = run(SONDE, "rxdebug", "--json", "-p", "--wait", "2s", "--tries", "2",
                   "127.0.0.1:%d" % endpoint.port, good=None)
        one, = json.loads(done.stdout)["servers"]
        name = {BASIC: None, CONN: "connections", PEER: "peers"}[what]
        if name:
            equal("short %s" % name, (one[name]["complete"], one[name]["error"]), (False, "no answer"))
        else:
            equal("a short beginning", (done.returncode, one["answered"]), (1, False))
        endpoint.stop()


def strangers():
    """Others answer before who was asked does: with every number there is about the question but the right one,
    from another port with the right one, with another type, and as a request."""
    def lie(mean, packet, send):
        header = list(HEADER.unpack_from(packet))
        source = mean.source
        payload = conn(cid=0x666 << 2).ljust(300, b"\x66")
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stranger:
            for sender, number, kind, flags in (
                    (stranger, header[2], header[5], 4), (mean.socket, header[2] ^ 1, header[5], 4),
                    (mean.socket, header[2], 1, 4), (mean.socket, header[2], header[5], 5)):
                false = header[:2] + [number] + header[3:5] + [kind, flags] + header[7:]
                sender.sendto(HEADER.pack(*false) + payload, source)
        send()

    class Lying(Mean):
        def reply(self, packet, source):
            self.source = source
            super().reply(packet, source)

    lying = Lying(lie)
    is_all("among strangers", told(lying, "--wait", "20s"))
    lying.stop()


def refused_midway():
    """A list that becomes a refusal, or an abort, ends there, and is said not to be whole."""
    for name, instead in (("refusal", REFUSAL), ("abort", (ABORT, b"\xff\xff\xff\xfb"))):
        endpoint = Endpoint(lambda kind, what, index, header, instead=instead:
                            instead if kind == DEBUG and what == ALL_CONN and index >= 7 else
                            plain(kind, what, index, header))
        one = told(endpoint)
        equal(name, (one["connections"]["complete"], one["connections"]["error"],
                     len(one["connections"]["list"])), (False, "not supported", 7))
        equal(name + ": a problem", [each["kind"] for each in one["problems"]], ["incomplete"])
        endpoint.stop()


def texts():
    """Versions without an end, or that command terminals."""
    ours = path("rxdebug")
    os.symlink(SONDE, ours)
    theirs = shutil.which("rxdebug")
    for text in (b"x" * 65, b"y" * 1400, b"z", b"", b"\x1b]0;evil\x07\x1b[2J\r\n", bytes(range(1, 256))):
        endpoint = Endpoint(lambda kind, what, index, header, text=text:
                            text if kind == VERSION else plain(kind, what, index, header))
        server = "127.0.0.1:%d" % endpoint.port
        quick = ["-n", "--wait", "5s", "--tries", "1"]
        shown = subprocess.run([SONDE, "rxdebug", *quick, server], capture_output=True, timeout=PATIENCE,
                               check=True).stdout
        check(all(byte == 10 or 32 <= byte < 127 for byte in shown), "text %r: %r" % (text[:20], shown))
        one, = json.loads(run(SONDE, "rxdebug", *quick, "--json", server).stdout)["servers"]
        equal("length of %r" % text[:20], len(one["version"] or "") <= 64, True)
        if theirs and text:
            pair = [subprocess.run(["rxdebug", "127.0.0.1", str(endpoint.port), "-version"],
                                   executable=program, capture_output=True, timeout=PATIENCE, check=False)
                    for program in (ours, theirs)]
            # Ours, but for what a terminal might obey.
            want = pair[1].stdout.partition(b"AFS version: ")
            want = want[0] + want[1] + bytes(byte if 32 <= byte < 127 else 63 for byte in want[2][:-1]) + b"\n"
            equal("classic %r" % text[:20], pair[0].stdout, want)
        endpoint.stop()


def wanted_bytes(packet):
    """How long the answer to it has to be; 0 = there has to be none."""
    if len(packet) < HEADER.size or not packet[21] & 1 or packet[20] not in (DEBUG, VERSION):
        return 0
    if packet[20] == VERSION:
        return HEADER.size + 65
    if len(packet) < REQUEST_BYTES:
        return 0
    return HEADER.size + PAYLOADS.get(struct.unpack_from(">i", packet, 28)[0], 8)


def every_request():
    """Of 0 to 4,000 bytes, with every type and flags: what is to be answered is, and nothing else, in this order."""
    rng = random.Random(2)
    program = RxProgram([(ALL_CONN, conn())], "S")
    packets = [rng.randbytes(length) for length in range(0, 4001, 7)]
    for kind in range(256):
        for flags in (0, 1, 4, 5, 0xfe, 0xff, rng.randrange(256)):
            length = rng.choice([28, 29, 35, 36, 37, 64, 65, 4000])
            packets.append(HEADER.pack(1, 2, 3, 4, 5, kind, flags, 6, 7, 8, 9) + rng.randbytes(length - 28))
    for flags in range(256):
        for kind in (DEBUG, VERSION):
            packets.append(HEADER.pack(1, 2, 3, 4, 5, kind, flags, 6, 7, 8, 9) +
                           ASK.pack(rng.randrange(-1, 8), rng.choice([0, 1, -1, 0x7fffffff])))
    rng.shuffle(packets)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asker:
        asker.settimeout(PATIENCE)
        asker.connect(("127.0.0.1", program.port))
        for number, packet in enumerate(packets):
            if len(packet) >= 12:
                packet = packet[:8] + struct.pack(">I", number) + packet[12:]
            asker.send(packet)
            want = wanted_bytes(packet)
            # A request behind each: if it is the first to be answered, the packet was not.
            asker.send(HEADER.pack(1, 2, 0xffffffff, 4, 5, VERSION, 1, 6, 7, 8, 9))
            got = asker.recv(4096)
            answered = got[8:12] != b"\xff\xff\xff\xff"
            if not check(len(got) == want if answered else not want,
                         "%d bytes, type %s: %d" % (len(packet), packet[20:22].hex(), len(got))):
                break
            if answered:
                expected = bytearray(packet[:28])
                expected[21] &= 0xfe
                equal("header", got[:28], bytes(expected))
                asker.recv(4096)
    program.stop()


def flood(port, sources, seconds):
    """Bytes of answers that come to addresses that ask all the time, all together, and for how long."""
    packet = HEADER.pack(999, 0, 1, 0, 0, DEBUG, 5, 0, 0, 0, 0) + ASK.pack(STATS, 0)
    sockets = []
    for number in range(sources):
        one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        one.bind(("127.77.%d.%d" % (number >> 8, number & 255), 0))
        one.setblocking(False)
        sockets.append(one)
    got = [0] * sources
    begin = time.monotonic()
    end = begin + seconds
    over = threading.Event()

    def take():
        last = False
        while not last:
            last = over.is_set()
            for number, one in enumerate(sockets):
                try:
                    while True:
                        got[number] += len(one.recv(4096))
                except BlockingIOError:
                    pass

    taker = threading.Thread(target=take)
    taker.start()
    asked = 0
    while time.monotonic() < end or not any(got):
        for one in sockets:
            try:
                one.sendto(packet, ("127.0.0.1", port))
                asked += 1
            except BlockingIOError:
                pass
    over.set()
    taker.join()
    lasted = time.monotonic() - begin
    for one in sockets:
        one.close()
    return got, asked, lasted


def reflection():
    """Who sends requests in others' names does not get them more than the rate: an address 20,000 bytes a second, all
    of them 200,000, each with one second's worth at once."""
    server = subprocess.Popen([SONDE, "serve", "--rx", "127.0.0.1:0"], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True)
    cleanups.append(server.kill)
    port = int(server.stdout.readline().strip().rpartition(":")[2])
    got, asked, lasted = flood(port, 1, 2)
    check(0 < got[0] <= 20000 * (lasted + 1), "%d bytes for %d requests in %.2f s" % (got[0], asked, lasted))
    print("one address: %d bytes a second for %d requests a second" % (got[0] / lasted, asked / lasted))
    got, asked, lasted = flood(port, 64, 2)
    check(max(got) <= 20000 * (lasted + 1), "%d bytes to one of many" % max(got))
    check(0 < sum(got) <= 200000 * (lasted + 1), "%d bytes for %d requests in %.2f s" % (sum(got), asked, lasted))
    print("64 addresses: %d bytes a second for %d requests a second" % (sum(got) / lasted, asked / lasted))
    server.send_signal(signal.SIGINT)
    equal("its end", (server.communicate(timeout=PATIENCE) and server.returncode), 0)
    # Those who are not known cannot be told from those who are: nobody gets more than they ask for and this factor.
    program = RxProgram([], "S")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asker:
        asker.settimeout(PATIENCE)
        worst = 0
        for kind, payload in [(VERSION, b""), (VERSION, b"\0")] + [(DEBUG, ASK.pack(what, 0)) for what in range(8)]:
            packet = HEADER.pack(1, 2, 3, 4, 5, kind, 5, 6, 7, 8, 9) + payload
            asker.sendto(packet, ("127.0.0.1", program.port))
            worst = max(worst, len(asker.recv(4096)) / len(packet))
    check(worst < 8.7, "an answer is %.2f times its request" % worst)
    program.stop()


def main():
    manners()
    longer()
    too_short()
    strangers()
    refused_midway()
    texts()
    every_request()
    reflection()
    finish()


main()
