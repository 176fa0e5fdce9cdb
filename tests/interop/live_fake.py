#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Live sessions at a relay that follows a script: every version, both lists, every status, metadata in all
its forms, sessions that are cleared, and a relay that lies in each field."""
import ctypes
import errno
import json
import os
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kern"))
from harness import PATIENCE, SONDE, check, equal, finish, path, run, until  # noqa: E402
from fake_relay import (ATTACH, CLOSE, CONNECT, CREATE, DETACH, EOF, EPOCH_S, ERROR, HEAD, HUP,  # noqa: E402
                        INACTIVE, INDEX, LIST, METADATA, NEW_METADATA, NEW_STREAM, NEW_STREAMS, OK,
                        PACKET, RETRY, SILENCE, FakeRelay, Packets, Session, Step, Stream, Trace,
                        beacon, event_text, in_packets)
from lttng_relay import Viewer  # noqa: E402
from schema import described  # noqa: E402

PLAIN = HEAD.encode() + event_text(0)


def sonde(*argv):
    return subprocess.run([SONDE, *argv], capture_output=True, text=True, timeout=PATIENCE)


def parse(text):
    return [json.loads(line) for line in text.splitlines()]


def shown(events, cpu=0):
    """As sonde prints them."""
    return [{"time": EPOCH_S * 10**9 + time, "cpu": cpu, "event": "ev%d" % number,
             "fields": {"v": value, "s": text}} for time, number, value, text in events]


def in_order(*streams):
    return sorted((one for stream in streams for one in stream), key=lambda one: one["time"])


def made(first, count, number=0, step=10):
    return [(first + step * i, number, i, "text %d" % i) for i in range(count)]


def look(what, relay, session, want, *options, status=0, problem=None, url=None):
    """Prints the session to its end: events and status as wanted."""
    done = sonde("print", "--format", "json", *options, url or relay.name(session))
    got = parse(done.stdout)
    equal(what + ": status", done.returncode, status)
    lost = [one for one in got if one["event"] == "sonde.lost"]
    got = [one for one in got if one["event"] != "sonde.lost"]
    if got != want:
        check(False, "%s: %d events, want %d; the first that differs: %s" % (
            what, len(got), len(want), next((pair for pair in zip(got, want) if pair[0] != pair[1]),
                                            None)))
    if problem:
        check(problem in done.stderr, "%s: said %r" % (what, done.stderr))
    else:
        equal(what + ": said", done.stderr, "")
    return lost


def plain_session(events=20, chunks=None, **more):
    """One stream with two packets."""
    packets, trace = Packets(), Trace(1, chunks or [PLAIN])
    first, second = made(1000, events), made(1000 + 10 * events, events)
    stream = Stream(1, trace, "ch0_0", [packets.pack(first), packets.pack(second)])
    return Session(5, "demo", [stream], **more), shown(first + second)


def growing_session(form):
    """Two streams, one of which is idle for a time; metadata grows in the middle."""
    trace = Trace(1, [form(PLAIN)])
    one, two = Packets(0), Packets(1)
    a, b, c = made(1000, 50), made(1500, 50), made(2000, 50, 1)
    d = made(2005, 50)
    first = [one.pack(a), Step(RETRY), one.pack(b), one.pack(c), beacon(3000)]
    first[3].tell, first[3].flags = [form(event_text(1))], NEW_METADATA
    second = [beacon(1200), beacon(1200), beacon(1100), beacon(2005), two.pack(d)]
    streams = [Stream(1, trace, "ch0_0", first), Stream(2, trace, "ch0_1", second)]
    return Session(5, "demo", streams), in_order(shown(a), shown(b), shown(c), shown(d, 1))


FORMS = {"plain": lambda text: text, "little": in_packets, "big": lambda text: in_packets(text, ">"),
         "small": lambda text: in_packets(text, "<", 512)}


def versions():
    for minor in range(4, 18):
        for name, form in FORMS.items():
            session, want = growing_session(form)
            relay = FakeRelay([session], minor)
            look("minor %d, %s" % (minor, name), relay, session, want)
            if minor >= 8:
                until(lambda: relay.counts.get(DETACH) == 1, "the viewer detaches")
            check(minor >= 8 or DETACH not in relay.counts, "minor %d: detaches" % minor)
            relay.close()


def lists():
    for minor in (4, 14, 15, 16):
        sessions = [Session(1, "a b"), Session(2, "two", timer=0), Session(3, "two"),
                    Session(4, "x" * 255, host="h" * 64), plain_session()[0]]
        relay = FakeRelay(sessions, minor)
        done = sonde("sessions", "--json", relay.url)
        equal("status of sessions", (done.returncode, done.stderr), (0, ""))
        got = [described("sessions", one) for one in parse(done.stdout)]
        names = [one["session"] for one in got]
        equal("sessions of minor %d" % minor, sorted(names), ["a b", "demo", "two", "x" * 255])
        demo = got[names.index("demo")]
        equal("demo", demo, {"url": relay.url + "/host/box/demo", "host": "box", "session": "demo",
                             "timer_us": 100000, "streams": 2, "viewers": 0, "format": "CTF 1.8"})
        text = sonde("sessions", relay.url + "/")
        check(relay.url + "/host/box/a b" in text.stdout, "table: " + text.stdout)
        done = sonde("print", relay.url + "/host/box/demmo")
        equal("status of a session that is not there", done.returncode, 1)
        check("/host/box/demo" in done.stderr and "/host/box/demmo" in done.stderr, done.stderr)
        relay.close()
    relay = FakeRelay([Session(1, "c", form=1)], 15)
    listed, = parse(sonde("sessions", "--json", relay.url).stdout)
    equal("CTF 2 is told", described("sessions", listed)["format"], "CTF 2")
    relay.close()
    relay = FakeRelay()
    equal("no sessions", sonde("sessions", relay.url).returncode, 4)
    done = sonde("print", relay.url + "/host/a/b")
    check(done.returncode == 1 and "none" in done.stderr, "none: " + done.stderr)
    relay.close()
    done = sonde("sessions", relay.url)
    check(done.returncode == 1 and "refused" in done.stderr, "no relay: " + done.stderr)
    for url in ("net://", "net://x:0", "net://x/host", "net://x/host/a", "net://[::1", "net://x:1x",
                "net://x/host/a/b/c", "net://x/hosts/a/b"):
        equal("status of " + url, sonde("sessions", url).returncode, 2)
        equal("status of print " + url, sonde("print", url).returncode, 1)


def several():
    """Two sessions of one name, of two traces each, which come while it is read."""
    chunks = [[PLAIN], [in_packets(PLAIN + event_text(1))]]
    sessions, want = [], []
    for number in (1, 2):
        traces = [Trace(10 * number + i, list(chunks[i])) for i in range(2)]
        packets = [Packets(i) for i in range(2)]
        events = [made(1000 + number, 30), made(1005 + number, 30, 1), made(5000 + number, 5)]
        early = Stream(100 * number, traces[0], "ch0_0", [packets[0].pack(events[0])])
        late = Stream(100 * number + 1, traces[1], "ch0_1", [packets[1].pack(events[1])])
        early.script += [Step(RETRY, streams=[late]), packets[0].pack(events[2])]
        sessions.append(Session(number, "demo", [early]))
        want += shown(events[0]) + shown(events[1], 1) + shown(events[2])
    relay = FakeRelay([Session(9, "other")] + sessions, 13)
    done = sonde("print", "--format", "json", relay.name(sessions[0]))
    equal("several: said", (done.returncode, done.stderr), (0, ""))
    got = parse(done.stdout)
    equal("several: events", in_order(got), in_order(want))
    relay.close()


def statuses():
    # Of an index: what ends one stream ends no other.
    for status in (HUP, ERROR, EOF):
        session, want = plain_session()
        other = Stream(2, session.streams[0].trace, "ch0_1", [beacon(1100), Step(status)], path="x")
        session.streams.append(other)
        relay = FakeRelay([session])
        look("index status %d" % status, relay, session, want)
        relay.close()
    for status, words in ((2, "another viewer"), (3, "does not know"), (4, "not live"), (5, "status 5"),
                          (6, "status 6"), (77, "status 77")):
        session, unused = plain_session()
        relay = FakeRelay([session], twists={
            ATTACH: lambda count, payload, reply, s=status: struct.pack(">II", s, 12345)})
        look("attach status %d" % status, relay, session, [], status=1, problem=words)
        relay.close()
    session, unused = plain_session()
    relay = FakeRelay([session], twists={CREATE: lambda *unused: struct.pack(">I", 2)})
    look("create refused", relay, session, [], status=1, problem="refuses")
    relay.close()
    # Of metadata: nothing at first; no bytes; closed behind what there is.
    session, want = plain_session()
    relay = FakeRelay([session], twists={METADATA: lambda count, payload, reply: (
        struct.pack(">QI", 0, 2) if count < 3 else struct.pack(">QI", 0, 1) if count == 5 else
        struct.pack(">QI", 99, 3) if count > 5 else reply())})
    look("late metadata", relay, session, want)
    relay.close()
    # New streams: none while the session is rotated, and no such session.
    session, want = plain_session()
    relay = FakeRelay([session], twists={NEW_STREAMS: lambda count, payload, reply: (
        struct.pack(">II", 2, 0) if count < 2 else
        reply().replace(struct.pack(">II", 4, 0), struct.pack(">II", 3, 0)))})
    look("no new streams", relay, session, want)
    relay.close()


def packets_refused():
    """Relays up to 2.5 refuse packets until what is new was fetched."""
    for reply in (struct.pack(">III", 3, 0, 1), struct.pack(">III", 3, 0, 2), struct.pack(">III", 2, 0, 0)):
        session, want = plain_session()
        relay = FakeRelay([session], 4, twists={
            PACKET: lambda count, payload, good, bad=reply: bad if count in (0, 2) else good()})
        look("packet refused with %s" % reply.hex(), relay, session, want)
        relay.close()
    # One that is not there any more is missing; the next one is there.
    for bad in (struct.pack(">III", 4, 0, 0), struct.pack(">III", 3, 0, 0)):
        session, want = plain_session()
        relay = FakeRelay([session], 13, twists={
            PACKET: lambda count, payload, good, bad=bad: bad if count == 0 else good()})
        look("packet missing", relay, session, want[20:], status=1, problem="not have a packet")
        relay.close()
    # From 2.6 to 2.12 the reply cannot be trusted: the viewer comes again.
    session, want = plain_session()
    session.stay = True
    session.streams[0].script.append(Step(RETRY))
    relay = FakeRelay([session], 11, twists={PACKET: lambda count, payload, good: (
        struct.pack(">III", 3, 0, 0) + bytes(64) if count == 0 else good())})
    viewer = Viewer(relay.name(session))
    until(lambda: relay.counts.get(ATTACH, 0) == 2, "the viewer comes again")
    until(lambda: "connected again" in viewer.said(), "it says so")
    session.stay = False
    equal("status of who had to come again", viewer.wait(), 1)
    relay.close()


def cleared():
    """The session is cleared while it is read: offsets begin anew, the sequence does not."""
    session, want = plain_session()
    stream, packets = session.streams[0], Packets()
    packets.sequence = 7
    more = made(9000, 20)
    after = packets.pack(more)
    after.clear = True
    stream.script += [Step(RETRY, flags=NEW_METADATA), after]
    relay = FakeRelay([session])
    lost = look("cleared", relay, session, want + shown(more), status=3, problem="overwritten")
    equal("packets lost", [one["fields"]["packets"] for one in lost], [5])
    relay.close()


def large_packet():
    """In several pieces; and one without events between."""
    trace, packets = Trace(1, [PLAIN]), Packets()
    events = made(1000, 60000)
    empty = packets.pack([], 700000, 700000)
    packets.sequence = 0
    last = made(800000, 3)
    stream = Stream(1, trace, "ch0_0", [packets.pack(events, pad=100000), empty, packets.pack(last)])
    packets.sequence = 0
    session = Session(1, "demo", [stream])
    relay = FakeRelay([session])
    lost = look("large", relay, session, shown(events + last), status=0)
    equal("large: lost", lost, [])
    check(relay.counts[PACKET] > 3, "one piece")
    relay.close()


def split_replies():
    """A metadata packet cut across replies, a declaration cut across batches, bytes one by one."""
    text = in_packets(PLAIN)
    session, want = plain_session(chunks=[text[:1000], text[1000:]])
    relay = FakeRelay([session])
    look("cut across replies", relay, session, want)
    relay.close()
    session, want = plain_session(chunks=[PLAIN[:-30], PLAIN[-30:]])
    relay = FakeRelay([session], twists={METADATA: lambda count, payload, reply: (
        struct.pack(">QI", 0, 2) if count == 1 else reply())})
    look("cut across batches", relay, session, want)
    relay.close()
    session, want = plain_session(chunks=[in_packets(PLAIN), event_text(1)])
    relay = FakeRelay([session])
    look("first in packets, then plain", relay, session, want)
    relay.close()


def totals():
    """What is shown at the end counts all, though classes come while it is read."""
    session, want = growing_session(in_packets)
    relay = FakeRelay([session])
    done = sonde("stats", "--json", relay.name(session))
    equal("stats", (done.returncode, done.stderr), (0, ""))
    equal("events of stats", json.loads(done.stdout)["events"], len(want))
    relay.close()
    session, want = growing_session(in_packets)
    relay = FakeRelay([session])
    out = path("copy")
    done = sonde("convert", "-o", out, relay.name(session))
    equal("status of convert", done.returncode, 0)
    equal("what was converted", parse(sonde("print", "--format", "json", out).stdout), want)
    relay.close()
    session, want = growing_session(in_packets)
    relay = FakeRelay([session])
    done = sonde("print", "-e", "ev1", "--format", "json", relay.name(session))
    equal("a class that comes late", parse(done.stdout),
          [one for one in want if one["event"] == "ev1"])
    check("ev1" in done.stderr, "that it is not there yet is said: " + done.stderr)
    relay.close()


def seek():
    for words, number in (((), 1), (("--from", "beginning"), 1), (("--from", "now"), 2)):
        session, want = plain_session()
        relay = FakeRelay([session])
        look("from %s" % (words,), relay, session, want, *words)
        attach = next(payload for command, payload in relay.log if command == ATTACH)
        equal("seek", struct.unpack(">QQI", attach), (session.number, 0, number))
        relay.close()
    equal("--from now of what is no trace", sonde("print", "--from", "now", "/dev/null").returncode, 1)
    equal("--no-reconnect of a file", sonde("print", "--no-reconnect", "/dev/null").returncode, 2)


def connection_breaks():
    session, want = plain_session()
    session.stay = True
    session.streams[0].script.append(Step(RETRY))
    relay = FakeRelay([session])
    viewer = Viewer(relay.name(session))
    until(lambda: viewer.lines() == len(want), "what there is was read")
    relay.close()
    until(lambda: "trying to connect again" in viewer.said(), "the viewer says that it is lost")
    packets = Packets()
    packets.sequence = 6
    more = made(9000, 20)
    session.streams[0].script = [packets.pack(more, discarded=3), Step(RETRY)]
    relay.open()
    until(lambda: viewer.lines() >= len(want) + 1 + len(more), "it goes on")
    got = viewer.events()
    equal("events around the break", [one for one in got if one["event"] != "sonde.lost"],
          want + shown(more))
    equal("lost in the break", [(one["fields"]["packets"], one["fields"]["count"]) for one in got
                                if one["event"] == "sonde.lost"], [(4, 3)])
    check("connected again" in viewer.said(), "said: " + viewer.said())
    session.stay = False
    session.streams[0].script = []
    equal("status behind a break", viewer.wait(), 1)
    relay.close()
    # Without trying again.
    session, want = plain_session()
    relay = FakeRelay([session], twists={
        NEW_STREAMS: lambda count, payload, reply: CLOSE if count > 3 else reply()})
    session.stay = True
    session.streams[0].script.append(Step(RETRY))
    look("no reconnect", relay, session, want, "--no-reconnect", status=1, problem="closed the connection")
    relay.close()
    # Half a reply, and silence.
    session, want = plain_session()
    session.stay = True
    session.streams[0].script.append(Step(RETRY))
    relay = FakeRelay([session], twists={
        NEW_STREAMS: lambda count, payload, reply: reply()[:3] if count == 5 else reply(),
        INDEX: lambda *unused: SILENCE if relay.counts[NEW_STREAMS] > 5 else unused[2]()})
    look("silence", relay, session, want, "--no-reconnect", status=1, problem="not answered")
    relay.close()
    # The session is gone when the relay is back... and Ctrl-C is the end meanwhile.
    session, want = plain_session()
    session.stay = True
    session.streams[0].script.append(Step(RETRY))
    relay = FakeRelay([session])
    viewer = Viewer(relay.name(session))
    until(lambda: viewer.lines() == len(want), "what there is was read")
    relay.close()
    until(lambda: "trying to connect again" in viewer.said(), "the viewer says that it is lost")
    equal("status of who is interrupted", viewer.interrupt(), 1)


def patched(reply, at, form, value):
    size = struct.calcsize(form)
    return reply[:at] + struct.pack(form, value) + reply[at + size:]


BIG32, BIG64 = 0xFFFFFFF0, 0xFFFFFFFFFFFFFFF0
LIES = {
    "version": (CONNECT, lambda r: patched(r, 8, ">I", 3), "version 3"),
    "sessions": (LIST, lambda r: patched(r, 0, ">I", BIG32), "sessions"),
    "host length": (LIST, lambda r: patched(r, 24, ">I", BIG32), "bytes"),
    "name length": (LIST, lambda r: patched(r, 28, ">I", 256), "bytes"),
    "streams": (ATTACH, lambda r: patched(r, 4, ">I", BIG32), "streams"),
    "new streams": (NEW_STREAMS, lambda r: struct.pack(">II", 1, 1 << 20), "streams"),
    "new streams status": (NEW_STREAMS, lambda r: struct.pack(">II", 9, 0), "status 9"),
    "metadata length": (METADATA, lambda r: patched(r, 0, ">Q", BIG64), "metadata"),
    "metadata status": (METADATA, lambda r: patched(r, 8, ">I", 99), "status 99"),
    "metadata": (METADATA, lambda r: struct.pack(">QI", 20, 1) + b"/* CTF 1.8 */ trace }", "metadata"),
    "metadata packet": (METADATA, lambda r: struct.pack(">QI", 37, 1) + struct.pack(
        "<I16sIIIBBBBB", 0x75D11D57, bytes(16), 0, 8, 16, 0, 0, 0, 1, 8), "sizes that cannot be"),
    "packet bits": (INDEX, lambda r: patched(r, 8, ">Q", BIG64), "packet of"),
    "odd packet bits": (INDEX, lambda r: patched(r, 8, ">Q", 8001), "8001 bits"),
    "no packet bits": (INDEX, lambda r: patched(r, 8, ">Q", 0), "0 bits"),
    "offset": (INDEX, lambda r: patched(r, 0, ">Q", BIG64), "offset"),
    "index status": (INDEX, lambda r: patched(r, 56, ">I", 1 << 31), "status"),
    "packet length": (PACKET, lambda r: patched(r, 4, ">I", BIG32), "bytes of a packet"),
    "packet longer": (PACKET, lambda r: patched(r, 4, ">I", len(r) - 12 + 1), "bytes of a packet"),
    "packet of no bytes": (PACKET, lambda r: patched(r, 4, ">I", 0), "0 bytes of a packet"),
    "packet status": (PACKET, lambda r: struct.pack(">III", 9, 5, 0), "not have a packet"),
}


def lies():
    for name, (command, lie, words) in LIES.items():
        session, unused = plain_session()
        minor = 15 if name in ("host length", "name length") else 14
        relay = FakeRelay([session], minor, twists={
            command: lambda count, payload, reply, lie=lie: lie(reply())})
        done = sonde("print", relay.name(session))
        check(done.returncode == 1 and words in done.stderr,
              "lie about %s: status %d, %r" % (name, done.returncode, done.stderr))
        relay.close()
    # Times may be anything: what comes, comes.
    session, want = plain_session()
    relay = FakeRelay([session], twists={INDEX: lambda count, payload, reply: patched(
        patched(patched(reply(), 24, ">Q", BIG64), 32, ">Q", BIG64), 48, ">Q", BIG64)})
    look("times", relay, session, want)
    relay.close()
    # Metadata that is told of, and never there; streams likewise.
    session, want = plain_session()
    session.streams[0].script += [Step(RETRY)] * 5
    relay = FakeRelay([session], twists={
        INDEX: lambda count, payload, reply: patched(reply(), 60, ">I", NEW_METADATA | NEW_STREAM)})
    look("endless flags", relay, session, want)
    relay.close()
    # Metadata without end.
    session, unused = plain_session()
    relay = FakeRelay([session], twists={METADATA: lambda count, payload, reply: struct.pack(
        ">QI", 16 << 20, 1) + PLAIN + b" " * ((16 << 20) - len(PLAIN))})
    done = sonde("print", relay.name(session))
    check(done.returncode == 1 and "more than" in done.stderr, "endless metadata: " + done.stderr)
    relay.close()
    # Streams of which nothing is described.
    session, unused = plain_session()
    relay = FakeRelay([session], twists={ATTACH: lambda count, payload, reply: struct.pack(
        ">II", 1, 1) + session.streams[0].entry()})
    done = sonde("print", relay.name(session))
    check(done.returncode == 1 and "without a stream of metadata" in done.stderr, done.stderr)
    relay.close()


def ctf2():
    """As lttng-tools 2.15 sends it: JSON, plain."""
    session, want = plain_session()
    folder = path("one")
    os.mkdir(folder)
    for name, data in (("metadata", PLAIN), ("stream", session.streams[0].script[0].data +
                                             session.streams[0].script[1].data)):
        with open(os.path.join(folder, name), "wb") as out:
            out.write(data)
    run(SONDE, "convert", "--format", "ctf2", "-o", path("two"), folder)
    files = {name: open(os.path.join(path("two"), name), "rb").read()
             for name in os.listdir(path("two")) if not os.path.isdir(os.path.join(path("two"), name))}
    text = files.pop("metadata")
    name, data = next((n, d) for n, d in files.items() if not n.startswith("."))
    stream = Stream(1, Trace(1, [text]), name, [Step(OK, data=data, begin=1000, end=2000)])
    if len(data) == sum(map(len, (data,))):
        relay = FakeRelay([Session(5, "demo", [stream], form=1)], 15)
        look("CTF 2", relay, relay.sessions[0], want)
        relay.close()


def library():
    """The same by libsonde, whose handles of classes stay."""
    build = os.path.dirname(os.path.dirname(os.path.dirname(SONDE)))
    lib = ctypes.CDLL(os.path.join(build, "src", "lib", "libsonde.so"))
    lib.sonde_event_name.restype = lib.sonde_event_class.restype = ctypes.c_void_p
    lib.sonde_class_name.restype = ctypes.c_char_p
    for opener in (lib.sonde_open, lib.sonde_follow):
        session, want = growing_session(in_packets)
        relay = FakeRelay([session])
        source, event, got, met = ctypes.c_void_p(), ctypes.c_void_p(), 0, []
        equal("opening", opener(relay.name(session).encode(), ctypes.byref(source), None), 0)
        while got >= 0 or got == -errno.EAGAIN:
            got = lib.sonde_next(source, ctypes.byref(event), None)
            if not got:
                break
            if got > 0:
                met.append(lib.sonde_event_class(event))
        equal("the end of reading", got, 0)
        equal("events by the library",
              [lib.sonde_class_name(ctypes.c_void_p(one)).decode() for one in met],
              [one["event"] for one in want])
        equal("handles of classes", len(set(met)), 2)
        lib.sonde_close(source)
        relay.close()


def main():
    versions()
    lists()
    several()
    statuses()
    packets_refused()
    cleared()
    large_packet()
    split_replies()
    totals()
    seek()
    connection_breaks()
    lies()
    ctf2()
    library()
    finish()


if __name__ == "__main__":
    main()
