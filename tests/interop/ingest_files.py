#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Streams whose files are limited in size and number: of the same bytes sonde serve and lttng-relayd make the same
files, and of sessions of LTTng-UST every event is read, by babeltrace2 too."""
import os
import re
import shutil
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kern"))
from harness import SONDE, check, equal, events, finish, fresh, run, until  # noqa: E402
from ingest_client import (ADD_STREAM, CLOSE_CHUNK, CLOSE_STREAM, CREATE_SESSION, NONE, OK, ROTATE,  # noqa: E402
                           SEND_INDEX, SEND_METADATA, STREAMS_SENT, Control, Data, Server)
from lttng_relay import Relay  # noqa: E402
from lttng_session import Lttng, ust_program  # noqa: E402
from side_by_side import compare_trace  # noqa: E402

ROUNDS, BURST = 60, 40
PARTS = {}  # of a session: how many packets each of its chunks has
EVENTS = 2 * (ROUNDS * 6 + BURST)  # of one run of the program: two threads


class Session:
    """Packets of one stream, as a consumer daemon sends them."""

    def __init__(self, port, data_port, name, size, count):
        self.control = Control(port, theirs=None)
        equal("a session", self.control.create(name), OK)
        self.control.path()
        equal("a chunk", self.control.chunk(), OK)
        self.handle, code = self.control.add("ch_0", "ust", size, count)
        equal("a stream", code, OK)
        self.metadata, code = self.control.add("metadata", "ust")
        equal("metadata", code, OK)
        self.command(STREAMS_SENT)
        self.control.send(SEND_METADATA, struct.pack(">QI", self.metadata, 3) + b"/* CTF 1.8 */")
        self.data = Data(data_port)
        self.number = 0

    def command(self, command, payload=b""):
        self.control.send(command, payload)
        equal("code of command %d" % command, self.control.code(), OK)

    def packets(self, count, late=0):
        """Of many lengths; what is said of the last @late comes behind them."""
        sizes = []
        for number in range(self.number, self.number + count):
            size, padding = 16 + 8 * (number % 5), 8 * (number % 3)
            self.data.send(self.handle, number, bytes([number]) * size, padding)
            sizes.append(size + padding)
            if len(sizes) > count - late:
                continue
            self.index(number, sizes[-1])
        until(lambda: self.control.pending(self.handle, self.number + count - late - 1) == 0, "the data is there")
        for number in range(count - late, count):
            self.index(self.number + number, sizes[number])
        self.number += count
        until(lambda: self.control.pending(self.handle, self.number - 1) == 0, "all data is there")

    def index(self, number, size):
        self.control.index(self.handle, number, size)
        equal("code of index %d" % number, self.control.code(), OK)

    def rotate(self, chunk):
        """To a new chunk, from the next packet on; the one before goes to the archives."""
        equal("a chunk", self.control.chunk(chunk), OK)
        for handle in self.handle, self.metadata:
            self.command(ROTATE, struct.pack(">IB7xQQQ", 1, 1, chunk, handle,
                                             self.number if handle == self.handle else 0))
        self.control.send(SEND_METADATA, struct.pack(">QI", self.metadata, 3) + b"/* CTF 1.8 */")
        self.close_chunk(chunk - 1, True)

    def close_chunk(self, chunk, to_archives):
        self.control.send(CLOSE_CHUNK, struct.pack(">QQBI", chunk, 1700000001 + chunk, to_archives, 0))
        equal("code", self.control.code(), OK)
        self.control.path()

    def end(self, chunk=None):
        """As lttng destroy; @chunk: the last."""
        if chunk is not None:
            for handle in self.handle, self.metadata:
                self.command(ROTATE, struct.pack(">IB7xQQQ", 1, 0, 0, handle,
                                                 self.number if handle == self.handle else 0))
            self.close_chunk(chunk, chunk > 0)
        for stream, last in (self.handle, self.number - 1), (self.metadata, NONE):
            self.command(CLOSE_STREAM, struct.pack(">QQ", stream, last))
        self.data.socket.close()
        self.control.socket.close()


def tree(output, name):
    """What is in all files of a session; nothing while a chunk is moved."""
    root = [os.path.join(output, "here", one) for one in os.listdir(output + "/here")
            if one.startswith(name + "-")][0]
    files = {}
    for folder, unused, names in os.walk(root):
        for one in names:
            try:
                with open(os.path.join(folder, one), "rb") as file:
                    if not one.startswith("."):
                        files[os.path.relpath(os.path.join(folder, one), root)] = file.read()
            except FileNotFoundError:
                return {}
    return files


def is_settled(output, name):
    """Every chunk of one that was rotated is in the archives, where it is moved when its last stream has left it."""
    files, chunks = tree(output, name), len(PARTS[name])
    return files and len({one.split("/")[1] for one in files if one.startswith("archives/")}) == (
        chunks if chunks > 1 else 0)


def whole(name, size, count, parts, late=0):
    """Rotated between @parts, as many packets each."""
    PARTS[name] = parts

    def send(port, data_port):
        session = Session(port, data_port, name, size, count)
        for chunk, packets in enumerate(parts):
            if chunk:
                session.rotate(chunk)
            session.packets(packets, late)
        session.end(len(parts) - 1)
    return send


CASES = {
    "ring": whole("ring", 150, 3, [40]),
    "short": whole("short", 150, 3, [4]),
    "one": whole("one", 150, 1, [20]),
    "tight": whole("tight", 64, 2, [20]),
    "plain": whole("plain", 0, 0, [20]),
    "turned": whole("turned", 150, 3, [10, 40, 1, 7]),
}


def as_relayd(relay, output, server):
    theirs = os.path.join(relay.lttng.home, "relay")
    for name, send in CASES.items():
        send(relay.control, relay.data)
        send(server.control, server.data)
        for where in output, theirs:
            until(lambda at=where: is_settled(at, name), "the session is put down")
        ours, others = tree(output, name), tree(theirs, name)
        equal("files of " + name, sorted(ours), sorted(others))
        for one in sorted(ours):
            check(ours[one] == others.get(one), "%s of %s differs: %r, relayd has %r" % (
                one, name, ours[one], others.get(one)))


def behind(output, server):
    """What is said of packets comes when they are in other files already; and none is left out without a count."""
    whole("behind", 150, 0, [30], late=25)(server.control, server.data)
    whole("before", 150, 0, [30])(server.control, server.data)
    equal("files when the index comes late", tree(output, "behind"), tree(output, "before"))
    check(len(tree(output, "before")) > 10, "there are few files")


def moved(output, server):
    """Packets that belong to the next chunk have come, in several files, before anybody said so."""
    session = Session(server.control, server.data, "moved", 100, 0)
    sizes = [40] * 9
    for number, size in enumerate(sizes):
        session.data.send(session.handle, number, bytes([number]) * size)
    session.data.send(session.handle, 9, b"hal", size=40)
    until(lambda: session.control.pending(session.handle, 8) == 0, "they are there")
    equal("a chunk", session.control.chunk(1), OK)
    for number in range(3):
        session.index(number, 40)
    session.command(ROTATE, struct.pack(">IB7xQQQ", 1, 1, 1, session.handle, 3))
    session.data.socket.sendall(b"f" + bytes(36))
    for number in range(3, 10):
        session.index(number, 40)
    until(lambda: session.control.pending(session.handle, 9) == 0, "the last is there")
    session.close_chunk(0, True)
    session.command(ROTATE, struct.pack(">IB7xQQQ", 1, 1, 1, session.metadata, 0))
    session.number = len(sizes) + 1
    session.end()
    until(lambda: any(name.startswith("archives") for name in tree(output, "moved")), "the chunk is put aside")
    files = tree(output, "moved")
    old = {re.sub(r"^archives/[^/]*/", "", name): data for name, data in files.items()
           if name.startswith("archives/") and "/ch_0" in name}
    new = {name: data for name, data in files.items() if name.startswith("ust/") and "/ch_0" in name}
    packets = [bytes([number]) * 40 for number in range(9)] + [b"half" + bytes(36)]
    equal("what was before", {name: data for name, data in old.items() if "index" not in name},
          {"ust/ch_0_0": packets[0] + packets[1], "ust/ch_0_1": packets[2]})
    equal("what comes then", {name: data for name, data in new.items() if "index" not in name},
          {"ust/ch_0_%d" % i: packets[3 + 2 * i] + b"".join(packets[4 + 2 * i:5 + 2 * i]) for i in range(4)})
    equal("entries of the indexes", sorted((len(data) - 16) // 72 for name, data in [*old.items(), *new.items()]
                                           if "index" in name), [1, 1, 2, 2, 2, 2])


def old_peer(minor, port, data_port, name):
    """What daemons of LTTng 2.4 to 2.10 say: no chunks, texts of fixed lengths, paths from the output directory on."""
    control = Control(port, minor=minor, theirs=None)
    control.send(CREATE_SESSION, struct.pack(">255s64sII", name.encode(), b"here", 1000000, 0))
    equal("a session", struct.unpack(">QI", control.receive(12))[1], OK)
    handles = []
    for channel, size, count in ("ch_0", 100, 2), ("metadata", 0, 0):
        control.send(ADD_STREAM, struct.pack(">264s4096sQQ", channel.encode(),
                                             b"here/%s-20200101-000000/ust/uid" % name.encode(), size, count))
        handle, code = struct.unpack(">QI", control.receive(12))
        equal("a stream", code, OK)
        handles.append(handle)
    control.send(STREAMS_SENT)
    equal("code", control.code(), OK)
    control.send(SEND_METADATA, struct.pack(">QI", handles[1], 3) + b"/* CTF 1.8 */")
    data = Data(data_port)
    for number in range(9):
        data.send(handles[0], number, bytes([number]) * 40)
        entry = (handles[0], number, 320, 320, 1, 2, 0, 0) + ((0, number) if minor >= 8 else ())
        control.send(SEND_INDEX, struct.pack(">%dQ" % len(entry), *entry))
        equal("code of an index", control.code(), OK)
    until(lambda: control.pending(handles[0], 8) == 0, "all data is there")
    for stream, last in (handles[0], 8), (handles[1], NONE):
        control.send(CLOSE_STREAM, struct.pack(">QQ", stream, last))
        equal("code", control.code(), OK)
    control.socket.close()


def of_old_peers(relay, output, server):
    for minor in 4, 7, 8, 10:
        name = "old%d" % minor
        old_peer(minor, relay.control, relay.data, name)
        old_peer(minor, server.control, server.data, name)
        ours, theirs = tree(output, name), tree(os.path.join(relay.lttng.home, "relay"), name)
        check(len(ours) == 5, sorted(ours))
        equal("files of a peer of 2.%d" % minor, ours, theirs)


def of_ours():
    """A trace of sonde record whose own stream is in several files: addresses still have their names."""
    trace, copy = os.path.join(os.environ["SONDE_SOURCE"], "tests/golden/data/visit"), fresh("visit")
    shutil.copytree(trace, copy)
    os.rename(copy + "/recorder", copy + "/recorder_0")
    os.rename(copy + "/index/recorder.idx", copy + "/index/recorder_0.idx")
    equal("events", run(SONDE, "print", copy).stdout, run(SONDE, "print", trace).stdout)


def recorded(lttng, server, output, name, *channel, rotate=False):
    """A session of LTTng-UST. Folders of its traces."""
    before = {folder for folder, unused, files in os.walk(output) if "metadata" in files}
    ust = lttng.program(ust_program())
    lttng.lttng("create", name, "--set-url=net://127.0.0.1:%d:%d" % (server.control, server.data))
    lttng.lttng("enable-channel", "--userspace", "--session=" + name, "--subbuf-size=4096", "--num-subbuf=64",
                *channel, "ch")
    lttng.lttng("enable-event", "--userspace", "--session=" + name, "--channel=ch", "sonde_test:*")
    lttng.lttng("start", name)
    lttng.run(ust, str(ROUNDS), str(BURST))
    if rotate:
        lttng.lttng("rotate", name)
        lttng.run(ust, str(ROUNDS), str(BURST))
    lttng.lttng("stop", name)
    lttng.lttng("destroy", name)
    return sorted({folder for folder, unused, files in os.walk(output) if "metadata" in files} - before)


def one_gone(trace):
    """A file is missing between others of its stream: its packets are counted, where they were."""
    name = [name for name in os.listdir(trace)
            if re.fullmatch(r"ch_\d+_1", name) and os.path.exists(trace + "/" + name[:-1] + "2")][0]
    with open(trace + "/index/" + name + ".idx", "rb") as file:
        count = (len(file.read()) - 16) // 72
    os.unlink(trace + "/" + name)
    os.unlink(trace + "/index/" + name + ".idx")
    check(len(compare_trace(trace, False)) < EVENTS, "nothing is missing")
    for options in (), ("--jobs", "2"), ("--from", "0"):
        lost = [event["fields"]["packets"] for event in events(trace, *options, good=3)
                if event["event"] == "sonde.lost"]
        equal("packets that are missing", lost, [count])


def of_lttng(lttng, output, server):
    traces = recorded(lttng, server, output, "size", "--tracefile-size=8192")
    equal("traces", len(traces), 1)
    equal("events of many files", len(compare_trace(traces[0])), EVENTS)
    files = [name for name in os.listdir(traces[0]) if name.startswith("ch_")]
    check(len(files) > 4 and all(os.path.getsize(traces[0] + "/" + name) <= 8192 for name in files), files)
    one_gone(traces[0])
    traces = recorded(lttng, server, output, "both", "--tracefile-size=8192", rotate=True)
    equal("events of many files, in chunks", sum(len(compare_trace(trace)) for trace in traces), 2 * EVENTS)
    traces = recorded(lttng, server, output, "ring", "--tracefile-size=4096", "--tracefile-count=2")
    check(0 < len(compare_trace(traces[0])) < EVENTS, "a ring has not all")
    files = [name for name in os.listdir(traces[0]) if name.startswith("ch_")]
    check(all(re.fullmatch(r"ch_\d+_[01]", name) for name in files), files)


def main():
    lttng = Lttng()
    relay = Relay(lttng)
    output = fresh("store")
    os.mkdir(output)
    server = Server(output)
    as_relayd(relay, output, server)
    behind(output, server)
    moved(output, server)
    of_ours()
    of_old_peers(relay, output, server)
    of_lttng(lttng, output, server)
    check("rejected" not in server.said(), server.said())
    equal("exit status", server.stop(), 0)
    finish()


main()
