#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""However a recording ends: what was written is readable, the exit status is right, nothing is
left in the kernel."""
import contextlib
import json
import os
import re
import resource
import shutil
import signal
import subprocess

import harness
from harness import (SONDE, Actor, Recorder, check, equal, events, finish, fresh, line_count, path,
                     programs_of, record, require_root, run, until)

ROUND = 20000


def only(actor):
    return ["-e", "sys.enter", "--pid", str(actor.pid), "--syscall", "getpgid"]


def call_count(trace, good=0):
    return len(events(trace, "-e", "sys.enter", good=good))


def programs():
    return {one["id"] for one in json.loads(run("bpftool", "-j", "prog", "show").stdout)}


def same_as_babeltrace2(what, trace):
    ours, unused = line_count(SONDE, "print", "--raw", trace)
    others, errors = line_count("babeltrace2", trace)
    equal(what + ": events of babeltrace2 and sonde", others, ours)
    equal(what + ": what babeltrace2 says on stderr", errors, "")


def interrupted():
    actor = Actor("rounds", str(ROUND))
    recorder = Recorder(*only(actor))
    actor.act()
    held = programs_of(recorder.pid)
    check(held, "the recorder holds no program")
    equal("SIGINT: exit status", recorder.stop(signal.SIGINT), 0)
    check("complete, nothing lost" in recorder.stderr, "SIGINT: no summary: " + recorder.stderr)
    equal("SIGINT: calls", call_count(recorder.trace), ROUND)
    same_as_babeltrace2("SIGINT", recorder.trace)
    until(lambda: not held & programs(), "the programs of an interrupted recorder are gone")


def killed():
    actor = Actor("rounds", str(ROUND))
    recorder = Recorder(*only(actor))
    held = programs_of(recorder.pid)
    actor.act()
    # Partial sub-buffers go out after a second; and a trace can be read while it grows.
    until(lambda: call_count(recorder.trace, good=None) >= ROUND, "everything is in the file")
    before = run(SONDE, "stats", recorder.trace)
    check("still being recorded" in before.stdout, "not killed yet: " + before.stdout[:300])
    recorder.kill()
    equal("kill -9: calls", call_count(recorder.trace, good=3), ROUND)
    for verb in ["print"], ["stats"], ["report"], ["stats", "--json"], ["print", "--format", "csv"]:
        done = run(SONDE, *verb, recorder.trace, good=False)
        equal("kill -9: exit status of sonde " + " ".join(verb), done.returncode, 3)
        check("no end mark" in done.stderr, "kill -9: sonde %s: %s" % (verb, done.stderr))
    same_as_babeltrace2("kill -9", recorder.trace)
    check(held, "the recorder holds no program")
    until(lambda: not held & programs(), "the programs of a killed recorder are gone")


def killed_at_full_rate():
    actor = Actor("rounds", "3000000")
    recorder = Recorder(*only(actor))
    actor.start()
    until(lambda: sum(entry.stat().st_size for entry in os.scandir(recorder.trace)
                      if entry.name.startswith("cpu")) > 8 << 20, "some megabytes are written")
    recorder.kill()
    actor.done()
    first = [event["fields"]["target_pid"]
             for event in events(recorder.trace, "-e", "sys.enter", "-n", "1000", good=None)]
    equal("kill -9 at full rate: the first calls", first, list(range(1000)))
    shown, errors = line_count(SONDE, "print", "-e", "sys.enter", recorder.trace)
    # 24 bytes each: what is in the file is readable, up to a torn last packet of each stream.
    bytes_written = sum(entry.stat().st_size for entry in os.scandir(recorder.trace)
                        if entry.name.startswith("cpu"))
    check(shown * 24 > bytes_written - 2 * (1 << 18) - 100000,
          "kill -9 at full rate: %d calls read from %d bytes" % (shown, bytes_written))
    others, unused = line_count("babeltrace2", recorder.trace)
    check(others >= shown or errors, "kill -9 at full rate: babeltrace2 reads %d, sonde %d" %
          (others, shown))


def two_at_once():
    actor = Actor("rounds", str(ROUND))
    one, two = Recorder(*only(actor)), Recorder(*only(actor))
    actor.act()
    equal("two at once: first's exit status", one.stop(), 0)
    actor.act()
    equal("two at once: second's exit status", two.stop(), 0)
    equal("two at once: first's calls", call_count(one.trace), ROUND)
    equal("two at once: second's calls", call_count(two.trace), 2 * ROUND)


def duration():
    trace, done = record("-e", "sched.exec", "-d", "200ms")
    check("complete, nothing lost" in done.stderr, "-d: no summary: " + done.stderr)
    same_as_babeltrace2("-d", trace)


def terminated():
    recorder = Recorder("-e", "sched.exec")
    equal("SIGTERM: exit status", recorder.stop(signal.SIGTERM), 0)


def asked_twice_in_one_moment():
    """As timeout(1) does, which sends its signal to its child and to the group of both."""
    recorder = Recorder("-e", "sched.exit")
    for number in signal.SIGSTOP, signal.SIGINT, signal.SIGTERM, signal.SIGCONT:
        recorder.process.send_signal(number)
    equal("two signals in one moment: exit status", recorder.wait(), 0)
    run("babeltrace2", recorder.trace)


def disk_full():
    small = path("small")
    os.mkdir(small)
    run("mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", small)
    harness.cleanups.append(lambda: run("umount", small, good=False))
    actor = Actor("rounds", "200000")  # 14 MB
    recorder = Recorder(*only(actor), trace=os.path.join(small, "T"))
    actor.act()
    equal("disk full: exit status", recorder.wait(), 1)
    check("No space left on device" in recorder.stderr,
          "disk full: the message does not name the cause: " + recorder.stderr)
    check("LOST" in recorder.stderr, "disk full: the loss is not told: " + recorder.stderr)
    verdicts = re.findall(r" events in .* in %s: (.*)$" % re.escape(recorder.trace), recorder.stderr, re.M)
    equal("disk full: how the summary ends", verdicts, ["No space left on device"])
    # The reserve holds the end mark: what is in the trace and what it lacks is all there was.
    made = int(re.search(r"^([\d,]+) events in ", recorder.stderr, re.M)[1].replace(",", ""))
    done = run(SONDE, "stats", "--json", recorder.trace, good=False)
    totals = json.loads(done.stdout)
    equal("disk full: exit status of stats", done.returncode, 3)
    check("disk full" in "".join(totals["missing"]), "disk full: missing: %s" % done.stdout[:500])
    equal("disk full: events read and lost", totals["events"] + totals["lost"], made)
    check(totals["lost"] > 0, "disk full: %d lost" % totals["lost"])
    numbers = [event["fields"]["target_pid"]
               for event in events(recorder.trace, "-e", "sys.enter", good=None)
               if event["event"] == "sys.getpgid"]
    check(len(numbers) * 24 > 1 << 20, "disk full: only %d calls in 2 MB" % len(numbers))
    equal("disk full: calls are in order, each once", numbers, sorted(set(numbers)))
    done = run(SONDE, "print", recorder.trace, good=False)
    check(done.returncode in (0, 1, 3), "disk full: sonde print ends with %d" % done.returncode)
    others, unused = line_count("babeltrace2", recorder.trace)
    check(others >= len(numbers), "disk full: babeltrace2 reads %d events, sonde %d" %
          (others, len(numbers)))


def place_is_lost():
    """What others do to a trace while it is recorded is said at once, in the summary and by the exit status."""
    def unlink(trace):
        os.unlink(trace + "/cpu0_level0")

    def rename(trace):
        os.rename(trace, trace + ".new")

    for what, act, words, verdict in (
            ("removed", shutil.rmtree, "was removed while", "NOT all of it is there"),
            ("unlinked", unlink, "files of", "NOT all of it is there"),
            ("renamed", rename, ".new", "it was renamed")):
        recorder = Recorder("-e", "sched")
        until(lambda: os.path.exists(recorder.trace + "/cpu0_level0"), "there is a stream")
        act(recorder.trace)
        equal(what + ": exit status", recorder.stop(), 3)
        check(words in recorder.stderr and verdict in recorder.stderr and
              "complete, nothing lost" not in recorder.stderr, what + ": " + recorder.stderr)
        if what == "unlinked":
            done = run(SONDE, "stats", recorder.trace, good=False)
            equal("stats without a stream: exit status", done.returncode, 3)
            check("cpu0_level0: the stream's file is gone" in done.stderr, done.stderr)
        if what == "renamed":
            run(SONDE, "stats", recorder.trace + ".new")


def a_full_disk_does_not_end_the_command():
    small = path("smaller")
    os.mkdir(small)
    run("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", small)
    harness.cleanups.append(lambda: run("umount", small, good=False))
    script = "ls -lR /usr >/dev/null 2>&1; echo finished"
    for option, words in ((), "finished\n"), (("--end-command",), ""):
        done = run(SONDE, "record", "-e", "sys", *option, "-o", small + "/T", "--", "sh", "-c",
                   script if words else "while :; do ls -lR /usr >/dev/null 2>&1; done",
                   good=False)
        equal("full disk, a command: exit status", done.returncode, 1)
        equal("full disk, a command: what it wrote", done.stdout, words)
        check("No space left" in done.stderr, done.stderr)
        shutil.rmtree(small + "/T")


def a_file_size_limit_is_a_full_disk():
    """SIGXFSZ would kill the recorder."""
    actor = Actor("rounds", "100000")
    recorder = Recorder(*only(actor), preexec_fn=lambda: resource.setrlimit(
        resource.RLIMIT_FSIZE, (1 << 19, 1 << 19)))
    actor.act()
    equal("file size limit: exit status", recorder.wait(), 1)
    check("File too large" in recorder.stderr, "file size limit: " + recorder.stderr)
    done = run(SONDE, "stats", recorder.trace, good=False)
    equal("file size limit: exit status of stats", done.returncode, 3)
    check("ended early: disk full" in done.stderr, done.stderr)


def a_filter_blinds():
    """Drops while receiving happen in softirq, where the current task is whichever was interrupted."""
    unused, done = record("-p", "drops", "--comm", "python3", "-d", "100ms", good=6)
    equal("drops of a task: times it is said", done.stderr.count("net.drop is measured in part"), 2)
    check("complete" not in done.stderr, done.stderr)
    record("-p", "drops", "-d", "100ms")
    # What kernel threads do for other tasks.
    for name in ("fs.writeback", "disk.merge", "irq.work_enter", "irq.work_exit"):
        for words in (("--comm", "python3"), ("--netns", "self")):
            unused, done = record("-e", name, *words, "-d", "10ms", good=6)
            equal("%s %s: times it is said" % (name, words), done.stderr.count(name + " is measured in part"), 2)
    unused, done = record("-e", "net.ip_recv,net.tcp_recv,fs.writeback", "--comm", "python3", "-d", "10ms", good=6)
    equal("several for one reason: times it is said",
          done.stderr.count("net.ip_recv, net.tcp_recv are measured in part"), 2)
    equal("what has another reason", done.stderr.count("fs.writeback is measured in part"), 2)
    record("-e", "fs.writeback,irq.work_enter", "-d", "10ms")
    record("-e", "net.dev_recv", "--netns", "self", "-d", "10ms")


def output_exists():
    there = fresh()
    os.mkdir(there)
    with open(os.path.join(there, "mine"), "w", encoding="ascii") as file:
        file.write("precious")
    done = run(SONDE, "record", "-e", "sched.exec", "-d", "10ms", "-o", there, good=False)
    equal("-o DIR with a file in it: exit status", done.returncode, 1)
    check(there in done.stderr, "-o DIR with a file in it: not named: " + done.stderr)
    equal("-o DIR with a file in it: what is there now", os.listdir(there), ["mine"])


def ordinary_user():
    os.chmod(harness.scratch, 0o711)
    mine = path("sonde")
    shutil.copy(SONDE, mine)
    os.chmod(mine, 0o755)
    done = subprocess.run([mine, "record", "-e", "sys", "-d", "10ms", "-o", "/tmp/never"],
                          capture_output=True, text=True, user=65534, group=65534,
                          extra_groups=[], cwd="/", timeout=harness.PATIENCE)
    equal("ordinary user: exit status", done.returncode, 5)
    check("CAP_BPF" in done.stderr, "ordinary user: CAP_BPF is not named: " + done.stderr)
    check(not os.path.exists("/tmp/never"), "ordinary user: a trace was made")


def recorder_itself():
    actor = Actor("rounds", str(ROUND))
    recorder = Recorder("-e", "sys")
    tids = {recorder.pid} | set(map(int, os.listdir("/proc/%d/task" % recorder.pid)))
    actor.act()
    with contextlib.suppress(subprocess.TimeoutExpired):
        recorder.process.wait(1.5)  # across a tick, at which it does most
    recorder.stop()
    # The whole host's calls may be a lot: only their third column, the tid, is looked at.
    text = run(SONDE, "print", "-e", "sys.*", "--format", "tsv", recorder.trace, good=False).stdout
    seen = {int(line.split("\t", 3)[2]) for line in text.splitlines()[1:]}
    check(actor.pid in seen, "the recorder itself: not even others are recorded")
    equal("system calls of the recorder itself", seen & tids, set())


def nothing_to_talk_to():
    """Started by something that gives it no files: none of its own takes their numbers."""
    trace = fresh()
    done = run("sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh", SONDE, "record", "-e", "sched", "-o",
               trace, "--", "sh", "-c", "readlink /proc/$PPID/fd/[012] >%s" % path("files"))
    equal("no files: exit status", done.returncode, 0)
    with open(path("files"), encoding="ascii") as file:
        equal("no files: what is in their place", file.read().split(), ["/dev/null"] * 3)
    same_as_babeltrace2("no files", trace)


def directory_gone():
    """Where it was started is removed, with the trace: it says what it could not write."""
    place = fresh("gone")
    os.mkdir(place)
    actor = Actor("rounds", str(ROUND))
    recorder = Recorder(*only(actor), trace="T", cwd=place)
    shutil.rmtree(place)
    actor.act()
    status = recorder.stop()
    # What has to be made anew, such as a stream file, cannot be; what is open goes on.
    check((status == 3 and "T was removed" in recorder.stderr) or
          (status == 1 and "T: writing fails" in recorder.stderr),
          "directory gone: exit status %d: %s" % (status, recorder.stderr))
    inside = path("emptied")
    os.mkdir(inside)
    done = run("sh", "-c", 'rmdir "$PWD"; exec "$@"', "sh", SONDE, "record", "-e", "sched.exec",
               "-d", "10ms", "-o", fresh(), cwd=inside)
    check("nothing lost" in done.stderr, "no directory to start in: it says " + done.stderr)
    os.mkdir(inside)
    done = run("sh", "-c", 'rmdir "$PWD"; exec "$@"', "sh", SONDE, "record", "-e", "sched.exec",
               "-d", "10ms", "-o", "T", cwd=inside, good=False)
    check(done.returncode and "T: cannot be made" in done.stderr,
          "no directory to write in: %d: %s" % (done.returncode, done.stderr))


require_root()
for test in (interrupted, killed, killed_at_full_rate, two_at_once, duration, terminated,
             asked_twice_in_one_moment, disk_full, place_is_lost, a_full_disk_does_not_end_the_command,
             a_file_size_limit_is_a_full_disk, a_filter_blinds, output_exists, ordinary_user,
             recorder_itself, nothing_to_talk_to, directory_gone):
    test()
finish()
