#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""The health check of sonde under the name lttng-relayd, asked by LTTng's own liblttng-ctl: the socket is where the real
lttng-relayd has it, with that one's owner and mode, and the answer is the state of the relay: its event loop stands
still, it cannot store, it cannot accept connections."""
import ctypes
import ctypes.util
import json
import os
import resource
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kern"))
from harness import PATIENCE, SONDE, check, cleanups, equal, failures, finish, fresh, missing, path, until  # noqa: E402
from ingest_client import Control, Data, session  # noqa: E402
from lttng_relay import answers, free_ports  # noqa: E402

ALL = {"Relay daemon " + name for name in ("dispatcher", "worker", "listener", "live dispatcher", "live worker",
                                           "live listener")}
LISTENERS = {"Relay daemon listener", "Relay daemon live listener"}
PTRACE_DETACH, PTRACE_SEIZE, PTRACE_INTERRUPT = 17, 0x4206, 0x4207
WALL = 0x40000000
FILES = 100
ANSWER_S = 60  # LTTng's function itself waits for an answer without end
NOBODY = 65534


class Health:
    """lttng_health_query()."""

    def __init__(self):
        self.library = ctypes.CDLL("liblttng-ctl.so.0")
        for name, result, arguments in (
                ("create_relayd", ctypes.c_void_p, [ctypes.c_char_p]), ("query", ctypes.c_int, [ctypes.c_void_p]),
                ("state", ctypes.c_int, [ctypes.c_void_p]), ("get_nr_threads", ctypes.c_int, [ctypes.c_void_p]),
                ("get_thread", ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_uint]),
                ("thread_state", ctypes.c_int, [ctypes.c_void_p]),
                ("thread_name", ctypes.c_char_p, [ctypes.c_void_p]), ("destroy", None, [ctypes.c_void_p])):
            function = getattr(self.library, "lttng_health_" + name)
            function.restype, function.argtypes = result, arguments
            setattr(self, name, function)

    def faults(self, where):
        """Names of the threads that are in error; None: no answer. It is asked by a process of its own, for LTTng's
        function has no limit of time."""
        come, go = os.pipe()
        child = os.fork()
        if not child:
            status, before = 1, len(failures)
            try:
                found = self.ask(where)
                os.write(go, json.dumps(found if found is None else sorted(found)).encode())
                status = len(failures) > before
            finally:
                os._exit(status)
        os.close(go)
        text = b""
        try:
            ready = select.select([come], [], [], ANSWER_S)[0]
            if ready:
                text = os.read(come, 1 << 16)
            else:
                os.kill(child, signal.SIGKILL)
        finally:
            os.close(come)
            status = os.waitpid(child, 0)[1]
        if not ready:
            print("%s: no answer within %d s" % (where, ANSWER_S), file=sys.stderr)
            return None
        equal("status of the question", status, 0)
        found = json.loads(text)
        return None if found is None else set(found)

    def ask(self, where):
        health = self.create_relayd(where.encode())
        check(health, "a health object")
        try:
            if self.query(health):
                return None
            threads = [self.get_thread(health, i) for i in range(self.get_nr_threads(health))]
            equal("names", {self.thread_name(thread).decode() for thread in threads}, ALL)
            found = {self.thread_name(thread).decode() for thread in threads if self.thread_state(thread)}
            equal("the state of all", self.state(health), -1 if found else 0)
            return found
        finally:
            self.destroy(health)


HEALTH = None


class Relayd:
    def __init__(self, program, *options, env, **how):
        self.ports = free_ports(3)
        self.log, self.output = fresh("log"), how.pop("output", None) or fresh("store")
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                [program, *("--%s-port=tcp://localhost:%d" % (name, port) for name, port in
                            zip(("control", "data", "live"), self.ports)), "--output=" + self.output, *options],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=env, **how)
        cleanups.append(self.process.kill)

    def listens(self):
        until(lambda: self.process.poll() is not None or all(map(answers, self.ports)), "it listens")
        equal("it runs (%s)" % self.said(), self.process.poll(), None)
        return self

    def said(self):
        with open(self.log, encoding="utf-8") as text:
            return text.read()

    def stop(self):
        self.process.terminate()
        return self.process.wait(PATIENCE)


def until_faults(where, wanted, what, real=False):
    """Ours (not @real) answers each question that it takes; before it is there, the question fails at once."""
    last = []

    def are_wanted():
        begun = time.monotonic()
        last[:] = [HEALTH.faults(where)]
        if not real:
            check(time.monotonic() - begun < ANSWER_S, what + ": it answers in time")
        return last == [wanted]
    try:
        until(are_wanted, what)
    except Exception:
        print("%s: the last answer was %s" % (what, last), file=sys.stderr)
        raise


def facts(where):
    """Owners and modes of a socket and its directory, the socket's mode last."""
    found = os.stat(where)
    above = os.stat(os.path.dirname(where))
    return found.st_uid, found.st_gid, above.st_uid, oct(above.st_mode), oct(found.st_mode)


