#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""A trace with every measurement, made under load: babeltrace2 and sonde read the same events, with
the same time, CPU, task and value of each field."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kern"))
from harness import Net, Recorder, actor_path, check, equal, finish, require_root  # noqa: E402
from side_by_side import compare_trace  # noqa: E402
from undisturbed import Scenarios  # noqa: E402


def traffic(net):
    listener = net.listen(net.b)
    client, server = net.connect(net.a, listener)
    for unused in range(20):
        client.sendall(bytes(30000))
        server.recv(1 << 20)
    client.close()
    server.close()
    listener.close()


def make_trace():
    net = Net()
    recorder = Recorder("-e", "*")
    for unused in range(3):
        subprocess.run(["sh", "-c", "ls / | cat >/dev/null"], check=True)
    subprocess.run([actor_path(), "threads", "3", "100"], check=True, stdout=subprocess.DEVNULL)
    traffic(net)
    equal("exit status of sonde record", recorder.stop(), 0)
    return recorder.trace


def everything():
    ours = compare_trace(make_trace())
    check(len(ours) > 3000, "only %d events to compare" % len(ours))
    names = {event["event"] for event in ours}
    for group in ("sys.openat", "sys.exit", "sched.switch", "sched.exec", "sched.exit", "tcp.ack",
                  "tcp.send", "tcp.state", "tcp.close", "sonde.task"):
        check(group in names, "no %s among the events compared" % group)


def main():
    require_root()
    Scenarios("disk", "irq", "net", "sched", "tcp")(everything)
    finish()


main()
