#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Several threads show the same derived values as one, and each call's duration is what its two events say."""
import os
import re
import shutil
import subprocess

from harness import SONDE, check, equal, events, finish, is_entry, record, require_root, run, skip

CALLS = 150000  # of which a ring of 64 MiB has room for all events


def shown(trace, jobs, *args):
    return run(SONDE, "print", "--jobs", str(jobs), *args, trace).stdout


def threads(trace, jobs):
    done = subprocess.run(["strace", "-z", "-f", "-qq", "-e", "trace=clone,clone3", SONDE, "print", "--jobs",
                           str(jobs), trace], capture_output=True, check=False)
    # Those that succeed: where clone3 is refused, clone follows.
    return 1 + len(re.findall(rb"clone3?\(", done.stderr))


def durations(trace):
    """Of all calls whose two events are there, by another reader of the same events."""
    begun, found = {}, 0
    for event in events(trace, "-e", "sys"):
        tid, fields = event["tid"], event["fields"]
        if is_entry(event["event"]):
            begun[tid] = (fields["nr"], event["time"])
            continue
        nr, since = begun.pop(tid, (None, None))
        if nr == fields["nr"]:
            found += 1
            equal("dur of call %d" % nr, fields.get("dur"), event["time"] - since)
        else:
            check("dur" not in fields, "dur without a beginning: %r" % event)
    return found


def main():
    require_root()
    if not shutil.which("strace"):
        skip("strace is not installed")
    trace, _ = record("-e", "sys,sched", "--buffer", "64M", "--", "dd", "if=/dev/zero", "of=/dev/null", "bs=1",
                      "count=%d" % CALLS)
    check(durations(trace) > 2 * CALLS, "calls are missing")
    for args in (("--format", "json"), ("--format", "csv", "-e", "sys.exit"),
                 ("-e", "sys.exit", "--fields", "nr,dur", "--from", "+0.1"),
                 ("-e", "sys.exit", "--from", "+0.1"), ("--format", "json", "-e", "sched", "--from", "+0.05"),
                 # Lines of calls: which one is open where a thread's part of the trace begins depends on the events that
                 # are shown before it.
                 (), ("--raw",), ("--fields", "nr,ret"), ("-e", "sys"), ("-e", "sys", "--where", "comm == \"dd\""),
                 ("-e", "sys", "--where", "nr != read || ret >= 0", "--from", "+0.01"),
                 ("--cpu", ",".join(str(cpu) for cpu in sorted(os.sched_getaffinity(0)))),
                 ("-e", "sys", "--where", "sys.exit && ret == 1 || nr == write")):
        want = shown(trace, 1, *args)
        for jobs in (2, 5):
            check(shown(trace, jobs, *args) == want, "%s: %d threads" % (" ".join(args), jobs))
    calls = shown(trace, 2, "-e", "sys", "--where", "comm == \"dd\"")
    check(len(re.findall(r" write\(1</dev/null>, 0x[0-9a-f]+, 1\) = 1 <[0-9.]+[num]?s>\n", calls)) >= CALLS, "lines of calls are missing")
    equal("threads", threads(trace, 3), 3)
    finish()


main()
