# SPDX-License-Identifier: BSD-2-Clause
"""What may keep events from every BPF program, and so is no fault of Sonde's: scenarios whose checks
fail while it happens are run again.

Strangers are the tasks of process 1. Where that is not this machine's own, as on some virtual
machines, the kernel runs no BPF program of tracing on a CPU while one of them has it, and none for
what interrupts them there; nobody counts that. And a program that is interrupted by what it hooks
does not run a second time: that is counted, and the recorder says so."""
import contextlib
import os
import sys
import traceback

import harness

TIMES = 6


def strangers():
    """Whoever shows the same tasks must leave them out."""
    return set(map(int, os.listdir("/proc/1/task")))


def strangers_time():
    """(how often they have had a CPU, for how many ns)."""
    turns = ran_ns = 0
    for tid in strangers():
        with contextlib.suppress(OSError), \
                open("/proc/1/task/%d/schedstat" % tid, encoding="ascii") as file:
            ran, unused, times = map(int, file.read().split())
            turns, ran_ns = turns + times, ran_ns + ran
    return turns, ran_ns


def strangers_turns():
    """None in between, and nothing was kept from BPF."""
    return strangers_time()[0]


class Disturbances:
    """Those from now on; as text, which is empty where there are none."""

    def __init__(self):
        self.before, self.hit = strangers_time(), len(harness.hit_programs)

    def __str__(self):
        turns, ran_ns = (now - then for now, then in zip(strangers_time(), self.before))
        told = []
        if turns or ran_ns:
            told = ["process 1 had a CPU for %.1f ms (turns: %d)" % (ran_ns / 1e6, turns)]
        return " and ".join(told + harness.hit_programs[self.hit:])


def attempt(scenario, arguments, last):
    """What it returns. What was hidden, or counted as lost, may be missing where it goes on."""
    try:
        return scenario(*arguments)
    except (LookupError, ValueError, TypeError, ArithmeticError, StopIteration,
            harness.Unexpected):
        if last:
            raise
        harness.check(False, "%s cannot go on: %s" % (scenario.__name__, traceback.format_exc()))
        return None


def undisturbed(scenario, *arguments):
    """Runs @scenario, and again where checks of it failed while something was hidden: what failed is
    told and not counted then. It counts where nothing was hidden, and in the last of TIMES runs: a
    defect fails in each. What the run that counts returns."""
    for number in range(1, TIMES + 1):
        failed, made, disturbed = len(harness.failures), len(harness.cleanups), Disturbances()
        result = attempt(scenario, arguments, number == TIMES)
        count = len(harness.failures) - failed
        why = str(disturbed)
        if not count or not why or number == TIMES:
            return result
        del harness.failures[failed:]
        while len(harness.cleanups) > made:
            with contextlib.suppress(Exception):
                harness.cleanups.pop()()
        print("%s is run again after run %d of %d; what failed (%d) does not count, for meanwhile %s"
              % (scenario.__name__, number, TIMES, count, why), file=sys.stderr, flush=True)
    return None
