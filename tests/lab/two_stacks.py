#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The wire between two stacks of this kernel: what its log says is what both of them count (SNMP counters,
TCP_INFO), to the packet, on an idle machine and a busy one."""
import contextlib
import hashlib
import os
import socket
import struct
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kern"))
from harness import PATIENCE, check, cleanups, equal, finish, path, skip, until  # noqa: E402
from cable import A, B, Cable  # noqa: E402
from truth import SEGMENTS  # noqa: E402

WIRE = os.environ["SONDE_LAB_WIRE"]
TCP_CONGESTION, TCP_INFO = 13, 11
ECHOES = 20
REST = 0.1  # seconds; many times what a packet takes


def echo(sock, number):
    """The round-trip time of an ICMP echo, ns."""
    packet = struct.pack("!BBHHH", 8, 0, 0, 77, number) + bytes(56)
    total = sum(struct.unpack("!32H", packet))
    total = (total & 0xffff) + (total >> 16)
    packet = packet[:2] + struct.pack("!H", ~(total + (total >> 16)) & 0xffff) + packet[4:]
    begin = time.monotonic_ns()
    sock.sendto(packet, (B, 0))
    while True:
        answer = sock.recv(2048)[20:]
        if answer[:1] == b"\0" and struct.unpack("!HH", answer[4:8]) == (77, number):
            return time.monotonic_ns() - begin


def read_all(sock, digest):
    while block := sock.recv(1 << 18):
        digest.update(block)


def is_closed(cable):
    """On both sides no connection is open, nor about to close: nothing is sent any more."""
    for name in (cable.a, cable.b):
        with cable.inside(name), open("/proc/thread-self/net/tcp", encoding="ascii") as file:
            if {line.split()[3] for line in file.readlines()[1:]} - {"06"}:  # TIME_WAIT
                return False
    return True


def at_rest(cable):
    """The counters of both stacks, when all that was under way has arrived: they stay the same for a while."""
    counters = None
    while counters != (now := {name: cable.counters(name) for name in (cable.a, cable.b)}):
        counters = now
        time.sleep(REST)
    return counters


class Transfer:
    """@size bytes from A to B over a connection of its own; .sender is still open."""

    def __init__(self, cable, size, ecn=False):
        if ecn:
            for name in (cable.a, cable.b):
                cable.set(name, "net/ipv4/tcp_ecn", 1)
        with cable.inside(cable.b):
            listener = socket.create_server((B, 0))
        with cable.inside(cable.a):
            self.sender = socket.socket()
        self.sender.setsockopt(socket.IPPROTO_TCP, TCP_CONGESTION, b"cubic")
        self.sender.settimeout(PATIENCE)
        self.sender.connect(listener.getsockname())
        receiver = listener.accept()[0]
        receiver.settimeout(PATIENCE)
        payload = os.urandom(size)
        digest = hashlib.sha256()
        reader = threading.Thread(target=read_all, args=(receiver, digest))
        reader.start()
        self.sender.sendall(payload)
        self.sender.shutdown(socket.SHUT_WR)
        reader.join()
        self.is_whole = digest.digest() == hashlib.sha256(payload).digest()
        receiver.close()
        listener.close()  # the sender's end has a TCP_INFO until it is closed too
        until(lambda: is_closed(cable), "both ends are closed")
        self.resent = struct.unpack_from("I", self.info(), 100)[0]

    def info(self):
        return self.sender.getsockopt(socket.IPPROTO_TCP, TCP_INFO, 192)


def same_books(what, cable, truth, before, after):
    """The wire's books and those of both stacks."""
    grown = {name: {key: after[name][key] - before[name].get(key, 0) for key in after[name]} for name in after}
    for name, out, back in ((cable.a, "forward", "back"), (cable.b, "back", "forward")):
        sent, arrived = truth.of(out, *SEGMENTS), truth.of(back, *SEGMENTS, passed=True)
        again = [one for one in sent if one.again]
        corrupt = [one for one in arrived if "corrupt" in one.notes]
        twice = [one for one in arrived if "twice" in one.notes]
        stack = grown[name]
        # RFC 4022: OutSegs are "excluding those containing only retransmitted octets". Linux counts SYN-ACKs all the same.
        equal("%s, %s: segments sent" % (what, out), stack["TcpOutSegs"],
              len(sent) - sum(one.kind != "synack" for one in again))
        equal("%s, %s: of these again" % (what, out), stack["TcpRetransSegs"], len(again))
        equal("%s, %s: segments received" % (what, out), stack["TcpInSegs"], len(arrived) + len(twice))
        # Both have the checksum's errors; InErrs those of the header's length too, and SYNs of open connections.
        damaged = len(corrupt) + sum("corrupt" in one.notes for one in twice)
        check(stack["TcpInCsumErrors"] <= damaged <= stack["TcpInErrs"],
              "%s, %s: %d damaged, %d errors" % (what, out, damaged, stack["TcpInErrs"]))
        equal("%s, %s: of these marked" % (what, out), stack["IpExtInCEPkts"],
              sum(("marked" in one.notes) * (1 + ("twice" in one.notes)) for one in arrived))


def transfer(what, settings, size, seed=7, ecn=False):
    """What the wire did to one."""
    directory = path("wire")
    os.makedirs(directory, exist_ok=True)
    with Cable(WIRE, directory, settings, seed) as cable:
        before = {name: cable.counters(name) for name in (cable.a, cable.b)}
        one = Transfer(cable, size, ecn)
        after = at_rest(cable)
        one.sender.close()
        check(one.is_whole, what + ": other bytes arrived")
        unseen = cable.unseen()
        truth = cable.end()
    equal(what + ": packets that failed", (unseen, truth.end["failed"], len(truth.failed)), (0, 0, 0))
    equal(what + ": flows not followed", truth.end["unknown_flows"], 0)
    equal(what + ": segments sent again, by TCP_INFO", one.resent,
          len(truth.of("forward", "data", "close", "syn", again=True)))
    same_books(what, cable, truth, before, after)
    return truth


