#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""sonde serve of traces that grow, packet by packet as the test has it: new streams and new metadata are told
when they are there and only then, idle streams hold up nobody, and babeltrace2 sees in the end what was
written, also where the recorder dies or starts late."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kern"))
from growing_trace import GrowingTrace  # noqa: E402
from harness import PATIENCE, check, equal, finish, fresh, run, until  # noqa: E402
from live_viewer import (HUP, INACTIVE, LAST, NEW_STREAMS, RETRY, STREAMS_HUP,  # noqa: E402
                         Relay, Viewer, Watcher, join)

HERE = os.path.dirname(os.path.abspath(__file__))
DECLARED = {"recorder", "cpu0_level0", "cpu0_level1", "cpu0_level2"}  # on every machine


def synthetic(*args):
    """Of one CPU where beacons matter: whenever a packet is written, all that begins earlier has been."""
    trace = fresh("synthetic")
    run(sys.executable, os.path.join(HERE, "make_trace.py"), trace, *args)
    return trace


def lines(*args):
    done = run("babeltrace2", "--no-delta", *args)
    check(" E " not in done.stderr and "CAUSED BY" not in done.stderr, done.stderr[:2000])
    return done.stdout.splitlines()


def grows_and_ends():
    """A stream that falls idle, and one that comes late under a name that nobody expects."""
    source = synthetic("--events", "12000", "--only-enter")
    os.rename(os.path.join(source, "cpu1_level0"), os.path.join(source, "late"))
    os.rename(os.path.join(source, "index", "cpu1_level0.idx"),
              os.path.join(source, "index", "late.idx"))
    target = fresh("growing")
    trace = GrowingTrace(source, target)
    relay = Relay("--replay", target)
    watcher = Watcher(relay.port)
    check(DECLARED <= set(watcher.streams), "streams: %s" % watcher.streams)
    equal("nothing is there yet", set(watcher.read().values()), {RETRY})
    early = [entry for entry in trace.packets if entry["stream"] != "late"]
    late = [entry for entry in trace.packets if entry["stream"] == "late"]
    for entry in early[:20]:
        trace.write(entry)
    until(lambda: watcher.read() and watcher.count() == 20, "20 packets are seen")
    equal("metadata", join(watcher.text), trace.text())
    equal("idle", watcher.read()["cpu0_level0"], INACTIVE)
    until(lambda: watcher.read()["recorder"] == INACTIVE, "there are beacons")
    check(watcher.told["recorder"] <= early[19]["end"], "a beacon goes too far")
    for entry in late[:3]:
        trace.write(entry)
    until(lambda: watcher.read() and "late" in watcher.streams, "a new stream is told of")
    until(lambda: watcher.read()["late"] == INACTIVE, "packets of the new stream are seen")
    equal("not over", watcher.viewer.new_streams(1), (1, []))
    for entry in early[20:]:
        trace.write(entry)
    trace.end()
    until(lambda: set(watcher.read().values()) == {HUP}, "all hang up")
    equal("packets", watcher.count(), len(early) + 3)
    equal("over", watcher.viewer.new_streams(1), (STREAMS_HUP, []))
    late = Watcher(relay.port, LAST)
    until(lambda: set(late.read().values()) == {HUP}, "all hang up again")
    equal("who comes later sees all of it", late.count(), watcher.count())


def new_streams_until_asked():
    """The flag stays until the viewer has asked, and nobody goes past what it has not seen."""
    source = synthetic("--events", "4000", "--only-enter")
    for folder, name, end in ((source, "cpu1_level0", ""), (source + "/index", "cpu1_level0", ".idx")):
        os.rename(os.path.join(folder, name + end), os.path.join(folder, "late" + end))
    trace = GrowingTrace(source, fresh("growing"))
    relay = Relay("--replay", trace.target)
    viewer = Viewer(relay.port)
    viewer.create()
    streams = {stream["channel"]: stream["id"] for stream in viewer.attach(1)[1]}
    viewer.all_metadata(streams["metadata"])
    for entry in trace.packets[:-1]:
        trace.write(entry)
    other = Watcher(relay.port)  # whoever asks before the relay has looked at all of it gets a beacon for what it knew
    until(lambda: other.read() and other.count() == len(trace.packets) - 1, "the relay has seen all packets")
    ask = lambda: viewer.index(streams["cpu0_level0"])  # noqa: E731
    until(lambda: ask()["flags"] == NEW_STREAMS, "the flag is there")
    seen = [ask() for unused in range(10)]
    equal("until asked", {reply["flags"] for reply in seen}, {NEW_STREAMS})
    equal("beside an idle one", viewer.index(streams["recorder"])["status"], RETRY)
    equal("asked", [stream["channel"] for stream in viewer.new_streams(1)[1]], ["late"])
    equal("then", ask()["flags"], 0)
    trace.end()


