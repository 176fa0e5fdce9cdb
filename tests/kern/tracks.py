#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""A recording of all that tracks are made of, as tracks: what is on them is what reports tell."""
import os
import socket
import subprocess
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "interop"))
from harness import Net, Recorder, SONDE, check, equal, finish, path, require_root  # noqa: E402
from trace_events import compare  # noqa: E402

BLOCK = 65536


def work(net):
    """What sleeps is switched to by its own name; what only runs, perhaps never."""
    listener = net.listen(net.b)
    client, server = net.connect(net.a, listener)
    client.sendall(bytes(BLOCK))
    got = 0
    while got < BLOCK:
        got += len(server.recv(BLOCK))
    server.shutdown(socket.SHUT_RDWR)
    client.close()
    for i in range(20):
        subprocess.run(["sleep", "0.002"], check=True)
    with open(path("file"), "wb") as file:
        for i in range(20):
            file.write(bytes(BLOCK))
            file.flush()
            os.fsync(file.fileno())


def main():
    require_root()
    net = Net()
    recorder = Recorder("-a", "-e", "sched,sys,irq,tcp,disk,fs,cpu.sample")
    work(net)
    trace, status = recorder.trace, recorder.stop()
    check(status in (0, 3), "status %r" % status)
    file = path("tracks.json")
    with open(file, "w", encoding="utf-8") as out:
        subprocess.run([SONDE, "print", "--format", "perfetto", trace], stdout=out, check=False)
    got = compare(trace, file, "recording")
    equal("processes of tracks", {"CPUs", "TCP connections"} - set(got.processes.values()), set())
    names = {name for unused, name in got.threads.values()}
    check({"sleep", "sleep state", "CPU 0"} <= names, "tracks: %s" % sorted(names))
    check(got.process("Disk .*"), "no disk")
    on_cpus = {s.name.split()[0] for s in got.slices if got.processes[s.pid] == "CPUs"}
    check({"sleep", "softirq", "timer"} <= on_cpus, "on CPUs: %s" % sorted(on_cpus))
    check(got.arrows > 20, "arrows: %d" % got.arrows)
    finish()


main()
