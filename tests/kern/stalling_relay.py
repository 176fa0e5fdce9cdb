# SPDX-License-Identifier: BSD-2-Clause
"""What stands before a relay and passes on what a recorder pushes, but for what it was told to hold up: at
some command, at the data, or from the start; held up for good, or passed on byte by byte."""
import contextlib
import socket
import struct
import threading
import time

CREATE, ADD_STREAM, VERSION, METADATA, PENDING, INDEX, CHUNK = 2, 1, 5, 6, 8, 13, 19
CONNECT, DATA = "connect", "data"  # what else there is to hold up
CONTROL_HEAD = 24


class StallingRelay:
    """In the namespace @name, before the relay at the ports @behind there."""

    def __init__(self, net, name, behind):
        self.net, self.name, self.behind = net, name, behind
        self.hold = None  # one of the above
        self.drips = False  # held up: a byte a second passes
        self.held = threading.Semaphore(0)  # how often somebody was held up
        self.listeners = []
        for is_data in (False, True):
            listener = net.listen(name)
            self.listeners.append(listener)
            start(self.serve, listener, is_data)

    def url(self):
        return "net://%s:%d:%d" % (self.net.v4[self.name],
                                   *(one.getsockname()[1] for one in self.listeners))

    def hold_up(self, what, drips=False):
        self.drips, self.hold = drips, what

    def heal(self):
        """Who is held up stays so: recorders have to come again."""
        self.hold = None

    def serve(self, listener, is_data):
        with self.net.inside(self.name):
            while True:
                client = listener.accept()[0]
                if self.hold == CONNECT:
                    start(self.stall, client, None)
                    continue
                relay = socket.create_connection((self.net.v4[self.name], self.behind[is_data]))
                start(self.data if is_data else self.control, client, relay)
                start(back, relay, client)

    def stall(self, source, sink):
        """From here on, next to nothing comes from @source."""
        self.held.release()
        while self.drips and sink:
            sink.sendall(take(source, 1))
            time.sleep(1)
        threading.Event().wait()

    def control(self, client, relay):
        """Command by command."""
        with contextlib.suppress(OSError, EOFError):
            while True:
                head = take(client, CONTROL_HEAD)
                unused, size, command, unused = struct.unpack(">QQII", head)
                if self.hold == command:
                    relay.sendall(head if self.drips else b"")
                    self.stall(client, relay)
                relay.sendall(head + take(client, size))
        shut(client, relay)

    def data(self, client, relay):
        with contextlib.suppress(OSError, EOFError):
            while True:
                relay.sendall(take(client, 1))
                if self.hold == DATA:
                    self.stall(client, relay)
                with contextlib.suppress(BlockingIOError):
                    relay.sendall(client.recv(65536, socket.MSG_DONTWAIT))
        shut(client, relay)


def start(target, *args):
    threading.Thread(target=target, args=args, daemon=True).start()


def back(relay, client):
    """What the relay says."""
    with contextlib.suppress(OSError):
        while (piece := relay.recv(65536)):
            client.sendall(piece)
    shut(client, relay)


def take(source, size):
    """Exactly so many bytes."""
    got = b""
    while len(got) < size:
        piece = source.recv(size - len(got))
        if not piece:
            raise EOFError
        got += piece
    return got


def shut(*sockets):
    for one in sockets:
        with contextlib.suppress(OSError):
            one.shutdown(socket.SHUT_RDWR)
        one.close()
