#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""A synthetic trace with layouts that the recorder has seldom or never: bit fields, floats, nested
structures, sequences, extended heads. babeltrace2 and sonde read the same."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kern"))
from harness import check, equal, finish, path  # noqa: E402
from side_by_side import compare_trace  # noqa: E402

EVENTS = 5000


def main():
    writer = os.path.join(os.path.dirname(os.path.abspath(__file__)), "make_trace.py")
    trace = path("synthetic")
    subprocess.run([sys.executable, writer, trace, "--events", str(EVENTS)], check=True)
    ours = compare_trace(trace)
    equal("events", len(ours), EVENTS)
    names = {event["event"] for event in ours}
    equal("classes", names, {"sys.enter", "tcp.state", "sched.far", "odd", "sequences"})
    check(any(not event["fields"]["in.stack"] for event in ours if event["event"] == "sequences"),
          "no sequence is empty")
    finish()


main()