def where_the_real_one_is(ours, env):
    """By default, by the environment, and with a group."""
    cases = [("default", {}, ()), ("environment", {"LTTNG_RELAYD_HEALTH": path("health")}, ())]
    if os.geteuid() == 0:
        cases.append(("group", {}, ("--group=nogroup",)))
    for name, more, options in cases:
        found = {}
        for program in "lttng-relayd", ours:
            relayd = Relayd(program, *options, env=env | more).listens()
            folder = "/var/run/lttng" if os.geteuid() == 0 else env["LTTNG_HOME"] + "/.lttng"
            where = more.get("LTTNG_RELAYD_HEALTH") or "%s/relayd/health-%d" % (folder, relayd.process.pid)
            until_faults(where, set(), "%s answers that all is well (%s)" % (program, name),
                         real=program == "lttng-relayd")
            found[program] = facts(where)
            equal("status of " + program, relayd.stop(), 0)
            check(not os.path.exists(where), "%s removes its socket (%s)" % (program, name))
        same = None if os.geteuid() == 0 else -1  # a user's own socket is open to that user alone, unlike the real one's
        equal("owner and mode (%s)" % name, found[ours][:same], found["lttng-relayd"][:same])


def of_a_user(ours, env):
    """Another user's is in the home directory."""
    if os.geteuid():
        return
    found = {}
    for program in shutil.which("lttng-relayd"), os.path.realpath(ours):
        home = tempfile.mkdtemp(dir="/tmp")  # which that user can reach
        cleanups.append(lambda home=home: shutil.rmtree(home))
        shutil.copy(program, home + "/lttng-relayd")
        os.chown(home, NOBODY, NOBODY)
        relayd = Relayd(home + "/lttng-relayd", env=env | {"HOME": home, "LTTNG_HOME": home}, output=home + "/store",
                        user=NOBODY, group=NOBODY, extra_groups=[]).listens()
        where = "%s/.lttng/relayd/health-%d" % (home, relayd.process.pid)
        until_faults(where, set(), "%s of a user answers" % program,
                     real=program != os.path.realpath(ours))
        *found[program], mode = facts(where)
        equal("mode of " + program, mode.startswith("0o140") and mode.endswith("00"), program == os.path.realpath(ours))
        equal("status", relayd.stop(), 0)
        check(not os.path.exists(where), "a user's socket is removed")
    equal("owners", *found.values())


