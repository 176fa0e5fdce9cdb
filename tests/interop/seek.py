#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""What --from and --to show is what the whole trace shows, cut by time, whatever the index says: it
may be absent, torn, or lie."""
import json
import os
import re
import random
import shutil
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kern"))
from harness import SONDE, check, equal, finish, path  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
HEAD = 16
ENTRY = struct.Struct(">9Q")


def lines(trace, *options):
    done = subprocess.run([SONDE, "print", "--format", "json", *options, trace],
                          capture_output=True)
    # What is derived from events before --from is left out by design (sonde-print(1), DERIVED FIELDS).
    text = re.sub(rb',"(?:dur|wait|queue|service|total)":\d+(?=[,}])', b"", done.stdout)
    text = re.sub(rb',"owner":(?:null|{[^}]*})', b"", text)
    return text.splitlines(), done.returncode, done.stderr.decode()


def synthetic(name, *options):
    trace = path(name)
    subprocess.run([sys.executable, os.path.join(HERE, "make_trace.py"), trace, *options],
                   check=True)
    return trace


def golden(name):
    trace = path(name)
    shutil.copytree(os.path.join(HERE, "..", "golden", "data", name), trace)
    return trace


def spans(times, rng):
    """Spans within the trace, at its ends, and around single events."""
    first, last = times[0], times[-1]
    yield from ((first, last), (first - 5, first), (last, last + 5), (last, last),
                (first + 1, last - 1))
    for unused in range(6):
        a = times[rng.randrange(len(times))] + rng.randrange(-1, 2)
        b = min(last, a + rng.randrange(1, max(2, (last - first) // 4)))
        yield a, b


def compare(what, trace, whole, rng):
    times = [time for time, unused in whole]
    for begin, end in spans(times, rng):
        wanted = [line for time, line in whole if begin <= time <= end]
        got, status, err = lines(trace, "--from", str(begin), "--to", str(end))
        if not check(got == wanted and "cannot" not in err,
                     "%s, %d to %d: %d lines in place of %d, status %d, %s" % (
                         what, begin, end, len(got), len(wanted), status, err)):
            return


def index_files(trace):
    folder = os.path.join(trace, "index")
    return [os.path.join(folder, name) for name in sorted(os.listdir(folder))]


def rewrite(trace, change):
    """Changes the entries of each index, as lists of nine numbers."""
    for name in index_files(trace):
        with open(name, "rb") as file:
            data = file.read()
        entries = [list(ENTRY.unpack_from(data, at))
                   for at in range(HEAD, len(data) - ENTRY.size + 1, ENTRY.size)]
        change(entries)
        with open(name, "wb") as file:
            file.write(data[:HEAD] + b"".join(ENTRY.pack(*entry) for entry in entries))


def beyond(entries):
    for entry in entries[len(entries) // 2:]:
        entry[0] += 1 << 40


def overlapping(entries):
    for entry in entries[1:]:
        entry[0] -= 64


def descending(entries):
    times = [entry[3:5] for entry in entries]
    for entry, two in zip(entries, reversed(times)):
        entry[3:5] = two


def early(entries):
    """All but the first say that they are from long ago."""
    for entry in entries[1:]:
        entry[3] = entry[4] = entries[0][3]


def late(entries):
    for entry in entries[1:]:
        entry[3] += 1 << 50
        entry[4] += 1 << 50


def shifted(entries):
    """Each tells the times of the next."""
    for entry, other in zip(entries, [list(one) for one in entries[1:]]):
        entry[3:5] = other[3:5]


def torn(entries):
    del entries[len(entries) // 3:]


def random_bits(entries):
    rng = random.Random(4)
    for entry in entries:
        entry[rng.randrange(9)] ^= 1 << rng.randrange(64)


def rewritten(name, trace, rng, *options):
    again = path("again")
    done = subprocess.run([SONDE, "convert", *options, "-o", again, trace], capture_output=True)
    check(done.returncode in (0, 3), "convert of %s: %s" % (name, done.stderr.decode()))
    whole = [(json.loads(line)["time"], line) for line in lines(again)[0]]
    compare("%s, converted %s" % (name, " ".join(options)), again, whole, rng)
    shutil.rmtree(again)


def lie(trace, whole, rng):
    for change in (beyond, overlapping, descending, early, late, shifted, torn, random_bits):
        liar = path("liar")
        shutil.copytree(trace, liar)
        rewrite(liar, change)
        compare("index with %s" % change.__name__, liar, whole, rng)
        shutil.rmtree(liar)
    bare = path("bare")
    shutil.copytree(trace, bare)
    for name in index_files(bare):
        with open(name, "wb") as file:
            file.write(b"no index at all, but as long as the head of one")
    compare("no index", bare, whole, rng)
    shutil.rmtree(os.path.join(bare, "index"))
    compare("index absent", bare, whole, rng)
    shutil.rmtree(bare)


def main():
    rng = random.Random(11)
    traces = {
        "synthetic": synthetic("synthetic", "--events", "20000", "--cpus", "3", "--lost"),
        "large packets": synthetic("large", "--events", "60000", "--packet", "400000",
                                   "--only-enter"),
        "small packets": synthetic("small", "--events", "60000", "--packet", "1000"),
        "names": synthetic("names", "--events", "40000", "--packet", "1000", "--names", "--lost"),
        "marks": synthetic("marks", "--events", "40000", "--packet", "1000", "--names", "--lost",
                           "--marks"),
        "few marks": synthetic("few", "--events", "90000", "--packet", "1000", "--names", "9000",
                               "--marks"),
        "many marks": synthetic("many", "--events", "20000", "--packet", "20000", "--names", "100",
                                "--marks"),
        "busy": golden("busy"), "visit": golden("visit"), "ping_pong": golden("ping_pong"),
    }
    for name, trace in traces.items():
        all_lines, status, err = lines(trace)
        check(status in (0, 3) and all_lines, "%s: status %d, %s" % (name, status, err))
        whole = [(json.loads(line)["time"], line) for line in all_lines]
        equal("order of " + name, [time for time, unused in whole],
              sorted(time for time, unused in whole))
        compare(name, trace, whole, rng)
        if name in ("synthetic", "small packets", "marks"):
            lie(trace, whole, rng)
        if name in ("marks", "few marks", "many marks"):
            rewritten(name, trace, rng)
            rewritten(name, trace, rng, "--compress")
            rewritten(name, trace, rng, "--format", "ctf2")
    finish()


main()
