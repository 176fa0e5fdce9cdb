#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Ctrl-C while a trace is read: what was made of it is whole and a part, is said to be one, and the
exit status says so too. Where there is nothing yet, nothing is left."""
import csv
import json
import os
import select
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kern"))
from harness import PATIENCE, SONDE, check, equal, events, finish, path, preloaded, run, until  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
EVENTS = 60000
STEPS = 250  # by then it reads events


def make(name, *args):
    trace = path(name)
    subprocess.run([sys.executable, os.path.join(HERE, "make_trace.py"), trace, "--events",
                    str(EVENTS), *args], check=True)
    return trace


def bytes_of(out):
    if os.path.isfile(out):
        return os.path.getsize(out)
    if not os.path.isdir(out):
        return 0
    # Of the streams, which stay what they are called.
    return sum(os.path.getsize(os.path.join(out, name)) for name in os.listdir(out)
               if name.lstrip(".") not in ("metadata", "index"))


class Steps:
    """A program that reads the stream @name one piece further whenever the test has it: it is never at the end of the
    stream before the signal comes, whichever of the two gets more of the CPU."""

    def __init__(self, name):
        self.taken = -1
        self.read_end, self.write_end = os.pipe()
        self.env = preloaded("hold") | {"HOLD_INODE": str(os.stat(name).st_ino), "HOLD_FD": str(self.read_end)}

    def next(self):
        if not select.select([self.read_end], [], [], 0)[0]:
            os.write(self.write_end, b"x")
            self.taken += 1

    def release(self):
        os.close(self.write_end)
        os.close(self.read_end)


def interrupt(*argv, stream, when, number=signal.SIGINT):
    """Exit status and stderr of a program that got the signal once @when(steps) was true."""
    steps = Steps(stream)
    process = subprocess.Popen([SONDE, *argv], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                               text=True, env=steps.env, pass_fds=[steps.read_end])
    until(lambda: when(steps) or steps.next(), "there is something to interrupt")
    process.send_signal(number)
    steps.release()
    said = process.communicate(timeout=PATIENCE)[1]
    return process.returncode, said


def convert(trace, out, *args, **how):
    out = path(out)
    status, said = interrupt("convert", trace, "-o", out, *args, stream=trace + "/cpu0_level0",
                             when=lambda unused: bytes_of(out), **how)
    what = "convert %s" % " ".join(args)
    equal("exit status of %s" % what, status, 1)
    check("interrupted: events later than 20" in said, "%s says %r" % (what, said))
    check("sonde convert: %s: " % out in said, "%s does not tell what there is: %r" % (what, said))
    return out


def is_begin(what, got, every):
    check(0 < len(got) < len(every), "%s: %d events of %d" % (what, len(got), len(every)))
    equal(what, got, every[:len(got)])


def traces(trace, every):
    for name, args in {"ctf": [], "ctf2": ["--format", "ctf2"], "small": ["--compress"]}.items():
        out = convert(trace, name, *args)
        is_begin(name, events(out, good=3), every)
    is_begin("SIGTERM", events(convert(trace, "terminated", number=signal.SIGTERM), good=3), every)
    told = run("babeltrace2", path("ctf"))
    equal("what babeltrace2 says of a part", told.stderr, "")


def files(trace, every):
    with open(convert(trace, "part.json"), encoding="utf-8") as lines:
        is_begin("JSON", [json.loads(line) for line in lines], every)
    with open(convert(trace, "part.csv"), encoding="utf-8", newline="") as lines:
        rows = list(csv.reader(lines))
    check(1 < len(rows) <= len(every), "CSV: %d rows" % len(rows))
    check(len({len(row) for row in rows}) == 1, "CSV: rows of several lengths")
    with open(convert(trace, "part.perfetto.json"), encoding="utf-8") as whole:
        check(json.load(whole)["traceEvents"], "Perfetto: nothing")


def nothing_yet(trace):
    """No event matches what was read so far: nothing is left, and that it is a part is said."""
    for out in (path("none"), path("none.csv")):
        status, said = interrupt("convert", trace, *[trace] * 200, "-o", out, "--where",
                                 "tid == 4000000", stream=trace + "/cpu0_level0",
                                 when=lambda unused: os.path.exists(out))
        equal("exit status without an event", status, 1)
        check("interrupted" in said, "without an event: %r" % said)
        check(not os.path.exists(out), "%s is left" % out)


def at_any_moment(trace):
    """However early it comes: no directory that is no trace, and no file that is cut off."""
    for i in range(60):
        out = path("early%d" % i)
        process = subprocess.Popen([SONDE, "convert", trace, "-o", out], stderr=subprocess.DEVNULL)
        time.sleep(i * 0.0002)
        process.send_signal(signal.SIGINT)
        status = process.wait()
        check(status in (0, 1, -signal.SIGINT), "early: exit status %d" % status)
        if os.path.exists(out):
            check(os.path.exists(os.path.join(out, "metadata")), "early: no trace in %s" % out)
            events(out, good=0 if status == 0 else 3)


def shown(trace):
    """Totals and tables of a part say so, too; and so does what was printed."""
    large = path("large")
    os.mkdir(large)
    os.link(os.path.join(trace, "metadata"), os.path.join(large, "metadata"))
    for i in range(200):
        os.link(os.path.join(trace, "cpu0_level0"), os.path.join(large, "stream%d" % i))
    for verb, jobs in (("print", 1), ("print", 2), ("stats", 1), ("stats", 2), ("report", 1)):
        many = [] if verb == "report" else ["--jobs", str(jobs)]
        status, said = interrupt(verb, *many, large, stream=large + "/stream0", when=lambda steps: steps.taken > STEPS)
        what = "%s with %d threads" % (verb, jobs)
        equal("exit status of %s" % what, status, 1)
        check("large: interrupted: " in said, "%s says %r" % (what, said))


def main():
    trace = make("trace")
    every = events(trace)
    traces(trace, every)
    files(trace, every)
    nothing_yet(trace)
    at_any_moment(trace)
    shown(trace)
    finish()


main()
