# SPDX-License-Identifier: BSD-2-Clause
"""A relay daemon of LTTng of its own, and live sessions that stream to it; sonde reads them there."""
import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kern"))
from harness import PATIENCE, SONDE, cleanups, missing, path, until  # noqa: E402

TIMER_US = 200000
START_TRIES = 5  # somebody else may have taken a port that was free


def free_ports(count):
    """Ports below those that the kernel picks for other sockets, each given once: until the program listens at it, no
    connection and no other program can have it."""
    ports = []
    while len(ports) < count:
        free_ports.last -= 1
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", free_ports.last))
            ports.append(free_ports.last)
    return ports


with open("/proc/sys/net/ipv4/ip_local_port_range", encoding="ascii") as port_range:
    free_ports.last = int(port_range.read().split()[0])


def answers(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


class Relay:
    """@lttng: the session daemon (lttng_session.py) whose user it has."""

    def __init__(self, lttng):
        if not shutil.which("lttng-relayd"):
            missing("lttng-relayd is not installed")
        self.lttng = lttng
        self.daemon = None
        for unused in range(START_TRIES):
            self.control, self.data, self.port = free_ports(3)
            if self.start():
                break
        else:
            raise RuntimeError("lttng-relayd does not start")
        cleanups.append(self.end)
        self.host = socket.gethostname()
        self.url = "net://127.0.0.1:%d" % self.port

    def start(self):
        self.daemon = self.lttng.start(
            "lttng-relayd", "--output=" + os.path.join(self.lttng.home, "relay"),
            *("--%s-port=tcp://127.0.0.1:%d" % (name, port) for name, port in
              (("control", self.control), ("data", self.data), ("live", self.port))))
        until(lambda: self.daemon.poll() is not None or answers(self.port), "the relay listens")
        return self.daemon.poll() is None

    def kill(self):
        self.daemon.kill()
        self.daemon.wait()

    def end(self):
        if self.daemon.poll() is None:
            self.daemon.terminate()
            try:
                self.daemon.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                self.kill()

    def create(self, name, channel=(), live=True):
        """A session that streams to the relay, all events of ust_program in it. Its URL."""
        self.lttng.lttng("create", name, "--set-url=net://127.0.0.1:%d:%d" % (self.control, self.data),
                         *(["--live=%d" % TIMER_US] if live else []))
        self.lttng.lttng("enable-channel", "--userspace", "--session=" + name, *channel, "ch")
        self.lttng.lttng("enable-event", "--userspace", "--session=" + name, "--channel=ch",
                         "sonde_test:*")
        self.lttng.lttng("start", name)
        return self.session(name)

    def session(self, name):
        return "%s/host/%s/%s" % (self.url, self.host, name)

    def destroy(self, name):
        """It goes away some time later; LTTng 2.13 waits for ever for the first of two."""
        self.lttng.lttng("destroy", "--no-wait", name)


class Viewer:
    """A running `sonde VERB ... URL`; by default print, as JSON. More URLs may stand among the options."""

    def __init__(self, url, *options, verb=("print", "--format", "json")):
        self.out, self.err = path("viewer%d.out" % Viewer.count), path("viewer%d.err" % Viewer.count)
        Viewer.count += 1
        with open(self.out, "wb") as out, open(self.err, "wb") as err:
            self.process = subprocess.Popen([SONDE, *verb, *options, url], stdout=out, stderr=err)
        cleanups.append(self.stop)

    count = 0

    def text(self):
        with open(self.out, encoding="utf-8") as file:
            return file.read()

    def said(self):
        with open(self.err, encoding="utf-8") as file:
            return file.read()

    def events(self):
        """Those that are there by now, whole lines."""
        return [json.loads(line) for line in self.text().split("\n")[:-1]]

    def lines(self):
        return self.text().count("\n")

    def wait(self, seconds=PATIENCE):
        return self.process.wait(seconds)

    def interrupt(self):
        self.process.send_signal(signal.SIGINT)
        return self.wait()

    def stop(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
