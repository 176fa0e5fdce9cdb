#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""sonde print --follow beside a running recorder: what happens is shown soon, in order, once, and
the end of the recorder is the end."""
import contextlib
import json
import os
import signal
import subprocess
import time

from harness import (PATIENCE, SONDE, Actor, Recorder, check, cleanups, equal, events, finish, fresh,
                     require_root, run, until)

SOON = PATIENCE
CALLS = 2000


class Follower:
    """sonde print --follow, writing to a file."""

    def __init__(self, trace, *args):
        self.name = fresh("out")
        with open(self.name, "w", encoding="utf-8") as out:
            self.process = subprocess.Popen([SONDE, "print", "--follow", *args, trace], stdout=out,
                                            stderr=subprocess.PIPE, text=True)
        cleanups.append(self.process.kill)

    def text(self):
        with open(self.name, encoding="utf-8") as out:
            return out.read()

    def lines(self, what):
        return self.text().count(what)

    def end(self):
        """The exit status, and what it said."""
        unused, errors = self.process.communicate(timeout=SOON)
        return self.process.returncode, errors


def shown(follower, what, count):
    try:
        until(lambda: follower.lines(what) >= count, "it is shown", SOON)
    except RuntimeError:
        check(False, "%d of %d lines with %s are shown" % (follower.lines(what), count, what))


def beside(*options):
    actor = Actor("rounds", str(CALLS))
    recorder = Recorder("-e", "sys.enter,sched.exec", "--pid", str(actor.pid), "--syscall",
                        "getpgid", *options)
    follower = Follower(recorder.trace, "-e", "sys.enter")
    for i in range(3):
        actor.act()
        shown(follower, "getpgid(", (i + 1) * CALLS)
        check(follower.process.poll() is None, "it ended before the recorder")
    equal("exit status of sonde record", recorder.stop(), 0)
    equal("exit status, and what it says", follower.end(), (0, ""))
    check(follower.text() == run(SONDE, "print", "-e", "sys.enter", recorder.trace).stdout,
          "what was shown is not what the trace has")
    actor.kill()


def two_cpus():
    """Whatever both record meanwhile comes in the order of time."""
    actors = [Actor("rounds", str(CALLS), preexec_fn=lambda cpu=cpu: os.sched_setaffinity(0, {cpu}))
              for cpu in sorted(os.sched_getaffinity(0))[:2]]
    recorder = Recorder("-e", "sys.enter", "--syscall", "getpgid", "--compress",
                        *[word for one in actors for word in ("--pid", str(one.pid))])
    follower = Follower(recorder.trace, "--format", "json", "-e", "sys.enter")
    for actor in (actors * 3):
        actor.act()
    shown(follower, '"sys.getpgid"', 3 * CALLS * len(actors))
    equal("exit status of sonde record", recorder.stop(), 0)
    equal("exit status, and what it says", follower.end(), (0, ""))
    check(follower.text() == run(SONDE, "print", "--format", "json", "-e", "sys.enter",
                                 recorder.trace).stdout,
          "what was shown is not what the trace has, or in another order")
    for actor in actors:
        actor.kill()


def what_is_enabled_later():
    actor = Actor("rounds", str(CALLS))
    recorder = Recorder("-e", "sched.exec", "--pid", str(actor.pid))
    follower = Follower(recorder.trace, "-v")
    totals = subprocess.Popen([SONDE, "stats", "--follow", "--json", recorder.trace],
                              stdout=subprocess.PIPE, text=True)
    cleanups.append(totals.kill)
    table = Follower(recorder.trace, "--format", "csv")
    shown(follower, "sonde.task", 1)
    shown(table, "sonde.task", 1)
    columns = table.text().splitlines()[0].count(",")
    run(SONDE, "enable", "-r", str(recorder.pid), "sys.enter")
    actor.act()
    shown(follower, "getpgid(", CALLS)
    run(SONDE, "disable", "-r", str(recorder.pid), "sys.enter")
    equal("exit status of sonde record", recorder.stop(), 0)
    equal("exit status, and what it says", follower.end(), (0, ""))
    check(follower.text() == run(SONDE, "print", "-v", recorder.trace).stdout,
          "what was shown is not what the trace has")
    shown(table, "sys.getpgid", CALLS)
    status, said = table.end()
    equal("exit status of the table", status, 0)
    check("no columns for: ip, nr" in said, "it says what has no column: " + said)
    equal("head lines", table.lines("time,cpu,tid"), 1)
    equal("columns", {line.count(",") for line in table.text().splitlines()
                      if "sys.getpgid" in line}, {columns})
    check(totals.communicate(timeout=SOON)[0] == run(SONDE, "stats", "--json",
                                                     recorder.trace).stdout,
          "stats --follow tells other totals than stats")
    actor.kill()


def has_open(pid, directory):
    """Whether the process has a stream in @directory open, whose metadata it has read before."""
    found = []
    for entry in os.scandir("/proc/%d/fd" % pid):
        with contextlib.suppress(FileNotFoundError):  # closed in between
            found.append(os.readlink(entry.path))
    return any(name.startswith(directory + "/") and not name.startswith(directory + "/metadata") for name in found)


def addresses():
    """What an address means is told after the trace was opened, behind the event that has it."""
    spinner = subprocess.Popen(["sh", "-c", "read line; while :; do echo; done >/dev/null"],
                               stdin=subprocess.PIPE)
    cleanups.append(spinner.kill)
    recorder = Recorder("-e", "cpu.sample", "--pid", str(spinner.pid))
    follower = Follower(recorder.trace, "--format", "json", "-e", "cpu.sample")
    until(lambda: has_open(follower.process.pid, recorder.trace), "it has opened the trace")
    spinner.stdin.write(b"\n")
    spinner.stdin.flush()
    shown(follower, '"pc":"', 1)
    equal("exit status of sonde record", recorder.stop(), 0)
    equal("exit status, and what it says", follower.end(), (0, ""))
    spinner.kill()
    spinner.wait()


def what_is_enabled_later_is_converted():
    """A new trace, or a file, begins anew; of a pipe, nothing can be taken back."""
    actor = Actor("rounds", str(CALLS))
    recorder = Recorder("-e", "sched.exec", "--pid", str(actor.pid))
    outs = [fresh("again"), fresh("again") + ".json"]
    converts = [subprocess.Popen([SONDE, "convert", "--follow", recorder.trace, "-o", out],
                                 stderr=subprocess.PIPE, text=True) for out in outs]
    piped = subprocess.Popen([SONDE, "convert", "--follow", recorder.trace, "--format", "json", "-o",
                              "-"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    for process in (*converts, piped):
        cleanups.append(process.kill)
    for process in (*converts, piped):
        until(lambda pid=process.pid: has_open(pid, recorder.trace), "it is being converted")
    run(SONDE, "enable", "-r", str(recorder.pid), "sys.enter")
    actor.act()
    equal("exit status of sonde record", recorder.stop(), 0)
    every = events(recorder.trace)
    for process in converts:
        said = process.communicate(timeout=SOON)[1]
        equal("exit status of convert --follow, which said %r" % said, process.returncode, 0)
    # The mark counts the source's own streams: a new trace does not have it.
    kept = [event for event in every if event["event"] not in ("sonde.stream", "sonde.end")]
    check(len(kept) < len(every) and events(outs[0]) == kept, "the new trace is another")
    with open(outs[1], encoding="utf-8") as lines:
        check([json.loads(line) for line in lines] == every, "the file has other events")
    said = piped.communicate(timeout=SOON)[1]
    equal("exit status at a pipe", piped.returncode, 1)
    check("cannot be taken back" in said, "at a pipe it says %r" % said)
    actor.kill()


def a_recorder_that_is_killed():
    actor = Actor("rounds", str(CALLS))
    recorder = Recorder("-e", "sys.enter", "--pid", str(actor.pid), "--syscall", "getpgid")
    follower = Follower(recorder.trace, "-e", "sys.enter")
    actor.act()
    shown(follower, "getpgid(", CALLS)
    recorder.kill()
    equal("exit status after the recorder was killed", follower.end()[0], 3)
    equal("calls shown", follower.lines("getpgid("), CALLS)
    actor.kill()


def interrupted():
    actor = Actor("rounds", str(CALLS))
    recorder = Recorder("-e", "sys.enter", "--pid", str(actor.pid), "--syscall", "getpgid")
    follower = Follower(recorder.trace, "-e", "sys.enter")
    actor.act()
    shown(follower, "getpgid(", CALLS)
    start = time.monotonic()
    follower.process.send_signal(signal.SIGINT)
    equal("exit status after Ctrl-C", follower.end(), (0, ""))
    check(time.monotonic() - start < SOON, "Ctrl-C took %g s" % (time.monotonic() - start))
    check(recorder.process.poll() is None, "the recorder ended too")
    equal("exit status of sonde record", recorder.stop(), 0)
    actor.kill()


def flight_recorder():
    actor = Actor("rounds", str(CALLS))
    recorder = Recorder("-e", "sys.enter", "--pid", str(actor.pid), "--syscall", "getpgid", "--mode",
                        "overwrite")
    follower = Follower(recorder.trace, "-e", "sys.enter")
    actor.act()
    run(SONDE, "snapshot", "-r", str(recorder.pid))
    shown(follower, "getpgid(", CALLS)
    equal("exit status of sonde record", recorder.stop(), 0)
    equal("exit status", follower.end()[0], 0)
    equal("calls shown", follower.lines("getpgid("), CALLS)
    equal("calls in the trace", len(events(recorder.trace, "-e", "sys.enter")), CALLS)
    actor.kill()


require_root()
beside()
beside("--compress")
two_cpus()
what_is_enabled_later()
addresses()
what_is_enabled_later_is_converted()
a_recorder_that_is_killed()
interrupted()
flight_recorder()
finish()
