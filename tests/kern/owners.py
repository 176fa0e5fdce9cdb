#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Whose an event is that happens in an interrupt: a datagram to a closed port is dropped while it is
received, and belongs to the task that sent it, under every filter by task. A request to a disk belongs to
the task that submitted it, and what is written back to the task that made the pages dirty: the bytes of each process
are those in its /proc/PID/io."""
import ctypes
import json
import os
import re
import subprocess
import sys

import harness
from harness import (SONDE, Net, Recorder, check, equal, events, finish, make_loop, path, require_root, run)
from undisturbed import Scenarios

undisturbed = Scenarios("net", "disk")

CLOSED = 9
DATAGRAMS = 3
NOBODY = 65534
CGROUP = next((place for place in ("/sys/fs/cgroup", "/sys/fs/cgroup/unified")
               if os.path.exists(os.path.join(place, "cgroup.procs")) and
               os.path.exists(os.path.join(place, "cgroup.controllers"))), None)

# Names itself, becomes the user, and waits for a line; then it sends to each address from a port of its
# own, and prints these ports.
SENDER = """
import socket, sys, os
name, port, user, *addresses = sys.argv[1:]
with open("/proc/self/comm", "w") as file:
    file.write(name)
os.setuid(int(user))
print("ready", flush=True)
sys.stdin.readline()
ports = []
for address in addresses:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.socket(family, socket.SOCK_DGRAM) as sender:
        for _ in range(%d):
            sender.sendto(b"x", (address, int(port)))
        ports.append(sender.getsockname()[1])
print(*ports, flush=True)
""" % DATAGRAMS


def sender_command(netns, name, user=0):
    return ["ip", "netns", "exec", netns, sys.executable, "-c", SENDER, name, str(CLOSED),
            str(user), "127.0.0.1", "::1"]


BLOCK = 64 << 10
# Names itself and waits for a line; then it reads and writes past the page cache, and prints what the kernel
# counts as its own. Its memory is locked: a page of the program that is read again would count too.
MOVER = """
import ctypes, mmap, os, sys
name, device, reads, writes, first = sys.argv[1:]
with open("/proc/self/comm", "w") as file:
    file.write(name)
buffer = mmap.mmap(-1, %d)
fd = os.open(device, os.O_RDWR | os.O_DIRECT)
def moved():
    with open("/proc/self/io") as file:
        rows = dict(line.split(": ") for line in file)
    return int(rows["read_bytes"]), int(rows["write_bytes"])
moved()
if ctypes.CDLL(None).mlockall(3): # MCL_CURRENT | MCL_FUTURE
    sys.exit("mlockall")
print("ready", flush=True)
sys.stdin.readline()
before = moved()
for i in range(int(reads)):
    os.preadv(fd, [buffer], (int(first) + 2 * i) * len(buffer))
for i in range(int(writes)):
    os.pwrite(fd, buffer, (int(first) + 2 * i) * len(buffer))
print(*(now - then for now, then in zip(moved(), before)), flush=True)
""" % BLOCK


PAGE = 4096
# Names itself, becomes the user, and waits for a line; then it writes over pages of its file, through the page
# cache, and prints what the kernel counts as its own. With "fsync" it writes them back itself.
WRITER = """
import ctypes, os, sys
name, path, pages, user, how = sys.argv[1:]
with open("/proc/self/comm", "w") as file:
    file.write(name)
fd = os.open(path, os.O_WRONLY)
os.setuid(int(user))
def written():
    with open("/proc/self/io") as file:
        return int(dict(line.split(": ") for line in file)["write_bytes"])
ctypes.CDLL(None).prctl(4, 1) # PR_SET_DUMPABLE: for /proc/self/io
written()
print("ready", flush=True)
sys.stdin.readline()
before = written()
for i in range(int(pages)):
    os.pwrite(fd, b"x" * %d, i * %d)
if how == "fsync":
    os.fsync(fd)
