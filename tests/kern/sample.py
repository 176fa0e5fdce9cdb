#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Samples of the CPUs: as many as were due, of the tasks that ran, in the state they were in, each
within what chance explains."""
import collections
import math
import os
import subprocess
import time

from harness import (SONDE, Recorder, actor_path, check, cleanups, equal, events, finish, record,
                     require_root, run)

USER, NICE, SYS, IDLE = range(4)
RATE = 997
BURN_MS = 3000
SIGMAS = 5  # once in two million


def share_interval(hits, count):
    """Where the share lies of which that many looks had so many hits (Wilson's interval)."""
    z2 = SIGMAS ** 2
    middle = (hits + z2 / 2) / (count + z2)
    half = SIGMAS / (count + z2) * math.sqrt(hits * (count - hits) / count + z2 / 4)
    return middle - half, middle + half


def same_share(hits, count, witness_hits, witness_count, what):
    """Two that looked at the same thing may differ by chance, and by no more."""
    low, high = share_interval(hits, count)
    witness_low, witness_high = share_interval(witness_hits, witness_count)
    check(low <= witness_high and witness_low <= high,
          "%s: %d of %d, the kernel's ticks say %.0f of %.0f" %
          (what, hits, count, witness_hits, witness_count))


def samples(trace, good=0):
    return [event for event in events(trace, good=good) if event["event"] == "cpu.sample"]


def every_sample_due_is_there_or_told(shown, rate):
    """A CPU's timer keeps to multiples of its period, except where it is started again."""
    by_cpu = collections.defaultdict(list)
    for event in shown:
        by_cpu[event["cpu"]].append(event)
    for cpu, own in by_cpu.items():
        period = 1000000000 // rate
        due = (own[-1]["time"] - own[0]["time"]) / period + 1
        missed = sum(event["fields"]["missed"] for event in own[1:])
        check(abs(len(own) + missed - due) <= 1.5 + missed / 100,
              "CPU %d: %d samples and %d missed, %.1f were due" % (cpu, len(own), missed, due))


def ticks():
    """Of all CPUs, by state, in units of 10 ms, as the kernel's own ticks have found it."""
    with open("/proc/stat", encoding="ascii") as file:
        user, nice, system, idle, iowait, irq, softirq = map(int, file.readline().split()[1:8])
    return [user, nice, system + irq + softirq, idle + iowait]


def burn(*args, prefix=()):
    """An actor that uses BURN_MS of CPU time; what it used is (user us, system us)."""
    process = subprocess.Popen([*prefix, actor_path(), *args, str(BURN_MS)],
                               stdout=subprocess.PIPE, text=True)
    cleanups.append(process.kill)
    return process


def used(process):
    out, unused = process.communicate()
    return [int(word) for word in out.split()]


def task_has_its_share(own, state, times, what):
    """As many samples as its CPU time has periods; in the state, what its share of that is. The
    kernel knows the time exactly, and its division from what its ticks have met."""
    expected = sum(times) * RATE / 1e6
    missed = sum(event["fields"]["missed"] for event in own)
    bound = SIGMAS * math.sqrt(expected)
    check(expected - bound - missed <= len(own) <= expected + bound,
          "%s: %d samples, %.0f expected, within %.0f; %d missed" %
          (what, len(own), expected, bound, missed))
    to_ticks = os.sysconf("SC_CLK_TCK") / 1e6
    same_share(sum(event["fields"]["state"] == state for event in own), len(own),
               times[state == SYS] * to_ticks, sum(times) * to_ticks, what)


def tasks_and_states():
    recorder = Recorder("-a", "-e", "cpu.sample", "--rate", str(RATE))
    before, begin = ticks(), time.time_ns()
    user, nice, kernel = burn("burn"), burn("burn", prefix=("nice", "-n", "5")), burn("read")
    times = {process.pid: used(process) for process in (user, nice, kernel)}
    after, end = ticks(), time.time_ns()
    time.sleep(0.3)  # for once nobody does anything, here
    equal("exit status", recorder.stop(), 0)
    shown = samples(recorder.trace)
    every_sample_due_is_there_or_told(shown, RATE)

    by_pid = collections.defaultdict(list)
    for event in shown:
        by_pid[event["fields"]["pid"]].append(event)
    for process, state, what in ((user, USER, "user"), (nice, NICE, "nice"),
                                 (kernel, SYS, "kernel")):
        task_has_its_share(by_pid[process.pid], state, times[process.pid], what)
    for event in shown:
        idle = event["fields"]["state"] == IDLE
        in_kernel = event["fields"]["state"] in (SYS, IDLE)
        if idle != (event["tid"] == 0 and in_kernel) or \
                in_kernel != (event["fields"]["pc"] >= 1 << 63):
            check(False, "a sample that contradicts itself: %s" % event)
            break
    states_are_those_of_the_ticks(
        [event for event in shown if begin <= event["time"] <= end],
        [new - old for new, old in zip(after, before)])


def states_are_those_of_the_ticks(shown, counted):
    """Idle is left out: a CPU with nothing to do may be put to rest, timer and all."""
    busy = [event for event in shown if event["fields"]["state"] != IDLE]
    for state, what in ((USER, "user"), (NICE, "nice"), (SYS, "system")):
        same_share(sum(event["fields"]["state"] == state for event in busy), len(busy),
                   counted[state], sum(counted[:IDLE]), "share of " + what)


def filters():
    spinner = burn("burn")
    recorder = Recorder("-e", "cpu.sample", "--pid", str(spinner.pid))
    used(spinner)
    equal("exit status with a filter", recorder.stop(), 0)
    shown = samples(recorder.trace)
    check(shown, "seconds on the CPU, and no sample")
    equal("processes sampled with --pid", {event["fields"]["pid"] for event in shown},
          {spinner.pid})


def rates():
    trace, unused = record("-a", "-e", "cpu.sample", "--rate", "9999", "--", actor_path(), "burn",
                           "500")
    every_sample_due_is_there_or_told(samples(trace), 9999)
    with open("/proc/sys/kernel/perf_event_max_sample_rate", encoding="ascii") as file:
        most = int(file.read())
    for rate in ("0", "-1", "many", "99x", str(most + 1)):
        unused, done = record("-e", "cpu.sample", "--rate", rate, good=None)
        equal("exit status with --rate %s" % rate, done.returncode, 2)
    check("more than the kernel takes: %d" % min(most, 100000) in done.stderr, done.stderr)


def on_and_off():
    recorder = Recorder("-a", "-e", "cpu.sample", "--rate", str(RATE))
    pid = str(recorder.pid)
    run(SONDE, "disable", "-r", pid, "cpu.sample")
    recorder.stop()
    states = [event["fields"]["on"] for event in events(recorder.trace)
              if event["event"] == "sonde.state"]
    equal("states of cpu.sample", states, [1, 0])


require_root()
tasks_and_states()
filters()
rates()
on_and_off()
finish()
