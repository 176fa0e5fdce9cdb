#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Traces of several processes (per-PID buffers of LTTng) and of several hosts, read as one: text, JSON and CSV tell
of which process and host each event is, expressions and pictures ask for it, and stats counts by it."""
import csv
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kern"))
from harness import SONDE, check, equal, events, finish, path, run, stats  # noqa: E402
from lttng_session import Lttng, ust_program  # noqa: E402

TINY = ("--buffers-pid", "--discard", "--subbuf-size=4096", "--num-subbuf=2")


def printed(*args):
    done = run(SONDE, "print", *args, good=False)
    check(done.returncode in (0, 3), done.stderr)
    return done.stdout.splitlines()


def table(*args):
    return list(csv.DictReader(printed("-f", "csv", *args)))


def processes():
    made = ust_program()
    lttng = Lttng()
    ust = lttng.program(made)
    folders = lttng.record("pids", ust, "20", "9000", channel=TINY, contexts=("vpid", "procname"), runs=2)
    equal("traces", len(folders), 2)
    whole = os.path.commonpath(folders)
    all_of = events(whole, good=None)
    plain = [one for one in all_of if one["event"] != "sonde.lost"]
    pids = {one["context"]["vpid"] for one in plain}
    equal("processes", len(pids), 2)
    check(all(one["vpid"] == one["context"]["vpid"] and one["procname"] == one["context"]["procname"]
              for one in plain), "JSON says other processes than the tracer")
    check(all("hostname" not in one for one in plain), "one host alone needs no name")
    lost = {pid: sum(one["fields"]["count"] for one in all_of
                     if one["event"] == "sonde.lost" and one["vpid"] == pid) for pid in pids}
    check(all(lost.values()), "losses: %s" % lost)
    told = {one["vpid"]: one for one in stats(whole)["origins"]}
    for pid in pids:
        count = sum(one["vpid"] == pid for one in plain)
        # Two threads, six tracepoints in each of 20 rounds and a burst.
        equal("recorded and lost of %d" % pid, count + lost[pid], 2 * (120 + 9000))
        equal("stats of %d" % pid, (told[pid]["events"], told[pid]["lost"]), (count, lost[pid]))
        text = printed("-e", "sonde_test:*", whole)
        equal("lines of %d" % pid, sum(" ust_program:%d  " % pid in line for line in text if "---" not in line), count)
        check(any(re.search(r"lost here in ust_program:%d on cpu" % pid, line) for line in text), "losses in text")
        equal("rows of %d" % pid, sum(row["vpid"] == str(pid) for row in table(whole) if row["event"] != "sonde.lost"),
              count)
        # By the environment, where no field is called so, too.
        bare = lttng.home + "/bare-%d" % pid
        run(SONDE, "convert", "-o", bare, "--where", "vpid == %d" % pid, whole, good=False)
        equal("--where", sum(one["event"] != "sonde.lost" for one in events(bare, good=None)), count)
    out = path("by.svg")
    run(SONDE, "graph", "--hist", "--field", "value", "--by", "vpid", "-o", out, whole, good=False)


def small(folder, hostname, procname=None, vpid=None, value=0):
    os.makedirs(path(folder))
    more = 'procname = "%s"; vpid = %d;' % (procname, vpid) if procname else ""
    with open(os.path.join(path(folder), "metadata"), "w", encoding="utf-8") as file:
        file.write('/* CTF 1.8 */ typealias integer { size = 8; align = 8; } := u8;\n'
                   'trace { major = 1; minor = 8; byte_order = le; };\n'
                   'env { hostname = "%s"; domain = "ust"; %s };\n'
                   'event { name = e; fields := struct { u8 a; }; };\n' % (hostname, more))
    with open(os.path.join(path(folder), "s"), "wb") as file:
        file.write(bytes([value]))


def words(line):
    return line.split()[2:]


def environments():
    small("net/a", "web1", "prog", 11, 1)
    small("net/b", "web1", "prog", 22, 2)
    small("net/c", "db \x1b", "prog", 22, 3)
    for source in (path("net"), path("one")):
        if source == path("one"):
            run(SONDE, "convert", "-o", source, path("net"))
        text = printed(source)
        equal("text", sorted(map(words, text)), [["db", "\\x1b", "prog:22", "-", "e", "a=3"],
                                                 ["web1", "prog:11", "-", "e", "a=1"],
                                                 ["web1", "prog:22", "-", "e", "a=2"]])
        equal("json", sorted((one["hostname"], one["vpid"], one["fields"]["a"]) for one in events(source)),
              [("db \x1b", 22, 3), ("web1", 11, 1), ("web1", 22, 2)])
        for where, want in (("vpid == 22", [2, 3]), ('hostname == "web1"', [1, 2]), ("vpid < 20", [1]),
                            ('hostname ~ "w*" && vpid in 20..30', [2]), ('procname != "prog"', []), ("vpid == a", [])):
            got = [one["fields"]["a"] for one in events(source, "--where", where)]
            equal(where, sorted(got), want)
        rows = table("--fields", "hostname,vpid,a", source)
        equal("columns", sorted((row["hostname"], row["vpid"], row["a"]) for row in rows)[1:],
              [("web1", "11", "1"), ("web1", "22", "2")])
        equal("origins", sorted((one["hostname"], one["vpid"], one["events"]) for one in stats(source)["origins"]),
              [("db \x1b", 22, 1), ("web1", 11, 1), ("web1", 22, 1)])
        equal("stats", sum(line.startswith(("web1 prog:", "db ")) for line in
                           run(SONDE, "stats", source).stdout.splitlines()), 3)
    failed = run(SONDE, "print", "--where", "vpd == 1", path("net"), good=False)
    check("did you mean 'vpid'?" in failed.stderr, failed.stderr)
    # A single trace has nothing to tell apart, and one without a process no name for it.
    equal("alone", words(printed(path("net/a"))[0]), ["-", "e", "a=1"])
    equal("alone, for programs", events(path("net/a"))[0]["vpid"], 11)
    small("host", "web1")
    check("vpid" not in events(path("host"))[0], "a process of no name")
    check("origins" not in stats(path("host")), "one origin is nothing to count by")
    failed = run(SONDE, "print", "--where", "vpid == 1", path("host"), good=False)
    check("no event and no field is called 'vpid'" in failed.stderr, failed.stderr)


def main():
    environments()
    processes()
    finish()


main()
