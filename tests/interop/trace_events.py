# SPDX-License-Identifier: BSD-2-Clause
"""Reads the Chrome trace event format as the Perfetto UI's importer does, and is stricter: what that
drops, repairs or counts as a failure is an error here. And compares what is in a file with what
`sonde report` and `sonde stats` say of the same trace."""
import collections
import decimal
import json
import re

from harness import SONDE, check, equal, run

PHASES = "BEiCbesfM"
MAX_DEPTH = 512  # of slices in slices: deeper ones are dropped
ENDED_NOT = "end"  # the argument that tells why a slice has no end of its own

Slice = collections.namedtuple("Slice", "pid tid begin end name cat args")


def nanoseconds(microseconds):
    return int(microseconds * 1000)


class TraceEvents:
    """All of a file; its slices, when its tracks have been replayed."""

    def __init__(self, file, what):
        self.what = what
        self.slices = []
        self.asyncs = []
        self.points = []
        self.counters = {}
        self.processes = {}
        self.threads = {}
        self.arrows = 0
        with open(file, encoding="utf-8") as stream:
            text = stream.read()
        self.top = json.loads(text, parse_float=decimal.Decimal, parse_constant=self.not_json)
        self.events = self.top["traceEvents"]
        equal(what + ": unit", self.top["displayTimeUnit"], "ns")
        check(all("\\u" not in line.split('"args":', 1)[0] for line in text.splitlines()),
              what + ": \\u outside of arguments, at which some versions stop")
        self.check_events()
        self.replay()
        self.check_names()

    def not_json(self, word):
        raise ValueError("%s: %s is not JSON" % (self.what, word))

    def good(self, condition, event, why):
        return condition or check(False, "%s: %s: %s" % (self.what, why, event))

    def check_events(self):
        """Each by itself: what its phase needs is there, and of the right type."""
        for event in self.events:
            phase = event["ph"]
            self.good(phase in PHASES, event, "phase")
            for key in ("pid", "tid"):
                self.good(type(event[key]) is int and 0 <= event[key] < 1 << 32, event, key)
            if phase != "M":
                self.good(type(event["ts"]) is decimal.Decimal and
                          event["ts"].as_tuple().exponent == -3, event, "time")
            self.good("args" not in event or type(event["args"]) is dict, event, "arguments")
            self.good(phase == "E" or (type(event["name"]) is str and event["name"]), event, "name")
            if phase in "be":
                self.good(type(event["id"]) is str and int(event["id"], 16) >= 0 and event["cat"],
                          event, "id")
            if phase in "sf":
                self.good(type(event["id"]) is int and event["cat"], event, "id")
            if phase == "i":
                self.good(event["s"] in "tpg", event, "scope")
            if phase == "C":
                self.good(event["args"] and all(type(value) is int
                                                for value in event["args"].values()),
                          event, "counter")

    def replay(self):
        """In the order of time; at the same time, in that of the file."""
        stacks = collections.defaultdict(list)
        under_way = collections.defaultdict(list)
        arrows = {}
        replays = {"B": self.begin, "E": self.end, "i": self.point, "C": self.count, "b": self.begin,
                   "e": self.end, "s": self.arrow, "f": self.arrow, "M": self.name}
        for event in sorted(self.events, key=lambda event: event.get("ts", -1)):
            track = event["pid"], event["tid"]
            if event["ph"] in "be":
                track = event["pid"], event["cat"], event["id"], event["name"]
                replays[event["ph"]](event, under_way[track], self.asyncs)
            else:
                replays[event["ph"]](event, stacks[track],
                                     arrows if event["ph"] in "sf" else self.slices)
        for stack in list(stacks.values()) + list(under_way.values()):
            check(not stack, "%s: without an end: %s" % (self.what, stack))

    def begin(self, event, stack, unused):
        stack.append(event)
        self.good(len(stack) < MAX_DEPTH, event, "too deep")

    def end(self, event, stack, slices):
        if not self.good(stack, event, "an end without a beginning"):
            return
        first = stack.pop()
        slices.append(Slice(first["pid"], first["tid"], nanoseconds(first["ts"]),
                            nanoseconds(event["ts"]), first["name"], first["cat"],
                            first.get("args", {}) | event.get("args", {})))

    def point(self, event, *unused):
        self.points.append(event)

    def count(self, event, *unused):
        for unit, value in event["args"].items():
            self.counters[event["pid"], event["name"], unit] = value

    def arrow(self, event, stack, arrows):
        """Both ends are tied to a slice; an end without a beginning ties nothing."""
        self.good(stack, event, "an arrow without a slice")
        if event["ph"] == "s":
            self.good(event["id"] not in arrows, event, "two arrows are one")
            arrows[event["id"]] = event
            return
        self.good(event["bp"] == "e", event, "tied to the next slice")
        first = arrows.get(event["id"], {})
        self.good((first.get("name"), first.get("cat")) == (event["name"], event["cat"]), event,
                  "an arrow from nowhere")
        self.arrows += 1

    def name(self, event, *unused):
        value = event["args"].get("name") or event["args"].get("sort_index")
        kind = event["name"].split("_", 1)
        self.good(kind[0] in ("process", "thread") and kind[1] in ("name", "sort_index"), event,
                  "metadata")
        self.good(type(value) is (str if kind[1] == "name" else int) or value == 0, event, "value")
        if event["name"] == "process_name":
            self.processes[event["pid"]] = value
        if event["name"] == "thread_name":
            owner = self.threads.get(event["tid"], (event["pid"],))[0]
            # Readers look threads up by their tid alone.
            self.good(owner == event["pid"], event, "a thread of two processes")
            self.threads[event["tid"]] = event["pid"], value

    def check_names(self):
        for event in self.events:
            self.good(event["pid"] in self.processes, event, "a process without a name")
            if event["ph"] in "BEi":
                self.good(event["tid"] in self.threads, event, "a thread without a name")

    def process(self, name):
        return [pid for pid, called in self.processes.items() if re.fullmatch(name, called)]

    def thread(self, tid):
        return self.threads[tid][1]


