#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The same calls and switches as strace, perf trace and perf sched see them, beside Sonde."""
import collections
import re
import shutil
import statistics
import subprocess
import sys

from harness import (Recorder, actor_path, check, cleanups, clock_offset_ns, equal, events, finish,
                     is_entry, path, record, require_root, run, until)
from mounts import own_mounts
from undisturbed import Scenarios

undisturbed = Scenarios("sched")

SLEEPS = 20
WORK = """
import os, time
for i in range(%d):
    time.sleep(0.003)
    os.getppid()
for name in ("/", "/nowhere"):
    try:
        os.stat(name)
    except OSError:
        pass
if not os.fork():
    os.getppid()
    os._exit(0)
os.wait()
""" % SLEEPS
PROGRAM = [sys.executable, "-S", "-c", WORK]


def since_its_start(shown, program):
    """The events of @program and its children, behind its start. Whoever starts it has been another
    program until then."""
    start = [event for event in shown if event["event"] == "sched.exec" and
             event["fields"]["filename"] == program][-1]
    family = {start["tid"]}
    for event in shown:
        if event["event"] == "sched.fork" and event["tid"] in family:
            family.add(event["fields"]["child_tid"])
    return start["tid"], [event for event in shown if event["tid"] in family and
                          event["time"] > start["time"]]


def ended_calls(shown):
    """The exits of calls that have a beginning: what makes a task returns in the new one too."""
    begun, found = set(), []
    for event in shown:
        if is_entry(event["event"]):
            begun.add(event["tid"])
        elif event["event"] == "sys.exit" and event["tid"] in begun:
            begun.remove(event["tid"])
            found.append(event)
    return found


def strace_counts():
    trace, done = record("-e", "sys,sched.fork,sched.exec", "--", "strace", "-f", "-c", "-o",
                         path("counts"), *PROGRAM)
    told = {}
    with open(path("counts"), encoding="ascii") as file:
        for line in file:
            words = line.split()
            if len(words) >= 5 and words[3].isdigit() and words[-1] != "total":
                told[words[-1]] = int(words[3]), int(words[4]) if len(words) == 6 else 0
    told.pop("execve", None)
    unused, shown = since_its_start(events(trace), sys.executable)
    calls = collections.Counter(event["names"]["nr"] for event in ended_calls(shown))
    failed = collections.Counter(event["names"]["nr"] for event in ended_calls(shown)
                                 if -4096 < event["fields"]["ret"] < 0)
    equal("calls and errors by name, by strace -c",
          {name: (count, failed[name]) for name, count in calls.items()}, told)
    check(told.get("getppid", (0, 0))[0] == SLEEPS + 1, "strace -c counts %s" % (told,))


def strace_times():
    """A call lies within what strace sees of it: it stops the task before and behind."""
    trace, done = record("-e", "sys,sched.exec", "--", "strace", "-T", "-e", "clock_nanosleep",
                         "-o", path("times"), *PROGRAM)
    with open(path("times"), encoding="ascii") as file:
        told = [float(re.search(r"<(.*)>$", line)[1]) * 1e9 for line in file if "<" in line]
    unused, shown = since_its_start(events(trace), sys.executable)
    begun, lasted = None, []
    for event in shown:
        if event.get("names", {}).get("nr") == "clock_nanosleep":
            if is_entry(event["event"]):
                begun = event["time"]
            else:
                lasted.append(event["time"] - begun)
    equal("sleeps that strace tells, and made", (len(told), len(lasted)), (SLEEPS, SLEEPS))
    check(all(0 < ours <= theirs + 1000 for ours, theirs in zip(lasted, told)),
          "sleeps: (sonde, strace) %s" % list(zip(lasted, told)))


