#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""sonde serve: babeltrace2 sees live what it reads from the same directories on disk, one viewer or
several, of traces of ours and of LTTng's; and each reply is what the protocol says, byte by byte."""
import os
import shutil
import socket
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kern"))
from harness import (PATIENCE, SONDE, check, cleanups, equal, finish, fresh, missing,  # noqa: E402
                     path, run)
from live_viewer import (DETACH, ERROR, HUP, LAST, NEW_METADATA, OK, STREAMS_HUP,  # noqa: E402
                         URL, Relay, Viewer, join)
from lttng_session import Lttng  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))


def synthetic(*args):
    trace = fresh("synthetic")
    run(sys.executable, os.path.join(HERE, "make_trace.py"), trace, *args)
    return trace


def babeltrace2(*args):
    """Its lines, without the time since the line before; of live streams it may have warned."""
    done = run("babeltrace2", "--no-delta", *args)
    check(" E " not in done.stderr and "CAUSED BY" not in done.stderr, done.stderr[:2000])
    return done.stdout.splitlines()


def live(url):
    return babeltrace2("-i", "lttng-live", url)


def same(what, got, want, in_order=True):
    """Events of one time have no order where several traces are merged."""
    if not in_order:
        got, want = sorted(got), sorted(want)
    if got != want:
        at = next((i for i, pair in enumerate(zip(got, want)) if pair[0] != pair[1]),
                  min(len(got), len(want)))
        check(False, "%s: %d lines, want %d; line %d: %r, want %r" % (
            what, len(got), len(want), at, got[at:at + 1], want[at:at + 1]))
    check(want, what + ": there is nothing to compare")


def several_directories():
    """Names are those of the directories, apart where they are equal; the list is as babeltrace2 has it."""
    one, two = synthetic("--events", "3000"), synthetic("--events", "500", "--lost", "--cpus", "3")
    other = os.path.join(path("other"), os.path.basename(two))
    shutil.copytree(two, other)
    relay = Relay(one, two, other)
    base = [os.path.basename(trace) for trace in (one, two, two + "-2")]
    equal("names", [URL.match(url).group(3) for url in relay.urls], base)
    lines = babeltrace2("-i", "lttng-live", "net://localhost:%d" % relay.port)
    equal("list", sorted(lines), sorted("%s (timer = 1000000, %d stream(s), 0 client(s) connected)" % pair
                                        for pair in zip(relay.urls, (3, 4, 4))))
    for trace, url in zip((one, two, two), relay.urls):
        same(url, live(url), babeltrace2(trace))
    equal("exit status", relay.stop(), 0)


