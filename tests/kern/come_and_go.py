#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Disks and network namespaces that come and go while they are recorded: all that happens to each
is there, and nothing is left of it."""
import collections
import mmap
import os
import socket

from harness import (Net, Recorder, check, cleanups, equal, events, finish, path, require_root, run,
                     remove_loop, skip, until)
from undisturbed import Scenarios

undisturbed = Scenarios("disk", "tcp")

ROUNDS = 6
TRANSFERS = 10
BLOCK = 64 << 10


def attach(image):
    made = run("losetup", "-f", "--show", image, good=False)
    if made.returncode:
        skip("no loop device can be had: " + made.stderr.strip())
    name = os.path.basename(made.stdout.strip())
    cleanups.append(lambda: remove_loop(name, image))
    return name


def transfer(name):
    """Reads and writes of TRANSFERS blocks that do not touch each other; what diskstats tells."""
    before = diskstats(name)
    buffer = mmap.mmap(-1, BLOCK)
    fd = os.open("/dev/" + name, os.O_RDWR | os.O_DIRECT)
    for i in range(TRANSFERS):
        os.pwrite(fd, buffer, 2 * i * BLOCK)
        os.preadv(fd, [buffer], 2 * i * BLOCK)
    os.close(fd)
    return tuple(a - b for a, b in zip(diskstats(name), before))


def diskstats(name):
    with open("/sys/block/%s/stat" % name, encoding="ascii") as file:
        words = file.read().split()
    return int(words[0]), int(words[4])


def ended(trace):
    """{disk: (reads, writes) that have ended}."""
    counts = collections.defaultdict(lambda: [0, 0])
    for event in events(trace, "-e", "disk.complete"):
        if event["fields"]["op"] in (0, 1):
            counts[event["fields"]["disk"]][event["fields"]["op"]] += 1
    return {name: tuple(count) for name, count in counts.items()}


def disks():
    for i in range(2):
        with open(path("image%d" % i), "wb") as file:
            file.truncate(16 << 20)
    chosen = attach(path("image0"))
    everything = Recorder("-a", "-e", "disk")
    filtered = Recorder("-a", "-e", "disk", "--dev", chosen, "--name", "filtered")
    told = collections.defaultdict(lambda: (0, 0))
    for unused in range(ROUNDS):
        others = attach(path("image1"))
        for name in {chosen, others}:
            moved = transfer(name)
            told[name] = tuple(a + b for a, b in zip(told[name], moved))
        for name, image in ((chosen, "image0"), (others, "image1")):
            remove_loop(name, path(image))
        # The same number may be another disk by now, and is asked for by its number.
        run("losetup", "/dev/" + chosen, path("image0"))
    remove_loop(chosen, path("image0"))
    for recorder in everything, filtered:
        equal("disks: exit status", recorder.stop(), 0)
    seen = ended(everything.trace)
    equal("disks: reads and writes, by diskstats", {name: seen.get(name) for name in told},
          dict(told))
    check(all(one[0] >= ROUNDS * TRANSFERS for one in told.values()), "disks: %s" % dict(told))
    equal("disks, by --dev", ended(filtered.trace), {chosen: told[chosen]})


def talk(net):
    """A connection from a to b; both ports."""
    listener = net.listen(net.b)
    client, server = net.connect(net.a, listener)
    client.sendall(b"x" * 1000)
    server.recv(1000, socket.MSG_WAITALL)
    ports = client.getsockname()[1], listener.getsockname()[1]
    for one in (client, server, listener):
        one.close()
    until(net.closed, "both ends are closed")
    return ports


def namespaces():
    recorder = Recorder("-e", "tcp")
    lasting = Net()
    chosen = Recorder("-e", "tcp", "--netns", "%s,%s" % (lasting.a, lasting.b), "--name", "chosen")
    wanted, inodes, kept = set(), collections.Counter(), set()
    for unused in range(ROUNDS):
        passing = Net()
        for net in (lasting, passing):
            ports = talk(net)
            wanted.add(frozenset(ports))
            if net is lasting:
                kept.add(frozenset(ports))
            for name in (net.a, net.b):
                inodes[net.inode(name)] += 1
        passing.remove()
    lasting.remove()
    for one in (recorder, chosen):
        equal("namespaces: exit status", one.stop(), 0)
    shown = events(recorder.trace, "-e", "tcp.*")
    equal("namespaces: connections that were not seen",
          wanted - {frozenset((event["fields"]["lport"], event["fields"]["rport"]))
                    for event in shown}, set())
    closes = collections.Counter(
        event["fields"]["netns"] for event in shown if event["event"] == "tcp.close" and
        frozenset((event["fields"]["lport"], event["fields"]["rport"])) in wanted and
        event["fields"]["netns"] in inodes)  # another's may have the number of one that has gone
    equal("namespaces: closes of connections in each", closes, inodes)
    equal("namespaces, by --netns: connections",
          {frozenset((event["fields"]["lport"], event["fields"]["rport"]))
           for event in events(chosen.trace, "-e", "tcp.*")
           if event["fields"]["rport"] and event["fields"]["lport"]} - kept, set())


require_root()
undisturbed(disks)
undisturbed(namespaces)
finish()
