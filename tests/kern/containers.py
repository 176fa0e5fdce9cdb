#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Containers of a real podman with runc: --container records one and not the other, and readers show the names
that podman gave them. What podman keeps lies in a mount namespace of the test's own.

Where podman may not run a container, a task of this test takes the container's place in its cgroup; podman still
makes the container and its files."""
import contextlib
import json
import os
import shutil
import subprocess

from harness import (SONDE, Recorder, check, cleanups, equal, events, finish, fresh, missing, path,
                     require_root, run, stats, until)
from mounts import own_mounts

CGROUPS = "/sys/fs/cgroup"
HERE = "sonde-test-%d" % os.getpid()
PODMAN = ("podman", "--cgroup-manager", "cgroupfs", "--runtime", "runc", "--storage-driver", "vfs",
          "--events-backend", "none")
TOLD = "a line of the test\n"


def own_state():
    """Nothing that podman writes is seen outside, or stays."""
    own_mounts()
    for place in ("/var/lib/containers", "/run"):
        os.makedirs(place, exist_ok=True)
        run("mount", "-t", "tmpfs", "none", place)


def cgroup_places():
    """Where hierarchies of both versions are mounted."""
    with open("/proc/self/mounts", encoding="utf-8") as file:
        return [line.split()[1] for line in file if line.split()[2] in ("cgroup", "cgroup2")]


def unified():
    """Of version 2, or None."""
    with open("/proc/self/mounts", encoding="utf-8") as file:
        return next((line.split()[1] for line in file if line.split()[2] == "cgroup2"), None)


def remove_cgroups():
    for place in cgroup_places():
        for folder, unused, unused2 in os.walk(os.path.join(place, HERE), topdown=False):
            with contextlib.suppress(OSError):
                os.rmdir(folder)


class Container:
    """One that writes each line that it reads; .say() returns when it has done so."""

    def __init__(self, name):
        self.name = name
        self.cgroup = None
        options = ("--name", name, "--cgroup-parent", "/" + HERE, "--network", "none", "-i",
                   "--ulimit", "nofile=64:64", "--ulimit", "nproc=1024:1024", "--rootfs", path("rootfs"), "/bin/cat")
        self.process = subprocess.Popen([*PODMAN, "run", *options], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        cleanups.append(self.remove)
        if not self.say():
            print("podman runs no container here: " + self.process.stderr.read().strip())
            run(*PODMAN, "rm", "-f", name, good=False)
            run(*PODMAN, "create", *options)
            self.process = subprocess.Popen([path("rootfs/bin/busybox"), "cat"], text=True,
                                            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.id = run(*PODMAN, "inspect", "-f", "{{.Id}}", name).stdout.strip()
        if self.process.args[0] != "podman":
            self.take_place()
        self.cgroup = "/%s/libpod-%s" % (HERE, self.id)

    def take_place(self):
        folder = os.path.join(unified(), HERE, "libpod-" + self.id)
        os.makedirs(folder)
        with open(folder + "/cgroup.procs", "w", encoding="ascii") as file:
            file.write(str(self.process.pid))

    def say(self):
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.write(TOLD)
            self.process.stdin.flush()
        return self.process.stdout.readline() == TOLD

    def remove(self):
        run(*PODMAN, "rm", "-f", "-t", "0", self.name, good=False)
        with contextlib.suppress(OSError):
            self.process.stdin.close()
        self.process.wait()


def calls_by_container(trace, *args):
    """{(container, cgroup): calls} of the tasks in a cgroup of this test."""
    calls = {}
    for event in events(trace, "-e", "sys.exit", *args):
        if HERE in event.get("cgroup", ""):
            key = event.get("container"), event["cgroup"]
            calls[key] = calls.get(key, 0) + 1
    return calls


def only_one(web, mail):
    for wanted in ("web", "w?b", web.id[:12], web.id):
        recorder = Recorder("-e", "sys.exit", "--container", wanted)
        for container in (web, mail, web, mail):
            check(container.say(), container.name + " answers")
        equal("--container %s: exit status" % wanted, recorder.stop(), 0)
        seen = events(recorder.trace, "-e", "sys.exit")
        check(len(seen) >= 4, "--container %s: %d events, two reads and writes at least" %
              (wanted, len(seen)))
        equal("--container %s: who is recorded" % wanted,
              {(event.get("container"), event.get("cgroup")) for event in seen},
              {("web", web.cgroup)})


def unknown_names(web, mail):
    done = run(SONDE, "record", "-o", fresh(), "-e", "sys", "--container", "shop", good=False)
    check(done.returncode == 2 and "shop is not running" in done.stderr, "an unknown name: " + done.stderr)
    for container in (web, mail):
        check(container.name in done.stderr.split("running: ")[-1], "what is running: " + done.stderr)


def all_of_them(web, mail):
    recorder = Recorder("-e", "sys.exit", "-d", "10m")
    for container in (web, mail):
        check(container.say(), container.name + " answers")
    late = Container("late")

    def named():
        return any(event["fields"]["text"] == "late" for event in
                   events(recorder.trace, "-e", "sonde.name", good=None) if event["event"] == "sonde.name")

    until(named, "the recorder knows the container that came late")
    check(late.say(), "late answers")
    equal("all: exit status", recorder.stop(), 0)
    calls = calls_by_container(recorder.trace)
    for container in (web, mail, late):
        check(calls.get((container.name, container.cgroup), 0) >= 2,
              "calls of %s: %r" % (container.name, calls))
    names = {task.get("container") for task in stats(recorder.trace)["tasks"]}
    check({"web", "mail", "late"} <= names, "stats: %r" % names)
    equal("--where container", calls_by_container(recorder.trace, "--where", 'container == "web"'),
          {key: count for key, count in calls.items() if key[0] == "web"})
    equal("--where cgroup", calls_by_container(recorder.trace, "--where", 'cgroup ~ "*%s"' % web.id),
          {key: count for key, count in calls.items() if key[0] == "web"})
    rows = json.loads(run(SONDE, "report", recorder.trace, "events", "-e", "sys.exit", "--by", "container",
                          "--json").stdout)["reports"]["events"]["rows"]
    got = {row.get("container"): row["events"] for row in rows}
    equal("report events --by container", {name: got.get(name) for name in ("web", "mail")},
          {name: sum(count for key, count in calls.items() if key[0] == name) for name in ("web", "mail")})
    picture = run(SONDE, "graph", recorder.trace, "--hist", "sys.exit:ret", "--by", "container", "--format",
                  "svg").stdout
    check(">web<" in picture and ">mail<" in picture, "graph --by container: no names")
    copy = fresh("copy")
    run(SONDE, "convert", recorder.trace, "-o", copy, "-e", "sys.exit")
    equal("a converted trace", calls_by_container(copy), calls)


def main():
    require_root()
    if not shutil.which("podman") or not shutil.which("runc") or not shutil.which("busybox"):
        missing("podman, runc and busybox are needed")
    if not unified():
        missing("no cgroup version 2 hierarchy is mounted")
    own_state()
    cleanups.append(remove_cgroups)
    os.makedirs(path("rootfs/bin"))
    shutil.copy(shutil.which("busybox"), path("rootfs/bin/busybox"))
    os.symlink("busybox", path("rootfs/bin/cat"))
    web, mail = Container("web"), Container("mail")
    only_one(web, mail)
    unknown_names(web, mail)
    all_of_them(web, mail)
    finish()


if __name__ == "__main__":
    main()
