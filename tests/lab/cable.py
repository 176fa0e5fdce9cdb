# SPDX-License-Identifier: BSD-2-Clause
"""Two network namespaces, joined by a wire (wire/): what the lab's programs run in."""
import contextlib
import ctypes
import itertools
import json
import os
import subprocess

from truth import Truth

CLONE_NEWNET = 0x40000000
PATIENCE = 600  # seconds until something that should end counts as hanging
A, B = "10.78.0.1", "10.78.0.2"
MACS = ("02:00:00:00:4c:0a", "02:00:00:00:4c:0b")
numbers = itertools.count()


def run(*argv, good=True, **more):
    done = subprocess.run(argv, capture_output=True, text=True, timeout=PATIENCE, check=False, **more)
    if good and done.returncode:
        raise RuntimeError("%s: status %d: %s" % (" ".join(argv), done.returncode, done.stderr))
    return done


class Cable:
    """@settings: lines of a wire's schedule. In .a and .b, names of namespaces, programs see each other as A and B.
    Used in `with`: at its end the namespaces and what runs in them for the wire are gone."""

    def __init__(self, wire, directory, settings="", seed=1):
        tag = "lab%d_%d" % (os.getpid(), next(numbers))
        self.a, self.b = tag + "a", tag + "b"
        self.log = os.path.join(directory, "wire.log")
        self.schedule = os.path.join(directory, "wire.settings")
        self.process = None
        with open(self.schedule, "w", encoding="ascii") as file:
            file.write(settings)
        self.command = [wire, "--seed", str(seed), "--settings", self.schedule, "--log", self.log,
                        self.a + ":wire", self.b + ":wire"]

    def __enter__(self):
        try:
            self.make()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *unused):
        self.close()

    def make(self):
        for name in (self.a, self.b):
            run("ip", "netns", "add", name)
            # What the wire carries are the programs' packets alone.
            self.set(name, "net/ipv6/conf/all/disable_ipv6", 1)
            self.set(name, "net/ipv6/conf/default/disable_ipv6", 1)
        self.process = subprocess.Popen(self.command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if self.process.stdout.readline() != "ready\n":
            raise RuntimeError(self.process.communicate()[1].strip() or "the wire did not start")
        ends = ((self.a, A, MACS[0]), (self.b, B, MACS[1]))
        for (name, address, mac), (unused, peer, peer_mac) in zip(ends, reversed(ends)):
            run("ip", "-n", name, "link", "set", "lo", "up")
            run("ip", "-n", name, "link", "set", "wire", "down")
            run("ip", "-n", name, "link", "set", "wire", "address", mac, "txqueuelen", "10000")
            run("ip", "-n", name, "link", "set", "wire", "up")
            run("ip", "-n", name, "address", "add", address + "/24", "dev", "wire")
            run("ip", "-n", name, "neighbour", "replace", peer, "lladdr", peer_mac, "dev", "wire", "nud", "permanent")

    def close(self):
        if self.process and self.process.poll() is None:
            self.process.kill()
        if self.process:
            self.process.communicate()
        for name in (self.a, self.b):
            run("ip", "netns", "delete", name, good=False)

    @contextlib.contextmanager
    def inside(self, name):
        """This thread is in that namespace: sockets stay where they are made."""
        libc = ctypes.CDLL(None, use_errno=True)
        with open("/proc/thread-self/ns/net", encoding="ascii") as home, \
                open("/run/netns/" + name, encoding="ascii") as there:
            if libc.setns(there.fileno(), CLONE_NEWNET):
                raise OSError(ctypes.get_errno(), "setns")
            try:
                yield
            finally:
                libc.setns(home.fileno(), CLONE_NEWNET)

    def set(self, name, sysctl, value):
        with self.inside(name), open("/proc/sys/" + sysctl, "w", encoding="ascii") as file:
            file.write("%s\n" % value)

    def program(self, name, *argv):
        """The command that runs @argv there."""
        return ["ip", "netns", "exec", name, *argv]

    def unseen(self):
        """Packets that a device dropped before the wire could read them."""
        dropped = 0
        for name in (self.a, self.b):
            link = json.loads(run("ip", "-n", name, "-s", "-j", "link", "show", "wire").stdout)[0]
            dropped += link["stats64"]["tx"]["dropped"]
        return dropped

    def counters(self, name):
        """{"TcpInSegs": ...}: all that the namespace's stack counts, as nstat shows it."""
        found = {}
        for table in ("snmp", "netstat"):
            with self.inside(name), open("/proc/thread-self/net/" + table, encoding="ascii") as file:
                lines = file.read().splitlines()
            for heads, values in zip(lines[::2], lines[1::2]):
                group = heads.split(":")[0]
                found.update((group + head, int(value))
                             for head, value in zip(heads.split()[1:], values.split()[1:]))
        return found

    def end(self):
        """The wire ends; what it did."""
        self.process.terminate()
        unused, stderr = self.process.communicate(timeout=PATIENCE)
        if self.process.returncode:
            raise RuntimeError("wire: " + stderr.strip())
        return Truth(self.log)
