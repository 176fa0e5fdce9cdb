#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Our rxdebug beside OpenAFS's, on the same state of real servers: vlserver, ptserver, volserver and
fileserver, with connections of real clients, in namespaces of their own."""
import json
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kern"))
from afs_cell import PORTS, in_namespaces, make_cell, start  # noqa: E402
from harness import PATIENCE, SONDE, check, equal, finish, path  # noqa: E402

OPTIONS = [[], ["-allconnections"], ["-rxstats"], ["-version"], ["-peers", "-long", "-allconnections"],
           ["-noconns", "-peers"], ["-nodally", "-allconnections"], ["-onlyserver", "-allc"],
           ["-onlyclient", "-allc"], ["-onlyauth", "noauth", "-allc"], ["-onlyhost", "127.0.0.1"]]
# Asking is counted, packets are taken and put back, threads have calls of their own.
MOVES = [(rb"(debug|version) \d+", rb"\1 N"), (rb"[Ff]ree packets:? -?\d+", b"free N"),
         (rb"(bytes|packets) (received|sent) high \d+ low \d+", rb"\1 \2 N"),
         (rb"\d+ threads are idle", b"N threads"), (rb"allocs \d+", b"allocs N"),
         (rb"calls: \d+", b"calls: N"), (rb"Received \d+ bytes", b"Received N bytes")]


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
        mine, theirs = run(ours, *args), run(shutil.which("rxdebug"), *args)
        what = "%s %s" % (name, " ".join(options))
        equal(what + ": status", mine[0], theirs[0])
        equal(what + ": stderr", mine[2], theirs[2])
        equal(what, still(mine[1]), still(theirs[1]))
        check(len(mine[1]) > 20, what + ": nothing is told")


def modern(name):
    """What rxdebug tells is what `sonde rxdebug` tells, of every connection and peer."""
    done = subprocess.run([SONDE, "rxdebug", "--json", "-a", "-p", "127.0.0.1:%d" % PORTS[name]],
                          capture_output=True, timeout=PATIENCE, check=False)
    equal(name + ": status of sonde rxdebug", done.returncode, 0)
    one, = json.loads(done.stdout)["servers"]
    text = run(shutil.which("rxdebug"), "127.0.0.1", str(PORTS[name]), "-allc", "-peers")[1].decode()
    equal(name + ": connections", sorted((each["host"], each["port"]) for each in one["connections"]["list"]),
          sorted((host, int(port)) for host, port in
                 re.findall(r"Connection from host ([\d.]+), port (\d+)", text)))
    equal(name + ": peers", sorted((each["host"], each["port"]) for each in one["peers"]["list"]),
          sorted((host, int(port)) for host, port in
                 re.findall(r"Peer at host ([\d.]+), port (\d+)", text)))
    text = run(shutil.which("rxdebug"), "127.0.0.1", str(PORTS[name]), "-version")[1].decode()
    equal(name + ": version", "AFS version: %s" % one["version"], text.splitlines()[1])


def main():
    in_namespaces()
    config = make_cell()
    start("vlserver", config, "-noauth", "-database", path("db/vldb"))
    start("ptserver", config, "-database", path("db/prdb"))
    start("fileserver", config)
    start("volserver", config)
    for unused in range(3):
        subprocess.run(["vos", "listaddrs", "-noauth", "-config", config], timeout=PATIENCE,
                       capture_output=True)
    ours = path("rxdebug")
    os.symlink(SONDE, ours)
    told = run(ours, "127.0.0.1", str(PORTS["vlserver"]), "-allconnections")[1]
    check(told.count(b"Connection from") >= 3, "connections of vos: %s" % told)
    for name in PORTS:
        compare(name, ours)
        modern(name)
    finish()


main()
