# SPDX-License-Identifier: BSD-2-Clause
"""Scenarios of a test, of which one whose checks fail is run a second time, where it is proven that
events were kept from every BPF program meanwhile, which is no fault of Sonde's.

Proofs are events that ftrace saw where no program could run (hidden.py), of a group that the test
measures, and programs that an interrupt hit while they ran, which the recorder counts and reports.
A scenario counts in its second run, whatever happens then, and without proof in its first. At the
end a line tells how many there were and how many ran twice; tools/test-summary adds these up, and
fails above its limit."""
import atexit
import contextlib
import sys
import traceback

import harness
from hidden import Hidden

counts = {"scenarios": 0, "twice": 0}
SHOWN = 3  # of the events that prove it


def tell_counts():
    print("scenarios: %(scenarios)d, run twice: %(twice)d" % counts, file=sys.stderr, flush=True)


def attempt(scenario, arguments, last):
    """What it returns. What was hidden, or counted as lost, may be missing where it goes on."""
    try:
        return scenario(*arguments)
    except (LookupError, ValueError, TypeError, ArithmeticError, StopIteration,
            harness.Unexpected, harness.WaitedInVain):
        if last:
            raise
        harness.check(False, "%s cannot go on: %s" % (scenario.__name__, traceback.format_exc()))
        return None


def proofs(hidden, hits):
    """Texts, none where nothing was kept from programs."""
    events = hidden.events()
    told = ["CPU %d at %.6f s: %s on top of %s" % (event.cpu, event.time, event.event, event.comm)
            for event in events[:SHOWN]]
    if len(events) > SHOWN:
        told.append("%d more" % (len(events) - SHOWN))
    return told + hits


class Scenarios:
    """Called with a scenario and its arguments, runs it; returns what the run that counts returns.
    @groups: what the test measures; @watch makes the witness."""

    def __init__(self, *groups, watch=Hidden):
        self.groups = groups
        self.watch = watch
        if not counts["scenarios"]:
            atexit.register(tell_counts)

    def __call__(self, scenario, *arguments):
        counts["scenarios"] += 1
        with contextlib.closing(self.watch(self.groups)) as hidden:
            failed, made = len(harness.failures), len(harness.cleanups)
            hit = len(harness.hit_programs)
            result = attempt(scenario, arguments, False)
            count = len(harness.failures) - failed
            proven = proofs(hidden, harness.hit_programs[hit:]) if count else []
        if not proven:
            return result
        del harness.failures[failed:]
        while len(harness.cleanups) > made:
            with contextlib.suppress(Exception):
                harness.cleanups.pop()()
        counts["twice"] += 1
        print("%s is run again; what failed (%d) does not count, for these events were hidden: %s" %
              (scenario.__name__, count, "; ".join(proven)), file=sys.stderr, flush=True)
        return attempt(scenario, arguments, True)
