# SPDX-License-Identifier: BSD-2-Clause
"""The confusion matrix: for each scenario, which finding `sonde explain` puts first."""
import collections
import json
import subprocess

NOTHING = "(nothing)"


class NoVerb(RuntimeError):
    """This sonde has no verb explain."""


class Unreadable(RuntimeError):
    """It has, and failed."""


def require_explain(sonde):
    """An unknown verb is a usage error, whose message names the verb."""
    done = subprocess.run([sonde, "explain", "--help"], capture_output=True, text=True, check=False)
    if done.returncode:
        raise NoVerb("no verb explain")


def findings(sonde, trace):
    """Ids of findings, as they are ranked."""
    done = subprocess.run([sonde, "explain", "--json", trace], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 3):
        raise Unreadable("sonde explain: " + done.stderr)
    return [json.loads(line)["id"] for line in done.stdout.splitlines()]


class Matrix:
    def __init__(self):
        self.rows = collections.defaultdict(collections.Counter)
        self.right = collections.Counter()
        self.runs = collections.Counter()

    def add(self, name, ids, is_right):
        """@ids: of the findings, ranked."""
        first = ids[0] if ids else NOTHING
        self.rows[name][first] += 1
        self.runs[name] += 1
        self.right[name] += is_right

    def text(self):
        heads = sorted({one for row in self.rows.values() for one in row})
        out = ["scenario\tright\t" + "\t".join(heads)]
        for name, row in self.rows.items():
            out.append("%s\t%d/%d\t%s" % (name, self.right[name], self.runs[name],
                                          "\t".join(str(row[head]) for head in heads)))
        return "\n".join(out)
