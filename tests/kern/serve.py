#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""sonde record --serve, and sonde serve beside a recorder: babeltrace2 sees live what is recorded, to the last
event; what viewers are told of idle streams holds to the end, under load too; and whoever of the recorder,
the relay and the viewer is killed, the others go on, and what is on disk is whole."""
import os
import re
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "interop"))
from harness import (PATIENCE, SONDE, Actor, Recorder, check, cleanups, equal, finish,  # noqa: E402
                     fresh, missing, read_line, require_root, run, until)
from certificates import Authority  # noqa: E402
from live_viewer import DETACH_OK, HUP, STREAMS_HUP, Relay, Viewer, Watcher, join  # noqa: E402

CALLS = 2000
SILENCE = 6  # seconds: longer than a relay waits for viewers that take nothing


class Serving(Recorder):
    """`sonde record --serve`; what it says first is where."""

    def __init__(self, *args):
        super().__init__("--serve=127.0.0.1:0", "--name", "live", *args)
        self.url = read_line(self.process.stderr).strip()
        self.port = int(re.match(r"net://localhost:(\d+)/host/\S+/live$", self.url)[1])


def sure(line):
    """babeltrace2 2.0.4 shows an empty string as that of an earlier event, whichever it was: what it shows of a path of
    which only the NUL is there says nothing."""
    return re.sub(r'path = "[^"]*", path_bytes = 1 ', "path_bytes = 1 ", line)


class Babeltrace2:
    """It asks for what comes next, so it must be attached before that comes."""

    def __init__(self, url, nth=1):
        self.name = fresh("out")
        with open(self.name, "w", encoding="utf-8") as out:
            self.process = subprocess.Popen(
                ["babeltrace2", "--no-delta", "-i", "lttng-live", url], stdout=out,
                stderr=subprocess.PIPE, text=True)
        cleanups.append(self.process.kill)
        asking = Viewer(int(re.search(r":(\d+)/", url)[1]))
        until(lambda: asking.list()[0]["viewers"] >= nth, "babeltrace2 is attached")

    def lines(self, what=""):
        with open(self.name, encoding="utf-8") as out:
            return [sure(line) for line in out.read().splitlines() if what in line]

    def end(self):
        """What it has seen when it ends by itself."""
        unused, errors = self.process.communicate(timeout=PATIENCE)
        check(" E " not in errors, errors[:2000])
        equal("exit status of babeltrace2", self.process.returncode, 0)
        return self.lines()


def on_disk(trace, what=""):
    """What babeltrace2 reads there, which knows nothing of compressed packets."""
    if os.path.exists(os.path.join(trace, "recorder.zst")):
        run(SONDE, "convert", trace, "-o", trace + "-plain")
        trace += "-plain"
    lines = run("babeltrace2", "--no-delta", trace).stdout.splitlines()
    return [sure(line) for line in lines if what in line]


def same(seen, want):
    at = next((i for i, pair in enumerate(zip(seen, want)) if pair[0] != pair[1]),
              min(len(seen), len(want)))
    check(seen == want, "%d lines are seen, want %d; line %d is %s, want %s" % (
        len(seen), len(want), at, seen[at:at + 2], want[at:at + 2]))


def of_event(line):
    """A line without the packet's context: packets are others where they are written again."""
    return re.sub(r": \{[^}]*\}, ", ": ", line, count=1)


def beside(*options, number=signal.SIGINT):
    """Of one task, whose events come in rounds: each is seen while the recorder runs, though most CPUs are
    silent, and in the end all of them."""
    actor = Actor("rounds", str(CALLS))
    recorder = Serving("-e", "sys.enter", "--pid", str(actor.pid), "--syscall", "getpgid",
                       *options)
    viewers = [Babeltrace2(recorder.url, nth) for nth in (1, 2)]
    for i in range(3):
        actor.act()
        until(lambda: len(viewers[0].lines(" sys.getpgid:")) == (i + 1) * CALLS,
              "a round is seen")
        check(viewers[0].process.poll() is None, "it ended before the recorder")
    equal("exit status of sonde record", recorder.stop(number), 0)
    event = of_event if "--compress" in options else str
    want = [event(line) for line in on_disk(recorder.trace, " sys.getpgid:")]
    equal("events", len(want), 3 * CALLS)
    for viewer in viewers:
        viewer.end()
        same([event(line) for line in viewer.lines(" sys.getpgid:")], want)
    actor.kill()


