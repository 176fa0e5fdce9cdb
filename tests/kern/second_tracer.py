#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What Sonde records of tasks, system calls and interrupts, and what the kernel's own tracer does
in the same run, of the same tracepoints: event by event, field by field, the same."""
import os
import socket
import subprocess
import sys
import time

import ftrace
from ftrace import fields_of, named, same
from harness import (Recorder, arguments, check, cleanups, clock_offset_ns, equal, events, finish,
                     is_entry, path, require_root, stats, until)
from undisturbed import Scenarios

undisturbed = Scenarios("irq", "sched")

# The least tid that is compared. ftrace and perf do not always tell of what the idle task itself
# does (seen on 6.18, where BPF did), but of what interrupts it.
LEAST_TID = {"irq.soft_raise": 1, "irq.soft_enter": 0, "irq.soft_exit": 0, "irq.work_queue": 1,
                "irq.work_enter": 0, "irq.work_exit": 0}
QUIET_NS = 50000  # without an event of a CPU: both tracers are surely at the same point


# Its first page fault and its last are those that the tracers see, once it is told to begin.
WORK = """
import mmap, os, signal, subprocess, sys, time
sys.stdin.readline()
signal.signal(signal.SIGUSR1, lambda *unused: None)
for i in range(20):
    time.sleep(0.0005)
    os.kill(os.getpid(), signal.SIGUSR1)
    os.sched_setaffinity(0, {sorted(all_cpus)[i % len(all_cpus)]})
os.sched_setaffinity(0, all_cpus)
memory = mmap.mmap(-1, 64 << 12)
for i in range(64):
    memory[i << 12] = 1
with open("/dev/zero", "rb", buffering=0) as zero:
    zero.readinto(mmap.mmap(-1, 16 << 12))
