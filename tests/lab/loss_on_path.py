#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""A scenario of the lab, loss on the path, and its healthy twin: the trace has each segment that was sent again, the wire's
log says which ones, and each segment that was lost was sent again."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kern"))
from harness import SONDE, check, equal, events, finish, path, require_root, skip  # noqa: E402
from undisturbed import Scenarios  # noqa: E402
import compare  # noqa: E402
import scenario  # noqa: E402
from bench import Bench, truth_of  # noqa: E402

undisturbed = Scenarios("tcp")
WIRE = os.environ["SONDE_LAB_WIRE"]
NAME = "random_loss"


def run(twin, seed):
    """(what is known of the run, its truth, what its trace says was sent again)"""
    run.count += 1
    directory = path("run%d" % run.count)
    known = Bench(SONDE, WIRE, directory).run(scenario.load()[NAME].plan(twin, seed, directory), seed)
    what = "twin" if twin else "fault"
    equal(what + ": events lost, packets that the wire did not see", (known["lost_events"], known["unseen"]),
          (False, 0))
    truth = truth_of(directory)
    equal(what + ": packets that failed", truth.end["failed"], 0)
    trace = os.path.join(directory, "trace")
    found = compare.resent(SONDE, trace, known["netns"])
    again = truth.of(None, *compare.RESENT_KINDS, again=True)
    equal(what + ": segments sent again", sum(one["segments"] for one in found), len(again))
    ranges = compare.ranges_resent(found)
    for one in again:
        check(compare.is_covered(ranges, compare.port_of(one.source), one.seq),
              "%s: the trace has no segment %d of %s that was sent again" % (what, one.seq, one.source))
    # And the sender's own count when it closes.
    closes = [one["fields"] for one in events(trace, "-e", "tcp.close") if one["fields"]["netns"] in known["netns"]]
    for port in {compare.port_of(one.source) for one in truth.of("forward", "data")}:
        totals = [one["total_retrans"] for one in closes if one["lport"] == port]
        equal(what + ": total_retrans at the close",
              totals, [sum(compare.port_of(one.source) == port for one in again)])
    return truth, found, ranges


run.count = 0


def fault(seed):
    truth, found, ranges = run(False, seed)
    lost = compare.needed(truth)
    check(len(lost) >= 3, "%d segments were lost" % len(lost))
    check(len(found) >= 1, "nothing was sent again")
    gone = compare.never_again(truth)
    equal("lost segments that were not sent again", gone, set())
    for one in lost:
        check(compare.is_covered(ranges, compare.port_of(one.source), one.seq),
              "the trace does not have the lost segment %d again" % one.seq)


def twin(seed):
    """On a busy machine a segment may be sent again, because its acknowledgement was late; not lost."""
    truth, unused, unused_ranges = run(True, seed)
    equal("segments lost", [one for one in truth.decisions if one.action != "pass"], [])
    check(truth.of("forward", "data"), "nothing was sent")


def main():
    require_root()
    if not os.path.exists("/dev/net/tun"):
        skip("no TAP devices here")
    undisturbed(fault, 1)
    undisturbed(twin, 1)
    finish()


main()
