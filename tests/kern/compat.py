#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""32-bit callers: numbers and arguments are those of the 32-bit table."""
import platform
import signal
import subprocess

from harness import actor_path, equal, events, finish, is_entry, record, require_root, skip, stats

CALLS = 1000

require_root()
if platform.machine() != "x86_64":
    skip("int $0x80 is x86's")
alone = subprocess.run([actor_path(), "compat", "1"], capture_output=True, text=True)
if alone.returncode == -signal.SIGSEGV or alone.stdout != "-9\n":
    skip("this kernel takes no 32-bit system calls")

trace, done = record("-e", "sys", "--", actor_path(), "compat", str(CALLS))
calls = [event["fields"] | {"event": event["event"], "name": event["names"]["nr"]}
         for event in events(trace, "-e", "sys.*") if event["fields"]["compat"]]
begun = [call for call in calls if is_entry(call["event"])]
ended = [call for call in calls if call["event"] == "sys.exit"]
equal("32-bit calls begun", len(begun), CALLS + 1)
equal("32-bit calls ended", len(ended), CALLS + 1)
equal("numbers and names of the first ones", {(call["nr"], call["name"]) for call in calls
                                              if call["nr"] != 180}, {(132, "getpgid")})
equal("their classes", {call["event"] for call in begun[:-1]}, {"sys.getpgid"})
equal("the last one, whose arguments are 32-bit ones: class", begun[-1]["event"], "sys.enter")
equal("the last one: number", begun[-1]["nr"], 180)
equal("the last one: name", begun[-1]["name"], "pread64")
equal("the last one: arguments", begun[-1]["args"],
      [0xffffffff, 0x11111111, 0xfedcba98, 0x33333333, 0x44444444, 0x55555555])
equal("the last one: result (EBADF)", (ended[-1]["nr"], ended[-1]["ret"]), (180, -9))
told = [one for one in stats(trace)["syscalls"] if one["compat"] and one["name"] == "getpgid"]
equal("sonde stats on them", [(one["calls"], one["matched"]) for one in told], [(CALLS, CALLS)])

trace, done = record("-e", "sys.enter", "--syscall", "pread64", "--", actor_path(), "compat", "5")
equal("--syscall pread64 by a 32-bit caller",
      [event["fields"]["nr"] for event in events(trace, "-e", "sys.enter")
       if event["fields"]["compat"]], [180])
finish()
