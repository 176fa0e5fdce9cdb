#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Addresses of sockets that arguments of system calls point to: beside strace, of every family, length and state; and
none with --no-text."""
import shutil
import sys

from harness import SONDE, check, equal, events, finish, missing, record, require_root, run, stats
from strace_text import run_beside, same

MOST = 128  # bytes of an address that are recorded

# The descriptor is one that there is not: no call changes anything.
WORK = r"""
import ctypes, mmap, struct
libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
FD, PAGE = 0x3ff, mmap.PAGESIZE
def connect(at, length):
    libc.connect(FD, at, length)
def data(octets, length=None):
    room = ctypes.create_string_buffer(octets, max(len(octets), 1))
    connect(room, len(octets) if length is None else length)
    libc.bind(FD, room, len(octets) if length is None else length)
    libc.sendto(FD, None, ctypes.c_size_t(0), 0, room, len(octets) if length is None else length)
family = lambda number: struct.pack("=H", number)
inet = family(2) + b"\0\x50\x7f\0\0\1"
inet6 = family(10) + b"\x1f\x90\0\0\0\5\x20\1" + bytes(13) + b"\1"
link = family(17) + b"\0\3" + struct.pack("=iHBB", 77, 1, 3, 6) + bytes(range(1, 9))
for octets in (b"", b"\1", family(2), inet, inet + bytes(8), inet + bytes(100), inet6, inet6 + b"\7\0\0\0", inet6[:22],
               family(1), family(1) + b"\0", family(1) + b"/tmp/x", family(1) + b"/tmp/x\0", family(1) + b"/tmp/x\0yyy",
               family(1) + b"\0abs", family(1) + b"\0abs\0d", family(1) + b"\0\0", family(1) + b"/a\"\n\xff\x1b[2J",
               family(1) + b"x" * 108, family(1) + b"\0" + b"y" * 107, family(16), family(16) + bytes(10),
               family(16) + bytes(2) + struct.pack("=II", 1234, 5), family(16) + bytes(6),
               family(16) + bytes(2) + struct.pack("=II", 0, 0xffffffff), link, link[:12], link[:10] + b"\7\0" + bytes(8),
               link[:11] + b"\24" + bytes(8), family(31) + b"\1\2\3", family(77) + b"\1\2abc\xff", family(0) + bytes(14),
               family(7777), b"z" * 127, b"z" * 128, b"z" * 129, b"z" * 200):
    data(octets)
data(inet, -1)
data(inet, -2 ** 31)
data(inet, 1 << 20)
for at in (None, 16, ctypes.c_void_p(-1)):
    connect(at, 16)
    connect(at, 0)
at = libc.mmap(None, ctypes.c_size_t(2 * PAGE), 3, 0x22, -1, ctypes.c_long(0))
libc.mprotect(ctypes.c_void_p(at + PAGE), ctypes.c_size_t(PAGE), 0)
ctypes.memmove(at + PAGE - 16, inet + bytes(8), 16)
connect(ctypes.c_void_p(at + PAGE - 16), 16)  # up to where nothing may be read
connect(ctypes.c_void_p(at + PAGE - 16), 17)
"""
NAMES = (b"connect", b"bind", b"sendto")
SEEN = """
import socket
with socket.socket(socket.AF_UNIX) as one:
    try:
        one.connect("/nothing-%d/here" % (1 + 1))
    except OSError:
        pass
"""


def as_strace_has_them():
    ours, theirs, trace = run_beside(WORK)
    ours, theirs = ([call for call in calls if call[0] in NAMES and call[1][0] == b"1023"] for calls in (ours, theirs))
    equal("calls", [call[0] for call in ours], [call[0] for call in theirs])
    for (name, args, unused), (unused, their_args, unused) in zip(ours, theirs):
        check(len(args) == len(their_args) and all(map(same, args, their_args)),
              "%s: %s, strace has %s" % (name.decode(), b", ".join(args), b", ".join(their_args)))
    check(len(ours) >= 120, "only %d calls" % len(ours))
    print("%d calls" % len(ours))
    return trace


def states(trace):
    """As many bytes as the program says, and no more than there is room for."""
    calls = [event for event in events(trace, "-e", "sys.connect") if event["event"] == "sys.connect" and
             event["fields"]["fd"] == 1023]
    for event in calls:
        fields, state = event["fields"], event["names"]["uservaddr_state"]
        length, recorded = fields["addrlen"], fields["uservaddr_bytes"]
        wanted = {"whole": length, "cut": MOST, "missing": 0, "null": 0}[state]
        equal("%s: bytes" % fields, recorded, wanted)
        check((state == "cut") == (length > MOST and bool(recorded)), "%s is %s" % (fields, state))
        equal("null", state == "null", not fields["uservaddr_ptr"])
        check(fields["uservaddr"].startswith("{sa_family=" if recorded > 1 else "{}"), "%s" % fields)
    equal("states", {event["names"]["uservaddr_state"] for event in calls}, {"whole", "cut", "missing", "null"})
    if shutil.which("babeltrace2"):
        equal("what babeltrace2 says", run("babeltrace2", trace).stderr, "")


def of_a_real_socket():
    """An address that is used: in JSON a text, and so in CSV."""
    trace, unused = record("-e", "sys.connect", "--", sys.executable, "-c", SEEN)
    equal("lost", stats(trace)["lost"], 0)
    wanted = '{sa_family=AF_UNIX, sun_path="/nothing-2/here"}'
    check(wanted in [event["fields"].get("uservaddr") for event in events(trace)], "no such address in JSON")
    check(wanted.replace('"', '""') in run(SONDE, "print", "--format", "csv", trace).stdout,
          "no such address in CSV")


def without_addresses():
    for option in (["--no-text"], ["--detail", "brief"]):
        trace, unused = record("-e", "sys", *option, "--", sys.executable, "-c", SEEN)
        calls = [event for event in events(trace) if event["event"] == "sys.connect"]
        check(calls, "%s: nothing connects" % option)
        check(all("uservaddr_ptr" in event["fields"] and "uservaddr" not in event["fields"] for event in calls),
              "%s: %s" % (option, calls[:1]))
        held = run("sh", "-c", "cat %s/cpu* | grep -c nothing-2" % trace, good=False)
        equal("%s: lines with the address" % option, held.stdout, "0\n")


require_root()
if not shutil.which("strace"):
    missing("there is no strace")
states(as_strace_has_them())
of_a_real_socket()
without_addresses()
finish()