def stopped(health, relayd):
    """The event loop's thread stands still, and no other."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p]
    pid = relayd.process.pid
    for request in PTRACE_SEIZE, PTRACE_INTERRUPT:
        equal("ptrace %#x (errno %d)" % (request, ctypes.get_errno()), libc.ptrace(request, pid, None, None), 0)
    os.waitpid(pid, WALL)
    until_faults(health, ALL, "all threads are in error")
    equal("detach", libc.ptrace(PTRACE_DETACH, pid, None, None), 0)
    until_faults(health, set(), "all is well when the loop goes on")


def cannot_store(health, relayd):
    def store(size):
        control, handle = session(relayd.ports[0], "disk")
        data = Data(relayd.ports[1])
        data.send(handle, 0, bytes(size))
        return control, data

    resource.prlimit(relayd.process.pid, resource.RLIMIT_FSIZE, (4096, resource.RLIM_INFINITY))
    control, data = store(8192)
    check(data.closed(), "what cannot be stored is rejected")
    until_faults(health, {"Relay daemon worker"}, "the worker is in error")
    resource.prlimit(relayd.process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    control.socket.close()
    control, data = store(8192)
    until_faults(health, set(), "all is well once something is stored")
    control.socket.close()
    data.socket.close()


def cannot_accept(health, relayd):
    for port, name in (relayd.ports[0], "Relay daemon listener"), (relayd.ports[2], "Relay daemon live listener"):
        held = [socket.create_connection(("127.0.0.1", port), PATIENCE) for unused in range(FILES)]
        until_faults(health, {name}, name + " is in error")
        for one in held:
            one.close()
        until_faults(health, set(), "all is well when descriptors are free again")


def bad_client(health):
    """One that asks nothing, or something else, or goes, holds up no other."""
    silent = socket.socket(socket.AF_UNIX)
    silent.connect(health)
    equal("the next client's answer", HEALTH.faults(health), set())
    for request, wanted in (b"\7\0\0\0", b""), (bytes(3), b""), (bytes(4), bytes(8)), (bytes(8), bytes(8)):
        with socket.socket(socket.AF_UNIX) as other:
            other.settimeout(PATIENCE)
            other.connect(health)
            other.sendall(request)
            equal("the answer to %r" % request, other.recv(16), wanted)
    equal("the answer after these", HEALTH.faults(health), set())
    silent.close()


def state(ours, env):
    health = path("state")
    relayd = Relayd(ours, "--fd-pool-size=%d" % FILES, env=env | {"LTTNG_RELAYD_HEALTH": health},
                    preexec_fn=lambda: signal.signal(signal.SIGXFSZ, signal.SIG_IGN)).listens()
    until_faults(health, set(), "all is well")
    bad_client(health)
    cannot_store(health, relayd)
    cannot_accept(health, relayd)
    stopped(health, relayd)
    equal("status", relayd.stop(), 0)


def taken(ours, env):
    """The path: a socket whose relay was killed is replaced, that of a living one is not, nor is a file."""
    health = path("taken")
    env = env | {"LTTNG_RELAYD_HEALTH": health}
    killed = Relayd(ours, env=env).listens()
    until_faults(health, set(), "the first one answers")  # it makes the socket after its ports
    killed.process.kill()
    killed.process.wait()
    check(os.path.exists(health), "the socket of a relay that was killed")
    living = Relayd(ours, env=env).listens()
    until_faults(health, set(), "it has replaced the socket")
    second = Relayd(ours, env=env)
    equal("status of a second one", second.process.wait(PATIENCE), 1)
    check("health check socket" in second.said() and "in use" in second.said(), second.said())
    equal("answer of the first one", HEALTH.faults(health), set())
    equal("status", living.stop(), 0)
    with open(health, "w", encoding="utf-8") as file:
        file.write("a file")
    other = Relayd(ours, env=env)
    equal("status with a file there", other.process.wait(PATIENCE), 1)
    check("not a socket" in other.said(), other.said())
    equal("the file", os.path.getsize(health), 6)


def main():
    global HEALTH
    if not shutil.which("lttng-relayd") or not ctypes.util.find_library("lttng-ctl"):
        missing("lttng-relayd or liblttng-ctl is not installed")
    HEALTH = Health()
    home, link = path("home"), path("bin")
    os.mkdir(home)
    os.mkdir(link)
    os.symlink(SONDE, link + "/lttng-relayd")
    env = dict(os.environ, HOME=home, LTTNG_HOME=home)
    for part in where_the_real_one_is, of_a_user, state, taken:
        part(link + "/lttng-relayd", env)
    finish()


main()
