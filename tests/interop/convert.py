#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Traces that sonde convert writes: babeltrace2 reads them without a word, and the same in them as in
what they are made of; so does sonde. Shapes of other tracers are in convert_shapes.py."""
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kern"))
from harness import SONDE, check, equal, events, finish, path, run  # noqa: E402
from side_by_side import compare_trace  # noqa: E402

EVENTS = 5000
HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.environ["SONDE_SOURCE"]


def make(name, *args):
    trace = path(name)
    subprocess.run([sys.executable, os.path.join(HERE, "make_trace.py"), trace, "--events",
                    str(EVENTS), *args], check=True)
    return trace


def convert(out, *args, good=0):
    out = path(out)
    status = subprocess.run([SONDE, "convert", "-o", out, *args],
                            stderr=subprocess.DEVNULL, check=False).returncode
    equal("exit status of sonde convert %s" % " ".join(args), status, good)
    return out


def babeltrace2(trace):
    """Without how many packets tell names: that is of the packets, which are others, and older traces
    do not say it."""
    got = run("babeltrace2", "--clock-gmt", trace)
    return re.sub(r"name_packets = \d+, ", "", got.stdout), got.stderr


def warnings(stderr):
    """How many events and packets babeltrace2 misses; between which times is another matter, as
    packets are others."""
    return sorted(line.split(" between ")[0] for line in stderr.splitlines() if line)


def shown(trace, lost):
    return [run(SONDE, "print", "--format", form, trace, good=not lost).stdout
            for form in ("text", "json", "csv")]


def compare_whole(trace, lost=False):
    out = convert(os.path.basename(trace) + "_again", trace, good=3 if lost else 0)
    wanted, told = babeltrace2(trace)
    got, told_again = babeltrace2(out)
    equal("lines of babeltrace2", len(got.splitlines()), len(wanted.splitlines()))
    check(got == wanted, "babeltrace2 shows %s otherwise than what it is made of" % out)
    equal("what babeltrace2 says of losses", warnings(told_again), warnings(told))
    check(lost == bool(told), "babeltrace2 says %r" % told)
    for mine, theirs in zip(shown(out, lost), shown(trace, lost)):
        check(mine == theirs, "sonde shows %s otherwise than what it is made of" % out)


def compare_versions(trace):
    """CTF 2 describes the same streams; each trace has a UUID of its own."""
    out, other = convert("as_ctf", trace), convert("as_ctf2", "--format", "ctf2", trace)
    with open(os.path.join(other, "metadata"), "rb") as metadata:
        equal("first byte of CTF 2", metadata.read(1), b"\x1e")
    streams = sorted(set(os.listdir(out)) - {"metadata", "index"})
    check(streams, "there are no streams")
    equal("streams", sorted(set(os.listdir(other)) - {"metadata", "index"}), streams)
    for name in streams:
        sizes = [os.path.getsize(os.path.join(folder, name)) for folder in (out, other)]
        equal("bytes of " + name, sizes[1], sizes[0])
    check(shown(other, False) == shown(out, False), "CTF 2 is shown otherwise than CTF 1.8")


def compare_selection(trace):
    out = convert("selection", trace, "--where", 'event == "sys.enter" && nr > 200')
    wanted = [event for event in events(trace)
              if event["event"] == "sys.enter" and event["fields"]["nr"] > 200]
    got = compare_trace(out)
    check(0 < len(got) < EVENTS, "%d events satisfy the condition" % len(got))
    equal("events that satisfy the condition", got, wanted)
    names = {event["event"] for event in compare_trace(convert("groups", trace, "-e", "tcp,odd"))}
    equal("classes of a selection by name", names, {"tcp.state", "odd"})


def compare_compressed(trace):
    """Through zstd and back: the same events, and less room in between."""
    small = convert(os.path.basename(trace) + "_small", "--compress", trace)
    check(all(name.endswith(".zst") or name in ("index", "metadata", ".names", ".end")
              for name in os.listdir(small)), "what is not compressed: %s" % os.listdir(small))
    equal("events of a compressed trace", events(small), events(trace))
    check(room_of(small) < room_of(trace), "%s takes %d bytes of %d" %
          (small, room_of(small), room_of(trace)))
    again = convert(os.path.basename(trace) + "_plain", small)
    equal("events of one that was compressed", compare_trace(again), events(trace))


def room_of(trace):
    return sum(os.path.getsize(os.path.join(trace, name)) for name in os.listdir(trace)
               if os.path.isfile(os.path.join(trace, name)))


def compare_cut(trace):
    every = events(trace)
    begin, end = every[1000]["time"], every[3000]["time"]
    got = compare_trace(convert("cut", trace, "--from", str(begin), "--until", str(end)))
    equal("events of a cut", got, [event for event in every if begin <= event["time"] <= end])
    again = compare_trace(convert("cut_again", path("cut")))
    equal("events of a cut that is written again", again, got)


def text_of(line):
    """Without the distance to the line before, and the name of the host."""
    return re.sub(r"\(\+[^)]*\) \S+ ", "", line)


def compare_merged(one, other):
    """Both have a CPU 0, so that babeltrace2 may have another order where times are equal."""
    out = convert("merged", one, other)
    wanted = sorted(events(one) + events(other), key=str)
    equal("events of two traces in one", sorted(events(out), key=str), wanted)
    lines, told = babeltrace2(out)
    equal("what babeltrace2 says of two traces in one", told, "")
    both = sum((babeltrace2(trace)[0].splitlines() for trace in (one, other)), [])
    equal("lines of two traces in one", sorted(map(text_of, lines.splitlines())),
          sorted(map(text_of, both)))


def comms(trace):
    return {event["tid"]: event["comm"] for event in events(trace) if "comm" in event}


def lines_of(*command):
    """What is printed or written as text, without what depends on the line before."""
    return sorted(line.split(None, 1)[1] for line in run(SONDE, *command).stdout.splitlines())


def compare_clashing(one, other):
    """Two hosts whose tasks have the same numbers and other names, directly and written."""
    wanted = sorted(events(one) + events(other), key=str)
    first, second = comms(one), comms(other)
    clashing = [tid for tid in first if second.get(tid, first[tid]) != first[tid]]
    check(len(clashing) > 20, "only the names of %s clash" % clashing)
    direct = run(SONDE, "convert", one, other, "--format", "json", "-o", "-").stdout.splitlines()
    equal("events of two hosts as JSON", sorted(map(json.loads, direct), key=str), wanted)
    texts = sorted(lines_of("print", "-v", one) + lines_of("print", "-v", other))
    equal("lines of two hosts", lines_of("convert", one, other, "--format", "text", "-o", "-"), texts)
    for version in ("ctf", "ctf2"):
        out = convert("hosts_" + version, one, other, "--format", version)
        equal("events of two hosts in " + version, sorted(events(out), key=str), wanted)
        equal("lines of two hosts in " + version, lines_of("print", "-v", out), texts)
    equal("what babeltrace2 says of two hosts", babeltrace2(path("hosts_ctf"))[1], "")
    again = convert("hosts_again", path("hosts_ctf"), one)
    equal("events of three", sorted(events(again), key=str),
          sorted(wanted + events(one), key=str))


def compare_clashing_names(one, other):
    """Of a selection that tells no names itself: they are in hidden streams, one of each host."""
    picked = [event for event in events(one) + events(other) if event["event"] == "sys.enter"]
    out = convert("hosts_calls", one, other, "-e", "sys.enter")
    hidden = sorted(name for name in os.listdir(out) if name.startswith("."))
    equal("hidden files", hidden, [".end", ".names1", ".names2"])
    equal("system calls of two hosts", sorted(events(out), key=str), sorted(picked, key=str))
    equal("what babeltrace2 says of their calls", babeltrace2(out)[1], "")
    again = convert("hosts_calls_again", out)
    equal("the same written again", sorted(events(again), key=str), sorted(picked, key=str))


def main():
    trace = make("synthetic")
    compare_whole(trace)
    compare_whole(make("lossy", "--lost", "--packet", "4096"), lost=True)
    for name in ("visit", "ping_pong", "busy"):
        shape = os.path.join(SOURCE, "tests", "golden", "data", name)
        got = compare_trace(convert(name, shape))
        equal("events of %s" % name, got, events(shape))
    compare_selection(trace)
    compare_versions(trace)
    compare_compressed(trace)
    compare_cut(trace)
    compare_merged(trace, make("other", "--seed", "7", "--cpus", "3"))
    hosts = [make("host" + seed, "--names", "20", "--seed", seed) for seed in "34"]
    compare_clashing(*hosts)
    compare_clashing_names(*hosts)
    finish()


main()
