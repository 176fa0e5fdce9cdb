#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""sonde serve is asked to stop: what viewers have asked for is sent to its last byte, those who do not read are
waited for a while and no longer, and who asks twice does not wait."""
import os
import signal
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kern"))
from harness import PATIENCE, check, equal, finish, fresh, run, until  # noqa: E402
from live_viewer import OK, PACKET, Relay, Viewer  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))


def synthetic():
    """More than all buffers between a relay and a viewer hold."""
    trace = fresh("trace")
    run(sys.executable, os.path.join(HERE, "make_trace.py"), trace, "--events", "300000", "--packet",
        "900000", "--cpus", "1")
    return trace


class Asking:
    """A viewer that has asked for all of a stream at once, and read the head of the reply."""

    def __init__(self, relay):
        self.viewer = Viewer(relay.port)
        self.viewer.create()
        unused, streams = self.viewer.attach(1)
        stream = next(stream for stream in streams if not stream["metadata"])
        self.channel, self.bytes = stream["channel"], 0
        while (reply := self.viewer.index(stream["id"]))["status"] == OK:
            self.bytes = reply["offset"] + reply["packet"] // 8
        check(self.bytes > 12 << 20, "it has %d bytes" % self.bytes)
        self.viewer.request(PACKET, struct.pack(">QQI", stream["id"], 0, self.bytes))
        equal("reply", self.viewer.numbers(">III"), (1, self.bytes, 0))

    def reads_all(self, trace):
        with open(os.path.join(trace, self.channel), "rb") as file:
            equal("all that it asked for", self.viewer.receive(self.bytes) == file.read(), True)
        check(self.viewer.is_closed(), "more is sent")


def packets_are_finished(trace):
    relay = Relay(trace)
    idle, asking = Viewer(relay.port), Asking(relay)
    relay.process.send_signal(signal.SIGTERM)
    check(idle.is_closed(), "who has asked for nothing gets something")
    check(relay.process.poll() is None, "it does not wait for who reads")
    asking.reads_all(trace)
    equal("exit status", relay.process.wait(PATIENCE), 0)


def who_does_not_read(trace):
    relay = Relay("--patience", "3s", trace)
    asking = Asking(relay)
    equal("exit status", relay.stop(), 0)
    asking.viewer.close()


def asked_twice(trace):
    relay = Relay("--patience", "1h", trace)
    idle, unused = Viewer(relay.port), Asking(relay)
    relay.process.send_signal(signal.SIGINT)
    check(idle.is_closed(), "who has asked for nothing gets something")
    relay.process.send_signal(signal.SIGINT)
    equal("exit status", relay.process.wait(PATIENCE), 0)


def babeltrace2_ends(trace):
    """It is told nothing of an end, and has whole packets alone: it may say so, and must not crash."""
    relay = Relay(trace)
    viewer = subprocess.Popen(["babeltrace2", "-i", "lttng-live", relay.urls[0]],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    check(viewer.stdout.readline(), "nothing is seen")
    relay.process.send_signal(signal.SIGTERM)
    viewer.communicate(timeout=PATIENCE)
    check(viewer.returncode >= 0, "babeltrace2 dies of signal %d" % -viewer.returncode)
    until(lambda: relay.process.poll() is not None, "the relay ends")
    equal("exit status", relay.process.returncode, 0)


def main():
    trace = synthetic()
    packets_are_finished(trace)
    who_does_not_read(trace)
    asked_twice(trace)
    babeltrace2_ends(trace)
    finish()


main()
