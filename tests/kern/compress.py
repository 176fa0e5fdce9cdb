#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""sonde record --compress: every event is there, once, whatever ends the recording."""
import glob
import json
import os
import re
import shutil
import signal

from harness import (SONDE, Actor, Recorder, check, equal, events, finish, fresh, line_count,
                     require_root, run, stats, until)

CALLS = 300000
ROUND = 20000


def calls_of(trace):
    """How many system calls the actor made, as the trace has them, and in which order."""
    text = run(SONDE, "print", "--format", "tsv", "-e", "sys.enter", trace, good=False)
    rows = [line.split("\t") for line in text.stdout.splitlines()]
    first, name = rows[0].index("target_pid"), rows[0].index("event")
    return [int(row[first]) for row in rows[1:] if row[name] == "sys.getpgid"]


def unpacked(trace):
    """A copy that the stock tool has made plain."""
    copy = fresh()
    shutil.copytree(trace, copy)
    run("zstd", "-q", "-d", "--rm", *glob.glob(copy + "/*.zst"))
    return copy


def same_as_plain(trace):
    plain = unpacked(trace)
    ours = run(SONDE, "print", "--raw", trace, good=False)
    equal("what sonde print says", ours.stderr, "")
    check(ours.stdout == run(SONDE, "print", "--raw", plain).stdout, "zstd -d makes another trace of it")
    others, errors = line_count("babeltrace2", plain)
    equal("what babeltrace2 says", errors, "")
    equal("events of babeltrace2 and sonde", others, ours.stdout.count("\n"))


def written(trace):
    """How many calls are in the file so far."""
    return sum(one["events"] for one in stats(trace)["classes"] if one["name"] == "sys.getpgid")


