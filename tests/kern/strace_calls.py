#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Every kind of system call, in one run beside strace: the same calls in the same order, with the same
arguments and results."""
import os
import platform
import re
import shutil
import subprocess
import sys

from harness import (arguments, check, cleanups, equal, events, finish, is_entry, path, record,
                     require_root, skip, stats)

# Calls that end the program, stop it, or change more than itself; numbers of x86-64.
LEFT_OUT = {15, 34, 35, 37, 56, 57, 58, 59, 60, 105, 106, 109, 112, 113, 114, 116, 117, 119, 122, 123, 130,
            135, 153, 154, 162, 169, 218, 219, 231, 322, 435}
KINDS = 200  # of calls at least

# Arguments that no call takes: a descriptor and a process that there are not, and addresses that nothing has.
WORK = """
import ctypes, sys
syscall = ctypes.CDLL(None, use_errno=True).syscall
for nr in range(470):
    if nr not in %s:
        syscall(nr, 0x7ffffff1, *(ctypes.c_long(n) for n in (0x11, 0x22, 0x33, 0x44, 0x55)))
""" % (LEFT_OUT,)
LINE = re.compile(r"^(?:\d+ +)?(\w+)\((.*?)\) += (.*)$")
# strace shows a position as one argument, which the kernel takes as two.
OTHERWISE = {"preadv", "pwritev"}


def of_strace(line):
    """(name, arguments, result), or None: not a call with an end."""
    match = LINE.match(line)
    if not match:
        return None
    words = [word for word in match[2].split(", ") if word]
    result = match[3].split()
    return (match[1], [int(word, 0) for word in words],
            result[1] if result[0] == "-1" else int(result[0], 0))


def of_sonde(shown):
    """The same of all calls whose end is there, and whether the call is of a class of its own: calls that are gone
    from Linux are not."""
    begun = None
    for event in shown:
        if is_entry(event["event"]):
            begun = event
        elif event["event"] == "sys.exit" and begun:
            ret = event.get("names", {}).get("ret", event["fields"]["ret"])
            name = begun.get("names", {}).get("nr", "syscall_%#x" % begun["fields"]["nr"])
            yield name, arguments(begun["fields"]), ret, begun["event"] != "sys.enter"
            begun = None


def same_args(ours, theirs):
    """Ours have the sign and the width of their type; strace has the registers."""
    return all(mine in (other, other & 0xffffffff, (other ^ 1 << 63) - (1 << 63),
                        (other & 0xffffffff ^ 1 << 31) - (1 << 31))
               for mine, other in zip(ours, theirs))


require_root()
if platform.machine() != "x86_64":
    skip("the numbers of the calls are x86-64's")
if not shutil.which("strace"):
    skip("there is no strace")
trace, done = record("-e", "sys,sched.exec", "--buffer", "64M", "--", "strace", "-f", "-o", path("calls"), "-e",
                     "raw=all", sys.executable, "-S", "-E", "-c", WORK)
equal("lost", stats(trace)["lost"], 0)
with open(path("calls"), encoding="ascii", errors="replace") as file:
    theirs = [call for call in map(of_strace, file) if call]
shown = events(trace)
start = [event for event in shown if event["event"] == "sched.exec" and
         event["fields"]["filename"] == sys.executable][-1]
ours = list(of_sonde(event for event in shown
                     if event["tid"] == start["tid"] and event["time"] > start["time"]))
theirs = theirs[1:]  # the first is the execve by which the program begins
equal("calls", [call[0] for call in ours], [call[0] for call in theirs][:len(ours)])
equal("calls whose end one has and the other not", abs(len(theirs) - len(ours)), 0)
for (name, args, ret, typed), (unused, raw, result) in zip(ours, theirs):
    check(same_args(args, raw), "%s: arguments %s, strace has %s" % (name, args, raw))
    if typed and name not in OTHERWISE:
        equal("%s: how many arguments" % name, len(args), len(raw))
    equal("%s%s: result" % (name, args), ret, result)
kinds = {call[0] for call in ours if call[3]}
check(len(kinds) >= KINDS, "only %d kinds of calls" % len(kinds))
print("%d calls of %d kinds" % (len(ours), len(kinds)))

# A COMMAND that is found in the last of several folders begins with one execve, as strace's does.
os.environ["PATH"] = "/nowhere:/dev:" + os.environ["PATH"]
trace, done = record("-e", "sys.execve", "--", "true")
equal("where COMMAND is looked for", [event["fields"]["filename"] for event in events(trace)
                                      if event["event"] == "sys.execve"], [shutil.which("true")])
finish()