def metadata_grows():
    """Packets that need more of it come with the flag, and babeltrace2 goes on with what is new."""
    source = synthetic("--events", "6000", "--only-enter", "--cpus", "1")
    target = fresh("growing")
    with open(os.path.join(source, "metadata"), "rb") as file:
        text = file.read()
    more = b'event { id = 99; stream_id = 0; name = "more"; fields := struct { u32 x; }; };\n'
    trace = GrowingTrace(source, target)
    relay = Relay("--replay", target)
    watcher = Watcher(relay.port)
    live = subprocess.Popen(["babeltrace2", "--no-delta", "-i", "lttng-live", relay.urls[0]],
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    half = len(trace.packets) // 2
    for entry in trace.packets[:half]:
        trace.write(entry)
    until(lambda: watcher.read() and watcher.count() == half, "the first half is seen")
    equal("metadata", join(watcher.text), text)
    equal("no flag", watcher.next("recorder") and watcher.flags, 0)
    trace.describe(text + more)
    for entry in trace.packets[half:]:
        trace.write(entry)
    until(lambda: watcher.read() and watcher.count() == len(trace.packets), "the rest is seen")
    equal("more metadata", join(watcher.text), text + more)
    trace.end()
    out, err = live.communicate(timeout=PATIENCE)
    check(" E " not in err, err[:2000])
    equal("babeltrace2", out.splitlines() == lines(source), True)
    trace.describe(b"something else")
    equal("sessions go on", len(Watcher(relay.port).streams) > 3, True)


def recorder_dies():
    """In the middle of a packet: all that is whole is seen, and the session ends."""
    source = synthetic("--events", "6000", "--only-enter", "--cpus", "1")
    target = fresh("growing")
    trace = GrowingTrace(source, target)
    relay = Relay("--replay", target)
    live = subprocess.Popen(["babeltrace2", "--no-delta", "-i", "lttng-live", relay.urls[0]],
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    watcher = Watcher(relay.port)
    half = len(trace.packets) // 2
    for entry in trace.packets[:half]:
        trace.write(entry)
    torn = trace.packets[half]
    trace.files[torn["stream"]][0].write(trace.data(torn)[:1000])
    trace.files[torn["stream"]][1].write(torn["index"][:30])
    trace.end()
    until(lambda: set(watcher.read().values()) == {HUP}, "all hang up")
    equal("packets", watcher.count(), half)
    out = live.communicate(timeout=PATIENCE)[0].splitlines()
    os.truncate(os.path.join(target, torn["stream"]),
                sum(entry["bits"] // 8 for entry in trace.packets[:half]
                    if entry["stream"] == torn["stream"]))
    equal("babeltrace2", out == lines(target), True)


def from_now_on():
    """Without --replay, who asks for what comes next gets that."""
    source = synthetic("--events", "6000", "--only-enter", "--cpus", "1")
    trace = GrowingTrace(source, fresh("growing"))
    relay = Relay(trace.target)
    all_of_it = Watcher(relay.port)
    half = len(trace.packets) // 2
    for entry in trace.packets[:half]:
        trace.write(entry)
    until(lambda: all_of_it.read() and all_of_it.count() == half, "the first half is seen")
    rest = Watcher(relay.port, LAST)
    for entry in trace.packets[half:]:
        trace.write(entry)
    trace.end()
    until(lambda: set(rest.read().values()) == {HUP}, "all hang up")
    equal("packets from then on", rest.count(), len(trace.packets) - half)
    equal("exit status", relay.stop(), 0)


def main():
    grows_and_ends()
    new_streams_until_asked()
    metadata_grows()
    recorder_dies()
    from_now_on()
    finish()


main()
