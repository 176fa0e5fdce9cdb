#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Stacks of events (record --stack): of a program whose stacks are known, who waits and who wakes it; each stack once in
a packet; also where reading begins in the middle of the trace."""
import json
import os
import re
import subprocess

from harness import (PATIENCE, SONDE, Recorder, check, cleanups, equal, events, finish, fresh,
                     notes, read_line, require_root, run, until)

ROUNDS = 300
# So that the trace has many packets, and there is room for all of it.
SMALL = ("--buffer", "1M")


def stacker_path():
    return os.environ.get("SONDE_STACKER") or \
        os.path.join(os.path.dirname(SONDE), "..", "..", "tests", "stacker")


class Stacker:
    """The program, which has both of its processes when the constructor returns."""

    def __init__(self, rounds=ROUNDS):
        self.process = subprocess.Popen([stacker_path(), str(rounds)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        cleanups.append(self.process.kill)
        self.parent, self.child = [int(word) for word in read_line(self.process.stdout).split()]

    def go(self):
        self.process.stdin.write("go\n")
        self.process.stdin.flush()
        equal("the program", read_line(self.process.stdout).strip(), "done")

    def end(self):
        self.process.stdin.close()
        equal("exit of the program", self.process.wait(), 0)


class Serving(Recorder):
    """`sonde record --serve`; what it says first is where."""

    def __init__(self, *args):
        super().__init__("--serve=127.0.0.1:0", "--name", "stacks", *args)
        self.url = read_line(self.process.stderr).strip()
        check(re.match(r"net://localhost:\d+/host/\S+/stacks$", self.url), self.url)


def record_stacker(*args, good=(0,)):
    """The trace of a run; the recorder ends first, so that it can look at the program as long as it wants."""
    program = Stacker()
    recorder = Recorder("--pid", str(program.parent), "--pid", str(program.child), *SMALL, *args)
    program.go()
    check(recorder.stop() in good, "exit status of the recorder: %s" % recorder.stderr)
    program.end()
    return program, recorder.trace


def shown_of(trace, *args):
    """Its events, without the recorder's notes."""
    return [event for event in events(trace, *args) if not event["event"].startswith("sonde.")]


def functions(event, side):
    """Names of its frames, innermost first, without offsets."""
    return [(name or "?").split("+")[0] for name in event.get("names", {}).get(side + "_stack") or []]


def is_wait(event, program):
    """The child falls asleep in its read."""
    return event["event"] == "sched.switch" and event["tid"] == program.child and \
        event["names"]["prev_state"].startswith("INTERRUPTIBLE")


def is_wake(event, program):
    return event["event"] == "sched.waking" and event["tid"] == program.parent and \
        event["fields"]["wake_tid"] == program.child


def waits_and_wakes():
    program, trace = record_stacker("-e", "sched.switch,sched.waking", "--stack", "sched",
                                    "--flush", "10ms")
    shown = shown_of(trace)
    waits = [event for event in shown if is_wait(event, program)]
    wakes = [event for event in shown if is_wake(event, program)]
    check(len(waits) >= ROUNDS - 1, "the child waits %d times" % len(waits))
    check(len(wakes) >= ROUNDS, "the child is woken %d times" % len(wakes))
    known = [event for event in waits if functions(event, "user")[:1] == ["wait_here"]]
    check(len(known) >= ROUNDS - 1, "%d of %d waits are in wait_here" % (len(known), len(waits)))
    for event in known:
        equal("stack of who waits", functions(event, "user")[:4],
              ["wait_here", "wait_outer", "be_child", "main"])
        check("pipe_read" in " ".join(functions(event, "kernel")),
              "the kernel's side of who waits: %s" % functions(event, "kernel"))
    woken = [event for event in wakes if functions(event, "user")[:1] == ["wake_here"]]
    check(len(woken) >= ROUNDS, "%d of %d are woken in wake_here" % (len(woken), len(wakes)))
    for event in woken:
        equal("stack of who wakes", functions(event, "user")[:4],
              ["wake_here", "wake_outer", "be_parent", "main"])
        check("pipe_write" in " ".join(functions(event, "kernel")),
              "the kernel's side of who wakes: %s" % functions(event, "kernel"))
    # What takes the stack is no part of it. (A task that uses BPF, or was interrupted in a program of another tracer, has
    # other functions of that kind, or further out.)
    tracing = [name for event in shown for name in functions(event, "kernel")[:4]
               if name.startswith(("bpf_prog_", "bpf_trace_run", "bpf_get_", "__bpf_trace",
                                   "__traceiter"))]
    equal("functions of the tracing", tracing[:3], [])
    equal("stacks that are not there", unknown_stacks(trace, shown), set())
    from_the_middle(trace, shown)
    as_text(trace, program)
    as_groups(trace)


