#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""A filter by task, beside load: a switch names two tasks, and of the one that was not wanted nothing is known.
Reports, statistics, timelines and tracks show the time of the wanted task alone."""
import json
import os
import subprocess
import sys

import harness
from harness import SONDE, Recorder, check, equal, events, finish, require_root, run

SLEEPS = 100
CPU = min(os.sched_getaffinity(0))
# Names itself, and keeps the CPU busy.
STRANGER = """
import os, sys
os.sched_setaffinity(0, {%d})
with open("/proc/self/comm", "w") as file:
    file.write("stranger")
print("ready", flush=True)
while True:
    pass
""" % CPU
SLEEPER = """
import os, sys, time
os.sched_setaffinity(0, {%d})
with open("/proc/self/comm", "w") as file:
    file.write("sleeper")
print("ready", flush=True)
sys.stdin.readline()
for _ in range(%d):
    time.sleep(0.001)
print("done", flush=True)
sys.stdin.readline()
""" % (CPU, SLEEPS)


def start(program):
    process = subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, text=True)
    harness.cleanups.append(process.kill)
    equal("first line", harness.read_line(process.stdout), "ready\n")
    return process


def report(trace, name, *args):
    done = run(SONDE, "report", trace, name, *args, "--json", good=False)
    return json.loads(done.stdout)["reports"][name]


def check_sides(trace, wanted, stranger):
    """What the switches themselves say: the field agrees with the two tasks."""
    sides = {"PREV": 0, "NEXT": 0}
    beside = 0
    for event in events(trace, "-e", "sched.switch"):
        fields = event["fields"]
        want = {(True, False): 1, (False, True): 2, (True, True): 3}[
            (event["tid"] == wanted, fields["next_tid"] == wanted)]
        equal("wanted of %d -> %d" % (event["tid"], fields["next_tid"]), fields["wanted"], want)
        sides["PREV" if want == 1 else "NEXT"] += 1
        beside += stranger in (event["tid"], fields["next_tid"])
    check(min(sides.values()) >= SLEEPS // 2, "switches: %s" % sides)
    check(beside, "no switch with the stranger")


def check_views(trace, wanted):
    equal("tasks of the report offcpu",
          {row["tid"] for row in report(trace, "offcpu", "--by", "tid,cause")["rows"]}, {wanted})
    equal("accounts of the report offcpu",
          {task["tid"] for task in report(trace, "offcpu")["tasks"]}, {wanted})
    sched = report(trace, "sched")
    equal("tasks of the report sched", {task["tid"] for task in sched["tasks"]}, {wanted})
    waits = events(trace, "-e", "sched.switch", "--where", "wait >= 0")
    check(len(waits) >= SLEEPS // 2, "%d waits" % len(waits))
    equal("tasks that waited", {event["fields"]["next_tid"] for event in waits}, {wanted})
    stats = json.loads(run(SONDE, "stats", "--json", trace, good=False).stdout)
    equal("tasks with time on a CPU",
          {task["tid"] for task in stats["tasks"] if task.get("cpu_ns")}, {wanted})
    drawn = run(SONDE, "graph", trace, "--timeline", "--format", "svg", "-o", "-", good=False).stdout
    check("sleeper" in drawn and "stranger" not in drawn, "the timeline shows the stranger")
    tracks = json.loads(run(SONDE, "convert", "-f", "perfetto", trace, "-o", "-", good=False).stdout)
    tracks = tracks["traceEvents"]
    states = {track["tid"] for track in tracks if track.get("cat") == "state"}
    check(states, "no states")
    text = json.dumps([track for track in tracks if track.get("ph") == "B"])
    check("sleeper" in text, "no slice of the task on a CPU")
    names = {track["name"] for track in tracks if track.get("ph") == "B"}
    check("stranger" not in names, "the CPU's track shows the stranger")
    equal("tasks with a track of states",
          {track["args"]["name"].split()[0] for track in tracks
           if track.get("name") == "thread_name" and track["tid"] in states}, {"sleeper"})


require_root()
stranger, sleeper = start(STRANGER), start(SLEEPER)
for option, value in (("--pid", str(sleeper.pid)), ("--comm", "sleeper")):
    recorder = Recorder("-e", "sched.switch,sched.waking,sched.wakeup", option, value)
    sleeper.stdin.write("go\n")
    sleeper.stdin.flush()
    equal("line of the sleeper", harness.read_line(sleeper.stdout), "done\n")
    equal("exit status", recorder.stop(), 0)
    check_sides(recorder.trace, sleeper.pid, stranger.pid)
    check_views(recorder.trace, sleeper.pid)
    sleeper = sleeper if option == "--comm" else start(SLEEPER)
finish()
