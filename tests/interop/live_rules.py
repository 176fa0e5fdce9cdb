#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""What a viewer owes to relays, and to who reads: how often it asks where there is nothing, what waits for streams that it
was told of and has not seen, in which order it asks for what is new, and where it may begin."""
import itertools
import os
import struct
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kern"))
from harness import check, equal, finish, until  # noqa: E402
from fake_relay import (INDEX, METADATA, NEW_METADATA, NEW_STREAM, NEW_STREAMS, OK, PACKET, RETRY,  # noqa: E402
                        FakeRelay, Packets, Session, Step, Stream, Trace, beacon, event_text)
from live_fake import PLAIN, look, made, parse, plain_session, shown, sonde  # noqa: E402
from lttng_relay import Viewer  # noqa: E402

POLLS = 25


def pace():
    """A tenth of the live timer, within 10 and 100 ms, between two times that a stream which has nothing is asked."""
    for timer_us, least in ((20000, 0.01), (500000, 0.05), (60000000, 0.1)):
        for step in (Step(RETRY), beacon(2000)):
            gaps, last = [], []

            def watch(count, payload, reply):
                if last:
                    gaps.append(time.monotonic() - last[0])
                last[:] = [time.monotonic()]
                return reply()

            session = Session(1, "demo", [Stream(1, Trace(1, [PLAIN]), "ch0_0", [step])], timer=timer_us)
            session.stay = True
            relay = FakeRelay([session], twists={INDEX: watch})
            viewer = Viewer(relay.name(session))
            until(lambda: len(gaps) >= POLLS, "the viewer asks on")
            # Taken before the reply goes out, so that no delay of ours makes a gap shorter.
            check(min(gaps) >= 0.9 * least, "timer of %d us: asks again after %f s" % (timer_us, min(gaps)))
            viewer.interrupt()
            relay.close()


def new_streams_first():
    """Streams come that have what is earlier than what the others have already sent."""
    for status in (OK, RETRY):
        early, late, packets = made(1500, 20), made(5000, 20), Packets()
        trace, other = Trace(1, [PLAIN]), Packets(1)
        stream = Stream(2, trace, "ch0_1", [other.pack(early), beacon(9000)])
        script = [packets.pack(made(1000, 10))]
        if status == OK:
            script.append(packets.pack(late))
            script[-1].streams, script[-1].flags = [stream], NEW_STREAM
        else:
            script += [Step(RETRY, streams=[stream]), packets.pack(late)]
        session = Session(1, "demo", [Stream(1, trace, "ch0_0", script)])
        relay = FakeRelay([session])
        look("new streams, status %d" % status, relay, session,
             shown(made(1000, 10)) + shown(early, 1) + shown(late))
        relay.close()


def what_is_new_before_what_needs_it():
    """Both flags at once, from a relay of 2.4 that gives the packet only when both were fetched."""
    packets, trace = Packets(), Trace(1, [PLAIN])
    stream = Stream(2, Trace(2, [PLAIN]), "ch0_1", [Packets(1).pack(made(1100, 3)), beacon(9000)])
    needs = packets.pack(made(2000, 3, 1))
    needs.tell, needs.streams = [event_text(1)], [stream]
    needs.flags = NEW_METADATA | NEW_STREAM
    session = Session(1, "demo", [Stream(1, trace, "ch0_0", [packets.pack(made(1000, 3)), needs])])
    relay = FakeRelay([session], 4, twists={PACKET: lambda count, payload, reply: (
        struct.pack(">III", 3, 0, NEW_METADATA | NEW_STREAM)
        if session.late or trace.sent < len(trace.chunks) else reply())})
    look("both flags", relay, session,
         shown(made(1000, 3)) + shown(made(1100, 3), 1) + shown(made(2000, 3, 1)))
    asked = [command for command, unused in relay.log]
    again = len(asked) - asked[::-1].index(PACKET) - 1
    check(NEW_STREAMS in asked[:again] and asked[:again].count(METADATA) > 2,
          "the packet is asked for again before what it needs: %s" % asked)
    relay.close()


def places_to_begin():
    """--follow says what is so of live sessions anyway, and --from is a time as well."""
    for options in (("--follow",), ("--follow", "--from", "beginning")):
        session, want = plain_session()
        relay = FakeRelay([session])
        look("options %s" % (options,), relay, session, want, *options)
        relay.close()
    session, want = plain_session()
    relay = FakeRelay([session])
    look("from a time", relay, session, want[10:], "--from", str(want[10]["time"]))
    relay.close()
    session, want = plain_session()
    relay = FakeRelay([session])
    done = sonde("print", "--format", "json", "--from", "+0", "--until", str(want[25]["time"]), relay.name(session))
    equal("until a time", parse(done.stdout), want[:26])
    equal("status of a part", done.returncode, 0)
    relay.close()


def ends():
    """A session that ends while a stream of it has something left, and one all of whose streams hang up at once."""
    packets = Packets()
    rest = [packets.pack(made(1000 + 100 * i, 5)) for i in range(40)]
    want = list(itertools.chain.from_iterable(shown(made(1000 + 100 * i, 5)) for i in range(40)))
    trace = Trace(1, [PLAIN])
    session = Session(1, "demo", [Stream(1, trace, "ch0_0", rest), Stream(2, trace, "ch0_1", [])])
    relay = FakeRelay([session])
    look("what is left at the end", relay, session, want)
    relay.close()
    session = Session(1, "demo", [Stream(1, Trace(1, [PLAIN]), "ch0_0", [])])
    relay = FakeRelay([session])
    look("nothing at all", relay, session, [])
    relay.close()


def processes_that_end():
    """lttng-relayd before 2.14 drops the last events of a process that has buffers of its own, and nothing shows it:
    what may be incomplete is not called complete."""
    def one(minor, place, count=1):
        trace = Trace(1, [PLAIN])
        streams = [Stream(1, trace, "ch0_0", [Packets().pack(made(1000, 3))], path=place)][:count]
        relay = FakeRelay([Session(1, "demo", streams)], minor)
        done = sonde("print", "--format", "json", relay.name(relay.sessions[0]))
        got = parse(done.stdout)
        incomplete = [line for line in got if line["event"] == "sonde.incomplete"]
        equal("events of " + place, [line for line in got if line not in incomplete],
              shown(made(1000, 3))[:3 * count])
        relay.close()
        return done.returncode, done.stderr.count("events may be missing"), len(incomplete)

    for minor in (4, 13):
        for place in ("ust/pid/app-123-20261122-100000/64-bit", "/out/box/demo/ust/pid/app-1-2/64-bit"):
            equal("minor %d, %s" % (minor, place), one(minor, place), (3, 1, 1))
        for place in ("ust/uid/0/64-bit", "kernel", "ust/uid/0/pid/x", "xust/pid/a"):
            equal("minor %d, %s" % (minor, place), one(minor, place), (0, 0, 0))
        equal("minor %d, no stream" % minor, one(minor, "none", 0), (3, 1, 1))
    for minor in (14, 15):
        equal("minor %d" % minor, one(minor, "ust/pid/app-123-20261122-100000/64-bit"), (0, 0, 0))
        equal("minor %d, no stream" % minor, one(minor, "none", 0), (0, 0, 0))


def main():
    pace()
    new_streams_first()
    what_is_new_before_what_needs_it()
    places_to_begin()
    ends()
    processes_that_end()
    finish()


main()
