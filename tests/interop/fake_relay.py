# SPDX-License-Identifier: BSD-2-Clause
"""A relay that follows a script, and lies where it is told to: for viewers of live sessions. What it speaks is
in src/wire/lttng_live.h."""
import socket
import struct
import threading

CONNECT, LIST, ATTACH, INDEX, PACKET, METADATA, NEW_STREAMS, CREATE, DETACH = range(1, 10)
PAYLOADS = {CONNECT: 20, LIST: 0, ATTACH: 20, INDEX: 8, PACKET: 20, METADATA: 8, NEW_STREAMS: 8,
            CREATE: 0, DETACH: 8}
OK, RETRY, HUP, ERROR, INACTIVE, EOF = range(1, 7)  # of indexes
NEW_METADATA, NEW_STREAM = 1, 2
ERROR_OF_PACKET = 3
SECOND_LAYOUT = 15
CLOSE, SILENCE = "close", "silence"  # in place of a reply

UUID = bytes(range(16))
EPOCH_S = 1700000000
HEAD = """/* CTF 1.8 */
typealias integer { size = 32; align = 8; signed = false; } := u32;
typealias integer { size = 64; align = 8; signed = false; } := u64;
trace { major = 1; minor = 8; uuid = "00010203-0405-0607-0809-0a0b0c0d0e0f"; byte_order = le;
  packet.header := struct { u32 magic; u32 stream_id; u64 stream_instance_id; }; };
env { hostname = "fakehost"; domain = "ust"; };
clock { name = "mono"; uuid = "aabbccdd-0000-4000-8000-000000000001"; freq = 1000000000;
        offset_s = %d; offset = 0; };
typealias integer { size = 64; align = 8; signed = false; map = clock.mono.value; } := ts64;
stream { id = 0;
  packet.context := struct { ts64 timestamp_begin; ts64 timestamp_end; u64 content_size; u64 packet_size;
                             u64 packet_seq_num; u64 events_discarded; u32 cpu_id; };
  event.header := struct { u32 id; ts64 timestamp; }; };
""" % EPOCH_S


def event_text(number):
    return ('event { name = "ev%d"; id = %d; stream_id = 0; fields := struct { integer { size = 32; '
            'align = 8; signed = true; } _v; string _s; }; };\n' % (number, number)).encode()


def in_packets(text, order="<", size=4096):
    """Cut as LTTng up to 2.13 does."""
    room, out = size - 37, b""
    for at in range(0, len(text), room):
        piece = text[at:at + room]
        out += struct.pack(order + "I16sIIIBBBBB", 0x75D11D57, UUID, 0, 8 * (37 + len(piece)), 8 * size,
                           0, 0, 0, 1, 8) + piece + bytes(room - len(piece))
    return out


class Packets:
    """Packets of one stream, each with its place in the sequence. Events: (time, class, value, text)."""

    def __init__(self, cpu=0):
        self.cpu, self.sequence = cpu, 0

    def pack(self, events, begin=None, end=None, discarded=0, pad=40):
        begin = begin if begin is not None else events[0][0]
        end = end if end is not None else events[-1][0]
        body = b"".join(struct.pack("<IQi", number, time, value) + text.encode() + b"\0"
                        for time, number, value, text in events)
        return self.wrap(body, begin, end, discarded, pad)

    def wrap(self, body, begin, end, discarded=0, pad=40):
        """Of events that are bytes already."""
        content = 16 + 52 + len(body)
        size = content + pad
        data = struct.pack("<IIQ", 0xC1FC1FC1, 0, self.cpu) + struct.pack(
            "<QQQQQQI", begin, end, 8 * content, 8 * size, self.sequence, discarded,
            self.cpu) + body + bytes(pad)
        self.sequence += 1
        return Step(OK, data=data, begin=begin, end=end, discarded=discarded)


class Step:
    """What GET_NEXT_INDEX answers once. @tell: metadata that the relay has from here on; @streams:
    streams likewise. @clear: the stream's file begins anew with this packet."""

    def __init__(self, status, data=b"", begin=0, end=0, discarded=0, flags=0, tell=(), streams=(),
                 clear=False, bits=None, kind=0):
        self.status, self.data, self.begin, self.end = status, data, begin, end
        self.discarded, self.tell, self.streams, self.clear = discarded, list(tell), list(streams), clear
        self.flags = flags | (NEW_METADATA if tell else 0) | (NEW_STREAM if streams else 0)
        self.bits = 8 * len(data) if bits is None else bits
        self.kind = kind


