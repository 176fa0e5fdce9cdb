# SPDX-License-Identifier: BSD-2-Clause
"""A mount namespace of this test's own: what it mounts there, and what perf does, which mounts tracefs
where it finds none, goes with it."""
import ctypes
import os

from harness import run

TRACEFS = "/sys/kernel/tracing"
CLONE_NEWNS = 0x20000
MS_REC, MS_SLAVE = 1 << 14, 1 << 19  # what others unmount goes here, too


def own_mounts():
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(CLONE_NEWNS) or libc.mount(None, b"/", None, MS_REC | MS_SLAVE, None):
        raise OSError(ctypes.get_errno(), "a mount namespace")


def has_tracefs():
    """From now on, if it can be."""
    own_mounts()
    return (os.path.isdir(TRACEFS + "/instances") or
            not run("mount", "-t", "tracefs", "none", TRACEFS, good=False).returncode)
