#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""LTTng 2.16 streams to sonde serve, in CTF 1.8 and in its default format CTF 2; what is stored and what viewers get
is what was emitted. babeltrace2 2.1 reads both, one of 2.0 is not shown sessions that it cannot read."""
import os
import shutil
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kern"))
from harness import PATIENCE, SONDE, check, cleanups, equal, finish, fresh, missing, path, run, until  # noqa: E402
from ingest_client import Server  # noqa: E402
from lttng_session import Lttng, ust_program  # noqa: E402

ROUNDS, BURST = 60, 40
EVENTS = 2 * (ROUNDS * 6 + BURST)  # of one run of the program: two threads


def peers():
    """The folder of the newer peers, which script/bootstrap has fetched: a test has no network but its own."""
    done = run(os.path.join(os.environ["SONDE_SOURCE"], "script", "newer-peers"), good=False)
    if done.returncode:
        missing("no newer peers can be had: " + done.stderr)
    return done.stdout.splitlines()[0]


class Newer(Lttng):
    """Session daemon, consumer daemon and programs are all of the newer LTTng, and run as who we are."""

    def __init__(self, folder):  # pylint: disable=super-init-not-called
        self.folder, self.user, self.home = folder, None, path("newer")
        os.mkdir(self.home)
        self.env = dict(os.environ, LTTNG_HOME=self.home, HOME=self.home, LTTNG_RUNDIR=self.home + "/run", TERM="dumb",
                        LTTNG_UST_APP_PATH=self.home + "/run", LTTNG_UST_CTL_PATH=self.home + "/run",
                        LTTNG_UST_REGISTER_TIMEOUT="15000", LTTNG_UST_WITHOUT_BADDR_STATEDUMP="1")
        consumer = path("consumerd")
        with open(consumer, "w", encoding="utf-8") as script:
            script.write('#!/bin/sh\nexec %s/lttng lttng-consumerd "$@"\n' % folder)
        os.chmod(consumer, 0o755)
        self.daemon = self.start("lttng-sessiond", "--no-kernel", "--quiet", "--consumerd64-path=" + consumer)
        cleanups.append(self.end)
        end = time.monotonic() + PATIENCE
        while self.lttng("list", good=False).returncode:
            if self.daemon.poll() is not None or time.monotonic() > end:
                raise RuntimeError("lttng-sessiond of the newer LTTng does not start")
            time.sleep(0.05)

    def start(self, *argv):
        return super().start(self.folder + "/lttng", *argv)

    def run(self, *argv, good=True):
        return super().run(self.folder + "/lttng", *argv, good=good)


def session(lttng, server, name, *create):
    lttng.lttng("create", name, "--set-url=net://127.0.0.1:%d:%d" % (server.control, server.data), *create)
    lttng.lttng("enable-channel", "--userspace", "--session=" + name, "ch")
    lttng.lttng("enable-event", "--userspace", "--session=" + name, "--channel=ch", "sonde_test:*")
    lttng.lttng("start", name)


def listed(program, server):
    return run(program, "-i", "lttng-live", "net://127.0.0.1:%d" % server.live, good=False).stdout


def stored(output, name):
    found = [folder for folder, unused, files in os.walk(output) if "metadata" in files and "/%s-" % name in folder]
    equal("traces of " + name, len(found), 1)
    return found[0]


def count(program, folder):
    done = run(program, folder, good=False)
    equal("status of %s: %s" % (program, done.stderr), done.returncode, 0)
    return sum("sonde_test:" in line for line in done.stdout.splitlines())


def one(lttng, server, output, ust, name, options, is_ctf2):
    newer = lttng.folder + "/babeltrace2"
    session(lttng, server, name, "--live=200000", *options)
    until(lambda: "/%s " % name in listed(newer, server), "session %s is listed" % name)
    check(("CTF 2" if is_ctf2 else "CTF 1.8") in listed(newer, server), listed(newer, server))
    equal("babeltrace2 2.0 is shown " + name, "/%s " % name in listed("babeltrace2", server), not is_ctf2)
    url = "net://127.0.0.1:%d/host/%s/%s" % (server.live, os.uname().nodename, name)
    viewers = []
    for program in [newer, None] if is_ctf2 else [newer, "babeltrace2", None]:
        command = [program, "-i", "lttng-live", url] if program else [SONDE, "print", url]
        out = fresh("viewer")
        with open(out, "wb") as file, open(out + ".err", "wb") as err:
            viewers.append((out, subprocess.Popen(command, stdout=file, stderr=err)))
        cleanups.append(viewers[-1][1].kill)
    until(lambda: "%d client" % len(viewers) in listed(newer, server), "the viewers are attached")
    for unused in range(2):
        lttng.run(ust, str(ROUNDS), str(BURST))
    lttng.lttng("stop", name)
    lttng.lttng("destroy", name)
    for out, viewer in viewers:
        status = viewer.wait(PATIENCE)
        with open(out + ".err", encoding="utf-8") as file:
            equal("status of %s, which says %s" % (viewer.args[0], file.read()), status, 0)
        with open(out, encoding="utf-8") as file:
            equal("events that %s got" % viewer.args[0], sum("sonde_test:" in line for line in file), 2 * EVENTS)
    trace = stored(output, name)
    with open(trace + "/metadata", "rb") as file:
        equal("the format of " + name, file.read(1) == b"\x1e", is_ctf2)
    for program in [newer] if is_ctf2 else [newer, "babeltrace2"]:
        equal("stored events for " + program, count(program, trace), 2 * EVENTS)
    equal("stored events for us", run(SONDE, "print", trace).stdout.count("sonde_test:"), 2 * EVENTS)


def main():
    if not shutil.which("babeltrace2"):
        missing("babeltrace2 is not installed")
    lttng = Newer(peers())
    ust = ust_program()
    output = fresh("store")
    os.mkdir(output)
    server = Server(output)
    one(lttng, server, output, ust, "old_format", ("--trace-format=ctf-1.8",), False)
    one(lttng, server, output, ust, "new_format", (), True)
    check("rejected" not in server.said() and " closed: " not in server.said(), server.said())
    equal("exit status", server.stop(), 0)
    finish()


main()
