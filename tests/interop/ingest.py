#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""sonde serve in the place of lttng-relayd: sessions of LTTng-UST stream to it, live and not, are cleared and
rotated, with applications that come and go; what is stored, and what viewers see, is what was emitted."""
import os
import re
import shutil
import signal
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kern"))
from harness import (PATIENCE, SONDE, check, cleanups, equal, finish, fresh, missing, run,  # noqa: E402
                     stats, until)
from lttng_session import Lttng, ust_program  # noqa: E402
from side_by_side import compare_trace  # noqa: E402

ROUNDS, BURST = 60, 40
EVENTS = 2 * (ROUNDS * 6 + BURST)  # of one run of the program: two threads


class Serve:
    """`sonde serve`, whose ports the kernel has picked."""

    def __init__(self):
        self.output = fresh("store")
        os.mkdir(self.output)
        self.log = fresh("serve")
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                [SONDE, "serve", "--live", ":0", "--control", ":0", "--data", ":0", "-o", self.output],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=log)
        cleanups.append(self.kill)
        where = r"localhost:(\d+):(\d+) stores in .*localhost:(\d+) shows"
        until(lambda: re.search(where, self.said()) or self.process.poll() is not None, "it listens")
        told = re.search(where, self.said())
        self.control, self.data, self.live = (int(told[i]) for i in (1, 2, 3))

    def said(self):
        with open(self.log, encoding="utf-8") as file:
            return file.read()

    def url(self):
        return "net://127.0.0.1:%d:%d" % (self.control, self.data)

    def traces(self, below=""):
        return sorted(folder for folder, unused, files in os.walk(os.path.join(self.output, below))
                      if "metadata" in files)

    def stop(self):
        self.process.terminate()
        return self.process.wait(PATIENCE)

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()


class Session:
    def __init__(self, lttng, serve, name, *create, channel=()):
        self.lttng, self.name = lttng, name
        lttng.lttng("create", name, "--set-url=" + serve.url(), *create)
        lttng.lttng("enable-channel", "--userspace", "--session=" + name, *channel, "ch")
        lttng.lttng("enable-event", "--userspace", "--session=" + name, "--channel=ch", "sonde_test:*")
        lttng.lttng("start", name)

    def __getattr__(self, verb):
        return lambda *args: self.lttng.lttng(verb, *args, self.name)


def emitted(traces):
    return sum(stats(trace)["events"] for trace in traces)


def same_as_babeltrace(what, traces, count):
    equal("events of " + what, sum(len(compare_trace(trace, True)) for trace in traces), count)


def shown(name):
    with open(name, encoding="utf-8", errors="replace") as file:
        return sum("sonde_test:" in line for line in file)


class Viewer:
    """babeltrace2, attached to a live session."""

    def __init__(self, serve, name):
        relay = "net://127.0.0.1:%d" % serve.live
        until(lambda: self.find(relay, name), "session %s is listed" % name)
        self.url = self.find(relay, name)
        self.output = fresh("viewer")
        with open(self.output, "wb") as out, open(self.output + ".err", "wb") as err:
            self.process = subprocess.Popen(["babeltrace2", "-i", "lttng-live", self.url],
                                            stdout=out, stderr=err)
        cleanups.append(self.process.kill)
        until(lambda: self.find(relay, name) and re.search(r"/%s .* 1 client" % name, self.listing),
              "the viewer is attached")

    def find(self, relay, name):
        self.listing = run("babeltrace2", "-i", "lttng-live", relay, good=False).stdout
        found = re.search(r"^(net://\S+/host/[^/]+/%s) " % name, self.listing, re.M)
        return found and found[1]

    def events(self):
        """How many it has shown, when the session is over."""
        self.process.wait(PATIENCE)
        return shown(self.output)


def plain(lttng, serve, ust):
    session = Session(lttng, serve, "plain")
    for unused in range(2):
        lttng.run(ust, str(ROUNDS), str(BURST))
    session.stop()
    session.destroy()
    traces = serve.traces()
    equal("traces of a session", len(traces), 1)
    check(re.search(r"/[^/]+/plain-\d{8}-\d{6}/ust/uid/\d+/64-bit$", traces[0]), traces[0])
    check(os.path.exists(traces[0] + "/index/ch_0.idx"), "there is no index")
    same_as_babeltrace("a session", traces, 2 * EVENTS)


def live(lttng, serve, ust):
    before = set(serve.traces())
    session = Session(lttng, serve, "live", "--live=200000")
    viewer = Viewer(serve, "live")
    for unused in range(3):
        lttng.run(ust, str(ROUNDS), str(BURST))
    session.stop()
    session.destroy()
    traces = sorted(set(serve.traces()) - before)
    equal("traces of a live session", len(traces), 1)
    same_as_babeltrace("a live session", traces, 3 * EVENTS)
    equal("events that the viewer saw", viewer.events(), 3 * EVENTS)


def by_process(lttng, serve, ust):
    """Each application is a trace of its own, which comes and goes."""
    before = set(serve.traces())
    session = Session(lttng, serve, "by_process", "--live=200000", channel=("--buffers-pid",))
    for unused in range(3):
        lttng.run(ust, str(ROUNDS), str(BURST))
    session.stop()
    session.destroy()
    traces = sorted(set(serve.traces()) - before)
    equal("traces by process", len(traces), 3)
    same_as_babeltrace("a session by process", traces, 3 * EVENTS)


def rotated(lttng, serve, ust):
    before = set(serve.traces())
    session = Session(lttng, serve, "rotated")
    lttng.run(ust, str(ROUNDS), str(BURST))
    session.rotate()
    for unused in range(2):
        lttng.run(ust, str(ROUNDS), str(BURST))
    session.rotate()
    session.stop()
    session.destroy()
    traces = sorted(set(serve.traces()) - before)
    archives = [trace for trace in traces if re.search(
        r"/rotated-[\d-]+/archives/\d{8}T\d{6}[+-]\d{4}-\d{8}T\d{6}[+-]\d{4}-\d+/ust/", trace)]
    equal("events in archives", [emitted([trace]) for trace in archives][:2], [EVENTS, 2 * EVENTS])
    same_as_babeltrace("a rotated session", traces, 3 * EVENTS)


def cleared(lttng, serve, ust):
    before = set(serve.traces())
    session = Session(lttng, serve, "cleared", "--live=200000")
    lttng.run(ust, str(ROUNDS), str(BURST))
    session.clear()
    lttng.run(ust, str(ROUNDS), str(BURST))
    session.stop()
    session.destroy()
    traces = sorted(set(serve.traces()) - before)
    same_as_babeltrace("a cleared session", traces, EVENTS)


class Ours:
    """Our viewer, of the same."""

    def __init__(self, viewer):
        self.output = fresh("ours")
        with open(self.output, "wb") as out, open(self.output + ".err", "wb") as err:
            self.process = subprocess.Popen([SONDE, "print", "--format", "json", "--from", "now", viewer.url],
                                            stdout=out, stderr=err)
        cleanups.append(self.process.kill)


def missed(lttng, serve, ust):
    """Viewers that are behind when a session is cleared: they go on with what is there, and are told of the rest by
    the numbers of packets."""
    before = set(serve.traces())
    session = Session(lttng, serve, "missed", "--live=200000")
    viewers = [Viewer(serve, "missed")]
    viewers.append(Ours(viewers[0]))
    lttng.run(ust, str(ROUNDS), str(BURST))
    for viewer in viewers:
        until(lambda: shown(viewer.output) == EVENTS, "the first run is seen")
        viewer.process.send_signal(signal.SIGSTOP)
    lttng.run(ust, str(ROUNDS), str(BURST))
    until(lambda: emitted(set(serve.traces()) - before) == 2 * EVENTS, "the second is here")
    session.clear()
    lttng.run(ust, str(ROUNDS), str(BURST))
    for viewer in viewers:
        viewer.process.send_signal(signal.SIGCONT)
    session.stop()
    session.destroy()
    for viewer, status, told in zip(viewers, (0, 3), ("discarded .* packet", "packets? overwritten")):
        equal("exit status of a viewer", viewer.process.wait(PATIENCE), status)
        equal("events that it saw", shown(viewer.output), 2 * EVENTS)
        with open(viewer.output + ".err", encoding="utf-8") as file:
            said = file.read()
        check(re.search(told, said), "it is not told what it missed: " + said)


def main():
    if not shutil.which("babeltrace2"):
        missing("babeltrace2 is not installed")
    made = ust_program()
    lttng = Lttng()
    ust = lttng.program(made)
    serve = Serve()
    for part in (plain, live, by_process, rotated, cleared, missed):
        part(lttng, serve, ust)
    check("rejected" not in serve.said(), serve.said())
    equal("exit status of serve", serve.stop(), 0)
    finish()


main()
