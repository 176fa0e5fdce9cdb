#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Whose an interrupt is: its handler's, a soft interrupt's own, a timer's; never that of the task that it hits, which
task.comm still names."""
import json
import os
import socket
import subprocess
import sys

import harness
from harness import SONDE, Recorder, check, equal, events, finish, require_root, run
from undisturbed import Scenarios

undisturbed = Scenarios("irq", "sched")

DATAGRAMS = 200
NET_RX = 3 # include/linux/interrupt.h
VECTORS = ("HI", "TIMER", "NET_TX", "NET_RX", "BLOCK", "IRQPOLL", "TASKLET", "SCHED", "HRTIMER",
           "RCU")
# Names itself; its datagrams come back to itself, mostly in soft interrupts that hit it.
SENDER = """
import socket, sys, time
with open("/proc/self/comm", "w") as file:
    file.write("irq-sends")
print("ready", flush=True)
sys.stdin.readline()
receiver = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
receiver.bind(("127.0.0.1", 0))
sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for _ in range(%d):
    sender.sendto(b"x", receiver.getsockname())
    receiver.recv(1)
time.sleep(0.01)
print("done", flush=True)
sys.stdin.readline()
""" % DATAGRAMS


def rows(trace, *args):
    done = run(SONDE, "report", "--json", trace, "events", *args, good=False)
    return json.loads(done.stdout)["reports"]["events"]["rows"]


def interrupts_own_their_events():
    process = subprocess.Popen([sys.executable, "-c", SENDER], text=True, stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE)
    harness.cleanups.append(process.kill)
    equal("first line", harness.read_line(process.stdout), "ready\n")
    recorder = Recorder("-e", "irq.enter,irq.exit,irq.soft_*,irq.timer,sched.switch")
    process.stdin.write("go\n")
    process.stdin.flush()
    equal("line of the sender", harness.read_line(process.stdout), "done\n")
    equal("exit status", recorder.stop(), 0)

    handlers, hit, timers = {}, 0, 0
    for event in events(recorder.trace, "-e", "irq"):
        name, fields, owner = event["event"], event["fields"], event.get("owner")
        if name == "irq.enter":
            handlers[fields["irq"]] = fields["handler"]
            equal("owner of an interrupt", owner, {"comm": fields["handler"]})
        elif name == "irq.exit":
            equal("owner of the end", owner,
                  {"comm": handlers.get(fields["irq"], "irq %d" % fields["irq"])})
        elif name.startswith("irq.soft_"):
            equal("owner of a soft interrupt", owner, {"comm": "softirq " + VECTORS[fields["vector"]]})
            hit += name == "irq.soft_enter" and event["tid"] == process.pid
        elif name == "irq.timer":
            equal("owner of a timer", owner, {"comm": "timer"})
            timers += 1
    check(hit, "no soft interrupt has hit the sender")
    check(timers, "no timer")

    by_comm = rows(recorder.trace, "-e", "irq.soft_enter", "--by", "comm")
    check(any(row["comm"] == "softirq NET_RX" for row in by_comm), "by comm: %s" % by_comm)
    check(all(row["comm"].startswith("softirq ") for row in by_comm), "by comm: %s" % by_comm)
    by_task = rows(recorder.trace, "-e", "irq.soft_enter", "--by", "task.comm")
    check(any(row["task"]["comm"] == "irq-sends" for row in by_task), "by task.comm: %s" % by_task)
    chosen = events(recorder.trace, "--where", 'comm == "softirq NET_RX"')
    check(chosen and all(event["fields"]["vector"] == NET_RX for event in chosen),
          "chosen by owner: %s" % chosen[:3])
    equal("chosen by tid", events(recorder.trace, "-e", "irq", "--where",
                                  "tid == %d" % process.pid), [])
    tasks = json.loads(run(SONDE, "stats", "--json", "-e", "irq", recorder.trace,
                           good=False).stdout)["tasks"]
    equal("statistics: tasks of interrupts", [task for task in tasks if "tid" in task], [])
    check("softirq NET_RX" in {task.get("comm") for task in tasks}, "statistics: %s" % tasks)


require_root()
undisturbed(interrupts_own_their_events)
finish()