def nothing_is_missing(rounds, *options):
    """In each round as many calls as the ring has room for; the next begins when they are written."""
    actor = Actor("rounds", str(CALLS // rounds))
    recorder = Recorder("-e", "sys.enter", "--pid", str(actor.pid), "--syscall", "getpgid", "--flush",
                        "50ms", *options)
    for i in range(rounds):
        actor.act()
        until(lambda i=i: written(recorder.trace) == CALLS // rounds * (i + 1), "a round is written")
    equal("exit status", recorder.stop(), 0)
    check("nothing lost" in recorder.stderr, "the summary tells of a loss: " + recorder.stderr)
    check("Compressed" in recorder.stderr, "the summary tells nothing of it: " + recorder.stderr)
    check(calls_of(recorder.trace) == list(range(CALLS)), "not all calls, or not in order")
    check(not glob.glob(recorder.trace + "/cpu?_level0"), "a stream file is not compressed")
    same_as_plain(recorder.trace)
    actor.kill()


def losses_are_told():
    """The queue of a small ring is small, and a disk that takes nothing makes the ring full."""
    actor = Actor("rounds", str(CALLS))
    recorder = Recorder("-e", "sys.enter", "--pid", str(actor.pid), "--syscall", "getpgid",
                        "--compress=19", "--buffer", "64K")
    recorder.send(signal.SIGSTOP)
    actor.act()
    recorder.send(signal.SIGCONT)
    equal("exit status", recorder.stop(), 3)
    told = stats(recorder.trace)
    there = len(calls_of(recorder.trace))
    equal("calls that are there and that are lost", there + told["lost"], CALLS)
    check(told["lost"], "nothing is lost")
    actor.kill()


def killed():
    """On one CPU: of several, the last packets of one may be missing where later ones of another are there."""
    actor = Actor("rounds", str(CALLS), preexec_fn=lambda: os.sched_setaffinity(0, {0}))
    recorder = Recorder("-e", "sys.enter", "--pid", str(actor.pid), "--syscall", "getpgid",
                        "--compress")
    actor.start()
    until(lambda: any(map(os.path.getsize, glob.glob(recorder.trace + "/cpu*.zst"))),
          "something is written")
    recorder.process.kill()
    recorder.process.wait()
    actor.done()
    seen = calls_of(recorder.trace)
    check(seen == list(range(len(seen))), "not the first calls, or not in order")
    # Cut off in the middle of the last frame: told, and the rest is there.
    name = max(glob.glob(recorder.trace + "/cpu*.zst"), key=os.path.getsize)
    os.truncate(name, os.path.getsize(name) - 3)
    done = run(SONDE, "print", "--format", "tsv", recorder.trace, good=False)
    check(os.path.basename(name) in done.stderr, "a torn frame is not told: " + done.stderr)
    equal("exit status of sonde print", done.returncode, 1)
    left = calls_of(recorder.trace)
    check(left == list(range(len(left))), "behind a torn frame calls are there")
    actor.kill()


def full_disk():
    disk = fresh()
    os.mkdir(disk)
    run("mount", "-t", "tmpfs", "-o", "size=300k", "tmpfs", disk)
    try:
        trace = os.path.join(disk, "T")
        done = run(SONDE, "record", "-o", trace, "-e", "sys,sched", "--compress", "-d", "200s",
                   "--end-command", "--", "sh", "-c", "while :; do ls -lR /usr/share >/dev/null 2>&1; done", good=False)
        equal("exit status", done.returncode, 1)
        check("No space left" in done.stderr, "the full disk is not told: " + done.stderr)
        made = int(re.search(r"^([\d,]+) events in ", done.stderr, re.M)[1].replace(",", ""))
        totals = json.loads(run(SONDE, "stats", "--json", trace, good=False).stdout)
        equal("events read and lost", totals["events"] + totals["lost"], made)
        read = run(SONDE, "print", trace, good=False)
        equal("exit status of print", read.returncode, 3)
        check("ended early: disk full" in read.stderr, "sonde print: " + read.stderr)
        check(read.stdout.count("\n") > 1000, "only %d events" % read.stdout.count("\n"))
    finally:
        run("umount", disk)


def flight_recorder():
    actor = Actor("rounds", str(ROUND), preexec_fn=lambda: os.sched_setaffinity(0, {0}))
    recorder = Recorder("-e", "sys.enter", "--pid", str(actor.pid), "--syscall", "getpgid",
                        "--mode", "overwrite", "--buffer", "64K", "--compress")
    actor.act()
    run(SONDE, "snapshot", "-r", str(recorder.pid))
    first = calls_of(recorder.trace)  # at once: the answer comes when it is in the file
    equal("the newest call of the snapshot", first[-1:], [ROUND - 1])
    actor.act()
    equal("exit status", recorder.stop(), 0)
    last = calls_of(recorder.trace)
    equal("the first snapshot, at the start of the trace", last[:len(first)], first)
    equal("the newest call", last[-1:], [2 * ROUND - 1])
    check("compressing was too slow" not in recorder.stderr, "a snapshot is not compressed")
    actor.kill()


def nobody_records_the_threads():
    """They would never come to rest: what they write is no event."""
    recorder = Recorder("-e", "sys,sched.wakeup", "--compress")
    actor = Actor("rounds", "1000")
    actor.act()
    actor.kill()
    threads = set(map(int, os.listdir("/proc/%d/task" % recorder.pid)))
    check(len(threads) > 1, "no thread compresses")
    equal("exit status", recorder.stop(), 3 if stats(recorder.trace)["lost"] else 0)
    calls = [event for event in events(recorder.trace, "-e", "sys.enter", good=None)
             if event["event"] == "sys.getpgid"]
    seen = {event["tid"] for event in calls}
    check(actor.pid in seen, "not even others are in the trace")
    equal("threads of the recorder in the trace", seen & threads, set())


require_root()
nothing_is_missing(1, "--compress", "--buffer", "64M")
nothing_is_missing(40, "--compress=-5", "--buffer", "1M")
losses_are_told()
killed()
full_disk()
flight_recorder()
nobody_records_the_threads()
finish()
