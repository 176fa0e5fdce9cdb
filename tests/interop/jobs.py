#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Several threads print and count what one does, byte by byte: names that events teach, losses,
selections, and damage among it."""
import os
import resource
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kern"))
from harness import PATIENCE, SONDE, check, finish, path  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))


def synthetic(name, *options):
    trace = path(name)
    subprocess.run([sys.executable, os.path.join(HERE, "make_trace.py"), trace, *options],
                   check=True)
    return trace


def run(verb, trace, jobs, *options):
    done = subprocess.run([SONDE, verb, "--jobs", str(jobs), *options, trace], capture_output=True,
                          timeout=PATIENCE)
    return done.stdout, done.returncode, sorted(set(done.stderr.splitlines()))


def threads(verb, trace, jobs, *options):
    """How many a run really has."""
    done = subprocess.run(["strace", "-z", "-f", "-qq", "-e", "trace=clone,clone3", SONDE, verb, "--jobs",
                           str(jobs), *options, trace], capture_output=True)
    return 1 + done.stderr.count(b"CLONE_THREAD")


def compare(what, trace, verb, *options):
    want = run(verb, trace, 1, *options)
    for jobs in (2, 5):
        got = run(verb, trace, jobs, *options)
        check(got == want, "%s: %s %s with %d threads: %d bytes, status %d, %s; not %d, %d, %s" % (
            what, verb, " ".join(options), jobs, len(got[0]), *got[1:], len(want[0]), *want[1:]))


def everything(what, trace):
    for form in ("text", "json", "csv", "tsv"):
        compare(what, trace, "print", "--format", form)
    for style in ("abs", "rel", "delta", "epoch"):
        compare(what, trace, "print", "--time", style, "-e", "sched.far,odd")
    compare(what, trace, "print", "--from", "+20", "--to", "+70", "--format", "csv")
    compare(what, trace, "print", "-e", "tcp", "--format", "json")
    compare(what, trace, "print", "--cpu", "1,70", "--fields", "s,nr,value,what")
    compare(what, trace, "print", "--where", "nr > 100 && comm ~ \"*a*\"")
    compare(what, trace, "print", "--limit", "70000")
    compare(what, trace, "stats")
    compare(what, trace, "stats", "--json", "-e", "tcp,sched,odd,sequences")


def pictures(what, trace):
    for field in ("odd:in.f", "nr", "odd:b"):
        for options in ((), ("--by", "cpu"), ("--by", "tid"), ("--by", "comm"), ("--log", "x")):
            compare(what, trace, "graph", "--format", "svg", "--hist", field, *options)
        compare(what, trace, "graph", "--format", "svg", "--heat", field)
    compare(what, trace, "graph", "--format", "svg", "--heat", "nr", "--cpu", "1", "--from", "+20")
    compare(what, trace, "graph", "--format", "svg", "-F", "nr", "--by", "cpu")
    check(b"</svg>" in run("graph", trace, 3, "--format", "svg", "--heat", "odd:in.f")[0],
          what + ": no picture")


def damage(trace):
    broken = path("broken")
    shutil.copytree(trace, broken)
    name = os.path.join(broken, "cpu1_level0")
    with open(name, "r+b") as file:
        file.seek(os.path.getsize(name) // 2)
        file.write(bytes(9000))
    return broken


def many_streams(trace):
    """More than a process may open at first: by custom 1024, and two or three for each."""
    many = path("many")
    os.mkdir(many)
    os.link(os.path.join(trace, "metadata"), os.path.join(many, "metadata"))
    for i in range(200):
        os.link(os.path.join(trace, "cpu0_level0"), os.path.join(many, "stream%d" % i))
    for jobs in ("1", "2"):
        done = subprocess.run([SONDE, "stats", "--jobs", jobs, many], capture_output=True,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE,
                                                                    (100, 4096)))
        check(b"cannot be opened" not in done.stderr, "200 streams: %s" % done.stderr[-200:])


def many_classes(trace):
    """Which take a thread longer to describe than to read all of the trace."""
    described = path("described")
    shutil.copytree(trace, described)
    with open(os.path.join(described, "metadata"), "a") as file:
        for i in range(5000):
            file.write("event { name = \"more_%u\"; id = %u; stream_id = 0; fields := struct { }; };\n" %
                       (i, 10000 + i))
    check(threads("print", described, 3) == 1, "threads for a small trace of many classes")


def main():
    named = synthetic("named", "--events", "150000", "--names", "--lost")
    large = synthetic("large", "--events", "180000", "--cpus", "3", "--packet", "200000", "--lost")
    many_streams(named)
    everything("names", named)
    everything("large packets", large)
    pictures("names", named)
    pictures("large packets", large)
    compare("damage", damage(large), "print", "--format", "json")
    for trace in (named, large):
        shutil.rmtree(os.path.join(trace, "index"))
    everything("names, no index", named)
    compare("no index", large, "print")
    if shutil.which("strace"):
        check(threads("print", large, 3) == 3, "print does not have three threads")
        check(threads("stats", large, 3, "-e", "odd") == 3, "stats does not have three threads")
        check(threads("graph", large, 3, "--heat", "nr") == 3, "heat maps do not have three threads")
        check(threads("print", large, 3, "--time", "rel") == 1, "relative times, several threads")
        many_classes(large)
    finish()


main()
