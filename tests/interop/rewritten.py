# SPDX-License-Identifier: BSD-2-Clause
"""A trace and what sonde convert makes of it, as CTF 1.8 and as CTF 2: sonde shows the same of all
three, and babeltrace2 reads the first of the two without a word, and the same as sonde."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kern"))
from harness import SONDE, check, equal, fresh, run  # noqa: E402
from side_by_side import compare_trace  # noqa: E402


def compare_lines(what, got, wanted):
    equal(what, len(got), len(wanted))
    differing = [(one, two) for one, two in zip(got, wanted) if one != two]
    for one, two in differing[:3]:
        check(False, "%s: got %s, want %s" % (what, one, two))
    equal(what + " that differ", len(differing), 0)


def compare_rewritten(name, trace, witness=True, lost=False, *options):
    """@witness: babeltrace2 is asked. Where events are lost, it says so, and sonde's status does. The
    trace of CTF 1.8."""
    status, outs = 3 if lost else 0, []
    wanted = run(SONDE, "print", "--format", "json", trace, *options, good=False).stdout.splitlines()
    check(wanted, "%s has no events" % name)
    for version in ("ctf", "ctf2"):
        out = fresh("%s_%s" % (name, version))
        outs.append(out)
        done = run(SONDE, "convert", trace, "--format", version, "-o", out, *options, good=False)
        equal("sonde convert of %s says %r: status" % (name, done.stderr), done.returncode, status)
        shown = run(SONDE, "print", "--format", "json", out, good=False)
        equal("%s as %s: status" % (name, version), shown.returncode, status)
        compare_lines("events of %s as %s" % (name, version), shown.stdout.splitlines(), wanted)
        if witness and version == "ctf":
            compare_trace(out, not lost)
    return outs[0]
