#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""More streams than files may be open, in one trace and in many (one for each process): all events are read, in the
order of time, and a stream that has nothing to show yet takes little memory."""
import os
import resource
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kern"))
from harness import SONDE, check, equal, finish, path  # noqa: E402

FILES = 64  # the hard limit
STREAMS = 1000
METADATA = """/* CTF 1.8 */
typealias integer { size = 8; align = 8; } := u8;
typealias integer { size = 32; align = 8; } := u32;
typealias integer { size = 64; align = 8; } := u64;
trace { major = 1; minor = 8; byte_order = le; packet.header := struct { u32 magic; u32 stream_id; }; };
env { vpid = %d; procname = "p"; };
clock { name = c; freq = 1000000000; };
typealias integer { size = 64; align = 8; map = clock.c.value; } := ts;
stream { id = 0; packet.context := struct { ts timestamp_begin; ts timestamp_end; u64 content_size; u64 packet_size; };
	event.header := struct { u8 id; ts timestamp; }; };
event { id = 0; name = e; stream_id = 0; fields := struct { u32 v; }; };
"""


def packet(times, value):
    body = b"".join(struct.pack("<BQI", 0, time, value) for time in times)
    bits = 8 * (40 + len(body))
    return struct.pack("<II4Q", 0xC1FC1FC1, 0, times[0], times[-1], bits, bits) + body


def trace(name, numbers, vpid=0):
    """Stream I has two packets, with two events each."""
    os.makedirs(path(name))
    with open(os.path.join(path(name), "metadata"), "w", encoding="ascii") as file:
        file.write(METADATA % vpid)
    for i in numbers:
        with open(os.path.join(path(name), "s%d" % i), "wb") as file:
            file.write(packet([1000 * i, 1000 * i + 1], i) + packet([50000000 + 1000 * i, 50000001 + 1000 * i], i))


def times_of(streams):
    return sorted(time for i in range(streams) for time in (1000 * i, 1000 * i + 1, 50000000 + 1000 * i, 50000001 + 1000 * i))


def read(name, streams):
    """KiB of memory."""
    child = subprocess.Popen([SONDE, "print", "-j", "1", "-f", "csv", "--fields", "time", path(name)],
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                             preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (FILES, FILES)))
    out = child.stdout.read()
    error = child.stderr.read()
    unused, status, used = os.wait4(child.pid, 0)
    equal("%s: %s" % (name, error), os.waitstatus_to_exitcode(status), 0)
    equal("%s: times" % name, [int(line) for line in out.split()[1:]], times_of(streams))
    return used.ru_maxrss


def main():
    trace("one", range(STREAMS))
    read("one", STREAMS)
    for i in range(STREAMS // 4):
        trace("processes/%d" % i, range(4 * i, 4 * i + 4), i)
    read("processes", STREAMS)
    # What each stream more takes.
    trace("few", range(3000))
    trace("all", range(10000))
    few, every = read("few", 3000), read("all", 10000)
    print("%.1f KiB a stream, %d KiB of 10,000" % ((every - few) / 7000, every))
    check(every - few <= 8 * 7000, "%d KiB more of 7,000 streams more" % (every - few))
    finish()


main()