os.nice(3)
subprocess.run(["chrt", "-f", "7", "true"])
subprocess.run(["sh", "-c", "true; exit 3"])
subprocess.run(["sh", "-c", "kill -9 $$"])
os.execvp("true", ["true", "and", "over"])
""".replace("all_cpus", "set(range(os.cpu_count()))")


def reported(state):
    """prev_state as the tracepoint of 6.18 tells it (include/linux/sched.h,
    __task_state_index)."""
    if state == 0x402:
        return 0x80
    if state & 0x9000:
        return 2
    return 1 << (state & 0x7f).bit_length() - 1 if state & 0x7f else state


def sleeps_in_read(pid):
    with open("/proc/%d/syscall" % pid, encoding="ascii") as file:
        return file.read().split()[:2] == ["0", "0x0"]


def family_of(traced, first):
    family = {first}
    for event in traced:
        if event["event"] == "sched_process_fork" and event["parent_pid"] in family:
            family.add(event["child_pid"])
    return family


def tasks():
    """The scheduler, system calls, page faults and signals of a family of tasks."""
    child = subprocess.Popen([sys.executable, "-S", "-c", WORK], stdin=subprocess.PIPE)
    cleanups.append(child.kill)
    until(lambda: sleeps_in_read(child.pid), "the child waits")
    tracer = ftrace.Ftrace(
        "sched/sched_switch", "sched/sched_waking", "sched/sched_wakeup",
        "sched/sched_wakeup_new", "sched/sched_process_fork",
        "sched/sched_process_exec", "sched/sched_process_exit", "signal/signal_deliver",
        "exceptions/page_fault_user", "exceptions/page_fault_kernel", "raw_syscalls/sys_enter",
        "raw_syscalls/sys_exit", family=child.pid)
    movers = ftrace.Ftrace("sched/sched_migrate_task")  # told by whoever has the CPU
    recorder = Recorder("-e", "sched,sys", "--buffer", "64M")
    begin = time.monotonic_ns()
    child.communicate(b"begin\n")
    equal("tasks: exit status", recorder.stop(), 0)
    offset = clock_offset_ns(recorder.trace)
    traced = [one for one in tracer.stop() + movers.stop() if one["time"] > begin]
    shown = [event for event in events(recorder.trace) if event["time"] - offset > begin]
    equal("tasks: lost", stats(recorder.trace)["lost"], 0)
    family = family_of(traced, child.pid)
    check(len(family) >= 4, "tasks: only %s" % family)

    same("sched.switch",
         [(one["cpu"], (one["tid"], one["prev_comm"], one["prev_prio"],
                        reported(one["prev_state"]) & ~0x80 if one["prev_state"] != 0x402 else 0x80,
                        one["next_tid"], one["next_comm"], one["next_prio"]))
          for one in fields_of(shown, "sched.switch")
          if one["tid"] and {one["tid"], one["next_tid"]} & family],
         [(one["cpu"], (one["prev_pid"], one["prev_comm"], one["prev_prio"],
                        # A task that ends, and one that is preempted, are nothing else to Sonde.
                        0 if one["prev_state"] in (0x10, 0x20, 0x100) else one["prev_state"],
                        one["next_pid"], one["next_comm"], one["next_prio"]))
          for one in named(traced, "sched_switch")
          if one["prev_pid"] and {one["prev_pid"], one["next_pid"]} & family])
    for name, theirs in (("sched.waking", "sched_waking"), ("sched.wakeup", "sched_wakeup"),
                         ("sched.wakeup_new", "sched_wakeup_new")):
        same(name,
             [(one["wake_tid"], (one["tid"], one["prio"], one["target_cpu"], one["wake_comm"]))
              for one in fields_of(shown, name) if one["wake_tid"] in family],
             [(one["pid"], (one["tid"], one["prio"], one["target_cpu"], one["comm"]))
              for one in named(traced, theirs) if one["pid"] in family])
    same("sched.migrate",
         [(one["move_tid"], (one["tid"], one["prio"], one["from_cpu"], one["to_cpu"],
                             one["move_comm"]))
          for one in fields_of(shown, "sched.migrate") if one["move_tid"] in family],
         [(one["pid"], (one["tid"], one["prio"], one["orig_cpu"], one["dest_cpu"], one["comm"]))
          for one in named(traced, "sched_migrate_task") if one["pid"] in family])
    same("sched.fork",
         [(one["tid"], (one["child_tid"], one["parent_comm"]))
          for one in fields_of(shown, "sched.fork") if one["tid"] in family],
         [(one["parent_pid"], (one["child_pid"], one["parent_comm"]))
          for one in named(traced, "sched_process_fork") if one["parent_pid"] in family])
    same("sched.exec",
         [(one["tid"], (one["old_tid"], one["filename"]))
          for one in fields_of(shown, "sched.exec") if one["tid"] in family],
         [(one["pid"], (one["old_pid"], one["filename"]))
          for one in named(traced, "sched_process_exec") if one["pid"] in family])
    same("sched.exit",
         [(one["tid"], (one["exit_comm"], one["prio"]))
          for one in fields_of(shown, "sched.exit") if one["tid"] in family],
         [(one["pid"], (one["comm"], one["prio"]))
          for one in named(traced, "sched_process_exit") if one["pid"] in family])
    traps = [one for one in fields_of(shown, "sched.trap") if one["tid"] in family]
    for kind, name in (0, "page_fault_user"), (1, "page_fault_kernel"):
        same("sched.trap, " + name,
             [(one["tid"], (one["address"], one["ip"], one["code"])) for one in traps
              if one["kind"] == kind],
             [(one["tid"], (one["address"], one["ip"], one["error_code"]))
              for one in named(traced, name) if one["tid"] in family])
    same("sched.trap, signals",
         [(one["tid"], (one["signal"], one["code"])) for one in traps if one["kind"] == 2],
         [(one["tid"], (one["sig"], one["code"])) for one in named(traced, "signal_deliver")
          if one["tid"] in family])
    entries = [event for event in shown if is_entry(event["event"])]
    counts = {event["fields"]["nr"]: len(arguments(event["fields"])) for event in entries}
    same("sys.enter",
         [(event["tid"], (event["fields"]["nr"], halves(arguments(event["fields"]))))
          for event in entries if event["tid"] in family],
         [(one["tid"], (one["id"], halves(one["args"][:counts.get(one["id"], 6)])))
          for one in named(traced, "sys_enter") if one["tid"] in family])
    same("sys.exit",
         [(one["tid"], (one["nr"], one["ret"])) for one in fields_of(shown, "sys.exit")
          if one["tid"] in family],
         [(one["tid"], (one["id"], one["ret"])) for one in named(traced, "sys_exit")
          if one["tid"] in family])
    times_agree(offset, entries,
                named(traced, "sys_enter"), child.pid)


def halves(args):
    """The lower halves: narrow arguments have no others, and the registers have anything there."""
    return [arg & 0xffffffff for arg in args]


def times_agree(offset, ours, theirs, tid):
    """The tracers look one after the other: each time of Sonde's lies between the other's of the
    event before and of the event behind."""
    mine = [one["time"] - offset for one in ours if one["tid"] == tid]
    other = [one["time"] for one in theirs if one["tid"] == tid]
    wrong = sum(not before < at < after
                for before, at, after in zip(other, mine[1:], other[2:]))
    equal("times that do not lie between the neighbours'", wrong, 0)


def quiet_window(traced, cpu, since, until):
    """(from, to) in the midst of pauses of that CPU, as wide as may be between two times."""
    times = [since] + [one["time"] for one in traced
                       if one["cpu"] == cpu and since < one["time"] < until] + [until]
    pauses = [(a + b) // 2 for a, b in zip(times, times[1:]) if b - a > QUIET_NS]
    return (pauses[0], pauses[-1]) if len(pauses) > 1 else (until, until)


def sleepers():
    """The functions of timers that end a task's sleep."""
    with open("/proc/kallsyms", encoding="ascii") as file:
        return {int(line.split()[0], 16) for line in file
                if line.split()[2] in ("process_timeout", "hrtimer_wakeup")}


