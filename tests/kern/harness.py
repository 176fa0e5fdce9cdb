# SPDX-License-Identifier: BSD-2-Clause
"""What the tests on a real kernel share: running sonde, actors that do known things, network
namespaces, and telling what differs. Everything made here goes away with the test."""
import atexit
import contextlib
import ctypes
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

SONDE = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("SONDE", "sonde")
SONDE = os.path.abspath(SONDE) if "/" in SONDE else SONDE
PATIENCE = 600  # seconds until something that should end counts as hanging, on slow machines too

failures = []
hit_programs = []  # what recorders told of those that were hit by an interrupt
cleanups = []
scratch = tempfile.mkdtemp(prefix="sonde-test-")
# Recorders that have nothing to do with the test have their sockets elsewhere.
os.environ["SONDE_RUNTIME_DIR"] = os.path.join(scratch, "run")


class WaitedInVain(RuntimeError):
    pass


class Unexpected(RuntimeError):
    """The exit status of a program: of Sonde's, it may tell of losses."""


def cleanup():
    while cleanups:
        with contextlib.suppress(Exception):
            cleanups.pop()()
    shutil.rmtree(scratch, ignore_errors=True)


atexit.register(cleanup)
signal.signal(signal.SIGTERM, lambda *unused: sys.exit(1))


def skip(why):
    print("skipped: " + why)
    sys.exit(77)


def missing(what):
    """A peer to compare with is not here: in CI that is a failure, for it would be installed."""
    if os.environ.get("CI") == "true":
        print("FAIL: " + what)
        sys.exit(1)
    skip(what)


def require_root():
    if os.geteuid():
        skip("needs root")
    doctor = subprocess.run([SONDE, "record", "-e", "sys.enter", "-d", "1ms", "-q", "-o",
                             path("permitted")], capture_output=True, text=True)
    if doctor.returncode == 5:
        skip("BPF is not permitted here: " + doctor.stderr.strip())


def check(good, what):
    if not good:
        failures.append(what)
        print("FAIL: " + what, flush=True)
    return bool(good)


def equal(what, got, want):
    return check(got == want, "%s: got %.2000r, want %.2000r" % (what, got, want))


def finish():
    """The end of every test."""
    print("%d checks failed" % len(failures) if failures else "all as expected")
    sys.exit(1 if failures else 0)


def run(*argv, good=True, **more):
    done = subprocess.run(argv, capture_output=True, text=True, timeout=PATIENCE, **more)
    if good and done.returncode:
        raise Unexpected("%s: status %d: %s" % (" ".join(argv), done.returncode, done.stderr))
    return done


def path(name):
    return os.path.join(scratch, name)


def make_loop(image, size=16 << 20):
    """A loop device with a scheduler, of a file @image, which nobody else uses. Its name."""
    with open(image, "wb") as file:
        file.truncate(size)
    made = run("losetup", "-f", "--show", image, good=False)
    if made.returncode:
        skip("no loop device can be had: " + made.stderr.strip())
    name = os.path.basename(made.stdout.strip())
    cleanups.append(lambda: remove_loop(name, image))
    with open("/sys/block/%s/queue/scheduler" % name, "w", encoding="ascii") as file:
        file.write("mq-deadline")
    return name


def remove_loop(name, image):
    """Where it is still ours: by now it may be another's."""
    with open("/sys/block/%s/loop/backing_file" % name, encoding="utf-8") as file:
        if file.read().rstrip("\n") == image:
            run("losetup", "-d", "/dev/" + name)


def fresh(name="T"):
    """A path below scratch where nothing is yet."""
    fresh.count += 1
    return path("%s%d" % (name, fresh.count))


fresh.count = 0


def until(condition, what, seconds=PATIENCE):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise WaitedInVain("waited in vain until " + what)
        time.sleep(0.005)


def read_line(stream):
    """The next line of a process, and not a byte more: communicate() drops what readline() has read ahead."""
    line = b""
    while not line.endswith(b"\n"):
        byte = os.read(stream.fileno(), 1)
        if not byte:
            break
        line += byte
    return line.decode()


def preloaded(name):
    """The environment with a library before all others: as the build made it, or, for a run by
    hand, made here."""
    library = os.environ.get("SONDE_" + name.upper()) or path(name + ".so")
    if not os.path.exists(library):
        here = os.path.dirname(os.path.abspath(__file__))
        run("cc", "-O2", "-D_GNU_SOURCE", "-shared", "-fPIC", "-o", library,
            os.path.join(here, name + ".c"))
    return os.environ | {"LD_PRELOAD": library, "ASAN_OPTIONS": "verify_asan_link_order=0"}


def waits_for_events(pid):
    """In epoll_wait or epoll_pwait."""
    with open("/proc/%d/syscall" % pid, encoding="ascii") as file:
        return file.read().split()[0] in ("232", "281", "22")


