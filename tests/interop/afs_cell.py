# SPDX-License-Identifier: BSD-2-Clause
"""A cell of AFS of our own: real servers of OpenAFS in namespaces where nobody else is, and calls to
them that are packed by hand, in the states that connections can be in."""
import glob
import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kern"))
from harness import PATIENCE, cleanups, missing, path, skip  # noqa: E402
from rx_endpoint import HEADER  # noqa: E402

HOST = "10.77.0.1"  # servers of databases want an address that is not loopback's
PORTS = {"vlserver": 7003, "ptserver": 7002, "volserver": 7005, "fileserver": 7000, "bosserver": 7007}
SERVICES = {7003: 52, 7002: 73, 7005: 4, 7000: 1, 7007: 1}
DATA, ABORT, ACKALL = 1, 4, 5
CLIENT_INITIATED, LAST_PACKET = 1, 4
PROBE = 514  # of the VL server; to others it is no call


def in_namespaces():
    """This program again, with a network and directories of its own, where nobody else is asked anything."""
    if os.environ.get("SONDE_TEST_INSIDE"):
        return
    if not shutil.which("bosserver") or not shutil.which("rxdebug"):
        missing("OpenAFS's servers and rxdebug are not installed")
    inside = subprocess.run(["unshare", "-rnm", "true"], capture_output=True)
    if inside.returncode:
        skip("no namespaces are to be had: " + inside.stderr.decode().strip())
    sys.exit(subprocess.run(["unshare", "-rnm", sys.executable, "-B", *sys.argv],
                            env=dict(os.environ, SONDE_TEST_INSIDE="1")).returncode)


def write(name, text):
    with open(path(name), "w", encoding="ascii") as file:
        file.write(text)


def make_cell():
    """Files of a cell whose only server we are, where the programs look for them. The directory of its
    configuration."""
    for name in ("etc/server", "db", "logs", "local"):
        os.makedirs(path(name), exist_ok=True)
    for where in ("etc/", "etc/server/"):
        write(where + "ThisCell", "lab.test\n")
        write(where + "CellServDB", ">lab.test\n%s #lab\n" % HOST)
    write("hosts", "127.0.0.1 localhost\n%s %s\n" % (HOST, socket.gethostname()))
    for args in (["ip", "link", "set", "lo", "up"], ["ip", "addr", "add", HOST + "/32", "dev", "lo"],
                 ["mount", "--bind", path("etc"), "/etc/openafs"],
                 ["mount", "--bind", path("local"), "/var/lib/openafs/local"],
                 ["mount", "--bind", path("logs"), "/var/log/openafs"],
                 ["mount", "--bind", path("hosts"), "/etc/hosts"]):
        subprocess.run(args, check=True)
    return path("etc/server")


def start(name, config, *args):
    """The server, once it answers."""
    if name == "bosserver":
        command = [shutil.which(name), "-noauth", "-nofork"]
    else:
        command = ["/usr/lib/openafs/" + name, *args, "-config", config, "-logfile",
                   path("logs/" + name)]
    with open(path("logs/" + name + ".out"), "wb") as out:
        server = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT)
    cleanups.append(lambda: (server.send_signal(signal.SIGKILL), server.wait()))
    end = time.monotonic() + PATIENCE
    while subprocess.run(["timeout", "10", "rxdebug", "127.0.0.1", str(PORTS[name]), "-version"],
                         capture_output=True).returncode:
        if server.poll() is not None or time.monotonic() > end:
            for log in glob.glob(path("logs/*")):
                with open(log, encoding="utf-8", errors="replace") as file:
                    print("FAIL: %s does not start: %s" % (name, file.read()))
            sys.exit(1)
        time.sleep(0.1)
    return server


def start_all(config):
    start("vlserver", config, "-noauth", "-database", path("db/vldb"))
    start("ptserver", config, "-database", path("db/prdb"))
    for name in ("fileserver", "volserver", "bosserver"):
        start(name, config)


class Caller:
    """A client of one server, of whose calls some are left as they are: its connections have no end."""

    def __init__(self, port, epoch=0x12345678):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.connect((HOST, port))
        self.socket.settimeout(PATIENCE)
        self.epoch = epoch
        self.service = SERVICES[port]

    def send(self, cid, kind, flags, payload=b"", call=1, security=0, channel=0):
        self.socket.send(HEADER.pack(self.epoch, cid | channel, call, 1, 1, kind, flags, 0, security, 0,
                                     self.service) + payload)

    def begin(self, cid, **more):
        """A call that does not even say which: a thread of the server's waits for it."""
        self.send(cid, DATA, CLIENT_INITIATED, b"\0", **more)

    def probe(self, cid, **more):
        """A whole call, to whose answer we do not listen."""
        self.send(cid, DATA, CLIENT_INITIATED | LAST_PACKET, struct.pack(">I", PROBE), **more)

    def call(self, cid):
        """A whole call, answered, which is asked again as real clients do."""
        end = time.monotonic() + PATIENCE
        self.socket.settimeout(1)
        while True:
            self.probe(cid)
            try:
                self.wait(DATA)
                break
            except socket.timeout:
                if time.monotonic() > end:
                    raise
        self.socket.settimeout(PATIENCE)

    def wait(self, kind):
        """The next packet of that type."""
        while True:
            packet = self.socket.recv(4096)
            if packet[20] == kind:
                return packet

    def abort(self, cid, error):
        """The whole connection."""
        self.send(cid, ABORT, CLIENT_INITIATED, struct.pack(">i", error), call=0)
