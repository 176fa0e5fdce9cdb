#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The README leads from a problem to a command: each command of its table is run as it stands there, on a
host that has the problem, for a shorter time; and what is read shows the problem."""
import os
import re
import shlex
import signal
import socket
import subprocess
import threading
import time

from harness import (Net, PATIENCE, SONDE, check, cleanups, equal, finish, fresh, make_loop, path, require_root,
                     run, skip, until)
from mounts import has_tracefs

SECTION = re.compile(r"^## From the problem to the command$(.*?)^## ", re.M | re.S)
ROW = re.compile(r"^\| (?P<problem>[^|]+) \| (?P<record>[^|]+) \| (?P<read>[^|]+) \|$", re.M)
COMMAND = re.compile(r"`(sonde [^`]+)`")
SHORT = {"10s": "700ms", "60s": "1500ms", "fs1.example.org": "127.0.0.1", "net://RELAY": "net://127.0.0.1"}
# What the first and the next command of the last column print of the problem.
SHOWN = {
    "a TCP connection is slow": [r"round trips and window"],
    "packets get lost": [r"Drops: [\d,]+ packets?, ", r"reason=NO_SOCKET"],
    "a process stalls on a disk": [r"loop\d+ write", r"time of the disk request"],
    "a thread does not run": [r"task by time waiting"],
    "a system call is slow": [r"clock_nanosleep", r"clock_nanosleep.* = 0 <\d{3}ms>"],
    "a program waits, and not for a CPU": [r"Off-CPU: [\d.]+ (.*\n)+?.*\bcause\b.*\n\S",
                                           r"\bwaker_comm\b.*\n\S"],
    "a CPU is busy": [r"user .*\nnice .*\nsystem ", r""],
    "memory is short": [r""],
    "a service on another host is slow": [r"net://", r"net.tcp_recv"],
    "an AFS server is full": [r"127.0.0.1", r"127.0.0.1"],
    "it happens once in a night": [r"system call +calls"],
}


def table():
    """(problem, commands that record, commands that read)"""
    with open(os.path.join(os.environ["SONDE_SOURCE"], "README.md"), encoding="utf-8") as file:
        section = SECTION.search(file.read())[1]
    rows = [(row["problem"], COMMAND.findall(row["record"]), COMMAND.findall(row["read"]))
            for row in ROW.finditer(section)]
    return [row for row in rows if row[1]]


class Host:
    """Has all the problems, in a network namespace of its own."""

    def __init__(self):
        self.net = Net()
        self.inside = ["nsenter", "--net=/run/netns/" + self.net.a]
        self.stopped = threading.Event()
        disk = "/dev/" + make_loop(path("disk"))
        with self.net.inside(self.net.a):
            self.listener = socket.create_server(("127.0.0.1", 443))
        problems = (self.connect, self.send_to_nobody, lambda: self.write(disk))
        self.threads = [threading.Thread(target=self.keep, args=(one,), daemon=True) for one in problems]
        threading.Thread(target=self.serve, daemon=True).start()
        for thread in self.threads:
            thread.start()

    def keep(self, make):
        with self.net.inside(self.net.a):
            while not self.stopped.wait(0.01):
                make()

    def serve(self):
        while True:
            conn = self.listener.accept()[0]
            conn.recv(100)
            conn.sendall(bytes(1000))
            conn.close()

    @staticmethod
    def connect():
        with socket.create_connection(("127.0.0.1", 443)) as conn:
            conn.sendall(bytes(100))
            while conn.recv(1000):
                pass

    @staticmethod
    def send_to_nobody():
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
            sock.sendto(b"x", ("127.0.0.1", 9))

    @staticmethod
    def write(disk):
        with open(disk, "wb", buffering=0) as file:
            file.write(bytes(1 << 16))
            os.fsync(file.fileno())

    def argv(self, command, trace):
        """The command as a user of this host would type it, with the program under test."""
        words = [SHORT.get(word, word) for word in shlex.split(command)]
        words = [trace if word in ("T", "DIR") else word for word in words]
        words = [path(word) if word.endswith(".svg") else word for word in words]
        if words[-1] == "COMMAND":
            words[-1:] = ["sleep", "0.3"]
        return [*self.inside, SONDE, *words[1:]]

    def start(self, argv):
        process = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        cleanups.append(process.kill)
        return process

    def close(self):
        self.stopped.set()
        for thread in self.threads:
            thread.join()


def read(host, problem, commands, trace):
    for command, shown in zip(commands, SHOWN[problem]):
        done = run(*host.argv(command, trace), good=False)
        check(done.returncode in (0, 3) or (done.returncode == 4 and not shown),
              "%s: %s: status %d: %s" % (problem, command, done.returncode, done.stderr))
        check(re.search(shown, done.stdout), "%s: %s shows:\n%s" % (problem, command, done.stdout))
    equal(problem + ": commands that read", len(commands), len(SHOWN[problem]))


def recorded(host, problem, command, trace):
    """Records until it ends by itself, or until what is waited for has been written."""
    process = host.start(host.argv(command, trace))
    if " -d " not in command and "COMMAND" not in command:
        if "--snapshot-on" in command:
            until(lambda: os.path.isdir(trace), "it has made " + trace)
            until(lambda: slept_for_long() and own_sleep_is_noted(trace), "it has noted our call in " + trace)
        else:
            until(lambda: is_written(trace), "it has written " + trace)
        process.send_signal(signal.SIGINT)
    said = process.communicate(timeout=PATIENCE)[1]
    check(process.returncode in (0, 3), "%s: %s: status %d: %s" % (problem, command, process.returncode, said))


def slept_for_long():
    time.sleep(1.01)
    return True


def own_sleep_is_noted(trace):
    """Other tasks of this host sleep as well, and one note may stand for several calls."""
    done = run(SONDE, "print", "-e", "sonde.trigger", "--where", "tid == %d" % os.getpid(), trace, good=False)
    return 'measurement="sys.exit"' in done.stdout


def is_written(trace):
    """Some stream of a CPU has events: the recorder's own does not count."""
    return os.path.isdir(trace) and any(entry.name.startswith("cpu") and entry.stat().st_size
                                        for entry in os.scandir(trace))


