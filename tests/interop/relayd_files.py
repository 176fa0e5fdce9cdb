#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""More streams than file descriptors: sonde serve, also under the name lttng-relayd with --fd-pool-size, stores all bytes of
all streams, publishes a directory of them, and viewers see all events; files of idle streams are closed meanwhile, and not taken for others when they are
opened again. Streamers: a script, and LTTng-UST, whose session is read live too."""
import contextlib
import json
import os
import resource
import socket
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kern"))
from harness import PATIENCE, SONDE, check, cleanups, equal, finish, fresh, path, run, until  # noqa: E402
from fake_relay import Packets  # noqa: E402
from ingest_client import CLOSE_STREAM, NONE, OK, SEND_METADATA, STREAMS_SENT, Control, Data  # noqa: E402
from live_fake import PLAIN, made  # noqa: E402
from lttng_relay import TIMER_US, Viewer, answers, free_ports  # noqa: E402
from lttng_session import Lttng, ust_program  # noqa: E402
from side_by_side import compare_trace  # noqa: E402

FILES = 100  # the least that lttng-relayd takes
STREAMS, ROUNDS, EVENTS = 300, 4, 3
CHANNELS = 60


class Relay:
    """@few: descriptors; None = enough. By its own name it has the option, by the other the limit of the process."""

    def __init__(self, few, classic, published=()):
        self.output, self.log, ports = fresh("store"), fresh("log"), free_ports(3)
        os.mkdir(self.output)
        self.control, self.data, self.live = ports
        options = ["--%s=%s127.0.0.1:%d" % (name + ("-port" if classic else ""), "tcp://" if classic else "", port)
                   for name, port in zip(("control", "data", "live"), ports)]
        command = [path("bin") + "/lttng-relayd" if classic else SONDE, *([] if classic else ["serve"]), *options,
                   "-o", self.output, *published]
        if few and classic:
            command.append("--fd-pool-size=%d" % few)
        limit = (few, few) if few and not classic else None
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stderr=log, env=dict(os.environ, LTTNG_HOME=path("home")),
                preexec_fn=lambda: limit and resource.setrlimit(resource.RLIMIT_NOFILE, limit))
        cleanups.append(self.process.kill)
        until(lambda: self.process.poll() is not None or all(map(answers, ports)), "it listens")
        equal("it runs", self.process.poll(), None)

    def said(self):
        with open(self.log, encoding="utf-8") as text:
            return text.read()

    def open_files(self):
        folder, found = "/proc/%d/fd" % self.process.pid, []
        for name in os.listdir(folder):
            with contextlib.suppress(FileNotFoundError):  # closed since
                found.append(os.readlink(folder + "/" + name))
        return found

    def status(self):
        return json.loads(run(SONDE, "status", "--json", str(self.process.pid)).stdout)

    def stop(self, status=0):
        self.process.terminate()
        equal("exit status", self.process.wait(PATIENCE), status)


class Session:
    """Streams of one trace, @size and @count as of tracefiles, and their events, which come by rounds."""

    def __init__(self, relay, name, streams, size=0, count=0):
        self.control, self.data = Control(relay.control), Data(relay.data)
        equal("a session", self.control.create(name), OK)
        self.control.path()
        equal("a chunk", self.control.chunk(), OK)
        added = [self.control.add("ch_%d" % i, "ust", size, count) for i in range(streams)]
        equal("codes of all streams", {code for unused, code in added}, {OK})
        self.handles = [handle for handle, unused in added]
        self.metadata, code = self.control.add("metadata", "ust")
        equal("code of metadata", code, OK)
        self.control.send(SEND_METADATA, struct.pack(">QI", self.metadata, 0) + PLAIN)
        self.control.send(STREAMS_SENT)
        equal("streams are sent", self.control.code(), OK)
        self.packets, self.number = [Packets(i % 2) for i in range(streams)], 0
        self.bytes = [0] * streams

    def round(self):
        """A packet of each stream, and then what is said of it. The packets' lengths."""
        steps = [packets.pack(made(1000000 * self.number + 1000 + i, EVENTS)) for i, packets in enumerate(self.packets)]
        sizes = [len(step.data) for step in steps]
        self.bytes = [before + size for before, size in zip(self.bytes, sizes)]
        for handle, step in zip(self.handles, steps):
            self.data.send(handle, self.number, step.data[:-8], 8)
        for handle, step in zip(self.handles, steps):
            self.control.send(13, struct.pack(">10Q", handle, self.number, step.bits, step.bits - 320, step.begin, step.end,
                                              0, 0, 0, self.number))
            equal("code of an index", self.control.code(), OK)
        until(lambda: not any(self.control.pending(handle, self.number) for handle in self.handles), "all is there")
        self.number += 1
        return sizes

    def end(self):
        for handle in self.handles:
            self.control.send(CLOSE_STREAM, struct.pack(">QQ", handle, self.number - 1))
            equal("code", self.control.code(), OK)
        self.control.send(CLOSE_STREAM, struct.pack(">QQ", self.metadata, NONE))
        equal("code", self.control.code(), OK)
        self.control.socket.close()
        self.data.socket.close()


