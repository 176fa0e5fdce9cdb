# SPDX-License-Identifier: BSD-2-Clause
"""A relay of ours for tests, and a viewer that speaks LTTng's live protocol byte by byte
(wire/lttng_live.h): what replies hold is checked by those who use it."""
import contextlib
import os
import re
import select
import signal
import socket
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kern"))
from harness import PATIENCE, SONDE, check, cleanups, equal  # noqa: E402

CONNECT, LIST, ATTACH, INDEX, PACKET, METADATA, STREAMS, CREATE, DETACH = range(1, 10)
BEGINNING, LAST = 1, 2
OK, RETRY, HUP, ERROR, INACTIVE = 1, 2, 3, 4, 5  # of an index
STREAMS_HUP = 4
DETACH_OK = 1
NEW_METADATA, NEW_STREAMS = 1, 2
URL = re.compile(r"net://localhost:(\d+)/host/(\S+)/(\S+)")


def in_order(urls, folders):
    """@urls in the order of the @folders that they are of: a relay announces each as soon as it has been read. Those of one
    name come in their order, the later ones with a suffix."""
    found, left = [], list(urls)
    for folder in folders:
        name = re.escape(os.path.basename(os.path.realpath(folder)))
        found.append(next(url for url in left if re.search("/%s(-[0-9]+)?$" % name, url)))
        left.remove(found[-1])
    return found


