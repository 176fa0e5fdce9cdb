#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Where the recorder cannot keep up, each event is either in the trace or counted as lost, and
every reader tells the same count."""
import os
import re
import signal

from harness import Actor, Recorder, check, equal, events, finish, require_root, run, stats

ROUND = 50000

require_root()
# On one CPU, so in one stream, where what is lost lies between neighbours.
actor = Actor("rounds", str(ROUND), preexec_fn=lambda: os.sched_setaffinity(0, {0}))
recorder = Recorder("-e", "sys.enter", "--pid", str(actor.pid), "--syscall", "getpgid",
                    "--buffer", "64K")
actor.act()
recorder.send(signal.SIGSTOP)
actor.act()  # 3.6 MB: some of it must be lost
recorder.send(signal.SIGCONT)
actor.act()
equal("exit status", recorder.stop(), 3)

shown = events(recorder.trace, "-e", "sys.enter", good=3)
calls = [event for event in shown if event["event"] == "sys.getpgid"]
places = [event for event in shown if event["event"] != "sys.getpgid"]
numbers = [event["fields"]["target_pid"] for event in calls]
missing = 3 * ROUND - len(numbers)
check(missing > ROUND / 2, "%d lost: the ring was never full" % missing)
equal("calls that are there twice", len(numbers) - len(set(numbers)), 0)
told = stats(recorder.trace)
equal("lost of sonde stats, and written + lost = made", told["lost"], missing)
equal("lost by its causes", sum(one["events"] for one in told["losses"]), missing)

summary = re.search(r"^([\d,' ]+) events LOST", recorder.stderr, re.MULTILINE)
if check(summary, "the summary tells no loss: " + recorder.stderr):
    equal("lost of the summary", int(re.sub(r"\D", "", summary[1])), missing)
check("--buffer" in recorder.stderr, "the summary names no remedy: " + recorder.stderr)

other = run("babeltrace2", recorder.trace)
equal("events of babeltrace2", sum(" sys.getpgid: " in line for line in other.stdout.splitlines()),
      len(calls))
discarded = [int(word) for word in re.findall(r"discarded (\d+) event", other.stderr)]
equal("discarded events of babeltrace2", sum(discarded), missing)

# Told where it happened: between the last call before the gap and the first one behind it.
equal("what else sonde print shows", {event["event"] for event in places}, {"sonde.lost"})
number, gap = -1, 0
for event in shown:
    if event["event"] == "sonde.lost":
        gap += event["fields"]["count"]
        continue
    if not equal("lost in front of call %d" % event["fields"]["target_pid"], gap,
                 event["fields"]["target_pid"] - number - 1):
        break
    number, gap = event["fields"]["target_pid"], 0
equal("lost behind the last call", gap, 3 * ROUND - 1 - number)
finish()
