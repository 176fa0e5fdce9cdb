#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Which file a descriptor is, beside what strace -y reads of /proc while the same calls run: the same or unknown, never
another one. Of a program that copies descriptors, forks, shares them among threads, receives them and runs others."""
import collections
import json
import mmap
import os
import re
import shutil
import signal
import subprocess
import sys

from harness import (SONDE, Recorder, check, equal, events, finish, is_entry, missing, path, read_line, record,
                     require_root, stats, until)

WORK = """
import array, ctypes, fcntl, os, signal, socket, subprocess, sys, threading
work = sys.argv[1]
libc = ctypes.CDLL(None)

def at(name):
    return os.open(os.path.join(work, name), os.O_RDWR | os.O_CREAT, 0o600)

first = at("first")
os.write(first, b"1")
copy = os.dup(first)
os.write(copy, b"2")
os.dup2(first, 50)
os.write(50, b"3")
second = at("second")
os.dup2(second, 50)
os.write(50, b"4")
os.close(50)
os.write(fcntl.fcntl(first, fcntl.F_DUPFD, 60), b"5")
os.close(copy)
# A child has a copy of what is open, and changes its own.
child = os.fork()
if not child:
    os.write(first, b"child")
    os.close(first)
    os.write(at("of the child"), b"6")
    os._exit(0)
os.waitpid(child, 0)
os.write(first, b"7")
# Threads share, each at its own time.
def thread(i):
    own = at("thread %d" % i)
    os.write(own, b"8")
    os.write(first, b"9")
    os.close(own)
for i in range(20):
    worker = threading.Thread(target=thread, args=(i,))
    worker.start()
    worker.join()
kept = [at("kept %d" % i) for i in range(5)]
def closer():
    for one in kept[:3]:
        os.close(one)
worker = threading.Thread(target=closer)
worker.start()
worker.join()
for one in kept[3:] + [at("again")]:
    os.write(one, b"a")
# What comes from another process is unknown.
left, right = socket.socketpair()
left.sendmsg([b"b"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [second]))])
data, extra, flags, address = right.recvmsg(1, 100)
received = array.array("i")
received.frombytes(extra[0][2])
os.write(received[0], b"c")
os.close(received[0])
pipe = os.pipe()
os.write(pipe[1], b"a")
os.read(pipe[0], 1)
if not os.fork():
    os.close(pipe[0])
    os._exit(0)
os.wait()
for one in pipe:
    os.close(one)
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
mask = ctypes.c_uint64(1 << signal.SIGUSR1 - 1)
for one in (libc.signalfd(-1, ctypes.byref(mask), 0), os.pidfd_open(os.getpid()), libc.fanotify_init(0, 0),
            os.memfd_create("name"), os.eventfd(0), libc.epoll_create1(0), libc.timerfd_create(0, 0), libc.inotify_init()):
    if one >= 0:
        os.close(one)
socket.socket(socket.AF_INET, socket.SOCK_DGRAM).close()
# Relative to the current directory, and to another one.
os.chdir(work)
os.read(os.open("first", os.O_RDONLY), 1)
directory = os.open("/etc", os.O_RDONLY)
os.read(os.open("hostname", os.O_RDONLY, dir_fd=directory), 1)
subprocess.run(["cat", "first"], stdout=subprocess.DEVNULL)
os.set_inheritable(first, True)
os.execv("/bin/sh", ["sh", "-c", "echo d >&%d; exec 3<second; read x <&3; cat <&3" % first])
"""
# On two CPUs in turn, which have a buffer each: one is full before the other. The number of bytes says which file is
# written to.
ROUNDS = """
import os, random, sys
work, cpus, kept = sys.argv[1], sorted(os.sched_getaffinity(0)), []
random.seed(1)
for line in sys.stdin:
    for k in range(int(line)):
        os.sched_setaffinity(0, {cpus[-1] if k % 7 == 0 else cpus[0]})
        i = random.randrange(20)
        kept.append(os.open(os.path.join(work, "file %d" % i), os.O_WRONLY | os.O_CREAT, 0o600))
        os.write(kept[-1], bytes(100 + i))
        if len(kept) > 5:
            os.close(kept.pop(random.randrange(len(kept))))
    print("done", flush=True)