def many_viewers():
    """Several of one session, at the same time and one after the other: each sees all."""
    trace = synthetic("--events", "20000")
    relay = Relay(trace)
    want = babeltrace2(trace)
    viewers = [subprocess.Popen(["babeltrace2", "--no-delta", "-i", "lttng-live", relay.urls[0]],
                                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
               for unused in range(4)]
    viewers[0].kill()
    viewers[0].communicate()
    for viewer in viewers[1:]:
        same("one of several", viewer.communicate(timeout=PATIENCE)[0].splitlines(), want)
    same("a later one", live(relay.urls[0]), want)


def compressed():
    """Frames are taken off: viewers know nothing of them."""
    trace, small = synthetic("--events", "20000", "--packet", "200000"), fresh("small")
    run(SONDE, "convert", trace, "-o", small, "--compress")
    check(any(name.endswith(".zst") for name in os.listdir(small)), "nothing is compressed")
    plain = fresh("plain")
    run(SONDE, "convert", trace, "-o", plain)
    relay = Relay(small)
    same("compressed", live(relay.urls[0]), babeltrace2(plain))


def user_space():
    """LTTng's: metadata in packets, one trace of all processes, or one of each in a session."""
    if not os.environ.get("SONDE_UST_PROGRAM"):
        missing("liblttng-ust-dev is not installed")
    lttng = Lttng()
    program = lttng.program(os.environ["SONDE_UST_PROGRAM"])
    one = lttng.record("one", program, "200", "50")
    three = lttng.record("three", program, "30", "9", channel=("--buffers-pid",),
                         contexts=("vpid", "vtid"), runs=3)
    folder = os.path.dirname(os.path.commonpath(three))
    relay = Relay(one[0], folder)
    same("one trace", live(relay.urls[0]), babeltrace2(one[0]))
    same("three traces", live(relay.urls[1]), babeltrace2(folder), in_order=False)
    check(any("/" in stream["path"] for stream in attached(relay, Viewer(relay.port).number_of(relay.urls[1]))[2]), "paths are flat")


def attached(relay, session, **more):
    viewer = Viewer(relay.port, **more)
    equal("CREATE", viewer.create(), 1)
    status, streams = viewer.attach(session)
    equal("ATTACH", status, 1)
    return viewer, next(stream for stream in streams if stream["metadata"]), [
        stream for stream in streams if not stream["metadata"]]


def read_metadata(trace):
    with open(os.path.join(trace, "metadata"), "rb") as file:
        return file.read()


def read_stream(viewer, trace, stream, pieces):
    """All packets of a finished one, to its end: the bytes must be those of the file, in pieces too."""
    with open(os.path.join(trace, stream["channel"]), "rb") as file:
        data = file.read()
    with open(os.path.join(trace, "index", stream["channel"] + ".idx"), "rb") as file:
        index = file.read()[16:]
    at = 0
    while True:
        reply = viewer.index(stream["id"])
        if reply["status"] != OK:
            break
        equal("index", struct.pack(">7Q", *list(reply.values())[:7]), index[at:at + 56])
        at += 72
        for start in range(0, reply["packet"] // 8, pieces):
            count = min(pieces, reply["packet"] // 8 - start)
            offset = reply["offset"] + start
            equal("packet", viewer.packet(stream["id"], offset, count),
                  (1, 0, data[offset:offset + count]))
    equal("end of a stream", (reply["status"], at), (HUP, len(index)))
    equal("HUP is all zeros", sum(list(reply.values())[:7]), 0)
    equal("again", viewer.index(stream["id"])["status"], HUP)


def replies():
    """Each command, and each status that it has."""
    trace = synthetic("--events", "2000")
    relay = Relay(trace)
    viewer = Viewer(relay.port)
    equal("CONNECT", viewer.hello[1:], (2, 15, 0))
    name = os.path.basename(trace)
    session = {"id": 1, "timer": 1000000, "viewers": 0, "streams": 3, "host": "vm", "name": name}
    equal("LIST", viewer.list(), [session])
    equal("LIST of 2.15", Viewer(relay.port, minor=15).list(), [dict(session, format=0)])
    equal("LIST of a later one", Viewer(relay.port, minor=99).list(), [dict(session, format=0)])
    equal("ATTACH before CREATE", viewer.attach(1), (6, []))
    equal("CREATE", viewer.create(), 1)
    equal("ATTACH of none", viewer.attach(7), (3, []))
    equal("ATTACH from where", viewer.attach(1, seek=3), (5, []))
    equal("NEW_STREAMS before ATTACH", viewer.new_streams(1), (3, []))
    equal("DETACH before ATTACH", viewer.detach(1), 2)
    status, streams = viewer.attach(1, LAST)
    equal("ATTACH", (status, [(s["metadata"], s["channel"]) for s in streams]),
          (1, [(1, "metadata"), (0, "cpu0_level0"), (0, "cpu1_level0")]))
    equal("one trace", len({stream["trace"] for stream in streams}), 1)
    equal("ATTACH twice", viewer.attach(1), (2, []))
    equal("viewers", Viewer(relay.port).list()[0]["viewers"], 1)
    metadata, *data = streams
    equal("first flags", viewer.index(data[0]["id"])["flags"], NEW_METADATA)
    equal("metadata", join(viewer.all_metadata(metadata["id"])), read_metadata(trace))
    equal("metadata again", viewer.metadata(metadata["id"]), (2, b""))
    equal("index of metadata", viewer.index(metadata["id"])["status"], HUP)
    equal("metadata of data", viewer.metadata(data[0]["id"]), (3, b""))
    equal("index of none", viewer.index(99)["status"], ERROR)
    equal("no flags", viewer.index(data[0]["id"])["flags"], 0)
    equal("no bytes", viewer.packet(data[0]["id"], 0, 0), (1, 0, b""))
    equal("nothing new", viewer.new_streams(1), (1, []))
    equal("DETACH", viewer.detach(1), 1)
    equal("an old stream", viewer.index(data[0]["id"])["status"], ERROR)
    status, (metadata, *data) = viewer.attach(1)
    equal("ATTACH once more", status, 1)
    equal("metadata from its beginning", join(viewer.all_metadata(metadata["id"])),
          read_metadata(trace))
    read_stream(viewer, trace, data[0], 1 << 30)
    equal("not over", viewer.new_streams(1), (1, []))
    read_stream(viewer, trace, data[1], 700)
    equal("over", viewer.new_streams(1), (STREAMS_HUP, []))
    equal("DETACH at the end", viewer.detach(1), 1)
    check(viewer.is_silent(), "more was sent than was asked for")


def odd_requests():
    """Real viewers tell wrong lengths, send in two pieces or many requests at once."""
    trace = synthetic("--events", "3000")
    relay = Relay(trace)
    viewer, metadata, streams = attached(relay, 1)
    viewer.request(DETACH, struct.pack(">Q", 99), size=12345)
    equal("wrong length", viewer.numbers(">I"), (2,))
    for byte in struct.pack(">QIIQ", 0, 6, 0, metadata["id"]):
        viewer.socket.sendall(bytes([byte]))
    count, status = viewer.numbers(">QI")
    equal("byte by byte", (status, count % 4096), (1, 0))
    viewer.receive(count)
    first = viewer.index(streams[0]["id"])
    with open(os.path.join(trace, streams[0]["channel"]), "rb") as file:
        data = file.read(first["packet"] // 8)
    starts = range(0, len(data) - 64, 16)
    viewer.socket.sendall(b"".join(
        struct.pack(">QIIQQI", 20, 5, 0, streams[0]["id"], start, 64) for start in starts))
    equal("at once", [viewer.packet_reply() for start in starts],
          [(1, 0, data[start:start + 64]) for start in starts])


def not_for_everybody():
    """CTF 2 is shown to those who can read it, and where others could connect, it takes a word."""
    trace = fresh("ctf2")
    run(SONDE, "convert", synthetic("--events", "200"), "-o", trace, "--format", "ctf2")
    relay = Relay(trace)
    equal("CTF 2 for an old viewer", Viewer(relay.port).list(), [])
    old = Viewer(relay.port)
    old.create()
    equal("ATTACH by an old viewer", old.attach(1), (3, []))
    new, metadata, unused = attached(relay, 1, minor=15)
    equal("format", new.list()[0]["format"], 1)
    equal("text", new.all_metadata(metadata["id"]), read_metadata(trace))
    refused = run(SONDE, "serve", "--live", "0.0.0.0:0", trace, good=False)
    equal("everywhere", (refused.returncode, "--insecure" in refused.stderr), (5, True))
    none = run(SONDE, "serve", "--live", ":0", os.path.join(trace, "index"), good=False)
    equal("no trace", (none.returncode, "no trace in it" in none.stderr), (1, True))


def inherited():
    """A socket that a service manager listens at, as descriptor 3."""
    trace = synthetic("--events", "500")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        os.dup2(listener.fileno(), 3)
        relay = subprocess.Popen(
            ["sh", "-c", 'LISTEN_PID=$$ LISTEN_FDS=1 exec "$@"', "sh", SONDE, "serve", trace],
            pass_fds=(3,), stderr=subprocess.PIPE, text=True)
        port = listener.getsockname()[1]
        os.close(3)
    cleanups.append(relay.kill)
    equal("where it is", int(URL.match(relay.stderr.readline()).group(1)), port)
    equal("sessions", len(Viewer(port).list()), 1)
    relay.terminate()
    equal("exit status", relay.wait(PATIENCE), 0)


def main():
    if not shutil.which("babeltrace2"):
        missing("babeltrace2 is not installed")
    replies()
    odd_requests()
    not_for_everybody()
    inherited()
    several_directories()
    many_viewers()
    compressed()
    user_space()
    finish()


main()
