#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What a task waits for: a lock, a disk and a timer, each as long as it took, on which file, in which functions, and woken
by which; and all of its time is somewhere, in agreement with the kernel's own counts of it (schedstat)."""
import contextlib
import fcntl
import json
import os
import subprocess
import sys
import tempfile
import time

import harness
from harness import Recorder, check, equal, finish, require_root

SLEEP_NS = 3_000_000_000
HELD_NS = 500_000_000
WRITES = 3
# Waits for the lock, for the disk, for the timer, and prints how long each took. It has all that it needs before.
CHILD = """
import fcntl, os, sys, time
data, clock, times = b"x" * (1 << 18), time.monotonic_ns, []
print("ready", flush=True)
sys.stdin.readline()
lock = os.open(sys.argv[1], os.O_RDWR)
file = os.open(sys.argv[2], os.O_RDWR | os.O_CREAT, 0o600)
times.append(clock())
fcntl.flock(lock, fcntl.LOCK_EX)
times.append(clock())
for _ in range(%d):
    os.write(file, data)
    os.fdatasync(file)
times.append(clock())
time.sleep(%d / 1e9)
times.append(clock())
with open("/proc/self/io") as io:
    written = dict(line.split(": ") for line in io.read().splitlines())["write_bytes"]
print(*(after - before for before, after in zip(times, times[1:])), written, flush=True)
os._exit(0)
""" % (WRITES, SLEEP_NS)


def schedstat(pid):
    with open("/proc/%d/schedstat" % pid, encoding="ascii") as file:
        return [int(number) for number in file.read().split()[:2]]


def run_ns(pid):
    """Time on a CPU of all threads of a process."""
    total = 0
    for tid in os.listdir("/proc/%d/task" % pid):
        with (contextlib.suppress(FileNotFoundError, ProcessLookupError),
              open("/proc/%d/task/%s/schedstat" % (pid, tid), encoding="ascii") as file):
            total += int(file.read().split()[0])
    return total


def wait_state(pid, states, call=None):
    """Until the process is in one of these states (proc(5)), in this system call."""
    while True:
        with open("/proc/%d/stat" % pid, encoding="ascii", errors="replace") as file:
            state = file.read().rpartition(")")[2].split()[0]
        if state in states:
            if call is None:
                return
            with open("/proc/%d/syscall" % pid, encoding="ascii") as file:
                if file.read().split()[0] == str(call):
                    return
        time.sleep(0.001)


def stolen_ns():
    """Time that the scheduler does not count for tasks: of the hypervisor, and of interrupts. In ticks: one more each."""
    with open("/proc/stat", encoding="ascii") as file:
        numbers = [int(number) for number in file.readline().split()[1:]]
    return (numbers[5] + numbers[6] + numbers[7]) * 1_000_000_000 // os.sysconf("SC_CLK_TCK")