def tree(relay):
    """What it has stored, without its mark."""
    files = {}
    for folder, unused, names in os.walk(relay.output):
        for name in names:
            where = os.path.join(folder, name)
            with open(where, "rb") as file:
                if not name.startswith("."):
                    files[os.path.relpath(where, relay.output)] = file.read()
    return files


def streamed(relay, few, size=0, count=0):
    """A session with a viewer from its middle on. What was stored, and what the viewer saw."""
    session = Session(relay, "many", STREAMS, size, count)
    session.round()
    viewer = Viewer("net://127.0.0.1:%d/host/here/many" % relay.live)
    until(lambda: relay.status()["sessions"][0]["viewers"] == 1, "the viewer is attached")
    for unused in range(ROUNDS - 1):
        session.round()
        used = len(relay.open_files())
        check(not few or used <= few, "%d descriptors are used" % used)
    status = relay.status()
    session.end()
    equal("status of the viewer (%s; %s)" % (viewer.said(), relay.said()), viewer.wait(), 0)
    return tree(relay), sorted(map(json.dumps, viewer.events())), status


def many_streams():
    """Byte for byte what is stored and shown with as many files as it likes; the second time streams have two files each."""
    for size, count in (0, 0), (600, 2):
        relay = Relay(None, False)
        stored, seen, status = streamed(relay, None, size, count)
        relay.stop()
        equal("files that were parked without need", (status["files_parked"], status["files_reopened"]), (0, 0))
        check(len(stored) >= 2 * STREAMS, "%d files" % len(stored))
        equal("events that were seen", len(seen), STREAMS * ROUNDS * EVENTS)
        for classic in True, False:
            relay = Relay(FILES, classic)
            few_stored, few_seen, status = streamed(relay, FILES, size, count)
            equal("files", sorted(few_stored), sorted(stored))
            equal("files that differ", [name for name in stored if stored[name] != few_stored[name]], [])
            check(few_seen == seen, "the viewer sees something else: %d events" % len(few_seen))
            check(status["files_open"] < FILES < status["files_parked"] and status["files_reopened"] > STREAMS, status)
            equal("files that were lost", status["files_lost"], 0)
            equal("times it says that it closes files", relay.said().count("files of streams that are idle are closed"), 1)
            check("rejected" not in relay.said() and " closed: " not in relay.said(), relay.said())
            relay.stop()


def published():
    """A directory whose files are more than descriptors: one that a relay has stored."""
    relay = Relay(None, False)
    unused, seen, unused = streamed(relay, None)
    relay.stop()
    folder = next(folder for folder, unused, files in os.walk(relay.output) if "metadata" in files)
    relay = Relay(FILES, False, (folder,))
    until(lambda: "/host/" in relay.said(), "the directory is announced")
    check(len(relay.open_files()) <= FILES, "%d descriptors are used" % len(relay.open_files()))
    url = next(line.split()[-1] for line in relay.said().splitlines() if "/host/" in line)
    for unused in range(2):
        viewer = Viewer(url.replace("localhost", "127.0.0.1", 1))
        equal("status of the viewer (%s; %s)" % (viewer.said(), relay.said()), viewer.wait(), 0)
        check(sorted(map(json.dumps, viewer.events())) == seen, "it sees something else: %d events" % len(viewer.events()))
    status = relay.status()
    check(status["files_open"] < FILES < status["files_parked"] and status["files_reopened"] > STREAMS, status)
    equal("files that were lost", status["files_lost"], 0)
    check("not served" not in relay.said(), relay.said())
    relay.stop()


