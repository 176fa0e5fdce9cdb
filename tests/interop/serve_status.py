#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""A running sonde serve answers sonde status and ends by sonde stop; what its limits refuse is said; sockets
of a service manager go by their names."""
import json
import os
import shutil
import signal
import socket
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kern"))
from harness import PATIENCE, SONDE, check, cleanups, equal, finish, fresh, missing, run, until  # noqa: E402
from ingest_client import CREATE_SESSION, OK, STREAMS_SENT, VERSION, Control, Data, Server, session  # noqa: E402
from lttng_relay import answers, free_ports  # noqa: E402
from schema import described  # noqa: E402


def status(*args):
    return [described("status", json.loads(line)) for line in run(SONDE, "status", "--json", *args, good=False).stdout.splitlines()]


def send_packet(server, control, handle, number, size=64):
    data = Data(server.data)
    data.send(handle, number, bytes(size))
    control.index(handle, number, size)
    equal("code", control.code(), OK)
    until(lambda: control.pending(handle, number) == 0, "the packet is there")
    return data


def told(output):
    server = Server(output, "--name", "told", "--connections", "7", "--sessions", "2")
    one = status("told")[0]
    equal("where viewers connect", one["live"], ["127.0.0.1:%d" % server.live])
    equal("where peers do", (one["control"], one["data"]),
          (["127.0.0.1:%d" % server.control], ["127.0.0.1:%d" % server.data]))
    equal("who it is", (one["kind"], one["name"], one["pid"], one["output"]),
          ("relay", "told", server.process.pid, os.path.realpath(output)))
    equal("sessions before any", one["sessions"], [])
    control, handle = session(server.control, "first")
    data = send_packet(server, control, handle, 0)
    viewer = socket.create_connection(("127.0.0.1", server.live))
    until(lambda: status("told")[0]["viewers"] == 1, "the viewer is counted")
    one = status("told")[0]
    equal("peers", (one["peers"], one["peers_most"], one["incoming"], one["incoming_most"]), (2, 7, 1, 2))
    first = one["sessions"][0]
    equal("the session", {key: first[key] for key in ("host", "name", "live", "ended", "viewers", "streams",
                                                      "packets", "bytes")},
          {"host": "here", "name": "first", "live": True, "ended": False, "viewers": 0, "streams": 1,
           "packets": 1, "bytes": 64})
    check(os.path.isdir(os.path.join(output, first["path"])), first["path"])
    text = run(SONDE, "status", "told").stdout
    for part in ("told, pid %d, since " % server.process.pid, "viewers at 127.0.0.1:%d: 1 of 7" % server.live,
                 "1 of 2 sessions are stored in %s" % os.path.realpath(output), "first"):
        check(part in text, "%r is not in %s" % (part, text))
    limits(server, output)
    viewer.close()
    data.socket.close()
    return server, control


def limits(server, output):
    """A session too many, and connections too many, are refused, and that is said."""
    second, unused = session(server.control, "second")
    third = Control(server.control)
    third.ask_create("third")
    check(third.rejected(CREATE_SESSION), "a third session")
    check("as many sessions as it takes" in server.said(), server.said())
    equal("what is stored", sorted(name.split("-")[0] for name in os.listdir(output + "/here")),
          ["first", "second"])
    kept = [socket.create_connection(("127.0.0.1", server.control)) for unused in range(9)]
    until(lambda: status("told")[0]["peers_refused"] >= 5, "connections are refused")
    check("others are refused" in server.said(), server.said())
    for one in kept:
        one.close()
    second.socket.close()
    until(lambda: status("told")[0]["incoming"] == 1, "a session ends")
    again, unused = session(server.control, "again")
    again.socket.close()


def stopped(server, control):
    """Ends when it is asked by name alone, and answers when what it stores is whole."""
    done = run(SONDE, "stop", good=False)
    equal("stop without a name", (done.returncode, "no recorder is running" in done.stderr), (4, True))
    done = run(SONDE, "stop", "-r", "told")
    check("relay told, after" in done.stdout and "first" in done.stdout, done.stdout)
    equal("its status", server.process.wait(PATIENCE), 0)
    check(control.closed(), "the peer is still connected")
    done = run(SONDE, "status", good=False)
    equal("status of none", (done.returncode, "no recorder or relay is running" in done.stderr), (4, True))


def killed(output):
    """What one leaves that was killed is removed."""
    server = Server(output, "--name", "killed")
    equal("it is there", len(status("killed")), 1)
    server.process.kill()
    server.process.wait()
    equal("and gone", status(), [])
    equal("its socket", [name for name in os.listdir(os.environ["SONDE_RUNTIME_DIR"])
                         if name.startswith("killed.")], [])


def strangers(server):
    """Before there is a session nobody is waited for with much."""
    control = Control(server.control)
    control.send(6, size=1 << 20)
    check(control.closed(), "a megabyte of a stranger")
    control = Control(server.control, agreed=False)
    control.send(VERSION, struct.pack(">II", 2, 3))
    control.receive(8)
    check(control.closed(), "a peer of protocol 2.3")
    check("2.4 or later" in server.said(), server.said())


class Activated:
    """`sonde serve` as a service manager starts it: with sockets that listen, and their names."""

    def __init__(self, names, *options):
        self.sockets = [socket.create_server(("127.0.0.1", 0)) for unused in names]
        self.ports = [one.getsockname()[1] for one in self.sockets]
        self.log = fresh("activated")
        pid = os.fork()
        if not pid:
            self.become(names, options)
        self.pid = pid
        cleanups.append(self.kill)

    def become(self, names, options):
        try:
            kept = [os.dup2(one.fileno(), 100 + i) for i, one in enumerate(self.sockets)]
            for i, fd in enumerate(kept):
                os.dup2(fd, 3 + i, inheritable=True)
            log = os.open(self.log, os.O_WRONLY | os.O_CREAT, 0o600)
            os.dup2(log, 2, inheritable=True)
            stat = os.fstat(2)
            env = dict(os.environ, LISTEN_PID=str(os.getpid()), LISTEN_FDS=str(len(names)),
                       LISTEN_FDNAMES=":".join(names), JOURNAL_STREAM="%d:%d" % (stat.st_dev, stat.st_ino))
            os.execve(SONDE, [SONDE, "serve", "--name", "activated", *options], env)
        finally:
            os._exit(127)

    def said(self):
        with open(self.log, encoding="utf-8") as text:
            return text.read()

    def wait(self):
        pid, self.pid = self.pid, None
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])

    def kill(self):
        if self.pid:
            os.kill(self.pid, signal.SIGKILL)
            self.wait()


def activated(output):
    served = Activated(["data", "control", "live", "sonde-serve.socket"], "-o", output)
    until(lambda: status("activated"), "it serves")
    data_port, control_port, live_port, other_port = served.ports
    one = status("activated")[0]
    equal("sockets", (one["data"], one["control"], one["live"]),
          (["127.0.0.1:%d" % data_port], ["127.0.0.1:%d" % control_port],
           ["127.0.0.1:%d" % live_port, "127.0.0.1:%d" % other_port]))
    served.control, served.data = control_port, data_port
    control, handle = session(control_port, "activated")
    control.send(STREAMS_SENT)
    equal("code", control.code(), OK)
    send_packet(served, control, handle, 0)
    Control(control_port, agreed=False).send(STREAMS_SENT)
    until(lambda: "rejected" in served.said(), "a peer is rejected")
    lines = served.said().splitlines()
    check(lines[0].startswith("<6>net://localhost:%d:%d stores" % (control_port, data_port)), lines[0])
    check(lines[1].startswith("<4>sonde serve: connection of a streaming client rejected"), lines[1])
    os.kill(served.pid, signal.SIGTERM)
    equal("exit status", served.wait(), 0)
    served = Activated(["control", "live"], os.path.join(os.environ["SONDE_SOURCE"], "tests/golden/data/visit"))
    equal("a socket that nothing is for", served.wait(), 1)
    check("no -o" in served.said(), served.said())
    served = Activated(["contol"], "-o", output)
    equal("a socket of another name", served.wait(), 1)
    check(served.said().startswith("<3>sonde serve: a socket is called 'contol'"), served.said())


def by_systemd(output):
    """Its own launcher, and the units that come with sonde."""
    if not shutil.which("systemd-socket-activate"):
        missing("systemd is not installed")
    ports = free_ports(3)
    log = fresh("systemd")
    with open(log, "wb") as out:
        process = subprocess.Popen(
            ["systemd-socket-activate", *("--listen=127.0.0.1:%d" % port for port in ports),
             "--fdname=live:control:data", "--setenv=SONDE_RUNTIME_DIR", SONDE, "serve", "--name", "systemd",
             "-o", output], stdin=subprocess.DEVNULL, stderr=out)
    cleanups.append(process.kill)
    until(lambda: all(answers(port) for port in ports[1:]), "it listens")
    until(lambda: status("systemd"), "it is started")
    control, unused = session(ports[1], "systemd")
    control.socket.close()
    process.terminate()
    equal("exit status", process.wait(PATIENCE), 0)
    units, source = fresh("units"), os.path.join(os.environ["SONDE_SOURCE"], "data/systemd")
    os.mkdir(units)
    for name in os.listdir(source):
        if name.endswith((".service", ".socket")):
            with open(os.path.join(source, name), encoding="utf-8") as file, \
                    open(os.path.join(units, name), "w", encoding="utf-8") as out:
                out.write(file.read().replace("@bindir@/sonde", SONDE))
    done = run("systemd-analyze", "verify", "--man=no", *(os.path.join(units, name) for name in os.listdir(units)),
               good=False)
    check(not done.returncode and "sonde" not in done.stderr, done.stderr)
    for name in os.listdir(units):
        if name.endswith(".service"):
            unit = os.path.join(units, name)
            done = run("systemd-analyze", "security", "--offline=true", "--no-pager", "--threshold=20", unit, good=False)
            check(not done.returncode and "Overall exposure level" in done.stdout,
                  "%s is exposed by more than 2.0: %s%s" % (name, done.stdout[-200:], done.stderr))
            with open(unit, encoding="utf-8") as file:
                lines = file.read().split("\n")
            for needed in "UMask=0077", "Restart=on-failure", "SystemCallErrorNumber=EPERM":
                check(needed in lines, "%s lacks %s" % (name, needed))
            check(any(line.startswith("MemoryMax=") for line in lines), name + " lacks MemoryMax")


def unprivileged():
    """Nobody's runtime directory is where nobody looks for it."""
    if os.geteuid():
        return
    home, output = fresh("home"), fresh("home")
    for folder in (home, output):
        os.mkdir(folder)
        os.chown(folder, 65534, 65534)
        os.chmod(folder, 0o700)
    os.chmod(os.path.dirname(home), 0o711)
    program = shutil.copy(SONDE, fresh("sonde"))
    env = {"XDG_RUNTIME_DIR": home, "PATH": os.environ["PATH"]}
    who = {"user": 65534, "group": 65534, "extra_groups": [], "env": env}
    process = subprocess.Popen([program, "serve", "--live", ":0", "--control", ":0", "--data", ":0", "-o", output],
                               stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **who)
    cleanups.append(process.kill)

    def ask(*args):
        return subprocess.run([program, *args], capture_output=True, text=True, timeout=PATIENCE, check=False, **who)
    until(lambda: ask("status").returncode == 0, "it is found")
    equal("its directory", os.listdir(home), ["sonde"])
    equal("stop", ask("stop", "-r", "relay").returncode, 0)
    equal("exit status", process.wait(PATIENCE), 0)


def main():
    output = fresh("store")
    os.mkdir(output)
    server, control = told(output)
    strangers(server)
    stopped(server, control)
    killed(output)
    activated(output)
    by_systemd(output)
    unprivileged()
    finish()


main()