def beacon(time, **more):
    return Step(INACTIVE, end=time, **more)


class Stream:
    """@script: the answers in turn; behind the last there is HUP."""

    def __init__(self, number, trace, channel, script=(), path="ust/uid/0/64-bit"):
        self.number, self.trace, self.channel, self.path = number, trace, channel, path
        self.script, self.file = list(script), bytearray()

    def entry(self):
        return struct.pack(">QQI4096s255s", self.number, self.trace.number,
                           self.trace.stream is self, self.path.encode(), self.channel.encode())


class Trace:
    """@chunks: what is there of the metadata; each is one reply."""

    def __init__(self, number, chunks):
        self.number, self.chunks, self.sent = number, list(chunks), 0
        self.stream = Stream(1000 + number, self, "metadata")


class Session:
    def __init__(self, number, name, streams=(), host="box", timer=100000, form=0):
        self.number, self.name, self.host, self.timer, self.form = number, name, host, timer, form
        self.streams, self.announced, self.late = list(streams), set(), []
        self.stay = False  # it goes on when its streams have ended

    def all(self):
        """Streams with those of metadata."""
        traces = {stream.trace.number: stream.trace for stream in self.streams}
        return self.streams + [trace.stream for trace in traces.values()]

    def is_over(self):
        return not self.stay and not self.late and not any(s.script for s in self.streams)

    def fresh(self):
        made = [s for s in self.all() if s.number not in self.announced]
        self.announced |= {s.number for s in made}
        return made