def replaced():
    """A file that was replaced while it was closed is not written to, its packets are counted; all other streams go on, also
    those of the same connections."""
    relay = Relay(FILES, True)
    session, other = Session(relay, "replaced", STREAMS), Session(relay, "other", 2)
    session.round()
    other.round()
    folder = os.path.join(os.path.realpath(relay.output), next(one["path"] for one in relay.status()["sessions"]
                                             if one["name"] == "replaced"), "ust")
    used = relay.open_files()
    closed = next(i for i in range(STREAMS) if "%s/ch_%d" % (folder, i) not in used)
    name = "%s/ch_%d" % (folder, closed)
    os.rename(name, name + ".kept")
    with open(name, "wb") as file:
        file.write(b"another file" * 100)
    sizes = session.round()
    with open(name, "rb") as file:
        equal("the other file", file.read(), b"another file" * 100)
    check("ust/ch_%d, a file of a stream, cannot be opened again: another file has its name" % closed in relay.said(),
          relay.said())
    check("stream ust/ch_%d is not stored any more" % closed in relay.said(), relay.said())
    status = relay.status()
    equal("what was lost", {key: status[key] for key in ("files_lost", "lost_streams", "lost_packets", "lost_bytes")},
          {"files_lost": 1, "lost_streams": 1, "lost_packets": 1, "lost_bytes": sizes[closed]})
    text = run(SONDE, "status", str(relay.process.pid)).stdout
    check("files of streams are open, files were opened again" in text and ", 1 could not be" in text, text)
    check("lost packets: 1 (" in text and "lost streams: 1 " in text, text)
    sizes = [first + second for first, second in zip(sizes, session.round())]
    other.round()
    other.end()
    session.end()
    until(lambda: not relay.status()["incoming"], "the sessions have ended")
    check("the trace is incomplete: packets that were not stored: 2 (" in relay.said(), relay.said())
    stored = {i: os.path.getsize("%s/ch_%d" % (folder, i)) for i in range(STREAMS) if i != closed}
    equal("bytes of the other streams", stored, {i: session.bytes[i] for i in range(STREAMS) if i != closed})
    equal("bytes that were lost", relay.status()["lost_bytes"], sizes[closed])
    relay.stop(3)
    check("packets that were not stored: 2 (" in relay.said().splitlines()[-1], relay.said())


def create_wide(lttng, relay, name, *options):
    """A session of LTTng with CHANNELS channels."""
    lttng.lttng("create", name, "--set-url=net://127.0.0.1:%d:%d" % (relay.control, relay.data), *options)
    for i in range(CHANNELS):
        lttng.lttng("enable-channel", "--userspace", "--session=" + name, "--subbuf-size=4096", "--num-subbuf=4", "ch%d" % i)
        lttng.lttng("enable-event", "--userspace", "--session=" + name, "--channel=ch%d" % i, "sonde_test:integers")


def of_lttng(lttng, ust):
    """CHANNELS channels, each with a stream for each CPU: two files of each are written twice."""
    relay = Relay(FILES, True)
    create_wide(lttng, relay, "wide")
    for unused in range(2):
        lttng.lttng("start", "wide")
        lttng.run(ust, "10", "0")
        lttng.lttng("stop", "wide")
        check(len(relay.open_files()) <= FILES, "%d descriptors are used" % len(relay.open_files()))
    status = relay.status()
    lttng.lttng("destroy", "wide")
    check(status["files_reopened"] > 0, status)
    equal("files that were lost", status["files_lost"], 0)
    traces = [folder for folder, unused, files in os.walk(relay.output) if "metadata" in files]
    equal("traces", len(traces), 1)
    equal("events", len(compare_trace(traces[0], True)), 2 * 2 * 10 * CHANNELS)
    check("rejected" not in relay.said() and " closed: " not in relay.said(), relay.said())
    relay.stop()


def live_of_lttng(lttng, ust):
    """The viewer is there before the programs: the metadata, of many packets, grows while it reads. Each program waits for
    its data to be shown, so that none of it is a matter of the session's end."""
    relay = Relay(FILES, True)
    create_wide(lttng, relay, "live", "--live=%d" % TIMER_US)
    lttng.lttng("start", "live")
    until(lambda: any(one["name"] == "live" for one in relay.status()["sessions"]), "the session is known")
    viewer = Viewer("net://127.0.0.1:%d/host/%s/live" % (relay.live, socket.gethostname()))
    for i in range(2):
        lttng.run(ust, "10", "0")
        until(lambda runs=i + 1: viewer.lines() == runs * 2 * 10 * CHANNELS or viewer.process.poll() is not None,
              "the viewer shows all")
    lttng.lttng("destroy", "--no-wait", "live")
    equal("status of the viewer (%s; %s)" % (viewer.said(), relay.said()), viewer.wait(), 0)
    equal("events", len(viewer.events()), 2 * 2 * 10 * CHANNELS)
    relay.stop()


def main():
    os.mkdir(path("home"))
    os.mkdir(path("bin"))
    os.symlink(SONDE, path("bin") + "/lttng-relayd")
    many_streams()
    published()
    replaced()
    lttng = Lttng()
    ust = lttng.program(ust_program())
    of_lttng(lttng, ust)
    live_of_lttng(lttng, ust)
    finish()


main()