def unknown_stacks(trace, shown):
    ids = {event["fields"]["stack_id"] for event in shown if "stack_id" in event["fields"]}
    return ids - {note["fields"]["id"] for note in notes(trace, "sonde.stack")} - {0, 1}


def from_the_middle(trace, shown):
    """Reading that begins there knows the same stacks."""
    check(len(shown) > 200, "%d events" % len(shown))
    for share in (0.3, 0.5, 0.8):
        first = shown[int(len(shown) * share)]["time"]
        wanted = [event for event in shown if event["time"] >= first]
        got = shown_of(trace, "--from", str(first))
        equal("events from the middle", len(got), len(wanted))
        lost = [event["names"]["stack_state"] for event in got
                if event.get("names", {}).get("stack_state") == "LOST"]
        equal("stacks from the middle that are lost", lost[:3], [])
        check([functions(event, "user") for event in got] ==
              [functions(event, "user") for event in wanted], "other stacks from the middle")


def as_groups(trace):
    """What is counted by stack, and chosen by it."""
    report = json.loads(run(SONDE, "report", "--json", trace, "events", "-e", "sched.waking", "--by",
                            "stack").stdout)["reports"]["events"]
    wakes = [row for row in report["rows"]
             if "main;be_parent;wake_outer;wake_here;" in (row.get("stack") or "")]
    check(sum(row["events"] for row in wakes) >= ROUNDS, "wakes by stack: %s" % wakes)
    check(all("pipe_write_[k]" in row["stack"] for row in wakes), "functions of the kernel: %s" % wakes)
    chosen = shown_of(trace, "--where", "sched.waking && stack ~ '*;wake_here;*'")
    equal("wakes that were chosen", len(chosen), sum(row["events"] for row in wakes))
    folded = fresh("folded")
    run(SONDE, "convert", "--format", "folded", "-e", "sched.waking", "-o", folded, trace)
    with open(folded, encoding="utf-8") as file:
        lines = [line for line in file.read().splitlines() if ";wake_outer;wake_here;" in line]
    equal("wakes in folded stacks", sum(int(line.rsplit(" ", 1)[1]) for line in lines), len(chosen))


def as_text(trace, program):
    text = run(SONDE, "print", "-e", "sched.waking", trace).stdout
    frames = [line[17:] for line in text.splitlines() if line.startswith("        ")]
    check(any(frame.startswith("wake_here+") for frame in frames), "no wake_here in the text")
    check("stack_id" not in text and "(stack lost)" not in text, "the text has ids")
    check(":%d " % program.parent in text, "the parent in the text")


def calls():
    program, trace = record_stacker("-e", "sys.read,sys.write,sys.exit", "--stack",
                                    "sys.read,sys.write=user,sys.exit=kernel")
    shown = shown_of(trace)
    reads = [event for event in shown if event["event"] == "sys.read" and
             event["tid"] == program.child and functions(event, "user")[:1] == ["wait_here"]]
    writes = [event for event in shown if event["event"] == "sys.write" and
              event["tid"] == program.parent and functions(event, "user")[:1] == ["wake_here"]]
    exits = [event for event in shown if event["event"] == "sys.exit"]
    check(len(reads) >= ROUNDS - 1, "%d reads" % len(reads))
    check(len(writes) >= ROUNDS, "%d writes" % len(writes))
    for event in reads:
        equal("stack of a read", functions(event, "user")[:4],
              ["wait_here", "wait_outer", "be_child", "main"])
        check(event["fields"]["kernel_stack"], "no kernel's side")
    for event in writes:
        equal("stack of a write", functions(event, "user")[:4],
              ["wake_here", "wake_outer", "be_parent", "main"])
        equal("the side that was not asked for", event["fields"]["kernel_stack"], [])
    check(exits and all(event["fields"]["kernel_stack"] and not event["fields"]["user_stack"]
                        for event in exits), "the sides of sys.exit")
    # Arguments stay arguments.
    text = run(SONDE, "print", trace).stdout
    check("write(%s, " % writes[0]["fields"]["fd"] in text, "the text of write")