def note_hits(stderr):
    hit_programs.extend(" ".join(line.split()) for line in stderr.splitlines()
                        if "a program was hit by an interrupt" in line)


class Recorder:
    """`sonde record` without a command, ready when the constructor returns."""

    def __init__(self, *args, trace=None, program=SONDE, **more):
        self.trace = trace or fresh()
        self.stderr = None
        self.process = subprocess.Popen([program, "record", "-o", self.trace, *args],
                                        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                        text=True, **more)
        self.pid = self.process.pid
        cleanups.append(self.kill)
        until(self.is_waiting, "the recorder waits for events")

    def is_waiting(self):
        """It waits in epoll_wait only when everything is attached."""
        if self.process.poll() is not None:
            raise RuntimeError("sonde record ended with %d: %s" %
                               (self.process.returncode, self.process.stderr.read()))
        # Where it ends just now, the next look finds that.
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            return waits_for_events(self.pid)
        return False

    def send(self, number):
        self.process.send_signal(number)

    def wait(self):
        """The exit status; what it said is in .stderr."""
        unused, self.stderr = self.process.communicate(timeout=PATIENCE)
        note_hits(self.stderr)
        return self.process.returncode

    def stop(self, number=signal.SIGINT):
        self.send(number)
        return self.wait()

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()


def record(*args, good=0, **more):
    """Runs `sonde record` to its end; (trace, completed process)."""
    trace = fresh()
    done = subprocess.run([SONDE, "record", "-o", trace, *args], capture_output=True, text=True,
                          timeout=PATIENCE, **more)
    note_hits(done.stderr)
    if good is not None and done.returncode != good:
        raise Unexpected("sonde record %s: status %d: %s" %
                           (" ".join(args), done.returncode, done.stderr))
    return trace, done


def events(trace, *args, good=0):
    """Every event as `sonde print --format json` gives it."""
    done = subprocess.run([SONDE, "print", "--format", "json", *args, trace],
                          capture_output=True, text=True, timeout=PATIENCE)
    if good is not None and done.returncode not in (good, 4):
        raise Unexpected("sonde print: status %d: %s" % (done.returncode, done.stderr))
    return [event for event in map(json.loads, done.stdout.splitlines())
            if event.get("event", "sonde.incomplete") != "sonde.incomplete"]


def is_entry(name):
    """Whether events of that name are beginnings of system calls."""
    return name.startswith("sys.") and name != "sys.exit"


def arguments(fields):
    """What a call was given, in order, of the fields of its beginning."""
    return fields["args"] if "args" in fields else list(fields.values())[:list(fields).index("ip")]


def notes(trace, name):
    """Events of that name alone, of a trace that may have lost some: losses are shown beside any."""
    return [event for event in events(trace, "-e", name, good=None) if event["event"] == name]


def stats(trace):
    return json.loads(run(SONDE, "stats", "--json", trace, good=False).stdout)


def clock_offset_ns(trace):
    """What the trace adds to CLOCK_MONOTONIC."""
    with open(trace + "/metadata", "rb") as file:
        text = file.read().decode(errors="replace")
    seconds, rest = (int(re.search(r"\b%s = (\d+);" % name, text)[1])
                     for name in ("offset_s", "offset"))
    return seconds * 1000000000 + rest


def line_count(*argv):
    """(lines on stdout, stderr) of a program whose output is too long to keep."""
    program = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    lines = 0
    while True:
        block = program.stdout.read(1 << 20)
        if not block:
            break
        lines += block.count(b"\n")
    text = program.stderr.read().decode()
    program.wait()
    return lines, text


