# SPDX-License-Identifier: BSD-2-Clause
"""live: sonde serve beside lttng-relayd, with the same bytes to the same viewer over loopback, and many viewers
at once."""
import pathlib
import shutil
import time

import live_ingest
import live_watched
from figures import interleave, median
from live_peers import Ours, Relayd, Viewer, make_trace, timed
from workbench import Failure

PACKET = 1 << 20
PACKETS = 1024
PIECE = 4096
AHEAD = 64
PIECE_PACKETS = 128
VIEWERS = 500
SMALL_PACKETS = 16


def private_bytes(pid):
    text = pathlib.Path(f'/proc/{pid}/smaps_rollup').read_text(encoding='ascii')
    return sum(int(line.split()[1]) << 10 for line in text.splitlines()
               if line.startswith('Private_Dirty:'))


def many(bench):
    """Viewers that are all there before the first of them reads."""
    ours = Ours(bench, make_trace(bench.path('small'), SMALL_PACKETS, PACKET))
    before = private_bytes(ours.process.pid)
    viewers = [Viewer(ours.port) for unused in range(VIEWERS)]
    idle = (private_bytes(ours.process.pid) - before) / VIEWERS
    start, total = time.monotonic(), 0
    for unused in range(SMALL_PACKETS):
        total += sum(viewer.read_whole(1) for viewer in viewers)
    found = {'viewers': VIEWERS, 'idle_bytes': idle, 'bytes': total,
             'gb_per_second': total / (time.monotonic() - start) / 1e9,
             'complete': sum(viewer.packet() is None for viewer in viewers)}
    for viewer in viewers:
        viewer.close()
    return found


def figures(found):
    return {'gb_per_second': median([one['amount'] / one['seconds'] for one in found]) / 1e9,
            'cpu_ns_per_byte': median([one['cpu_ns'] / one['amount'] for one in found])}


def measure(bench, rounds, say):
    if not shutil.which('lttng-relayd'):
        raise Failure('lttng-tools are not installed')
    trace = make_trace(bench.path('trace'), PACKETS, PACKET)
    servers = {'sonde': Ours(bench, trace), 'lttng-relayd': Relayd(bench, trace, PACKET)}
    say('the trace is at both')
    whole = interleave(list(servers), rounds, lambda name: timed(
        servers[name], lambda viewer: viewer.read_whole(PACKETS)), say)
    pieces = interleave(list(servers), rounds, lambda name: timed(
        servers[name], lambda viewer: viewer.read_pieces(PIECE_PACKETS, PIECE, AHEAD)), say)
    return {
        'bytes': PACKETS * PACKET,
        'whole': {name: figures(found) for name, found in whole.items()},
        'pieces_per_second': {name: median([one['amount'] / one['seconds'] for one in found])
                              for name, found in pieces.items()},
        'many': many(bench),
        **live_ingest.measure(bench, rounds, say),
        'watched': live_watched.measure(bench, rounds, say),
    }
