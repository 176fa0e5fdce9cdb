#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""sonde under the name lttng-relayd, with the options of that: what it stores is where the real one stores it, it
is a daemon when it is asked to be, and its configuration files count."""
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kern"))
from harness import PATIENCE, SONDE, check, cleanups, equal, finish, fresh, missing, path, run, until  # noqa: E402
from ingest_client import CLOSE_CHUNK, INVALID, OK, Control, Data  # noqa: E402
from lttng_relay import answers, free_ports  # noqa: E402

GET_CONFIGURATION = 22
UNKNOWN = 11
KEEP_ALIVE = {"LTTNG_RELAYD_TCP_KEEP_ALIVE_IDLE_TIME": "77", "LTTNG_RELAYD_TCP_KEEP_ALIVE_PROBE_INTERVAL": "11",
              "LTTNG_RELAYD_TCP_KEEP_ALIVE_MAX_PROBE_COUNT": "5"}


def urls(ports):
    return ["--%s-port=tcp://localhost:%d" % (name, port) for name, port in zip(("control", "data", "live"), ports)]


class Relayd:
    """In the foreground; the real one, or ours by its name."""

    def __init__(self, program, *options, env=None):
        self.ports = free_ports(3)
        self.process = subprocess.Popen([program, *urls(self.ports), *options], stdin=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL, env=env)
        cleanups.append(self.process.kill)
        until(lambda: self.process.poll() is not None or all(map(answers, self.ports)), "%s listens" % program)
        equal("it runs", self.process.poll(), None)

    def stop(self):
        self.process.terminate()
        return self.process.wait(PATIENCE)


def name_of_ours():
    link = path("bin")
    os.mkdir(link)
    os.symlink(SONDE, link + "/lttng-relayd")
    return link + "/lttng-relayd"


def folders(output):
    """Where sessions are, without times."""
    found = [os.path.relpath(folder, output) for folder, unused, files in os.walk(output) if "ch_0" in files]
    return sorted(re.sub(r"-\d{8}-\d{6}", "-TIME", folder) for folder in found)


def store(program, *options, env):
    output = fresh("store")
    relayd = Relayd(program, "--output=" + output, *options, env=env)
    for name, base in ("plain", ""), ("based", "a/path"):
        control = Control(relayd.ports[0], minor=11, theirs=None)
        equal("a session", control.create(name, "here", base), OK)
        control.path()
        equal("a chunk", control.chunk(), OK)
        equal("a stream", control.add()[1], OK)
        control.socket.close()
    relayd.stop()
    return folders(output)


def as_the_real_one(ours, env):
    for options in (), ("-p",), ("--group-output-by-session",):
        equal("folders with %r" % (options,), store(ours, *options, env=env), store("lttng-relayd", *options, env=env))


def clear(ours, env):
    for options, more, flags in ((), {}, 1), (("-x",), {}, 0), ((), {"LTTNG_RELAYD_DISALLOW_CLEAR": "1"}, 0):
        relayd = Relayd(ours, "-o", fresh("store"), *options, env=env | more)
        control = Control(relayd.ports[0])
        control.send(GET_CONFIGURATION, bytes(8))
        equal("configuration", control.receive(12), struct.pack(">IQ", OK, flags))
        equal("a session", control.create("clear"), OK)
        control.path()
        equal("a chunk", control.chunk(), OK)
        control.send(CLOSE_CHUNK, struct.pack(">QQBI", 0, 1700000001, 1, 2))
        equal("code of a removal", control.code(), OK if flags else INVALID)
        equal("exit status", relayd.stop(), 0)


def has_ended(pid):
    """Also if its parent has not taken note of that."""
    try:
        with open("/proc/%d/stat" % pid, encoding="utf-8") as file:
            return file.read().rpartition(")")[2].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


def daemon(ours, env):
    for option in "--daemonize", "--background":
        ports, output, pid_file, config = free_ports(3), fresh("store"), fresh("pid"), fresh("config")
        with open(config, "w", encoding="utf-8") as file:
            file.write("[sessiond]\nno-kernel=yes\n[relayd]\n# a comment\noutput = %s\nlive-port=tcp://localhost:%d\n"
                       "disallow-clear=no\n" % (output, ports[2]))
        with open(fresh("said"), "wb") as said:  # a pipe would stay open with --background
            equal("status of " + option, subprocess.run(
                [ours, option, "--pid-file=" + pid_file, "--config", config, "-w", "/", *urls(ports)[:2]],
                env=env, stdin=subprocess.DEVNULL, stdout=said, stderr=said, timeout=PATIENCE, check=False).returncode, 0)
        with open(pid_file, encoding="utf-8") as file:
            pid = int(file.read())
        cleanups.append(lambda pid=pid: os.path.exists("/proc/%d" % pid) and os.kill(pid, signal.SIGKILL))
        check(all(answers(port) for port in ports), "the daemon listens when its parent ends")
        equal("its directory", os.readlink("/proc/%d/cwd" % pid), "/")
        equal("its stderr", os.readlink("/proc/%d/fd/2" % pid) == "/dev/null", option == "--daemonize")
        taken = run(ours, option, "--config", config, *urls(ports)[:2], env=env, good=False)
        equal("a daemon without ports", taken.returncode, 1)
        check("in use" in taken.stderr, taken.stderr)
        os.kill(pid, signal.SIGTERM)
        until(lambda pid=pid: has_ended(pid), "it ends")


def keep_alive(ours, env):
    relayd = Relayd(ours, "-o", fresh("store"), env=env | KEEP_ALIVE)
    since, timers = time.monotonic(), []

    def has_timer():
        timers[:] = re.findall(r"keepalive,(?:(\d+)min)?(?:(\d+)sec)?", run(
            "ss", "-tno", "state", "established", "sport = :%d" % relayd.ports[0]).stdout)
        return timers
    with socket.create_connection(("127.0.0.1", relayd.ports[0])):
        until(has_timer, "the connection has a timer")
        left = 60 * int(timers[0][0] or 0) + int(timers[0][1] or 0)
        check(77 - (time.monotonic() - since) - 1 <= left <= 77, "seconds until the first probe: %d" % left)
    equal("exit status", relayd.stop(), 0)


LINES = (  # what each more of -v adds
    (r"control connection of 127\.0\.0\.1:\d+ begins", r"data connection of 127\.0\.0\.1:\d+ begins",
     r"viewer 127\.0\.0\.1:\d+ connects", r"viewer 127\.0\.0\.1:\d+ leaves", r"session 1: here/loud begins in here/loud-\S+",
     r"control connection of 127\.0\.0\.1:\d+ ends", r"data connection of 127\.0\.0\.1:\d+ ends",
     r"session 1: here/loud ends: 1 packets, 4096 bytes"),
    (r"session 1: chunk 0 begins", r"session 1: stream 1, ust/ch_0, is added", r"session 1: stream 1, ust/ch_0, is closed"),
    (r"session 1: stream 1, packet 0: 4096 bytes",),
)


def verbose_lines(command, env, ports):
    """What a relay says of two clients that stream, and of one that views."""
    log = fresh("log")
    with open(log, "wb") as file:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=file, env=env)
    cleanups.append(process.kill)
    until(lambda: process.poll() is not None or all(map(listens, ports)), "it listens")
    equal("it runs", process.poll(), None)
    control = Control(ports[0])
    equal("a session", control.create("loud"), OK)
    control.path()
    equal("a chunk", control.chunk(), OK)
    handle, code = control.add()
    equal("a stream", code, OK)
    data, viewer = Data(ports[1]), socket.create_connection(("127.0.0.1", ports[2]))
    data.send(handle, 0, bytes(4096))
    until(lambda: not control.pending(handle, 0), "the packet is there")
    for end in viewer, data.socket, control.socket:
        end.shutdown(socket.SHUT_WR)
        equal("the relay closes, too", end.recv(1), b"")
    process.terminate()
    equal("exit status", process.wait(PATIENCE), 0)
    with open(log, encoding="utf-8") as file:
        return file.read().splitlines()


def listens(port):
    """Without a connection, which would be reported."""
    with open("/proc/net/tcp", encoding="ascii") as file:
        return any(line.split()[1].endswith(":%04X" % port) and line.split()[3] == "0A" for line in list(file)[1:])


def verbose(ours, env):
    for level in range(len(LINES) + 2):
        wanted = [line for more in LINES[:level] for line in more]
        for name in ours, "serve":
            ports, said = free_ports(3), ["-" + level * "v"] if level else []
            where = ["--%s=127.0.0.1:%d" % at for at in zip(("control", "data", "live"), ports)]
            command = [SONDE, "serve", *where] if name == "serve" else [name, *urls(ports)]
            found = [re.search(r"(?<=(?:relayd|.serve): ).*", line)
                     for line in verbose_lines([*command, "-o", fresh("store"), *said], env, ports)]
            found = [line[0] for line in found if line]
            for pattern in wanted:
                equal("lines '%s' of %s with %s" % (pattern, name, said),
                      sum(bool(re.fullmatch(pattern, line)) for line in found), 1)
            equal("other lines with %s" % said,
                  [line for line in found if not any(re.fullmatch(pattern, line) for pattern in wanted)], [])


def few_files(ours, env):
    """A session for which no file descriptor is left, as connections have all of them, is rejected, with the reason on
    stderr once; later ones are stored, also with more streams than descriptors."""
    log, output, ports = fresh("log"), fresh("store"), free_ports(3)
    with open(log, "wb") as file:
        process = subprocess.Popen([ours, *urls(ports), "-o", output, "--fd-pool-size=100"], stdin=subprocess.DEVNULL,
                                   stderr=file, env=env)
    cleanups.append(process.kill)
    until(lambda: process.poll() is not None or all(map(answers, ports)), "it listens")
    refused = [Control(ports[0], theirs=None) for unused in range(2)]
    others = [socket.create_connection(("127.0.0.1", ports[1]), PATIENCE) for unused in range(100)]
    until(lambda: len(os.listdir("/proc/%d/fd" % process.pid)) == 100, "all descriptors are in use")
    for control in refused:
        equal("a session without a descriptor", control.create("none"), UNKNOWN)
        control.path()
    with open(log, encoding="utf-8") as file:
        equal("reports", file.read().count("a session of a peer is rejected, as it cannot be stored: Too many open files"), 1)
    for other in others:
        other.close()
    until(lambda: len(os.listdir("/proc/%d/fd" % process.pid)) < 40, "the connections are closed")
    for control in refused:
        equal("a session", control.create("many"), OK)
        control.path()
        equal("a chunk", control.chunk(), OK)
        equal("codes of streams", {control.add("ch_%d" % i)[1] for i in range(150)}, {OK})
    process.terminate()
    equal("exit status", process.wait(PATIENCE), 0)


def usage(ours, env):
    # As its own manual page has them; 2.13 does not take --list-options.
    real = re.findall(r"^ {7}(?:-\w(?: [A-Z]+)?, )?--([a-z-]+)", run("lttng-relayd", "--help", env=env).stdout, re.M)
    check("output" in real and "daemonize" in real, "its manual page: %s" % real)
    own = run(ours, "--list-options", env=env).stdout.split()
    equal("options that we lack", sorted(set(real) - set(own) - {"help", "list-options"}), [])
    check(run(ours, "-V", env=env).stdout.startswith("lttng-relayd"), "-V")
    equal("the same as a verb", run(SONDE, "lttng-relayd", "--list-options").stdout.split(), own)
    for wrong in ("--live-port=5344",), ("--nothing",), ("operand",), ("--fd-pool-size=x",), ("-f", "/nowhere"):
        equal("status of %r" % (wrong,), run(ours, *wrong, env=env, good=False).returncode, 2)
    for name in ours, "lttng-relayd":
        done = run(name, "--fd-pool-size=99", *urls(free_ports(3)), "-o", fresh("store"), env=env, good=False)
        check(done.returncode and "100" in done.stderr, "%s takes a pool of 99: %s" % (name, done.stderr))


def main():
    if not shutil.which("lttng-relayd"):
        missing("lttng-relayd is not installed")
    home = path("home")
    os.mkdir(home)
    env = dict(os.environ, HOME=home, LTTNG_HOME=home)
    ours = name_of_ours()
    for part in usage, as_the_real_one, clear, daemon, keep_alive, verbose, few_files:
        part(ours, env)
    finish()


main()
