# SPDX-License-Identifier: BSD-2-Clause
"""What the kernel hid from every BPF program of tracing, by the kernel's own tracer.

While a task of process 1 is current on a CPU, some virtual machines run no such program there, and
none for the interrupts on top of that task; nobody counts what is missed. ftrace records those
events, so it is the witness. Its instance records the tasks of process 1 alone. tracefs is mounted
where no path leads to it, so that nothing else finds it."""
import collections
import contextlib
import ctypes
import os
import re

FSOPEN, FSCONFIG, FSMOUNT = 430, 431, 432
FSCONFIG_CMD_CREATE = 6
# The systems of tracepoints that measurements of a group use.
SYSTEMS = {
    "disk": ("block",),
    "fs": ("filemap", "writeback", "block"),
    "irq": ("irq", "timer"),
    "net": ("net", "skb", "napi", "qdisc", "udp", "tcp", "sock", "fib"),
    "sched": ("sched", "task"),
    "sys": (),  # the tasks of a test make their calls themselves
    "tcp": ("tcp", "sock", "skb"),
}
# Tasks that no test starts.
KERNEL = re.compile(r"swapper/|kworker/|ksoftirqd/|rcu|migration/|kcompactd|khugepaged|cpuhp/|"
                    r"idle_inject|watchdog|jbd2/|loop\d|kauditd|damon")
LINE = re.compile(r"\s*(?P<comm>.*)-(?P<tid>\d+)\s+\[(?P<cpu>\d+)\]\s+.(?:.)(?P<context>.)\S*\s+"
                  r"(?P<time>\d+\.\d+): (?P<event>\w+): (?P<rest>.*)")
# Who comes next, or is woken.
OTHER = re.compile(r"(?:next_|(?<!\w))comm=(.*?) (?:next_)?pid=")

Event = collections.namedtuple("Event", "time cpu comm event context rest")


def strangers():
    """The tasks of process 1. A test that shows all tasks must leave them out."""
    return set(map(int, os.listdir("/proc/1/task")))


def strangers_turns():
    """How often they have had a CPU. None in between, and nothing was hidden."""
    turns = 0
    for tid in strangers():
        with contextlib.suppress(OSError), \
                open("/proc/1/task/%d/schedstat" % tid, encoding="ascii") as file:
            turns += int(file.read().split()[2])
    return turns


def mount_unseen():
    """A file descriptor of a tracefs, -1 where there is none."""
    libc = ctypes.CDLL(None, use_errno=True)
    filesystem = libc.syscall(FSOPEN, b"tracefs", 0)
    if filesystem < 0:
        return -1
    mounted = -1
    if not libc.syscall(FSCONFIG, filesystem, FSCONFIG_CMD_CREATE, None, None, 0):
        mounted = libc.syscall(FSMOUNT, filesystem, 0, 0)
    os.close(filesystem)
    return mounted


def write(path, text):
    with open(path, "w", encoding="ascii") as file:
        file.write(text)


class Hidden:
    """Watches from now on, until close(). @tasks: on top of which events are hidden, by their tids."""

    def __init__(self, groups, tasks=strangers):
        self.tasks = tasks
        self.place = None
        self.mount = mount_unseen()
        if self.mount < 0:
            return
        place = "/proc/self/fd/%d/instances/sonde-hidden-%d" % (self.mount, os.getpid())
        os.mkdir(place)
        self.place = place
        self.before = tasks()
        write(place + "/trace_clock", "mono")
        write(place + "/options/event-fork", "1")
        write(place + "/set_event_pid", " ".join(map(str, self.before)))
        for system in sorted({one for group in groups for one in SYSTEMS[group]}):
            if os.path.isdir("%s/events/%s" % (place, system)):
                write("%s/events/%s/enable" % (place, system), "1")

    def close(self):
        if self.place:
            os.rmdir(self.place)
            self.place = None
        if self.mount >= 0:
            os.close(self.mount)
            self.mount = -1

    def events(self):
        """Those that a program would have seen, had another task been current."""
        if not self.place:
            return []
        write(self.place + "/tracing_on", "0")
        tasks = self.before | self.tasks()
        with open(self.place + "/trace", encoding="utf-8", errors="replace") as file:
            found = [self.parse(match) for match in map(LINE.match, file)
                     if match and int(match["tid"]) in tasks]
        return [event for event in found if concerns_tests(event)]

    @staticmethod
    def parse(match):
        return Event(float(match["time"]), int(match["cpu"]), match["comm"], match["event"],
                     match["context"], match["rest"])


def concerns_tests(event):
    """Whether it may be about what a test does. Process 1 does things of its own as well: these have
    no interrupt around them, and switch to and wake no task of a test."""
    if event.event.startswith("sched_stat_"):
        return False
    if event.event.startswith("sched_"):
        other = OTHER.search(event.rest)
        return bool(other) and other[1] != event.comm and not KERNEL.match(other[1])
    return event.context in "hHsZz"
