# SPDX-License-Identifier: BSD-2-Clause
"""Runs scenarios of known causes, records them, and compares what was recorded with what was done."""
import argparse
import fnmatch
import json
import os
import shutil
import sys

import scenario
from bench import Bench, Failed, Skipped, truth_of
from compare import lines
from matrix import Matrix, NoVerb, findings, require_explain

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
KINDS = ("fault", "twin")


def parse_args():
    parser = argparse.ArgumentParser(prog="script/lab", description=__doc__)
    parser.add_argument("scenario", nargs="*", help="names or globs; default: all")
    parser.add_argument("--runs", type=int, default=1, help="of each scenario and of its healthy twin; default: 1")
    parser.add_argument("--seed", type=int, default=1, help="of the parameters and of the wire; default: 1")
    parser.add_argument("--list", action="store_true", help="lists the scenarios")
    parser.add_argument("--matrix", action="store_true", help="prints the confusion matrix of the runs in DIR, and "
                        "makes none")
    parser.add_argument("-o", "--output", metavar="DIR", default=os.path.join(ROOT, "build", "lab"),
                        help="where runs are kept; those that are there are not made again; default: build/lab")
    parser.add_argument("--sonde", default=os.path.join(ROOT, "build", "src", "cli", "sonde"))
    parser.add_argument("--wire", default=os.path.join(ROOT, "build", "tests", "lab", "wire", "wire"))
    return parser.parse_args()


def chosen(known, patterns):
    names = [name for name in known if not patterns or any(fnmatch.fnmatch(name, one) for one in patterns)]
    for pattern in patterns:
        if not fnmatch.filter(known, pattern):
            raise scenario.Bad("no scenario %s; --list shows them" % pattern)
    return [known[name] for name in names]


def runs(args, one):
    """(directory, whether the healthy twin, seed) of each run of a scenario."""
    for number in range(args.seed, args.seed + args.runs):
        for kind in KINDS:
            yield os.path.join(os.path.abspath(args.output), one.name, "%s-%d" % (kind, number)), kind == "twin", number


def make(args, one, directory, twin, seed):
    """0, or 1 where the run could not be made. What a broken-off run left is made again."""
    if not os.path.exists(os.path.join(directory, "run.json")):
        shutil.rmtree(directory, ignore_errors=True)
        try:
            Bench(args.sonde, args.wire, directory).run(one.plan(twin, seed, directory), seed)
        except Skipped as why:
            shutil.rmtree(directory, ignore_errors=True)
            print("%s: skipped: %s" % (one.name, why))
            return 0
        except (Failed, RuntimeError, OSError) as error:
            print("%s: %s" % (os.path.relpath(directory), error), file=sys.stderr)
            return 1
    with open(os.path.join(directory, "run.json"), encoding="utf-8") as file:
        known = json.load(file)
    print("%s, %s, seed %d: %s" % (one.name, KINDS[twin], seed, known["values"]))
    for text in lines(args.sonde, os.path.join(directory, "trace"), truth_of(directory),
                      known["netns"]):
        print("  " + text)
    if known["unseen"] or known["lost_events"]:
        print("  disturbed: %d packets never seen by the wire%s" %
              (known["unseen"], "; events were lost" if known["lost_events"] else ""))
    sys.stdout.flush()
    return 0


def print_matrix(args, wanted):
    require_explain(args.sonde)
    matrix = Matrix()
    for one in wanted:
        for directory, twin, unused in runs(args, one):
            if os.path.exists(os.path.join(directory, "run.json")):
                ids = findings(args.sonde, os.path.join(directory, "trace"))
                matrix.add(one.name + (", twin" if twin else ""), ids, one.is_right(twin, ids))
    print(matrix.text())


def main():
    args = parse_args()
    try:
        wanted = chosen(scenario.load(), args.scenario)
    except scenario.Bad as error:
        print("script/lab: %s" % error, file=sys.stderr)
        return 2
    if args.list:
        for one in wanted:
            print("%-20s %-9s %s" % (one.name, one.area, one.text))
        return 0
    if args.matrix:
        try:
            print_matrix(args, wanted)
        except NoVerb as error:
            print("script/lab: %s" % error, file=sys.stderr)
            return 2
        return 0
    if os.geteuid():
        print("script/lab: needs root", file=sys.stderr)
        return 1
    failed = sum(make(args, one, *run) for one in wanted for run in runs(args, one))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
