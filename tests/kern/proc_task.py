#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What /proc says of a task, asked for while it sleeps, against what Sonde recorded in between:
switches and turns exactly, times within what the two clocks can differ by."""
import os
import subprocess
import sys
import time

from harness import (Recorder, actor_path, check, cleanups, clock_offset_ns, equal, events, finish,
                     is_entry, record, require_root, until)
from hidden import strangers_turns
from undisturbed import Scenarios

undisturbed = Scenarios("sched")

# The scheduler takes the time when it begins to choose, the record when it has chosen; in between
# lies the choice, and now and then an interrupt.
SWITCH_NS = 30000
TICK_NS = 1000000000 // os.sysconf("SC_CLK_TCK")
READ = 0  # the number of the system call that the task waits in

TASK = """
import os, sys, time
while sys.stdin.readline():
    for i in range(10):
        time.sleep(0.001)
        end = time.monotonic() + 0.002
        while time.monotonic() < end:
            pass
        os.sched_yield()
"""


def read(pid, name):
    with open("/proc/%d/%s" % (pid, name), encoding="ascii") as file:
        return file.read()


def sleeps(pid):
    """In read(0): and so it has gone to sleep, and been counted."""
    return (read(pid, "syscall").split()[:2] == [str(READ), "0x0"] and
            "State:\tS" in read(pid, "status"))


def steal_ns():
    with open("/proc/stat", encoding="ascii") as file:
        return int(file.readline().split()[8]) * TICK_NS


class Account:
    """/proc's account of a task that sleeps."""

    def __init__(self, pid):
        until(lambda: sleeps(pid), "the task sleeps")
        status = dict(line.split(":\t") for line in read(pid, "status").splitlines()
                      if "ctxt_switches" in line)
        self.voluntary = int(status["voluntary_ctxt_switches"])
        self.involuntary = int(status["nonvoluntary_ctxt_switches"])
        self.ran_ns, self.waited_ns, self.turns = map(int, read(pid, "schedstat").split())
        self.pc = int(read(pid, "syscall").split()[-1], 16)
        self.time_ns, self.steal_ns = time.monotonic_ns(), steal_ns()


def has_left(pid, before):
    """It does not sleep there any more, or sleeps there again: so it may be where we look late."""
    if not sleeps(pid):
        return True
    status = dict(line.split(":\t") for line in read(pid, "status").splitlines() if ":\t" in line)
    return int(status["voluntary_ctxt_switches"]) > before.voluntary


def between(shown, tid, since, end):
    """(out, in) of the task, and when it became able to run: the times of its records."""
    out, back, able = [], [], []
    for event in shown:
        fields, at = event["fields"], event["time"]
        if not since < at < end:
            continue
        if event["event"] == "sched.switch" and event["tid"] == tid:
            out.append((at, fields["prev_state"]))
        elif event["event"] == "sched.switch" and fields["next_tid"] == tid:
            back.append(at)
        elif event["event"] == "sched.wakeup" and fields["wake_tid"] == tid:
            able.append(at)
    return out, back, able


def waits(out, back, able):
    """ns from each time that it could run, woken or preempted, until it did."""
    ready = sorted(able + [at for at, state in out if not state])
    return sum(back) - sum(ready) if len(ready) == len(back) else None


def let_it_work(child):
    """Has the task work until nobody meanwhile did what is kept from BPF; its account at both
    ends."""
    for unused in range(500):
        turns, before = strangers_turns(), Account(child.pid)
        child.stdin.write(b"go\n")
        child.stdin.flush()
        until(lambda: has_left(child.pid, before), "the task runs")
        after = Account(child.pid)
        if strangers_turns() == turns:
            return before, after
    raise RuntimeError("process 1 always did something meanwhile")


