#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""sonde serve that has no file descriptor left for a connection: it waits, which the number of its accept4 calls shows,
and answers when there are some again. At each of its ports."""
import os
import re
import resource
import shutil
import socket
import struct
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kern"))
from harness import PATIENCE, SONDE, check, cleanups, equal, finish, fresh, missing, until  # noqa: E402
from ingest_client import VERSION, Control  # noqa: E402
from live_viewer import Viewer  # noqa: E402

FILES = 48
PAUSES_A_SECOND = 10
PORTS = 3


class Traced:
    """`sonde serve -o` with few file descriptors, and strace's list of its accept4 calls."""

    def __init__(self, output):
        self.calls, self.log = fresh("calls"), fresh("log")
        command = ["strace", "-f", "-tt", "-e", "trace=accept4", "-o", self.calls, SONDE, "serve", "--live", ":0",
                   "--control", ":0", "--data", ":0", "-o", output]
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stderr=log,
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (FILES, FILES)))
        cleanups.append(self.process.kill)
        until(lambda: " shows it" in read(self.log) or self.process.poll() is not None, "it listens")
        told = re.search(r"localhost:(\d+):(\d+) stores in .*localhost:(\d+) shows", read(self.log))
        self.ports = [int(told[i]) for i in (1, 2, 3)]

    def refusals(self):
        """How often it asked for a connection and had no descriptor for it."""
        return read(self.calls).count("EMFILE")

    def stop(self):
        found = re.match(r"(\d+)", read(self.calls))
        os.kill(int(found[1]), 15)  # strace passes on how it ends
        return self.process.wait(PATIENCE)


def read(name):
    with open(name, encoding="utf-8") as file:
        return file.read()


def fill(server, port):
    """More connections than it has descriptors for; the rest waits in the backlog."""
    connections = [socket.create_connection(("127.0.0.1", port), PATIENCE) for unused in range(FILES)]
    until(lambda: server.refusals() > 0, "no descriptor is left")
    return connections


def main():
    if not shutil.which("strace"):
        missing("strace is not installed")
    output = fresh("store")
    os.mkdir(output)
    for i in range(PORTS):
        server = Traced(output)
        control, data, live = server.ports
        connections = fill(server, server.ports[i])
        before, since = server.refusals(), time.monotonic()
        # As long as it takes to see several tries: an event loop that spins has thousands by then.
        until(lambda: server.refusals() >= before + 5, "it has tried again")
        asked = server.refusals() - before
        most = (time.monotonic() - since + 1) * PAUSES_A_SECOND * PORTS
        check(asked <= most, "port %d: it asked %d times, at most %d are good" % (i, asked, most))
        for connection in connections:
            connection.close()
        peer = Control(control, agreed=False)
        peer.send(VERSION, struct.pack(">II", 2, 13))
        equal("a streamer is answered", peer.receive(8), struct.pack(">II", 2, 15))
        equal("a viewer is answered", Viewer(live).create(), 1)
        socket.create_connection(("127.0.0.1", data), PATIENCE).close()
        equal("exit status", server.stop(), 0)
    finish()


main()
