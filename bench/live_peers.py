# SPDX-License-Identifier: BSD-2-Clause
"""live_peers: a session to be viewed, at our relay and at lttng-relayd with the same bytes, and a viewer that
does nothing but ask and read."""
import os
import pathlib
import re
import socket
import struct
import subprocess
import time

from workbench import SONDE, Failure, wait_for

CLASS = 7
METADATA = b'''/* CTF 1.8 */
typealias integer { size = 32; align = 8; signed = false; } := u32;
typealias integer { size = 64; align = 8; signed = false; } := u64;
trace { major = 1; minor = 8; byte_order = le; packet.header := struct { u32 magic; u32 stream_id; }; };
env { hostname = "bench"; };
clock { name = mono; freq = 1000000000; };
typealias integer { size = 64; align = 8; signed = false; map = clock.mono.value; } := ts64;
stream { id = 7; packet.context := struct { ts64 timestamp_begin; ts64 timestamp_end; u64 content_size;
	u64 packet_size; }; event.header := struct { u32 id; ts64 timestamp; }; };
event { name = "e"; id = 0; stream_id = 7; fields := struct { u32 x; }; };
'''


def index_entry(number, size):
    begin = 1000 + number * 10
    return struct.pack('>9Q', number * size, size * 8, size * 8, begin, begin + 9, 0, CLASS, 0, number)


def make_trace(path, packets, size):
    """A trace of one stream, whose packets are of @size bytes."""
    (path / 'index').mkdir(parents=True)
    (path / 'metadata').write_bytes(METADATA)
    body = os.urandom(size)
    with open(path / 'ch0_0', 'wb') as data, open(path / 'index/ch0_0.idx', 'wb') as index:
        index.write(struct.pack('>4I', 0xC1F1DCC1, 1, 1, 72))
        for number in range(packets):
            data.write(body)
            index.write(index_entry(number, size))
    return path


def cpu_ns(pid):
    """CPU time of all threads of a process."""
    return sum(int((task / 'schedstat').read_text().split()[0])
               for task in pathlib.Path(f'/proc/{pid}/task').iterdir())


def receive(connection, count):
    data = bytearray()
    while len(data) < count:
        piece = connection.recv(count - len(data))
        if not piece:
            raise Failure('the relay closes the connection')
        data += piece
    return bytes(data)


class Ours:
    """`sonde serve` of a directory."""

    def __init__(self, bench, trace):
        self.process = bench.start([SONDE, 'serve', '--live', '127.0.0.1:0', str(trace)],
                                   stderr=subprocess.PIPE)
        line = self.process.stderr.readline()
        found = re.search(r'localhost:(\d+)/', line)
        if not found:
            raise Failure(f'sonde serve: {line}')
        self.port = int(found[1])


def free_port():
    with socket.socket() as one:
        one.bind(('127.0.0.1', 0))
        return one.getsockname()[1]