def account_of_a_task():
    child = subprocess.Popen([sys.executable, "-S", "-c", TASK], stdin=subprocess.PIPE)
    cleanups.append(child.kill)
    tid = child.pid
    until(lambda: sleeps(tid), "the task sleeps")
    recorder = Recorder("-e", "sched,sys", "--pid", str(tid))
    busy = subprocess.Popen([actor_path(), "spin", "100000"], stdout=subprocess.DEVNULL)
    cleanups.append(busy.kill)
    # On one CPU with somebody who wants it too, or there would be nothing but sleeps.
    for pid in (tid, busy.pid):
        os.sched_setaffinity(pid, {0})
    before, after = let_it_work(child)
    child.stdin.close()
    child.wait()
    busy.kill()
    busy.wait()
    status = recorder.stop()
    check(status == 0, "exit status %d: %s" % (status, recorder.stderr))
    shown = events(recorder.trace)
    offset = clock_offset_ns(recorder.trace)
    out, back, able = between(shown, tid, before.time_ns + offset, after.time_ns + offset)

    equal("voluntary switches, by /proc/PID/status", sum(bool(state) for at, state in out),
          after.voluntary - before.voluntary)
    equal("involuntary switches", sum(not state for at, state in out),
          after.involuntary - before.involuntary)
    check(sum(not state for at, state in out) > 0, "it was never preempted")
    equal("turns on a CPU, by /proc/PID/schedstat", len(back), after.turns - before.turns)
    # It slept at both ends, so it came as often as it left.
    equal("times that it came and left", len(back), len(out))
    allowed = SWITCH_NS * len(out) + after.steal_ns - before.steal_ns + TICK_NS
    ran = sum(at for at, state in out) - sum(back)
    told = after.ran_ns - before.ran_ns
    check(abs(ran - told) <= allowed, "ran for %d ns, /proc/PID/schedstat tells %d; %d allowed" %
          (ran, told, allowed))
    waited, told = waits(out, back, able), after.waited_ns - before.waited_ns
    check(waited is not None and abs(waited - told) <= allowed,
          "waited for a CPU for %s ns, /proc/PID/schedstat tells %d; %d allowed" %
          (waited, told, allowed))
    calls = [event for event in shown if is_entry(event["event"]) and event["tid"] == tid and
             event["time"] < after.time_ns + offset]
    equal("where the task calls read from, by /proc/PID/syscall",
          (calls[-1]["fields"]["nr"], calls[-1]["fields"]["ip"]), (READ, after.pc))
    end = [event for event in shown if event["event"] == "sched.exit" and event["tid"] == tid][0]
    later, unused, unused2 = between(shown, tid, after.time_ns + offset, end["time"])
    equal("switches at the end", (end["fields"]["voluntary_switches"],
                                  end["fields"]["involuntary_switches"]),
          (after.voluntary + sum(bool(state) for at, state in later),
           after.involuntary + sum(not state for at, state in later)))


def clocks_apart():
    """(how long it took to look, what CLOCK_BOOTTIME is ahead of CLOCK_MONOTONIC)."""
    before = time.monotonic_ns()
    boot = time.clock_gettime_ns(time.CLOCK_BOOTTIME)
    return time.monotonic_ns() - before, boot - before


def lifetime():
    """Since it began, as /proc/PID/stat tells it, in ticks."""
    recorder = Recorder("-e", "sched.exit")
    child = subprocess.Popen(["sleep", "0.3"])
    began = int(read(child.pid, "stat").rsplit(")", 1)[1].split()[19]) * TICK_NS
    child.wait()
    recorder.stop()
    end = [event for event in events(recorder.trace, "-e", "sched.exit")
           if event["fields"]["pid"] == child.pid][0]
    apart, boot = min(clocks_apart() for unused in range(100))
    ended = end["time"] - clock_offset_ns(recorder.trace) + boot
    check(-apart <= ended - end["fields"]["lifetime_ns"] - began <= TICK_NS + apart,
          "it lived for %d ns, by /proc/PID/stat for %d to %d" %
          (end["fields"]["lifetime_ns"], ended - began - TICK_NS, ended - began))


def threads():
    """Their process is told wherever they are."""
    trace, done = record("-e", "sched", "--", actor_path(), "threads", "3", "2000")
    tids = set(map(int, done.stdout.split()))
    shown = events(trace)
    pid = [event["fields"]["pid"] for event in shown if event["event"] == "sched.exec"][0]
    found = {"prev": set(), "next": set(), "wake": set(), "exit": set(), "fork": set()}
    for event in shown:
        fields = event["fields"]
        if event["event"] == "sched.switch" and event["tid"] in tids:
            found["prev"].add(fields["prev_pid"])
        if event["event"] == "sched.switch" and fields["next_tid"] in tids:
            found["next"].add(fields["next_pid"])
        if event["event"].startswith("sched.wak") and fields["wake_tid"] in tids:
            found["wake"].add(fields["wake_pid"])
        if event["event"] == "sched.exit" and event["tid"] in tids:
            found["exit"].add(fields["pid"])
        if event["event"] == "sched.fork" and fields["child_tid"] in tids:
            found["fork"].add((fields["parent_pid"], fields["child_pid"]))
    equal("the process of its threads", found,
          {"prev": {pid}, "next": {pid}, "wake": {pid}, "exit": {pid}, "fork": {(pid, pid)}})


def arguments():
    words = ["/bin/true"] + ["w%03d" % i for i in range(200)]
    trace, done = record("-e", "sched.exec", "--", *words)
    equal("bytes of all arguments, each with its NUL",
          events(trace, "-e", "sched.exec")[0]["fields"]["args_bytes"],
          sum(len(word) + 1 for word in words))


require_root()
for test in (account_of_a_task, lifetime, threads, arguments):
    undisturbed(test)
finish()
