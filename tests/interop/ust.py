#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Traces that LTTng-UST writes here and now, with every type of field and context that it has, in all
ways of buffering, with events discarded and packets overwritten: babeltrace2 and sonde read the same."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kern"))
from harness import check, equal, finish, stats  # noqa: E402
from lttng_session import Lttng, ust_program  # noqa: E402
from rewritten import compare_rewritten  # noqa: E402
from side_by_side import compare_trace  # noqa: E402

CONTEXTS = ("vpid", "vtid", "procname", "pthread_id", "ip", "cgroup_ns", "ipc_ns", "mnt_ns", "net_ns",
            "pid_ns", "user_ns", "uts_ns", "time_ns", "vuid", "veuid", "vsuid", "vgid", "vegid",
            "vsgid", "$app.sonde:thing")  # a variant, of which it is none as nobody provides it
COUNTERS = ("vtid", "perf:thread:instructions", "perf:thread:page-faults")
CLASSES = {"sonde_test:" + name for name in
           ("integers", "floats", "enums", "arrays", "texts", "nothing", "burst")}
TINY = ("--subbuf-size=4096", "--num-subbuf=2")


def losses(traces):
    told = [stats(trace) for trace in traces]
    return (sum(one["lost"] for one in told),
            sum(one["packets_overwritten"] for one in told))


def compare(name, traces, count, want, quiet=True):
    equal("traces of " + name, len(traces), count)
    ours = [event for trace in traces for event in compare_trace(trace, quiet)]
    for trace in traces:
        compare_rewritten(name, trace, quiet, not quiet)
    check(want is None or len(ours) == want, "%s: %d events, want %s" % (name, len(ours), want))
    return ours


def overwritten(lttng, ust):
    """Whether the reader of the buffers is overtaken is up to the machine: sooner or later it is."""
    for tries in range(6):
        traces = lttng.record("overwrite%d" % tries, ust, "50", str(30000 << tries),
                              channel=("--overwrite", *TINY))
        if losses(traces)[1]:
            return traces
    check(False, "no packet was overwritten")
    return traces


def main():
    made = ust_program()
    lttng = Lttng()
    ust = lttng.program(made)
    # Two threads, seven classes: 2 * (rounds * 6 + burst).
    ours = compare("plain", lttng.record("plain", ust, "200", "50"), 1, 2500)
    equal("classes", {event["event"] for event in ours}, CLASSES)
    ours = compare("contexts", lttng.record("contexts", ust, "90", "20", contexts=CONTEXTS), 1, 1120)
    check(all(event["tid"] == event["context"]["vtid"] for event in ours), "vtid is not the task")
    check(all(event["names"]["_app_sonde_thing_tag"] == "_none" for event in ours), "no variant")
    # Where the kernel does not let the program count, LTTng records nothing.
    traces = lttng.record("counters", ust, "5", "5", contexts=COUNTERS)
    if not stats(traces[0])["events"]:
        print("no counters of the CPU here")
    else:
        compare("counters", traces, 1, 70)
    compare("per_pid", lttng.record("per_pid", ust, "30", "9", channel=("--buffers-pid",),
                                    contexts=("vpid", "vtid"), runs=3), 3, 3 * 378)
    # Longer than 32 bits of nanoseconds apart: extended heads.
    compare("slow", lttng.record("slow", ust, "2", "9", "4400000"), 1, 42)
    traces = lttng.record("discard", ust, "50", "60000", channel=("--discard", *TINY))
    compare("discard", traces, 1, None, quiet=False)
    check(losses(traces)[0] > 0, "nothing was discarded")
    compare("overwrite", overwritten(lttng, ust), 1, None, quiet=False)
    finish()


main()
