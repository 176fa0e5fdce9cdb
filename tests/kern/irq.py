#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Interrupts, soft interrupts and timers, against the kernel's own counters: what was recorded
lies between what they counted while the recorder surely ran and while it may have."""
import collections
import os
import socket
import subprocess
import time

from harness import (Recorder, actor_path, check, cleanups, clock_offset_ns, equal, events, finish,
                     require_root, run, stats, until)
from undisturbed import Scenarios

undisturbed = Scenarios("irq", "sched")

SPIN_NS = 500000000
VECTORS = ["HI", "TIMER", "NET_TX", "NET_RX", "BLOCK", "IRQ_POLL", "TASKLET", "SCHED", "HRTIMER",
           "RCU"]
DATAGRAMS = 500
LINES = 50
PAIRS = {"irq.exit": ("irq.enter", "irq"), "irq.soft_exit": ("irq.soft_enter", "vector"),
         "irq.timer_exit": ("irq.timer", "kind")}
BEGINNINGS = {beginning: ending for ending, (beginning, unused) in PAIRS.items()}


def table(name):
    """{first word: sum over the CPUs} of /proc/softirqs or /proc/interrupts."""
    found = {}
    with open("/proc/" + name, encoding="ascii") as file:
        cpus = len(file.readline().split())
        for line in file:
            words = line.split()
            counts = [int(word) for word in words[1:cpus + 1] if word.isdigit()]
            found[words[0].rstrip(":")] = sum(counts)
    return found


def difference(after, before):
    return {key: after[key] - before.get(key, 0) for key in after}


def busy():
    """Datagrams through loopback, sleeps that high-resolution timers end, and a terminal, whose
    input the kernel puts off to a worker."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as receiver, \
            socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        receiver.bind(("127.0.0.1", 0))
        for unused in range(DATAGRAMS):
            sender.sendto(b"x", receiver.getsockname())
            receiver.recv(10)
    for unused in range(20):
        run("sleep", "0.005")
    ours, theirs = os.openpty()
    for unused in range(LINES):
        os.write(ours, b"line\n")
        os.read(theirs, 10)
    run("dd", "if=/dev/zero", "of=/dev/null", "bs=1M", "count=200")


def names_of(function):
    with open("/proc/kallsyms", encoding="ascii") as file:
        return {int(line.split()[0], 16): line.split()[2] for line in file
                if line.split()[2] in function}


def everything_is_counted():
    soft_before, hard_before = table("softirqs"), table("interrupts")
    recorder = Recorder("-a", "-e", "irq,sched.exec", "--buffer", "32M")
    ready = time.monotonic_ns()
    soft_inner, hard_inner = table("softirqs"), table("interrupts")
    busy()
    soft_least = difference(table("softirqs"), soft_inner)
    hard_least = difference(table("interrupts"), hard_inner)
    over = time.monotonic_ns()
    equal("exit status", recorder.stop(), 0)
    soft_most = difference(table("softirqs"), soft_before)
    hard_most = difference(table("interrupts"), hard_before)

    everything = events(recorder.trace)
    equal("lost", stats(recorder.trace)["lost"], 0)
    by_name = collections.defaultdict(list)
    for event in everything:
        by_name[event["event"]].append(event)
    for number, vector in enumerate(VECTORS):
        count = sum(event["fields"]["vector"] == number for event in by_name["irq.soft_enter"])
        check(soft_least[vector] <= count <= soft_most[vector],
              "soft interrupts %s: %d, the kernel counts %d to %d" %
              (vector, count, soft_least[vector], soft_most[vector]))
    received = sum(event["fields"]["vector"] == 3 for event in by_name["irq.soft_enter"])
    check(received >= DATAGRAMS, "NET_RX: %d for %d datagrams" % (received, DATAGRAMS))
    for number in sorted({event["fields"]["irq"] for event in by_name["irq.enter"]}):
        count = sum(event["fields"]["irq"] == number for event in by_name["irq.enter"])
        check(hard_least[str(number)] <= count <= hard_most[str(number)],
              "interrupt %d: %d, the kernel counts %d to %d" %
              (number, count, hard_least[str(number)], hard_most[str(number)]))
    # Once all programs are there and until the first of them goes: from the first program that was
    # started in between.
    offset = clock_offset_ns(recorder.trace)
    since = min(event["time"] for event in by_name["sched.exec"] if event["time"] > ready + offset)
    they_are_paired([event for event in everything if since <= event["time"] < over + offset])
    sleepers_are_woken(by_name["irq.timer"])
    work_is_done(by_name)


def they_are_paired(shown):
    """A beginning and an end for each, on the same CPU, one inside the other."""
    stacks, wrong, ends = collections.defaultdict(list), 0, 0
    for event in shown:
        name, cpu = event["event"], event["cpu"]
        if name in BEGINNINGS:
            stacks[cpu].append(event)
        elif name in PAIRS:
            beginning, key = PAIRS[name]
            begun = stacks[cpu].pop() if stacks[cpu] else None
            ends += 1
            wrong += bool(begun) and (begun["event"], begun["fields"].get(key)) != (
                beginning, event["fields"][key])
            check(begun or ends < 10, "an end without a beginning: %s" % event)
    equal("ends that fit no beginning", wrong, 0)


def sleepers_are_woken(timers):
    """sleep(1) is woken by the kernel's own function for that, 5 ms after it asked."""
    wakeups = names_of({"hrtimer_wakeup"})
    if any(wakeups):
        woken = [event["fields"] for event in timers if wakeups.get(event["fields"]["function"])]
        check(len(woken) >= 20, "%d timers woke a task, 20 slept" % len(woken))
        check(all(fields["late_ns"] >= 0 for fields in woken), "a timer that was early")


def work_is_done(by_name):
    """What a terminal puts off, all of it; of what others put off some may be at work at both ends."""
    names = names_of({"flush_to_ldisc"})
    begun, ended = (collections.Counter(
        event["fields"]["work"] for event in by_name[name]
        if names.get(event["fields"]["function"]) == "flush_to_ldisc")
        for name in ("irq.work_enter", "irq.work_exit"))
    check(not any(names) or sum(begun.values()) >= LINES and begun == ended,
          "work begun %s, and ended %s" % (begun, ended))
    check(len(by_name["irq.work_enter"]) >= LINES, "%d pieces of work" % len(by_name["irq.work_enter"]))


def ran_ns(pid):
    with open("/proc/%d/schedstat" % pid, encoding="ascii") as file:
        return int(file.read().split()[0])


def a_filter_asks_who_was_interrupted():
    spinner = subprocess.Popen([actor_path(), "spin", "60000"], stdout=subprocess.DEVNULL)
    cleanups.append(spinner.kill)
    recorder = Recorder("-e", "irq.soft_enter,irq.timer", "--pid", str(spinner.pid))
    until(lambda: ran_ns(spinner.pid) > SPIN_NS, "the spinner has had a CPU for long")
    spinner.kill()
    spinner.wait()
    equal("exit status", recorder.stop(), 0)
    interrupted = [event for event in events(recorder.trace) if event["event"].startswith("irq.")]
    check(interrupted, "half a second on the CPU, and no timer")
    equal("tasks interrupted", {event["tid"] for event in interrupted}, {spinner.pid})


require_root()
undisturbed(everything_is_counted)
undisturbed(a_filter_asks_who_was_interrupted)
finish()
