#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Transfers to a disk of our own: each of its requests, once at each stage, in agreement with
/proc/diskstats and with perf, which count the same transfers in the same run."""
import collections
import json
import mmap
import os
import shutil
import subprocess

from harness import (SONDE, Recorder, check, cleanups, equal, events, finish, make_loop, path,
                     read_line, require_root, run, stats)
from mounts import has_tracefs
from undisturbed import Scenarios

undisturbed = Scenarios("disk")

BLOCK = 64 << 10
READS, WRITES = 40, 25
STAGES = ["disk.queue", "disk.issue", "disk.complete"]


def diskstats(name):
    """(reads, sectors read, writes, sectors written) that have ended."""
    with open("/proc/diskstats", encoding="ascii") as file:
        row = next(line.split() for line in file if line.split()[2] == name)
    return tuple(int(row[i]) for i in (3, 5, 7, 9))


def transfer(name, reads=READS, writes=WRITES):
    """In an order that lets no two be put together."""
    buffer = mmap.mmap(-1, BLOCK)
    fd = os.open("/dev/" + name, os.O_RDWR | os.O_DIRECT)
    for i in range(writes):
        os.pwrite(fd, buffer, i * 2 * BLOCK)
    for i in range(reads):
        os.preadv(fd, [buffer], (100 + i * 2) * BLOCK)
    os.close(fd)


class PerfCount:
    """perf stat, counting what ends on the device with this number."""

    def __init__(self, major, minor):
        self.process = None
        if not shutil.which("perf") or not has_tracefs():
            return
        # It starts a command when it counts, and ends with it.
        self.process = subprocess.Popen(
            ["perf", "stat", "-a", "-x", ",", "-e", "block:block_rq_complete", "--filter",
             f"dev == {major << 20 | minor}", "cat"], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        cleanups.append(self.process.kill)
        self.process.stdin.write("ready\n")
        self.process.stdin.flush()
        read_line(self.process.stdout)

    def stop(self):
        """How many, or None where perf cannot count here."""
        if not self.process:
            return None
        text = self.process.communicate()[1]
        counts = [line.split(",")[0] for line in text.splitlines() if "block_rq_complete" in line]
        return int(counts[0]) if counts and counts[0].isdigit() else None


def spread(times):
    return (len(times), sum(times), min(times), max(times))


def times_are_those_of_the_records(trace, name):
    """`sonde report disk`, reckoned again here from the records."""
    queued, issued, queue, service = {}, {}, [], []
    for event in events(trace, "-e", "disk.queue,disk.issue,disk.complete"):
        stage, fields, now = event["event"], event["fields"], event["time"]
        if fields["disk"] != name:
            continue
        number = fields["request"]
        if stage == "disk.queue":
            queued[number] = now
        elif stage == "disk.issue":
            queue.append(now - queued.pop(number))
            issued[number] = now
        else:
            service.append(now - issued.pop(number))
    told = json.loads(run(SONDE, "report", "--json", trace, "disk").stdout)["reports"]["disk"]
    rows = [row for row in told["by_disk"] if row["disk"] == name]
    equal("report: requests", sum(row["requests"] for row in rows), READS + WRITES)
    equal("report: bytes", sum(row["bytes"] for row in rows), (READS + WRITES) * BLOCK)
    for key, times in (("queue", queue), ("service", service)):
        got = [row[key] for row in rows]
        equal("report: times of " + key,
              (sum(one["count"] for one in got), sum(one["total_ns"] for one in got),
               min(one["min_ns"] for one in got), max(one["max_ns"] for one in got)),
              spread(times))
    totals = json.loads(run(SONDE, "stats", "--json", trace).stdout)["disks"]
    [total] = [one for one in totals if one["disk"] == name]
    equal("stats: requests", total["requests"], READS + WRITES)
    equal("stats: bytes", (total["read_bytes"], total["written_bytes"]),
          (READS * BLOCK, WRITES * BLOCK))
    equal("stats: times", (total["service_avg_ns"], total["service_max_ns"]),
          (sum(service) // len(service), max(service)))


def every_request_at_every_stage(name):
    major, minor = os.major(os.stat("/dev/" + name).st_rdev), os.minor(
        os.stat("/dev/" + name).st_rdev)
    perf = PerfCount(major, minor)
    recorder = Recorder("-a", "-e", "disk")
    before = diskstats(name)
    transfer(name)
    after = diskstats(name)
    equal("exit status", recorder.stop(), 0)
    counted = perf.stop()
    shown = [event for event in events(recorder.trace)
             if event["event"].startswith("disk.") and event["fields"]["disk"] == name]
    by_name = collections.defaultdict(list)
    for event in shown:
        by_name[event["event"]].append(event["fields"])

    told = tuple(new - old for new, old in zip(after, before))
    ended = by_name["disk.complete"]
    for op, at in ((0, 0), (1, 2)):
        ops = [fields for fields in ended if fields["op"] == op]
        equal("%s ended, by diskstats" % ("reads", "writes")[op], len(ops), told[at])
        equal("their sectors", sum(fields["bytes"] for fields in ops) // 512, told[at + 1])
    equal("reads and writes", (told[0], told[2]), (READS, WRITES))
    if counted is not None:
        equal("ended, by perf", len(ended), counted)
    for stage in STAGES + ["disk.bio"]:
        equal(stage, len(by_name[stage]), READS + WRITES)
    check(all((fields["major"], fields["minor"]) == (major, minor) for fields in ended),
          "numbers of the device")
    equal("ends", {(fields["left"], fields["status"]) for fields in ended}, {(0, 0)})
    equal("lost", stats(recorder.trace)["lost"], 0)

    times_are_those_of_the_records(recorder.trace, name)

    # Each goes through the stages in order, with the same sectors, and one number.
    open_requests, sectors = {}, []
    for event in shown:
        fields, stage = event["fields"], event["event"]
        if stage == "disk.bio":
            equal("number of a bio", (fields["request"], fields["tag"]), (0, -1))
            sectors.append(fields["sector"])
            continue
        number = fields["request"]
        step, sector, size = open_requests.get(number, (0, fields["sector"], BLOCK))
        equal("stage of %x" % number, (stage, fields["sector"], fields["bytes"]),
              (STAGES[step], sector, size))
        open_requests[number] = (step + 1, sector, size)
        if stage == "disk.complete":
            del open_requests[number]
    equal("requests that never ended", open_requests, {})
    equal("sectors", sectors, [i * 2 * BLOCK // 512 for i in range(WRITES)] +
          [(100 + i * 2) * BLOCK // 512 for i in range(READS)])


def neighbours_are_put_together(name):
    """A queue that is held up puts transfers that touch each other into one request."""
    recorder = Recorder("-a", "-e", "disk.merge,disk.bio,disk.complete")
    with open("/dev/" + name, "wb", buffering=0) as file:
        for unused in range(8):
            file.write(bytes(1 << 20))
        os.fsync(file.fileno())
    equal("exit status", recorder.stop(), 0)
    shown = [event for event in events(recorder.trace) if event["fields"].get("disk") == name]
    bios = [event["fields"] for event in shown if event["event"] == "disk.bio"]
    merges = [event["fields"] for event in shown if event["event"] == "disk.merge"]
    ends = [event["fields"] for event in shown if event["event"] == "disk.complete"]
    written = [fields["bytes"] for fields in ends if fields["op"] == 1]
    equal("bytes written", sum(written), 8 << 20)
    alone = [fields for fields in merges if fields["kind"] in (0, 1)]
    joined = [fields for fields in merges if fields["kind"] == 2]
    equal("requests", len([fields for fields in ends if fields["op"] == 1]),
          len([fields for fields in bios if fields["op"] == 1]) - len(alone) - len(joined))


def a_filter_asks_who_has_queued_it(name):
    recorder = Recorder("-e", "disk", "--pid", str(os.getpid()))
    other = subprocess.Popen(["dd", "if=/dev/" + name, "of=/dev/null", "bs=64k", "count=30",
                              "iflag=direct"], stderr=subprocess.DEVNULL)
    transfer(name, 10, 0)
    other.wait()
    equal("exit status", recorder.stop(), 6)
    check("disk.complete is measured in part" in recorder.stderr, recorder.stderr)
    shown = [event for event in events(recorder.trace)
             if event["event"].startswith("disk.") and event["fields"]["disk"] == name]
    for stage in STAGES:
        equal("%s of one process" % stage,
              len([event for event in shown if event["event"] == stage]), 10)


def a_filter_names_a_disk(name):
    recorder = Recorder("-a", "-e", "disk", "--dev", name)
    with open(path("elsewhere"), "wb") as other:
        other.write(bytes(1 << 20))
        os.fsync(other.fileno())
    transfer(name, 10, 5)
    equal("exit status", recorder.stop(), 0)
    shown = [event["fields"]["disk"] for event in events(recorder.trace)
             if event["event"].startswith("disk.")]
    # The image of our disk lies on another one.
    equal("disks", set(shown), {name})
    equal("records of 15 transfers", len(shown), 15 * (len(STAGES) + 1))


def limit_requests(name, kib):
    """No request is larger until the end of the test: the device outlives it."""
    setting = f"/sys/block/{name}/queue/max_sectors_kb"

    def put(text):
        with open(setting, "w", encoding="ascii") as file:
            file.write(text)

    with open(setting, encoding="ascii") as file:
        before = file.read().strip()
    cleanups.append(lambda: put(before))
    put(str(kib))


def the_queue_is_rebuilt(name):
    """What print says waits at each insertion, against lists kept here; and with a reader of the
    real-time class, whose sectors are negative."""
    limit_requests(name, 4)  # what is read ahead goes in many at once
    run("blockdev", "--flushbufs", "/dev/" + name)
    recorder = Recorder("-a", "-e", "disk", "--dev", name)
    readers = [subprocess.Popen([*prefix, "dd", "if=/dev/" + name, "of=/dev/null", "bs=4k",
                                 "count=200", *flags], stderr=subprocess.DEVNULL)
               for prefix, flags in [([], [])] + 3 * [([], ["iflag=direct"])] +
               [(["ionice", "-c", "1"], ["iflag=direct"])]]
    for reader in readers:
        reader.wait()
    equal("exit status", recorder.stop(), 0)
    waiting, longest, negative = [], 0, 0
    for event in events(recorder.trace, "--queues"):
        stage, fields = event["event"], event["fields"]
        if stage not in STAGES and (stage != "disk.merge" or fields["kind"] != 2):
            continue
        waiting = [one for one in waiting if one[0] != fields["request"]]
        if stage != "disk.queue":
            continue
        sector = -fields["sector"] if fields["prio_class"] == 1 else fields["sector"]
        waiting.append((fields["request"], sector))
        want = {"count": len(waiting), "sectors": [one[1] for one in waiting]}
        if not equal("what waits", event.get("waiting"), want):
            break
        longest = max(longest, len(waiting))
        negative += sector < 0
    check(longest > 1, "never more than one request waits")
    check(negative > 150, "requests of the real-time class: %d" % negative)
    check(" waiting=%d [" % longest in run(SONDE, "print", "--queues", recorder.trace).stdout,
          "the longest queue stands in the text")


require_root()
disk = make_loop(path("image"))
for test in (every_request_at_every_stage, neighbours_are_put_together,
             a_filter_asks_who_has_queued_it, a_filter_names_a_disk, the_queue_is_rebuilt):
    undisturbed(test, disk)
finish()
