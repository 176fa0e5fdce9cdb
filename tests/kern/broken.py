#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The recorder, the relay, the viewer or the network goes in the middle: the others live on and say so, go on when
it is back, and what is on disk is whole. Of recorders that push to a relay, LTTng's and ours, and of one that serves
its viewers itself."""
import os
import shutil
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "interop"))
from harness import (Actor, Net, Recorder, check, equal, events, finish, missing, require_root,  # noqa: E402
                     read_line, run, until)
from lttng_relay import Viewer as OurViewer  # noqa: E402
from relay_harness import LIVE, Relayd, Serve  # noqa: E402

ROUND = 1000


def numbers(found):
    return [event["fields"]["target_pid"] for event in found if event["event"] == "sys.getpgid"]


def stored(trace):
    """The calls in it, which babeltrace2 reads without a complaint as well."""
    got = sorted(numbers(events(trace, "-e", "sys.enter", good=None)))
    lines = run("babeltrace2", trace).stdout.splitlines()
    equal("calls that babeltrace2 reads in " + trace, sum(" sys.getpgid: " in line for line in lines), len(got))
    return got


def complete(what, got, want, first=0):
    """@got, sorted, is all from @first to @want."""
    check(got == list(range(first, want)), "%s: %d calls, %d of them different, want %d" % (
        what, len(got), len(set(got)), want - first))


def union(traces):
    return sorted(set().union(*map(stored, traces)))


class Push(Recorder):
    """With @patience: of what only seems to stand still on a busy machine it must not give up the relay."""

    def __init__(self, net, actor, relay, patience="60s"):
        with net.inside(net.a):
            super().__init__("-e", "sys.enter", "--pid", str(actor.pid), "--syscall", "getpgid", "--push",
                             relay.url(), "--push-patience", patience, "--flush", "50ms", "--name", "broken")


class Viewer(OurViewer):
    """`sonde print` of the session, in the namespace @where, that has all of it."""

    def __init__(self, net, where, url, *options):
        with net.inside(where):
            super().__init__(url, "--from", "beginning", *options)

    def calls(self):
        return numbers(self.events())

    def waits_for(self, count):
        until(lambda: len(set(self.calls())) == count, "the viewer has seen %d calls" % count)


def session_url(net, relay, address):
    """As the newest of our recorder's sessions is called there."""
    with net.inside(relay.namespace):
        until(lambda: [url for url in relay.sessions() if url.endswith("/broken")], "the session is there")
    return "net://%s:%d/host/%s/broken" % (address, LIVE, os.uname().nodename)


def link(net, state):
    run("ip", "-n", net.b, "link", "set", "v0", state)


def recorder_killed(net, kind):
    """What it pushed is whole, the viewer sees that and the end, and the relay takes the next one."""
    actor, relay = Actor("rounds", str(ROUND)), kind(net, net.b)
    recorder = Push(net, actor, relay)
    viewer = Viewer(net, net.b, session_url(net, relay, "127.0.0.1"))
    actor.act()
    viewer.waits_for(ROUND)
    recorder.kill()
    viewer.wait()
    complete("viewer behind a recorder that was killed", viewer.calls(), ROUND)
    trace, = relay.traces()
    complete("relay behind a recorder that was killed", stored(trace), ROUND)
    complete("directory of a recorder that was killed", stored(recorder.trace), ROUND)
    # LTTng's relay has one folder for all sessions of a name that begin in one second.
    begun = int(time.time())
    until(lambda: int(time.time()) > begun, "the next second begins")
    recorder = Push(net, actor, relay)
    actor.act()
    equal("exit status of the next recorder", recorder.stop(), 0)
    complete("the next recorder", stored(relay.traces()[-1]), 2 * ROUND, first=ROUND)
    actor.kill()
    relay.kill()


