#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""make_pm.py FOLDER: .pm files as the PSC report (CMU-PSC-TR-2000-0001) has them, in every byte
order, and damaged ones. Written from the report alone; shares nothing with the program under test.
"""
import pathlib
import struct
import sys

END, MODS, VERSION, ENTRY_SIZE, COLUMN, ENDIAN, MCLSIZE = range(7)
LITTLE, BIG, PDP = range(3)
MONITOR, SYSTEM, CONNECTION = range(3)
HOST, NETWORK, BITS = range(3)
RENO, SACK, FACK, AUTO = 1, 2, 4, 8


def record(kind, data=b''):
    return struct.pack('>HH', kind, 4 + len(data)) + data


def short(value):
    """struct _pm_mods, struct _pm_tes: a number and two bytes that fill the word."""
    return struct.pack('>HH', value, 0)


def column(name, offset, length, scope=CONNECTION, mask=0, flags=HOST):
    return record(COLUMN, struct.pack('>24sHBBHH', name.encode(), offset, length, scope, mask, flags))


def integer(value, length, order):
    """An integer of an entry, in its order."""
    value &= (1 << 8 * length) - 1
    if order == LITTLE or length == 1:
        return value.to_bytes(length, 'little')
    if order == BIG:
        return value.to_bytes(length, 'big')
    words = [value >> 16 * i & 0xffff for i in range(length // 2)]
    return b''.join(word.to_bytes(2, 'little') for word in reversed(words))


# struct tpm_entry on a machine whose longs have 4 bytes: name, bytes, scope, mask, flags.
CLASSIC = [
    ('seq_no', 4, MONITOR, 0, HOST),
    ('time', 8, MONITOR, 0, HOST),
    ('callvalue', 4, MONITOR, 0, HOST),
    ('location', 4, MONITOR, 0, HOST),
    ('lport', 2, CONNECTION, 0, NETWORK),
    ('rport', 2, CONNECTION, 0, NETWORK),
    ('snd_cwnd', 4, CONNECTION, 0, HOST),
    ('snd_max', 4, CONNECTION, 0, HOST),
    ('snd_fack', 4, CONNECTION, FACK, HOST),
    ('sb_hiwat', 4, CONNECTION, 0, HOST),
    ('snd_sb_cc', 4, CONNECTION, 0, HOST),
    ('rcv_sb_cc', 4, CONNECTION, 0, HOST),
    ('sb_target_hiwat', 4, CONNECTION, AUTO, HOST),
    ('sb_net_target', 4, CONNECTION, AUTO, HOST),
    ('hiwat_fair_share', 4, CONNECTION, AUTO, HOST),
    ('m_clused', 4, SYSTEM, 0, HOST),
]


class Table:
    """Columns laid out one behind the other, and entries of them."""

    def __init__(self, columns, order, unused=()):
        self.order = order
        self.columns = []
        self.size = 0
        for name, length, scope, mask, flags in columns:
            length = 0 if name in unused else length
            self.columns.append((name, self.size, length, scope, mask, flags))
            self.size += length

    def head(self, before=(), descriptions=None, size=None, order=None):
        order = self.order if order is None else order
        columns = [column(*c) for c in self.columns] if descriptions is None else descriptions
        return b''.join([*before, record(ENTRY_SIZE, short(self.size if size is None else size)),
                         record(ENDIAN, struct.pack('>I', order)), *columns, record(END)])

    def entry(self, values):
        parts = []
        for name, _, length, _, _, flags in self.columns:
            value = values.get(name, 0)
            if name == 'time' and length:
                half = length // 2
                parts += [integer(part, half, self.order) for part in value]
            elif isinstance(value, bytes):
                parts.append(value.ljust(length, b'\0'))
            else:
                parts.append(integer(value, length, BIG if flags == NETWORK else self.order))
        return b''.join(parts)


# Values of which each byte is told from the others.
def snapshot(seq_no):
    return {
        'seq_no': seq_no, 'time': (920669521, 123456 + 1000 * seq_no), 'callvalue': 0x01020304,
        'location': 1017 + seq_no, 'lport': 1055 + seq_no % 3, 'rport': 5050 + seq_no % 3,
        'snd_cwnd': 1460 * seq_no, 'snd_max': 0xfffe0000 + 1460 * seq_no, 'snd_fack': 0xfffd0000,
        'sb_hiwat': 0x00012345, 'snd_sb_cc': 40000 - seq_no, 'rcv_sb_cc': seq_no,
        'sb_target_hiwat': 0x10203040, 'sb_net_target': 0x50607080, 'hiwat_fair_share': 0x90a0b0c0,
        'm_clused': 300 + seq_no,
    }


def classic(order, seqs=(7, 8, 9, 13, 14)):
    table = Table(CLASSIC, order)
    before = [record(MODS, short(SACK | FACK | AUTO)), record(VERSION, b'0.9'.ljust(8, b'\0')),
              record(MCLSIZE, struct.pack('>I', 2048))]
    return table.head(before) + b''.join(table.entry(snapshot(n)) for n in seqs)


def defaults():
    """Neither modes nor byte order told; columns that a Reno kernel does not use."""
    table = Table(CLASSIC, LITTLE, unused=('snd_fack', 'sb_net_target', 'hiwat_fair_share'))
    head = b''.join([record(ENTRY_SIZE, short(table.size)), *(column(*c) for c in table.columns),
                     record(END)])
    return head + b''.join(table.entry(snapshot(n)) for n in (1, 2))


def strange(order):
    """Kinds and columns that nobody knows, all lengths, long times, a hole in the entry."""
    columns = [
        ('time', 16, MONITOR, 0, HOST), ('seq_no', 8, MONITOR, 0, HOST),
        ('lport', 2, CONNECTION, 0, HOST), ('rport', 2, CONNECTION, 0, HOST),
        ('byte', 1, CONNECTION, 0, HOST), ('word', 2, SYSTEM, 0, HOST),
        ('long', 4, CONNECTION, 0, HOST), ('quad', 8, CONNECTION, 0, HOST),
        ('net_quad', 8, CONNECTION, 0, NETWORK), ('label', 5, CONNECTION, 0, BITS),
        ('three', 3, CONNECTION, 0, HOST), ('odd name!', 4, CONNECTION, 0, HOST),
        ('twenty-four_letters_long', 4, 9, 0, HOST), ('later', 4, CONNECTION, 0, 7),
    ]
    table = Table(columns, order)
    table.size += 3
    before = [record(0x7001, b'something else'), record(MODS, short(RENO)), record(0xffff)]
    values = {'time': (920669521, 654321), 'lport': 1055, 'rport': 5050, 'byte': 0xa1,
              'word': 0xb1b2, 'long': 0xc1c2c3c4, 'quad': 0xd1d2d3d4d5d6d7d8,
              'net_quad': 0xe1e2e3e4e5e6e7e8, 'label': b'fine', 'three': b'\1\2\3',
              'odd name!': 17, 'twenty-four_letters_long': 24, 'later': b'\4\3\2\1'}
    body = b''.join(table.entry(dict(values, seq_no=n)) + b'abc' for n in (1 << 40, (1 << 40) + 1))
    return table.head(before) + body


def masked(order):
    """Columns that a Reno kernel does not use but has bytes of, between, in front of and behind those that it
    uses; of some an integer in each order; names with dots and of the same letters."""
    columns = [
        ('snd_fack', 4, CONNECTION, FACK, HOST), ('time', 8, MONITOR, 0, HOST),
        ('tcp.snd.cwnd', 4, CONNECTION, 0, HOST), ('sb.target', 8, CONNECTION, AUTO, HOST),
        ('raw.sack', 3, CONNECTION, SACK, BITS), ('byte', 1, CONNECTION, RENO, HOST),
        ('rport', 2, CONNECTION, 0, NETWORK), ('lport', 2, CONNECTION, 0, NETWORK),
        ('name.of.it', 6, CONNECTION, 0, BITS), ('tcp_snd_cwnd', 4, CONNECTION, SACK | FACK, HOST),
        ('seq_no', 8, MONITOR, 0, HOST), ('m.clused', 2, SYSTEM, AUTO, NETWORK),
    ]
    table = Table(columns, order)
    before = [record(VERSION, b'0.8'.ljust(8, b'\0')), record(0x7002, b'odd'), record(MODS, short(RENO))]
    values = {'snd_fack': 0x11121314, 'tcp.snd.cwnd': 0x21222324, 'sb.target': 0x3132333435363738,
              'raw.sack': b'\xff\0\xfe', 'byte': 0x41, 'rport': 5050, 'lport': 1055, 'name.of.it': b'a.b',
              'tcp_snd_cwnd': 0x51525354, 'm.clused': 0x6162}
    body = b''.join(table.entry(dict(values, seq_no=n, time=(920669521, n))) for n in (4, 5, 8, 9))
    return table.head(before) + body


def wrap():
    """One connection that sends 128 KiB a ms, from 200 KiB in front of where sequence numbers begin anew."""
    table = Table(CLASSIC, LITTLE)
    first = (1 << 32) - 200 * 1024
    rows = (table.entry(dict(snapshot(n), lport=1055, rport=5050, snd_fack=first + (n - 1) * 131072,
                             snd_max=first + n * 131072)) for n in range(1, 9))
    return table.head([record(MODS, short(FACK))]) + b''.join(rows)


def tiny():
    """Every kind of record, few columns, two entries."""
    table = Table([CLASSIC[0], CLASSIC[1], CLASSIC[4]], PDP)
    before = [record(MODS, short(RENO)), record(VERSION, b'0.9'.ljust(8, b'\0')),
              record(0x7001, b'xyz'), record(MCLSIZE, struct.pack('>I', 2048))]
    return table.head(before) + b''.join(table.entry(snapshot(n)) for n in (1, 2))


def extremes():
    """The least and the greatest that there are."""
    table = Table([('seq_no', 8, MONITOR, 0, HOST), ('time', 16, MONITOR, 0, HOST),
                   ('lport', 2, CONNECTION, 0, NETWORK), ('rport', 2, CONNECTION, 0, NETWORK),
                   ('snd_cwnd', 8, CONNECTION, 0, HOST), ('m_clused', 8, SYSTEM, 0, HOST)], BIG)
    times = (-1 << 63, 0), (-1, 999999), (0, 0), (1 << 40, -1), ((1 << 63) - 1, (1 << 63) - 1)
    body = (table.entry({'seq_no': i << 62, 'time': time, 'lport': 65535, 'snd_cwnd': -i,
                         'm_clused': -1}) for i, time in enumerate(times))
    return table.head([record(MCLSIZE, struct.pack('>I', 0xffffffff))]) + b''.join(body)


def one(layout, descriptions=None, **head):
    """One entry, with something wrong in the head."""
    table = Table(CLASSIC, layout)
    return table.head(descriptions=descriptions and descriptions(table), **head) + \
        table.entry(snapshot(1))


def changed(which, **fields):
    """The descriptions with those of column @which changed."""
    keys = ('name', 'offset', 'length', 'scope', 'mask', 'flags')

    def describe(table):
        return [column(**{**dict(zip(keys, c)), **(fields if c[0] == which else {})})
                for c in table.columns]
    return describe


def files():
    little = classic(LITTLE)
    yield 'little', little
    yield 'big', classic(BIG)
    yield 'pdp', classic(PDP)
    yield 'defaults', defaults()
    yield 'strange_little', strange(LITTLE)
    yield 'strange_big', strange(BIG)
    yield 'strange_pdp', strange(PDP)
    for name, order in ('little', LITTLE), ('big', BIG), ('pdp', PDP):
        yield f'masked_{name}', masked(order)
    yield 'tiny', tiny()
    yield 'wrap', wrap()
    yield 'no_entries', classic(BIG, ())
    yield 'bad_beyond', one(LITTLE, changed('m_clused', offset=61))
    yield 'bad_far_beyond', one(BIG, changed('m_clused', offset=65535, length=255))
    yield 'bad_overlap', one(LITTLE, changed('snd_max', offset=24))
    yield 'bad_twice', one(LITTLE, changed('snd_max', name='snd_cwnd'))
    yield 'bad_time', one(LITTLE, changed('time', length=6))
    yield 'bad_time_integer', one(LITTLE, changed('time', length=4))
    yield 'bad_zero_size', one(LITTLE, size=0)
    yield 'bad_no_size', little.replace(record(ENTRY_SIZE, short(64)), b'')
    yield 'bad_order', one(LITTLE, order=3)
    yield 'bad_length_short', little.replace(struct.pack('>HH', COLUMN, 36),
                                             struct.pack('>HH', COLUMN, 3), 1)
    yield 'bad_length_long', little.replace(struct.pack('>HH', COLUMN, 36),
                                            struct.pack('>HH', COLUMN, 72), 1)
    yield 'bad_cut_entry', little[:-1]
    yield 'bad_cut_head', little[:200]
    yield 'bad_extremes', extremes()
    yield 'bad_size', one(LITTLE, size=65535)


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files():
        (folder / f'{name}.pm').write_bytes(content)


if __name__ == '__main__':
    main()
