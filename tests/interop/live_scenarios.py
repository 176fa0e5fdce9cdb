#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Courses that a live session can take, each at relays of several habits: what is printed is what the same packets give
when they are read from a directory. The courses have the names that babeltrace's tests of live sessions give them."""
import json
import os
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kern"))
from harness import PATIENCE, SONDE, check, equal, finish, path  # noqa: E402
from fake_relay import (HEAD, LIST, NEW_STREAMS, OK, PACKET, FakeRelay, Packets, Session, Step, Stream,  # noqa: E402
                        Trace, beacon, event_text)

# How a relay behaves: as lttng-relayd does; less of a packet than was asked for; one request at a time, and no packet
# before its metadata; and both.
HABITS = {
    "as lttng-relayd": {},
    "1024 bytes a reply": {"limit": 1024},
    "metadata first": {"strict": True},
    "one request per recv": {"one_per_recv": True, "strict": True},
    "one request per recv, 100 bytes a reply": {"one_per_recv": True, "strict": True, "limit": 100},
}

# Eight bits for all, no clock, and a class that brings a length of its own.
SMALL = b"""/* CTF 1.8 */
typealias integer { size = 8; align = 8; signed = false; } := u8;
trace { major = 1; minor = 8; byte_order = le; };
stream { packet.context := struct { u8 timestamp_begin; u8 timestamp_end; u8 content_size; u8 packet_size; };
  event.header := struct { u8 id; u8 timestamp; }; };
event { name = "first"; id = 1; fields := struct { u8 n; u8 list[n]; }; };
"""
SMALL_MORE = b'event { name = "second"; id = 2; fields := struct { u8 a; u8 m; u8 other[m]; }; };\n'


def sonde(*argv):
    return subprocess.run([SONDE, *argv], capture_output=True, text=True, timeout=PATIENCE)


def made(first, count, number=0, step=10):
    return [(first + step * i, number, i, "text %d" % i) for i in range(count)]


def small_packet(time, number, body):
    size = 4 + 2 + len(body)
    return Step(OK, data=struct.pack("BBBBBB", time, time + 1, 8 * size, 8 * size, number, time) + body,
                begin=time, end=time + 1)


def base():
    """Several streams of several packets, which overlap in time; nothing is lost."""
    trace, streams = Trace(1, [HEAD.encode() + event_text(0)]), []
    for cpu in range(3):
        packets = Packets(cpu)
        script = [packets.pack(made(1000 + cpu + 400 * i, 30 + 10 * cpu)) for i in range(4)]
        streams.append(Stream(1 + cpu, trace, "chan_%d" % cpu, script))
    return [Session(2, "base", streams)]


def multi_domains():
    """One name, two sessions of the relay, two traces; one of them has discarded events."""
    one, two = Trace(1, [HEAD.encode() + event_text(0)]), Trace(2, [HEAD.encode() + event_text(1)])
    kernel, user = Packets(0), Packets(1)
    first = [kernel.pack(made(1000 + 300 * i, 30), discarded=7 * i) for i in range(3)]
    second = [user.pack(made(1005 + 300 * i, 20, 1)) for i in range(3)]
    return [Session(10, "domains", [Stream(1, one, "kernel_0", first, path="kernel")]),
            Session(11, "domains", [Stream(2, two, "user_0", second, path="ust/uid/0/64-bit")])]


def multi_domains_inverse():
    return multi_domains()[::-1]


def inactivity_discarded_packet():
    """A beacon inside the time of packets that are missing."""
    packets = Packets()
    first = packets.pack(made(10, 2, step=5), 0, 20)
    packets.sequence = 8
    script = [first, beacon(80), packets.pack(made(125, 2, step=5), 121, 140)]
    return [Session(3, "inactive", [Stream(1, Trace(1, [HEAD.encode() + event_text(0)]), "chan_0", script)])]


def new_streams():
    """A trace that appears while the only stream so far has nothing but beacons to tell."""
    first, second = Packets(0), Packets(1)
    late = Stream(2, Trace(2, [HEAD.encode() + event_text(1)]), "late_0",
                  [second.pack(made(110, 1, 1)), second.pack(made(130, 1, 1))])
    script = [first.pack(made(10, 1)), first.pack(made(20, 1)), beacon(40), beacon(50),
              beacon(85, streams=[late]), beacon(100), beacon(120), beacon(200)]
    return [Session(4, "appearing", [Stream(1, Trace(1, [HEAD.encode() + event_text(0)]), "early_0", script)])]


def split_metadata():
    """The class of an event comes with the packet that needs it, after a reply that is OK and empty."""
    packets, trace = Packets(), Trace(1, [HEAD.encode() + event_text(0)])
    script = [packets.pack(made(1000, 3)), packets.pack(made(2000, 3, 1)), packets.pack(made(3000, 3))]
    script[1].tell, script[1].flags = [b"", event_text(1)], 1
    return [Session(5, "split", [Stream(1, trace, "chan_0", script)])]