def under_load():
    """Every rule of the protocol, for a viewer that is as quick as it can be, and metadata that grows."""
    recorder = Serving("-e", "sched,sys", "--flush", "10ms", "--buffer", "4M")
    watcher = Watcher(recorder.port)
    load = [subprocess.Popen(["sh", "-c", "while :; do ls / >/dev/null; done"])
            for unused in range(2)]
    cleanups.extend(one.kill for one in load)
    until(lambda: watcher.read() and watcher.count() > 300, "300 packets are seen")
    length = len(watcher.text)
    run(SONDE, "enable", "-r", "live", "fs.read")
    until(lambda: watcher.read() and len(watcher.text) > length, "more metadata is seen")
    count = watcher.count()
    until(lambda: watcher.read() and watcher.count() > count + 100, "100 packets more are seen")
    for one in load:
        one.kill()
        one.wait()
    recorder.send(signal.SIGINT)
    until(lambda: set(watcher.read().values()) == {HUP}, "all hang up")
    equal("over", watcher.viewer.new_streams(1), (STREAMS_HUP, []))
    time.sleep(0.5)  # a viewer on a busy machine takes its time to say that it has seen the end
    equal("detached", watcher.viewer.detach(1), DETACH_OK)
    check(recorder.wait() in (0, 3), "sonde record failed: " + recorder.stderr)
    with open(os.path.join(recorder.trace, "metadata"), "rb") as file:
        equal("metadata", join(watcher.text) == file.read(), True)
    for channel, packets in watcher.packets.items():
        name = os.path.join(recorder.trace, "index", channel + ".idx")
        entries = (os.path.getsize(name) - 16) // 72 if os.path.exists(name) else 0
        equal("packets of " + channel, len(packets), entries)


def somebody_is_killed():
    recorder = Serving("-e", "sched")
    viewer = Babeltrace2(recorder.url)
    until(lambda: viewer.lines(), "events are seen")
    viewer.process.kill()
    watcher = Watcher(recorder.port)
    until(lambda: watcher.read() and watcher.count(), "another viewer goes on")
    relay = Relay("--replay", recorder.trace)
    beside_it = Watcher(relay.port)
    recorder.kill()
    try:
        watcher.read()
        check(False, "who serves is dead, and serves")
    except (EOFError, OSError):
        pass
    until(lambda: set(beside_it.read().values()) == {HUP}, "all hang up")
    viewer = Babeltrace2(relay.urls[0], 2)
    same(viewer.end(), on_disk(recorder.trace))
    equal("exit status of sonde serve", relay.stop(), 0)


def silence():
    """A viewer that nothing has come to for long sees the end all the same."""
    actor = Actor("rounds", str(CALLS))
    recorder = Serving("-e", "sys.enter", "--pid", str(actor.pid), "--syscall", "getpgid")
    viewer = Babeltrace2(recorder.url)
    time.sleep(SILENCE)
    equal("exit status of sonde record", recorder.stop(), 0)
    seen = viewer.end()
    check(any("sonde.state:" in line and "STOP" in line for line in seen), "the end is not seen")
    same(seen, on_disk(recorder.trace)[-len(seen):])
    actor.kill()


def certificates():
    """Who has one sees what is recorded, to the end; who has none is turned away, and the recorder says so."""
    authority = Authority()
    ours = authority.options(authority.sign("web1", "DNS:localhost"))
    actor = Actor("rounds", str(CALLS))
    recorder = Serving(*ours, "-e", "sys.enter", "--pid", str(actor.pid), "--syscall", "getpgid")
    seen = fresh("out")
    with open(seen, "w", encoding="utf-8") as out:
        viewer = subprocess.Popen([SONDE, "print", "--format", "json", *ours, recorder.url],
                                  stdout=out)
    cleanups.append(viewer.kill)
    actor.act()
    until(lambda: read(seen).count('"event":"sys.getpgid"') == CALLS, "a round is seen")
    refused = run(SONDE, "print", recorder.url, good=False)
    check(refused.returncode == 1 and "--tls-cert" in refused.stderr, refused.stderr)
    equal("exit status of sonde record", recorder.stop(), 0)
    check("rejected: it does not speak TLS" in recorder.stderr, recorder.stderr)
    equal("exit status of the viewer", viewer.wait(PATIENCE), 0)
    equal("events", read(seen) == run(SONDE, "print", "--format", "json", recorder.trace).stdout,
          True)
    actor.kill()


def read(name):
    with open(name, encoding="utf-8") as file:
        return file.read()


def nobody_comes():
    recorder = Serving("-e", "sched", "--compress")
    equal("exit status of sonde record", recorder.stop(), 0)
    refused = run(SONDE, "record", "--serve=0.0.0.0:0", "-d", "1ms", "-o", fresh(), good=False)
    equal("everywhere", (refused.returncode, "--insecure" in refused.stderr), (5, True))


def main():
    require_root()
    if not shutil.which("babeltrace2"):
        missing("babeltrace2 is not installed")
    nobody_comes()
    certificates()
    silence()
    beside()
    beside("--flush", "20ms", number=signal.SIGTERM)  # as service managers do
    beside("--compress")
    under_load()
    somebody_is_killed()
    finish()


main()
