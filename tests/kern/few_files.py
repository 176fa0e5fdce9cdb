#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""More network namespaces than file descriptors: what can be recorded is, the summary says in how many namespaces it
was not and why, and the exit status is that of a partial recording. So it is where descriptors suffice for nothing."""
import contextlib
import ctypes
import os
import re
import resource
import subprocess
import sys

from harness import (SONDE, PATIENCE, Recorder, check, equal, events, finish, fresh, path, require_root)

NEWNS, NEWNET = 0x20000, 0x40000000
MS_BIND, MS_REC, MS_PRIVATE = 4096, 0x4000, 0x40000
NAMESPACES = 120  # more than SPARE and LINKS
SPARE = 64  # descriptors that links leave: SPARE_FILES in src/probe/netfilter.c
LINKS = 20  # that there is room for


def call(result):
    if result:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def make_namespaces():
    """Mounted, in a mount namespace of this process, with which they go away."""
    libc = ctypes.CDLL(None, use_errno=True)
    call(libc.unshare(NEWNS))
    call(libc.mount(b"none", b"/", None, MS_REC | MS_PRIVATE, None))
    with open("/proc/self/ns/net", encoding="ascii") as own:
        for i in range(NAMESPACES):
            place = path("netns%d" % i)
            with open(place, "x", encoding="ascii"):
                call(libc.unshare(NEWNET))
                call(libc.mount(b"/proc/thread-self/ns/net", place.encode(), None, MS_BIND, None))
            call(libc.setns(own.fileno(), NEWNET))


def files_of(pid):
    return len(os.listdir("/proc/%d/fd" % pid))


def links_of(pid):
    links = 0
    for fd in os.listdir("/proc/%d/fd" % pid):
        with contextlib.suppress(FileNotFoundError):  # closed by now
            links += os.readlink("/proc/%d/fd/%s" % (pid, fd)) == "anon_inode:bpf_link"
    return links


def record_with(files, *args):
    trace = fresh()
    done = subprocess.run([SONDE, "record", "-o", trace, "-d", "100ms", *args], capture_output=True, text=True,
                          timeout=PATIENCE, preexec_fn=lambda: resource.setrlimit(
                              resource.RLIMIT_NOFILE, (files, files)))
    return trace, done


def known(stderr):
    """(namespaces without hooks, all) as the summary has them."""
    found = re.search(r"in (\d+) of (\d+) network namespaces: Too many open files; raise ulimit -n", stderr)
    return (int(found[1]), int(found[2])) if found else (0, 0)


def alone(measurements):
    """How many descriptors a recorder has without the links of other namespaces, and how many of them are links."""
    recorder = Recorder("-e", measurements, "--netns", "self")
    files = files_of(recorder.pid), links_of(recorder.pid)
    equal(measurements + " --netns self: status", recorder.stop(), 0)
    return files


def enough_for_all():
    """It needs no more than a link for each where it may have them."""
    links = alone("net.ip_send")[1]
    recorder = Recorder("-e", "net.ip_send")
    extra = links_of(recorder.pid) - links
    equal("enough files: status", recorder.stop(), 0)
    check(extra >= NAMESPACES, "%d links for %d namespaces" % (extra, NAMESPACES))


def some_namespaces():
    for measurements in ("net.ip_send", "net.ip_send,tcp.poll"):
        trace, done = record_with(alone(measurements)[0] + SPARE + LINKS, "-e", measurements)
        equal(measurements + ": status: " + done.stderr, done.returncode, 6)
        without, namespaces = known(done.stderr)
        check(NAMESPACES < namespaces and 0 < without < namespaces, "%s: %d of %d: %s" %
              (measurements, without, namespaces, done.stderr))
        check("nothing lost, but not all" in done.stderr and "CAP_SYS_ADMIN" not in done.stderr and
              "process has ended" not in done.stderr, measurements + ": it says " + done.stderr)
        on = {event["fields"]["measurement"] for event in events(trace) if event["event"] == "sonde.state"}
        equal(measurements + ": what was on", on, set(measurements.split(",")) | {"(all)"})


def all_hooks_here(base):
    """Each hook of our own namespace comes before those of others."""
    done = record_with(base + 3 * SPARE, "-e", "net.ip_send,net.tcp_recv,net.udp_recv")[1]
    equal("several hooks: status: " + done.stderr, done.returncode, 6)
    without, namespaces = known(done.stderr)
    check(0 < without < namespaces, "several hooks: %s" % done.stderr)
    equal("several hooks: none is missing: " + done.stderr, done.stderr.count("unavailable"), 0)


def none_at_all(base):
    done = record_with(base, "-e", "net.ip_send")[1]
    equal("no room: status: " + done.stderr, done.returncode, 5)
    check("net.ip_send is unavailable" in done.stderr and "Too many open files" in done.stderr,
          "no room: it says " + done.stderr)


def main():
    require_root()
    make_namespaces()
    enough_for_all()
    some_namespaces()
    base = alone("net.ip_send")[0]
    all_hooks_here(base)
    none_at_all(base)
    finish()


if __name__ == "__main__":
    sys.exit(main())