def stored_values():
    """Metadata that grows by a class with a length of its own."""
    script = [small_packet(10, 1, b"\x02\x05\x06"), small_packet(20, 2, b"\x01\x03\x07\x08\x09"),
              small_packet(30, 1, b"\x00")]
    script[1].tell, script[1].flags = [b"", SMALL_MORE], 1
    return [Session(6, "values", [Stream(1, Trace(1, [SMALL]), "chan_0", script)])]


def files_of(sessions, folder):
    """The same as a directory, of all that is in the scripts."""
    streams = [s for session in sessions for s in session.streams]
    for stream in list(streams):
        for step in stream.script:
            streams += step.streams
    for stream in streams:
        place = os.path.join(folder, "trace%d" % stream.trace.number)
        os.makedirs(place, exist_ok=True)
        told = [text for s in streams if s.trace is stream.trace for step in s.script for text in step.tell]
        with open(os.path.join(place, "metadata"), "wb") as out:
            out.write(b"".join(stream.trace.chunks + told))
        with open(os.path.join(place, stream.channel), "wb") as out:
            out.write(b"".join(step.data for step in stream.script))


def printed(*argv):
    """Events, losses by kind, exit status."""
    done = sonde("print", "--format", "json", *argv)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    lost = [one["fields"] for one in lines if one["event"] == "sonde.lost"]
    return ([one for one in lines if one["event"] != "sonde.lost"],
            (sum(one["count"] for one in lost), sum(one["packets"] for one in lost)),
            done.returncode), done.stderr


def course(make, lost=(0, 0), events=0):
    folder = path(make.__name__)
    files_of(make(), folder)
    want, unused = printed(folder)
    equal(make.__name__ + ": events in the directory", len(want[0]), events)
    equal(make.__name__ + ": losses in the directory", want[1:], (lost, 3 if any(lost) else 0))
    for habit, options in HABITS.items():
        relay = FakeRelay(make(), **options)
        what = "%s, %s" % (make.__name__, habit)
        got, said = printed(relay.name(relay.sessions[0]))
        equal(what + ": events", got[0], want[0])
        equal(what + ": losses and status", got[1:], want[1:])
        check(bool(said) == any(lost), "%s: said %r" % (what, said))
        equal(what + ": packets asked for before their metadata", relay.refused, 0)
        if options.get("one_per_recv"):
            equal(what + ": bytes of requests that were dropped", relay.dropped, 16)
        relay.close()


def list_sessions():
    """Domains of one name are one session."""
    for options in ({}, {"one_per_recv": True}):
        relay = FakeRelay(multi_domains() + base(), **options)
        done = sonde("sessions", "--json", relay.url)
        equal("list: status", (done.returncode, done.stderr), (0, ""))
        got = [json.loads(line) for line in done.stdout.splitlines()]
        equal("list", sorted((one["session"], one["streams"], one["viewers"]) for one in got),
              [("base", 4, 0), ("domains", 4, 0)])
        equal("list: requests", relay.counts.get(LIST), 1)
        relay.close()


def large_in_pieces():
    """Packets that are asked for in several pieces, all of which come short. The relay says that the session has
    ended while the packet of one stream has come and that of the other has not."""
    packets = [Packets(cpu) for cpu in range(2)]
    events = [made(1000 + cpu, 20000 + 60000 * cpu) for cpu in range(2)]
    trace = Trace(1, [HEAD.encode() + event_text(0)])
    streams = [Stream(1 + cpu, trace, "chan_%d" % cpu, [packets[cpu].pack(events[cpu])]) for cpu in range(2)]
    relay = FakeRelay([Session(1, "large", streams)], limit=3000)
    got, said = printed(relay.name(relay.sessions[0]))
    equal("large: said", said, "")
    times = [one["time"] for one in got[0]]
    equal("large: events, losses and status", [len(times), got[1:]], [100000, ((0, 0), 0)])
    check(times == sorted(times), "large: events in the order of their times")
    check(relay.counts[PACKET] > 100000 * 20 // 3000, "requests for packets: %d" % relay.counts[PACKET])
    relay.close()


def refused_for_ever():
    """A relay that says about a packet "after the new metadata", and never gives it."""
    sessions = base()
    relay = FakeRelay(sessions, 10, twists={
        PACKET: lambda count, payload, reply: struct.pack(">III", 3, 0, 1) if payload[:8] == bytes(7) + b"\2"
        else reply()})
    done = sonde("print", relay.name(sessions[0]))
    equal("refused for ever: status", done.returncode, 1)
    check("does not have a packet" in done.stderr, "refused for ever: said " + done.stderr)
    equal("refused for ever: events of the others", done.stdout.count("\n"), 4 * 30 + 4 * 50)
    check(relay.counts[PACKET] > 100 and relay.counts[NEW_STREAMS] > 1, "asked: %s" % relay.counts)
    relay.close()


def main():
    list_sessions()
    course(base, events=4 * (30 + 40 + 50))
    course(multi_domains, lost=(14, 0), events=150)
    course(multi_domains_inverse, lost=(14, 0), events=150)
    course(inactivity_discarded_packet, lost=(0, 7), events=4)
    course(new_streams, events=4)
    course(split_metadata, events=9)
    course(stored_values, events=3)
    large_in_pieces()
    refused_for_ever()
    finish()


main()