print(written() - before, flush=True)
""" % (PAGE, 3 * PAGE)


class Waiting:
    """A process that is ready, and acts on go()."""

    def __init__(self, *command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True)
        harness.cleanups.append(self.process.kill)
        self.pid = self.process.pid
        equal("first line", harness.read_line(self.process.stdout), "ready\n")

    def go(self):
        """The numbers that it prints."""
        said, unused = self.process.communicate("\n", timeout=harness.PATIENCE)
        equal("exit status of " + self.process.args[0], self.process.returncode, 0)
        return [int(number) for number in said.split()]


class Sender(Waiting):
    """Sends in the namespace @netns; go() returns the ports that it has sent from."""

    def __init__(self, netns, name, user=0, cgroup=None):
        super().__init__(*sender_command(netns, name, user))
        if cgroup:
            with open(cgroup + "/cgroup.procs", "w", encoding="ascii") as file:
                file.write(str(self.pid))


def closed_drops(trace, where="reason == NO_SOCKET"):
    """How many datagrams to the closed port were dropped there, by the port that sent them."""
    ports = {}
    for event in events(trace, "-e", "net.drop", "--where", where):
        if event["fields"]["dport"] == CLOSED:
            port = event["fields"]["sport"]
            ports[port] = ports.get(port, 0) + 1
    return ports


def drops_with(net, what, arguments, wanted, other):
    recorder = Recorder("-e", "net.drop", *arguments)
    ports = wanted.go()
    other.go()
    # What has not sent in the recording is not known to be wanted: the recorder says so.
    equal(what + ": exit status", recorder.stop(), 6)
    check("net.drop is measured in part" in recorder.stderr, what + ": " + recorder.stderr)
    want = {port: DATAGRAMS for port in ports}
    equal(what + ": drops by port", closed_drops(recorder.trace), want)
    equal(what + ": drops of the sender",
          closed_drops(recorder.trace, "owner_tid == %d && comm == \"owner-sends\"" % wanted.pid), want)


def drops_by_comm(net):
    drops_with(net, "--comm", ["--comm", "owner-sends"], Sender(net.a, "owner-sends"),
               Sender(net.a, "other-sends"))


def drops_by_uid(net):
    drops_with(net, "--uid", ["--uid", str(NOBODY)], Sender(net.a, "owner-sends", NOBODY),
               Sender(net.a, "other-sends"))


def drops_by_pid(net):
    wanted = Sender(net.a, "owner-sends")
    drops_with(net, "--pid", ["--pid", str(wanted.pid)], wanted, Sender(net.a, "other-sends"))


def drops_by_cgroup(net):
    if not CGROUP:
        print("no cgroup version 2 here: --cgroup is not tested")
        return
    group = CGROUP + "/sonde-owners-%d" % os.getpid()
    os.mkdir(group)
    wanted = Sender(net.a, "owner-sends", cgroup=group)
    try:
        drops_with(net, "--cgroup", ["--cgroup", group], wanted, Sender(net.a, "other-sends"))
    finally:
        os.rmdir(group)


def drops_of_command(net):
    """The command's, and not those of a process beside it that sends first."""
    other = Sender(net.a, "other-sends")
    recorder = Recorder("-e", "net.drop", "--", *sender_command(net.a, "owner-sends"),
                        stdin=subprocess.PIPE)
    others = other.go()
    recorder.process.stdin.write("\n")
    recorder.process.stdin.flush()
    equal("COMMAND: exit status", recorder.wait(), 6)
    drops = closed_drops(recorder.trace)
    equal("COMMAND: drops by port", sorted(drops.values()), [DATAGRAMS, DATAGRAMS])
    check(not drops.keys() & set(others), "COMMAND: a drop of another task")


def all_drops(net):
    """Without a filter both senders' are there."""
    recorder = Recorder("-e", "net.drop")
    ports = Sender(net.a, "owner-sends").go() + Sender(net.a, "other-sends").go()
    equal("no filter: exit status", recorder.stop(), 0)
    drops = closed_drops(recorder.trace)
    equal("no filter: drops by port", {port: drops.get(port) for port in ports},
          {port: DATAGRAMS for port in ports})


def mover(name, disk, reads, writes, first):
    return Waiting(sys.executable, "-c", MOVER, name, "/dev/" + disk, str(reads), str(writes),
                   str(first))


def done_by(trace, tid):
    """[bytes read, bytes written] of the requests that have ended and belong to the task."""
    done = [0, 0]
    for event in events(trace, "-e", "disk.complete", "--where", "owner.tid == %d" % tid):
        equal("owner in JSON", event.get("owner", event)["tid"], tid)
        done[event["fields"]["op"]] += event["fields"]["bytes"]
    return done


