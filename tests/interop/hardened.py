#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""The program as it was built: what makes a fault in it end it rather than serve who found it."""
import os
import platform
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kern"))
from harness import SONDE, check, finish, missing, run  # noqa: E402

ENDBR64 = bytes.fromhex("f30f1efa")  # where an indirect jump may land; gcc begins functions with it


def main():
    if not shutil.which("readelf"):
        missing("readelf is not installed")
    head = run("readelf", "-hldW", SONDE).stdout
    check("DYN (" in head and "PIE" in head, "it is loaded at one address always")
    check("GNU_RELRO" in head, "no RELRO")
    check("BIND_NOW" in head, "functions are bound late: RELRO is not full")
    stack = [line for line in head.splitlines() if "GNU_STACK" in line]
    check(stack and "RWE" not in stack[0], "its stack can be run: %s" % stack)
    symbols = run("readelf", "--dyn-syms", "-W", SONDE).stdout
    check("__stack_chk_fail" in symbols, "no stack protector")
    check("__memcpy_chk" in symbols, "no FORTIFY_SOURCE")
    if platform.machine() == "x86_64":
        with open(SONDE, "rb") as file:
            count = file.read().count(ENDBR64)
        # Debian 12's start files have no such marks, or the program would carry the property.
        check(count > 1000, "%d functions begin with endbr64" % count)
    finish()


main()
