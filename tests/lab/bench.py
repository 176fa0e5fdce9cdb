# SPDX-License-Identifier: BSD-2-Clause
"""One run of a scenario: its programs, recorded by `sonde record`, and, where it has a wire, the wire's log."""
import contextlib
import json
import os
import signal
import subprocess
import sys
import time

from cable import PATIENCE, Cable, run
from truth import Truth

LOAD = os.path.join(os.path.dirname(os.path.abspath(__file__)), "load.py")
EPOLL_WAITS = ("232", "281", "22")  # epoll_wait, epoll_pwait; the last one on arm64
AFTER = 0.1  # seconds, in which a server ends by itself


class Failed(RuntimeError):
    """A run that is none: a program did not start, or hangs."""


def wait_for_recorder(process):
    """It waits for events only when everything is attached."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if process.poll() is not None:
            raise Failed("sonde record: " + process.stderr.read())
        with contextlib.suppress(OSError), open("/proc/%d/syscall" % process.pid, encoding="ascii") as file:
            if file.read().split()[0] in EPOLL_WAITS:
                return
        time.sleep(0.01)
    raise Failed("sonde record does not begin")


class Skipped(RuntimeError):
    """The machine does not have what the scenario needs."""


@contextlib.contextmanager
def cgroup(values):
    """Files to write the pid to, of a cgroup (version 1) with @values: {"cpu.cfs_quota_us": "20000"}."""
    folders = {}
    try:
        for key, value in values.items():
            controller = key.split(".")[0]
            root = os.path.join("/sys/fs/cgroup", controller)
            if not os.path.exists(os.path.join(root, key)) and not os.path.exists(os.path.join(root, "tasks")):
                raise Skipped("no cgroup controller %s of version 1" % controller)
            folder = folders.setdefault(controller, os.path.join(root, "lab%d" % os.getpid()))
            os.makedirs(folder, exist_ok=True)
            with open(os.path.join(folder, key), "w", encoding="ascii") as file:
                file.write(value)
        yield [os.path.join(folder, "cgroup.procs") for folder in folders.values()]
    finally:
        for folder in folders.values():
            os.rmdir(folder)


@contextlib.contextmanager
def disk(directory, mib):
    """A loop device with a file system of its own at @directory/disk: its number, "7:1"; without one "", if @mib is 0."""
    if not mib:
        yield ""
        return
    image, mounted = os.path.join(directory, "disk.image"), os.path.join(directory, "disk")
    with open(image, "wb") as file:
        file.truncate(mib << 20)
    run("mkfs.ext4", "-q", "-F", "-E", "lazy_itable_init=0", image)
    os.mkdir(mounted)
    device = run("losetup", "--find", "--show", image).stdout.strip()
    try:
        run("mount", device, mounted)
        try:
            number = os.stat(device).st_rdev
            yield "%d:%d" % (os.major(number), os.minor(number))
        finally:
            run("umount", mounted)
    finally:
        run("losetup", "--detach", device)
        os.unlink(image)


class Bench:
    def __init__(self, sonde, wire, directory):
        self.sonde, self.wire, self.directory = sonde, wire, directory
        self.trace = os.path.join(directory, "trace")
        self.processes = []
        self.groups = []  # what the programs of `run` belong to

    def start(self, *argv):
        process = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=self.directory)
        self.processes.append(process)
        return process

    def stop(self):
        for process in self.processes:
            if process.poll() is None:
                process.kill()
            process.communicate()
        self.processes.clear()

    def load(self, cable, end, text, groups=()):
        join = "".join("echo $$ >%s; " % group for group in groups) + 'exec "$@"'
        argv = ["sh", "-c", join, "sh", sys.executable, LOAD, *text.split()]
        return self.start(*(cable.program(end, *argv) if cable else argv))

    def programs(self, plan, cable):
        servers = [self.load(cable, cable and cable.b, text) for text in plan["serve"]]
        for server in servers:
            if server.stdout.readline() != "ready\n":
                raise Failed("%s: not ready: %s" % (" ".join(server.args), server.communicate()[1]))
        for program in [self.load(cable, cable and cable.a, text, self.groups) for text in plan["run"]]:
            stderr = program.communicate(timeout=PATIENCE)[1]
            if program.returncode:
                raise Failed("%s: status %d: %s" % (" ".join(program.args), program.returncode, stderr))
        for server in servers:
            with contextlib.suppress(subprocess.TimeoutExpired):
                server.wait(AFTER)

    def run(self, plan, seed):
        """{what is known of the run}, which is in run.json, too."""
        os.makedirs(self.directory)
        unseen, netns = 0, []
        with contextlib.ExitStack() as stack:
            device = stack.enter_context(disk(self.directory, plan["disk"]))
            self.groups = stack.enter_context(cgroup({key: value.format(device=device)
                                                      for key, value in plan["cgroup"].items()}))
            stack.callback(self.stop)
            cable = None
            if plan["has_wire"]:
                settings = "".join(line + "\n" for line in plan["wire"])
                cable = stack.enter_context(Cable(self.wire, self.directory, settings, seed))
                for name in (cable.a, cable.b):
                    netns.append(os.stat("/run/netns/" + name).st_ino)
                    for key, value in plan["sysctl"].items():
                        cable.set(name, key, value)
            if plan["qdisc"]:
                run("tc", "-n", cable.a, "qdisc", "replace", "dev", "wire", "root", *plan["qdisc"].split())
            recorder = self.start(self.sonde, "record", "-q", "-e", plan["record"], "-o", self.trace)
            wait_for_recorder(recorder)
            self.programs(plan, cable)
            recorder.send_signal(signal.SIGINT)
            stderr = recorder.communicate(timeout=PATIENCE)[1]
            if recorder.returncode not in (0, 3):
                raise Failed("sonde record: status %d: %s" % (recorder.returncode, stderr))
            if cable:
                unseen = cable.unseen()
                cable.end()
        known = plan | {"seed": seed, "lost_events": recorder.returncode == 3, "unseen": unseen, "netns": netns}
        with open(os.path.join(self.directory, "run.json"), "w", encoding="utf-8") as file:
            json.dump(known, file, indent="\t")
        return known


def truth_of(directory):
    """Of a run with a wire, else None."""
    path = os.path.join(directory, "wire.log")
    return Truth(path) if os.path.exists(path) else None