def requests_of_processes(disk):
    one, two = mover("owner-moves", disk, 30, 20, 0), mover("other-moves", disk, 10, 40, 1)
    recorder = Recorder("-e", "disk.queue,disk.issue,disk.complete", "--dev", disk)
    moved = {each.pid: each.go() for each in (one, two)}
    equal("disk: exit status", recorder.stop(), 0)
    equal("bytes of the first", moved[one.pid], [30 * BLOCK, 20 * BLOCK])
    equal("bytes of the second", moved[two.pid], [10 * BLOCK, 40 * BLOCK])
    equal("disk: bytes by owner", {pid: done_by(recorder.trace, pid) for pid in moved}, moved)
    grouped = run(SONDE, "report", recorder.trace, "events", "-e", "disk.complete", "--by", "comm",
                  "--sum", "bytes", "--json").stdout
    check("owner-moves" in grouped and "other-moves" in grouped and "swapper" not in grouped,
          "disk: bytes by comm: " + grouped)
    drawn = run(SONDE, "graph", recorder.trace, "--heat", "total", "--by", "comm", "--format", "svg").stdout
    check("owner-moves (50)" in drawn and "other-moves (50)" in drawn and "swapper" not in drawn,
          "disk: heat maps by comm: " + drawn)


def requests_under_filters(disk):
    for option in ("--pid", "--comm"):
        one, two = mover("owner-moves", disk, 5, 7, 0), mover("other-moves", disk, 3, 4, 1)
        value = str(one.pid) if option == "--pid" else "owner-moves"
        recorder = Recorder("-e", "disk.queue,disk.issue,disk.complete", "--dev", disk, option, value)
        moved = one.go()
        two.go()
        equal(option + " of disk: exit status", recorder.stop(), 6)
        equal(option + ": bytes", done_by(recorder.trace, one.pid), moved)
        equal(option + ": ends", len(events(recorder.trace, "-e", "disk.complete")), 12)


class FileSystem:
    """An ext4 of our own with a file for each writer, all of it on the disk."""

    def __init__(self, disk):
        self.disk, self.place = disk, path("mounted")
        run("mkfs.ext4", "-q", "-F", "-b", str(PAGE), "-E", "lazy_itable_init=0,lazy_journal_init=0",
            "/dev/" + disk)
        os.mkdir(self.place)
        run("mount", "/dev/" + disk, self.place)
        harness.cleanups.append(lambda: subprocess.run(["umount", self.place], check=False))
        for name in ("one", "two"):
            with open(self.place + "/" + name, "wb") as file:
                file.write(b"0" * (1 << 20))
                os.fsync(file.fileno())
            os.chmod(self.place + "/" + name, 0o666)
        self.sync()

    def sync(self):
        fd = os.open(self.place, os.O_RDONLY)
        equal("syncfs", ctypes.CDLL(None).syncfs(fd), 0)
        os.close(fd)

    def writer(self, name, file, pages, user=0, how="leave", cgroup=None):
        fd = os.open(self.place + "/" + file, os.O_RDONLY)
        # The kernel counts a folio of many pages as written when the first of them is.
        os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(fd)
        one = Waiting(sys.executable, "-c", WRITER, name, self.place + "/" + file, str(pages),
                      str(user), how)
        if cgroup:
            with open(cgroup + "/cgroup.procs", "w", encoding="ascii") as procs:
                procs.write(str(one.pid))
        return one


def written_by(trace, stage="disk.complete"):
    """Bytes that were written back, by owner."""
    done = {}
    for event in events(trace, "-e", stage, "--where", "writeback && op == WRITE && !meta"):
        owner = event.get("owner", event)
        tid = owner.get("tid", owner.get("comm"))
        done[tid] = done.get(tid, 0) + event["fields"]["bytes"]
    return done


def writeback_of_processes(system, how):
    one = system.writer("owner-writes", "one", 40, how=how)
    two = system.writer("other-writes", "two", 25, how=how)
    recorder = Recorder("-e", "disk.bio,disk.queue,disk.issue,disk.complete", "--dev", system.disk)
    written = {each.pid: each.go()[0] for each in (one, two)}
    system.sync()
    equal("writeback: exit status", recorder.stop(), 0)
    equal("writeback: bytes that the kernel counts", written,
          {one.pid: 40 * PAGE, two.pid: 25 * PAGE})
    for stage in ("disk.bio", "disk.complete"):
        done = written_by(recorder.trace, stage)
        equal("%s, %s: bytes by owner" % (stage, how), {pid: done.get(pid) for pid in written}, written)


