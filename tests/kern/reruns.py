#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Which scenarios run a second time: those alone whose checks fail while events were hidden from
them, once, and they are counted. Here this test itself is the task on top of which events are hidden."""
import contextlib
import io
import json
import os
import socket
import subprocess
import sys

import harness
import undisturbed
from harness import check, equal, finish, path, require_root, skip
from hidden import SYSTEMS, Hidden, mount_unseen

SUMMARY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tools/test-summary")
# A group without events in interrupts: disks that other programs use may interrupt this test.
SYSTEMS["other"] = ("oom",)


def nothing():
    pass


def datagram():
    """An interrupt for the network on top of this test."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as own:
        own.bind(("127.0.0.1", 0))
        own.sendto(b"x", own.getsockname())
        own.recv(10)


class Scenario:
    """Does something, and has the checks of its first runs fail."""

    __name__ = "scenario"

    def __init__(self, does, failing):
        self.does, self.failing, self.runs = does, failing, 0

    def __call__(self):
        self.runs += 1
        self.does()
        if self.runs <= self.failing:
            harness.failures.append("on purpose")
        return self.runs


def outcome(group, does, failing):
    """(runs, failed checks that count, how many scenarios count as run twice)"""
    scenarios = undisturbed.Scenarios(group, watch=lambda groups: Hidden(
        groups, tasks=lambda: {os.getpid()}))
    before, twice = len(harness.failures), undisturbed.counts["twice"]
    scenario = Scenario(does, failing)
    with contextlib.redirect_stderr(io.StringIO()):
        equal("what a scenario returns", scenarios(scenario), scenario.runs)
    failed = len(harness.failures) - before
    del harness.failures[before:]
    return scenario.runs, failed, undisturbed.counts["twice"] - twice


def who_runs_again():
    equal("it succeeds, and events were hidden", outcome("net", datagram, 0), (1, 0, 0))
    equal("it fails, and nothing was hidden", outcome("net", nothing, 1), (1, 1, 0))
    equal("it fails, and events of other groups were hidden", outcome("other", datagram, 1), (1, 1, 0))
    equal("it fails once, and events were hidden", outcome("net", datagram, 1), (2, 0, 1))
    equal("it fails twice, and events were hidden", outcome("net", datagram, 2), (2, 1, 1))


def summary(scenarios, twice):
    """(exit status, lines) of a run of that many scenarios."""
    log = path("testlog.json")
    with open(log, "w", encoding="utf-8") as file:
        json.dump({"name": "kern / made up", "result": "OK", "stdout": "",
                   "stderr": "scenarios: %d, run twice: %d\n" % (scenarios, twice)}, file)
    done = subprocess.run([sys.executable, SUMMARY, "plain=" + log], capture_output=True, text=True)
    return done.returncode, done.stdout.splitlines()


def limit():
    equal("at the limit", summary(100, 2),
          (0, ["2 of 100 scenarios ran twice (limit: 2%)", "1 passed, 0 failed, 0 skipped"]))
    status, lines = summary(100, 3)
    equal("above the limit", (status, lines[-1]), (1, "1 passed, 1 failed, 0 skipped"))
    check("FAILED  too many scenarios ran twice" in lines, "the summary names no reason: %s" % lines)


require_root()
mount = mount_unseen()
if mount < 0:
    skip("no tracefs can be mounted")
os.close(mount)
who_runs_again()
limit()
for name in undisturbed.counts:  # these were none of the run's
    undisturbed.counts[name] = 0
finish()
