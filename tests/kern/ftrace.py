# SPDX-License-Identifier: BSD-2-Clause
"""A second tracer: the kernel's own, in an instance that nobody else uses, read raw, so that every
field of a tracepoint is there as the kernel's format description says (Documentation/trace/ftrace,
kernel/trace/ring_buffer.c). It knows nothing of BPF, and its clock is Sonde's: CLOCK_MONOTONIC."""
import collections
import os
import re
import struct

from harness import check, cleanups, skip
from hidden import strangers
from mounts import TRACEFS, has_tracefs

PADDING, TIME_EXTEND, TIME_STAMP = 29, 30, 31  # kinds of entries that are no event
DELTA_BITS = 27
TRACE_FLAG_SOFTIRQ = 0x10  # include/linux/trace_events.h
SMALLEST_STAMP = 1 << 59  # the upper bits of an absolute time are those of the page's
FIELD = re.compile(r"field:(.*?)\b(\w+)(\[\d*\])?;\toffset:(\d+);\tsize:(\d+);\tsigned:(\d);")


def require():
    if not has_tracefs():
        skip("no tracefs can be mounted at " + TRACEFS)


def write(path, text):
    with open(path, "w", encoding="ascii") as file:
        file.write(text)


class Layout:
    """How one event lies in memory."""

    def __init__(self, event):
        with open("%s/events/%s/format" % (TRACEFS, event), encoding="ascii") as file:
            text = file.read()
        self.name = event
        self.id = int(re.search(r"^ID: (\d+)", text, re.M)[1])
        self.fields = []
        for kind, name, array, offset, size, signed in FIELD.findall(text):
            if not name.startswith("common_") or name in ("common_pid", "common_flags"):
                self.fields.append((name, kind, bool(array), int(offset), int(size), signed == "1"))

    def read(self, data):
        return {name: self.value(data, kind, array, data[offset:offset + size], signed)
                for name, kind, array, offset, size, signed in self.fields}

    @staticmethod
    def value(data, kind, array, own, signed):
        if "__data_loc" in kind:
            place = int.from_bytes(own, "little")
            text = data[place & 0xffff:(place & 0xffff) + (place >> 16)]
            return text.split(b"\0")[0].decode(errors="replace")
        if not array:
            return int.from_bytes(own, "little", signed=signed)
        if kind.strip().endswith("char"):
            return own.split(b"\0")[0].decode(errors="replace")
        if "long" in kind:
            return list(struct.unpack("<%dQ" % (len(own) // 8), own))
        return own


def entries(page):
    """(time, bytes) of every event in one page of the ring buffer."""
    time, commit = struct.unpack_from("<QQ", page)
    at, end = 16, 16 + (commit & 0xfffff)
    while at < end:
        head, = struct.unpack_from("<I", page, at)
        kind, delta = head & 31, head >> 5
        first = struct.unpack_from("<I", page, at + 4)[0] if at + 8 <= len(page) else 0
        if kind == PADDING:
            if not delta:
                return
            at += 4 + first
            continue
        if kind == TIME_EXTEND:
            time += delta | first << DELTA_BITS
            at += 8
            continue
        if kind == TIME_STAMP:
            time = time // SMALLEST_STAMP * SMALLEST_STAMP | first << DELTA_BITS | delta
            at += 8
            continue
        time += delta
        start, size = (at + 4, kind * 4) if kind else (at + 8, first - 4)
        yield time, page[start:start + size]
        at = start + size


class Ftrace:
    """Traces these events ("sched/sched_switch") of all CPUs from now on; with @family only those
    of that task and, from now on, its children."""

    def __init__(self, *events, family=None, buffer_kb=65536):
        self.place = "%s/instances/sonde-test-%d-%d" % (TRACEFS, os.getpid(), id(self))
        self.strangers = strangers()
        os.mkdir(self.place)
        cleanups.append(self.remove)
        write(self.place + "/trace_clock", "mono")
        write(self.place + "/buffer_size_kb", str(buffer_kb))
        if family:
            write(self.place + "/options/event-fork", "1")
            write(self.place + "/set_event_pid", str(family))
        self.layouts = {}
        for event in events:
            layout = Layout(event)
            self.layouts[layout.id] = layout
            write("%s/events/%s/enable" % (self.place, event), "1")

    def remove(self):
        if os.path.isdir(self.place):
            os.rmdir(self.place)

    def stop_all(self):
        """All events in the order of time, each with "event", "time", "cpu", "tid" and its
        fields."""
        write(self.place + "/tracing_on", "0")
        found = []
        for name in os.listdir(self.place + "/per_cpu"):
            self.read_cpu(int(name[3:]), found)
        self.remove()
        self.strangers |= strangers()
        return sorted(found, key=lambda event: event["time"])

    def seen_by_bpf(self, traced):
        """Of the events that stop_all has told: without those on top of strangers to this machine."""
        return [event for event in traced if event["tid"] not in self.strangers]

    def stop(self):
        return self.seen_by_bpf(self.stop_all())

    def read_cpu(self, cpu, found):
        place = "%s/per_cpu/cpu%d" % (self.place, cpu)
        with open(place + "/stats", encoding="ascii") as file:
            lost = sum(map(int, re.findall(r"(?:overrun|dropped events): (\d+)", file.read())))
        if lost:
            raise RuntimeError("the kernel's tracer has lost %d events of CPU %d" % (lost, cpu))
        pipe = os.open(place + "/trace_pipe_raw", os.O_RDONLY | os.O_NONBLOCK)
        while True:
            try:
                page = os.read(pipe, os.sysconf("SC_PAGE_SIZE"))
            except BlockingIOError:
                break
            if not page:
                break
            for time, data in entries(page):
                layout = self.layouts[int.from_bytes(data[:2], "little")]
                fields = layout.read(data)
                fields["tid"] = fields.pop("common_pid")
                fields["in_softirq"] = bool(fields.pop("common_flags") & TRACE_FLAG_SOFTIRQ)
                found.append(fields | {"event": layout.name.split("/")[1], "time": time,
                                       "cpu": cpu})
        os.close(pipe)


def same(what, ours, theirs):
    """Two lists of (key, row): with each key the same rows in the same order. A key is where
    events cannot overtake each other between the two tracers."""
    by_key = [collections.defaultdict(list), collections.defaultdict(list)]
    for rows, found in zip((ours, theirs), by_key):
        for key, row in rows:
            found[key].append(row)
    check(theirs, what + ": there was none")
    for key in sorted(set(by_key[0]) | set(by_key[1]), key=repr):
        mine, other = by_key[0][key], by_key[1][key]
        if mine == other:
            continue
        at = next((i for i, (a, b) in enumerate(zip(mine, other)) if a != b),
                  min(len(mine), len(other)))
        check(False, "%s, %r: %d of sonde, %d of ftrace; the %dth: %r, ftrace has %r" %
              (what, key, len(mine), len(other), at, mine[at:at + 1], other[at:at + 1]))


NEARLY_LIMIT = 1000  # one of so many


def among(what, ours, theirs, matches, nearly=lambda mine, other: False):
    """The same, where Sonde has more: with each key all of theirs, in order, among ours. Very few may be there only
    @nearly."""
    by_key = collections.defaultdict(list)
    for key, row in ours:
        by_key[key].append(row)
    check(theirs, what + ": there was none")
    missing, races, at = [], 0, collections.defaultdict(int)
    for key, row in theirs:
        rows = by_key[key]
        found = next((i for i in range(at[key], len(rows)) if matches(rows[i], row)), None)
        if found is None:
            found = next((i for i in range(at[key], len(rows)) if nearly(rows[i], row)), None)
            races += found is not None
        if found is None:
            missing.append((key, row))
        else:
            at[key] = found + 1
    check(not missing, "%s: %d of ftrace's %d are not among sonde's %d, the first: %r" %
          (what, len(missing), len(theirs), len(ours), missing[:1]))
    check(races <= 1 + len(theirs) // NEARLY_LIMIT, "%s: %d of ftrace's %d are not exactly among sonde's" %
          (what, races, len(theirs)))


def fields_of(shown, name):
    """The events of Sonde's of that name, each as one dictionary."""
    return [event["fields"] | {key: event[key] for key in ("time", "cpu", "tid")}
            for event in shown if event["event"] == name]


def named(traced, name):
    return [event for event in traced if event["event"] == name]
