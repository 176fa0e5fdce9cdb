#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""All time of each task is on a CPU, off it, in a run queue, or unknown: of tasks that start and end while they are recorded, and share
too few CPUs, as the kernel counts it for each (schedstat). Where events were lost it is unknown, and the rest still right."""
import json
import os
import signal
import subprocess
import sys
import time

import harness
from harness import SONDE, Recorder, check, equal, finish, path, require_root, stats

WORKERS = 3 * len(os.sched_getaffinity(0))
SECONDS = 3
# Computes, sleeps, and waits for a lock that all want, each for some milliseconds.
WORKER = """
import fcntl, os, sys, time
lock, until, i = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT), time.monotonic() + %d, 0
while time.monotonic() < until:
    i += 1
    end = time.monotonic() + 0.004
    while time.monotonic() < end:
        pass
    time.sleep(0.003)
    if i %% 3 == 0:
        fcntl.flock(lock, fcntl.LOCK_EX)
        time.sleep(0.001)
        fcntl.flock(lock, fcntl.LOCK_UN)
os._exit(0)
""" % SECONDS


def numbers(name, first, count):
    with open(name, encoding="ascii") as file:
        return [int(number) for number in file.read().split()[first:first + count]]


def hidden_ns(recorder):
    """Time that tasks seem to have the CPU and do not: of the recorder, which does not see itself, of interrupts and of the hypervisor."""
    total = 0
    for tid in os.listdir("/proc/%d/task" % recorder.process.pid):
        total += numbers("/proc/%d/task/%s/schedstat" % (recorder.process.pid, tid), 0, 1)[0]
    irq, softirq, steal = numbers("/proc/stat", 6, 3)
    return total + (irq + softirq + steal) * 1_000_000_000 // os.sysconf("SC_CLK_TCK")


class Worker:
    def __init__(self):
        self.begin = time.monotonic_ns()
        self.process = subprocess.Popen([sys.executable, "-S", "-E", "-c", WORKER, path("lock")])
        harness.cleanups.append(self.process.kill)

    def wait(self):
        """What the kernel has counted, once it has ended."""
        os.waitid(os.P_PID, self.process.pid, os.WEXITED | os.WNOWAIT)
        self.life = time.monotonic_ns() - self.begin
        self.cpu, self.queued = numbers("/proc/%d/schedstat" % self.process.pid, 0, 2)
        equal("exit status of a worker", self.process.wait(), 0)


def offcpu(trace, good):
    done = subprocess.run([SONDE, "report", "--json", trace, "offcpu"], capture_output=True, text=True, check=False)
    equal("report", done.returncode, good)
    report = json.loads(done.stdout)["reports"]["offcpu"]
    return {task["tid"]: task for task in report["tasks"]}


def compare(recorder, lossy):
    hidden = hidden_ns(recorder)
    workers = [Worker() for unused in range(WORKERS)]
    if lossy:
        time.sleep(SECONDS / 3)
        recorder.send(signal.SIGSTOP)
        time.sleep(SECONDS / 3)
        recorder.send(signal.SIGCONT)
    for worker in workers:
        worker.wait()
    hidden = hidden_ns(recorder) - hidden + 40_000_000 # each of the counts is in ticks
    equal("exit status", recorder.stop(), 3 if lossy else 0)
    lost = stats(recorder.trace)["lost"]
    check(lost > 0 if lossy else lost == 0, "%d lost" % lost)
    tasks = offcpu(recorder.trace, 3 if lossy else 0)
    for worker in workers:
        task = tasks[worker.process.pid]
        unknown = task["unknown_ns"]
        parts = task["cpu_ns"], task["off_ns"], task["run_queue_ns"], unknown
        print("%d of %d ns: CPU %d (schedstat %+d), off %d, queued %d (schedstat %+d), unknown %d" %
              (task["life_ns"], worker.life, task["cpu_ns"], worker.cpu - task["cpu_ns"], task["off_ns"], task["run_queue_ns"],
               worker.queued - task["run_queue_ns"], unknown))
        equal("its life", sum(parts), task["life_ns"])
        check(task["life_ns"] <= worker.life, "a life of %d ns has %d" % (worker.life, task["life_ns"]))
        # From fork to exit, both of which are seen, to a thousandth; the rest is what Python takes to start it.
        slack = task["life_ns"] // 1000
        if not lossy:
            check(task["life_ns"] >= worker.life - 300_000_000, "%d ns are missing" % (worker.life - task["life_ns"]))
            check(unknown <= slack + hidden, "%d ns unknown" % unknown)
        check(worker.cpu - unknown - slack <= task["cpu_ns"] <= worker.cpu + slack + hidden,
              "on a CPU %d ns, schedstat %d, unknown %d, hidden %d" % (task["cpu_ns"], worker.cpu, unknown, hidden))
        check(worker.queued - unknown - slack - hidden <= task["run_queue_ns"] <= worker.queued + slack,
              "in run queues %d ns, schedstat %d, unknown %d, hidden %d" % (task["run_queue_ns"], worker.queued, unknown, hidden))
    unknown = sum(tasks[worker.process.pid]["unknown_ns"] for worker in workers)
    life = sum(tasks[worker.process.pid]["life_ns"] for worker in workers)
    print("%d workers, %d ns in all, %d unknown; %d ns hidden, %d events lost" % (WORKERS, life, unknown, hidden, lost))
    check(not lossy or unknown > 0, "events are lost, and all is known")


require_root()
compare(Recorder("-e", "sched", "--buffer", "16M"), False)
compare(Recorder("-e", "sched", "--buffer", "64K"), True)
finish()
