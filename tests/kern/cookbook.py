#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""docs/cookbook.md works through its problems: its commands are run as they stand there, each section in an
empty directory, and what they print shows the problem."""
import contextlib
import os
import re
import signal
import subprocess

from harness import SONDE, Net, check, cleanups, equal, finish, fresh, make_loop, path, require_root, run, skip
from mounts import has_tracefs

SOURCE = os.environ["SONDE_SOURCE"]
SECONDS = 200  # for one section, of which the longest takes some 5
SECTION = re.compile(r"^## (.+)$", re.M)
# Commands stand in blocks, and in the last column of tables.
BLOCK = re.compile(r"^```sh\n(.*?)^```$|^\|[^\n]*\| `(sonde [^`]+)` \|$", re.M | re.S)
# What a section's commands print of its problem. Tasks, times and counts are the host's.
SHOWN = {
    "A TCP connection is slow": [r"sent again +resent", r"192\.0\.2\.2:8080 -> 192\.0\.2\.1:\d+ +[\d,]+ "],
    "Packets get lost": [r"net\.drop +\S+ -> \S+:9999 .*reason=SOCKET_RCVBUFF"],
    "A process stalls on a disk": [r"loop\d+ write +\d"],
    "A thread does not run": [r"task by time waiting", r"python3:\d+ +\d"],
    "A program waits, and not for a CPU": [r"^flock +\d+ +lock +flock +1 ", r"^sleep +\d+ +timer +clock_nanosleep +1 ",
                                           r"^waker_comm +waker +comm"],
    "A system call is slow": [r"^flock +1 +1 ", r"flock:\d+ +<\.\.\. flock resumed>\) = .* <(\d+\.\d+s|99\dms)>"],
    "A CPU is busy": [r"^user +\d", r"sha256sum:\d+ +\d"],
    "Memory is short": [r"mm_vmscan_memcg_reclaim_begin", r"mm_vmscan_memcg_reclaim_end nr_reclaimed=\d"],
    "A service on another host is slow": [r"net://127\.0\.0\.1/host/\S+/web", r"transport -> socket",
                                          r"net\.sock_send"],
    "An AFS server is full": [r"^127\.0\.0\.1:7003 .* 15 ", r"rx\.call"],
    "It happens once in a night": [r"flock:\d+ +<\.\.\. flock resumed>\) = .* <[\d.]+m?s>"],
    # A line for each question, in their order.
    "Questions that bpftrace answers": [
        r"^\w+ +\S+ +[\d,]+$", r"^find +[\d,]+ +[\d,]* .*", r"^comm sha256sum: ret$", r"^comm sha256sum: dur$",
        r"^\w+ +\w+ +ENOENT +\d+", r"^/dev/loop\d+ +[\d,]+ .*13\.1 MB", r"^sched\.switch +[\d,]+$", r"^sha256sum +.*;?\S+ +\d+$",
        r"^stack of row 1$", r"^(dd|sha256sum) +\w.* \d+ ", r"^comm sha256sum: wait$", r"^disk loop\d+, op WRITE: bytes",
        r"^disk loop\d+, op WRITE: total$", r"^dd +WRITE +200 +13\.1 MB$", r"^\w+ +\S+ +FILL +\d+ +[\d,]+$"],
}


def sections():
    """The commands of the introduction, and (title, commands) of each section."""
    with open(os.path.join(SOURCE, "docs/cookbook.md"), encoding="utf-8") as file:
        parts = SECTION.split(file.read())
    commands = ["".join(block or cell + "\n" for block, cell in BLOCK.findall(part)) for part in parts[::2]]
    return commands[0], list(zip(parts[1::2], commands[1:]))


class Place:
    """A network and mounts of its own, and the program under test as the first sonde that a shell finds."""

    def __init__(self):
        self.net = Net()
        self.path = path("bin")
        os.mkdir(self.path)
        os.symlink(SONDE, os.path.join(self.path, "sonde"))
        cleanups.append(self.clean)

    @staticmethod
    def clean():
        """What a section that fails leaves behind."""
        run("ip", "netns", "del", "far", good=False)
        for line in run("losetup", "-l", "-n", "-O", "NAME,BACK-FILE").stdout.splitlines():
            name, image = line.split(maxsplit=1)
            if image.startswith(path("")):
                run("losetup", "-d", name)

    def run(self, script):
        """What it prints, errors too. What it leaves running is killed."""
        directory = fresh("section")
        os.mkdir(directory)
        os.symlink(os.path.join(SOURCE, "examples"), os.path.join(directory, "examples"))
        out = os.path.join(directory, "out")
        with open(out, "w", encoding="utf-8") as file:
            process = subprocess.Popen(
                ["nsenter", "--net=/run/netns/" + self.net.a, "unshare", "--mount", "bash", "-c", script],
                cwd=directory, stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT,
                start_new_session=True, env=os.environ | {
                    "PATH": self.path + ":" + os.environ["PATH"],
                    "SONDE_RUNTIME_DIR": os.path.join(directory, "run")})
        try:
            process.wait(SECONDS)
        except subprocess.TimeoutExpired:
            check(False, "the section does not end")
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        with open(out, encoding="utf-8", errors="replace") as file:
            return file.read()


def has_memory_cgroups():
    """Of either version, as the page uses them."""
    old = os.path.isdir("/sys/fs/cgroup/memory")
    directory = "/sys/fs/cgroup/%ssonde-%d" % ("memory/" if old else "", os.getpid())
    try:
        os.mkdir(directory)
    except OSError:
        return False
    has = os.path.exists(os.path.join(directory, "memory.limit_in_bytes" if old else "memory.max"))
    os.rmdir(directory)
    return has


def main():
    require_root()
    if not has_tracefs():
        skip("tracefs cannot be mounted")
    make_loop(path("tried"), 1 << 20)  # skips where there are none
    place = Place()
    begin, problems = sections()
    equal("sections", [title for title, unused in problems], list(SHOWN))
    for title, commands in problems:
        if title == "Memory is short" and not has_memory_cgroups():
            print("not tried: %s: no cgroup with a limit of memory can be made" % title)
            continue
        print(title, flush=True)
        said = place.run(begin + commands)
        for shown in SHOWN[title]:
            check(re.search(shown, said, re.M), "%s: no %s in:\n%s" % (title, shown, said))
        check("--help'" not in said, "%s: a command is not understood:\n%s" % (title, said))
    finish()


if __name__ == "__main__":
    main()