def relayed(host, problem, commands, reading):
    there, relay = commands if "--push" in commands[0] else commands[::-1]
    stored = fresh()
    os.mkdir(stored)
    serve = host.start(host.argv(relay, stored))
    serve.stderr.readline()
    recorder = host.start(host.argv(there, None))

    def sessions():
        return re.findall(r"net://\S+", run(*host.argv(reading[0], None), good=False).stdout)

    until(sessions, "the relay has a session")
    report = host.start(host.argv(reading[1].replace("net://RELAY/host/HOST/SESSION", sessions()[0]), None))
    until(lambda: report_has_begun(report.pid), "the report reads the session")
    recorder.send_signal(signal.SIGINT)
    shown, said = report.communicate(timeout=PATIENCE)
    recorder.communicate(timeout=PATIENCE)
    check(report.returncode in (0, 3), "%s: status %d: %s" % (problem, report.returncode, said))
    check(SHOWN[problem][1] in shown, "%s: it shows:\n%s" % (problem, shown))
    serve.send_signal(signal.SIGINT)
    serve.communicate(timeout=PATIENCE)


def report_has_begun(pid):
    """It is connected: one of its files is a socket."""
    try:
        return any(os.readlink(entry.path).startswith("socket:") for entry in os.scandir("/proc/%d/fd" % pid))
    except OSError:
        return False


def each_problem(host):
    rows = table()
    equal("problems", sorted(row[0] for row in rows), sorted(SHOWN))
    for problem, recording, reading in rows:
        print(problem, flush=True)
        if "another host" in problem:
            relayed(host, problem, recording, reading)
            continue
        trace = fresh()
        recorded(host, problem, recording[0], trace)
        read(host, problem, reading, trace)


def main():
    require_root()
    if not has_tracefs():
        skip("tracefs cannot be mounted")
    host = Host()
    answering = host.start([*host.inside, SONDE, "serve", "--rx", "127.0.0.1:7000"])
    answering.stdout.readline()
    each_problem(host)
    answering.kill()
    host.close()
    finish()


if __name__ == "__main__":
    main()
