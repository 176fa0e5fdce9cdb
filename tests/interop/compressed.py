#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""A compressed trace of everything that a load does: what the stock zstd makes of it babeltrace2
reads event by event as sonde reads the compressed one."""
import glob
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kern"))
from harness import (Recorder, actor_path, check, equal, events, finish, fresh,  # noqa: E402
                     require_root, run)
from side_by_side import compare_trace, place  # noqa: E402
from undisturbed import Scenarios  # noqa: E402


def everything():
    recorder = Recorder("-e", "*", "--compress")
    for unused in range(3):
        subprocess.run(["sh", "-c", "ls / | cat >/dev/null"], check=True)
    subprocess.run([actor_path(), "threads", "3", "100"], check=True, stdout=subprocess.DEVNULL)
    equal("exit status of sonde record", recorder.stop(), 0)
    plain = fresh()
    shutil.copytree(recorder.trace, plain)
    run("zstd", "-q", "-d", "--rm", *glob.glob(plain + "/*.zst"))
    check(len(glob.glob(plain + "/*.zst")) == 0 and glob.glob(plain + "/cpu0_level0"),
          "zstd has made nothing plain")
    ours = compare_trace(plain)
    check(len(ours) > 1000, "only %d events to compare" % len(ours))
    check(sorted(events(recorder.trace), key=place) == ours,
          "sonde reads other events of the compressed trace")


def main():
    require_root()
    Scenarios("disk", "irq", "net", "sched", "tcp")(everything)
    finish()


main()
