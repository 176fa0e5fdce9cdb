#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What system calls did with each file, beside what strace -y shows of the same calls and what the kernel counts for the
process (/proc/PID/io): opens, calls and bytes are equal, those of calls with two files too."""
import collections
import json
import os
import re
import shutil
import sys

from harness import SONDE, check, equal, events, finish, missing, path, record, require_root, run, stats

WORK = """
import os, sys
work = sys.argv[1]

def at(name):
    return os.open(os.path.join(work, name), os.O_RDWR | os.O_CREAT, 0o600)

a, b, c, io = at("a"), at("b"), at("c"), os.open("/proc/self/io", os.O_RDONLY)
before = os.pread(io, 4096, 0)
os.write(a, b"x" * 100000)
os.pwrite(a, b"y" * 5000, 100000)
os.writev(a, [b"1" * 10, b"2" * 20])
os.pread(a, 60000, 0)
os.lseek(a, 0, 0)
os.read(a, 7)
os.readv(a, [bytearray(3), bytearray(4)])
os.preadv(a, [bytearray(100)], 0)
os.read(a, 1 << 20)
os.sendfile(b, a, 0, 50000)
os.lseek(a, 0, 0)
os.copy_file_range(a, c, 30000)
os.pread(b, 10, 1 << 30)
os.fsync(c)
os.posix_fadvise(c, 0, 0, os.POSIX_FADV_DONTNEED)
for i in range(2):
    os.pread(c, 30000, 0)
after = os.pread(io, 4096, 0)
left, right = os.pipe()
os.splice(a, right, 1000, offset_src=0)
child = os.fork()
if not child:
    own = at("of the child")
    os.write(own, b"z" * 123)
    os.pread(a, 11, 0)
    os._exit(0)
os.waitpid(child, 0)
for i in range(3):
    os.close(os.dup(a))
    os.close(at("b"))
try:
    os.open(os.path.join(work, "none", "a"), os.O_RDONLY)
except OSError:
    pass
def counts(text):
    return {name: int(value) for name, value in (line.split(": ") for line in text.decode().splitlines())}
print(os.getpid(), len(before), *(counts(after)[name] - counts(before)[name] for name in ("rchar", "wchar")))
"""
READS = ("read", "pread64", "readv", "preadv2", "splice", "copy_file_range")
WRITES = ("write", "pwrite64", "writev", "sendfile")
CALLS = READS + WRITES + ("openat", "close", "fcntl", "lseek", "fsync", "fadvise64")
LINE = re.compile(r"^\d+ +(\w+)\((.*)\) += (\d+)(?:<([^>]*)>)?$")
FILE = re.compile(r"(\d+)<([^>]*)>")


def of_strace(name):
    """By file: calls, opens, bytes read and written."""
    files = collections.defaultdict(lambda: [0, 0, 0, 0])
    with open(name, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            match = LINE.match(line.strip())
            if not match or match[1] not in CALLS:
                continue
            call, ret = match[1], int(match[3])
            used = [file for unused, file in FILE.findall(match[2])]
            if call == "openat":
                files[match[4]][0] += 1
                files[match[4]][1] += 1
                continue
            files[used[0]][0] += 1
            if call in READS + WRITES:
                files[used[0]][2 if call in READS else 3] += ret
            if call in ("splice", "copy_file_range", "sendfile"):
                files[used[1]][3 if call in READS else 2] += ret
    return files


def report(trace, *options):
    done = json.loads(run(SONDE, "report", "--json", trace, "files", *options).stdout)
    return done["reports"]["files"]


def figures(row):
    return [row["calls"]] + [row.get(name, {}).get("sum", 0) for name in ("opens", "read", "written")]


def main():
    require_root()
    if not shutil.which("strace"):
        missing("there is no strace")
    os.mkdir(path("work"))
    work = os.path.realpath(path("work"))
    trace, done = record("-e", "sys,fs.read", "--buffer", "64M", "--", "strace", "-f", "-y", "-qq", "-o", path("calls"),
                         "-e", "trace=" + ",".join(CALLS), sys.executable, "-S", "-E", "-c", WORK, work)
    equal("lost", stats(trace)["lost"], 0)
    pid, first, rchar, wchar = map(int, done.stdout.split())

    # Each file, beside strace.
    ours = {row.get("file"): row for row in report(trace, "--where", "file ~ '%s/*'" % work)["rows"]}
    theirs = of_strace(path("calls"))
    for name in ("a", "b", "c", "of the child"):
        file = os.path.join(work, name)
        equal(name, figures(ours[file]), theirs[file])
        print("%s: calls, opens, bytes read and written: %s" % (name, theirs[file]))
    check(os.path.join(work, "none", "a") not in ours, "a file that was not opened")
    # splice writes to a pipe, which `file ~` did not choose: one of the call's two files was chosen.
    equal("files", set(ours) - {None}, {name for name in theirs if name.startswith(work + "/")} | {"pipe"})

    # The process, beside the kernel's counts, which leave out splice. Before them, the first read of the counts.
    rows = report(trace, "--by", "file,nr", "--where", "tid == %d && file ~ '%s/*'" % (pid, work))["rows"]
    for row in rows:
        check(not row["calls"] or row["dur"]["sum"] >= row["dur"]["max"] > 0, "time: %s" % row)
    counted = [figures(row) for row in rows if row.get("nr_name") != "splice"]
    equal("rchar", sum(row[2] for row in counted), rchar - first)
    equal("wchar", sum(row[3] for row in counted), wchar)
    print("/proc/PID/io: %d bytes read, %d written" % (rchar, wchar))

    # The page cache, by the file that the inode is.
    pages = collections.Counter()
    inode = os.stat(os.path.join(work, "c")).st_ino
    for event in events(trace, "-e", "fs.read"):
        if event["fields"]["inode"] == inode:
            pages[event["fields"]["kind"]] += event["fields"]["pages"]
    row = ours[os.path.join(work, "c")]
    equal("pages", [row.get(name, {}).get("sum", 0) for name in ("lookups", "fills")], [pages[0], pages[1]])
    check(pages[0] >= 16, "%d pages were looked for" % pages[0])
    print("%d pages looked for, %d taken in" % (pages[0], pages[1]))
    finish()


main()
