# SPDX-License-Identifier: BSD-2-Clause
"""make_meas.py big|little 1.0|1.1|2.0|3.0 narrow|wide [EXTRA]: a measurement-system file on stdout,
with every record of the release, made from sonde-meas(5) and nothing else.

EXTRA: another version string; "unknown" adds a record that nobody knows, "lost" one of losses."""
import struct
import sys

VERSION = "Header: iscan.c,v 5.1 26/11/21 00:00:00 sonde Exp"
SECOND = 573842983  # in March 1988
CPU = 1


class File:
    def __init__(self, order, release, wide, version=VERSION):
        self.order = {"big": ">", "little": "<"}[order]
        self.release = tuple(int(part) for part in release.split("."))
        self.wide = wide
        self.time_ns = SECOND * 10**9 + 104523 * 1000
        major, minor = self.release
        self.bytes = b"\x8dMEAS\r\n\x1a" + self.pack("IHHII", 0x01020304, 128, major << 8 | minor,
                                                    1 if wide else 0, 0)
        self.bytes += version.encode("ascii").ljust(104, b"\0")

    def pack(self, form, *values):
        return struct.pack(self.order + form, *values)

    def words(self, values):
        return b"".join(self.pack("I", value & 0xffffffff) for value in values)

    def record(self, number, words, whole=(), part=0, tid=4711, text=None):
        """`whole`: (value, words) of the wide part, behind the common ones."""
        narrow = text if text is not None else self.words(words)
        wide = b""
        if self.wide:
            wide = self.words([self.time_ns >> 32, self.time_ns, CPU, tid])
            for value, count in whole:
                wide += self.words([value >> 32, value][2 - count:])
        self.bytes += self.pack("HBBHH", number, part, 0, len(narrow) // 4, len(wide) // 4)
        self.bytes += narrow + wide

    def time(self):
        """The next moment, as two words. Of files with wide parts it is not a whole microsecond."""
        self.time_ns += 1000250 if self.wide else 1000000
        return [self.time_ns // 10**9, self.time_ns % 10**9 // 1000]

    def process(self, number, pid, pri, junk=0, more=(), whole=()):
        time = self.time()
        self.record(number, time + [(pid & 0xffff) << 16 | (pri & 0xff) << 8 | junk, *more],
                    [(pid, 1), (pri, 1), *whole], tid=pid)

    def disc(self, number, cylinder, read, device=0x0503, block=123456, request=0xbeef):
        time = self.time()
        self.record(number, time + [8192, device, block, cylinder, read],
                    [(block + (1 << 32), 2), (5, 1), (3, 1), (request, 1)])

    def cache(self, number, hit, block):
        time = self.time()
        self.record(number, time + [4096, 0x0802, block, hit],
                    [(block, 2), (8, 1), (2, 1), (1 << 40 | 77, 2)])


def scheduling(file):
    file.process(1, 1, 2, junk=0x14, more=[1, 0xdeadbeef], whole=[(0xffff8000deadbeef, 2)])
    file.process(2, 4711, 120, more=[0x81234567], whole=[(0xffffffff81234567, 2)])
    file.process(3, 4711, 120, junk=22)
    file.process(4, 65535, 255)
    file.process(5, 1, 0)
    if file.wide:
        file.process(5, 70000, -1)  # more than 16 bits, and below all priorities
    file.process(6, 4711, 139)
    time = file.time()
    file.record(7, [4712 << 16 | 0xabc], [(4712, 1)], part=0, tid=4712)
    for name in (b"cc", b"sh", b"sixteen-letters.", b"x" * 255, b""):
        file.record(7, [], part=1, tid=4712, text=name + b"\0" * (-len(name) % 4))
    file.record(7, time, part=2, tid=4712)
    file.process(8, 4712, 100)


def filesystem(file):
    if file.release < (3, 0):
        for number in [16] + ([48] if file.release > (1, 0) else []):
            file.disc(number, 0, 1)
            file.disc(number, 8, 1)
            file.disc(number, 0, 0)
            file.disc(number, 4000000000, 0)
    else:
        for number in (82, 83, 84, 85, 86, 87):
            file.disc(number, 8, number & 1)
    for number, hit in ((18, 1), (19, 0), (20, 1), (21, 0), (22, 0)):
        file.cache(number, hit, number)
    if file.release >= (2, 0):
        for queue in ([7], [-7, 3, 9], list(range(-500, 500))):
            time = file.time()
            file.record(64, time + [queue[0], max(len(queue), 1200 * (len(queue) > 999)), *queue],
                        [(8, 1), (16, 1)])


def sampler(file):
    for pid, state in ((4711, 0), (4711, 1), (1, 2), (-1, 3)):
        time = file.time()
        file.record(32, [pid, 0x40161d, state] + time, [(0x55550040161d, 2), (2, 1)], tid=max(pid, 0))


def calls(file):
    args = [1, 0x7fff00001234, 0xffffffffffffffff, 0, 5, 6]
    time = file.time()
    file.record(80, time + [4711, 1, 0x12345678, *args],
                [(0x7f0012345678, 2)] + [(arg, 2) for arg in args] + [(0, 1)], tid=4711)
    for value in (42, -14):
        time = file.time()
        file.record(81, time + [4711, value, 0], [(value, 2), (1, 1), (0, 1)], tid=4711)


def main():
    order, release, width, *extra = sys.argv[1:]
    version = next((text for text in extra if "iscan" in text), VERSION)
    file = File(order, release, width == "wide", version)
    scheduling(file)
    filesystem(file)
    sampler(file)
    if file.release >= (3, 0):
        calls(file)
    if "unknown" in extra:
        file.time()
        file.record(4000, [1, 2, 0x80000000], [(0x100000002, 2)], part=3)
    if "lost" in extra:
        time = file.time()
        file.record(255, time + [12], [(12, 2), (1, 2), (0, 2), (0, 2), (2, 1)])
    sys.stdout.buffer.write(file.bytes)


if __name__ == "__main__":
    main()