def whole(slices):
    """(how many, ns) of those whose end was seen."""
    ended = [s for s in slices if ENDED_NOT not in s.args]
    return len(ended), sum(s.end - s.begin for s in ended)


def expect(what, slices, report):
    equal(what, whole(slices), (report["count"], report["total_ns"]))


def compare_sched(got, report, filtered):
    states = [s for s in got.slices if s.cat == "state"]
    runnable = [s for s in states if s.name == "runnable"]
    preempted = [s for s in runnable if s.args.get("why", "").startswith("preempted")]
    expect(got.what + ": waits of who was woken", [s for s in runnable if s not in preempted],
           report["woken"])
    expect(got.what + ": waits of who was preempted", preempted, report["preempted"])
    on_cpus = [s for s in got.slices if got.processes[s.pid] == "CPUs" and s.cat == "sched"]
    last = sum(s.end - s.begin for s in on_cpus if s.args.get(ENDED_NOT) == "the trace ends")
    cpu_ns = whole(on_cpus)[1] + last
    # Tasks that were not recorded, beside those that were, are not shown.
    if filtered:
        check(cpu_ns <= report["cpu_ns"], got.what + ": more time than there is")
    else:
        equal(got.what + ": time on CPUs", cpu_ns, report["cpu_ns"])
    running = [s for s in states if s.name == "running"]
    equal(got.what + ": CPUs and tasks tell the same", whole(running), whole(on_cpus))


def compare_disk(got, report):
    slices = [s for s in got.asyncs if s.cat.startswith("disk.")]
    expect(got.what + ": waits in queues", [s for s in slices if s.cat == "disk.queue"],
           report["queue"])
    expect(got.what + ": service", [s for s in slices if s.cat == "disk.service"],
           report["service"])


def compare_layers(got, report):
    ends = collections.Counter(s.args["way"] and s.args["end"] if s.cat == "net" else None
                               for s in got.asyncs)
    for end in ("read", "kept", "left", "dropped", "vanished", "incomplete"):
        equal("%s: packets %s" % (got.what, end), ends[end], report[end])


def text_of(address):
    return "[%s]" % address if ":" in address else address


def connections(events):
    """By cookie: name and last snapshot. A socket has no port before it has one, and none again
    when it is closed."""
    found = {}
    for event in events:
        fields = event["fields"]
        if not event["event"].startswith("tcp.") or "cookie" not in fields:
            continue
        name = found.get(fields["cookie"], ("",))[0]
        if not name or (":0 " in name and fields["lport"]) or \
                (name.endswith(":0") and fields["rport"]):
            name = "%s:%d -> %s:%d" % (text_of(fields["saddr"]), fields["lport"],
                                       text_of(fields["daddr"]), fields["rport"])
        found[fields["cookie"]] = name, fields
    return list(found.values())


def compare_tcp(got, events):
    found = connections(events)
    pids = got.process("TCP connections")
    tracks = collections.Counter(name for pid, name in got.threads.values() if pid in pids)
    equal(got.what + ": connections", tracks, collections.Counter(name for name, unused in found))
    for name, fields in found:
        for counter, unit, value in (("cwnd", "segments", fields["snd_cwnd"]),
                                     ("srtt", "us", fields["srtt_us"])):
            if tracks[name] == 1:
                equal("%s: %s of %s" % (got.what, counter, name),
                      got.counters.get((pids[0], "%s %s" % (name, counter), unit)), value)


def compare_counts(got, events):
    """Every event is there: as a point, or as a slice's beginning or end."""
    points = collections.Counter(point["name"] for point in got.points)
    counts = collections.Counter(event["event"] for event in events)
    calls = sum(1 for s in got.slices if s.cat == "sys")
    equal(got.what + ": calls that begin", calls, sum(count for name, count in counts.items() if name.startswith("sys.") and name != "sys.exit"))
    ends = sum(1 for s in got.slices if s.cat == "sys" and ENDED_NOT not in s.args)
    equal(got.what + ": calls that end", ends + points["sys.exit"], counts["sys.exit"])
    for name in counts:
        if name.startswith("fs.") or name in ("sched.fork", "sched.exec", "sched.exit",
                                              "sched.migrate", "tcp.state", "tcp.retransmit",
                                              "tcp.loss", "cpu.sample", "disk.bio"):
            equal("%s: %s" % (got.what, name), points[name], counts[name])


def compare(trace, file, name, filtered=False):
    """All that can be compared of @trace and the @file made of it; what was read."""
    got = TraceEvents(file, name)
    events = [json.loads(line) for line in
              run(SONDE, "print", "--format", "json", trace, good=False).stdout.splitlines()]
    reports = json.loads(run(SONDE, "report", "--json", trace, good=False).stdout)["reports"]
    compare_counts(got, events)
    compare_tcp(got, events)
    if "syscalls" in reports:
        expect(name + ": calls", [s for s in got.slices if s.cat == "sys"], reports["syscalls"])
    if "sched" in reports:
        compare_sched(got, reports["sched"], filtered)
    if "disk" in reports:
        compare_disk(got, reports["disk"])
    if "layers" in reports:
        compare_layers(got, reports["layers"])
    lost = [point for point in got.points if point["s"] == "g"]
    equal(name + ": losses", sum(point["args"]["count"] for point in lost),
          sum(event["fields"]["count"] for event in events if event["event"] == "sonde.lost"))
    return got