require_root()
FLOCK = {"x86_64": 73, "aarch64": 32}[os.uname().machine]
folder = tempfile.mkdtemp()
harness.cleanups.append(lambda: subprocess.run(["rm", "-rf", folder], check=False))
lock = os.open(folder + "/lock", os.O_RDWR | os.O_CREAT, 0o600)
fcntl.flock(lock, fcntl.LOCK_EX)
child = subprocess.Popen([sys.executable, "-c", CHILD, folder + "/lock", folder + "/file"],
                         text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
harness.cleanups.append(child.kill)
harness.read_line(child.stdout)
wait_state(child.pid, "S", 0 if os.uname().machine == "x86_64" else 63)
recorder = Recorder("-p", "offcpu", "--stack", "sched.switch,sched.waking", "--pid", str(child.pid))
cpu_before, queued_before = schedstat(child.pid)
stolen = stolen_ns()
recording = run_ns(recorder.process.pid)
child.stdin.write("go\n")
child.stdin.flush()
wait_state(child.pid, "SD", FLOCK)
begin = time.monotonic_ns()
time.sleep(HELD_NS / 1e9)
held = time.monotonic_ns() - begin
fcntl.flock(lock, fcntl.LOCK_UN)
*took, written = [int(number) for number in harness.read_line(child.stdout).split()]
wait_state(child.pid, "Z")
cpu, queued = schedstat(child.pid)
stolen = stolen_ns() - stolen + 30_000_000
recording = run_ns(recorder.process.pid) - recording
child.wait()
# A filter by task can miss the ends of requests, as the recorder says.
check(recorder.stop() in (0, 6), "exit status")



def offcpu(by, *options):
    done = subprocess.run([harness.SONDE, "report", "--json", recorder.trace, "offcpu", "--by", by, *options],
                          capture_output=True, text=True, check=False)
    equal("report", (done.returncode, done.stderr), (0, ""))
    return json.loads(done.stdout)["reports"]["offcpu"]


report = offcpu("tid,cause,call")
task = next(one for one in report["tasks"] if one["tid"] == child.pid)
waits = {}
for row in report["rows"]:
    if row["tid"] == child.pid:
        key = (row["cause"], row.get("call_name"))
        waits[key] = row["wait"]["sum"]
print("took %s, waits %s, task %s" % (took, waits, task))
unknown = task["unknown_ns"]

# All of its time is in one sum, and what it waited in one row.
equal("its life", task["cpu_ns"] + task["off_ns"] + task["run_queue_ns"] + unknown,
      task["life_ns"])
# Unknown time can have been on a CPU: the recorder does not see itself, nor who comes after it.
known = task["off_ns"] + task["run_queue_ns"]
check(known <= sum(waits.values()) <= known + unknown,
      "waits of %d ns, known %d" % (sum(waits.values()), known))
check(task["life_ns"] >= sum(took), "a life of %d ns has %d ns" % (task["life_ns"], sum(took)))

# Each wait lies within what the task measured around it; where a wakeup is unknown, it is less.
lock_ns = waits.get(("lock", "flock"), 0)
timer_ns = waits.get(("timer", "clock_nanosleep"), 0)
disk_ns = waits.get(("disk", "fdatasync"), 0)
check(held <= lock_ns + unknown and lock_ns <= took[0], "lock: %d ns" % lock_ns)
check(disk_ns <= took[1], "disk: %d ns" % disk_ns)
if written: # not in a file system in memory
    check(disk_ns + unknown > 0, "no wait for the disk")
others = task["cpu_ns"] + task["run_queue_ns"] + unknown
check(SLEEP_NS <= timer_ns + others and timer_ns <= took[2], "timer: %d ns" % timer_ns)

# On which file, in which functions, and woken by which.
rows = offcpu("cause,call,file,stack,waker,waker_stack", "--where", "tid == %d" % child.pid)["rows"]
for cause, call, file, function in (("lock", "flock", "/lock", "flock"), ("disk", "fdatasync", "/file", "fsync"),
                                    ("timer", "clock_nanosleep", None, "nanosleep")):
    own = [row for row in rows if (row["cause"], row.get("call_name")) == (cause, call)]
    check(own or (cause, call) not in waits, "no rows of %s" % call)
    for row in own:
        equal("file of " + call, row.get("file"), file and folder + file)
        check(function in row["stack"], "stack of %s: %s" % (call, row["stack"]))
    print("%s: %s" % (call, own))
for row in rows:
    if row["cause"] == "lock":
        equal("waker of the lock", row["waker"], os.getpid())
        check("flock" in row["waker_stack"], "waker's stack: %s" % row["waker_stack"])
for where, of in (("file ~ '*/lock'", "lock"), ("stack ~ '*nanosleep*'", "timer")):
    own = offcpu("tid,cause", "--where", where + " && cause != 'run queue'")["rows"]
    check({row["cause"] for row in own} <= {of}, "%s: %s" % (where, own))

# As the kernel counts it, to a thousandth of its life. The recorder does not see itself: while it has the CPU in the
# place of the task, the task seems to run on.
slack = task["life_ns"] // 1000
least = cpu - cpu_before - slack - unknown
check(least <= task["cpu_ns"] <= cpu - cpu_before + slack + stolen + recording,
      "on a CPU: %d ns, schedstat %d" % (task["cpu_ns"], cpu - cpu_before))
check(task["run_queue_ns"] - slack <= queued - queued_before <=
      task["run_queue_ns"] + unknown + slack + recording,
      "in run queues: %d ns, schedstat %d" % (task["run_queue_ns"], queued - queued_before))
print("schedstat differs by %d and %d of %d ns, the recorder ran for %d" %
      (task["cpu_ns"] - cpu + cpu_before, task["run_queue_ns"] - queued + queued_before,
       task["life_ns"], recording))
finish()
