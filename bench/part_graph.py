# SPDX-License-Identifier: BSD-2-Clause
"""graph: pictures of many snapshots of a TCP connection, in a file of the PSC kernel monitor, for Sonde and
gnuplot, which reads such records in binary too."""
import shutil
import struct

from figures import interleave, median
from part_read import speedup, timed
from workbench import SONDE, Failure

SNAPSHOTS = 10_000_000
PIECE = 100_000
HEAD = 32 * 16 + 8 * 4 + 4
ENTRY = struct.Struct('<5I2s2s10I')
COLUMNS = (('seq_no', 4, 0, 0), ('time', 8, 0, 0), ('callvalue', 4, 0, 0), ('location', 4, 0, 0),
           ('lport', 2, 2, 1), ('rport', 2, 2, 1), ('snd_cwnd', 4, 2, 0), ('snd_max', 4, 2, 0),
           ('snd_fack', 4, 2, 0), ('sb_hiwat', 4, 2, 0), ('snd_sb_cc', 4, 2, 0),
           ('rcv_sb_cc', 4, 2, 0), ('sb_target_hiwat', 4, 2, 0), ('sb_net_target', 4, 2, 0),
           ('hiwat_fair_share', 4, 2, 0), ('m_clused', 4, 1, 0))


def record(kind, data=b''):
    return struct.pack('>HH', kind, 4 + len(data)) + data


def head():
    """Of entries in little order: what each column is, how long an entry."""
    found, at = record(2, b'bench\0\0\0') + record(3, struct.pack('>HH', ENTRY.size, 0)), 0
    for name, length, scope, flags in COLUMNS:
        found += record(4, struct.pack('>24sHBBHH', name.encode(), at, length, scope, 0, flags))
        at += length
    return found + record(0)


def make_file(path):
    """A window that grows and is halved, a snapshot each 10 us."""
    ports = struct.pack('>H', 1055), struct.pack('>H', 5050)
    with open(path, 'wb') as file:
        file.write(head())
        for first in range(0, SNAPSHOTS, PIECE):
            file.write(b''.join(
                ENTRY.pack(i, 1_700_000_000 + i // 100_000, i % 100_000 * 10, 0, 1, *ports,
                           20_000 + i % 70_001, i * 1448 & 0xffffffff, 0, 1 << 20, 0, 0, 0, 0, 0, 0)
                for i in range(first, first + PIECE)))
    return len(head())


def script(path, skip, out):
    columns = '%uint32' * 5 + '%uint16' * 2 + '%uint32' * 10
    return (f'set terminal svg; set output "{out}"; plot "{path}" binary skip={skip} '
            f'record={SNAPSHOTS} endian=little format="{columns}" '
            f'using ($2+$3*1e-6-1.7e9):8 with lines')


def measure(bench, rounds, say):
    if not shutil.which('gnuplot'):
        raise Failure('gnuplot is not installed')
    path, out = bench.path('snapshots.pm'), bench.path('picture.svg')
    skip = make_file(path)
    commands = {
        'pmgraph': [SONDE, 'pmgraph', str(path), '-p', '1055.5050', '-c', '-o', str(out)],
        'sonde graph': [SONDE, 'graph', str(path), '-f', 'snd_cwnd', '-o', str(out)],
        'sonde graph --heat': [SONDE, 'graph', str(path), '--heat', 'snd_cwnd', '-o', str(out)],
        'sonde graph --hist': [SONDE, 'graph', str(path), '--hist', 'snd_cwnd', '-o', str(out)],
        'gnuplot': ['gnuplot', '-e', script(path, skip, out)],
    }
    results = interleave(list(commands), rounds, lambda name: {
        **timed(bench, commands[name]), 'bytes': out.stat().st_size}, say)
    return {
        'snapshots': SNAPSHOTS,
        'file_bytes': path.stat().st_size,
        'ways': {name: {key: median([one[key] for one in found]) for key in found[0]}
                 for name, found in results.items()},
        'speedup': speedup(results, 'sonde graph', 'gnuplot'),
    }
