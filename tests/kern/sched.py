#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Every sched measurement, made to happen, with the fields that it must have."""
import os
import subprocess
import sys

from harness import (Recorder, actor_path, check, equal, events, finish, record, require_root)
from undisturbed import Scenarios

undisturbed = Scenarios("sched")


def fields(shown, name, **wanted):
    return [event["fields"] | {"tid": event["tid"], "time": event["time"]} for event in shown
            if event["event"] == name and
            all(event["fields"].get(key, event.get(key)) == value
                for key, value in wanted.items())]


def one(shown, name, **wanted):
    found = fields(shown, name, **wanted)
    equal("%s with %s" % (name, wanted), len(found), 1)
    return found[0] if found else None


def life_of_a_process():
    recorder = Recorder("-e", "sched")
    child = subprocess.Popen([actor_path(), "exit", "7", "a b"], stdin=subprocess.DEVNULL)
    child.wait()
    killed = subprocess.Popen(["sleep", "1000"])
    killed.kill()
    killed.wait()
    equal("exit status", recorder.stop(), 0)
    shown = events(recorder.trace)

    fork = one(shown, "sched.fork", child_tid=child.pid)
    if fork:
        equal("fork: child's process", fork["child_pid"], child.pid)
        equal("fork: parent", (fork["parent_pid"], fork["parent_comm"]),
              (os.getpid(), open("/proc/self/comm", encoding="ascii").read().strip()))
    new = one(shown, "sched.wakeup_new", wake_tid=child.pid)
    if new:
        equal("wakeup_new: process", new["wake_pid"], child.pid)
    begun = one(shown, "sched.exec", pid=child.pid)
    if begun:
        equal("exec: file", begun["filename"], actor_path())
        equal("exec: arguments", begun["args"], actor_path() + " exit 7 a b")
        equal("exec: tids", (begun["tid"], begun["old_tid"]), (child.pid, child.pid))
    end = one(shown, "sched.exit", pid=child.pid)
    if end:
        equal("exit: status 7", end["exit_code"], 7 << 8)
        equal("exit: name", end["exit_comm"], "actor")
        check(fork and end["lifetime_ns"] <= end["time"] - fork["time"] + 1000000000,
              "exit: lifetime %d ns" % end["lifetime_ns"])
    end = one(shown, "sched.exit", pid=killed.pid)
    if end:
        equal("exit: killed", end["exit_code"], 9)
    off = fields(shown, "sched.switch", tid=child.pid)
    equal("switch: the last one is the end", off[-1]["prev_state"] if off else None, 0x80)
    check(fields(shown, "sched.switch", next_tid=child.pid), "switch: the child never comes")


def long_arguments():
    words = ["w%03d" % i for i in range(200)]
    trace, done = record("-e", "sched.exec", "--", "/bin/true", *words)
    text = events(trace, "-e", "sched.exec")[0]["fields"]["args"]
    whole = " ".join(["/bin/true", *words])
    check(250 <= len(text) < 256 and whole.startswith(text),
          "exec: long arguments: %d bytes: %s" % (len(text), text))