"""
# Running before it is recorded: it has files open, a thread shares them and, with an argument more, changes some all the
# time, and a child has a table of its own. The number of bytes says which file is written to.
BEFORE = """
import os, sys, threading
work = sys.argv[1]
os.chdir(work)

def at(i):
    return os.open("file %d" % i, os.O_WRONLY | os.O_CREAT, 0o600)

def write(fd, i):
    os.write(fd, bytes(100 + i))

kept = [at(i) for i in range(10)]
ends = os.pipe()
stop = False
def restless():
    k = 0
    while not stop:
        k += 1
        i = 10 + k % 10
        fd = at(i)
        write(fd, i)
        os.dup2(fd, 50)
        write(50, i)
        os.close(fd)
        os.dup2(kept[k % 10], 50)
        write(50, k % 10)
thread = threading.Thread(target=restless)
child = os.fork()
if not child:
    os.dup2(kept[1], kept[0])
    os.read(0, 3)
    write(kept[0], 1)
    write(kept[2], 2)
    os._exit(0)
if len(sys.argv) > 2:
    thread.start()
print(child, flush=True)
os.read(0, 3)
for i, fd in enumerate(kept):
    write(fd, i)
os.write(at(20), bytes(120))
os.write(ends[1], bytes(99))
stop = True
if len(sys.argv) > 2:
    thread.join()
os.waitpid(child, 0)
"""
# Moved between two CPUs by the test, without a call of its own: with the buffer of one full, it makes a descriptor another file
# there, and uses it on the other.
BEHIND = """
import mmap, os, sys
work = sys.argv[1]
with open(os.path.join(work, "turn"), "r+b") as file:
    turn = mmap.mmap(file.fileno(), 2)

def at(i):
    return os.open(os.path.join(work, "file %d" % i), os.O_WRONLY | os.O_CREAT, 0o600)

def at_turn(i):
    turn[1] = i - 1
    while turn[0] != i:
        pass

at_turn(1)
for unused in range(20000):
    os.getppid()
