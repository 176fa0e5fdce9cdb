#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""How sonde serve begins: whoever can connect finds its health check and control sockets, too; a directory that takes long to
read delays no other; and a signal ends it as it does later, whatever it is busy with."""
import os
import re
import shutil
import signal
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kern"))
from harness import PATIENCE, SONDE, check, cleanups, equal, finish, fresh, missing, path, preloaded, run, until  # noqa: E402
from live_viewer import URL  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
PORTS = 3
CALL = re.compile(r"^(\d+) +(?:(bind)\((\d+), \{sa_family=(AF_\w+)|(listen)\((\d+), ).* = 0$", re.M)


def trace():
    folder = fresh("trace")
    run(sys.executable, os.path.join(HERE, "make_trace.py"), folder, "--events", "300")
    return folder


def calls(log):
    """(what, family) of those that succeeded, in their order."""
    with open(log, encoding="utf-8") as text:
        found, families = [], {}
        for unused, bind, bound, family, listen, listens in CALL.findall(text.read()):
            if bind:
                families[bound] = family
            found.append((bind or listen, families[bound or listens]))
    return found


def sockets_of_checks_come_first():
    if not shutil.which("strace"):
        missing("strace is not installed")
    log, program = fresh("calls"), path("lttng-relayd")
    os.symlink(SONDE, program)
    with open(fresh("log"), "wb") as out, open(log, "wb"):  # which strace writes
        process = subprocess.Popen(
            ["strace", "-f", "-e", "trace=bind,listen", "-o", log, program, "--output=" + fresh("store"),
             *("--%s-port=tcp://127.0.0.1:0" % name for name in ("control", "data", "live"))],
            stdin=subprocess.DEVNULL, stderr=out, env=dict(os.environ, LTTNG_RELAYD_HEALTH=path("health")))
    cleanups.append(process.kill)
    until(lambda: calls(log).count(("listen", "AF_INET")) >= PORTS or process.poll() is not None, "it listens")
    found = calls(log)
    with open(log, encoding="utf-8") as text:
        os.kill(int(text.read().split()[0]), signal.SIGTERM)
    equal("exit status", process.wait(PATIENCE), 0)
    first = found.index(("listen", "AF_INET"))
    equal("health check and control", found[:first].count(("listen", "AF_UNIX")), 2)
    check("what is made later: %s" % found[first:], set(found[first:]) == {("listen", "AF_INET")})


class Held:
    """sonde serve @args that never gets a byte of @file."""

    def __init__(self, file, *args):
        self.until, self.write_end = os.pipe()
        reached, held = os.pipe()
        self.log = fresh("log")
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                [SONDE, "serve", "--live", "127.0.0.1:0", *args], stderr=log, pass_fds=[self.until, held],
                env=preloaded("hold") | {"HOLD_INODE": str(os.stat(file).st_ino), "HOLD_FD": str(self.until),
                                         "HELD_FD": str(held)})
        cleanups.append(self.process.kill)
        os.close(held)
        equal("it reads %s" % file, os.read(reached, 1), b"\0")
        os.close(reached)

    def said(self):
        with open(self.log, encoding="utf-8") as text:
            return text.read()

    def release(self):
        os.close(self.write_end)

    def urls(self, count):
        """Those of @count sessions that it has announced, when it has."""
        until(lambda: len(URL.findall(self.said())) >= count or self.process.poll() is not None, "%d sessions" % count)
        return [found[0] for found in URL.finditer(self.said())]

    def end(self, number):
        self.process.send_signal(number)
        return self.process.wait(PATIENCE)


def events(source):
    return run(SONDE, "print", "--format", "json", source).stdout.splitlines()


def large_directory_delays_no_other():
    """The order proves it: what comes before release() does not wait for the directory that is held. It keeps its name."""
    large, small, other = trace(), trace(), os.path.join(fresh("other"), "T")
    namesake = os.path.join(fresh("namesake"), os.path.basename(large))
    shutil.copytree(small, namesake)
    shutil.copytree(small, other)
    held = Held(large + "/metadata", large, small, namesake, other)
    urls = held.urls(2)
    equal("what is announced", sorted(url.rpartition("/")[2] for url in urls), sorted([os.path.basename(small), "T"]))
    for url in urls:
        equal("events of %s" % url, len(events(url)), len(events(small)))
    equal("sessions", len(URL.findall(run(SONDE, "sessions", "net://localhost:" + URL.match(urls[0])[1]).stdout)), 2)
    held.release()
    urls = held.urls(4)[2:]
    equal("then", [url.rpartition("/")[2] for url in urls], [os.path.basename(large), os.path.basename(large) + "-2"])
    equal("events of the large one", len(events(urls[0])), len(events(large)))
    equal("exit status", held.end(signal.SIGTERM), 0)


def one_that_cannot_be_read_ends_it():
    good, bad, nothing = trace(), trace(), fresh("nothing")
    with open(bad + "/metadata", "w", encoding="utf-8") as file:
        file.write("/* CTF 1.8 */ trace {")
    os.mkdir(nothing)
    for folder, why in (bad, "metadata: "), (nothing, "no trace in it"), (fresh("none"), "No such file"):
        done = run(SONDE, "serve", "--live", "127.0.0.1:0", good, folder, good=False)
        equal("exit status with %s" % folder, done.returncode, 1)
        check("sonde serve: %s: %s" % (folder, why) in done.stderr, done.stderr)


def signals_end_it():
    token, folder = fresh("token"), trace()
    with open(os.open(token, os.O_CREAT | os.O_WRONLY, 0o600), "w", encoding="utf-8") as file:
        file.write("0123456789abcdef" * 4 + "\n")
    for number in signal.SIGINT, signal.SIGTERM:
        for what, file, args in (("a token", token, ("--token", token, folder)),
                                 ("metadata", folder + "/metadata", (folder,))):
            held = Held(file, *args)
            equal("%s while it reads %s" % (number.name, what), held.end(number), 0)


sockets_of_checks_come_first()
large_directory_delays_no_other()
one_that_cannot_be_read_ends_it()
signals_end_it()
finish()