def times_used():
    trace, done = record("-e", "sched.exit", "--", actor_path(), "spin", "400")
    user, system, minor, major = map(int, done.stdout.split())
    end = events(trace, "-e", "sched.exit")[0]["fields"]
    used, told = user + system, (end["utime_ns"] + end["stime_ns"]) // 1000
    # Between getrusage and the end there is some more.
    check(-1 <= told - used <= 20000, "exit: %d us used, getrusage tells %d us" % (told, used))
    check(abs(end["utime_ns"] // 1000 - user) <= max(20000, used // 10),
          "exit: %d us in user mode, getrusage tells %d us" % (end["utime_ns"] // 1000, user))
    check(minor <= end["minor_faults"] <= minor + 50,
          "exit: %d minor faults, getrusage tells %d" % (end["minor_faults"], minor))
    equal("exit: major faults", end["major_faults"], major)


SLEEPER = """
import os, time
for i in range(50):
    time.sleep(0.005)
r, w = os.pipe()
parent = "/proc/%d/" % os.getpid()
def reads():
    with open(parent + "syscall") as call, open(parent + "stat") as stat:
        return call.read().split()[:2] == ["0", hex(r)] and stat.read().rsplit(")", 1)[1].split()[0] == "S"
if not os.fork():
    for i in range(50):
        while not reads():
            time.sleep(0.001)
        os.write(w, b"x")
    os._exit(0)
os.close(w)
while os.read(r, 1):
    pass
"""


def wakeups():
    trace, done = record("-e", "sched", "--", sys.executable, "-c", SLEEPER)
    shown = events(trace)
    me = fields(shown, "sched.exec")[0]["pid"]
    child = fields(shown, "sched.fork", parent_pid=me)[0]["child_tid"]
    # INTERRUPTIBLE, since 6.1 FREEZABLE too.
    slept = [one for one in fields(shown, "sched.switch", tid=me, nr=230)
             if one["prev_state"] in (1, 0x2001)]
    check(len(slept) >= 49, "switch: %d sleeps in clock_nanosleep, 50 made" % len(slept))
    by_child = fields(shown, "sched.waking", wake_tid=me, tid=child)
    check(len(by_child) >= 45, "waking: %d by the writer of the pipe, 50 made" % len(by_child))
    woken = fields(shown, "sched.wakeup", wake_tid=me)
    check(len(woken) >= 95, "wakeup: %d, 100 made" % len(woken))
    comes = fields(shown, "sched.switch", next_tid=me)
    check(len(comes) >= 95, "switch: comes %d times, 100 made" % len(comes))
    check(all(one["target_cpu"] < os.cpu_count() for one in woken), "wakeup: an impossible CPU")


MOVER = """
import os
for i in range(20):
    os.sched_setaffinity(0, {i & 1})
"""


def migrations():
    if os.cpu_count() < 2:
        return
    trace, done = record("-e", "sched.migrate", "--", sys.executable, "-c", MOVER)
    moved = [event["fields"] for event in events(trace, "-e", "sched.migrate")]
    moved = [(one["from_cpu"], one["to_cpu"]) for one in moved]
    check(len(moved) >= 19, "migrate: %d moves, 20 made" % len(moved))
    check(all(a != b for a, b in moved), "migrate: from a CPU to itself: %s" % moved)
    check(all(before[1] == after[0] for before, after in zip(moved, moved[1:])),
          "migrate: the moves do not follow each other: %s" % moved)


def wait_channel():
    """Where a task sleeps, by --detail full: the same as /proc tells of one that sleeps there."""
    trace, done = record("-e", "sched.switch", "--detail", "full", "--", "sleep", "0.01")
    asleep = [event["fields"]["wchan"] for event in events(trace, "-e", "sched.switch")
              if event["fields"]["nr"] == 230 and event["fields"]["prev_comm"] == "sleep"]
    with open("/proc/kallsyms", encoding="ascii") as file:
        symbols = [(int(line.split()[0], 16), line.split()[2]) for line in file]
    symbols = sorted(one for one in symbols if one[0])
    names = [max((one for one in symbols if one[0] <= at), default=(0, "?"))[1] for at in asleep]
    check(names and all("nanosleep" in name for name in names),
          "switch: sleep sleeps in %s" % names)


def yield_and_priority():
    trace, done = record("-e", "sched.switch", "--", "chrt", "-f", "7", actor_path(), "calls", "1")
    real_time = [event["fields"] for event in events(trace, "-e", "sched.switch")
                 if event["fields"]["prev_policy"] == 1 and event["fields"]["prev_comm"] == "actor"]
    check(real_time, "switch: no task with policy FIFO")
    equal("switch: priority of FIFO 7", {one["prev_prio"] for one in real_time}, {92})


require_root()
for test in (life_of_a_process, long_arguments, times_used, wakeups, migrations,
             wait_channel, yield_and_priority):
    undisturbed(test)
finish()
