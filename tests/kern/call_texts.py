#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Texts that arguments of system calls point to: beside strace, which waits for each call; and texts that cannot be
read, do not end, or change while they are read."""
import re
import shutil
import sys

from harness import SONDE, check, equal, events, finish, path, record, require_root, run, skip, stats

MOST = 255  # bytes of a text, without its NUL
TURNS = 3000

# Each path is one that there is not: no call changes anything.
BEGIN = """
import ctypes, mmap, os, sys, threading
libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
PAGE = mmap.PAGESIZE
os.chdir(sys.argv[1])
def buffer(text):
    return ctypes.create_string_buffer(text)
def ask(at):
    libc.access(ctypes.c_void_p(at), 0)
def map_pages(count):
    return libc.mmap(None, ctypes.c_size_t(count * PAGE), 3, 0x22, -1, ctypes.c_long(0))
"""
WORK = BEGIN + """
for length in (0, 1, 2, 3, 4, 5, 100, 253, 254, 255, 256, 257, 4000):
    one, other = buffer(b"a" * length), buffer(b"b" * (length // 2))
    libc.access(one, 0)
    libc.unlink(one)
    libc.truncate(one, ctypes.c_long(0))
    libc.rename(one, other)
    libc.symlink(one, b"nothing/" + b"c" * length)
for text in (b"a b", b'"', b"\\\\", b"\\n\\t\\x01\\x7f", "ä€𝄞".encode(), b"'; rm"):
    libc.access(text, 0)
for pointer in (None, 16, -1, -2 ** 63):
    ask(pointer)
    libc.rename(ctypes.c_void_p(pointer), b"other")
    libc.rename(b"one", ctypes.c_void_p(pointer))
at = map_pages(2)
libc.mprotect(ctypes.c_void_p(at + PAGE), ctypes.c_size_t(PAGE), 0)
ctypes.memset(at, ord("e"), PAGE)
ask(at + PAGE - 20)  # goes on where nothing may be read
ctypes.memset(at + PAGE - 1, 0, 1)
ask(at + PAGE - 20)
ask(at + PAGE - 1)
ask(at + PAGE - 1 - 255)
ask(at + PAGE - 1 - 256)
"""
# Memory that has a page in the end, which the call itself gets: before, there is none to be read.
ABSENT = BEGIN + """
at = map_pages(1)
ask(at)
ctypes.memmove(at, b"present", 8)
ask(at)
"""
CHANGING = BEGIN + """
at = map_pages(1)
texts = [bytes([first]) * length for first, length in zip(b"abcd", (3, 40, 254, 600))]
ctypes.memmove(at, texts[-1], len(texts[-1]))
done = False
def change():
    while not done:
        for text in texts:
            ctypes.memmove(at, text + b"\\0", len(text) + 1)
sys.setswitchinterval(1e-6)
thread = threading.Thread(target=change)
thread.start()
for i in range(%d):
    ask(at)
done = True
thread.join()
""" % TURNS
NAMES = ["access", "faccessat", "faccessat2", "unlink", "unlinkat", "truncate", "rename", "renameat", "renameat2",
         "symlink", "symlinkat", "openat"]
LINE = re.compile(r"^(?:\d+ +)?(\w+)\((.*)\) += ")
STRING = re.compile(r'"((?:\\x[0-9a-f]{2})*)"')


def of_strace(line):
    """(name, texts) of a call."""
    match = LINE.match(line)
    return match and (match[1], [bytes.fromhex(text.replace("\\x", "")) for text in STRING.findall(match[2])])


def texts_of(event):
    """(text, how it is) of each, in the order of the arguments."""
    fields = event["fields"]
    return [(fields[name], event["names"][name + "_state"]) for name in fields if name + "_ptr" in fields]


def as_recorded(text):
    return (text[:MOST].decode(), "cut" if len(text) > MOST else "whole")


def calls_of(trace):
    """(name, texts) of the calls that the last program made."""
    shown = events(trace)
    start = [event for event in shown if event["event"] == "sched.exec"][-1]
    return [(event["event"][4:], texts_of(event)) for event in shown if event["event"][4:] in NAMES and
            event["tid"] == start["tid"] and event["time"] > start["time"]]


def made_by(work, *before):
    """What is recorded of a program."""
    trace, unused = record("-e", "sched.exec," + ",".join("sys." + name for name in NAMES), "--", *before,
                           sys.executable, "-S", "-E", "-c", work, fresh_folder())
    equal("lost", stats(trace)["lost"], 0)
    return trace


def fresh_folder():
    folder = path("folder")
    run("mkdir", "-p", folder)
    return folder


def as_strace_has_them():
    trace = made_by(WORK, "strace", "-f", "-xx", "-s", "5000", "-o", path("calls"), "-e", "trace=" + ",".join(NAMES))
    with open(path("calls"), encoding="ascii") as file:
        theirs = [call for call in map(of_strace, file) if call]
    ours = calls_of(trace)
    equal("calls", [name for name, texts in ours], [name for name, texts in theirs])
    for (name, texts), (unused, strings) in zip(ours, theirs):
        equal(name, [text for text in texts if text[1] in ("whole", "cut")], [as_recorded(text) for text in strings])
        check(all(not text for text, state in texts if state in ("missing", "null")), "%s: %s" % (name, texts))
    states = {state for name, texts in ours for text, state in texts}
    equal("states", states, {"whole", "cut", "missing", "null"})
    nulls = [texts for name, texts in ours if any(state == "null" for text, state in texts)]
    equal("calls with NULL", len(nulls), 3)
    print("%d calls" % len(ours))


# Arguments of programs that there are not, and lists that cannot be read or do not end in time.
LISTS = BEGIN + """
def start(*texts):
    libc.execve(b"/nothing/here", (ctypes.c_char_p * (len(texts) + 1))(*texts), None)
def start_at(at):
    libc.execve(b"/nothing/here", ctypes.c_void_p(at), None)
start()
start(b"one")
start(b"one", b"", b'a "b"', b"\\xff\\n", "ä€𝄞".encode())
start(*[b"%d" % i for i in range(31)])
start(*[b"%d" % i for i in range(32)])
start(*[b"%d" % i for i in range(33)])
start(b"x" * 100, b"y" * 100, b"z" * 52)
start(b"x" * 100, b"y" * 100, b"z" * 54)
start(b"x" * 300)
start(b"x" * 250, b"y" * 10, b"z")
start_at(None)
start_at(16)
start_at(-1)
at = map_pages(2)
libc.mprotect(ctypes.c_void_p(at + PAGE), ctypes.c_size_t(PAGE), 0)
texts = [buffer(b"first"), buffer(b"second")]
(ctypes.c_void_p * 2).from_address(at + PAGE - 16)[:] = [ctypes.addressof(text) for text in texts]
start_at(at + PAGE - 16)  # no NULL before memory ends
(ctypes.c_void_p * 2).from_address(at)[:] = [ctypes.addressof(texts[0]), 16]
start_at(at)  # the second text cannot be read
"""


def lists_of_texts():
    """What sonde has of each: the texts, and how the list is."""
    trace, unused = record("-e", "sched.exec,sys.execve", "--", sys.executable, "-S", "-E", "-c", LISTS, fresh_folder())
    equal("lost", stats(trace)["lost"], 0)
    got = [(event["fields"]["argv"], event["names"]["argv_state"]) for event in events(trace, "-e", "sys.execve")
           if event["event"] == "sys.execve" and event["fields"]["filename"] == "/nothing/here"]
    digits = ["%d" % i for i in range(33)]
    equal("lists", got, [
        ([], "whole"), (["one"], "whole"), (["one", "", 'a "b"', "\ufffd\n", "ä€𝄞"], "whole"), (digits[:31], "whole"),
        (digits[:32], "whole"), (digits[:32], "cut"), (["x" * 100, "y" * 100, "z" * 52], "whole"),
        (["x" * 100, "y" * 100, "z" * 53], "cut"), (["x" * 255], "cut"), (["x" * 250, "y" * 4], "cut"), ([], "null"),
        ([], "missing"), ([], "missing"), (["first", "second"], "cut"), (["first"], "cut")])
    shown = run(SONDE, "print", trace).stdout
    for line in ('execve("/nothing/here", [], NULL)', 'execve("/nothing/here", ["one"], NULL)',
                 'execve("/nothing/here", ["first", ...], NULL)', 'execve("/nothing/here", NULL, NULL)',
                 'execve("/nothing/here", 0x10, NULL)'):
        check(line in shown, "no %s in print" % line)
    if shutil.which("babeltrace2"):
        equal("what babeltrace2 says", run("babeltrace2", trace).stderr, "")


def memory_without_a_page():
    asked = [texts for name, texts in calls_of(made_by(ABSENT)) if name in NAMES[:3]][-2:]
    equal("before and after there is a page", asked, [[("", "missing")], [("present", "whole")]])


def texts_that_change():
    """A copy is what it is: of one length, and the trace as whole as ever. Which texts are mixed, nobody knows."""
    trace = made_by(CHANGING)
    asked = [texts for name, texts in calls_of(trace) if name in NAMES[:3]][-TURNS:]
    equal("calls", len(asked), TURNS)
    odd = [(text, state) for (text, state), in asked if not set(text) <= set("abcd") or len(text) > MOST or
           state not in ("whole", "cut") or state == "cut" and len(text) < MOST]
    equal("odd texts", odd[:3], [])
    equal("what babeltrace2 says", run("babeltrace2", trace).stderr, "") if shutil.which("babeltrace2") else None
    print("%d texts of %d lengths" % (len(asked), len({len(text) for (text, unused), in asked})))


def without_texts():
    """Neither the option nor brief records leave any byte of a text in the trace."""
    for option in (["--no-text"], ["--detail", "brief"], ["--detail", "full", "--no-text"]):
        trace, unused = record("-e", "sys", *option, "--", "sh", "-c", "[ -e /nothing-$((1 + 1)) ]; ls /")
        opened = [event for event in events(trace) if event["event"] == "sys.openat"]
        check(opened, "%s: nothing was opened" % option)
        check(all("filename_ptr" in event["fields"] and "filename" not in event["fields"] for event in opened),
              "%s: %s" % (option, opened[:1]))
        held = run("sh", "-c", "cat %s/cpu* | grep -c nothing-2" % trace, good=False)
        equal("%s: lines with the text" % option, held.stdout, "0\n")


require_root()
if not shutil.which("strace"):
    skip("there is no strace")
as_strace_has_them()
lists_of_texts()
memory_without_a_page()
texts_that_change()
without_texts()
finish()
