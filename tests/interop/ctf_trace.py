# SPDX-License-Identifier: BSD-2-Clause
"""A trace of CTF 1.8.3 from types (ctf_type.py): its metadata, as text or in packets, and streams of
packets with random events."""
import os
import struct
import uuid

from ctf_type import Bits, Enum, Int, Struct, Variant, leaves

MAGIC = 0xC1FC1FC1
EPOCH_S = 1700000000


class Clock:
    def __init__(self, name="mono", freq=1000000000, offset_s=EPOCH_S, offset=0):
        self.name, self.freq, self.offset_s, self.offset = name, freq, offset_s, offset

    def tsdl(self):
        return 'clock { name = %s; freq = %d; offset_s = %d; offset = %d; description = "x"; };' % (
            self.name, self.freq, self.offset_s, self.offset)


class Plain:
    """An event header of an id and a whole time."""

    def __init__(self, clock, id_bits=16, time_bits=64, align=8):
        self.type = Struct(("id", Int(id_bits, align)),
                           ("timestamp", Int(time_bits, align, clock=clock.name)))
        self.time_bits = time_bits

    def value(self, number, time, unused):
        return {"id": number, "timestamp": time & (1 << self.time_bits) - 1}


class Lttng:
    """LTTng's: @id_bits and the lower bits of the time, or, where these do not do, all of both."""

    def __init__(self, clock, id_bits, time_bits, align=8):
        top = (1 << id_bits) - 1
        self.top, self.time_bits = top, time_bits
        tag = Enum(Int(id_bits), [("compact", 0, top - 1), ("extended", top, top)])
        self.type = Struct(("id", tag), ("v", Variant(
            "id",
            ("compact", Struct(("timestamp", Int(time_bits, clock=clock.name)))),
            ("extended", Struct(("id", Int(32)), ("timestamp", Int(64, clock=clock.name)))))),
            align=align)

    def value(self, number, time, last):
        if number >= self.top or time - last >= 1 << self.time_bits:
            return {"id": self.top, "v": ("extended", {"id": number, "timestamp": time})}
        return {"id": number,
                "v": ("compact", {"timestamp": time & (1 << self.time_bits) - 1})}


class Stream:
    """@events: {id: (name, context or None, payload or None)}. @packet_context: its own members."""

    def __init__(self, events, header=None, context=None, clock=None, packet_context=(), number=0):
        self.events, self.header, self.context = events, header, context
        self.clock, self.packet_context, self.number = clock, packet_context, number

    def packet_type(self):
        made = {"timestamp_begin": Int(64, clock=self.clock and self.clock.name),
                "timestamp_end": Int(64, clock=self.clock and self.clock.name)}
        return Struct(*((name, made.get(name, Int(64) if name != "cpu_id" else Int(32)))
                        for name in self.packet_context))


class Trace:
    version = 1, 8

    def __init__(self, streams, clocks=(), big=False, header=("magic", "uuid", "stream_id"),
                 extra=""):
        self.streams, self.clocks, self.big, self.header = streams, clocks, big, header
        self.uuid, self.extra = uuid.UUID(int=0x1234567890ABCDEF << 60), extra

    def metadata(self):
        kinds = {"magic": "u32 magic;", "uuid": "u8 uuid[16];", "stream_id": "u32 stream_id;"}
        text = ["/* CTF 1.8 */",
                "typealias integer { size = 8; align = 8; signed = false; } := u8;",
                "typealias integer { size = 32; align = 8; signed = false; } := u32;",
                'trace { major = 1; minor = 8; uuid = "%s"; byte_order = %s;%s };' % (
                    self.uuid, "be" if self.big else "le",
                    " packet.header := struct { %s };" % " ".join(kinds[k] for k in self.header)
                    if self.header else "")]
        text += [clock.tsdl() for clock in self.clocks]
        text.append(self.extra)
        for stream in self.streams:
            text.append("stream {%s%s%s%s };" % (
                " id = %d;" % stream.number if "stream_id" in self.header else "",
                " packet.context := %s;" % stream.packet_type().tsdl()
                if stream.packet_context else "",
                " event.header := %s;" % stream.header.type.tsdl() if stream.header else "",
                " event.context := %s;" % stream.context.tsdl() if stream.context else ""))
            for number, (name, context, payload) in stream.events.items():
                text.append('event { name = "%s";%s%s%s%s };' % (
                    name, " id = %d;" % number if stream.header else "",
                    " stream_id = %d;" % stream.number if "stream_id" in self.header else "",
                    " context := %s;" % context.tsdl() if context else "",
                    " fields := %s;" % payload.tsdl() if payload else ""))
        return "\n".join(text) + "\n"

    def write(self, folder, packets=None):
        """@packets: byte order of packets around the metadata; None = there are none."""
        os.makedirs(folder, exist_ok=True)
        data = self.metadata().encode()
        if packets:
            data = b"".join(metadata_packet(data[i:i + 700], self.uuid.bytes, packets, self.version)
                            for i in range(0, len(data), 700))
        with open(os.path.join(folder, "metadata"), "wb") as out:
            out.write(data)

    def write_stream(self, folder, name, stream, writer):
        with open(os.path.join(folder, name), "wb") as out:
            out.write(b"".join(writer.packets(self, stream)))


