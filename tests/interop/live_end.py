#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""A live session whose trace ends with an end mark, of a recording or of a converted trace: what the mark says and what was
received are compared, and a trace that ended early, or of which packets never came, is reported and exits 3."""
import argparse
import json
import os
import random
import re
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kern"))
import make_trace  # noqa: E402
from harness import SONDE, check, equal, finish, fresh, run  # noqa: E402
from live_viewer import Relay  # noqa: E402

CPUS, EVENTS = 2, 2000
RECORDER = (1 << 32) - 1  # of_cpu of the recorder's own stream
STOPPED, DISK_FULL = 0, 1
METADATA = """
stream {
	id = 1; packet.context := struct packet_context; event.header := struct event_header;
	event.context := struct event_context;
};
event { id = 9; stream_id = 1; name = "sonde.stream"; fields := struct {
	u64 events; u64 lost; u64 unwritten; u64 packets; u64 last_packet; u32 of_cpu; u32 of_level; }; };
event { id = 10; stream_id = 1; name = "sonde.end"; fields := struct {
	u64 events; u64 lost; u32 streams; u32 reason; }; };
"""


def packets(trace, cpu):
    with open("%s/index/cpu%d_level0.idx" % (trace, cpu), "rb") as index:
        return (len(index.read()) - 16) // 72


def make(reason=STOPPED, marked=True, more_packets=0, lost=0):
    """A trace whose mark says @more_packets and @lost more than is there of CPU 1."""
    trace = fresh("marked")
    run(sys.executable, make_trace.__file__, trace, "--cpus", str(CPUS), "--events", str(EVENTS))
    with open(trace + "/metadata", "a", encoding="ascii") as file:
        file.write(METADATA)
    time = 1 << 40
    totals = [(EVENTS // CPUS, cpu * lost, 0, count, count - 1, cpu, 0)
              for cpu, count in enumerate(packets(trace, cpu) + cpu * more_packets for cpu in range(CPUS))]
    totals.append((len(totals) + 2, 0, 0, 1, 0, RECORDER, 0))
    records = [make_trace.record(9, time, time, 0, struct.pack("<5QII", *total)) for total in totals]
    records.append(make_trace.record(10, time, time, 0, struct.pack("<QQII", EVENTS, lost, CPUS + 1, reason)))
    state = {"cpu": 0, "lost": 0, "nested": 0, "seq": 0, "named": 0}
    args = argparse.Namespace(marks=False, lost=False)
    with open(trace + "/recorder", "w+b") as out, open(trace + "/index/recorder.idx", "wb") as index:
        index.write(struct.pack(">4I", 0xC1F1DCC1, 1, 1, 72))
        make_trace.write_packet(out, index, state, records if marked else records[:1], time, time, args,
                                random.Random(1))
        out.seek(20)  # behind magic and UUID: the id of the stream's class
        out.write(struct.pack("<I", 1))
    with open(trace + "/index/recorder.idx", "r+b") as index:
        index.seek(16 + 48)
        index.write(struct.pack(">Q", 1))
    return trace


def live(trace, status, words, lost=0):
    relay = Relay(trace)
    for verb in ("print",), ("stats", "--json"):
        done = run(SONDE, *verb, relay.urls[0], good=False)
        equal("%s of %s: exit status" % (verb[0], words), done.returncode, status)
        equal("what is incomplete, as %s says it" % verb[0], done.stderr.count(words or "incomplete"), bool(words))
    totals = json.loads(done.stdout)
    equal("lost: " + words, totals["lost"], lost)
    check(bool(totals.get("missing")) == bool(words), "missing: %s" % totals.get("missing"))
    relay.stop()
    here = run(SONDE, "stats", "--json", trace, good=False)
    equal("the same from the directory", (here.returncode, json.loads(here.stdout)["lost"]), (status, lost))


live(make(), 0, "")
live(make(reason=DISK_FULL), 3, "the recording ended early: disk full")
live(make(marked=False), 3, "it has no end mark")
live(make(more_packets=3), 3, "cpu1_level0: ends with packet number")
live(make(lost=7), 3, "", lost=7)
gone = make()
os.unlink(gone + "/cpu1_level0")
os.unlink(gone + "/index/cpu1_level0.idx")
live(gone, 3, "cpu1_level0: the")


def convert(source, good=True):
    trace = fresh("converted")
    run(SONDE, "convert", source, "-o", trace, good=good)
    return trace


def mark(trace, text):
    """The end mark of a converted trace, with @text in front of its last line."""
    with open(trace + "/.end", encoding="ascii") as file:
        lines = file.readlines()
    with open(trace + "/.end", "w", encoding="ascii") as file:
        file.writelines(lines[:-1] + [text] + lines[-1:])
    return trace


live(convert(make()), 0, "")
live(convert(make(marked=False), good=False), 3, "it was converted from an incomplete trace: incomplete: it has no end mark")
live(mark(convert(make()), "missing the conversion was interrupted\n"), 3, "the conversion was interrupted")
live(mark(convert(make()), "this is no line of a mark\n"), 3, "its end mark (.end) cannot be read: it is damaged")
unmarked = convert(make())
os.unlink(unmarked + "/.end")
live(unmarked, 3, "it has no end mark (.end)")
gone = convert(make())
os.unlink(gone + "/cpu1_level0")
os.unlink(gone + "/index/cpu1_level0.idx")
live(gone, 3, "cpu1_level0: the")
short = convert(make())
with open(short + "/.end", encoding="ascii") as lines:
    end = lines.read()
with open(short + "/.end", "w", encoding="ascii") as lines:  # three packets more, of as many events
    lines.write(re.sub("(stream cpu1_level0 .*) 1 0\n", r"\1 4 3\n", end))
live(short, 3, "cpu1_level0: ends with packet number")
finish()
