#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Page faults and signals: as many as were made, in agreement with getrusage."""
import os
import signal
import subprocess
import sys

from harness import Recorder, check, equal, events, finish, require_root, stats

PAGES, SIGNALS = 1000, 37
CHILD = r'''
import ctypes, mmap, os, resource, signal, sys, time
pages, signals = int(sys.argv[1]), int(sys.argv[2])
signal.signal(signal.SIGUSR1, lambda *unused: None)
memory = mmap.mmap(-1, pages * 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
memory.madvise(mmap.MADV_NOHUGEPAGE)
address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
pokes = [ctypes.c_char.from_address(address + i * 4096) for i in range(pages)]
kernel = mmap.mmap(-1, 16 * 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
kernel.madvise(mmap.MADV_NOHUGEPAGE)
before = resource.getrusage(resource.RUSAGE_SELF)
print("ready", address, ctypes.addressof(ctypes.c_char.from_buffer(kernel)), flush=True)
sys.stdin.readline()
start = resource.getrusage(resource.RUSAGE_SELF)
for poke in pokes:
    poke.value = b"x"
fd = os.open("/dev/zero", os.O_RDONLY)
os.readv(fd, [kernel])
for unused in range(signals):
    os.kill(os.getpid(), signal.SIGUSR1)
end = resource.getrusage(resource.RUSAGE_SELF)
print("did", end.ru_minflt - start.ru_minflt + end.ru_majflt - start.ru_majflt, flush=True)
sys.stdin.readline()
'''


def child():
    return subprocess.Popen([sys.executable, "-c", CHILD, str(PAGES), str(SIGNALS)], text=True,
                            stdin=subprocess.PIPE, stdout=subprocess.PIPE)


require_root()
process = child()
unused, address, kernel = process.stdout.readline().split()
recorder = Recorder("-e", "sched.trap,sys.enter", "--pid", str(process.pid))
process.stdin.write("go\n")
process.stdin.flush()
faults = int(process.stdout.readline().split()[1])
process.kill()
process.wait()
equal("exit status", recorder.stop(), 0)
equal("lost", stats(recorder.trace)["lost"], 0)

traps = [event for event in events(recorder.trace, "-e", "sched.trap")]
equal("tasks", {event["tid"] for event in traps}, {process.pid})
fields = [event["fields"] for event in traps]
first, last = int(address), int(address) + PAGES * 4096
touched = [one["address"] for one in fields if first <= one["address"] < last]
equal("faults for memory touched", sorted(touched),
      [first + i * 4096 for i in range(PAGES)])
equal("their kind", {one["kind"] for one in fields if first <= one["address"] < last}, {0})
check(all(one["code"] & 2 for one in fields if first <= one["address"] < last),
      "a fault by writing that is none")
inside = [one for one in fields if int(kernel) <= one["address"] < int(kernel) + 16 * 4096]
equal("faults of the kernel for memory of the task's", ({one["kind"] for one in inside},
                                                        len(inside)), ({1}, 16))
mapped = [one for one in fields if one["kind"] in (0, 1)]
# Before the child said so, and behind, there are a few: those of its own interpreter.
check(0 <= len(mapped) - faults <= 100, "%d faults, getrusage tells %d" % (len(mapped), faults))
signals = [one for one in fields if one["kind"] == 2]
equal("signals", [one["signal"] for one in signals if one["signal"] == signal.SIGUSR1],
      [signal.SIGUSR1] * SIGNALS)
equal("where they came from", {one["code"] for one in signals
                               if one["signal"] == signal.SIGUSR1}, {0})
equal("the end", [one["signal"] for one in signals][-1:], [signal.SIGKILL])
finish()
