#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""sonde serve -o --quota: what is stored stays within it, the oldest goes first, nothing goes that was not stored
there, and what is missing is counted where it was, for readers of what is stored and for live viewers."""
import json
import os
import shutil
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kern"))
from harness import SONDE, check, cleanups, equal, events, finish, fresh, run, until  # noqa: E402
from ingest_client import CLOSE_STREAM, OK, SEND_METADATA, STREAMS_SENT, Control, Data, Server  # noqa: E402
from lttng_session import Lttng, ust_program  # noqa: E402
from schema import described  # noqa: E402
from side_by_side import compare_trace  # noqa: E402

QUOTA = 1 << 20
PACKET = 16 << 10
SLACK = 64 << 10  # heads of files, and what is counted when it is there


def used(*folders):
    """Bytes of all files."""
    return sum(os.path.getsize(os.path.join(at, name)) for folder in folders
               for at, unused, names in os.walk(folder) for name in names if not name.startswith("."))


def status(server):
    asked = run(SONDE, "status", "--json", str(server.process.pid)).stdout
    return described("status", json.loads(asked))


class Session:
    def __init__(self, server, name, streams=1):
        self.server, self.name = server, name
        self.control = Control(server.control)
        equal("a session", self.control.create(name), OK)
        self.path = self.control.path().decode().rstrip("\0")
        equal("a chunk", self.control.chunk(), OK)
        self.handles = [self.control.add("ch_%d" % i)[0] for i in range(streams)]
        self.control.send(STREAMS_SENT)
        equal("code", self.control.code(), OK)
        self.data = Data(server.data)
        self.next = [0] * streams

    def packets(self, count, stream=0, size=PACKET):
        handle = self.handles[stream]
        for number in range(self.next[stream], self.next[stream] + count):
            self.data.send(handle, number, struct.pack(">Q", number) * (size // 8))
            self.control.index(handle, number, size)
            equal("code of an index", self.control.code(), OK)
        self.next[stream] += count
        until(lambda: self.control.pending(handle, self.next[stream] - 1) == 0, "all is there")

    def end(self):
        for handle, last in zip(self.handles, self.next):
            self.control.send(CLOSE_STREAM, struct.pack(">QQ", handle, last - 1))
            equal("code", self.control.code(), OK)
        before = status(self.server)["incoming"]
        self.data.socket.close()
        self.control.socket.close()
        until(lambda: status(self.server)["incoming"] < before, "the session has ended")

    def numbers(self, output, stream=0):
        """Of the packets that are still there."""
        folder = os.path.join(output, self.path, "ust")
        found = []
        for name in os.listdir(folder):
            if not name.startswith("ch_%d_" % stream):
                continue
            with open(os.path.join(folder, name), "rb") as file:
                data = file.read()
            found += [struct.unpack_from(">Q", data, at)[0] for at in range(0, len(data), PACKET)]
        return sorted(found)


def others(output):
    """What somebody else has put there, older and larger than all: a trace, and a copy of one that was stored there."""
    stored = Server(output)
    session = Session(stored, "copied")
    session.packets(4)
    session.end()
    equal("exit status", stored.stop(), 0)
    kept = [output + "/here/theirs", output + "/theirs"]
    shutil.move(os.path.join(output, session.path), output + "/moved")
    shutil.copytree(output + "/moved", kept[0])
    shutil.rmtree(output + "/moved")
    os.makedirs(kept[1])
    for name in "metadata", "ch_0":
        with open(kept[1] + "/" + name, "wb") as file:
            file.write(bytes(QUOTA))
        os.utime(kept[1] + "/" + name, (1, 1))
    return kept


def growing(output, kept):
    """One session, more than there is room for; and then others, for which it makes room."""
    before = [sorted(os.listdir(folder)) for folder in kept]
    server = Server(output, "--quota", "1M")
    session = Session(server, "long", 2)
    session.packets(1, 1)
    session.packets(200)
    left = session.numbers(output)
    check(left[0] == 0 and left[-1] == 199 and 20 < len(left) < 64, "left are %s" % left)
    equal("what is left is the newest, and the first", left[1:], list(range(left[1], 200)))
    equal("the stream that was silent", session.numbers(output, 1), [0])
    one = status(server)
    equal("quota", one["quota_bytes"], QUOTA)
    check(one["stored_bytes"] <= QUOTA and abs(one["stored_bytes"] - used(os.path.join(output, session.path))) < SLACK,
          "%d are stored, %d told" % (used(os.path.join(output, session.path)), one["stored_bytes"]))
    equal("packets that were dropped", one["dropped_packets"], 200 - len(left))
    check("--quota 1.05 MB is used up: the oldest" in server.said(), server.said())
    check("were dropped" in run(SONDE, "status", str(server.process.pid)).stdout, "the table does not tell")
    session.end()
    second = Session(server, "second")
    second.packets(200)
    check(not os.path.exists(os.path.join(output, session.path)), "the first session is still there")
    check(os.path.isdir(output + "/here"), "the folder of the host has gone")
    equal("exit status", server.stop(), 0)
    return second, before


def again(output, kept, second, before):
    """What an earlier run has stored counts and goes as well, also at once."""
    server = Server(output, "--quota", "1M")
    third = Session(server, "third")
    third.packets(50)
    left = second.numbers(output) if os.path.exists(os.path.join(output, second.path)) else []
    check(len(left) < 20, "of the earlier run are left %s" % left)
    equal("all of what comes", third.numbers(output), list(range(50)))
    check(used(output) - used(*kept) <= QUOTA + SLACK, "%d are stored" % used(output))
    too_much(server)
    third.end()
    equal("exit status", server.stop(), 0)
    equal("what others have put there", [sorted(os.listdir(folder)) for folder in kept], before)


def too_much(server):
    """A packet, and a description, for which there never is room."""
    session = Session(server, "huge")
    session.data.send(session.handles[0], 0, b"", size=QUOTA + 1)
    check(session.data.closed(), "a packet beyond the quota is taken")
    metadata = session.control.add("metadata")[0]
    session.control.send(SEND_METADATA, struct.pack(">QI", metadata, 0) + bytes(QUOTA + 1))
    check(session.control.closed(), "metadata beyond the quota is taken")
    check("does not fit into --quota" in server.said(), server.said())


def at_once(output):
    """Two relays store in one directory: neither drops what the other is storing."""
    first, second = Server(output), Server(output, "--quota", "1M")
    session, other = Session(first, "first"), Session(second, "other")
    session.packets(20)
    other.packets(200)
    folder = os.path.join(output, session.path, "ust")
    equal("what the other stores", os.path.getsize(folder + "/ch_0"), 20 * PACKET)
    session.end()
    other.packets(100)
    check(not os.path.exists(folder), "it has ended, is older, and is still there")
    other.end()
    for server in first, second:
        equal("exit status", server.stop(), 0)


def missing_packets(trace, *options):
    return sum(event["fields"]["packets"] for event in events(trace, *options, good=None)
               if event["event"] == "sonde.lost")


def of_lttng(output):
    """What is missing is told by babeltrace2 and by us alike, of what is stored and of what is shown live."""
    lttng = Lttng()
    ust = lttng.program(ust_program())
    server = Server(output, "--quota", "1M")
    lttng.lttng("create", "app", "--live=200000",
                "--set-url=net://127.0.0.1:%d:%d" % (server.control, server.data))
    lttng.lttng("enable-channel", "--userspace", "--session=app", "--subbuf-size=16384", "--num-subbuf=64", "ch")
    lttng.lttng("enable-event", "--userspace", "--session=app", "--channel=ch", "sonde_test:*")
    lttng.lttng("start", "app")
    runs = 0
    while runs < 100 and not status(server)["dropped_packets"]:
        lttng.run(ust, "2000", "40")
        runs += 1
    lttng.lttng("stop", "app")
    one = status(server)
    check(one["dropped_packets"] > 0, "nothing was dropped: %s" % one)
    session = one["sessions"][0]
    trace = [folder for folder, unused, files in os.walk(os.path.join(output, session["path"]))
             if "metadata" in files][0]
    live = "net://127.0.0.1:%d/host/%s/app" % (server.live, session["host"])
    seen = fresh("seen")
    with open(seen, "wb") as out:
        viewer = subprocess.Popen([SONDE, "print", "--format", "json", "--from", "beginning", live],
                                  stdout=out, stderr=subprocess.DEVNULL)
    cleanups.append(viewer.kill)
    until(lambda: status(server)["sessions"][0]["viewers"] == 1, "the viewer is attached")
    lttng.lttng("destroy", "app")
    until(lambda: not status(server)["incoming"], "the session has ended")
    equal("packets that are missing", missing_packets(trace), status(server)["dropped_packets"])
    equal("how the viewer ends", viewer.wait(), 3)
    with open(seen, encoding="utf-8") as file:
        shown = [event for event in map(json.loads, file) if "event" in event]
    equal("what the viewer missed", sum(event["fields"]["packets"] for event in shown if event["event"] == "sonde.lost"),
          status(server)["dropped_packets"])
    ours = compare_trace(trace, False)
    equal("events that the viewer saw", sum(event["event"] != "sonde.lost" for event in shown), len(ours))
    equal("exit status", server.stop(), 0)


def main():
    output = fresh("store")
    os.mkdir(output)
    kept = others(output)
    second, before = growing(output, kept)
    again(output, kept, second, before)
    for part in at_once, of_lttng:
        folder = fresh("store")
        os.mkdir(folder)
        part(folder)
    finish()


main()
