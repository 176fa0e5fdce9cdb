#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""lttng snapshot record to the network, several times: sonde serve stores each where lttng-relayd does, with the same
files, and every event is read from them, by babeltrace2 too."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kern"))
from harness import check, equal, finish, fresh  # noqa: E402
from ingest_client import Server  # noqa: E402
from lttng_relay import Relay  # noqa: E402
from lttng_session import Lttng, ust_program  # noqa: E402
from side_by_side import compare_trace  # noqa: E402

ROUNDS, BURST = 60, 40
EVENTS = 2 * (ROUNDS * 6 + BURST)  # of one run of the program: two threads


def record(lttng, ust, name, control, data):
    """The name of the snapshot, and how often the program ran before it; the last is of a stopped session."""
    lttng.lttng("create", name, "--snapshot", "--set-url=net://127.0.0.1:%d:%d" % (control, data))
    lttng.lttng("enable-channel", "--userspace", "--session=" + name, "--num-subbuf=16", "ch")
    lttng.lttng("enable-event", "--userspace", "--session=" + name, "--channel=ch", "sonde_test:*")
    lttng.lttng("start", name)
    for options, runs in ((), True), (("--name=mine",), True), ((), False), ((), True):
        if runs:
            lttng.run(ust, str(ROUNDS), str(BURST))
        else:
            lttng.lttng("stop", name)
        lttng.lttng("snapshot", "record", "--session=" + name, *options)
        if not runs:
            lttng.lttng("start", name)
    lttng.lttng("destroy", name)


def files(output, name):
    """Of all snapshots of a session, by the snapshot without the time in its name."""
    host = os.path.join(output, os.listdir(output)[0])
    root = [os.path.join(host, one) for one in os.listdir(host) if one.startswith(name + "-")]
    equal("folders of session " + name, len(root), 1)
    found = {}
    for folder, unused, names in os.walk(root[0]):
        where = re.sub(r"-\d{8}-\d{6}", "", os.path.relpath(folder, root[0]), count=1)
        for one in names:
            if not one.startswith("."):
                found[os.path.join(where, one)] = os.path.join(folder, one)
    return found


def main():
    lttng = Lttng()
    relay = Relay(lttng)
    output = fresh("store")
    os.mkdir(output)
    server = Server(output)
    ust = lttng.program(ust_program())
    record(lttng, ust, "theirs", relay.control, relay.data)
    record(lttng, ust, "ours", server.control, server.data)
    theirs, ours = files(os.path.join(lttng.home, "relay"), "theirs"), files(output, "ours")
    equal("files of four snapshots", sorted(ours), sorted(theirs))
    equal("snapshots", sorted({name.split("/")[0] for name in ours}),
          ["mine-1", "snapshot-1-0", "snapshot-1-2", "snapshot-1-3"])
    for name, count in ("snapshot-1-0", 1), ("mine-1", 2), ("snapshot-1-2", 2), ("snapshot-1-3", 3):
        trace = os.path.dirname([at for one, at in ours.items() if one.startswith(name) and at.endswith("/metadata")][0])
        equal("events of " + name, len(compare_trace(trace, False)), count * EVENTS)
    check("rejected" not in server.said() and " closed: " not in server.said(), server.said())
    equal("exit status", server.stop(), 0)
    finish()


main()
