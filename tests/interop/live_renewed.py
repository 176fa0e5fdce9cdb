#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Metadata of a live session grows while something is under way: what had begun before ends behind it as if nothing had
been."""
import ctypes
import errno
import json
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kern"))
from harness import SONDE, equal, finish, until  # noqa: E402
from fake_relay import HEAD, NEW_METADATA, RETRY, FakeRelay, Packets, Session, Step, Stream, Trace  # noqa: E402
from lttng_relay import Viewer  # noqa: E402

ENTER, EXIT, QUEUE, LATE = range(4)
GETPID = 39
NUMBER = "integer { size = 64; align = 8; signed = %s; } "


def describe(number, name, *fields):
    text = " ".join(NUMBER % ("true" if field == "ret" else "false") + field + ";" for field in fields)
    if name.startswith("disk"):
        text += " integer { size = 8; align = 8; encoding = UTF8; } disk[16];"
    return 'event { name = "%s"; id = %d; stream_id = 0; fields := struct { %s }; };\n' % (
        name, number, text)


METADATA = (HEAD.replace("event.header", "event.context := struct { integer { size = 32; align = 8; "
                         "signed = true; } tid; };\n  event.header")
            + describe(ENTER, "sys.enter", "nr") + describe(EXIT, "sys.exit", "nr", "ret")
            + describe(QUEUE, "disk.queue", "request", "bytes", "op", "sector", "prio_class")).encode()
MORE = describe(LATE, "late", "nr").encode()


def event(kind, time, *numbers, text=b""):
    return struct.pack("<IQi%dQ" % len(numbers), kind, time, 7, *numbers) + text


def queued(time, request, sector):
    return event(QUEUE, time, request, 512, 0, sector, 0, text=b"sda".ljust(16, b"\0"))


FIRST = event(ENTER, 1000, GETPID) + queued(1100, 1, 50)
SECOND = event(LATE, 2900, 1) + event(EXIT, 3000, GETPID, 0) + queued(3100, 2, 60)


class Growing:
    """A relay whose session has the first packet; the second comes by go_on, with metadata that describes it."""

    def __init__(self):
        self.packets = Packets()
        self.stream = Stream(1, Trace(1, [METADATA]), "ch0_0",
                             [self.packets.wrap(FIRST, 1000, 1100), Step(RETRY)])
        self.session = Session(5, "demo", [self.stream])
        self.session.stay = True
        self.relay = FakeRelay([self.session])
        self.url = self.relay.name(self.session)

    def go_on(self):
        step = self.packets.wrap(SECOND, 2900, 3100)
        step.tell, step.flags = [MORE], NEW_METADATA
        with self.relay.lock:
            self.session.stay = False
            self.stream.script = [step]


def events(verb, *options):
    """What is printed of a session whose metadata grows once all of the first packet was."""
    growing = Growing()
    viewer = Viewer(growing.url, *options, verb=verb)
    until(lambda: viewer.lines() == 2, "the first packet was read")
    growing.go_on()
    equal("status of %s" % (options,), viewer.wait(), 0)
    equal("said of %s" % (options,), viewer.said(), "")
    growing.relay.close()
    return viewer


def printed():
    got = events(("print", "--format", "json"), "--where", "sys.enter || disk.queue || dur == 2us").events()
    equal("what was under way ends", [one["event"] for one in got],
          ["sys.enter", "disk.queue", "sys.exit", "disk.queue"])
    got = events(("print", "--format", "json"), "--queues").events()
    equal("what waited goes on to do so", [one["waiting"]["sectors"] for one in got
                                           if one["event"] == "disk.queue"], [[50], [50, 60]])
    lines = events(("print", "--time", "rel"),).text().splitlines()
    equal("times since the first event", [line.split()[0] for line in lines],
          ["+0.000000000", "+0.000000100", "+0.000001900", "+0.000002000", "+0.000002100"])


def counted():
    """What shows totals at the end counts from the begin again."""
    growing = Growing()
    viewer = Viewer(growing.url, verb=("report", "--json"))
    until(lambda: growing.relay.counts.get(4, 0) > 3, "the first packet was read")
    growing.go_on()
    equal("status of report", viewer.wait(), 0)
    calls = json.loads(viewer.text())["reports"]["syscalls"]
    equal("calls of report", (calls["calls"], calls["unmatched"], calls["total_ns"]), (1, 0, 2000))
    growing.relay.close()


def library():
    build = os.path.dirname(os.path.dirname(os.path.dirname(SONDE)))
    lib = ctypes.CDLL(os.path.join(build, "src", "lib", "libsonde.so"))
    lib.sonde_event_time_ns.restype = ctypes.c_int64
    growing = Growing()
    source, event_ = ctypes.c_void_p(), ctypes.c_void_p()
    equal("opening", lib.sonde_open(growing.url.encode(), ctypes.byref(source), None), 0)
    equal("filter", lib.sonde_filter_where(source, b"sys.enter || dur == 2us", None), 0)
    times = []
    while (got := lib.sonde_next(source, ctypes.byref(event_), None)) > 0 or got == -errno.EAGAIN:
        if got > 0:
            times.append(lib.sonde_event_time_ns(event_) % 10**9)
        if len(times) == 1 and growing.session.stay:
            growing.go_on()
    equal("the end of reading", got, 0)
    equal("what was under way ends, in the library too", times, [1000, 3000])
    lib.sonde_close(source)
    growing.relay.close()


def main():
    printed()
    counted()
    library()
    finish()


main()
