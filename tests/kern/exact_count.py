#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""A million system calls are a million records, in every reader, and none is lost."""
import re

from harness import (SONDE, actor_path, check, equal, finish, is_entry, line_count, record,
                     require_root, run, stats)

CALLS = 1000000

require_root()
trace, done = record("-e", "sys.enter,sys.exit", "--buffer", "64M", "--", actor_path(), "paced",
                     str(CALLS))
check("nothing lost" in done.stderr, "the summary tells of a loss: " + done.stderr)

lines, errors = line_count(SONDE, "print", "--raw", trace)
equal("what sonde print says on stderr", errors, "")
calls, unused = line_count(SONDE, "print", "-e", "sys.enter", "--format", "csv", trace)
others, errors = line_count("babeltrace2", trace)
equal("what babeltrace2 says on stderr", errors, "")
equal("events that babeltrace2 and sonde print show", others, lines)

told = stats(trace)
classes = {one["name"]: one["events"] for one in told["classes"]}
equal("events of sonde stats and lines of sonde print", told["events"], lines)
equal("lost of sonde stats", told["lost"], 0)
equal("entries of sonde stats and rows of csv, less its head",
      sum(count for name, count in classes.items() if is_entry(name)), calls - 1)
by_name = {one["name"]: one for one in told["syscalls"]}
equal("calls of getpgid of sonde stats", by_name["getpgid"]["calls"], CALLS)
equal("of these, with their end", by_name["getpgid"]["matched"], CALLS)
equal("the summary's events", int(re.sub(r"\D", "", done.stderr.split(" events")[0])),
      told["events"])

# From one task, with that number: read as text, because a million JSON objects take their time.
text = run(SONDE, "print", "--format", "tsv", "-e", "sys.enter", trace).stdout.splitlines()
head = text[0].split("\t")
tid, nr = head.index("tid"), head.index("nr")
tids = {}
for line in text[1:]:
    row = line.split("\t")
    if row[nr].split()[0] in ("121", "getpgid"):
        tids[row[tid]] = tids.get(row[tid], 0) + 1
equal("getpgid by tid", list(tids.values()), [CALLS])
finish()