class Relayd:
    """lttng-relayd, to which a consumer of ours has sent the trace: it stays connected, as the session ends
    with it."""

    def __init__(self, bench, trace, size):
        ports = [free_port() for unused in range(3)]
        self.port = ports[2]
        command = ['lttng-relayd', '--output', str(bench.path('relayd'))]
        for name, port in zip(('control', 'data', 'live'), ports):
            command += [f'--{name}-port', f'tcp://127.0.0.1:{port}']
        self.process = bench.start(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   env={**os.environ, 'HOME': str(bench.path('home'))})
        self.control, self.data = (self.connect(port) for port in ports[:2])
        self.push(trace, size)

    @staticmethod
    def connect(port):
        made = []

        def attempt():
            try:
                made.append(socket.create_connection(('127.0.0.1', port), 60))
            except OSError:
                return False
            return True
        wait_for(attempt, 'lttng-relayd')
        return made[0]

    def command(self, number, payload, reply):
        self.control.sendall(struct.pack('>QQII', 0, len(payload), number, 0) + payload)
        return struct.unpack(reply, receive(self.control, struct.calcsize(reply)))

    def create(self):
        self.command(5, struct.pack('>II', 2, 13), '>II')
        names = b'bench\0', b'bench\0', b'\0'
        fixed = struct.pack('>IIIIBB16sQQBQ', *(len(name) for name in names), 1000000, 0, 0,
                            bytes(range(1, 17)), 1, 1700000000, 0, 0)
        unused, unused, length = self.command(2, fixed + b''.join(names), '>QII')
        receive(self.control, length)
        self.command(19, struct.pack('>QQI', 0, 1700000000, 0), '>I')

    def add_stream(self, channel):
        path = b'ust/uid/0/64-bit\0'
        return self.command(1, struct.pack('>IIQQQ', len(channel), len(path), 0, 0, 0) +
                            channel + path, '>QI')[0]

    def push(self, trace, size):
        self.create()
        stream, metadata = self.add_stream(b'ch0_0\0'), self.add_stream(b'metadata\0')
        self.command(16, b'', '>I')
        head = struct.pack('<I16sIIIBBBBB', 0x75D11D57, bytes(16), 0, (37 + len(METADATA)) * 8,
                           4096 * 8, 0, 0, 0, 1, 8)
        text = head + METADATA + bytes(4096 - 37 - len(METADATA))
        payload = struct.pack('>QI', metadata, 0) + text
        self.control.sendall(struct.pack('>QQII', 0, len(payload), 6, 0) + payload)
        with open(trace / 'ch0_0', 'rb') as file:
            for number in range(os.path.getsize(trace / 'ch0_0') // size):
                self.data.sendall(struct.pack('>QQQII', 0, stream, number, size, 0) +
                                  file.read(size))
                entry = index_entry(number, size)
                self.command(13, struct.pack('>QQ', stream, number) + entry[8:], '>I')
        self.stream = stream


class Viewer:
    """Attached to the only session there is."""

    def __init__(self, port):
        self.socket = socket.create_connection(('127.0.0.1', port), 120)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.room = memoryview(bytearray(4 << 20))
        self.ask(1, struct.pack('>QIII', 0, 2, 4, 1))
        receive(self.socket, 20)
        self.ask(8)
        receive(self.socket, 4)
        self.ask(2)
        count = struct.unpack('>I', receive(self.socket, 4))[0]
        self.session = struct.unpack_from('>Q', receive(self.socket, 339 * count))[0]
        self.ask(3, struct.pack('>QQI', self.session, 0, 1))
        if self.take_streams() != 1:
            raise Failure('the relay does not let a viewer attach')

    def take_streams(self):
        """The status of a reply that has some."""
        status, count = struct.unpack('>II', receive(self.socket, 8))
        for stream in [receive(self.socket, 4371) for unused in range(count)]:
            number, unused, is_metadata = struct.unpack_from('>QQI', stream)
            self.add_stream(number, is_metadata, stream[4116:].rstrip(b'\0').decode())
        return status

    def add_stream(self, number, is_metadata, name):
        if name == 'ch0_0':
            self.stream = number
        if is_metadata:
            self.metadata = number

    def ask(self, command, payload=b''):
        self.socket.sendall(struct.pack('>QII', len(payload), command, 0) + payload)

    def skip(self, count):
        """Reads, and looks at nothing."""
        while count:
            got = self.socket.recv_into(self.room, min(count, len(self.room)))
            if not got:
                raise Failure('the relay closes the connection')
            count -= got

    def packet(self):
        """Offset and bytes of the next one; None = there is none, or none yet."""
        self.ask(4, struct.pack('>Q', self.stream))
        reply = struct.unpack('>7QII', receive(self.socket, 64))
        return (reply[0], reply[1] // 8) if reply[7] == 1 else None

    def read_whole(self, packets):
        """So many packets, each in one request: their bytes."""
        total = 0
        for unused in range(packets):
            offset, size = self.packet()
            self.ask(5, struct.pack('>QQI', self.stream, offset, size))
            self.skip(12 + size)
            total += size
        return total

    def read_pieces(self, packets, piece, ahead):
        """The same in pieces, @ahead requests at a time: how many."""
        requests = 0
        for unused in range(packets):
            offset, size = self.packet()
            for start in range(0, size, piece * ahead):
                starts = range(start, min(start + piece * ahead, size), piece)
                self.socket.sendall(b''.join(
                    struct.pack('>QIIQQI', 20, 5, 0, self.stream, offset + one, piece)
                    for one in starts))
                self.skip((12 + piece) * len(starts))
                requests += len(starts)
        return requests

    def close(self):
        self.socket.close()


def timed(server, read):
    """read(viewer), and what it took the server: {amount, seconds, cpu_ns}."""
    viewer = Viewer(server.port)
    before, start = cpu_ns(server.process.pid), time.monotonic()
    amount = read(viewer)
    found = {'amount': amount, 'seconds': time.monotonic() - start,
             'cpu_ns': cpu_ns(server.process.pid) - before}
    viewer.close()
    time.sleep(0.1)  # lttng-relayd has one viewer at a time
    return found
