# SPDX-License-Identifier: BSD-2-Clause
"""pcap: what is Rx debug in a large capture: `sonde print`, tshark and tcpdump, of the same file."""
import shutil
import struct
import subprocess
import time

from figures import interleave, median
from workbench import ROOT, SONDE, Failure

PACKETS = 1_000_000
SEED = ROOT / 'tests' / 'golden' / 'data' / 'rx_debug.pcap'
CALL_AT = 50  # of the number of the request, from the begin of an Ethernet frame
LIMIT = 900


def load(name):
    data, at, frames = name.read_bytes(), 24, []
    while at < len(data):
        captured, = struct.unpack_from('<I', data, at + 8)
        frames.append(data[at + 16:at + 16 + captured])
        at += 16 + captured
    return data[:24], frames


def write_capture(path):
    """A real capture again and again, each time with other numbers, a packet each microsecond."""
    head, frames = load(SEED)
    with open(path, 'wb') as file:
        file.write(head)
        for number in range(PACKETS):
            frame = bytearray(frames[number % len(frames)])
            call, = struct.unpack_from('>I', frame, CALL_AT)
            struct.pack_into('>I', frame, CALL_AT, call + number // len(frames) * 1000 & 0xffffffff)
            file.write(struct.pack('<IIII', 1700000000 + number // 1000000, number % 1000000, len(frame),
                                   len(frame)) + frame)


def timed(bench, command):
    began = time.monotonic()
    process = bench.start(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    if process.wait(LIMIT):
        raise Failure(f'{" ".join(command[:4])}: {process.stderr.read()[-300:]}')
    return time.monotonic() - began


def measure(bench, rounds, say):
    if not shutil.which('tshark'):
        raise Failure('tshark is not installed')
    capture = str(bench.path('capture.pcap'))
    write_capture(capture)
    say('written')
    ways = {
        'sonde': [SONDE, 'print', capture],
        'sonde json': [SONDE, 'print', '--format', 'json', capture],
        'sonde stats': [SONDE, 'stats', capture],
        'tshark': ['tshark', '-n', '-r', capture],
        'tshark filtered': ['tshark', '-n', '-r', capture, '-Y', 'rx.type == 8 || rx.type == 13'],
        'tcpdump': ['tcpdump', '-n', '-r', capture],
    }
    results = interleave(list(ways), rounds, lambda way: timed(bench, ways[way]), say)
    return {
        'packets': PACKETS,
        'seconds': {way: median(found) for way, found in results.items()},
        'min_seconds': {way: min(found) for way, found in results.items()},
    }
