#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The lab without root: each scenario is well formed for many seeds, the log of a wire is read as it is written, and a
sonde without the verb explain makes no matrix."""
import inspect
import os
import subprocess
import sys
import tempfile

import compare
import load
import scenario
from matrix import Matrix
from truth import Incomplete, Truth

HERE = os.path.dirname(os.path.abspath(__file__))
SEEDS = range(1, 31)
LOG = """# wire seed=1 wall_offset_ns=5
# columns
10 forward pass data 154 10.0.0.1:1 10.0.0.2:2 100 100 1 PA 0 20 0 -
11 forward loss data 154 10.0.0.1:1 10.0.0.2:2 200 100 1 PA 0 0 0 -
12 forward queue data 154 10.0.0.1:1 10.0.0.2:2 300 100 1 PA 0 0 0 -
13 forward pass data 154 10.0.0.1:1 10.0.0.2:2 200 100 1 PA 1 30 0 held,twice
40 forward late data 154 10.0.0.1:1 10.0.0.2:2 200 100 1 PA - 30 0 -
"""
END = "# end packets=4 left=2 late=1 late_max_ns=6000000 late_mean_ns=5 failed=0 unknown_flows=0\n"

failures = []


def check(good, what):
    if not good:
        failures.append(what)
        print("FAIL: " + what)


def is_program(text):
    """Whether load.py has it, with these arguments, all of them filled in."""
    name, *arguments = text.split()
    program = {one.__name__: one for one in load.PROGRAMS}[name]
    words = dict(argument.split("=", 1) for argument in arguments)
    parameters = inspect.signature(program).parameters
    rest = inspect.signature(load.connect).parameters if "options" in parameters else {}
    return words.keys() <= parameters.keys() | rest.keys() and "{" not in text


def check_plan(one, twin, seed):
    what = "%s, %s, seed %d" % (one.name, "twin" if twin else "fault", seed)
    plan = one.plan(twin, seed, "/tmp/x")
    check(plan == one.plan(twin, seed, "/tmp/x"), what + ": two plans of one seed")
    for name, (low, high) in one.table["draw"].items():
        check(low <= plan["values"][name] <= high, "%s: %s is %s" % (what, name, plan["values"][name]))
    check(all(map(is_program, plan["serve"] + plan["run"])), what + ": programs %s" % (plan["serve"] + plan["run"]))
    check(plan["run"] and not any("{" in line for line in plan["wire"]), what + ": wire %s" % plan["wire"])
    return plan


def check_scenarios():
    known = scenario.load()
    check(len(known) >= 30, "%d scenarios" % len(known))
    for one in known.values():
        faults = [check_plan(one, False, seed) for seed in SEEDS]
        twins = [check_plan(one, True, seed) for seed in SEEDS]
        check(len({str(plan["values"]) for plan in faults}) > len(SEEDS) / 3, one.name + ": seeds draw the same")
        check(all(a["values"] == b["values"] for a, b in zip(faults, twins)), one.name + ": the twin's values differ")
        check(all(any(a[key] != b[key] for key in ("wire", "serve", "run", "sysctl", "qdisc", "cgroup"))
                  for a, b in zip(faults, twins)), one.name + ": the twin is no other")


def check_truth(directory):
    path = os.path.join(directory, "log")
    with open(path, "w", encoding="ascii") as file:
        file.write(LOG + END)
    truth = Truth(path)
    check(truth.actions() == {"pass": 2, "loss": 1, "queue": 1, "held": 1, "twice": 1}, "actions %s" % truth.actions())
    check([one.seq for one in truth.late] == [200] and truth.is_disturbed(), "what was late")
    check([one.seq for one in compare.needed(truth)] == [200, 300], "what was lost")
    check(compare.never_again(truth) == {(1, 300)}, "what did not come again")
    ranges = compare.ranges_resent([{"lport": 1, "seq": (1 << 32) - 50, "length": 100}])
    check([compare.is_covered(ranges, 1, seq) for seq in ((1 << 32) - 51, (1 << 32) - 50, 0, 49, 50)] ==
          [False, True, True, True, False], "ranges across the end of the numbers")
    check(not compare.is_covered(ranges, 2, 0), "another port's range")
    for text in (LOG, LOG + END.replace("packets=4", "packets=5")):
        with open(path, "w", encoding="ascii") as file:
            file.write(text)
        try:
            Truth(path)
            check(False, "an incomplete log is read")
        except Incomplete:
            pass


def check_matrix(directory):
    matrix = Matrix()
    known = scenario.load()
    cases = (("random_loss", False, ["tcp.loss", "tcp.rto"], True), ("random_loss", False, ["tcp.rto", "tcp.loss"], False),
             ("random_loss", False, [], False), ("random_loss", True, ["tcp.rto"], True),
             ("random_loss", True, ["tcp.rto", "tcp.loss"], False), ("random_loss", True, [], True),
             ("duplicates", False, [], True), ("duplicates", False, ["tcp.loss"], False))
    for name, twin, ids, is_right in cases:
        check(known[name].is_right(twin, ids) == is_right, "%s, twin %s: %s" % (name, twin, ids))
    matrix.add("one", ["tcp.loss", "tcp.rto"], True)
    matrix.add("one", ["tcp.rto", "tcp.loss"], False)
    matrix.add("one, twin", [], True)
    matrix.add("one, twin", ["tcp.rto"], False)
    check(matrix.text().splitlines() == ["scenario\tright\t(nothing)\ttcp.loss\ttcp.rto", "one\t1/2\t0\t1\t1",
                                         "one, twin\t1/2\t1\t0\t1"], "matrix:\n" + matrix.text())
    done = subprocess.run([sys.executable, os.path.join(HERE, "lab.py"), "--matrix", "--sonde", "/bin/false", "-o",
                           directory], capture_output=True, text=True, check=False)
    check((done.returncode, done.stdout) == (2, "") and "no verb explain" in done.stderr, "a matrix without the verb")


def main():
    with tempfile.TemporaryDirectory() as directory:
        check_scenarios()
        check_truth(directory)
        check_matrix(directory)
    print("%d checks failed" % len(failures) if failures else "all as expected")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
