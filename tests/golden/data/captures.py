#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""captures.py FOLDER: writes rx_debug.pcap, a capture of rxdebug and vlserver 1.8.9, in all other forms that a capture has,
into FOLDER/same, and captures that differ from it, or are no good, into FOLDER/other and FOLDER/bad.

It shares nothing with the program under test.
"""
import pathlib
import struct
import sys

HERE = pathlib.Path(__file__).parent
ETHERNET, RAW, LOOP, SLL, SLL2, NULL, IPV4 = 1, 101, 108, 113, 276, 0, 228


def load(name):
    """[(s, us, frame)]"""
    data, at, packets = name.read_bytes(), 24, []
    while at < len(data):
        s, us, captured, _ = struct.unpack_from("<IIII", data, at)
        packets.append((s, us, data[at + 16:at + 16 + captured]))
        at += 16 + captured
    return packets


def pcap(packets, link=ETHERNET, order="<", magic=0xa1b2c3d4, snaplen=262144):
    factor = 1000 if magic == 0xa1b23c4d else 1
    more = bytes(8) if magic == 0xa1b2cd34 else b""
    out = struct.pack(order + "IHHiIII", magic, 2, 4, 0, 0, snaplen, link)
    for s, us, frame in packets:
        cut = frame[:snaplen]
        out += struct.pack(order + "IIII", s, us * factor, len(cut), len(frame)) + more + cut
    return out


def pad(data):
    return data + bytes(-len(data) % 4)


def block(order, kind, body):
    length = 12 + len(body)
    return struct.pack(order + "II", kind, length) + body + struct.pack(order + "I", length)


def option(order, code, value):
    return struct.pack(order + "HH", code, len(value)) + pad(value)


def section(order):
    return block(order, 0x0a0d0d0a, struct.pack(order + "IHHq", 0x1a2b3c4d, 1, 0, -1) +
                 option(order, 4, b"captures.py") + option(order, 0, b""))


def interface(order, link, *options):
    return block(order, 1, struct.pack(order + "HHI", link, 0, 0) + b"".join(options))


def enhanced(order, number, ticks, frame):
    return block(order, 6, struct.pack(order + "IIIII", number, ticks >> 32, ticks & 0xffffffff,
                                       len(frame), len(frame)) + pad(frame))


def statistics(order, number, dropped):
    return block(order, 5, struct.pack(order + "III", number, 0, 0) +
                 option(order, 5, struct.pack(order + "Q", dropped)) + option(order, 0, b""))


def ng(packets, order, resolution=None, offset=0):
    """One interface; blocks in between that nobody has to know."""
    per_second = {None: 1000000, 9: 10 ** 9, 0x8a: 1024}[resolution]
    options = [] if resolution is None else [option(order, 9, bytes([resolution]))]
    if offset:
        options.append(option(order, 14, struct.pack(order + "q", offset)))
    out = section(order) + interface(order, ETHERNET, *options, option(order, 0, b""))
    for s, us, frame in packets:
        ticks = (s - offset) * per_second + us * per_second // 1000000
        out += enhanced(order, 0, ticks, frame) + block(order, 0xbad, b"1234")
    return out


def mixed(packets):
    """Two interfaces of two kinds, in turn, in the order of whoever wrote it; then a section of its own."""
    half, out = len(packets) // 2, section("<") + interface("<", ETHERNET) + interface("<", SLL)
    for i, (s, us, frame) in enumerate(packets[:half]):
        ticks = s * 1000000 + us
        out += enhanced("<", i % 2, ticks, sll(frame) if i % 2 else frame)
    out += section(">") + interface(">", ETHERNET, option(">", 9, b"\x09"))
    for s, us, frame in packets[half:]:
        ticks = (s * 1000000 + us) * 1000
        out += block(">", 2, struct.pack(">HHIIII", 0, 0, ticks >> 32, ticks & 0xffffffff,
                                         len(frame), len(frame)) + pad(frame))
    return out


def ip(frame):
    return frame[14:]


def vlan(frame, *tags):
    between = b"".join(struct.pack(">HH", kind, 0x2000 | i) for i, kind in enumerate(tags))
    return frame[:12] + between + frame[12:]


def sll(frame):
    return struct.pack(">HHH8s", 0, 772, 6, bytes(8)) + frame[12:]


def sll2(frame):
    return frame[12:14] + struct.pack(">HIHBB8s", 0, 1, 772, 0, 6, bytes(8)) + frame[14:]


def options(frame):
    """IPv4 with options."""
    head = bytearray(frame[14:34])
    head[0] = 0x47
    head[2:4] = struct.pack(">H", struct.unpack(">H", head[2:4])[0] + 8)
    return frame[:14] + bytes(head) + b"\x01" * 8 + frame[34:]


def padded(frame):
    """As short frames are on a wire."""
    return frame + b"\x55" * max(0, 100 - len(frame))


def ipv6(frame, extensions=b"", first=17):
    """From and to addresses that end as those of IPv4 do."""
    udp = frame[34:]
    prefix = bytes.fromhex("20010db8") + bytes(8)
    return frame[:12] + struct.pack(">HIHBB", 0x86dd, 0x60000000, len(extensions) + len(udp), first, 64) + \
        prefix + frame[26:30] + prefix + frame[30:34] + extensions + udp


def extended(frame):
    """Hop-by-hop options, and a fragment header of a packet that is whole."""
    return ipv6(frame, bytes([44, 0]) + bytes(6) + bytes([17, 0]) + bytes(6), 0)


def ports(frame):
    """Where no AFS is: not those of clients."""
    udp = bytearray(frame)
    for at in (34, 36):
        port, = struct.unpack_from(">H", udp, at)
        if 7000 <= port <= 7009:
            struct.pack_into(">H", udp, at, port + 24000)
    return bytes(udp)


def is_reply(frame):
    return len(frame) >= 70 and frame[62] in (8, 13) and not frame[63] & 1


def elsewhere(frame):
    """Replies from another address of the server."""
    return frame[:26] + bytes([10, 77, 0, 2]) + frame[30:] if is_reply(frame) else frame


def fragments(frame):
    """In two parts, the second without ports."""
    head, data = frame[14:34], frame[34:]
    cut = 24
    for at, part, flags in ((0, data[:cut], 0x2000), (cut, data[cut:], cut // 8)):
        yield frame[:14] + head[:2] + struct.pack(">HHH", 20 + len(part), 1, flags) + head[8:] + part


def kafs(frame):
    """Who does not know of DEBUG answers so: an ABORT, -5."""
    if not is_reply(frame):
        return frame
    rx = bytearray(frame[42:70])
    rx[20] = 4
    udp = frame[34:38] + struct.pack(">HH", 8 + 32, 0)
    head = frame[14:16] + struct.pack(">H", 60) + frame[18:34]
    return frame[:14] + head + udp + bytes(rx) + struct.pack(">i", -5)


def keepalive(frame):
    """As Rx peers send them to each other: nobody is to answer."""
    rx = struct.pack(">IIIIIBBBBHH", 999, 0, 0, 0, 0, 13, 4, 0, 0, 0, 0) + b"\0"
    return frame[:16] + struct.pack(">H", 57) + frame[18:38] + struct.pack(">HH", 37, 0) + rx


def again(packets):
    """A request three times, its reply twice; then its reply a minute too late, and one that nobody asked for."""
    s, us, ask = next(p for p in packets if p[2][62] == 8 and not is_reply(p[2]))
    _, _, reply = next(p for p in packets if is_reply(p[2]))
    stranger = bytearray(reply)
    stranger[50:54] = b"\0\0\1\2"
    return [(s, us, ask), (s + 1, us, ask), (s + 3, us, ask), (s + 3, us + 700, reply),
            (s + 3, us + 900, reply), (s + 90, us, reply), (s + 91, us, bytes(stranger)),
            (s + 92, us, ask), (s + 200, us, keepalive(ask))]


def malformed(packets):
    s, us, ask = next(p for p in packets if p[2][62] == 8 and not is_reply(p[2]))

    def of(payload):
        return ask[:16] + struct.pack(">H", 28 + len(payload)) + ask[18:38] + \
            struct.pack(">HH", 8 + len(payload), 0) + payload

    rx = ask[42:]
    odd = bytearray(rx[:28] + bytes(100))
    odd[21] = 0
    return [(s, us, of(rx[:20])), (s, us + 1, of(rx[:32])), (s, us + 2, of(bytes(odd))),
            (s, us + 3, of(b""))]


def same(packets):
    def each(change):
        return [(s, us, change(frame)) for s, us, frame in packets]

    yield "big.pcap", pcap(packets, order=">")
    yield "ns.pcap", pcap(packets, magic=0xa1b23c4d)
    yield "ns_big.pcap", pcap(packets, order=">", magic=0xa1b23c4d)
    yield "long.pcap", pcap(packets, magic=0xa1b2cd34)
    yield "checksum.pcap", pcap(each(lambda f: f + bytes(4)), link=0x24000001)
    yield "vlan.pcap", pcap(each(lambda f: vlan(f, 0x8100)))
    yield "qinq.pcap", pcap(each(lambda f: vlan(f, 0x88a8, 0x8100)))
    yield "options.pcap", pcap(each(options))
    yield "padded.pcap", pcap(each(padded))
    yield "raw.pcap", pcap(each(ip), RAW)
    yield "ipv4.pcap", pcap(each(ip), IPV4)
    yield "null.pcap", pcap(each(lambda f: struct.pack("<I", 2) + ip(f)), NULL)
    yield "loop.pcap", pcap(each(lambda f: struct.pack(">I", 2) + ip(f)), LOOP)
    yield "sll.pcap", pcap(each(sll), SLL)
    yield "sll2.pcap", pcap(each(sll2), SLL2)
    yield "little.pcapng", ng(packets, "<")
    yield "big.pcapng", ng(packets, ">")
    yield "ns.pcapng", ng(packets, "<", 9)
    yield "offset.pcapng", ng(packets, ">", 9, 1000000000)
    yield "mixed.pcapng", mixed(packets)


def other(packets):
    def each(change):
        return [(s, us, change(frame)) for s, us, frame in packets]

    some = packets[8:14]
    yield "ipv6.pcap", pcap(each(ipv6))
    yield "ipv6_extended.pcap", pcap(each(extended))
    yield "ports.pcap", pcap(each(ports))
    yield "elsewhere.pcap", pcap(each(elsewhere))
    yield "kafs.pcap", pcap(each(kafs))
    yield "again.pcap", pcap(again(packets))
    yield "malformed.pcap", pcap(malformed(packets))
    yield "fragments.pcap", pcap([(s, us, part) for s, us, frame in some for part in fragments(frame)])
    yield "snaplen60.pcap", pcap(some, snaplen=60)
    yield "snaplen90.pcap", pcap(some, snaplen=90)
    yield "back.pcap", pcap(some[4:] + [(s - 7, us, frame) for s, us, frame in some[:2]])
    yield "dropped.pcapng", ng(some, "<") + statistics("<", 0, 42)
    yield "wifi.pcap", pcap(some, link=105)
    # 1/1024 s is coarse: times are what they can be.
    yield "coarse.pcapng", ng(some, "<", 0x8a)
    simple = section("<") + interface("<", ETHERNET)
    yield "simple.pcapng", simple + b"".join(
        block("<", 3, struct.pack("<I", len(frame)) + pad(frame)) for _, _, frame in some)


def bad(packets):
    whole, blocks = pcap(packets[:2]), ng(packets[:2], "<")
    yield "empty.pcap", b""
    yield "magic_alone.pcap", whole[:4]
    yield "cut_head.pcap", whole[:20]
    yield "head_alone.pcap", whole[:24]
    yield "cut_packet_head.pcap", whole[:-100]
    yield "cut_packet.pcap", whole[:-5]
    yield "huge.pcap", whole + struct.pack("<IIII", 1, 1, 0xffffffff, 60) + bytes(100)
    yield "other_magic.pcap", b"\xa1\xb2\xc3\xd5" + whole[4:]
    yield "cut_block.pcapng", blocks[:-9]
    yield "zero_block.pcapng", blocks + struct.pack("<III", 6, 0, 0)
    yield "odd_block.pcapng", blocks + struct.pack("<III", 6, 13, 0) + bytes(20)
    yield "huge_block.pcapng", blocks + struct.pack("<III", 6, 0xfffffffc, 0)
    yield "no_interface.pcapng", section("<") + enhanced("<", 0, 0, packets[0][2])
    yield "short_interface.pcapng", section("<") + block("<", 1, b"1234")
    yield "liar.pcapng", section("<") + interface("<", ETHERNET) + block(
        "<", 6, struct.pack("<IIIII", 0, 0, 0, 5000, 5000) + bytes(40))
    yield "no_order.pcapng", block("<", 0x0a0d0d0a, bytes(16))
    yield "resolution.pcapng", section("<") + interface("<", ETHERNET, option("<", 9, b"\xff"))


def main():
    folder = pathlib.Path(sys.argv[1])
    packets = load(HERE / "rx_debug.pcap")
    for make in (same, other, bad):
        place = folder / make.__name__
        place.mkdir(parents=True, exist_ok=True)
        for name, data in make(packets):
            (place / name).write_bytes(data)


if __name__ == "__main__":
    main()