class Relay:
    """`sonde serve` of some directories, at a port that is free."""

    def __init__(self, *args, **more):
        self.process = subprocess.Popen([SONDE, "serve", "--live", "127.0.0.1:0", *args],
                                        stderr=subprocess.PIPE, text=True, **more)
        cleanups.append(self.kill)
        self.urls, self.said = [], []
        folders = [arg for arg in args if os.path.isdir(arg)]
        for line in self.process.stderr:
            found = URL.match(line)
            if found:
                self.port = int(found.group(1))
                self.urls.append(line.strip())
            else:
                self.said.append(line)
            if len(self.urls) == len(folders):
                self.urls = in_order(self.urls, folders)
                break

    def memory(self):
        """Bytes of its own that are in memory."""
        with open("/proc/%d/smaps_rollup" % self.process.pid, encoding="ascii") as file:
            return sum(int(line.split()[1]) for line in file
                       if line.startswith("Private_Dirty:")) << 10

    def stop(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        self.said += self.process.communicate(timeout=PATIENCE)[1].splitlines()
        return self.process.returncode

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.communicate()


class Viewer:
    """One connection. A relay that closes it raises EOFError."""

    def __init__(self, port, minor=4, connect=True):
        self.socket = socket.create_connection(("127.0.0.1", port), PATIENCE)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.minor = minor
        if connect:
            self.hello = self.connect(2, minor, 1)

    def close(self):
        self.socket.close()

    def receive(self, count):
        data = bytearray()
        while len(data) < count:
            try:
                piece = self.socket.recv(count - len(data))
            except ConnectionResetError:
                piece = b""
            if not piece:
                raise EOFError("the relay closes after %d of %d bytes" % (len(data), count))
            data += piece
        return bytes(data)

    def numbers(self, layout):
        return struct.unpack(layout, self.receive(struct.calcsize(layout)))

    def request(self, command, payload=b"", size=None):
        size = len(payload) if size is None else size
        self.socket.sendall(struct.pack(">QII", size, command, 0) + payload)

    def is_closed(self):
        """Whether the relay closes it, without another byte."""
        with contextlib.suppress(ConnectionResetError):
            return self.socket.recv(1) == b""
        return True

    def is_silent(self):
        """Nothing more was sent than was read."""
        return not select.select([self.socket], [], [], 0)[0]

    def connect(self, major, minor, kind):
        self.request(CONNECT, struct.pack(">QIII", (1 << 64) - 1, major, minor, kind))
        return self.numbers(">QIII")

    def list(self):
        self.request(LIST)
        sessions = []
        for unused in range(self.numbers(">I")[0]):
            one = dict(zip(("id", "timer", "viewers", "streams"), self.numbers(">QIII")))
            if self.minor < 15:
                host, name = self.numbers(">64s255s")
            else:
                host_bytes, name_bytes, one["format"] = self.numbers(">III")
                host, name = self.receive(host_bytes), self.receive(name_bytes)
            one["host"], one["name"] = (text.rstrip(b"\0").decode() for text in (host, name))
            sessions.append(one)
        return sessions

    def number_of(self, url):
        """Of the session that it is listed by."""
        return next(one["id"] for one in self.list() if url.endswith("/%s/%s" % (one["host"], one["name"])))

    def create(self):
        self.request(CREATE)
        return self.numbers(">I")[0]

    def streams(self):
        status, count = self.numbers(">II")
        found = []
        for unused in range(count):
            number, trace, metadata, path, channel = self.numbers(">QQI4096s255s")
            found.append({"id": number, "trace": trace, "metadata": metadata,
                          "path": path.rstrip(b"\0").decode(),
                          "channel": channel.rstrip(b"\0").decode()})
        return status, found

    def attach(self, session, seek=BEGINNING):
        self.request(ATTACH, struct.pack(">QQI", session, 0, seek))
        return self.streams()

    def new_streams(self, session):
        self.request(STREAMS, struct.pack(">Q", session))
        return self.streams()

    def detach(self, session):
        self.request(DETACH, struct.pack(">Q", session))
        return self.numbers(">I")[0]

    def index(self, stream):
        self.request(INDEX, struct.pack(">Q", stream))
        return self.index_reply()

    def index_reply(self):
        return dict(zip(("offset", "packet", "content", "begin", "end", "discarded", "class",
                         "status", "flags"), self.numbers(">7QII")))

    def packet(self, stream, offset, count):
        self.request(PACKET, struct.pack(">QQI", stream, offset, count))
        return self.packet_reply()

    def packet_reply(self):
        status, count, flags = self.numbers(">III")
        return status, flags, self.receive(count)

    def metadata(self, stream):
        """Status and bytes of one reply."""
        self.request(METADATA, struct.pack(">Q", stream))
        count, status = self.numbers(">QI")
        return status, self.receive(count)

    def all_metadata(self, stream):
        """A batch."""
        text, status = b"", 1
        while status == 1:
            status, piece = self.metadata(stream)
            text += piece
        return text


class Watcher:
    """A viewer that keeps all rules itself: what it is told of each stream must hold to the end."""

    def __init__(self, port, seek=BEGINNING):
        self.viewer = Viewer(port)
        self.viewer.create()
        status, streams = self.viewer.attach(1, seek)
        equal("ATTACH", status, 1)
        self.streams, self.metadata, self.text = {}, None, b""
        self.told, self.packets, self.classes, self.flags = {}, {}, {}, 0
        self.take(streams)

    def take(self, streams):
        for stream in streams:
            if stream["metadata"]:
                self.metadata = stream["id"]
                self.text += self.viewer.all_metadata(stream["id"])
            else:
                self.streams[stream["channel"]] = stream["id"]
                self.packets[stream["channel"]] = []
                self.told[stream["channel"]] = 0

    def next(self, channel):
        """The next status of a stream, with what flags ask for done first."""
        reply = self.viewer.index(self.streams[channel])
        self.flags = reply["flags"]
        if self.flags & NEW_STREAMS:
            status, streams = self.viewer.new_streams(1)
            check(status == 1 and streams, "NEW_STREAMS without new streams")
            self.take(streams)
        if self.flags & NEW_METADATA:
            text = self.viewer.all_metadata(self.metadata)
            check(text, "NEW_METADATA without metadata")
            self.text += text
        if reply["status"] == OK:
            check(reply["begin"] >= self.told[channel], "%s: a packet at %d, after %d" % (
                channel, reply["begin"], self.told[channel]))
            self.packets[channel].append(reply)
            self.told[channel] = reply["end"]
            status, unused, data = self.viewer.packet(
                self.streams[channel], reply["offset"], reply["packet"] // 8)
            equal("packet", (status, data[:4]), (1, b"\xc1\x1f\xfc\xc1"))
        if reply["status"] == INACTIVE:
            check(reply["end"] >= self.told[channel], "%s: a beacon at %d, after %d" % (
                channel, reply["end"], self.told[channel]))
            self.told[channel] = reply["end"]
        if reply["status"] in (OK, INACTIVE):
            equal("class of " + channel, reply["class"],
                  self.classes.setdefault(channel, reply["class"]))
        return reply["status"]

    def read(self):
        """All that is there now. The last status of each stream."""
        last = {}
        for channel in list(self.streams):
            while (status := self.next(channel)) == OK:
                pass
            last[channel] = status
        return last

    def count(self):
        return sum(len(packets) for packets in self.packets.values())


def join(packets):
    """The text of metadata packets; each must be whole and padded as LTTng's."""
    text = b""
    for at in range(0, len(packets), 4096):
        (magic, unused, checksum, content, packet, *rest) = struct.unpack_from(
            "<I16sIII5B", packets, at)
        assert magic == 0x75D11D57 and not checksum and packet == 4096 * 8, packets[at:at + 37]
        assert rest == [0, 0, 0, 1, 8] and 37 * 8 < content <= packet
        text += packets[at + 37:at + content // 8]
        assert not packets[at + content // 8:at + 4096].strip(b"\0")
    return text