def lateness(traced):
    """{(cpu, time of an expiry): ns since it was due}, from the event that armed the timer. The
    wheel counts in jiffies: their length is that of the tracer's own clock between two expiries.
    Only sleeps: these are armed by the task itself, and none of them by the idle task."""
    ticks = [(one["now"], one["time"]) for one in traced if one["event"] == "timer_expire_entry"]
    hertz = (ticks[-1][0] - ticks[0][0]) * 1e9 / (ticks[-1][1] - ticks[0][1])
    jiffy_ns = 1000000000 // min((100, 250, 300, 1000), key=lambda one: abs(one - hertz))
    due, late, wanted = {}, {}, sleepers()
    for one in traced:
        if one.get("function") not in wanted:
            continue
        place = one["cpu"], one["time"]
        if one["event"] == "timer_start":
            due[one["timer"]] = one["expires"]
        elif one["event"] == "hrtimer_start":
            due[one["hrtimer"]] = one["softexpires"]
        elif one["event"] == "timer_expire_entry" and one["timer"] in due:
            late[place] = (one["baseclk"] - due[one["timer"]]) * jiffy_ns
        elif one["event"] == "hrtimer_expire_entry" and one["hrtimer"] in due:
            late[place] = one["now"] - due[one["hrtimer"]]
    return late


