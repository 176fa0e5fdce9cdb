#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""msmod, iscan and translate while a disk and programs that fork are at work: records in the forms of
HP-UX's documents, in agreement with a trace that sonde record takes of the same."""
import collections
import mmap
import os
import re
import signal
import statistics
import subprocess
import time

from harness import (PATIENCE, SONDE, Recorder, arguments, check, cleanups, equal, events, finish,
                     fresh, is_entry, make_loop, path, require_root, run, scratch, until)
from undisturbed import Scenarios

undisturbed = Scenarios("disk", "sched")

BLOCK = 64 << 10
READS, WRITES = 30, 20
CHILDREN = 15
CALLS = 50
CLOCKS_NS = 1000000  # each recorder finds the wall time for itself, when it begins
IDLE = 3  # state of a sample
SETRQ = ("sched.wakeup", "sched.wakeup_new")


def tool(name):
    link = os.path.join(scratch, name)
    if not os.path.exists(link):
        os.symlink(SONDE, link)
    return link


def make_disk():
    """A disk of our own: its name, and HP-UX's word for it."""
    name = make_loop(path("image"))
    number = os.stat("/dev/" + name).st_rdev
    minor = os.minor(number)
    return name, (os.major(number) & 255) << 8 | (minor // 16 & 7) << 5 | minor % 16


def transfer(name):
    buffer = mmap.mmap(-1, BLOCK)
    fd = os.open("/dev/" + name, os.O_RDWR | os.O_DIRECT)
    for i in range(WRITES):
        os.pwrite(fd, buffer, i * 2 * BLOCK)
    for i in range(READS):
        os.preadv(fd, [buffer], (100 + i * 2) * BLOCK)
    os.close(fd)


def fork_load():
    """Programs that begin and end, and one that makes system calls and sleeps: their pids, its last."""
    pids = []
    for _ in range(CHILDREN):
        child = subprocess.Popen(["/bin/true"])
        child.wait()
        pids.append(child.pid)
    caller = subprocess.Popen(["python3", "-S", "-c",
                               f"import os, time\nfor i in range({CALLS}): os.getppid()\n"
                               "for i in range(20): time.sleep(0.002)\n"])
    caller.wait()
    return pids + [caller.pid]


class Scanner:
    """iscan into a file, ready when the constructor returns."""

    def __init__(self, *args):
        self.file = fresh("meas")
        self.process = subprocess.Popen([tool("iscan"), "-o", self.file, *args],
                                        stderr=subprocess.PIPE, text=True)
        cleanups.append(self.kill)
        until(lambda: self.listens() or self.process.poll() is not None, "iscan can be asked")
        check(self.process.poll() is None, "iscan runs")

    @staticmethod
    def listens():
        return run(SONDE, "status", good=False).stdout.startswith("iscan,")

    def stop(self):
        """What it said on the way."""
        self.process.send_signal(signal.SIGINT)
        said = self.process.communicate(timeout=PATIENCE)[1]
        equal("iscan ends with", (self.process.returncode, said), (0, ""))

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()


def records(file):
    """(name, words) of each line that translate prints; the name of a program is the only text."""
    done = run(tool("translate"), file)
    for line in done.stdout.splitlines():
        name, rest = line.split(":", 1)
        yield name, [int(word) for word in rest.split()] if re.fullmatch(r"[ 0-9-]*", rest) else \
            rest[1:]


def the_list_is_in_the_form_of_the_original():
    lines = run(tool("msmod"), "-l").stdout.splitlines()
    told = {match[2]: match[1] for match in
            (re.match(r"(?:on |off|-  ) +\d+  ((\w+): .*)$", line) for line in lines)}
    equal("syscallstart", told.get("syscallstart"),
          "syscallstart: time, pid, syscall_num, ret_ptr, args")
    equal("syscallexit", told.get("syscallexit"), "syscallexit: time, pid, val1, val2")
    check("unavailable" in told.get("disc_ctd_id", ""), "the cartridge tape is unavailable")
    first = run(tool("msmod"), "-l", "--release", "1.0").stdout
    check("disc_io_id:" in first and "disc2" not in first and "timeshare" not in first and
          "syscallstart" not in first, "release 1.0 has its own measurements")


def wall_ns():
    """What the wall clock is ahead of CLOCK_MONOTONIC."""
    return time.time_ns() - time.monotonic_ns()


def same_times(what, words, ns, slack):
    apart = [abs(sec * 10**9 + usec * 1000 - at) for (sec, usec), at in zip(words, ns)]
    # One program runs behind the other: now and then something comes in between.
    check(len(words) == len(ns) and statistics.median(apart) < slack,
          what + ": times are those of the trace, within %d ns: %r" % (slack, apart[:5]))


def disk_agrees(shown, trace, name, device, slack):
    wanted = collections.defaultdict(list)
    for event in trace:
        if event["event"].startswith("disk.") and event["fields"]["disk"] == name:
            wanted[event["event"]].append(event)
    for stage in ("queue", "issue", "complete"):
        got = [words for record, words in shown
               if record == "disc_io_" + stage and words[3] == device]
        told = wanted["disk." + stage]
        equal(stage + ": transfers", len(got), READS + WRITES)
        equal(stage, [(words[2], words[4], words[5], words[6]) for words in got],
              [(event["fields"]["bytes"], event["fields"]["sector"],
                event["fields"]["sector"] // 16065 + 1, int(event["fields"]["op"] == 0))
               for event in told])
        same_times(stage, [words[:2] for words in got], [event["time"] for event in told], slack)
    inserted = [words for record, words in shown if record == "timeshare_insert"]
    check(all(words[3] == len(words) - 4 for words in inserted), "lengths of queues")
    check(len(inserted) >= READS + WRITES, "each request is put into a queue")


def programs_agree(shown, trace, pids):
    low = {pid & 0xffff for pid in pids}
    wanted = [(event["tid"] & 0xffff, os.path.basename(event["fields"]["filename"]))
              for event in trace if event["event"] == "sched.exec" and event["tid"] in pids]
    execs = [words for record, words in shown if record == "exec"]
    got = [(execs[i][0] >> 16, execs[i + 1]) for i in range(0, len(execs), 3)]
    check(all(len(execs[i]) == 1 and len(execs[i + 2]) == 2 for i in range(0, len(execs), 3)),
          "a pid, a name, a time")
    equal("programs", [one for one in got if one[0] in low], wanted)
    check(sum(name == "true" for _, name in wanted) == CHILDREN, "there are those that were made")
    ends = [words[2] >> 16 for record, words in shown if record == "exit"]
    equal("ends", [pid for pid in ends if pid in low], [pid & 0xffff for pid in pids])


def calls_agree(shown, trace, pid):
    starts = [words[2:] for record, words in shown
              if record == "syscallstart" and words[2] == pid]
    low = 0xffffffff
    equal("calls", starts,
          [[pid, event["fields"]["nr"], event["fields"]["ip"] & low] +
           ([arg & low for arg in arguments(event["fields"])] + 6 * [0])[:6]
           for event in trace if is_entry(event["event"]) and event["tid"] == pid])
    check(len(starts) > CALLS, "the calls are there")
    ends = [words[2:] for record, words in shown
            if record == "syscallexit" and words[2] == pid]
    equal("their ends", [(who, val1 & low, val2) for who, val1, val2 in ends],
          [(pid, event["fields"]["ret"] & low, 0)
           for event in trace if event["event"] == "sys.exit" and event["tid"] == pid])


def turns_of(trace, pid):
    """The records that a task's turns are to make, from the trace."""
    in_call = False
    for event in trace:
        fields, name = event["fields"], event["event"]
        if (is_entry(name) or name == "sys.exit") and event["tid"] == pid:
            in_call = is_entry(name)
        if name == "sched.exit" and event["tid"] == pid:
            in_call = False  # it is known no more
        if name in SETRQ and fields["wake_tid"] == pid:
            yield "setrq", fields["prio"]
        if name != "sched.switch":
            continue
        if event["tid"] == pid:
            pri = fields["prev_prio"]
            if fields["prev_state"] == 0:
                yield ("syscall" if in_call else "trap"), pri
                yield "setrq", pri
            elif fields["prev_state"] != 0x80:
                yield "sleep", pri
            yield "swtch", pri
        if fields["next_tid"] == pid:
            yield "remrq", fields["next_prio"]


def turns_agree(shown, trace, pid):
    names = ("trap", "syscall", "sleep", "setrq", "swtch", "remrq")
    got = [(record, words[2] >> 8 & 255) for record, words in shown
           if record in names and words[2] >> 16 == pid & 0xffff]
    wanted = [(name, pri & 255) for name, pri in turns_of(trace, pid)]
    # A trap for which its task waits is told too; that it was one the trace tells otherwise.
    equal("turns", [one for one in got if one[0] != "trap"],
          [one for one in wanted if one[0] != "trap"])
    check(sum(name == "sleep" for name, _ in got) >= 20, "it has slept")
    check(all(words[3] for record, words in shown
              if record == "sleep" and words[2] >> 16 == pid & 0xffff), "in a function")


def records_agree_with_a_trace(name, device):
    run(tool("msmod"), "disc*", "timeshare_insert", "exec", "exit", "trap", "sleep", "swtch",
        "setrq", "remrq", "syscall", "syscall*")
    before = wall_ns()
    scanner = Scanner()
    recorder = Recorder("-a", "-e", "disk,sched,sys")
    # The wall clock may be set between the begin of one recorder and that of the other.
    slack = CLOCKS_NS + abs(wall_ns() - before)
    transfer(name)
    pids = fork_load()
    equal("exit status", recorder.stop(), 0)
    scanner.stop()
    trace = events(recorder.trace)
    shown = list(records(scanner.file))
    equal("the verbs read it as well", run(SONDE, "stats", scanner.file).returncode, 0)
    disk_agrees(shown, trace, name, device, slack)
    programs_agree(shown, trace, pids)
    calls_agree(shown, trace, pids[-1])
    turns_agree(shown, trace, pids[-1])


def a_transfer_of_old_is_told_twice(name, device):
    run(tool("msmod"), "disc*")
    scanner = Scanner("--release", "1.0")
    transfer(name)
    scanner.stop()
    got = [words for record, words in records(scanner.file)
           if record == "disc_io_id" and words[3] == device]
    equal("records", len(got), 2 * (READS + WRITES))
    open_blocks = {}
    for words in got:
        block = words[4]
        if not words[5]:
            check(block not in open_blocks, "it arrives once")
            open_blocks[block] = words
        else:
            check(open_blocks.pop(block)[2:5] == words[2:5], "its end says the same")
            equal("its cylinder", words[5], block // 16065 + 1)
    equal("without an end", open_blocks, {})


def the_cache_hits_what_it_has():
    page, pages = 4096, 48
    run(tool("msmod"), "-d", "*")
    run(tool("msmod"), "bread_read", "breada_*", "bwrite", "bdwrite")
    fd = os.open(path("cached"), os.O_RDWR | os.O_CREAT)
    number = os.fstat(fd).st_ino
    scanner = Scanner()
    os.pwrite(fd, bytes(page * pages), 0)
    os.fsync(fd)
    os.fsync(fd)
    os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
    os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_RANDOM)  # nothing is read ahead
    for turn in range(2):  # cold, then warm
        for i in range(pages):
            os.pread(fd, page, i * page)
    os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
    os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_NORMAL)
    os.pread(fd, page, 0)  # others are taken in with it
    os.close(fd)
    scanner.stop()
    got = collections.defaultdict(list)
    for event in events(scanner.file):
        if event["event"] != "sonde.lost" and event["fields"].get("inode") == number:
            fields = event["fields"]
            got[event["event"]].append((fields["block"], fields["size"] // page, fields["hit"]))
    reads = got["meas.bread_read"]
    equal("cold", reads[:pages], [(i, 1, 0) for i in range(pages)])
    equal("warm", reads[pages:2 * pages], [(i, 1, 1) for i in range(pages)])
    equal("the last", reads[2 * pages:], [(0, 1, 0)])
    equal("pages that became dirty", sum(size for _, size, _ in got["meas.bdwrite"]), pages)
    forced = [hit for _, size, hit in got["meas.bwrite"] if not size]
    equal("the first sync has something to write", forced, [0, 1])
    ahead = got["meas.breada_reada"]
    check(ahead and min(block for block, _, _ in ahead) >= 1, "what is read ahead: %r" % ahead)
    # None of those before: the file was read here and there.
    equal("for whom", got["meas.breada_read"], [(0, 1, 0)])


def what_is_switched_meanwhile_is_obeyed(name, device):
    run(tool("msmod"), "-d", "*")
    file = fresh("meas")
    scanner = subprocess.Popen([tool("iscan"), "-o", file], stderr=subprocess.PIPE, text=True)
    cleanups.append(scanner.kill)
    until(Scanner.listens, "iscan can be asked")

    # On, off and on again at once: what was recorded before a switch is read after it.
    for words in (["disc_io_complete"], ["-d", "disc_io_complete"], ["disc_io_complete"]):
        run(tool("msmod"), *words)
        transfer(name)
    scanner.send_signal(signal.SIGINT)
    said = scanner.communicate(timeout=PATIENCE)[1]
    equal("iscan ends with", scanner.returncode, 0)
    check("no measurement is on" in said, "that nothing was on is said: " + said)
    completed = [words for record, words in records(file)
                 if record == "disc_io_complete" and words[3] == device]
    equal("what was off is not there", len(completed), 2 * (READS + WRITES))
    run(tool("msmod"), "-d", "*")


def the_sampler_counts_idle_cpus():
    """A record for each sample due, of every 4th tick, or as often as asked; idle CPUs have no process."""
    run(tool("msmod"), "-d", "*")
    run(tool("msmod"), "sampler")
    for rate, words in ((25, []), (100, ["--rate", "100"])):
        file = fresh("meas")
        run(tool("iscan"), "-d", "4s", "-o", file, *words)
        samples = [event for event in events(file) if event["event"] == "meas.sampler"]
        shown, times = [one["fields"] for one in samples], sorted(one["time"] for one in samples)
        cpus = len(os.sched_getaffinity(0))
        lasted_ns = times[-1] - times[0]
        due = lasted_ns / 1e9 * rate * cpus
        got = len(shown) + sum(fields["missed"] for fields in shown)
        check(abs(got - due) <= 0.05 * due + cpus, "%d samples at %d a second, %d were due" % (got, rate, due))
        check(lasted_ns > 3e9, "samples for %d ns" % lasted_ns)
        equal("what has no process is idle", [fields for fields in shown
                                              if (fields["pid"] == -1) != (fields["state"] == IDLE)], [])
    unused = run(tool("iscan"), "--rate", "0", "-d", "1s", "-o", file, good=False)
    equal("status of --rate 0", unused.returncode, 2)
    run(tool("msmod"), "-d", "*")


def each_sample_of_a_trace_becomes_a_record():
    """Exactly: a sample of an idle CPU stands for those that were due before it, too."""
    trace, file = fresh(), fresh("meas")
    run(SONDE, "record", "-q", "-a", "-e", "cpu.sample", "--rate", "100", "-d", "2s", "-o", trace)
    run(SONDE, "convert", trace, "--format", "meas", "-o", file)
    due, missed = collections.Counter(), 0
    for event in events(trace, "-e", "cpu.sample"):
        fields = event["fields"]
        due[-1, IDLE] += fields["idle"]
        due[-1 if fields["state"] == IDLE else event["tid"], fields["state"]] += 1
        missed += fields["missed"]
    shown = [event["fields"] for event in events(file) if event["event"] == "meas.sampler"]
    equal("records by process and state", collections.Counter((one["pid"], one["state"]) for one in shown), +due)
    equal("samples missed", sum(one["missed"] for one in shown), missed)


def records_go_through_a_pipe(name, device):
    run(tool("msmod"), "disc*")
    scanner = subprocess.Popen([tool("iscan")], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
    shown = subprocess.Popen([tool("translate")], stdin=scanner.stdout, stdout=subprocess.PIPE,
                             text=True)
    scanner.stdout.close()
    until(Scanner.listens, "iscan can be asked")
    cleanups.append(scanner.kill)
    transfer(name)
    scanner.send_signal(signal.SIGINT)
    lines = shown.communicate(timeout=PATIENCE)[0].splitlines()
    equal("both end", (scanner.wait(), shown.returncode), (0, 0))
    ends = [line for line in lines
            if line.startswith("disc_io_complete:") and int(line.split()[4]) == device]
    equal("transfers through a pipe", len(ends), READS + WRITES)
    equal("it ends in time", run(tool("iscan"), "-d", "100ms", "-o", fresh("meas")).stderr, "")
    run(tool("msmod"), "-d", "*")


require_root()
disk, word = make_disk()
the_list_is_in_the_form_of_the_original()
undisturbed(records_agree_with_a_trace, disk, word)
undisturbed(a_transfer_of_old_is_told_twice, disk, word)
undisturbed(the_cache_hits_what_it_has)
undisturbed(what_is_switched_meanwhile_is_obeyed, disk, word)
undisturbed(the_sampler_counts_idle_cpus)
each_sample_of_a_trace_becomes_a_record()
undisturbed(records_go_through_a_pipe, disk, word)
finish()
