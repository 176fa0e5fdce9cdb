#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Every field of the catalogue has its row in docs/fidelity.md, and every row says what is so.

usage: tools/check-fidelity.py SONDE SOURCE

A row: globs over measurements, globs over fields, a witness, tests that are in the tree. A row
without a test must begin its witness with "none" and say why."""
import fnmatch
import json
import os
import re
import subprocess
import sys


def rows(text):
    """(measurements, fields, witness, tests) of the table's rows."""
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if line.startswith("| ") and len(cells) == 4 and cells[0] != "measurements":
            yield ([one.strip() for one in cells[0].split(",")],
                   [one.strip() for one in cells[1].split(",")],
                   cells[2], re.findall(r"`([^`]+)`", cells[3]))


def matches(name, globs):
    return any(fnmatch.fnmatchcase(name, one) for one in globs)


def faults(catalogue, table, source):
    fields = [(one["name"], field["name"]) for one in catalogue for field in one["fields"]]
    for name, field in fields:
        if not any(matches(name, row[0]) and matches(field, row[1]) for row in table):
            yield "%s: no row has its field %s" % (name, field)
    for names, globs, witness, tests in table:
        row = "%s, %s" % (", ".join(names), ", ".join(globs))
        for one in names:
            if not any(fnmatch.fnmatchcase(name, one) for name, unused in fields):
                yield "%s: there is no measurement %s" % (row, one)
        for one in globs:
            if not any(matches(name, names) and fnmatch.fnmatchcase(field, one)
                       for name, field in fields):
                yield "%s: there is no field %s" % (row, one)
        for test in tests:
            if not os.path.exists(os.path.join(source, test)):
                yield "%s: there is no %s" % (row, test)
        if not tests and not witness.startswith("none: "):
            yield "%s: neither a test nor 'none: ' with a reason" % row


def main():
    sonde, source = sys.argv[1:]
    catalogue = json.loads(subprocess.run([sonde, "list", "--json"], capture_output=True,
                                          check=True).stdout)
    with open(os.path.join(source, "docs/fidelity.md"), encoding="utf-8") as file:
        table = list(rows(file.read()))
    found = list(faults(catalogue, table, source))
    for fault in found:
        print("docs/fidelity.md: " + fault)
    return 1 if found or not table else 0


if __name__ == "__main__":
    sys.exit(main())
