#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""sonde serve of traces without indexes: it makes them, and answers the viewers of other sessions while one stream takes
as long as it likes to be read."""
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kern"))
from harness import PATIENCE, SONDE, equal, finish, fresh, preloaded, run  # noqa: E402
from live_viewer import Relay  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))


def synthetic(*args):
    trace = fresh("synthetic")
    run(sys.executable, os.path.join(HERE, "make_trace.py"), trace, *args)
    return trace


def without_index(*args):
    trace = synthetic(*args)
    shutil.rmtree(os.path.join(trace, "index"))
    return trace


def lines(source):
    return run(SONDE, "print", source).stdout.splitlines()


class Held:
    """A relay of @traces that cannot read a byte of @stream of the first one until release()."""

    def __init__(self, stream, *traces):
        self.read_end, self.write_end = os.pipe()
        inode = os.stat(os.path.join(traces[0], stream)).st_ino
        self.relay = Relay(*traces, pass_fds=[self.read_end],
                           env=preloaded("hold") | {"HOLD_INODE": str(inode),
                                                    "HOLD_FD": str(self.read_end)})

    def release(self):
        os.close(self.write_end)


def others_are_answered():
    """The order proves it: what comes before release() does not wait for the stream that is held."""
    slow, quick = without_index("--events", "3000", "--cpus", "2"), without_index("--events", "500")
    held = Held("cpu1_level0", slow, quick)
    relay = held.relay
    equal("sessions", len(relay.urls), 2)
    equal("another session", lines(relay.urls[1]), lines(quick))
    viewer = subprocess.Popen([SONDE, "print", relay.urls[0]], stdout=subprocess.PIPE, text=True)
    equal("another session again", lines(relay.urls[1]), lines(quick))
    equal("the viewer of the slow one waits", viewer.poll(), None)
    held.release()
    equal("the slow one", viewer.communicate(timeout=PATIENCE)[0].splitlines(), lines(slow))
    equal("a later viewer", lines(relay.urls[0]), lines(slow))
    equal("exit status", relay.stop(), 0)


def what_asks_for_news_gets_all():
    """babeltrace2 asks for what comes next: of a finished trace that is all, also while its index is being made."""
    slow = without_index("--events", "300", "--cpus", "2")
    held = Held("cpu0_level0", slow)
    viewer = subprocess.Popen(["babeltrace2", "--no-delta", "-i", "lttng-live", held.relay.urls[0]],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    attached = run("babeltrace2", "-i", "lttng-live", "net://localhost:%d" % held.relay.port)
    while "1 client" not in attached.stdout:
        attached = run("babeltrace2", "-i", "lttng-live", "net://localhost:%d" % held.relay.port)
    held.release()
    got = viewer.communicate(timeout=PATIENCE)[0].splitlines()
    equal("babeltrace2", sorted(got), sorted(run("babeltrace2", "--no-delta", slow).stdout.splitlines()))


others_are_answered()
what_asks_for_news_gets_all()
finish()
