#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""sonde record --push to a relay that holds still, or takes a byte a second, at each step: the recorder says so
and records, what it writes itself is whole, and once the relay is well again it has all of it."""
import os
import re
import shutil
import struct

from harness import (SONDE, Actor, Net, Recorder, check, equal, events, finish, missing, require_root, run,
                     stats, until)
from relay_harness import CONTROL, DATA as DATA_PORT, Relayd
from stalling_relay import (ADD_STREAM, CHUNK, CONNECT, CREATE, DATA, INDEX, METADATA, PENDING, VERSION,
                            StallingRelay)

ROUND = 1000
FLOOD = 400000  # 8 bytes and more each: more than what is to wait for the relay
STEPS = {"connect": CONNECT, "version": VERSION, "session": CREATE, "chunk": CHUNK, "stream": ADD_STREAM,
         "metadata": METADATA, "index": INDEX, "question": PENDING, "data": DATA}


def calls(trace):
    return sorted(event["fields"]["target_pid"] for event in events(trace, "-e", "sys.enter", good=None)
                  if event["event"] == "sys.getpgid")


def complete(what, got, count):
    check(sorted(got) == list(range(count)), "%s: %d of %d calls" % (what, len(set(got)), count))


class Push(Recorder):
    """Of what @actor calls, with little patience."""

    def __init__(self, net, relay, actor, *args):
        with net.inside(net.a):
            super().__init__("-e", "sys.enter", "--pid", str(actor.pid), "--syscall", "getpgid", "--push",
                             relay.url(), "--push-patience", "1s", "--flush", "20ms", *args)


class Pushed:
    """What the relay gets from now on."""

    def __init__(self, relayd):
        self.relayd, self.before = relayd, set(relayd.traces())

    def traces(self):
        return [trace for trace in self.relayd.traces() if trace not in self.before]


def held_up(net, relayd, relay, step, drips):
    what = "%s, %s" % (step, "by the byte" if drips else "silent")
    pushed, actor = Pushed(relayd), Actor("rounds", str(ROUND))
    relay.hold_up(STEPS[step], drips)
    recorder = Push(net, relay, actor)
    actor.act()
    relay.held.acquire()  # pylint: disable=consider-using-with
    actor.act()
    relay.held.acquire()  # pylint: disable=consider-using-with
    relay.heal()
    actor.act()
    until(lambda: is_well(pushed), what + ": the recorder has come back")
    actor.act()
    equal("exit status: " + what, recorder.stop(), 0)
    check("for too long" in recorder.stderr and "the relay is there" in recorder.stderr,
          "%s: it says %s" % (what, recorder.stderr))
    complete(what + ", in the directory", calls(recorder.trace), 4 * ROUND)
    complete(what + ", at the relay", set().union(*map(calls, pushed.traces())), 4 * ROUND)
    actor.kill()


def is_well(pushed):
    """The newest session has packets of the stream in question."""
    traces = pushed.traces()
    return traces and {"metadata", "cpu"} <= {name.split("_")[0].rstrip("0123456789")
                                              for name in os.listdir(traces[-1])
                                              if os.path.getsize(traces[-1] + "/" + name)}


def to_the_end(net, relay, step):
    """It is never well again: the recorder ends all the same."""
    actor = Actor("rounds", str(ROUND))
    relay.hold_up(STEPS[step])
    recorder = Push(net, relay, actor)
    relay.held.acquire()  # pylint: disable=consider-using-with
    actor.act()
    equal("exit status, to the end: " + step, recorder.stop(), 3)
    check("LOST on the way" in recorder.stderr, "%s: it says %s" % (step, recorder.stderr))
    complete(step + " to the end, in the directory", calls(recorder.trace), ROUND)
    relay.heal()
    actor.kill()


def counted(net, relayd, relay):
    """More than what may wait: what is missing is told by the traces at the relay, also where it was lost between
    two sessions."""
    # On one CPU, whose stream the first session has.
    actor = Actor("rounds", str(FLOOD), preexec_fn=lambda: os.sched_setaffinity(0, {0}))
    pushed = Pushed(relayd)
    recorder = Push(net, relay, actor, "--push-buffer", "2M", "--buffer", "1M")
    actor.act()
    until(lambda: is_well(pushed), "the first session has packets")
    relay.hold_up(PENDING)
    actor.act()
    relay.held.acquire()  # pylint: disable=consider-using-with
    actor.act()
    relay.heal()
    until(lambda: len(pushed.traces()) > 1 and is_well(pushed), "the second session has packets")
    actor.act()
    equal("exit status, too much", recorder.stop(), 3)
    same_count(recorder, pushed.traces())
    actor.kill()


def from_the_start(net, relayd, relay):
    """Of a stream that no session ever saw the beginning of: when it begins, there is no room."""
    actors = [Actor("rounds", str(FLOOD), preexec_fn=lambda cpu=cpu: os.sched_setaffinity(0, {cpu}))
              for cpu in (0, 1)]
    pushed = Pushed(relayd)
    relay.hold_up(CONNECT)
    recorder = Push(net, relay, actors[0], "--pid", str(actors[1].pid), "--push-buffer", "2M", "--buffer", "1M")
    for actor in actors:
        actor.act()
    relay.heal()
    until(lambda: is_well(pushed), "the session has packets")
    for actor in reversed(actors):
        actor.act()
    equal("exit status, late", recorder.stop(), 3)
    trace, = pushed.traces()
    same_count(recorder, pushed.traces(), empty=1)
    with open(trace + "/cpu1_level0", "rb") as file:
        content, packet, number = struct.unpack_from("<QQ16xQ", file.read(96), 40)  # struct packet_head
    equal("what stands for the first packets", (content, packet, number), (96 * 8, 96 * 8, 0))
    for actor in actors:
        actor.kill()


def numbers(trace):
    """Of the packets in each stream, as the index has them."""
    found = {}
    for name in os.listdir(trace + "/index"):
        with open(trace + "/index/" + name, "rb") as file:
            index = file.read()[16:]
        found[name] = [struct.unpack_from(">Q", index, at + 64)[0] for at in range(0, len(index), 72)]
    return found


def same_count(recorder, traces, empty=0):
    """All packets that are nowhere at the relay are told of there, or are there as @empty ones; and each trace tells
    of what it has not."""
    nowhere = told = 0
    for name, there in numbers(recorder.trace).items():
        got, gaps = set(), set()
        for trace in traces:
            found = numbers(trace).get(name, [])
            got.update(found)
            for last, number in zip(found, found[1:]):
                gaps.update(range(last + 1, number))
        nowhere += len(set(there) - got)
        told += len(gaps - got)
        equal("packets of %s that are nowhere, and not told of" % name, set(there) - got - gaps, set())
    check(nowhere and "%d packets" % (nowhere + empty) in recorder.stderr.replace(",", ""),
          "%d packets are nowhere, the recorder says: %s" % (nowhere, recorder.stderr))
    equal("packets that are told of", told, nowhere)
    for trace in traces:
        want = sum(number - last - 1 for found in numbers(trace).values()
                   for last, number in zip(found, found[1:]))
        equal("packets that sonde stats misses", stats(trace)["packets_overwritten"], want)
        equal("packets that babeltrace2 misses", count_discarded(trace), want)


def count_discarded(trace):
    return sum(map(int, re.findall(r"Tracer discarded (\d+) packet", run("babeltrace2", trace).stderr)))


def main():
    require_root()
    if not shutil.which("babeltrace2"):
        missing("babeltrace2 is not installed")
    net = Net()
    relayd = Relayd(net, net.b)
    relay = StallingRelay(net, net.b, (CONTROL, DATA_PORT))
    counted(net, relayd, relay)
    from_the_start(net, relayd, relay)
    for step in STEPS:
        held_up(net, relayd, relay, step, drips=False)
    for step in "version", "metadata", "question", "data":
        held_up(net, relayd, relay, step, drips=True)
    for step in "session", "data":
        to_the_end(net, relay, step)
    finish()


main()
