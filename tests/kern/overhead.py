#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What recording costs, as it is told, against what the kernel tells bpftool; --budget; which
measurements are on, for 'sonde list'; presets."""
import contextlib
import ctypes
import json
import os
import shutil
import signal
import time

import harness
from harness import (PATIENCE, SONDE, Actor, Recorder, WaitedInVain, check, equal, events, finish, fresh,
                     line_count, notes, path, programs_of, record, require_root, run, until)
from schema import described

ENDLESS = str(1 << 40)
BPF_SYSCALL = {"x86_64": 321, "aarch64": 280}[os.uname().machine]
BPF_ENABLE_STATS = 32
CPUS = os.cpu_count()
RUNTIME = os.environ["SONDE_RUNTIME_DIR"]


def sonde(*args, **more):
    return run(SONDE, *args, good=False, **more)


@contextlib.contextmanager
def counted_runs():
    """The kernel counts runs as long as this holds a descriptor: nobody's setting is touched."""
    libc = ctypes.CDLL(None, use_errno=True)
    attr = (ctypes.c_uint32 * 32)()  # BPF_STATS_RUN_TIME is 0
    fd = libc.syscall(BPF_SYSCALL, BPF_ENABLE_STATS, ctypes.byref(attr), ctypes.sizeof(attr))
    if fd < 0:
        raise OSError(ctypes.get_errno(), "BPF_ENABLE_STATS")
    try:
        yield
    finally:
        os.close(fd)


@contextlib.contextmanager
def busy():
    """A program that does nothing but system calls, until the end of the block; ahead of all others,
    or it would run in some windows only."""
    actor = Actor("rounds", ENDLESS, prefix=("nice", "-n", "-15"))
    actor.start()
    try:
        yield actor
    finally:
        actor.kill()


def runs_of(pid, name):
    """(runs, ns) of a program of a recorder, as bpftool shows them."""
    mine = programs_of(pid)
    for one in json.loads(run("bpftool", "-j", "prog", "show").stdout):
        if one["id"] in mine and one.get("name") == name:
            return one.get("run_cnt", 0), one.get("run_time_ns", 0)
    raise RuntimeError("bpftool shows no program " + name)


