#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The flight recorder: --mode overwrite keeps the newest; SIGUSR2 and the end write them."""
import os
import signal

from harness import (Actor, Recorder, check, equal, events, finish, line_count, require_root, stats,
                     until)

ROUND = 20000  # 1.4 MB, a ring has 64 KiB
NOTES = ("sonde.task", "sonde.state", "sonde.name", "sonde.cost", "sonde.stream", "sonde.end")


def file_bytes(trace):
    return sum(entry.stat().st_size for entry in os.scandir(trace)
               if entry.name.startswith("cpu"))


def calls(trace):
    return [event for event in events(trace, "-e", "sys.enter", good=None)
            if event["event"] == "sys.getpgid"]


def two_snapshots():
    # On one CPU, so in one ring.
    actor = Actor("rounds", str(ROUND), preexec_fn=lambda: os.sched_setaffinity(0, {0}))
    recorder = Recorder("-e", "sys.enter", "--pid", str(actor.pid), "--syscall", "getpgid",
                        "--mode", "overwrite", "--buffer", "64K")
    actor.act()
    equal("bytes written before a snapshot", file_bytes(recorder.trace), 0)

    recorder.send(signal.SIGUSR2)
    until(lambda: calls(recorder.trace), "the first snapshot is written")
    until(lambda: calls(recorder.trace)[-1]["fields"]["target_pid"] == ROUND - 1,
          "the first snapshot ends with the newest call")
    first = calls(recorder.trace)
    check(len(first) * 24 > 20000, "the first snapshot holds only %d calls" % len(first))
    check(len(first) < ROUND, "nothing was overwritten: %d calls" % len(first))

    actor.act()
    actor.act()
    equal("exit status", recorder.stop(), 0)
    last = calls(recorder.trace)
    numbers = [event["fields"]["target_pid"] for event in last]
    times = [event["time"] for event in last]
    equal("the newest call", numbers[-1], 3 * ROUND - 1)
    equal("the first snapshot, at the start of the trace", numbers[:len(first)],
          [event["fields"]["target_pid"] for event in first])
    check(len(last) - len(first) > 20000 / 24, "the second snapshot holds only %d calls" %
          (len(last) - len(first)))
    equal("calls that are there twice", len(numbers) - len(set(numbers)), 0)
    check(numbers == sorted(numbers), "the calls are not in order")
    check(times == sorted(times), "the times are not in order")

    told = stats(recorder.trace)
    equal("lost of sonde stats: overwriting is no loss", told["lost"], 0)
    check(told["packets_overwritten"] > 0, "sonde stats tells of no overwritten packets")
    others, unused = line_count("babeltrace2", recorder.trace)
    shown = [event for event in events(recorder.trace, good=None)
             if event["event"] in ("sys.getpgid", *NOTES)]
    equal("events of babeltrace2 and sonde", others, len(shown))


def while_it_writes():
    """Snapshots of rings that are being overwritten: no torn record, none twice, all in order."""
    writer = Actor("rounds", "40000000", preexec_fn=lambda: os.sched_setaffinity(0, {0}))
    busy = Recorder("-e", "sys.enter", "--pid", str(writer.pid), "--syscall", "getpgid",
                    "--mode", "overwrite", "--buffer", "256K")
    writer.start()
    for unused in range(5):
        before = file_bytes(busy.trace)

        def snapshot(before=before):
            busy.send(signal.SIGUSR2)  # again where the writer has not begun yet
            return file_bytes(busy.trace) > before

        until(snapshot, "a snapshot is written")
    equal("while it writes: exit status", busy.stop(), 0)
    writer.process.kill()
    writer.process.wait()
    seen = calls(busy.trace)
    check(len(seen) * 24 > 65536, "while it writes: only %d calls" % len(seen))
    equal("while it writes: what was called", {event["fields"]["nr"] for event in seen}, {121})
    order = [event["fields"]["target_pid"] for event in seen]
    check(all(a < b for a, b in zip(order, order[1:])), "while it writes: not in order")
    lines, unused = line_count("babeltrace2", busy.trace)
    notes = [event for event in events(busy.trace, "-e", "sonde.*", good=None)
             if event["event"] in NOTES]
    equal("while it writes: events of babeltrace2 and sonde", lines, len(seen) + len(notes))


require_root()
two_snapshots()
while_it_writes()
finish()