def writeback_under(system, option, value, wanted):
    other = system.writer("other-writes", "two", 25)
    recorder = Recorder("-e", "disk.queue,disk.issue,disk.complete", "--dev", system.disk, option,
                        value or str(wanted.pid))
    [written] = wanted.go()
    other.go()
    system.sync()
    equal("writeback, %s: exit status" % option, recorder.stop(), 6)
    equal("writeback, %s: bytes by owner" % option, written_by(recorder.trace), {wanted.pid: written})


def writeback_under_filters(system):
    writeback_under(system, "--pid", None, system.writer("owner-writes", "one", 40))
    writeback_under(system, "--comm", "owner-writes", system.writer("owner-writes", "one", 40))
    writeback_under(system, "--uid", str(NOBODY), system.writer("owner-writes", "one", 40, NOBODY))
    if not CGROUP:
        return
    group = CGROUP + "/sonde-owners-%d" % os.getpid()
    os.mkdir(group)
    wanted = system.writer("owner-writes", "one", 40, cgroup=group)
    try:
        writeback_under(system, "--cgroup", group, wanted)
    finally:
        os.rmdir(group)


def writeback_of_before(system):
    """Pages that were dirty before the recording have no task that is known."""
    system.writer("owner-writes", "one", 40).go()
    recorder = Recorder("-e", "disk.queue,disk.issue,disk.complete", "--dev", system.disk)
    system.sync()
    equal("dirty before: exit status", recorder.stop(), 0)
    done = written_by(recorder.trace)
    equal("dirty before: bytes", sum(done.values()), 40 * PAGE)
    check(set(done) <= {"writeback", os.getpid()}, "dirty before: owners %s" % done)


def said_to_be_hidden(stderr):
    """{(measurement, what a filter misses of it): how often it was said}."""
    said = {}
    for line in stderr.splitlines():
        match = re.match(r"sonde record: (.*) (?:is|are) measured in part: with a filter by task it misses (.*) "
                         r"\(context: \w+\)$", line)
        for name in match.group(1).split(", ") if match else ():
            said[name, match.group(2)] = said.get((name, match.group(2)), 0) + 1
    return said


def what_filters_hide():
    """Every measurement of which a filter by task misses something says so, at the start and in the summary; and the
    list says the same."""
    listed = json.loads(run(SONDE, "list", "--json").stdout)
    hidden = {(one["name"], one["filter_misses"]) for one in listed
              if one["context"] and one["state"] != "unavailable"}
    for group in ("disk", "irq", "net"):
        check(any(name.startswith(group + ".") for name, misses in hidden), "%s: %s" % (group, hidden))
    names = ",".join(sorted(name for name, misses in hidden))
    options = [("--pid", str(os.getpid())), ("--comm", "owner-sends"), ("--uid", str(NOBODY)),
               ("--", "true")]
    for option in options:
        done = run(SONDE, "record", "-o", harness.fresh(), "-e", names,
                   *(() if option[0] == "--" else ("-d", "100ms")), *option, good=False)
        equal("%s: exit status" % option[0], done.returncode, 6)
        equal("%s: what is hidden" % option[0], said_to_be_hidden(done.stderr), {one: 2 for one in hidden})
    done = run(SONDE, "record", "-o", harness.fresh(), "-e", names, "-d", "100ms")
    equal("no filter: what is hidden", said_to_be_hidden(done.stderr), {})
    done = run(SONDE, "record", "-o", harness.fresh(), "-e", names, "-d", "100ms", "--netns", "self", good=False)
    # A packet has a namespace of its own.
    equal("--netns: what is hidden", said_to_be_hidden(done.stderr),
          {one: 2 for one in hidden if not one[0].startswith("net.")})


require_root()
what_filters_hide()
veth = Net()
for test in (all_drops, drops_by_comm, drops_by_uid, drops_by_pid, drops_by_cgroup,
             drops_of_command):
    undisturbed(test, veth)
loop = make_loop(path("image"))
for test in (requests_of_processes, requests_under_filters):
    undisturbed(test, loop)
files = FileSystem(make_loop(path("files"), 64 << 20))
undisturbed(writeback_of_processes, files, "leave")
undisturbed(writeback_of_processes, files, "fsync")
undisturbed(writeback_under_filters, files)
undisturbed(writeback_of_before, files)
finish()
