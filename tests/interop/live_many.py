#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Live sessions as some of several SOURCEs: each event in its turn, whatever the others wait for; one that is silent
holds up the others no longer than it has to, one that ends, is lost or describes nothing does not hold them up."""
import json
import os
import socket
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kern"))
from harness import SONDE, check, equal, finish, path, run, until  # noqa: E402
from fake_relay import CONNECT, RETRY, SILENCE, FakeRelay, Packets, Session, Step, Stream, Trace, beacon  # noqa: E402
from live_fake import PLAIN, growing_session, made, parse, plain_session, shown, sonde  # noqa: E402
from lttng_relay import Viewer  # noqa: E402
from live_viewer import Relay  # noqa: E402

JSON = ("print", "--format", "json")


def one_stream(script, name="demo", number=5):
    """A session that stays; its stream has this script."""
    session = Session(number, name, [Stream(number, Trace(number, [PLAIN]), "ch0_0", script)])
    session.stay = True
    return session


def on_disk(events):
    """A trace directory with these events."""
    folder = path("disk%d" % on_disk.count)
    on_disk.count += 1
    os.mkdir(folder)
    for name, data in (("metadata", PLAIN), ("ch0_0", Packets().pack(events).data)):
        with open(os.path.join(folder, name), "wb") as out:
            out.write(data)
    return folder


on_disk.count = 0


def end(relay, session):
    with relay.lock:
        session.stay = False
        for stream in session.streams:
            stream.script = []


def same(what, got, want):
    """Events of equal times may come in any order."""
    equal(what + ": times", [one["time"] for one in got] == sorted(one["time"] for one in want), True)
    equal(what + ": events", sorted(map(json.dumps, got)) == sorted(map(json.dumps, want)), True)


def merged():
    """All of each, in order; whichever relay is asked first."""
    a, b, c = made(1000, 300, 0, 7), made(1003, 200, 0, 11), made(1001, 250, 0, 9)
    for swap in (False, True):
        relays, sources = [], [on_disk(c)]
        for events in (a, b):
            packets, half = Packets(), len(events) // 2
            session = one_stream([packets.pack(events[:half]), Step(RETRY), packets.pack(events[half:])])
            session.stay = False
            relays.append(FakeRelay([session]))
            sources.insert(0, relays[-1].name(session))
        done = sonde(*JSON, *(reversed(sources) if swap else sources))
        equal("merged: status", (done.returncode, done.stderr), (0, ""))
        same("merged", parse(done.stdout), shown(a) + shown(b) + shown(c))
        for relay in relays:
            relay.close()


def who_waits():
    """Up to its beacon nobody waits for who is silent, and beyond it everybody does."""
    early, late = made(1000, 3), made(5000, 2)
    silent = one_stream([Packets().pack(made(900, 1)), beacon(3000)])
    packets = Packets()
    busy = one_stream([packets.pack(early), packets.pack(late), Step(RETRY)])
    relays = [FakeRelay([silent]), FakeRelay([busy])]
    viewer = Viewer(relays[0].name(silent), relays[1].name(busy), verb=JSON)
    until(lambda: viewer.lines() == 4, "what is up to the beacon is shown")
    asked = relays[0].counts.get(4, 0)
    until(lambda: relays[0].counts[4] > asked + 20, "the viewer asks on")
    equal("what is behind the beacon waits", viewer.lines(), 4)
    with relays[0].lock:
        silent.streams[0].script = [beacon(5000)]
    until(lambda: viewer.lines() == 5, "up to the new beacon all is shown, itself included")
    end(relays[0], silent)
    until(lambda: viewer.lines() == 6, "who has ended holds up nobody")
    end(relays[1], busy)
    equal("status of who waited", viewer.wait(), 0)
    equal("who waits: said", viewer.said(), "")
    equal("who waits: events", viewer.events(), shown(made(900, 1)) + shown(early + late))
    for relay in relays:
        relay.close()


def lost():
    """A relay that is gone holds up nobody, and goes on when it is back."""
    gone = one_stream([Packets().pack(made(900, 1)), beacon(3000)])
    packets = Packets()
    busy = one_stream([packets.pack(made(1000, 3)), Step(RETRY)])
    relays = [FakeRelay([gone]), FakeRelay([busy])]
    viewer = Viewer(relays[0].name(gone), relays[1].name(busy), verb=JSON)
    until(lambda: viewer.lines() == 4, "both are read")
    relays[0].close()
    until(lambda: "trying to connect again" in viewer.said(), "the viewer says that one is lost")
    for i in range(5):
        with relays[1].lock:
            busy.streams[0].script = [packets.pack(made(5000 + 100 * i, 10)), Step(RETRY)]
        until(lambda n=14 + 10 * i: viewer.lines() == n, "the other goes on")
    again = Packets()
    again.sequence = 1
    gone.streams[0].script = [again.pack(made(9000, 2)), beacon(10000)]
    relays[0].open()
    with relays[1].lock:
        busy.streams[0].script = [beacon(10000)]
    until(lambda: viewer.lines() == 56, "it goes on when it is back")
    check("connected again" in viewer.said(), "said: " + viewer.said())
    for relay, session in zip(relays, (gone, busy)):
        end(relay, session)
    equal("status behind a loss", viewer.wait(), 1)
    equal("all of both", len(viewer.events()), 56)
    for relay in relays:
        relay.close()


def silent_when_back():
    """Who connects again to a relay that takes the connection and says nothing reads the others meanwhile."""
    gone = one_stream([Packets().pack(made(900, 1)), beacon(3000)])
    packets, lines = Packets(), 4
    busy = one_stream([packets.pack(made(1000, 3)), Step(RETRY)])
    relays = [FakeRelay([gone]), FakeRelay([busy])]
    viewer = Viewer(relays[0].name(gone), relays[1].name(busy), verb=JSON)
    until(lambda: viewer.lines() == lines, "both are read")
    relays[0].close()
    relays[0].twists[CONNECT] = lambda *unused: SILENCE
    relays[0].open()
    for tries in range(5):  # on a loaded machine its patience may end first
        until(lambda n=tries + 2: relays[0].counts[CONNECT] >= n, "the viewer comes again")
        connection = relays[0].connections[-1]
        with relays[1].lock:
            busy.streams[0].script = [packets.pack(made(5000 + 100 * tries, 10)), Step(RETRY)]
        lines += 10
        until(lambda n=lines: viewer.lines() == n, "the other goes on")
        if is_open(connection):
            break
    else:
        check(False, "nothing is shown while the viewer waits for a relay")
    end(relays[1], busy)
    equal("status of Ctrl-C", viewer.interrupt(), 1)
    for relay in relays:
        relay.close()


def is_open(connection):
    try:
        return connection.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT) != b""
    except BlockingIOError:
        return True
    except OSError:
        return False


def nothing_described():
    """A session without streams yet holds up nobody; what comes in it then is shown."""
    empty = Session(5, "empty")
    empty.stay = True
    busy = one_stream([Packets().pack(made(1000, 3)), Step(RETRY)])
    relays = [FakeRelay([empty]), FakeRelay([busy])]
    viewer = Viewer(relays[0].name(empty), relays[1].name(busy), verb=JSON)
    until(lambda: viewer.lines() == 3, "the other is shown")
    with relays[0].lock:
        empty.late = [Stream(7, Trace(7, [PLAIN]), "ch0_0", [Packets().pack(made(8000, 2)), beacon(9000)])]
    with relays[1].lock:
        busy.streams[0].script = [beacon(9000)]
    until(lambda: viewer.lines() == 5, "what came late is shown")
    for relay, session in zip(relays, (empty, busy)):
        end(relay, session)
    equal("status of one that came late", viewer.wait(), 0)
    for relay in relays:
        relay.close()


def renewed():
    """Metadata of one grows: events of the others that have come are not lost, and totals count all once."""
    other = made(1001, 400, 0, 3)
    for verb in (JSON, ("stats", "--json")):
        session, want = growing_session(lambda text: text)
        relay = FakeRelay([session])
        done = sonde(*verb, relay.name(session), on_disk(other))
        equal("renewed: status", (done.returncode, done.stderr), (0, ""))
        if verb == JSON:
            same("renewed", parse(done.stdout), want + shown(other))
        else:
            equal("renewed: stats", json.loads(done.stdout)["events"], len(want) + len(other))
        relay.close()
    session, want = growing_session(lambda text: text)
    relay = FakeRelay([session])
    done = sonde("convert", "-o", path("both"), relay.name(session), on_disk(other))
    equal("renewed: status of convert", done.returncode, 0)
    same("converted", parse(run(SONDE, *JSON, path("both")).stdout), want + shown(other))
    relay.close()


def names():
    """Names of tasks and places of streams are those of the same sources on disk, in every verb."""
    data = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "golden", "data")
    traces = [os.path.join(data, name) for name in ("visit", "window", "ping_pong")]
    relay = Relay(*traces[:2])
    live = relay.urls + traces[2:]
    for verb in (JSON, ("print",), ("stats",), ("report",), ("report", "--json", "tcp"),
                 ("graph", "--field", "pid", "--format", "svg", "-o", "-")):
        operands = [(sources + list(verb[2:]) if verb[1:] == ("--json", "tcp") else sources)
                    for sources in (traces, live)]
        options = [word for word in verb if word != "tcp"]
        want, got = (run(SONDE, *options, *each, good=False) for each in operands)
        equal("status of %s" % (verb,), got.returncode, want.returncode)
        equal("%s of live sessions and a trace is the same" % (verb,), got.stdout == want.stdout, True)
        check(want.stdout, "%s says nothing: %s" % (verb, want.stderr))
    relay.stop()


def refused():
    session, unused = plain_session()
    relay = FakeRelay([session])
    done = sonde("print", relay.name(session), relay.url + "/host/box/demmo")
    check(done.returncode == 1 and "/host/box/demmo" in done.stderr and "/host/box/demo" in done.stderr,
          "misspelt: " + done.stderr)
    equal("--follow of a live session and a file", sonde("print", "--follow", relay.name(session),
                                                         on_disk(made(1, 1))).returncode, 2)
    relay.close()


def main():
    merged()
    who_waits()
    lost()
    silent_when_back()
    nothing_described()
    renewed()
    names()
    refused()
    finish()


main()
