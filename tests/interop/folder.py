#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""A directory with traces below it, as sessions are stored, is a SOURCE: all of them, in the order of time."""
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kern"))
from harness import SONDE, check, equal, finish, fresh, path, run  # noqa: E402

DATA = os.path.join(os.environ["SONDE_SOURCE"], "tests/golden/data")


def stored(folder, below, trace):
    shutil.copytree(os.path.join(DATA, trace), os.path.join(path(folder), below))


def main():
    fresh("empty")
    os.makedirs(path("empty/kernel"))
    failed = run(SONDE, "print", path("empty"), good=False)
    check("no file named metadata, nor a trace below it" in failed.stderr, failed.stderr)
    equal("status of what has no trace", failed.returncode, 1)
    fresh("session")
    stored("session", "kernel", "visit")
    alone = run(SONDE, "print", path("session/kernel")).stdout
    equal("of a single trace below", run(SONDE, "print", path("session")).stdout, alone)
    equal("followed", run(SONDE, "print", "--follow", path("session")).stdout, alone)
    # A path of LTTng's; what is hidden, or a link, is none of the session.
    below = "archives/20261122T101500-0/ust/uid/0/64-bit"
    stored("session", below, "ping_pong")
    stored("session", ".other/kernel", "busy")
    os.symlink(os.path.join(DATA, "busy"), path("session/link"))
    both = [path("session/kernel"), os.path.join(path("session"), below)]
    for verb, options in (("print", ["--format", "json"]), ("stats", ["--json"]), ("report", ["--json", "sched"])):
        equal(verb, run(SONDE, verb, *options, path("session")).stdout, run(SONDE, verb, *options, *both[::-1]).stdout)
    run(SONDE, "convert", "-o", path("one"), path("session"))
    equal("converted", run(SONDE, "print", path("one")).stdout, run(SONDE, "print", *both).stdout)
    failed = run(SONDE, "print", "--follow", path("session"), good=False)
    check("there are 2 traces below it" in failed.stderr, failed.stderr)
    finish()


main()