at_turn(2)
kept = at(0)
os.write(kept, bytes(100))
at_turn(3)
os.close(kept)
at(1)
at_turn(4)
os.write(kept, bytes(101))
at_turn(5)
"""
# Calls whose first argument is a descriptor, and that strace shows as the tracepoint has them.
CALLS = "read,write,close,lseek,fcntl,dup,dup2,dup3,fchdir,ioctl,getdents64,sendmsg,recvmsg,pread64,fadvise64"
LINE = re.compile(r"^(\d+) +(\w+)\((-?\d+)(?:<((?:\\.|[^\\>])*)>)?")


def spelled(name):
    """Without numbers of sockets; a path without the links in it."""
    name = re.sub(r":\[\d+\]$", "", re.sub(r"( \(deleted\))$", "", name))
    return os.path.realpath(name) if name.startswith("/") else name


def of_strace(name):
    """By task: (call, descriptor, name or None) in their order."""
    tasks = collections.defaultdict(list)
    with open(name, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            match = LINE.match(line)
            if match and match[2] in CALLS.split(","):
                tasks[int(match[1])].append((match[2], int(match[3]), match[4]))
    return tasks


def first_of(event):
    """The first argument of an entry, which is a descriptor."""
    return event["fields"][next(name for name in ("fd", "oldfd", "fildes") if name in event["fields"])]


def of_sonde(trace):
    tasks = collections.defaultdict(list)
    for event in events(trace, "-e", "sys"):
        call = event["event"].partition(".")[2]
        if is_entry(event["event"]) and call in CALLS.split(","):
            tasks[event["tid"]].append((call, first_of(event), event["fields"].get("file")))
    return tasks


def compare(theirs, ours):
    """How many descriptors are the same, and how many unknown; none is another one."""
    counts = collections.Counter()
    for task, calls in theirs.items():
        own = ours[task][-len(calls):]
        equal("calls of %d" % task, [call[:2] for call in own], [call[:2] for call in calls])
        for (call, fd, name), (unused, unused, shown) in zip(own, calls):
            if shown is None:
                check(name is None, "%s(%d): %s, of what is not open" % (call, fd, name))
                continue
            same = name is not None and spelled(name) == spelled(shown)
            check(same or name is None, "%s(%d): %s, strace has %s" % (call, fd, name, shown))
            counts["same" if same else "unknown"] += 1
    return counts


def beside_strace():
    os.mkdir(path("work"))
    trace, unused = record("-e", "sys", "--buffer", "64M", "--", "strace", "-f", "-y", "-qq", "-o", path("calls"), "-e",
                           "trace=" + CALLS, sys.executable, "-S", "-E", "-c", WORK, path("work"))
    equal("lost", stats(trace)["lost"], 0)
    counts = compare(of_strace(path("calls")), of_sonde(trace))
    print("%d descriptors the same, %d unknown" % (counts["same"], counts["unknown"]))
    check(counts["same"] > 400, "only %d descriptors are known" % counts["same"])
    check(counts["unknown"] < 5, "%d descriptors are unknown" % counts["unknown"])
    return trace


def writes(trace, work, where, good=0):
    """By name or None: writes of which the size says the file; none is said to be to another one."""
    counts = collections.Counter()
    for event in events(trace, "-e", "sys.write", "--where", where, good=good):
        size, name = event["fields"].get("count"), event["fields"].get("file")
        if event["event"] != "sys.write" or size not in range(100, 121):
            continue
        right = "file %d" % (size - 100)
        check(name in (None, right, os.path.join(work, right)), "write of %d: %s" % (size, name))
        counts[name] += 1
    return counts


def record_before(work, more, restless):
    """Which files are known, of a process that ran before."""
    program = subprocess.Popen([sys.executable, "-S", "-E", "-c", BEFORE, work, *restless], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE)
    child = int(program.stdout.readline())
    recorder = Recorder("-e", "sys", "--buffer", "64M", *(["--pid", str(program.pid)] if more else []))
    program.stdin.write(b"go\ngo\n")
    program.stdin.flush()
    program.wait()
    equal("exit status", recorder.stop(), 0)
    ours = "(pid == %d || pid == %d)" % (program.pid, child)
    counts = writes(recorder.trace, work, ours)
    pipes = events(recorder.trace, "-e", "sys.write", "--where", '%s && count == 99 && file == "pipe"' % ours)
    return counts, [event for event in pipes if event["event"] == "sys.write"]


def open_before():
    """What processes had open when the recording began, and what became of it since."""
    work, known = path("before"), collections.Counter()
    os.mkdir(work)
    for filtered in (False, True):
        counts, pipes = record_before(work, filtered, [])
        equal("files", counts, collections.Counter({os.path.join(work, "file %d" % i): 1 if filtered or i not in (1, 2) else 2
                                                    for i in (*range(10), 20)}))
        equal("writes to the pipe", len(pipes), 1)
    for i in range(6):
        known.update(record_before(work, i % 2, ["restless"])[0])
    unknown = known.pop(None, 0)
    print("%d descriptors known, %d unknown, of a process that ran before" % (sum(known.values()), unknown))
    check(len(known) >= 20, "only %d files are known" % len(known))


def live_and_together():
    """While they are recorded, and of two traces at once."""
    each = []
    for i in range(2):
        work = path("live %d" % i)
        os.mkdir(work)
        program = subprocess.Popen([sys.executable, "-S", "-E", "-c", BEFORE, work], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE)
        program.stdout.readline()
        recorder = Recorder("--serve=127.0.0.1:0", "--name", "live", "-e", "sys", "--pid", str(program.pid))
        url = read_line(recorder.process.stderr).strip()
        with open(path("shown"), "w", encoding="utf-8") as out:
            viewer = subprocess.Popen([SONDE, "print", "--format", "json", "-e", "sys.write", url], stdout=out)
        program.stdin.write(b"go\ngo\n")
        program.stdin.flush()
        program.wait()
        equal("exit status of sonde record", recorder.stop(), 0)
        equal("exit status of sonde print", viewer.wait(), 0)
        with open(path("shown"), encoding="utf-8") as out:
            seen = [json.loads(line) for line in out]
        at_once = events(recorder.trace, "-e", "sys.write")
        equal("live", files_of(seen), files_of(at_once))
        check(len([name for name in files_of(at_once) if name]) >= 12, "only few files are known")
        each.append((recorder.trace, files_of(at_once)))
    (first, files), (second, others) = each
    equal("together", sorted(map(str, files_of(events(first, second, "-e", "sys.write")))), sorted(map(str, files + others)))


def files_of(shown):
    return [event["fields"].get("file") for event in shown if event["event"] == "sys.write"]


def of_the_command():
    """Its standard descriptors."""
    with open(path("in"), "w", encoding="ascii") as file:
        file.write("a\n")
    trace = path("standard")
    with open(path("in"), encoding="ascii") as stdin, open(path("out"), "w", encoding="ascii") as stdout:
        subprocess.run([SONDE, "record", "-q", "-e", "sys", "-o", trace, "--", "/bin/cat"], stdin=stdin, stdout=stdout,
                       stderr=subprocess.DEVNULL, check=True)
    text = subprocess.run([SONDE, "print", trace], capture_output=True, text=True, check=True).stdout
    for line in (r"read\(0<%s>, 0x[0-9a-f]+, \d+\) = 2 ", r"write\(1<%s>, 0x[0-9a-f]+, 2\) = 2 "):
        name = path("in") if line.startswith("read") else path("out")
        copied = r"copy_file_range\(0<%s>, NULL, 1<%s>" % (re.escape(path("in")), re.escape(path("out")))
        check(re.search(line % re.escape(name), text) or re.search(copied, text), "no " + line % name)
    check("close(2</dev/null>)" in text, "standard error is not known")


def beside_losses():
    """Nothing is said of a descriptor that events may be missing of."""
    os.mkdir(path("rounds"))
    program = subprocess.Popen([sys.executable, "-S", "-E", "-c", ROUNDS, path("rounds")], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, text=True)

    def work(rounds):
        program.stdin.write("%d\n" % rounds)
        program.stdin.flush()
        equal("answer", program.stdout.readline(), "done\n")

    recorder = Recorder("-e", "sys", "--pid", str(program.pid), "--buffer", "64K")
    work(20)
    recorder.send(signal.SIGSTOP)
    work(5000)  # 2 MB: some of it must be lost
    recorder.send(signal.SIGCONT)
    work(5000)
    program.stdin.close()
    program.wait()
    equal("exit status", recorder.stop(), 3)
    counts = writes(recorder.trace, path("rounds"), "count > 0", good=3)
    known = sum(counts.values()) - counts[None]
    lost = stats(recorder.trace)["lost"]
    print("%d lost, %d descriptors right, %d unknown" % (lost, known, counts[None]))
    check(lost > 0, "nothing was lost")
    check(known >= 20, "only %d descriptors are known" % known)


def behind_a_full_buffer():
    """What is used before the loss is told of, on another CPU."""
    cpus = sorted(os.sched_getaffinity(0))
    if len(cpus) < 2:
        return
    os.mkdir(path("behind"))
    with open(path("behind/turn"), "w+b") as file:
        file.write(bytes(2))
        file.flush()
        turn = mmap.mmap(file.fileno(), 2)
    program = subprocess.Popen([sys.executable, "-S", "-E", "-c", BEHIND, path("behind")])
    turn[1] = 77
    until(lambda: turn[1] == 0, "it has begun")
    recorder = Recorder("-e", "sys", "--pid", str(program.pid), "--buffer", "64K")
    recorder.send(signal.SIGSTOP)
    for i in range(1, 5):
        os.sched_setaffinity(program.pid, {cpus[-1 if i % 2 else 0]})
        turn[0] = i
        until(lambda: turn[1] == i, "turn %d" % i)
    recorder.send(signal.SIGCONT)
    turn[0] = 5
    program.wait()
    equal("exit status", recorder.stop(), 3)
    equal("writes", writes(recorder.trace, path("behind"), "count > 0", good=3), collections.Counter({None: 2}))


def shown(trace):
    """In all the ways in which a value is shown."""
    first = os.path.join(path("work"), "first")
    text = subprocess.run([SONDE, "print", "-e", "sys", trace], capture_output=True, text=True, check=True).stdout
    check(re.search(r"write\(\d+<%s>, 0x[0-9a-f]+, 1\) = 1 " % re.escape(first), text), "print has no file")
    where = [event for event in events(trace, "-e", "sys", "--where", 'file == "%s" && sys.write' % first)]
    check(len(where) >= 4, "%d writes to %s" % (len(where), first))
    check(all(event["fields"]["file"] == first for event in where), "other files")


def main():
    require_root()
    if not shutil.which("strace"):
        missing("there is no strace")
    shown(beside_strace())
    open_before()
    live_and_together()
    of_the_command()
    beside_losses()
    behind_a_full_buffer()
    finish()


main()