def metadata_packet(text, uid, order, version):
    bits = 8 * (37 + len(text))
    return struct.pack(order + "I16sIIIBBBBB", 0x75D11D57, uid, 0, bits, bits + 8 * 11, 0, 0, 0,
                       *version) + text + bytes(11)


class Writer:
    """Packets of random events. @times: (first, longest step), in cycles of the stream's clock."""

    def __init__(self, rng, events=300, packet=40, times=(1 << 20, 5000), cpu=0, lost=(), empty=(),
                 pad=True, leaps=True):
        self.rng, self.events, self.packet, self.cpu = rng, events, packet, cpu
        self.time, self.step = times
        self.lost, self.empty, self.pad = dict(lost), set(empty), pad
        self.leaps = leaps  # longer than the lower bits of a time can tell
        self.drawn = []  # (name, cycles, context, payload) of each event

    def draw(self, stream, number):
        unused, context, payload = stream.events[number]
        scopes, drawn = [], []
        for type in (stream.context or Struct(), context or Struct(), payload or Struct()):
            drawn.append((type, type.draw(self.rng, scopes)))
            scopes.append(drawn[-1])
        return drawn

    def pack_events(self, trace, stream, bits, count):
        last = self.time
        for unused in range(count):
            self.time += self.rng.randrange(1, self.step)
            if self.leaps and not self.rng.randrange(40):
                self.time += 1 << self.rng.choice([20, 28, 33])
            number = self.rng.choice(list(stream.events))
            if stream.header:
                stream.header.type.pack(bits, stream.header.value(number, self.time, last),
                                        trace.big)
            last = self.time
            drawn = self.draw(stream, number)
            for type, value in drawn:
                if type.members:
                    type.pack(bits, value, trace.big)
            parts = [dict(leaves(type, value)) for type, value in drawn]
            self.drawn.append((stream.events[number][0], self.time, parts[0] | parts[1], parts[2]))

    def pack(self, trace, stream, values, count):
        bits = Bits()
        if trace.header:
            kinds = {"magic": (MAGIC, 32), "stream_id": (stream.number, 32)}
            for name in trace.header:
                if name == "uuid":
                    for byte in trace.uuid.bytes:
                        bits.put(byte, 8, trace.big)
                else:
                    bits.put(*kinds[name], trace.big)
        if stream.packet_context:
            stream.packet_type().pack(bits, values, trace.big)
        begin = self.time
        self.pack_events(trace, stream, bits, count)
        values.update(timestamp_begin=begin, timestamp_end=self.time, content_size=bits.at)
        return bits

    def packets(self, trace, stream):
        """Each is packed twice: only then its sizes are known."""
        discarded, sequence, left, number = 0, 0, self.events, 0
        while left or number in self.empty:
            events, packets = self.lost.get(number, (0, 0))
            discarded, sequence = discarded + events, sequence + packets
            count = 0 if number in self.empty else min(left, self.packet)
            values = dict.fromkeys(stream.packet_context, 0)
            values.update(cpu_id=self.cpu, events_discarded=discarded, packet_seq_num=sequence)
            kept = self.rng.getstate(), self.time, len(self.drawn)
            bits = self.pack(trace, stream, values, count)
            size = (bits.at + 7) // 8
            if self.pad and "packet_size" in stream.packet_context:
                size += self.rng.randrange(40)
            values["packet_size"] = size * 8
            state = self.rng.getstate()
            self.rng.setstate(kept[0])
            self.time = kept[1]
            del self.drawn[kept[2]:]
            bits = self.pack(trace, stream, values, count)
            self.rng.setstate(state)
            yield bytes(bits.data) + bytes(size - len(bits.data))
            left, number, sequence = left - count, number + 1, sequence + 1
