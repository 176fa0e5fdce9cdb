#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""sonde record --push: what lttng-relayd stores is what -o writes, viewers see it while it comes, and
neither a relay that goes nor one that does not read is anything to the recorder."""
import os
import shutil
import signal
import struct
import subprocess

from harness import (SONDE, Actor, Net, Recorder, check, equal, events, finish, missing, path, require_root, run,
                     stats, until)
from relay_harness import Relayd, Serve, without_delta

ROUND = 1000
FLOOD = 400000  # 8 bytes and more each: more than what is to wait for the relay


def read(name):
    with open(name, "rb") as file:
        return file.read()


def calls(trace):
    """How often the actor called, by the number that it gave."""
    return sorted(event["fields"]["target_pid"] for event in events(trace, "-e", "sys.enter", good=None)
                  if event["event"] == "sys.getpgid")


def same_trace(what, got, want):
    """Byte for byte in packets and their index, and in what the metadata says."""
    names = sorted(os.listdir(want))
    equal("files of " + what, sorted(os.listdir(got)), names)
    equal("indexes of " + what, sorted(os.listdir(got + "/index")),
          sorted(os.listdir(want + "/index")))
    for name in names + ["index/" + name for name in os.listdir(want + "/index")]:
        if name not in ("metadata", "index"):
            check(read(got + "/" + name) == read(want + "/" + name),
                  "%s: %s is another file" % (what, name))
    equal("as %s is printed" % what, run(SONDE, "print", got).stdout, run(SONDE, "print", want).stdout)


def packets(trace):
    """In each stream, their numbers, as the index has them."""
    found = {}
    for name in os.listdir(trace + "/index"):
        index = read(trace + "/index/" + name)[16:]
        found[name] = [struct.unpack_from(">Q", index, at + 64)[0] for at in range(0, len(index), 72)]
    return found


class Push(Recorder):
    """A recorder in the namespace @name, that records what @actor calls."""

    def __init__(self, net, name, actor, url, *args, events="sys.enter", **more):
        with net.inside(name):
            super().__init__("-e", events, "--pid", str(actor.pid), "--syscall",
                             "getpgid", "--push", url,
                             *args, **more)


def beside_a_directory(net, relay):
    actor = Actor("rounds", str(ROUND))
    recorder = Push(net, net.a, actor, relay.url(), events="sys.enter,sched")
    viewer = relay.view(os.path.basename(recorder.trace))
    for unused in range(3):
        actor.act()
        # babeltrace2 keeps the last lines to itself until there are more.
        until(lambda seen=viewer.count(): viewer.count() > seen + ROUND / 2,
              "the viewer has seen what was done")
    # What is described later, and what comes at the very end.
    run(SONDE, "enable", "sys.exit")
    actor.act()
    equal("exit status", recorder.stop(), 0)
    equal("exit status of the viewer", viewer.wait(), 0)
    pushed, = relay.traces()
    same_trace("what was pushed", pushed, recorder.trace)
    seen = viewer.lines()
    there = [without_delta(line) for line in run("babeltrace2", recorder.trace).stdout.splitlines(True)]
    called = [line for line in there if " sys.getpgid: " in line]
    equal("calls in the trace", len(called), 4 * ROUND)
    equal("calls that the viewer saw", sorted(line for line in seen if " sys.getpgid: " in line),
          sorted(called))
    equal("events that the viewer alone saw", set(seen) - set(there), set())
    first = min(seen)[:20]
    equal("events that it did not see", {line for line in there if line[:20] > first} - set(seen), set())
    check(any(" sys.exit: " in line for line in seen), "nothing of what was described later")


def alone(net, relay):
    actor = Actor("rounds", str(ROUND))
    before = set(relay.traces())
    with net.inside(net.a):
        recorder = subprocess.Popen(
            [SONDE, "record", "-e", "sys.enter", "--pid", str(actor.pid), "--syscall", "getpgid",
             "--name", "alone",
             "--push", relay.url()], cwd=path(""), stderr=subprocess.PIPE, text=True)
    until(lambda: any(url.endswith("/alone") and streams > 1
                      for url, (streams, unused) in relay.sessions().items()), "streams are there")
    actor.act()
    recorder.send_signal(signal.SIGINT)
    stderr = recorder.communicate()[1]
    equal("exit status alone: " + stderr, recorder.returncode, 0)
    check(not [name for name in os.listdir(path("")) if name.startswith("sonde-")],
          "a directory was made")
    pushed, = set(relay.traces()) - before
    equal("calls", calls(pushed), list(range(ROUND)))
    check("/alone-" in pushed, "the session is called " + pushed)


def ours(net):
    """The same with sonde serve in the place of lttng-relayd."""
    actor = Actor("rounds", str(ROUND))
    relay = Serve(net, net.b)
    recorder = Push(net, net.a, actor, relay.url(), events="sys.enter,sched")
    for unused in range(3):
        actor.act()
    equal("exit status, our relay", recorder.stop(), 0)
    pushed, = relay.traces()
    same_trace("what was pushed to us", pushed, recorder.trace)
    equal("exit status of sonde serve", relay.stop(), 0)


def killed(net):
    """The relay ends at once and comes back: what waited is sent, to a session that is whole itself."""
    actor = Actor("rounds", str(ROUND))
    relay = Relayd(net, net.b)
    recorder = Push(net, net.a, actor, relay.url())
    actor.act()
    until(lambda: any(streams > 2 for streams, unused in relay.sessions().values()),
          "streams are there")
    relay.kill()
    actor.act()
    relay.start()
    actor.act()
    until(lambda: len(relay.traces()) == 2, "the recorder has come back")
    actor.act()
    equal("exit status, relay killed", recorder.stop(), 0)
    check("waits in memory" in recorder.stderr and "the relay is there" in recorder.stderr,
          "it does not say that the relay has gone and come: " + recorder.stderr)
    first, second = relay.traces()
    got = set(calls(first)) | set(calls(second))
    equal("calls in the directory", calls(recorder.trace), list(range(4 * ROUND)))
    equal("calls in one of the sessions", got, set(range(4 * ROUND)))
    equal("calls in both, or twice", len(calls(second)), len(set(calls(second))))
    equal("names in the second session", {event["comm"] for event in events(second, "-e", "sys.enter",
                                                                           good=None)
                                          if event["event"] == "sys.getpgid"}, {"actor"})
    relay.kill()


def stopped(net):
    """The relay takes nothing for a while: the recorder records, and what is missing is told."""
    # On one CPU: of a stream whose first packets are missing, nobody knows how many these were.
    actor = Actor("rounds", str(FLOOD), preexec_fn=lambda: os.sched_setaffinity(0, {0}))
    relay = Relayd(net, net.b)
    recorder = Push(net, net.a, actor, relay.url(), "--push-patience", "10m", "--push-buffer", "2M", "--buffer", "1M")
    actor.act()
    until(lambda: relay.traces() and os.path.exists(relay.traces()[0] + "/cpu0_level0"),
          "the stream is there")
    relay.process.send_signal(signal.SIGSTOP)
    actor.act()
    actor.act()
    relay.process.send_signal(signal.SIGCONT)
    equal("exit status, relay stopped", recorder.stop(), 3)
    pushed, = relay.traces()
    equal("calls in the directory", len(calls(recorder.trace)) + stats(recorder.trace)["lost"],
          3 * FLOOD)
    there, got = packets(recorder.trace), packets(pushed)
    lost = sum(len(numbers) - len(set(got.get(name, [])) & set(numbers))
               for name, numbers in there.items())
    check(lost > 0, "the queue had room for all of it")
    check("%d packets" % lost in recorder.stderr.replace(",", ""),
          "%d packets are missing, and it says: %s" % (lost, recorder.stderr))
    equal("packets that the pushed trace tells of", stats(pushed)["packets_overwritten"], lost)
    relay.kill()


def never(net):
    """There is no relay at all."""
    actor = Actor("rounds", str(ROUND))
    recorder = Push(net, net.a, actor, "net://" + net.v4[net.b])
    actor.act()
    equal("exit status without a relay", recorder.stop(), 3)
    check("Connection refused" in recorder.stderr and "LOST on the way" in recorder.stderr,
          "it says: " + recorder.stderr)
    equal("calls in the directory", calls(recorder.trace), list(range(ROUND)))
    with net.inside(net.a):
        alone = run(SONDE, "record", "--push", "net://" + net.v4[net.b], "-e", "sched", "-d", "100ms",
                    good=False)
    equal("exit status without a directory", alone.returncode, 3)
    check("not all of it has arrived" in alone.stderr and "nothing lost" not in alone.stderr,
          "it says that all is well: " + alone.stderr)


def cut(net):
    """The network goes down and comes back: TCP carries on, and so does the session."""
    actor = Actor("rounds", str(ROUND))
    relay = Relayd(net, net.b)
    recorder = Push(net, net.a, actor, relay.url())
    actor.act()
    until(lambda: relay.traces(), "the session is there")
    run("ip", "-n", net.b, "link", "set", "v0", "down")
    actor.act()
    run("ip", "-n", net.b, "link", "set", "v0", "up")
    actor.act()
    equal("exit status, network down", recorder.stop(), 0)
    got = set()
    for trace in relay.traces():
        got |= set(calls(trace))
    equal("calls, network down", got, set(range(3 * ROUND)))
    relay.kill()


def main():
    require_root()
    if not shutil.which("babeltrace2"):
        missing("babeltrace2 is not installed")
    net = Net()
    for name in (net.a, net.b):
        run("ip", "-n", name, "link", "set", "lo", "up")
    relay = Relayd(net, net.b)
    beside_a_directory(net, relay)
    alone(net, relay)
    relay.kill()
    ours(net)
    killed(net)
    stopped(net)
    never(net)
    cut(net)
    finish()


main()
