#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Our rxdebug beside OpenAFS's, on the same state of real servers: vlserver, ptserver, volserver, fileserver and
bosserver, with connections of real clients and calls in each state that there is, in namespaces of their own."""
import json
import os
import re
import shutil
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kern"))
from harness import PATIENCE, SONDE, check, equal, finish, path  # noqa: E402
import afs_cell  # noqa: E402
from afs_cell import PORTS, Caller  # noqa: E402
from schema import described  # noqa: E402

OPTIONS = [[], ["-allconnections"], ["-rxstats"], ["-version"], ["-peers", "-long", "-allconnections"],
           ["-noconns", "-peers"], ["-nodally", "-allconnections"], ["-onlyserver", "-allc"],
           ["-onlyclient", "-allc"], ["-onlyauth", "noauth", "-allc"], ["-onlyauth", "clear", "-allc"],
           ["-onlyauth", "auth", "-allc"], ["-onlyauth", "crypt", "-allc"],
           ["-onlyhost", "127.0.0.1"], ["-onlyhost", afs_cell.HOST, "-allc", "-peers"],
           ["-onlyport", "7003", "-allc", "-peers"]]
STATES = [b"state active, mode: receiving, flags: reader_wait", b"flags: waiting_for_process",
          b"has_output_packets", b", error -3", b"level crypt", b"level clear", b"client conn"]
# Asking is counted, packets are taken and put back, threads have calls of their own.
MOVES = [(rb"(debug|version) \d+", rb"\1 N"), (rb"[Ff]ree packets:? -?\d+", b"free N"),
         (rb"(bytes|packets) (received|sent) high \d+ low \d+", rb"\1 \2 N"),
         (rb"\d+ threads are idle", b"N threads"), (rb"allocs \d+", b"allocs N"),
         (rb"calls: \d+", b"calls: N"), (rb"Received \d+ bytes", b"Received N bytes"),
         (rb"selects \d+", b"selects N")]


def run(program, *args):
    done = subprocess.run(["rxdebug", *args], executable=program, capture_output=True,
                          timeout=PATIENCE)
    return done.returncode, done.stdout, done.stderr


def still(text):
    for pattern, stand_in in MOVES:
        text = re.sub(pattern, stand_in, text)
    return text.splitlines()


def compare(name, ours):
    for options in OPTIONS:
        args = ["127.0.0.1", str(PORTS[name]), *options]
        what = "%s %s" % (name, " ".join(options))
        end = time.monotonic() + PATIENCE
        # Calls that nobody goes on with end some time: what theirs tells before and after ours is one state.
        before, after = run(shutil.which("rxdebug"), *args), None
        while after is None or still(before[1]) != still(after[1]) and time.monotonic() < end:
            before = after or before
            mine, after = run(ours, *args), run(shutil.which("rxdebug"), *args)
        equal(what + ": status", mine[0], after[0])
        equal(what + ": stderr", mine[2], after[2])
        equal(what, still(mine[1]), still(after[1]))
        check(len(mine[1]) > 20, what + ": nothing is told")


def modern(name):
    """What rxdebug tells is what `sonde rxdebug` tells, of every connection and peer."""
    done = subprocess.run([SONDE, "rxdebug", "--json", "-a", "-p", "127.0.0.1:%d" % PORTS[name]],
                          capture_output=True, timeout=PATIENCE, check=False)
    equal(name + ": status of sonde rxdebug", done.returncode, 0)
    one, = described("rxdebug", json.loads(done.stdout))["servers"]
    text = run(shutil.which("rxdebug"), "127.0.0.1", str(PORTS[name]), "-allc", "-peers")[1].decode()
    equal(name + ": connections", sorted((each["host"], each["port"]) for each in one["connections"]["list"]),
          sorted((host, int(port)) for host, port in
                 re.findall(r"Connection from host ([\d.]+), port (\d+)", text)))
    equal(name + ": peers", sorted((each["host"], each["port"]) for each in one["peers"]["list"]),
          sorted((host, int(port)) for host, port in
                 re.findall(r"Peer at host ([\d.]+), port (\d+)", text)))
    text = run(shutil.which("rxdebug"), "127.0.0.1", str(PORTS[name]), "-version")[1].decode()
    equal(name + ": version", "AFS version: %s" % one["version"], text.splitlines()[1])


def answered():
    """A call that waits for us to take its answer, of the vlserver while it has a thread for it. Its caller, who has to
    be kept."""
    caller = Caller(PORTS["vlserver"])
    caller.call(0x4000)
    return caller


def occupy(name):
    """Calls of which some wait for their arguments, some for a thread; a connection that failed, and one that is asked
    who it is. The callers, who have to be kept."""
    callers = [Caller(PORTS[name]) for unused in range(3)]
    callers[0].begin(0x2000)
    callers[0].abort(0x2000, -3)
    callers[1].begin(0x3000, security=2)
    for number in range(24 if name in ("vlserver", "bosserver") else 4):
        callers[2].begin(number * 4 + 0x1000)
    return callers


def problems():
    """Of a server all of whose threads wait for calls' arguments, with nobody to tell it so."""
    server = "127.0.0.1:%d" % PORTS["vlserver"]
    callers = occupy("vlserver")
    done = subprocess.run([SONDE, "rxdebug", "-p", "--json", server], capture_output=True, timeout=PATIENCE,
                          check=True)
    one, = described("rxdebug", json.loads(done.stdout))["servers"]
    found = [(each["kind"], each["text"]) for each in one["problems"]]
    equal("the worst problem", found[0][0], "waiting")
    check(re.match(r"\d+ calls wait for a thread", found[0][1]), "waiting: %s" % found[0][1])
    blocked = [text for kind, text in found if kind == "blocked"]
    check(len(blocked) >= 8 and all("waits for a thread" in text for text in blocked), "blocked: %s" % blocked)
    callers += occupy("vlserver")  # calls of clients that are silent end by themselves
    done = subprocess.run([SONDE, "rxdebug", "-a", "--json", server], capture_output=True, timeout=PATIENCE,
                          check=True)
    one, = described("rxdebug", json.loads(done.stdout))["servers"]
    check(any(each["kind"] == "error" and "error -3" in each["text"] for each in one["problems"]),
          "errors: %s" % one["problems"])
    talker = json.loads(done.stdout)["talkers"][0]
    check(talker["host"] == afs_cell.HOST and talker["connections"] > 24, "talker: %s" % talker)
    for args, status in (([], 4), (["-w", "1000", "-c", "1000"], 0),
                         (["-w", "1000,blocked=7", "-c", "1000", "-a"], 3)):
        callers += occupy("vlserver")
        done = subprocess.run([SONDE, "rxdebug", "--check", *args, server], capture_output=True, timeout=PATIENCE,
                              check=False)
        equal("check %s: %s" % (args, done.stdout), done.returncode, status)
    del callers


def main():
    afs_cell.in_namespaces()
    config = afs_cell.make_cell()
    subprocess.run(["asetkey", "add", "0", "80b6a7cd7a9dadb6"], check=True)
    afs_cell.start_all(config)
    for options in (["-noauth"], ["-localauth"], ["-localauth", "-encrypt"]):
        subprocess.run(["vos", "listaddrs", *options, "-config", config], timeout=PATIENCE,
                       capture_output=True)
        subprocess.run(["bos", "status", afs_cell.HOST, options[0]], timeout=PATIENCE, capture_output=True)
    ours = path("rxdebug")
    os.symlink(SONDE, ours)
    seen = b""
    for name in PORTS:
        callers = [answered()] if name == "vlserver" else []
        callers += occupy(name)
        seen += run(ours, "127.0.0.1", str(PORTS[name]), "-allconnections")[1]
        compare(name, ours)
        modern(name)
        del callers
    problems()
    for state in STATES:
        check(state in seen, "no server tells of '%s': %s" % (state.decode(), seen.decode()))
    finish()


main()
