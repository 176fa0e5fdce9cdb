#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What woke a task: a task that writes into its pipe, the soft interrupt that brings its datagram, the interrupt of its
timer. The task that an interrupt hits wakes nobody."""
import json
import os
import socket
import subprocess
import sys

import harness
from harness import SONDE, Recorder, check, equal, events, finish, require_root, run

TIMES = 10
TASK, SOFTIRQ, IRQ = 1, 2, 3 # src/probe/context.bpf.h
# Each has a name of its own, and waits for what it is started with.
READER = """
import os
print("ready", flush=True)
while os.read(0, 1) != b"e":
    pass
"""
RECEIVER = """
import socket
receiver = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
receiver.bind(("127.0.0.1", 0))
print(receiver.getsockname()[1], flush=True)
while receiver.recv(1) != b"e":
    pass
"""
SLEEPER = """
import sys, time
print("ready", flush=True)
sys.stdin.read(1)
for _ in range(%d):
    time.sleep(0.002)
""" % TIMES


def start(program):
    process = subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE)
    harness.cleanups.append(process.kill)
    return process, harness.read_line(process.stdout)


def wait_asleep(process):
    def asleep():
        with open("/proc/%d/stat" % process.pid, encoding="ascii", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[0] == "S"
    harness.until(asleep, "process %d sleeps" % process.pid)


require_root()
(reader, unused), (receiver, port), (sleeper, unused) = map(start, (READER, RECEIVER, SLEEPER))
for each in (reader, receiver, sleeper):
    wait_asleep(each)
recorder = Recorder("-e", "sched.switch,sched.waking,sys", "--pid",
                    "%d,%d,%d" % (reader.pid, receiver.pid, sleeper.pid))
sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for _ in range(TIMES):
    wait_asleep(reader)
    os.write(reader.stdin.fileno(), b"x")
    wait_asleep(receiver)
    sender.sendto(b"x", ("127.0.0.1", int(port)))
os.write(sleeper.stdin.fileno(), b"x")
equal("exit status of the sleeper", sleeper.wait(), 0)
equal("exit status", recorder.stop(), 0)
for end in (b"e",):
    os.write(reader.stdin.fileno(), end)
    sender.sendto(end, ("127.0.0.1", int(port)))

contexts = {reader.pid: {}, receiver.pid: {}, sleeper.pid: {}}
tasks = set()
for event in events(recorder.trace, "-e", "sched.waking"):
    fields = event["fields"]
    by = contexts[fields["wake_tid"]]
    by[fields["context"]] = by.get(fields["context"], 0) + 1
    if fields["context"] == TASK:
        tasks.add(event["tid"])
equal("wakeups of the reader", contexts[reader.pid], {TASK: TIMES})
equal("wakeups of the receiver", contexts[receiver.pid], {SOFTIRQ: TIMES})
# The first is of its input.
equal("wakeups of the sleeper", contexts[sleeper.pid], {TASK: 1, IRQ: TIMES})
equal("tasks that woke", tasks, {os.getpid()})

done = json.loads(run(SONDE, "report", "--json", recorder.trace, "wakers").stdout)
wakers = {pid: set() for pid in contexts}
for row in done["reports"]["wakers"]["rows"]:
    wakers[row["tid"]].add((row.get("waker_comm"), row.get("waker")))
# Waits that have not ended have no waker, nor has one that began before the recording.
check("softirq" in {comm for comm, tid in wakers[receiver.pid]}, "receiver: %s" % wakers)
check("interrupt" in {comm for comm, tid in wakers[sleeper.pid]}, "sleeper: %s" % wakers)
check(os.getpid() in {tid for comm, tid in wakers[reader.pid]}, "reader: %s" % wakers)
own = {tid for rows in wakers.values() for comm, tid in rows if tid is not None}
equal("tasks in the report", own, {os.getpid()})
offcpu = json.loads(run(SONDE, "report", "--json", recorder.trace, "offcpu", "--by",
                        "tid,cause").stdout)["reports"]["offcpu"]
causes = {pid: {row["cause"] for row in offcpu["rows"] if row["tid"] == pid} for pid in contexts}
check("timer" in causes[sleeper.pid] and "socket" in causes[receiver.pid], "causes: %s" % causes)
print("wakers: %s, causes: %s" % (wakers, causes))
finish()
