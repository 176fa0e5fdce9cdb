#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""sonde serve and those who mean it no good: none of them crashes it, holds it up, makes it large, or disturbs
who views at the same time."""
import contextlib
import os
import random
import socket
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kern"))
from harness import PATIENCE, SONDE, check, equal, finish, fresh, run, until  # noqa: E402
from live_viewer import (ATTACH, CONNECT, CREATE, DETACH, INDEX, LIST, METADATA, OK,  # noqa: E402
                         PACKET, STREAMS, Relay, Viewer)

HERE = os.path.dirname(os.path.abspath(__file__))
MEMORY = 64 << 20  # of a relay with a small trace, whatever is asked of it
IDLE = 128 << 10  # for a viewer that has seen 100 streams, and asks for nothing
WAITING = 2 << 20  # for one that does not read: 1 MiB, and a reply behind that
with open(SONDE, "rb") as program:
    if b"__asan_init" in program.read():
        MEMORY += 512 << 20  # it keeps what was freed
        IDLE, WAITING = IDLE + (2 << 20), WAITING + (8 << 20)
PATIENCE_OF_RELAY = "3s"  # much longer than a busy machine takes from one request of a viewer to the next
COMMANDS = (CONNECT, LIST, ATTACH, INDEX, PACKET, METADATA, STREAMS, CREATE, DETACH)


def synthetic(*args):
    trace = fresh("trace")
    run(sys.executable, os.path.join(HERE, "make_trace.py"), trace, *args)
    return trace


class Good:
    """A viewer that goes on, one packet after the other and over again, while others misbehave."""

    def __init__(self, relay):
        self.viewer = Viewer(relay.port)
        self.session = self.viewer.number_of(relay.urls[0])
        self.viewer.create()
        self.start()

    def start(self):
        unused, streams = self.viewer.attach(self.session)
        self.stream = streams[1]["id"]

    def goes_on(self, what):
        reply = self.viewer.index(self.stream)
        if reply["status"] != OK:
            self.viewer.detach(self.session)
            self.start()
            reply = self.viewer.index(self.stream)
        status, unused, data = self.viewer.packet(self.stream, reply["offset"], 4)
        equal("another viewer, beside " + what, (status, data), (1, b"\xc1\x1f\xfc\xc1"))


def connected(relay, *steps):
    viewer = Viewer(relay.port)
    if "create" in steps:
        viewer.create()
    if "attach" in steps:
        viewer.streams_seen = viewer.attach(1)[1]
    return viewer


def refused(relay, good):
    """Requests that end a connection, without a byte more than is said."""
    number = struct.pack(">Q", 1)
    before = [(command, number + bytes(12)) for command in COMMANDS[1:]]
    for command, payload in before:
        viewer = Viewer(relay.port, connect=False)
        viewer.request(command, payload)
        check(viewer.is_closed(), "command %d before CONNECT is answered" % command)
    for version in ((1, 4, 1), (3, 0, 1), (2, 4, 0), (2, 4, 7)):
        viewer = Viewer(relay.port, connect=False)
        with contextlib.suppress(EOFError):
            check(False, "CONNECT %s: %s" % (version, viewer.connect(*version)))
    for command in (0, 10, 1 << 31, (1 << 32) - 1):
        viewer = connected(relay)
        viewer.request(command)
        equal("command %d" % command, viewer.receive(4), b"\0\0\0\x0b")
        check(viewer.is_closed(), "it goes on behind command %d" % command)
    good.goes_on("requests that are refused")


def packets(relay, good):
    """What was not told of is not given: it ends the connection, as no other reply would do."""
    first = connected(relay, "create", "attach")
    end = first.index(first.streams_seen[1]["id"])["packet"] // 8
    for offset, count in ((0, end + 1), (end, 1), (1, (1 << 32) - 1), ((1 << 64) - 1, 2),
                          ((1 << 64) - 4096, 4097), (1 << 63, 16), (0, (1 << 32) - 1)):
        viewer = connected(relay, "create", "attach")
        stream = viewer.streams_seen[1]["id"]
        viewer.index(stream)
        viewer.request(PACKET, struct.pack(">QQI", stream, offset, count))
        check(viewer.is_closed(), "bytes %d and %d are given" % (offset, count))
    for what, stream in (("without an index", 1), ("of metadata", 0)):
        viewer = connected(relay, "create", "attach")
        viewer.request(PACKET, struct.pack(">QQI", viewer.streams_seen[stream]["id"], 0, 16))
        check(viewer.is_closed(), "a packet is given " + what)
    for steps in ((), ("create",)):
        viewer = connected(relay, *steps)
        stream = first.streams_seen[1]["id"]
        equal("an index of a session not attached", viewer.index(stream)["status"], 4)
        equal("its metadata", viewer.metadata(first.streams_seen[0]["id"]), (3, b""))
        equal("its streams", viewer.new_streams(1), (3, []))
        viewer.request(PACKET, struct.pack(">QQI", stream, 0, 16))
        check(viewer.is_closed(), "a packet is given of a session not attached")
    equal("who was told of it", first.packet(first.streams_seen[1]["id"], end - 1, 1)[0], 1)
    good.goes_on("wrong packets")


def attach_for_ever(relay, good):
    viewer = connected(relay, "create")
    for unused in range(2000):
        viewer.attach(1)
        viewer.index(1)
        viewer.detach(1)
    good.goes_on("one that attaches over and over")


def half_requests(relay, good):
    viewers = []
    for length in (1, 15, 16, 23):
        viewer = connected(relay)
        viewer.socket.sendall(struct.pack(">QIIQ", 8, INDEX, 0, 1)[:length])
        viewers.append(viewer)
    viewers.append(Viewer(relay.port, connect=False))
    for unused in range(50):
        good.goes_on("halves of requests")
    check(all(viewer.is_silent() for viewer in viewers), "a half of a request is answered")


def impatience(trace):
    """Who sends a half of a request, or does not read, is turned away in the end; who is silent is not."""
    relay = Relay("--patience", PATIENCE_OF_RELAY, trace)
    silent = connected(relay, "create", "attach")
    viewers = [Viewer(relay.port, connect=False), connected(relay), connected(relay)]
    viewers[1].socket.sendall(bytes(15))
    viewers[2].socket.sendall(struct.pack(">QII", 8, INDEX, 0))
    for viewer in viewers:
        check(viewer.is_closed(), "half a request keeps its connection for ever")
    stuck = connected(relay, "create", "attach")
    with contextlib.suppress(ConnectionError):  # once the relay has had enough
        fill(stuck)
    until(lambda: silent.list()[0]["viewers"] == 1, "who does not read is gone")
    equal("who is silent", silent.index(silent.streams_seen[1]["id"])["status"], OK)
    equal("exit status", relay.stop(), 0)


def fill(viewer):
    """Asks for more than all buffers hold. The bytes of one packet, of many."""
    stream = viewer.streams_seen[1]["id"]
    count = viewer.index(stream)["packet"] // 8
    request = struct.pack(">QIIQQI", 20, PACKET, 0, stream, 0, count)
    viewer.socket.setblocking(False)
    asked = 0
    with contextlib.suppress(BlockingIOError):
        while asked < 64 << 20:
            asked += viewer.socket.send(request * 1000)
    check(asked < 64 << 20, "requests are taken without end")
    return count


def does_not_read(relay, good, trace):
    """Asks for more than all buffers hold, and reads nothing: no more is taken from it."""
    viewer = connected(relay, "create", "attach")
    count = fill(viewer)
    check(relay.memory() < MEMORY, "it is large: %d bytes" % relay.memory())
    good.goes_on("one that does not read")
    with open(os.path.join(trace, viewer.streams_seen[1]["channel"]), "rb") as file:
        want = file.read(count)
    viewer.socket.settimeout(PATIENCE)
    for unused in range(100):
        equal("when it reads again", viewer.packet_reply() == (1, 0, want), True)


def long_packets():
    """The same where packets do not go in one piece; and who reads late gets many of them whole."""
    trace = synthetic("--events", "60000", "--packet", "900000")
    relay = Relay(trace)
    does_not_read(relay, Good(relay), trace)
    equal("exit status", relay.stop(), 0)


def cut_short():
    """Packets whose file has been cut since they were told of: no status would do, so the connection ends, be it in
    the middle of a packet. Another session goes on."""
    other = synthetic("--events", "2000")
    for packet in ("20000", "900000"):
        trace = synthetic("--events", "60000", "--packet", packet)
        relay = Relay(other, trace)
        good, viewer = Good(relay), connected(relay, "create")
        stream = viewer.attach(viewer.number_of(relay.urls[1]))[1][1]
        count = viewer.index(stream["id"])["packet"] // 8
        os.truncate(os.path.join(trace, stream["channel"]), count // 2)
        viewer.request(PACKET, struct.pack(">QQI", stream["id"], 0, count))
        with contextlib.suppress(EOFError):
            check(False, "%d bytes are given, of %d" % (len(viewer.packet_reply()[2]), count // 2))
        good.goes_on("a file that is cut short")
        equal("exit status", relay.stop(), 0)


def noise(relay, good):
    """Random bytes, and random numbers in good requests, in every state."""
    rng = random.Random(5)
    for turn in range(300):
        steps = [(), ("create",), ("create", "attach")][turn % 3]
        viewer = connected(relay, *steps)
        viewer.socket.settimeout(PATIENCE)
        with contextlib.suppress(OSError):
            if turn % 2:
                viewer.socket.sendall(rng.randbytes(rng.randrange(1, 400)))
            for unused in range(rng.randrange(20)):
                numbers = [rng.choice((0, 1, 2, 3, 4, 4096, rng.getrandbits(32), (1 << 64) - 1))
                           for unused in range(2)]
                viewer.request(rng.choice(COMMANDS), struct.pack(
                    ">QQI", *numbers, rng.choice((0, 1, 2, 64, (1 << 32) - 1))))
            viewer.socket.shutdown(socket.SHUT_WR)
            while viewer.socket.recv(1 << 16):
                pass
        viewer.close()
    good.goes_on("noise")


def greedy(relay, number):
    """Asks for one and the same over and over, and reads nothing of it."""
    viewer = connected(relay, "create", "attach")
    metadata, stream = (viewer.streams_seen[i]["id"] for i in (0, 1))
    reply = viewer.index(stream)
    packet = struct.pack(">QIIQQI", 20, PACKET, 0, stream, reply["offset"], reply["packet"] // 8)
    kinds = (packet, struct.pack(">QII", 0, LIST, 0),
             struct.pack(">QIIQ", 8, DETACH, 0, 1) + struct.pack(">QIIQQI", 20, ATTACH, 0, 1, 0, 1),
             struct.pack(">QIIQ", 8, METADATA, 0, metadata))
    request = kinds[number % len(kinds)] * 500
    viewer.socket.setblocking(False)
    with contextlib.suppress(BlockingIOError):
        while True:
            viewer.socket.send(request)
    return viewer


def many_that_do_not_read():
    """An idle viewer takes next to nothing, and what waits for others is bounded, whatever they ask for."""
    trace = synthetic("--events", "20000", "--cpus", "100")
    relay = Relay(trace)
    good, before = Good(relay), relay.memory()
    idle = [connected(relay, "create", "attach") for unused in range(200)]
    check(relay.memory() - before < len(idle) * IDLE, "%d bytes for each that is idle" % (
        (relay.memory() - before) // len(idle)))
    for viewer in idle:
        viewer.close()
    viewers = [greedy(relay, number) for number in range(200)]
    good.goes_on("many that do not read")
    grown = relay.memory() - before
    check(grown < len(viewers) * WAITING, "%d bytes for each" % (grown // len(viewers)))
    for viewer in viewers:
        viewer.close()
    until(lambda: good.viewer.list()[0]["viewers"] == 1, "they are gone")
    equal("exit status", relay.stop(), 0)


def a_thousand(trace):
    """At once: those it has room for are served, the others are refused and not left waiting."""
    relay = Relay("--connections", "1024", trace)
    before = relay.memory()
    viewers = [connected(relay, "create", "attach") for unused in range(1000)]
    for viewer in viewers:
        equal("one of a thousand", viewer.index(viewer.streams_seen[1]["id"])["status"], OK)
    grown = relay.memory() - before
    check(grown < 1000 << 20, "a thousand viewers take %d bytes" % grown)
    equal("in the list", viewers[0].list()[0]["viewers"], 1000)
    more = [connected(relay) for unused in range(24)]
    late = Viewer(relay.port, connect=False)
    equal("one more is told", struct.unpack(">QII4s", late.receive(20)), (0, 2, 15, b"full"))
    check(late.is_closed(), "one more is served")
    done = run(SONDE, "print", relay.urls[0], good=False)
    check(done.returncode == 1 and "no room for another viewer" in done.stderr, "one more: " + done.stderr)
    for viewer in viewers:
        viewer.close()
    until(lambda: more[0].list()[0]["viewers"] == 0, "they are gone")
    equal("there is room again", Viewer(relay.port).list()[0]["viewers"], 0)
    equal("exit status", relay.stop(), 0)
    check(any("refused" in line for line in relay.said), "nobody said so: %s" % relay.said)


def main():
    trace = synthetic("--events", "20000")
    relay = Relay(trace)
    good = Good(relay)
    half_requests(relay, good)
    refused(relay, good)
    packets(relay, good)
    attach_for_ever(relay, good)
    does_not_read(relay, good, trace)
    noise(relay, good)
    check(relay.memory() < MEMORY, "it is large: %d bytes" % relay.memory())
    equal("exit status", relay.stop(), 0)
    long_packets()
    cut_short()
    impatience(trace)
    many_that_do_not_read()
    a_thousand(trace)
    finish()


main()