def relay_killed(net):
    """Ours (push.py has LTTng's): the recorder goes on, and so does the viewer."""
    actor, relay = Actor("rounds", str(ROUND)), Serve(net, net.b)
    recorder = Push(net, actor, relay)
    viewer = Viewer(net, net.b, session_url(net, relay, "127.0.0.1"))
    actor.act()
    viewer.waits_for(ROUND)
    relay.kill()
    actor.act()
    until(lambda: "trying to connect again" in viewer.said(), "the viewer says that the relay has gone")
    relay.start()
    until(lambda: "connected again" in viewer.said(), "the viewer has come back")
    actor.act()
    until(lambda: 3 * ROUND - 1 in viewer.calls(), "the viewer goes on")
    equal("exit status, relay killed", recorder.stop(), 0)
    check("waits in memory" in recorder.stderr and "the relay is there" in recorder.stderr,
          "the recorder does not say that the relay has gone and come: " + recorder.stderr)
    viewer.wait()
    complete("directory, relay killed", stored(recorder.trace), 3 * ROUND)
    complete("both sessions, relay killed", union(relay.traces()), 3 * ROUND)
    actor.kill()
    relay.kill()


def viewer_killed(net):
    actor, relay = Actor("rounds", str(ROUND)), Serve(net, net.b)
    recorder = Push(net, actor, relay)
    url = session_url(net, relay, "127.0.0.1")
    victim, other = (Viewer(net, net.b, url) for unused in range(2))
    babeltrace = relay.view("broken")
    actor.act()
    for viewer in victim, other:
        viewer.waits_for(ROUND)
    until(lambda: babeltrace.lines(), "babeltrace2 sees something")
    victim.stop()
    babeltrace.kill()
    actor.act()
    other.waits_for(2 * ROUND)
    equal("exit status, viewers killed", recorder.stop(), 0)
    equal("exit status of the other viewer", other.wait(), 0)
    complete("other viewer", other.calls(), 2 * ROUND)
    complete("relay, viewers killed", union(relay.traces()), 2 * ROUND)
    actor.kill()
    relay.kill()


def network_down(net, kind):
    """For longer than there is patience, between the recorder and the relay."""
    actor, relay = Actor("rounds", str(ROUND)), kind(net, net.b)
    recorder = Push(net, actor, relay, "5s")
    actor.act()
    until(lambda: relay.traces() and stored_enough(relay.traces()[0], recorder), "the first round is stored")
    link(net, "down")
    actor.act()
    line = read_line(recorder.process.stderr)
    check("waits in memory" in line, "it says: " + line)
    link(net, "up")
    line = read_line(recorder.process.stderr)
    check("the relay is there" in line, "it says: " + line)
    actor.act()
    equal("exit status, network down", recorder.stop(), 0)
    complete("directory, network down", stored(recorder.trace), 3 * ROUND)
    complete("both sessions, network down", union(relay.traces()), 3 * ROUND)
    actor.kill()
    relay.kill()


def stored_enough(trace, recorder):
    """As much as the recorder has in its own directory, of a stream of events at least."""
    names = [name for name in os.listdir(recorder.trace) if name.startswith("cpu")]
    return any(os.path.exists(trace + "/" + name) and os.path.getsize(trace + "/" + name) for name in names)


def network_down_before_viewers(net):
    """Between a recorder that serves and its viewer: the one is not disturbed, the other comes back."""
    actor = Actor("rounds", str(ROUND))
    with net.inside(net.b):
        recorder = Recorder("-e", "sys.enter", "--pid", str(actor.pid), "--syscall", "getpgid", "--flush", "50ms",
                            "--name", "broken", "--serve=0.0.0.0:%d" % LIVE, "--insecure")
    viewer = Viewer(net, net.a, "net://%s:%d/host/%s/broken" % (net.v4[net.b], LIVE, os.uname().nodename))
    actor.act()
    viewer.waits_for(ROUND)
    link(net, "down")
    actor.act()
    until(lambda: "trying to connect again" in viewer.said(), "the viewer says that it is lost")
    link(net, "up")
    until(lambda: "connected again" in viewer.said(), "the viewer has come back")
    actor.act()
    until(lambda: 3 * ROUND - 1 in viewer.calls(), "the viewer goes on")
    equal("exit status of who serves", recorder.stop(), 0)
    viewer.wait()
    complete("directory of who serves", stored(recorder.trace), 3 * ROUND)
    equal("calls that the viewer saw twice", len(viewer.calls()), len(set(viewer.calls())))
    actor.kill()


def main():
    require_root()
    if not shutil.which("babeltrace2"):
        missing("babeltrace2 is not installed")
    net = Net()
    network_down_before_viewers(net)
    for kind in Relayd, Serve:
        recorder_killed(net, kind)
        network_down(net, kind)
    relay_killed(net)
    viewer_killed(net)
    finish()


main()
