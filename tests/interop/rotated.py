#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Sessions of LTTng that were rotated: each stream is in several chunks, and its counters of discarded events and
of packets run on from chunk to chunk. Losses are counted once, those between two chunks as well."""
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kern"))
from harness import PATIENCE, check, equal, events, finish, path, stats  # noqa: E402
from lttng_session import Lttng, ust_program  # noqa: E402
from side_by_side import compare_trace  # noqa: E402

TINY = ("--subbuf-size=4096", "--num-subbuf=2")
UUID = bytes(range(16))
METADATA = """/* CTF 1.8 */
typealias integer { size = 8; align = 8; } := u8;
typealias integer { size = 32; align = 8; } := u32;
typealias integer { size = 64; align = 8; } := u64;
trace { major = 1; minor = 8; byte_order = le; %s
	packet.header := struct { u32 magic; %s u32 stream_id; %s }; };
clock { name = c; freq = 1000000000; };
typealias integer { size = 64; align = 8; map = clock.c.value; } := ts;
stream { id = 0; packet.context := struct { ts timestamp_begin; ts timestamp_end; u64 content_size; u64 packet_size;
	u64 packet_seq_num; u64 events_discarded; u32 cpu_id; };
	event.header := struct { u8 id; ts timestamp; }; };
event { id = 0; name = e; stream_id = 0; fields := struct { u32 v; }; };
"""


class Small:
    """Small traces; every event is a packet."""

    def __init__(self, name, uuid=True, instance=True):
        self.name, self.uuid, self.instance = name, uuid, instance

    def packet(self, sequence, discarded, time, instance):
        head = struct.pack("<I", 0xC1FC1FC1) + (UUID if self.uuid else b"") + struct.pack("<I", 0)
        head += struct.pack("<Q", instance) if self.instance else b""
        event = struct.pack("<BQI", 0, time, sequence)
        bits = 8 * (len(head) + 52 + len(event))
        return head + struct.pack("<6QI", time, time, bits, bits, sequence, discarded, instance) + event

    def index(self, packets, instance):
        text = struct.pack(">4I", 0xC1F1DCC1, 1, 1, 72)
        at = 0
        for sequence, discarded, time in packets:
            size = len(self.packet(sequence, discarded, time, instance))
            text += struct.pack(">9Q", at, 8 * size, 8 * size, time, time, discarded, 0, instance, sequence)
            at += size
        return text

    def chunk(self, chunk, file, packets, instance=0, indexed=False):
        """@packets: (sequence, discarded, time)."""
        folder = os.path.join(path(self.name), chunk)
        os.makedirs(os.path.join(folder, "index"), exist_ok=True)
        with open(os.path.join(folder, "metadata"), "w", encoding="ascii") as text:
            text.write(METADATA % ('uuid = "00010203-0405-0607-0809-0a0b0c0d0e0f";' if self.uuid else "",
                                   "u8 uuid[16];" if self.uuid else "",
                                   "u64 stream_instance_id;" if self.instance else ""))
        with open(os.path.join(folder, file), "wb") as data:
            data.write(b"".join(self.packet(*one, instance) for one in packets))
        if indexed:
            with open(os.path.join(folder, "index", file + ".idx"), "wb") as data:
                data.write(self.index(packets, instance))
        return folder


def losses(*sources, options=()):
    """[(events, packets, time)] of what is told to be missing."""
    return [(one["fields"]["count"], one["fields"]["packets"], one["time"])
            for one in events(sources[0], *options, *sources[1:], good=None) if one["event"] == "sonde.lost"]


def small_traces():
    for indexed in (False, True):
        small = Small("chunks%d" % indexed)
        parts = [small.chunk("1", "s_0", [(0, 0, 10), (1, 5, 30)], indexed=indexed),
                 small.chunk("2", "s_0", [(2, 5, 50), (3, 5, 70)], indexed=indexed),
                 # Of another CPU, whose numbers are its own.
                 small.chunk("1", "s_1", [(0, 7, 11)], 1, indexed),
                 small.chunk("2", "s_1", [(1, 9, 51)], 1, indexed),
                 # The chunk between was removed.
                 small.chunk("4", "s_0", [(6, 9, 90)], indexed=indexed)]
        want = [(7, 0, 11), (5, 0, 30), (2, 0, 51), (4, 2, 90)]
        equal("chunks of a folder, index %d" % indexed, losses(path(small.name)), want)
        equal("chunks by name", losses(parts[4], parts[1], parts[0]), want)
        told = stats(path(small.name))
        equal("totals", (told["lost"], told["packets_overwritten"]), (18, 2))
        equal("from the second chunk on", losses(path(small.name), options=("--from", "1970-01-01T00:00:00.00000004")),
              want[2:])
        equal("the second chunk alone", losses(parts[1]), [(5, 0, 50), (9, 0, 51)])
    # Without a UUID the folders are different traces; without an instance the name tells the stream.
    other = Small("no_uuid", uuid=False)
    other.chunk("1", "s_0", [(0, 5, 10)])
    other.chunk("2", "s_0", [(2, 5, 50)])
    equal("without UUID", losses(path(other.name)), [(5, 0, 10), (5, 0, 50)])
    other = Small("no_instance", instance=False)
    other.chunk("1", "s_0", [(0, 5, 10)])
    other.chunk("1", "s_1", [(1, 3, 20)])
    other.chunk("2", "s_0", [(2, 6, 50)])
    other.chunk("2", "s_1", [(2, 4, 60)])
    equal("without instance", losses(path(other.name)), [(5, 0, 10), (3, 0, 20), (1, 1, 50), (1, 0, 60)])


def rotate(lttng, name, program, channel, burst):
    """The folder of a session that was rotated while its program ran, and between two of its runs."""
    output = os.path.join(lttng.home, "trace-" + name)
    lttng.lttng("create", name, "--output=" + output)
    lttng.lttng("enable-channel", "--userspace", "--session=" + name, *channel, "ch")
    lttng.lttng("enable-event", "--userspace", "--session=" + name, "--channel=ch", "sonde_test:*")
    lttng.lttng("start", name)
    lttng.run(program, "50", burst)
    lttng.lttng("rotate", name)
    running = lttng.start(program, "50", burst)
    lttng.lttng("rotate", name)
    running.wait(PATIENCE)
    lttng.lttng("rotate", name)
    lttng.run(program, "50", burst)
    lttng.lttng("stop", name)
    lttng.lttng("destroy", name)
    return output


def sessions():
    made = ust_program()
    lttng = Lttng()
    ust = lttng.program(made)
    for name, channel, burst in (("whole", (), "2000"), ("discard", ("--discard", *TINY), "60000"),
                                 ("overwrite", ("--overwrite", *TINY), "60000"),
                                 ("pieces", ("--discard", "--tracefile-size=8192", *TINY), "60000"),
                                 ("pids", ("--discard", "--buffers-pid", *TINY), "60000")):
        output = rotate(lttng, name, ust, channel, burst)
        folders = [folder for folder, unused, files in os.walk(output) if "metadata" in files]
        check(len(folders) > 2, "%s: %s" % (name, folders))
        ours = compare_trace(output, quiet=False)
        told = stats(output)
        equal("%s: events" % name, told["events"], len(ours))
        check(told["lost"] > 0 or name in ("whole", "overwrite"), "%s: nothing was lost" % name)
        if name != "overwrite":
            # Two threads, six tracepoints in each of 50 rounds and a burst: three runs.
            equal("%s: recorded and lost" % name, told["events"] + told["lost"], 3 * 2 * (300 + int(burst)))


def main():
    small_traces()
    sessions()
    finish()


main()
