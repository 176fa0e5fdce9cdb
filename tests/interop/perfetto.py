#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Traces as tracks for the Perfetto UI: the format's rules are kept, and slices, arrows and counters are
those that reports of the same trace tell."""
import json
import os
import signal
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "kern")]
from harness import SONDE, check, equal, finish, path, run  # noqa: E402
from trace_events import TraceEvents, compare  # noqa: E402

ROOT = os.path.join(HERE, "..", "..")


def written(trace, name, *options):
    """The file made of a trace; a trace with losses is read whole, too."""
    file = path(name + ".json")
    with open(file, "w", encoding="utf-8") as out:
        done = subprocess.run([SONDE, "print", "--format", "perfetto", *options, trace], stdout=out,
                              check=False)
    check(done.returncode in (0, 3), "%s: status %d" % (name, done.returncode))
    return file


def whole(trace, name, filtered):
    return compare(trace, written(trace, name), name, filtered)


def recorded():
    data = os.path.join(ROOT, "tests", "golden", "data")
    whole(os.path.join(data, "busy"), "busy", False)
    visit = whole(os.path.join(data, "visit"), "visit", True)
    equal("visit: processes", sorted(visit.processes.values()),
          ["CPUs", "TCP connections", "visit", "visit"])
    equal("visit: who wakes whom", visit.arrows, 2)
    packets = whole(os.path.join(data, "ping_pong"), "ping_pong", True)
    check(len(packets.asyncs) > 9, "ping_pong: packets")
    bottleneck = whole(os.path.join(ROOT, "examples", "bottleneck"), "bottleneck", True)
    check(bottleneck.arrows > 100, "bottleneck: arrows")
    check(len(bottleneck.counters) > 20, "bottleneck: counters")


def synthetic():
    """Fields of every kind, nested names, and sequences."""
    trace = path("synthetic")
    subprocess.run([sys.executable, os.path.join(HERE, "make_trace.py"), trace, "--events", "3000"],
                   check=True)
    got = TraceEvents(written(trace, "synthetic"), "synthetic")
    check(any("in.stack" in point["args"] for point in got.points), "synthetic: no sequence")


def parts():
    """Filters, and a reader that is told to stop: what there is is whole."""
    trace = os.path.join(ROOT, "examples", "bottleneck")
    only = TraceEvents(written(trace, "calls", "-e", "sys"), "calls")
    equal("calls: categories", {s.cat for s in only.slices}, {"sys"})
    late = TraceEvents(written(trace, "late", "--from", "+0.3", "-e", "sched,sys"), "late")
    check(late.slices, "late: nothing")
    some = TraceEvents(written(trace, "some", "--where", "sys.exit && ret < 0"), "some")
    check(all(point["name"] == "sys.exit" for point in some.points) and some.points, "some: other")
    few = TraceEvents(written(trace, "few", "-n", "7"), "few")
    check(few.events, "few: nothing")
    converted = path("converted.json")
    run(SONDE, "convert", trace, "--format", "perfetto", "-o", converted)
    with open(converted, encoding="utf-8") as one, \
            open(written(trace, "all"), encoding="utf-8") as other:
        check(one.read() == other.read(), "convert writes what print does not")
    read, write = os.pipe()
    process = subprocess.Popen([SONDE, "print", "--format", "perfetto", trace], stdout=write)
    os.close(write)
    begin = os.read(read, 1000)
    process.send_signal(signal.SIGINT)
    with os.fdopen(read, "rb") as rest:
        whole_text = begin + rest.read()
    process.wait()
    check(json.loads(whole_text)["traceEvents"], "interrupted: nothing")


def main():
    recorded()
    synthetic()
    parts()
    run(SONDE, "print", "--format", "perfetto", path("nothing"), good=False)
    finish()


main()
