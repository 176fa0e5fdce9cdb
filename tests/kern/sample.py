#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Samples of the CPUs: as many as were due, of the tasks that ran, in the state they were in, each
within what chance explains; and with the names of the functions that they were in."""
import bisect
import collections
import json
import math
import os
import shutil
import subprocess
import time

from harness import (SONDE, Recorder, actor_path, check, cleanups, clock_offset_ns, equal, events,
                     finish, path, record, require_root, run)
from undisturbed import Scenarios

undisturbed = Scenarios("sched")

USER, NICE, SYS, IDLE = range(4)
RATE = 997
BURN_MS = 2000
IDLE_SECONDS = 10
SIGMAS = 5  # once in two million


def share_interval(hits, count):
    """Where the share lies of which that many looks had so many hits (Wilson's interval)."""
    z2 = SIGMAS ** 2
    middle = (hits + z2 / 2) / (count + z2)
    half = SIGMAS / (count + z2) * math.sqrt(hits * (count - hits) / count + z2 / 4)
    return middle - half, middle + half


def same_share(hits, count, witness_hits, witness_count, what, slack=0):
    """Two that looked at the same thing may differ by chance, and by @slack."""
    low, high = share_interval(hits, count)
    witness_low, witness_high = share_interval(witness_hits, witness_count)
    check(low <= witness_high + slack and witness_low <= high + slack,
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
        missed = sum(event["fields"]["missed"] + event["fields"]["idle"] for event in own[1:])
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
    before, begin = ticks(), time.monotonic_ns()
    user, nice, kernel = burn("burn"), burn("burn", prefix=("nice", "-n", "5")), burn("read")
    times = {process.pid: used(process) for process in (user, nice, kernel)}
    after, end = ticks(), time.monotonic_ns()
    time.sleep(0.3)  # for once nobody does anything, here
    equal("exit status", recorder.stop(), 0)
    shown, offset = samples(recorder.trace), clock_offset_ns(recorder.trace)
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
                in_kernel != (event["fields"]["pc"] >= 1 << 63 or idle and not event["fields"]["pc"]):
            check(False, "a sample that contradicts itself: %s" % event)
            break
    states_are_those_of_the_ticks(
        [event for event in shown if begin <= event["time"] - offset <= end],
        [new - old for new, old in zip(after, before)], sum(map(sum, times.values())) / 1e6)


def states_are_those_of_the_ticks(shown, counted, own_seconds):
    """Idle is left out: it has a test of its own. What others do
    may keep step with the ticks, which then never meet it: its share is how far off they may be."""
    others = max(0, 1 - own_seconds * os.sysconf("SC_CLK_TCK") / sum(counted[:IDLE]))
    busy = [event for event in shown if event["fields"]["state"] != IDLE]
    for state, what in ((USER, "user"), (NICE, "nice"), (SYS, "system")):
        same_share(sum(event["fields"]["state"] == state for event in busy), len(busy),
                   counted[state], sum(counted[:IDLE]), "share of " + what, others)


def idle_within(shown, rate, begin, end):
    """By CPU: samples of it while idle, and all that were due, in that time. A record stands for
    those of an idle CPU before it, too, a period apart."""
    idle, due = collections.Counter(), collections.Counter()
    for event in shown:
        fields = event["fields"]
        before = fields["idle"] + fields["missed"]
        times = [event["time"] - i * 1000000000 // rate for i in range(before + 1)]
        due[event["cpu"]] += sum(begin <= at <= end for at in times)
        idle[event["cpu"]] += (fields["state"] == IDLE and begin <= times[0] <= end) + \
            sum(begin <= at <= end for at in times[1:fields["idle"] + 1])
    return idle, due


def idle_is_that_of_the_kernel(busy_cpus):
    """As much as /proc/stat says, however deep the CPUs sleep, and from begin to end."""
    cpus = sorted(os.sched_getaffinity(0))
    recorder = Recorder("-a", "-e", "cpu.sample", "--rate", str(RATE))
    spinners = [subprocess.Popen(["taskset", "-c", str(cpu), actor_path(), "burn",
                                  str(IDLE_SECONDS * 2000)], stdout=subprocess.DEVNULL)
                for cpu in cpus[:busy_cpus]]
    cleanups.extend(spinner.kill for spinner in spinners)
    before, begin = ticks(), time.monotonic_ns()
    time.sleep(IDLE_SECONDS)  # what is measured
    after, end = ticks(), time.monotonic_ns()
    for spinner in spinners:
        spinner.kill()
        spinner.wait()
    equal("exit status", recorder.stop(), 0)
    shown = samples(recorder.trace)
    offset = clock_offset_ns(recorder.trace)
    idle, due = idle_within(shown, RATE, begin + offset, end + offset)
    seconds = (end - begin) / 1e9
    for cpu in cpus:
        check(abs(due[cpu] - RATE * seconds) <= 0.01 * RATE * seconds,
              "CPU %d: %d samples, %.0f were due" % (cpu, due[cpu], RATE * seconds))
    share = sum(idle.values()) / (RATE * seconds * len(cpus))
    witness = (after[IDLE] - before[IDLE]) / (os.sysconf("SC_CLK_TCK") * seconds * len(cpus))
    print("%d CPUs busy: idle %.2f %%, by /proc/stat %.2f %%" %
          (busy_cpus, 100 * share, 100 * witness))
    check(abs(share - witness) <= 0.02, "idle %.4f, /proc/stat says %.4f" % (share, witness))
    report = json.loads(run(SONDE, "report", "--json", recorder.trace, "cpu").stdout)
    states = report["reports"]["cpu"]["states"]
    equal("idle of the report", states["idle"], sum(
        event["fields"]["idle"] + (event["fields"]["state"] == IDLE) for event in shown))
    equal("samples of the report", report["reports"]["cpu"]["samples"], sum(states.values()))
    stats = json.loads(run(SONDE, "stats", "--json", recorder.trace).stdout)
    equal("states of stats", stats["cpus"]["states"], states)


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
              if event["event"] == "sonde.state" and event["fields"]["measurement"] == "cpu.sample"]
    equal("states of cpu.sample", states, [1, 0])


def named(shown, field="pc"):
    """Names of functions, without what is behind the plus."""
    return [event.get("names", {}).get(field, "").rpartition("+")[0] for event in shown]


def frames(event, field):
    return [(name or "").rpartition("+")[0] for name in event.get("names", {}).get(field, [])]


def share_is(hits, count, least, what):
    check(count and hits >= least * count, "%s: %d of %d" % (what, hits, count))


def kernel_functions():
    """Addresses in order, and at each the names that the kernel gives it; none if it hides them."""
    names = collections.defaultdict(set)
    with open("/proc/kallsyms", encoding="ascii") as file:
        for line in file:
            address, kind, name, *module = line.split()
            if kind in "tTwW" and int(address, 16) and not name.startswith(("__pfx_", "__cfi_")):
                names[int(address, 16)].add(":".join([m.strip("[]") for m in module] + [name]))
    return sorted(names), names


def names_of_the_kernel(shown):
    addresses, names = kernel_functions()
    # Behind it there are programs of BPF, which come and go.
    end = next((address for address in addresses if "_etext" in names[address]), 1 << 64)
    wrong, right = collections.Counter(), 0
    for event in shown:
        address = event["fields"]["pc"]
        if event["fields"]["state"] not in (SYS, IDLE) or address >= end:
            continue
        start = addresses[bisect.bisect(addresses, address) - 1]
        text = event.get("names", {}).get("pc", "")
        good = text in {"%s+0x%x" % (name, address - start) for name in names[start]}
        right += good
        if not good:
            wrong[(hex(address), text)] += 1
    check(right, "no sample in the kernel has a name")
    equal("addresses whose name is not the kernel's", wrong.most_common(5), [])


def functions_and_callers():
    trace, unused = record("-e", "cpu.sample", "--rate", str(RATE), "--detail", "full", "--",
                           actor_path(), "burn", "500")
    shown = [event for event in samples(trace) if event["fields"]["state"] == USER]
    share_is(named(shown).count("burn_in_user"), len(shown), 0.9, "in the function of the program")
    chains = [frames(event, "user_stack") for event in shown]
    share_is(sum(chain[:4] == ["burn_in_user", "burn_outer", "do_burn", "main"]
                 for chain in chains), len(chains), 0.9, "by the functions that call it")

    trace, unused = record("-e", "cpu.sample", "--rate", str(RATE), "--detail", "full", "--",
                           actor_path(), "read", "500")
    shown = [event for event in samples(trace) if event["fields"]["state"] == SYS]
    if kernel_functions()[0]:
        names_of_the_kernel(shown)
        share_is(sum("vfs_read" in frames(event, "kernel_stack") for event in shown), len(shown),
                 0.9, "by way of vfs_read")
    share_is(sum("do_burn" in frames(event, "user_stack") for event in shown), len(shown), 0.9,
             "called by the program")
    for event in shown:
        fields = event["fields"]
        if (len(fields["kernel_stack"]), len(fields["user_stack"])) != \
                (fields["kernel_depth"], fields["user_depth"]) or \
                fields["kernel_stack"][0] != fields["pc"]:
            check(False, "a stack that does not begin where the sample is: %s" % event)
            break
    reports(trace)
    if shutil.which("babeltrace2"):
        done = run("babeltrace2", trace)
        equal("what babeltrace2 complains of", done.stderr, "")
        equal("events of babeltrace2", done.stdout.count(" cpu.sample: "), len(samples(trace)))


def deep_stacks():
    """What a record has no room for is cut off at the far end, and told."""
    trace, unused = record("-e", "cpu.sample", "--rate", str(RATE), "--detail", "full", "--",
                           actor_path(), "deep", "300")
    shown = [event for event in samples(trace) if event["fields"]["state"] == USER]
    with open("/proc/sys/kernel/perf_event_max_stack", encoding="ascii") as file:
        most = min(126, int(file.read()) - 1)
    deep = [event["fields"]["user_depth"] == most and event["names"]["cut"] == "USER_CUT"
            for event in shown]
    share_is(sum(deep), len(deep), 0.8, "deeper than a record, and told")
    # Before the tables to unwind by are there, a stack that was walked by frame pointers counts as cut.
    other = [event["fields"]["cut"] for event in shown[deep.index(True):] if event["fields"]["user_depth"] < most]
    equal("stacks that are whole and cut", set(other) - {0}, set())


def reports(trace):
    """What report and stats make of it."""
    busy = [event for event in samples(trace) if event["fields"]["state"] != IDLE]
    wanted = collections.Counter(named(busy))
    report = json.loads(run(SONDE, "report", "--json", trace, "cpu").stdout)["reports"]["cpu"]
    equal("samples of the report", report["samples"],
          sum(1 + event["fields"]["idle"] for event in samples(trace)))
    got = collections.Counter()  # the kernel and a library may have functions of one name
    for entry in report["by_function"]:
        if entry["self"] and "function" in entry:
            got[entry["function"]] += entry["self"]
    equal("functions of the report", {name: wanted[name] for name in got}, got)
    totals = {entry.get("function"): entry["total"] for entry in report["by_function"]}
    share_is(totals.get("do_burn", 0), len(busy), 0.9, "in do_burn and what it calls")
    folded = [line.rsplit(" ", 1) for line in
              run(SONDE, "report", "--folded", trace).stdout.splitlines()]
    equal("samples in folded stacks", sum(int(count) for unused, count in folded), len(busy))
    equal("tasks in folded stacks", {stack.split(";")[0] for stack, unused in folded} - {"actor"},
          set())
    stats = json.loads(run(SONDE, "stats", "--json", trace).stdout)
    equal("functions of stats", stats["cpus"]["functions"], report["by_function"])


def programs_that_change():
    """A process that becomes another program: names are those of the one that it was then."""
    script = "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; exec %s burn 1500" % actor_path()
    trace, unused = record("-e", "cpu.sample,sched.exec", "--rate", str(RATE), "--", "sh", "-c",
                           script)
    shown = events(trace)
    execs = [event["time"] for event in shown if event["event"] == "sched.exec"
             and event["fields"]["filename"] == actor_path()]
    equal("programs started by the shell", len(execs), 1)
    shown = [event for event in shown if event["event"] == "cpu.sample"
             and event["fields"]["state"] == USER]
    before = [event for event in shown if event["time"] < execs[0]]
    after = [event for event in shown if event["time"] > execs[0]]
    equal("samples of the shell in the other's function", named(before).count("burn_in_user"), 0)
    check(before and after, "%d samples before exec, %d behind" % (len(before), len(after)))
    share_is(named(after).count("burn_in_user"), len(after), 0.8, "behind exec")


def programs_that_end_soon():
    recorder = Recorder("-e", "cpu.sample", "--rate", str(RATE), "--comm", "actor")
    for unused in range(30):
        run(actor_path(), "burn", "20")
    equal("exit status", recorder.stop(), 0)
    shown = [event for event in samples(recorder.trace) if event["fields"]["state"] == USER]
    share_is(named(shown).count("burn_in_user"), len(shown), 0.8, "in programs of 20 ms")


def files_that_change():
    """Names come from the recorded file or from none."""
    program = path("program")
    shutil.copy(actor_path(), program)
    trace, unused = record("-e", "cpu.sample", "--rate", str(RATE), "--", program, "burn", "200")
    shown = [event for event in samples(trace) if event["fields"]["state"] == USER]
    share_is(named(shown).count("burn_in_user"), len(shown), 0.8, "in the copy")
    os.unlink(program)
    shutil.copy(shutil.which("true"), program)
    shown = [event for event in samples(trace) if event["fields"]["state"] == USER]
    share_is(named(shown).count("program"), len(shown), 0.8, "in a file that is another now")
    equal("in the copy that is gone", named(shown).count("burn_in_user"), 0)


def sampler_enabled_later():
    spinner = burn("burn")
    recorder = Recorder("-a", "-e", "sched.exec", "--mode", "overwrite", "--rate", str(RATE))
    run(SONDE, "enable", "-r", str(recorder.pid), "cpu.sample")
    used(spinner)
    equal("exit status", recorder.stop(), 0)
    shown = [event for event in samples(recorder.trace)
             if event["fields"]["state"] == USER and event["fields"]["pid"] == spinner.pid]
    share_is(named(shown).count("burn_in_user"), len(shown), 0.9, "enabled while it runs")


require_root()
for test in (tasks_and_states, filters, rates, on_and_off, functions_and_callers, deep_stacks,
             programs_that_change, programs_that_end_soon, files_that_change, sampler_enabled_later):
    undisturbed(test)
for busy in (0, 1):
    undisturbed(idle_is_that_of_the_kernel, busy)
finish()
