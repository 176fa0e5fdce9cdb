#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""magnet.py FOLDER: writes a MAGNeT file of each layout, as sonde-magnet(5) describes it.

It shares nothing with the program under test. Every file holds the same records: each event once,
losses, an event that nobody knows, one that comes late; then room for three more. What means nothing
(padding, the rest of the data field) is filled with 0xaa, which a copy has to keep.
"""
import pathlib
import struct
import sys

SYSINFO, LOST = 0x01234567, 0x01234568
RATE = 866000000
WALL = 1000212000  # 2001-09-11, in seconds
START = 5000000
JUNK = b"\xaa"

TCP, UDP, IP, NONE = "tcp", "udp", "ip", "none"
EVENTS = (TCP, TCP, UDP, IP, IP, IP, IP, IP, IP, IP, TCP, UDP, TCP, TCP, IP)  # 1 to 15


def tcp_data(order, wide, i):
    """struct magnet_tcp of the seed: two ports, ten longs, eight bits from the first byte on."""
    longs = [65535 + i, 800 * i, 204000 + i, i, i // 2, 2147483647, 10 + i, 29200,
             4294967295 - i, 1000000007 * i % 4294967296]
    flags = 1 << i % 8 | 0x10
    bits = flags if order == "<" else int(format(flags, "08b")[::-1], 2)
    return (struct.pack(order + "HH", 40000 + i, 5201) + JUNK * (4 if wide else 0) +
            struct.pack(order + ("10Q" if wide else "10I"), *longs) + bytes([bits]) +
            JUNK * (7 if wide else 3))


def data(order, wide, member, i):
    """The union, 48 or 96 bytes."""
    size = 96 if wide else 48
    if member == TCP:
        made = tcp_data(order, wide, i)
        assert len(made) == size
    elif member == UDP:
        made = struct.pack(order + "HH", 53000 + i, 53)
    elif member == IP:
        made = struct.pack(order + "BBHHBB", 4, 0x10 + i, 10000 + i, 0x4000, 64 - i, 6)
    else:
        made = b""
    return made + JUNK * (size - len(made))


class File:
    """Records of one layout."""

    def __init__(self, order, wide, has_data):
        self.order, self.wide, self.has_data = order, wide, has_data
        self.bytes = b""

    def add(self, sockid, timestamp, event, size, member=NONE, i=0):
        self.bytes += struct.pack(self.order + ("Q" if self.wide else "I"), sockid)
        self.bytes += struct.pack(self.order + "QIi", timestamp, event, size)
        if self.has_data:
            self.bytes += data(self.order, self.wide, member, i)

    def lose(self, timestamp, count):
        """Of these a copy keeps no more than what they say: no junk."""
        self.bytes += struct.pack(self.order + ("Q" if self.wide else "I"), 0)
        self.bytes += struct.pack(self.order + "QIi", timestamp, LOST, count)
        self.bytes += bytes((96 if self.wide else 48) if self.has_data else 0)

    def leave(self, count):
        self.bytes += bytes((24 if self.wide else 20) * count)
        if self.has_data:
            self.bytes += bytes((96 if self.wide else 48) * count)


def make(order, wide, has_data):
    file = File(order, wide, has_data)
    socket = 0xc1234500
    file.add(WALL, START, SYSINFO, RATE)
    at = START + RATE // 2
    for number, member in enumerate(EVENTS, 1):
        at += 1001 * number
        size = -104 if number == 7 else 100 * number
        file.add(socket + number % 3, at, number, size, member, number)
    file.lose(at + 5, 3)
    file.lose(at + 6, 0)
    file.add(socket, at + 10, 777, 42)
    file.add(socket, at + 4, 2, 1460, TCP, 3)  # late
    file.add(socket, at + 3 * RATE, 14, 2147483647, TCP, 4)
    file.leave(3)
    return file.bytes


def main():
    folder = pathlib.Path(sys.argv[1])
    for order, order_name in (("<", "le"), (">", "be")):
        for wide in (False, True):
            for has_data in (False, True):
                name = order_name + ("64" if wide else "32") + ("+data" if has_data else "")
                (folder / (name + ".magnet")).write_bytes(make(order, wide, has_data))


if __name__ == "__main__":
    main()