class FakeRelay:
    """@twists: {command: function(how many of them came before, payload, reply)} -> what is sent; reply() is what
    would be. @limit: bytes of a packet in one reply. @one_per_recv: only the first request of what one recv
    returns is answered, the rest is dropped. @strict: no packet is given out while a session has metadata that
    was not fetched; `refused` counts such requests."""

    def __init__(self, sessions=(), minor=14, twists=None, limit=None, one_per_recv=False, strict=False):
        self.sessions, self.minor, self.twists = list(sessions), minor, twists or {}
        self.limit, self.one_per_recv, self.strict = limit, one_per_recv, strict
        self.refused, self.dropped = 0, 0
        self.log, self.counts, self.lock = [], {}, threading.Lock()
        self.listener, self.connections = None, []
        self.open()
        self.port = self.listener.getsockname()[1]
        self.url = "net://127.0.0.1:%d" % self.port

    def open(self):
        port = getattr(self, "port", 0)
        self.listener = socket.create_server(("127.0.0.1", port))
        threading.Thread(target=self.accept, args=(self.listener,), daemon=True).start()

    def close(self):
        """As if it were killed: nobody listens any more, and connections break."""
        with self.lock:
            self.listener.shutdown(socket.SHUT_RDWR)
            self.listener.close()
            for one in self.connections:
                with_shutdown(one)
            self.connections = []

    def name(self, session):
        return "%s/host/%s/%s" % (self.url, session.host, session.name)

    def accept(self, listener):
        while True:
            try:
                connection = listener.accept()[0]
            except OSError:
                return
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with self.lock:
                self.connections.append(connection)
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        viewer_minor = 0
        try:
            while True:
                command, payload = self.request(connection)
                if command == CONNECT:
                    viewer_minor = struct.unpack(">QIII", payload)[2]
                with self.lock:
                    reply = self.answer(command, payload, min(viewer_minor, self.minor))
                if reply is CLOSE:
                    with_shutdown(connection)
                    return
                if reply is not SILENCE:
                    connection.sendall(reply)
        except OSError:
            pass

    def request(self, connection):
        if not self.one_per_recv:
            command = struct.unpack(">QII", receive(connection, 16))[1]
            return command, receive(connection, PAYLOADS.get(command, 0))
        data, need = b"", 16
        while len(data) < need:
            piece = connection.recv(128)
            if not piece:
                raise OSError("closed")
            data += piece
            if len(data) >= 16:
                command = struct.unpack(">QII", data[:16])[1]
                need = 16 + PAYLOADS.get(command, 0)
        self.dropped += len(data) - need
        return command, data[16:need]

    def answer(self, command, payload, minor):
        count = self.counts.get(command, 0)
        self.counts[command] = count + 1
        self.log.append((command, payload))
        twist = self.twists.get(command)
        if twist:
            return twist(count, payload, lambda: self.reply(command, payload, minor))
        return self.reply(command, payload, minor)

    def reply(self, command, payload, minor):
        number = struct.unpack(">Q", payload[:8])[0] if len(payload) >= 8 else None
        if command == CONNECT:
            return struct.pack(">QIII", 7, 2, self.minor, 0)
        if command == LIST:
            return self.list(minor)
        if command == CREATE:
            return struct.pack(">I", 1)
        if command == DETACH:
            return struct.pack(">I", 1)
        if command in (ATTACH, NEW_STREAMS):
            return self.streams(command, number)
        if command == METADATA:
            return self.metadata(number)
        if command == INDEX:
            return self.index(number)
        return self.packet(number, *struct.unpack(">QI", payload[8:]))

    def list(self, minor):
        out = struct.pack(">I", len(self.sessions))
        for s in self.sessions:
            head = struct.pack(">QIII", s.number, s.timer, 0, len(s.all()))
            host, name = s.host.encode(), s.name.encode()
            if minor >= SECOND_LAYOUT:
                out += head + struct.pack(">III", len(host), len(name), s.form) + host + name
            else:
                out += head + struct.pack("64s255s", host, name)
        return out

    def streams(self, command, number):
        found = [s for s in self.sessions if s.number == number]
        if not found:
            return struct.pack(">II", 3, 0)
        session = found[0]
        if command == ATTACH:
            session.announced = set()
            for stream in session.streams:
                stream.trace.sent = 0
        elif session.late:
            session.streams += session.late
            session.late = []
        elif session.is_over():
            return struct.pack(">II", 4, 0)
        fresh = session.fresh()
        return struct.pack(">II", 1, len(fresh)) + b"".join(s.entry() for s in fresh)

    def find(self, number):
        for session in self.sessions:
            for stream in session.all():
                if stream.number == number:
                    return session, stream
        return None, None

    def metadata(self, number):
        trace = self.find(number)[1].trace
        if trace.sent == len(trace.chunks):
            return struct.pack(">QI", 0, 2)
        trace.sent += 1
        chunk = trace.chunks[trace.sent - 1]
        return struct.pack(">QI", len(chunk), 1) + chunk

    def index(self, number):
        session, stream = self.find(number)
        if stream.script:
            step = stream.script[0]
            # The last beacon is told again and again where the session goes on.
            if len(stream.script) > 1 or not session.stay:
                stream.script.pop(0)
            elif step.status == OK:
                stream.script[0] = Step(RETRY)
        else:
            step = Step(HUP)
        stream.trace.chunks += step.tell
        step.tell = []
        session.late += step.streams
        step.streams = []
        if step.clear:
            stream.file = bytearray()
        at = len(stream.file)
        stream.file += step.data
        return struct.pack(">QQQQQQQII", at, step.bits, step.bits, step.begin, step.end, step.discarded,
                           step.kind, step.status, step.flags)

    def packet(self, number, offset, length):
        session, stream = self.find(number)
        if self.strict and any(s.trace.sent < len(s.trace.chunks) for s in session.streams):
            self.refused += 1
            return struct.pack(">III", ERROR_OF_PACKET, 0, NEW_METADATA)
        length = min(length, self.limit or length)
        data = stream.file[offset:offset + length]
        if len(data) < length:
            return struct.pack(">III", ERROR_OF_PACKET, 0, 0)
        return struct.pack(">III", 1, length, 0) + bytes(data)


def with_shutdown(connection):
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass
    connection.close()


def receive(connection, count):
    data = b""
    while len(data) < count:
        piece = connection.recv(count - len(data))
        if not piece:
            raise OSError("closed")
        data += piece
    return data
