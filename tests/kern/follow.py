#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""sonde record -- COMMAND: it, its threads and its children are recorded, others are not."""
import os
import subprocess
import time

from harness import (PATIENCE, SONDE, Actor, actor_path, check, equal, events, finish, fresh, read_line,
                     record, require_root, run)

CALLS = 1000


def getpgid_by_tid(trace):
    tids = {}
    for event in events(trace, "-e", "sys.enter"):
        if event["fields"]["nr"] == 121 and event["comm"] == "actor":
            tids[event["tid"]] = tids.get(event["tid"], 0) + 1
    return tids


def children():
    bystander = Actor("rounds", str(CALLS))
    script = """set -e
        "$0" calls 1000
        ("$0" calls 1000; (exec "$0" calls 1000)) & wait
        "$0" calls 1000"""
    arguments = ["-e", "sys.enter,sched", "--", "sh", "-c", script, actor_path()]
    recorder = subprocess.Popen([SONDE, "record", "-o", trace := fresh(), *arguments],
                                stderr=subprocess.PIPE, text=True)
    while recorder.poll() is None:
        bystander.act()
        time.sleep(0.01)
    equal("exit status", recorder.returncode, 0)
    tids = getpgid_by_tid(trace)
    equal("calls of the children", sorted(tids.values()), [CALLS] * 4)
    check(bystander.pid not in tids, "a bystander was recorded")
    everybody = {event["tid"] for event in events(trace, "-e", "sys.enter")}
    forked = {event["fields"]["child_tid"] for event in events(trace, "-e", "sched.fork")}
    check(everybody - forked != everybody and len(everybody - forked) == 1,
          "tasks that nobody forked, but the command: %s" % (everybody - forked))


def threads():
    trace, done = record("-e", "sys.enter", "--", actor_path(), "threads", "8", str(CALLS))
    equal("calls by thread", getpgid_by_tid(trace),
          {int(tid): CALLS for tid in done.stdout.split()})


def everybody():
    bystander = Actor("rounds", str(CALLS))
    recorder = subprocess.Popen([SONDE, "record", "-o", trace := fresh(), "-a", "-e", "sys.enter",
                                 "--syscall", "getpgid", "--", "sh", "-c", "echo begun; read end"],
                                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    equal("the command", read_line(recorder.stdout), "begun\n")
    bystander.act()
    recorder.communicate(b"end\n", timeout=PATIENCE)
    check(bystander.pid in {event["tid"] for event in events(trace, "-e", "sys.enter")},
          "--all leaves a bystander out")


def status_of_the_command():
    trace, done = record("-e", "sched.exit", "--", actor_path(), "exit", "7")
    check("status 7" in done.stderr, "the command's status is not told: " + done.stderr)
    trace, done = record("-e", "sched.exit", "--", "sh", "-c", "kill -9 $$")
    check("signal 9" in done.stderr, "the command's signal is not told: " + done.stderr)


def no_such_command():
    done = run(SONDE, "record", "-e", "sched", "-o", fresh(), "--", "no-such-command", good=False)
    equal("no such command: exit status", done.returncode, 1)
    check("no-such-command" in done.stderr and os.strerror(2) in done.stderr,
          "no such command: " + done.stderr)


def standard_streams():
    done = run(SONDE, "record", "-q", "-e", "sched", "-o", fresh(), "--", "cat", input="through\n")
    equal("the command's stdin and stdout", done.stdout, "through\n")


require_root()
for test in (children, threads, everybody, status_of_the_command, no_such_command,
             standard_streams):
    test()
finish()
