#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Whose an event is that happens in an interrupt: a datagram to a closed port is dropped while it is
received, and belongs to the task that sent it, under every filter by task."""
import os
import subprocess
import sys

import harness
from harness import (Net, Recorder, check, equal, events, finish, require_root)
from undisturbed import Scenarios

undisturbed = Scenarios("net")

CLOSED = 9
DATAGRAMS = 3
NOBODY = 65534
CGROUP = next((place for place in ("/sys/fs/cgroup", "/sys/fs/cgroup/unified")
               if os.path.exists(os.path.join(place, "cgroup.procs")) and
               os.path.exists(os.path.join(place, "cgroup.controllers"))), None)

# Names itself, becomes the user, and waits for a line; then it sends to each address from a port of its
# own, and prints these ports.
SENDER = """
import socket, sys, os
name, port, user, *addresses = sys.argv[1:]
with open("/proc/self/comm", "w") as file:
    file.write(name)
os.setuid(int(user))
print("ready", flush=True)
sys.stdin.readline()
ports = []
for address in addresses:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.socket(family, socket.SOCK_DGRAM) as sender:
        for _ in range(%d):
            sender.sendto(b"x", (address, int(port)))
        ports.append(sender.getsockname()[1])
print(*ports, flush=True)
""" % DATAGRAMS


def sender_command(netns, name, user=0):
    return ["ip", "netns", "exec", netns, sys.executable, "-c", SENDER, name, str(CLOSED),
            str(user), "127.0.0.1", "::1"]


class Sender:
    """A process in the namespace @netns that sends on go()."""

    def __init__(self, netns, name, user=0, cgroup=None):
        self.process = subprocess.Popen(sender_command(netns, name, user), stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        harness.cleanups.append(self.process.kill)
        self.pid = self.process.pid
        harness.read_line(self.process.stdout)
        if cgroup:
            with open(cgroup + "/cgroup.procs", "w", encoding="ascii") as file:
                file.write(str(self.pid))

    def go(self):
        """The ports that it has sent from."""
        said, unused = self.process.communicate("\n", timeout=harness.PATIENCE)
        equal("exit status of a sender", self.process.returncode, 0)
        return [int(port) for port in said.split()]


def closed_drops(trace):
    """How many datagrams to the closed port were dropped there, by the port that sent them."""
    ports = {}
    for event in events(trace, "-e", "net.drop", "--where", "reason == NO_SOCKET"):
        if event["fields"]["dport"] == CLOSED:
            port = event["fields"]["sport"]
            ports[port] = ports.get(port, 0) + 1
    return ports


def drops_with(net, what, arguments, wanted, other):
    recorder = Recorder("-e", "net.drop", *arguments)
    ports = wanted.go()
    other.go()
    # What has not sent in the recording is not known to be wanted: the recorder says so.
    equal(what + ": exit status", recorder.stop(), 6)
    check("net.drop is measured in part" in recorder.stderr, what + ": " + recorder.stderr)
    equal(what + ": drops by port", closed_drops(recorder.trace),
          {port: DATAGRAMS for port in ports})


def drops_by_comm(net):
    drops_with(net, "--comm", ["--comm", "owner-sends"], Sender(net.a, "owner-sends"),
               Sender(net.a, "other-sends"))


def drops_by_uid(net):
    drops_with(net, "--uid", ["--uid", str(NOBODY)], Sender(net.a, "owner-sends", NOBODY),
               Sender(net.a, "other-sends"))


def drops_by_pid(net):
    wanted = Sender(net.a, "owner-sends")
    drops_with(net, "--pid", ["--pid", str(wanted.pid)], wanted, Sender(net.a, "other-sends"))


def drops_by_cgroup(net):
    if not CGROUP:
        print("no cgroup version 2 here: --cgroup is not tested")
        return
    group = CGROUP + "/sonde-owners-%d" % os.getpid()
    os.mkdir(group)
    wanted = Sender(net.a, "owner-sends", cgroup=group)
    try:
        drops_with(net, "--cgroup", ["--cgroup", group], wanted, Sender(net.a, "other-sends"))
    finally:
        os.rmdir(group)


def drops_of_command(net):
    """The command's, and not those of a process beside it that sends first."""
    other = Sender(net.a, "other-sends")
    recorder = Recorder("-e", "net.drop", "--", *sender_command(net.a, "owner-sends"),
                        stdin=subprocess.PIPE)
    others = other.go()
    recorder.process.stdin.write("\n")
    recorder.process.stdin.flush()
    equal("COMMAND: exit status", recorder.wait(), 6)
    drops = closed_drops(recorder.trace)
    equal("COMMAND: drops by port", sorted(drops.values()), [DATAGRAMS, DATAGRAMS])
    check(not drops.keys() & set(others), "COMMAND: a drop of another task")


def all_drops(net):
    """Without a filter both senders' are there."""
    recorder = Recorder("-e", "net.drop")
    ports = Sender(net.a, "owner-sends").go() + Sender(net.a, "other-sends").go()
    equal("no filter: exit status", recorder.stop(), 0)
    drops = closed_drops(recorder.trace)
    equal("no filter: drops by port", {port: drops.get(port) for port in ports},
          {port: DATAGRAMS for port in ports})


require_root()
veth = Net()
for test in (all_drops, drops_by_comm, drops_by_uid, drops_by_pid, drops_by_cgroup,
             drops_of_command):
    undisturbed(test, veth)
finish()