def depth():
    """Few frames; and as a packet has hundreds of events, each stack is there far less often than it is used."""
    program, trace = record_stacker("-e", "sched.waking", "--stack", "sched.waking=user",
                                    "--stack-depth", "2")
    shown = shown_of(trace)
    taken = notes(trace, "sonde.stack")
    equal("stacks that are not there", unknown_stacks(trace, shown), set())
    check(len(taken) * 4 < len(shown), "%d stacks of %d events" % (len(taken), len(shown)))
    wakes = [event for event in events(trace) if is_wake(event, program) and
             functions(event, "user")[:1] == ["wake_here"]]
    check(len(wakes) >= ROUNDS, "%d wakes" % len(wakes))
    for event in wakes:
        equal("frames", functions(event, "user")[:2], ["wake_here", "wake_outer"])
        equal("what is not there", (len(event["fields"]["user_stack"]),
                                    event["names"]["stack_state"]), (2, "USER_CUT"))


def live():
    """Who joins in the middle has the stacks too. Names of functions may come later, addresses may not."""
    program = Stacker()
    recorder = Serving("--pid", str(program.parent), "--pid", str(program.child), *SMALL,
                       "-e", "sched.switch,sched.waking", "--stack", "sched", "--flush", "10ms")
    program.go()
    name = fresh("out")
    with open(name, "w", encoding="utf-8") as out:
        viewer = subprocess.Popen([SONDE, "print", "--format", "json", recorder.url], stdout=out,
                                  stderr=subprocess.PIPE, text=True)
    cleanups.append(viewer.kill)

    def seen():
        with open(name, encoding="utf-8") as file:
            lines = [line for line in file.read().split("\n")[:-1]]
        return [event for event in map(json.loads, lines)
                if event.get("event", "sonde.").startswith("sched.")]

    for unused in range(3):
        program.go()
        until(lambda: len(seen()) > 1, "the viewer sees events")
    check(recorder.stop() == 0, "exit status of the recorder: %s" % recorder.stderr)
    unused, errors = viewer.communicate(timeout=PATIENCE)
    check(viewer.returncode == 0, "the viewer: %s" % errors)
    program.end()

    def key(event):
        return event["time"], event["tid"], event["event"]

    stored = {key(event): event for event in shown_of(recorder.trace)}
    got = seen()
    wakes = [event for event in got if is_wake(event, program)]
    check(len(wakes) >= 2 * ROUNDS, "%d wakes are seen" % len(wakes))
    for event in got:
        fields, want = event["fields"], stored[key(event)]["fields"]
        if event.get("names", {}).get("stack_state", "LOST") == "LOST" or \
                fields["user_stack"] != want["user_stack"] or \
                fields["kernel_stack"][len(fields["kernel_stack"]) - len(want["kernel_stack"]):] != \
                want["kernel_stack"]:
            check(False, "other stacks: %s, want %s" % (event, want))
            break


def refused():
    for args, status, what in (
            (("--stack", "tcp.cwnd"), 2, "nothing of 'tcp.cwnd' is recorded"),
            (("--stack", "sched.switch=all"), 2, "neither kernel, user nor both"),
            (("--stack-depth", "0"), 2, "not a number from 1 to"),
            (("--stack-depth", "113"), 2, "not a number from 1 to")):
        done = run(SONDE, "record", "-e", "sched.switch", *args, "--dry-run", good=False)
        equal("status of %s" % (args,), done.returncode, status)
        check(what in done.stderr, "%s: %s" % (args, done.stderr))


require_root()
waits_and_wakes()
calls()
depth()
live()
refused()
finish()