def delays():
    directory = path("delays")
    os.makedirs(directory)
    with Cable(WIRE, directory, "0s forward delay=8ms\n0s back delay=13ms\n") as cable:
        with cable.inside(cable.a):
            sock = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
        sock.settimeout(PATIENCE)
        with sock:
            times = [echo(sock, number) for number in range(ECHOES)]
        truth = cable.end()
    check(min(times) >= 21_000_000, "an echo took %d ns" % min(times))
    # Of several, one is not kept waiting by other tasks.
    check(min(times) < 26_000_000, "each echo took more than %d ns" % min(times))
    for direction, delay in (("forward", 8_000_000), ("back", 13_000_000)):
        sent = truth.of(direction, "datagram")
        equal(direction + ": delays", [one.due - one.time for one in sent], [delay] * ECHOES)
    equal("sources", {one.source for one in truth.of("forward", "datagram")}, {A + ":0"})


def losses():
    truth = transfer("losses", "0s both delay=2ms\n0s forward loss=3%\n0s back loss=2%\n", 1 << 20)
    check(truth.actions("forward")["loss"], "no packet was lost forward")
    check(truth.actions("back")["loss"], "no packet was lost on the way back")
    bursts = transfer("bursts", "0s both delay=2ms\n0s forward burst=1% burst_length=4\n", 1 << 20)
    check(bursts.actions("forward")["burst"], "no burst")
    nth = transfer("every 50th", "0s both delay=2ms\n0s forward every=50\n", 1 << 20)
    equal("each 50th segment is lost", nth.actions("forward")["every"], len(nth.of("forward", "data")) // 50)


def same_fates():
    """The same seed, the same fate of the n-th data segment."""
    settings = "0s both delay=1ms\n0s forward loss=4%\n"
    runs = [[one.action for one in transfer("fates", settings, 1 << 19, seed).of("forward", "data")]
            for seed in (1, 1, 2)]
    shortest = min(map(len, runs))
    check(shortest > 300, "a transfer had %d segments" % shortest)
    equal("fates of the same seed", runs[0][:shortest], runs[1][:shortest])
    check(runs[0][:shortest] != runs[2][:shortest], "two seeds have the same fates")


def changes():
    truth = transfer("changes", "0s both delay=2ms\n"
                                "0s forward duplicate=3% corrupt=2% reorder=2% reorder_by=3ms\n"
                                "0s back corrupt=1%\n", 1 << 20)
    counts = truth.actions("forward")
    check(counts["twice"] and counts["corrupt"] and counts["held"], "changes: %s" % counts)


def marks():
    truth = transfer("marks", "0s both delay=1ms\n0s forward ecn=5%\n", 1 << 19, ecn=True)
    check(truth.actions("forward")["marked"], "nothing was marked")
    truth = transfer("not ECN-capable", "0s both delay=1ms\n0s forward ecn=100%\n", 1 << 17)
    equal("marks without ECN", truth.actions()["marked"], 0)


def openings():
    truth = transfer("openings", "0s forward syn=1\n0s back synack=1\n", 1000)
    equal("SYN lost", truth.actions("forward")["syn"], 1)
    equal("SYN-ACK lost", truth.actions("back")["synack"], 1)


def tail():
    truth = transfer("tail", "0s both delay=1ms\n0s forward tail=99000\n", 100000)
    lost = [one for one in truth.of("forward") if one.action == "tail"]
    check(lost, "no tail was lost")
    equal("the tail comes again", {one.seq for one in lost} <=
          {one.seq for one in truth.of("forward", "data", again=True)}, True)


def rate():
    """Nothing leaves faster than that, and what the queue has no room for is lost."""
    rate_bits, queue = 20_000_000, 30_000
    truth = transfer("rate", "0s both delay=3ms\n0s forward rate=20mbit queue=%d\n" % queue, 1 << 20)
    passed = truth.of("forward", passed=True)
    check(all(later.due - one.due >= later.length * 8_000_000_000 // rate_bits
              for one, later in zip(passed, passed[1:])), "faster than the rate")
    check(truth.actions("forward")["queue"], "the queue was never full")
    check(all(one.queue + one.length <= queue for one in passed), "more is queued than fits")
    check(all(one.queue + one.length > queue for one in truth.of("forward") if one.action == "queue"),
          "lost, though there was room")


def down():
    """From 20 ms to 220 ms after the first segment."""
    truth = transfer("down", "0s both delay=5ms\n0s forward rate=20mbit\n"
                             "20ms both down=1\n220ms both down=0\n", 1 << 19)
    first = truth.of("forward", "syn")[0].time
    for one in truth.decisions:
        equal("down at %d ns" % (one.time - first), one.action == "down",
              20_000_000 <= one.time - first < 220_000_000)
    check(truth.actions()["down"], "the link was never down")


@contextlib.contextmanager
def busy():
    """Each CPU has more to run than it can."""
    programs = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for unused in range(2 * os.cpu_count())]
    cleanups.extend(program.kill for program in programs)
    try:
        yield
    finally:
        for program in programs:
            program.kill()
            program.wait()


def main():
    if os.geteuid():
        skip("needs root")
    if not os.path.exists("/dev/net/tun"):
        skip("no TAP devices here")
    delays()
    losses()
    same_fates()
    changes()
    marks()
    openings()
    tail()
    rate()
    down()
    with busy():
        losses()
        changes()
    finish()


main()
