#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""A recorder that is killed, at any moment: nothing of it stays in the kernel, and the trace up to
then can be read."""
import glob
import json
import os
import signal
import socket
import subprocess
import time

from harness import (SONDE, Actor, Recorder, check, cleanups, equal, finish, fresh, line_count,
                     require_root, run, until, waits_for_events)

KINDS = {"prog": "prog_id:", "map": "map_id:", "link": "link_id:"}
MEASUREMENTS = "sys,sched,tcp,disk,fs,irq"
STEP = 12  # files that it has open: how far it has come


def files_of(pid):
    return len(os.listdir("/proc/%d/fd" % pid))


def held_by(pid):
    """{kind: ids} of what a process holds of BPF."""
    found = {kind: set() for kind in KINDS}
    for entry in os.scandir("/proc/%d/fdinfo" % pid):
        with open(entry.path, encoding="ascii") as file:
            words = file.read().split()
        for kind, key in KINDS.items():
            if key in words:
                found[kind].add(int(words[words.index(key) + 1]))
    return found


def in_the_kernel():
    return {kind: {one["id"] for one in json.loads(run("bpftool", "-j", kind, "show").stdout)}
            for kind in KINDS}


def stop_and_kill(process):
    """What it held when it was killed: it is halted before, so that it takes no more."""
    process.send_signal(signal.SIGSTOP)
    until(lambda: os.waitid(os.P_PID, process.pid,
                            os.WSTOPPED | os.WEXITED | os.WNOHANG | os.WNOWAIT), "it is halted")
    held = held_by(process.pid) if process.poll() is None else {kind: set() for kind in KINDS}
    process.kill()
    process.wait()
    return held


def nothing_stays(what, held):
    """The kernel frees it when nobody can be running it any more."""
    def left():
        there = in_the_kernel()
        return {kind: held[kind] & there[kind] for kind in KINDS if held[kind] & there[kind]}
    try:
        until(lambda: not left(), "it is gone")
    except RuntimeError:
        check(False, "%s: left in the kernel: %s" % (what, left()))


def can_be_read(what, trace):
    if not os.path.exists(trace + "/metadata"):
        return
    ours, errors = line_count(SONDE, "print", "--raw", trace)
    check("no end mark" in errors, what + ": sonde print: " + errors)
    others, errors = line_count("babeltrace2", trace)
    equal(what + ": events of babeltrace2 and sonde", others, ours)
    # An index entry is written behind its packet: the last one's may be missing, and then
    # babeltrace2 goes through the packets instead.
    left = [line for line in errors.splitlines() if "indexed size != stream file size" not in line]
    equal(what + ": what babeltrace2 says", left, [])


def while_it_begins():
    """Opening, loading, attaching: whatever it is at by then."""
    most = dict.fromkeys(KINDS, 0)
    recorder = Recorder("-e", MEASUREMENTS)
    complete = files_of(recorder.pid)
    equal("exit status", recorder.stop(), 0)
    for files in range(1, complete + STEP, STEP):
        trace = fresh()
        process = subprocess.Popen([SONDE, "record", "-e", MEASUREMENTS, "-o", trace],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        cleanups.append(process.kill)
        until(lambda: files_of(process.pid) >= files or
              waits_for_events(process.pid), "it has come that far")
        held = stop_and_kill(process)
        most = {kind: max(most[kind], len(held[kind])) for kind in KINDS}
        nothing_stays("killed with %d files open" % files, held)
        can_be_read("killed with %d files open" % files, trace)
    check(all(most.values()), "no recorder got as far as to hold %s" % most)


def while_it_enables():
    for moment in range(0, 100, 10):
        recorder = Recorder("-e", "sched.exec")
        name = [one for one in os.listdir(os.environ["SONDE_RUNTIME_DIR"])
                if str(recorder.pid) in one][0]
        client = socket.socket(socket.AF_UNIX)
        client.connect(os.path.join(os.environ["SONDE_RUNTIME_DIR"], name))
        client.sendall(b"enable tcp sched\n")
        time.sleep(moment / 1000)
        held = stop_and_kill(recorder.process)
        client.close()
        what = "killed %d ms after an enable" % moment
        check(held["link"], what + ": it held no link")
        nothing_stays(what, held)
        can_be_read(what, recorder.trace)


def while_it_drains():
    actor = Actor("rounds", "300000")
    for unused in range(3):
        recorder = Recorder("-e", "sys.enter", "--pid", str(actor.pid))
        actor.start()
        until(lambda: glob.glob(recorder.trace + "/cpu*_level0"), "something is written")
        held = stop_and_kill(recorder.process)
        actor.done()
        nothing_stays("killed at work", held)
        can_be_read("killed at work", recorder.trace)


require_root()
while_it_begins()
while_it_enables()
while_it_drains()
finish()
