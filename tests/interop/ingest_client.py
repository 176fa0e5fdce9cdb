# SPDX-License-Identifier: BSD-2-Clause
"""A peer that streams to a relay, message by message, and `sonde serve` for it."""
import os
import re
import socket
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kern"))
from harness import PATIENCE, SONDE, cleanups, equal, fresh, until  # noqa: E402

(ADD_STREAM, CREATE_SESSION, VERSION, SEND_METADATA, CLOSE_STREAM, DATA_PENDING, SEND_INDEX, STREAMS_SENT,
 ROTATE, CREATE_CHUNK, CLOSE_CHUNK) = (1, 2, 5, 6, 7, 8, 13, 16, 18, 19, 20)
OK, INVALID = 10, 97
NONE = (1 << 64) - 1


class Server:
    """`sonde serve`, whose ports the kernel has picked."""

    def __init__(self, output, *options, control=":0", data=":0"):
        self.log = fresh("serve")
        with open(self.log, "wb") as file:
            self.process = subprocess.Popen(
                [SONDE, "serve", "--live", ":0", "--control", control, "--data", data, "-o", output, *options],
                stdin=subprocess.DEVNULL, stderr=file)
        cleanups.append(self.process.kill)
        until(lambda: self.answers() or self.process.poll() is not None, "it listens")
        told = re.search(r"localhost:(\d+):(\d+) stores in .*localhost:(\d+) shows", self.said())
        self.control, self.data, self.live = (int(told[i]) for i in (1, 2, 3))

    def answers(self):
        """It has said where it listens, and sonde status would find it."""
        folder = os.environ["SONDE_RUNTIME_DIR"]
        return " stores " in self.said() and os.path.isdir(folder) and any(
            name.endswith(".%d.relay" % self.process.pid) for name in os.listdir(folder))

    def said(self):
        with open(self.log, encoding="utf-8") as text:
            return text.read()

    def stop(self):
        self.process.terminate()
        return self.process.wait(PATIENCE)


class Control:
    def __init__(self, port, agreed=True, minor=13, theirs=15):
        """@theirs: the minor version that the relay says; None = any."""
        self.socket = socket.create_connection(("127.0.0.1", port), PATIENCE)
        if agreed:
            self.send(VERSION, struct.pack(">II", 2, minor))
            said = struct.unpack(">II", self.receive(8))
            equal("version", said, (2, said[1] if theirs is None else theirs))

    def send(self, command, payload=b"", size=None):
        self.socket.sendall(struct.pack(">QQII", 0, len(payload) if size is None else size, command, 0) +
                            payload)

    def receive(self, size):
        """As many bytes. A connection that ends before is a fault, never an answer."""
        got = self.until_end(size)
        if len(got) < size:
            raise RuntimeError("the relay closed the connection after %d of %d bytes of a reply" % (len(got), size))
        return got

    def until_end(self, size):
        """As many bytes, fewer only at the orderly end of the connection: a reset loses replies."""
        got = b""
        while len(got) < size:
            part = self.socket.recv(size - len(got))
            if not part:
                break
            got += part
        return got

    def closed(self):
        return self.until_end(1) == b""

    def rejected(self, command=STREAMS_SENT):
        """The relay says so in the form of the reply to @command, and then it closes the connection. The code."""
        head = 8 if command in (CREATE_SESSION, ADD_STREAM) else 0
        code = struct.unpack_from(">I", self.receive(head + 4), head)[0]
        if command == CREATE_SESSION:
            equal("the path of a rejected session", self.path(), b"\0")
        return code != OK and self.closed()

    def create(self, name="well", host="here", base="", lengths=None):
        self.ask_create(name, host, base, lengths)
        return struct.unpack(">QI", self.receive(12))[1]

    def ask_create(self, name="well", host="here", base="", lengths=None):
        texts = [text.encode() + b"\0" for text in (name, host, base)]
        self.send(CREATE_SESSION, struct.pack(">IIIIBB16sQQBQ", *(lengths or map(len, texts)), 1000000, 0, 0,
                                              b"sonde" + bytes(11), 1, 1700000000, 0, 0) + b"".join(texts))

    def path(self):
        size = struct.unpack(">I", self.receive(4))[0]
        return self.receive(size)

    def chunk(self, number=0):
        self.send(CREATE_CHUNK, struct.pack(">QQI", number, 1700000000, 0))
        return struct.unpack(">I", self.receive(4))[0]

    def add(self, channel="ch_0", where="ust", size=0, count=0):
        texts = [text.encode() + b"\0" for text in (channel, where)]
        self.send(ADD_STREAM, struct.pack(">IIQQQ", *map(len, texts), size, count, 0) + b"".join(texts))
        return struct.unpack(">QI", self.receive(12))

    def index(self, stream, number, size):
        self.send(SEND_INDEX, struct.pack(">10Q", stream, number, size * 8, size * 8, 1, 2, 0, 0, 0, number))

    def pending(self, stream, last):
        self.send(DATA_PENDING, struct.pack(">QQ", stream, last))
        return self.code()

    def code(self):
        return struct.unpack(">I", self.receive(4))[0]


class Data:
    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), PATIENCE)

    def send(self, stream, number, payload, padding=0, size=None):
        self.socket.sendall(struct.pack(">QQQII", 0, stream, number, len(payload) if size is None else size,
                                        padding) + payload)

    def closed(self):
        try:
            return self.socket.recv(1) == b""
        except ConnectionResetError:
            return True


def session(port, name="bad"):
    control = Control(port)
    equal("a session", control.create(name), OK)
    control.path()
    equal("a chunk", control.chunk(), OK)
    handle, code = control.add()
    equal("a stream", code, OK)
    return control, handle