def cpu_time(pid):
    """Seconds of user and system time."""
    with open("/proc/%d/stat" % pid, encoding="ascii") as file:
        fields = file.read().rsplit(") ", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def status(*args):
    return described("status", json.loads(run(SONDE, "status", "--json", *args).stdout))


def costs(trace):
    """{label: [window_ns, runs, run_ns]}, summed over all notes of a trace."""
    sums = {}
    for event in notes(trace, "sonde.cost"):
        fields = event["fields"]
        entry = sums.setdefault(fields["measurements"], [0, 0, 0])
        for i, key in enumerate(("window_ns", "runs", "run_ns")):
            entry[i] += fields[key]
    return sums


def budget_notes(trace):
    return [(event["fields"]["measurement"], event["fields"]["on"])
            for event in notes(trace, "sonde.state")
            if event["names"]["reason"] == "BUDGET"]


def cost_of(recorder):
    """(ns that the recorder has looked at sys.enter so far, runs, ns of these runs)"""
    for one in status(str(recorder.pid))["cost"]:
        if one["measurements"] == "sys.enter":
            return one["window_ns"], one["runs"], one["run_ns"]
    return 0, 0, 0


def windows(recorder):
    return cost_of(recorder)[0]


def is_close(got, want, factor):
    return want / factor <= got <= want * factor


def disagree(cost, witness, elapsed_ns):
    """Where the recorder's samples are not what the witness has counted in @elapsed_ns: texts."""
    (window_ns, runs, run_ns), (witness_runs, witness_ns) = cost, witness
    if window_ns < 30e6 or not runs:
        return ["%d ns of windows" % window_ns]
    each, witness_each = run_ns / runs, witness_ns / witness_runs
    good = {
        "runs a second": is_close(runs / window_ns, witness_runs / elapsed_ns, 4),
        "share of a CPU": is_close(run_ns / window_ns, witness_ns / elapsed_ns, 6),
        "ns each": witness_each / 10 < each < 1.5 * witness_each,
        "time it looked": window_ns < 0.05 * elapsed_ns,
    }
    return ["%s: %s, the witness %s in %g ns" % (what, cost, witness, elapsed_ns)
            for what, is_good in good.items() if not is_good]


def told_and_true():
    """In one run: what the recorder samples now and then, and what is counted all the time."""
    with busy() as actor, counted_runs():
        recorder = Recorder("-e", "sys.enter,sched.exec", "--pid", str(actor.pid))
        before, start = runs_of(recorder.pid, "sys_enter"), time.monotonic()
        found = []

        def agree():
            """The machine may be busy with other things just in a window: of more windows it counts less."""
            cost, after = cost_of(recorder), runs_of(recorder.pid, "sys_enter")
            found[:] = disagree(cost, (after[0] - before[0], after[1] - before[1]),
                                (time.monotonic() - start) * 1e9)
            return not found

        with contextlib.suppress(WaitedInVain):
            until(agree, "the samples and the witness agree")
        equal("samples and what is counted all the time", found, [])
        shown, cost = sonde("status").stdout, cost_of(recorder)
        recorded_ns = (time.monotonic() - start) * 1e9
        recorder.send(signal.SIGINT)
        os.waitid(os.P_PID, recorder.pid, os.WEXITED | os.WNOWAIT)
        took = cpu_time(recorder.pid)  # all of it
        recorder.wait()
    told = costs(recorder.trace)
    check(all(in_trace >= so_far for in_trace, so_far in zip(told["sys.enter"], cost)),
          "the trace tells of %s, and status of %s" % (told["sys.enter"], cost))

    recorder_window_ns, recorder_runs, recorder_ns = told["(recorder)"]
    equal("runs of the recorder", recorder_runs, 0)
    check(0 < recorder_ns / 1e9 < took + 0.1, "recorder: %g s, /proc %g" % (recorder_ns / 1e9, took))
    check(recorder_window_ns >= recorded_ns, "the recorder was looked at all the time")

    for text, where in ((shown, "status"), (recorder.stderr, "the summary")):
        for what in ("sys.enter ", "all programs ", "recorder, ", "of %d CPU" % CPUS):
            check(what in text, "%s does not tell of %s: %s" % (where, what, text))
    check("estimated" in recorder.stderr, "it is not called an estimate")


def quiet_and_short():
    unused, done = record("-q", "-e", "sys", "-d", "1ms")
    equal("quiet", done.stderr, "")
    trace, done = record("-e", "sys", "--", "true")
    check("What it cost" in done.stderr, "a short one tells no cost: " + done.stderr)
    check("(recorder)" in costs(trace), "a short one has no note of the recorder's cost")
    equal("what babeltrace2 says of it", line_count("babeltrace2", trace)[1], "")


def together():
    """tcp.ack and tcp.cwnd are made by one program, when both are on."""
    recorder = Recorder("-e", "tcp.ack,tcp.cwnd", "-e", "sched.exec")
    until(lambda: len(status()["cost"]) > 2, "the first window is over")
    labels = [one["measurements"] for one in status()["cost"]]
    check("tcp.ack, tcp.cwnd" in labels, "one program of two: %s" % labels)
    run(SONDE, "disable", "tcp.cwnd")
    until(lambda: "tcp.ack" in [one["measurements"] for one in status()["cost"]],
          "tcp.ack has the program for itself")
    recorder.stop()


def over_budget():
    """Off while it costs too much, on again when it does not, and all of that told."""
    percent = 4 / CPUS
    with busy() as actor:
        recorder = Recorder("-e", "sys.enter,sched.exec", "--pid", str(actor.pid), "--budget",
                            "%g%%" % percent)
        until(lambda: "sys.enter" in status()["held"], "sys.enter goes off")
        equal("held: not on", "sys.enter" in status()["on"], False)
        check("sys.enter" in sonde("status").stdout.split("held")[1], "status does not show it")
    # Where others are busy too, it takes some tries, each after twice as long.
    until(lambda: "sys.enter" in status()["on"], "sys.enter is on again", 4 * PATIENCE)
    equal("its exit status", recorder.stop(), 3)
    check("over the budget of" in recorder.stderr, "going off is not told: " + recorder.stderr)
    check("sys.enter is on again" in recorder.stderr, "going on is not told: " + recorder.stderr)
    check("sys.enter was off for" in recorder.stderr, "how long is not told: " + recorder.stderr)
    notes = [on for name, on in budget_notes(recorder.trace) if name == "sys.enter"]
    equal("the trace: by turns", notes[:2], [0, 1])


def least_budget():
    """Quiet says nothing of it, but in the exit status."""
    with busy():
        recorder = Recorder("-q", "-e", "sys.enter,sched", "--budget", "0.01%")
        until(lambda: "sys.enter" in status()["held"], "sys.enter goes off")
        equal("quiet: exit status", recorder.stop(), 3)
        equal("quiet: what it says", recorder.stderr, "")


def blind():
    """A trigger that cannot fire, as what it waits for is off, is told of."""
    with busy():
        recorder = Recorder("-e", "sys.enter,sys.exit,sched.exec", "--stop-on",
                            "sys.exit && ret == -12345", "--budget", "0.01%")
        until(lambda: {"sys.enter", "sys.exit"} <= set(status()["held"]), "both go off")
        recorder.stop()
    told = [line for line in recorder.stderr.splitlines() if "cannot fire" in line]
    check(told and all(": sys.exit," in line for line in told),
          "what the trigger waits for: " + recorder.stderr)


def mine_again():
    """What somebody disables himself does not come back."""
    with busy():
        recorder = Recorder("-e", "sys.enter,sched.exec", "--budget", "0.01%")
        until(lambda: "sys.enter" in status()["held"], "sys.enter goes off")
        equal("disable", sonde("disable", "sys.enter").stdout, "sys.enter         off\n")
        equal("disabled: held", "sys.enter" in status()["held"], False)
        equal("enable", sonde("enable", "sys.enter").returncode, 0)
        until(lambda: "sys.enter" in status()["held"], "it goes off again")
        recorder.stop()


def generous_budget():
    with busy():
        recorder = Recorder("-e", "sys.enter", "--budget", "100%")
        until(lambda: windows(recorder) > 20e6, "there were some windows")
        equal("generous: held", status()["held"], [])
        # Events may be lost where the disk is slow, and the status says so too.
        equal("generous: exit status", recorder.stop(), 3 if "LOST" in recorder.stderr else 0)
    equal("generous: notes", budget_notes(recorder.trace), [])
    check("was off" not in recorder.stderr, "generous: " + recorder.stderr)


def without_cap_sys_admin():
    """BPF may be used, but what it costs may not be seen."""
    def limited(*args):
        trace = fresh()
        return run("setpriv", "--bounding-set=-sys_admin", "--inh-caps=-sys_admin", SONDE,
                   "record", "-e", "sched.exec", "-d", "50ms", "-o", trace, *args, good=False)

    done = limited()
    equal("without CAP_SYS_ADMIN: status", done.returncode, 0)
    check("is not known: Operation not permitted (need CAP_SYS_ADMIN)" in done.stderr,
          "without CAP_SYS_ADMIN: " + done.stderr)
    check("recorder, " in done.stderr, "the recorder's own is not told: " + done.stderr)
    done = limited("--budget", "1%")
    equal("a budget that nobody could keep: status", done.returncode, 5)
    check("need CAP_SYS_ADMIN" in done.stderr, "a budget without: " + done.stderr)


def listed(name):
    return json.loads(run(SONDE, "list", "--json", name).stdout)[0]


def list_shows_what_is_on():
    shutil.rmtree(RUNTIME, ignore_errors=True)
    equal("nobody runs", listed("sched.exec")["state"], "off")
    check(not os.path.exists(RUNTIME), "list makes a directory for sockets")
    first = Recorder("-e", "sched.exec", "--name", "one")
    second = Recorder("-e", "sched.exec,sched.exit", "--name", "two")
    equal("on", listed("sched.exec")["state"], "on")
    equal("whose", {one["name"]: one["pid"] for one in listed("sched.exec")["recorders"]},
          {"one": first.pid, "two": second.pid})
    equal("another", listed("sys.enter")["state"], "off")
    text = run(SONDE, "list", "-v", "sched.exit").stdout
    check("on in two (pid %d)\n" % second.pid in text, "list -v does not say where: " + text)
    check("typical cost: " in text, "list -v does not tell the cost: " + text)
    check(run(SONDE, "list", "sched.exit").stdout.splitlines()[1].split()[2] == "on", "not on")
    second.send(signal.SIGSTOP)
    equal("one does not answer", [one["name"] for one in listed("sched.exec")["recorders"]], ["one"])
    equal("it alone", listed("sched.exit")["state"], "off")
    second.send(signal.SIGCONT)
    until(lambda: listed("sched.exit")["state"] == "on", "it answers again")
    first.stop()
    second.stop()


def presets():
    config = path("config")
    os.makedirs(os.path.join(config, "sonde", "presets"))
    with open(os.path.join(config, "sonde", "presets", "mine.preset"), "w", encoding="ascii") as file:
        file.write("description = Mine\nsched.exec\nmode = overwrite\nbuffer = 1M\n")
    mine = dict(os.environ, XDG_CONFIG_HOME=config)

    def mode(trace):
        with open(os.path.join(trace, "metadata"), encoding="utf-8") as file:
            return next(line for line in file if "sonde_mode" in line).split('"')[1]

    trace, unused = record("-p", "mine", "-e", "sched.exit", "--", "true", env=mine)
    equal("preset and -e", {event["event"] for event in events(trace, "-e", "sched")},
          {"sched.exec", "sched.exit"})
    equal("its setting", mode(trace), "overwrite")
    trace, unused = record("--mode", "discard", "-p", "mine", "--", "true", env=mine)
    equal("what the command line says counts more", mode(trace), "discard")


require_root()
for test in (told_and_true, quiet_and_short, together, over_budget, least_budget, blind, mine_again,
             generous_budget, without_cap_sys_admin, list_shows_what_is_on, presets):
    print(test.__name__, flush=True)
    test()
finish()