def perf_trace():
    trace, done = record("-e", "sys,sched.fork,sched.exec", "--", "perf", "trace", "-s", "-o",
                         path("summary"), "--", *PROGRAM)
    told, tid = {}, None
    with open(path("summary"), encoding="utf-8") as file:
        for line in file:
            head = re.match(r" \S.* \((\d+)\), \d+ events", line)
            row = re.match(r"   (\w+) +(\d+) +(\d+) ", line)
            if head:
                tid = int(head[1])
            elif row:
                told[tid, row[1]] = int(row[2])
    me, shown = since_its_start(events(trace), sys.executable)
    calls = collections.defaultdict(list)
    for event in shown:
        if event["event"] == "sys.exit" and event["names"]["nr"] != "execve":
            calls[event["tid"]].append(event["names"]["nr"])
    for task, names in calls.items():
        want = {name: count for (tid, name), count in told.items()
                if tid == task and name != "execve"}
        # What a child did before perf has read of its fork, it forgets (machine.c of its source:
        # machine__process_fork_event).
        forgotten = 0 if task == me else len(names) - sum(want.values())
        equal("calls of task %d by name, by perf trace -s" % task,
              dict(collections.Counter(names[max(forgotten, 0):])), want)
    check((me, "getppid") in told, "perf trace -s tells %s" % told)


def perf_sched():
    """Switches of a task exactly, what ran before and behind, and how long it waited each time."""
    child = subprocess.Popen([sys.executable, "-S", "-c", "import sys\nsys.stdin.readline()\n" +
                              WORK], stdin=subprocess.PIPE)
    cleanups.append(child.kill)
    data = path("perf.data")
    recorder = Recorder("-e", "sched", "--pid", str(child.pid))
    perf = subprocess.Popen(["perf", "sched", "record", "-q", "-k", "mono", "-o", data, "--",
                             "sleep", "1000"], stderr=subprocess.DEVNULL)
    cleanups.append(perf.kill)
    until(lambda: run("pgrep", "-x", "-P", str(perf.pid), "sleep", good=False).stdout, "perf sched has begun")
    child.communicate(b"go\n")
    perf.send_signal(2)
    perf.wait()
    equal("exit status", recorder.stop(), 0)
    offset = clock_offset_ns(recorder.trace)
    ours = [(event["time"] - offset, event["tid"], event["fields"]["next_tid"])
            for event in events(recorder.trace, "-e", "sched.switch")]
    theirs = []
    lines = run("perf", "script", "-i", data, "--ns", "-F", "time,event,trace").stdout
    for line in lines.splitlines():
        row = re.match(r" *(\d+)\.(\d{9}): +sched:sched_switch: .*prev_pid=(\d+) .*next_pid="
                       r"(\d+)", line)
        if row and str(child.pid) in row.group(3, 4):
            theirs.append((int(row[1]) * 1000000000 + int(row[2]), int(row[3]), int(row[4])))
    # From its first switch behind the beginning of both, to its end.
    out = [[at for at, left, comes in found if left == child.pid] for found in (ours, theirs)]
    first = len(out[0]) - len(out[1])
    check(0 <= first <= 3 and len(out[1]) > SLEEPS,
          "switches away: %d of sonde, %d of perf sched" % (len(out[0]), len(out[1])))
    apart = [abs(a - b) for a, b in zip(out[0][first:], out[1])]
    # Both look at the same hook, one after the other, but for an interrupt now and then.
    check(statistics.median(apart) < 50000, "they are %d ns apart" % statistics.median(apart))
    told = [float(row[1]) for row in re.finditer(
        r"\[%d\] +[\d.]+ +([\d.]+) " % child.pid,
        run("perf", "sched", "timehist", "-i", data).stdout)]
    waits = waits_for_cpu(events(recorder.trace), child.pid)[-len(told) + 1:]
    check(len(waits) >= SLEEPS, "%d waits for a CPU" % len(waits))
    apart = [abs(ours_ns / 1e6 - theirs_ms) for ours_ns, theirs_ms in zip(waits, told[1:])]
    check(statistics.median(apart) < 0.05,
          "waits from wakeup to running are %f ms apart from those of perf sched timehist" %
          statistics.median(apart))


def waits_for_cpu(shown, tid):
    """ns from each waking to the switch that follows it."""
    waking, found = None, []
    for event in shown:
        fields = event["fields"]
        if event["event"] == "sched.waking" and fields["wake_tid"] == tid:
            waking = event["time"]
        elif event["event"] == "sched.switch" and fields["next_tid"] == tid:
            found.append(event["time"] - waking if waking else 0)
            waking = None
    return found


require_root()
own_mounts()  # perf mounts tracefs
for tool, tests in {"strace": (strace_counts, strace_times),
                    "perf": (perf_trace, perf_sched)}.items():
    if not shutil.which(tool):
        print("not tested: there is no " + tool)
        continue
    for test in tests:
        undisturbed(test)
finish()