class Actor:
    """tests/kern/actor.c, which does what it is told, exactly as often, when it is told."""

    def __init__(self, *args, prefix=(), program=None, **more):
        self.process = subprocess.Popen([*prefix, program or actor_path(), *args],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True, **more)
        self.pid = self.process.pid
        cleanups.append(self.kill)

    def act(self):
        """One round; what it says when it is done."""
        self.process.stdin.write("g\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()

    def start(self):
        self.process.stdin.write("g\n")
        self.process.stdin.flush()

    def done(self):
        return self.process.stdout.readline().strip()

    def end(self):
        if self.process.stdin:
            with contextlib.suppress(OSError):
                self.process.stdin.close()
        return self.process.wait(PATIENCE)

    def kill(self):
        self.process.kill()
        self.process.wait()


def programs_of(pid):
    """Ids of the BPF programs that a process holds, by itself or by a link."""
    ids = set()
    for entry in os.scandir("/proc/%d/fdinfo" % pid):
        # A file may be closed meanwhile.
        with contextlib.suppress(FileNotFoundError), open(entry.path, encoding="ascii") as file:
            ids |= {int(line.split()[1]) for line in file if line.startswith("prog_id:")}
    return ids


def actor_path():
    """As the build made it, or, for a run by hand, made here."""
    if "SONDE_ACTOR" in os.environ:
        return os.environ["SONDE_ACTOR"]
    made = path("actor")
    if not os.path.exists(made):
        here = os.path.dirname(os.path.abspath(__file__))
        run("cc", "-O2", "-fno-omit-frame-pointer",
            "-fno-optimize-sibling-calls", "-D_GNU_SOURCE", "-pthread", "-o", made, os.path.join(here, "actor.c"))
    return made


class Net:
    """Two network namespaces, joined by a pair of interfaces: .a is 10.99.X.1 and fd99:X::1, .b is
    .2 and ::2. Both are usable from this process: sockets stay where they were made."""

    count = 0

    def __init__(self):
        tag = "st%d_%d" % (os.getpid(), Net.count)
        subnet = (os.getpid() + Net.count) % 250
        Net.count += 1
        self.a, self.b = tag + "a", tag + "b"
        self.v4 = {self.a: "10.99.%d.1" % subnet, self.b: "10.99.%d.2" % subnet}
        self.v6 = {self.a: "fd99:%x::1" % subnet, self.b: "fd99:%x::2" % subnet}
        self.net4 = "10.99.%d.0/24" % subnet
        cleanups.append(self.remove)
        for name in (self.a, self.b):
            run("ip", "netns", "add", name)
        run("ip", "-n", self.a, "link", "add", "v0", "type", "veth", "peer", "name", "v0", "netns",
            self.b)
        for name in (self.a, self.b):
            run("ip", "-n", name, "addr", "add", self.v4[name] + "/24", "dev", "v0")
            run("ip", "-n", name, "addr", "add", self.v6[name] + "/64", "dev", "v0", "nodad")
            run("ip", "-n", name, "link", "set", "lo", "up")
            run("ip", "-n", name, "link", "set", "v0", "up")
        # A device that is up has its queue a little later, and drops what it is given until then.
        until(lambda: all(self.has_queue(name) for name in (self.a, self.b)), "both devices can send")

    @staticmethod
    def has_queue(name):
        text = run("ip", "-n", name, "-o", "link", "show", "v0").stdout
        return "LOWER_UP" in text and " qdisc noop " not in text

    def send_once(self):
        """Where nothing is lost nothing is sent again from now on, however late an answer comes."""
        for name in (self.a, self.b):
            run("ip", "-n", name, "route", "replace", self.net4, "dev", "v0", "proto", "kernel", "scope",
                "link", "src", self.v4[name], "rto_min", "100s")
            net6 = self.v6[name].split("::")[0] + "::/64"
            run("ip", "-n", name, "-6", "route", "replace", net6, "dev", "v0", "proto", "kernel", "metric",
                "256", "rto_min", "100s")
            run("ip", "netns", "exec", name, "sh", "-c", "echo 0 >/proc/sys/net/ipv4/tcp_early_retrans")

    def remove(self):
        for name in (self.a, self.b):
            run("ip", "netns", "del", name, good=False)

    def inode(self, name):
        return os.stat("/run/netns/" + name).st_ino

    def bottleneck(self, name, *args):
        """Instead of the one before, if any."""
        run("tc", "-n", name, "qdisc", "replace", "dev", "v0", "root", *args)

    def closed(self):
        """No connection is open any more, on either side, nor on its way to be closed."""
        states = set()
        for name in (self.a, self.b):
            for table in ("tcp", "tcp6"):
                with self.inside(name), open("/proc/thread-self/net/" + table,
                                             encoding="ascii") as file:
                    states |= {line.split()[3] for line in file.readlines()[1:]}
        return states <= {"06", "0A"}  # TIME_WAIT, LISTEN

    @contextlib.contextmanager
    def inside(self, name):
        libc = ctypes.CDLL(None, use_errno=True)
        with open("/proc/self/ns/net", encoding="ascii") as home, \
                open("/run/netns/" + name, encoding="ascii") as there:
            if libc.setns(there.fileno(), 0x40000000):
                raise OSError(ctypes.get_errno(), "setns")
            try:
                yield
            finally:
                libc.setns(home.fileno(), 0x40000000)

    def address(self, name, family):
        return (self.v4 if family == socket.AF_INET else self.v6)[name]

    def listen(self, name, family=socket.AF_INET, port=0):
        with self.inside(name):
            listener = socket.socket(family, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((self.address(name, family), port))
        listener.listen(16)
        return listener

    def connect(self, name, listener):
        """(our end in the namespace @name, the end that the listener accepted)."""
        with self.inside(name):
            client = socket.socket(listener.family, socket.SOCK_STREAM)
        client.connect(listener.getsockname()[:2])
        server, unused = listener.accept()
        return client, server