def kick():
    """Datagrams, sleeps, a terminal and a disk: interrupts of most kinds."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as own:
        own.bind(("127.0.0.1", 0))
        for unused in range(100):
            own.sendto(b"x", own.getsockname())
            own.recv(10)
            time.sleep(0.002)
    ours, theirs = os.openpty()
    for unused in range(30):
        os.write(ours, b"line\n")
        os.read(theirs, 10)
        time.sleep(0.001)
    with open(path("forced"), "wb") as file:
        file.write(bytes(1 << 20))
        os.fsync(file.fileno())
    time.sleep(0.3)


def interrupts():
    """All of them, on every CPU, between two pauses."""
    tracer = ftrace.Ftrace(
        "irq/irq_handler_entry", "irq/irq_handler_exit", "irq/softirq_raise", "irq/softirq_entry",
        "irq/softirq_exit", "timer/timer_start", "timer/timer_expire_entry",
        "timer/timer_expire_exit", "timer/hrtimer_start", "timer/hrtimer_expire_entry",
        "timer/hrtimer_expire_exit", "workqueue/workqueue_queue_work",
        "workqueue/workqueue_execute_start", "workqueue/workqueue_execute_end")
    recorder = Recorder("-a", "-e", "irq", "--buffer", "32M")
    since = time.monotonic_ns()
    kick()
    until = time.monotonic_ns()
    equal("irq: exit status", recorder.stop(), 0)
    traced = tracer.stop()
    others = tracer.strangers
    offset = clock_offset_ns(recorder.trace)
    windows = {cpu: quiet_window(traced, cpu, since, until) for cpu in range(os.cpu_count())}
    ours = [event | {"time": event["time"] - offset} for event in events(recorder.trace)
            if event["event"].startswith("irq.") and event["tid"] not in others]
    ours = [event for event in ours
            if windows[event["cpu"]][0] < event["time"] < windows[event["cpu"]][1]]
    late = lateness(traced)
    theirs = [one for one in traced
              if windows[one["cpu"]][0] < one["time"] < windows[one["cpu"]][1]]

    def compare(name, kernel_names, row, kernel_row, least_tid=0):
        same(name,
             [((one["cpu"], one["tid"]), row(one)) for one in fields_of(ours, name)
              if one["tid"] >= least_tid],
             [((one["cpu"], one["tid"]), kernel_row(one)) for one in theirs
              if one["event"] in kernel_names and one["tid"] >= least_tid])

    compare("irq.enter", ["irq_handler_entry"], lambda one: (one["irq"], one["handler"]),
            lambda one: (one["irq"], one["name"][:15]))
    compare("irq.exit", ["irq_handler_exit"], lambda one: (one["irq"], one["result"]),
            lambda one: (one["irq"], one["ret"]))
    for name, theirs_name in (("irq.soft_raise", "softirq_raise"),
                              ("irq.soft_enter", "softirq_entry"),
                              ("irq.soft_exit", "softirq_exit")):
        compare(name, [theirs_name], lambda one: one["vector"], lambda one: one["vec"],
                LEAST_TID[name])
    known = {place[1] for place in late}
    compare("irq.timer", ["timer_expire_entry", "hrtimer_expire_entry"],
            lambda one: (one["kind"], one["function"]),
            lambda one: (int(one["event"] == "hrtimer_expire_entry"), one["function"]))
    expiries = [one for one in theirs
                if one["event"] in ("timer_expire_entry", "hrtimer_expire_entry")]
    # As many, in the same order on each CPU: so the Nth of one is the Nth of the other.
    for cpu in windows:
        mine = [one for one in fields_of(ours, "irq.timer") if one["cpu"] == cpu]
        other = [one for one in expiries if one["cpu"] == cpu]
        wrong = [(a["late_ns"], late[cpu, b["time"]]) for a, b in zip(mine, other)
                 if b["time"] in known and a["late_ns"] != late[cpu, b["time"]]]
        equal("irq.timer: late_ns, where the kernel's tracer saw it armed", wrong, [])
    check(len(known) >= 100, "irq.timer: only %d were seen armed" % len(known))
    compare("irq.timer_exit", ["timer_expire_exit", "hrtimer_expire_exit"],
            lambda one: one["kind"], lambda one: int(one["event"] == "hrtimer_expire_exit"))
    for name, theirs_name in (("irq.work_queue", "workqueue_queue_work"),
                              ("irq.work_enter", "workqueue_execute_start"),
                              ("irq.work_exit", "workqueue_execute_end")):
        compare(name, [theirs_name], lambda one: (one["work"], one["function"]),
                lambda one: (one["work"], one["function"]), LEAST_TID[name])


require_root()
ftrace.require()
for test in (tasks, interrupts):
    undisturbed(test)
finish()
