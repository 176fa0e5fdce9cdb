#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Peers that stream to sonde serve as they should not: each is turned away, nothing is written where it does not
belong, and a session that is well all the while is stored whole."""
import os
import re
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kern"))
from harness import check, equal, finish, fresh, path, until  # noqa: E402
from ingest_client import (ADD_STREAM, CLOSE_CHUNK, CLOSE_STREAM, CREATE_CHUNK, CREATE_SESSION, DATA_PENDING,  # noqa: E402
                           INVALID, NONE, OK, ROTATE, SEND_INDEX, SEND_METADATA, STREAMS_SENT, VERSION, Control,
                           Data, Server, session)


def before_their_turn(port, data_port):
    control = Control(port, agreed=False)
    control.send(STREAMS_SENT)
    check(control.closed(), "a command before VERSION")
    for command in (ADD_STREAM, SEND_METADATA, CLOSE_STREAM, SEND_INDEX, STREAMS_SENT, ROTATE, CREATE_CHUNK,
                    CLOSE_CHUNK, DATA_PENDING):
        control = Control(port)
        control.send(command, bytes(21 if command == CLOSE_CHUNK else 32))
        # What is wrong with SEND_METADATA has no reply.
        check(control.closed() if command == SEND_METADATA else control.rejected(command),
              "command %d before CREATE_SESSION" % command)
    control = Control(port)
    equal("CREATE_SESSION", control.create("twice"), OK)
    control.path()
    control.ask_create("twice")
    check(control.rejected(CREATE_SESSION), "CREATE_SESSION twice")
    control = Control(port)
    equal("CREATE_SESSION", control.create("chunkless"), OK)
    control.path()
    check(control.add()[1] != OK, "a stream without a chunk")
    data = Data(data_port)
    data.send(77777, 0, b"data")
    check(data.closed(), "data of no stream")
    for second in 5, 7, NONE:
        control, handle = session(port)
        data = Data(data_port)
        data.send(handle, 5, b"data")
        data.send(handle, second, b"data")
        check(data.closed(), "packet %d after packet 5" % second)


def malformed(port):
    for size in (1 << 63, 1 << 32, (1 << 32) + 8, 64 << 20):
        control = Control(port)
        control.send(STREAMS_SENT, size=size)
        check(control.closed(), "a command of %d bytes" % size)
    for command in (0, 12, 14, 15, 23, 1 << 31):
        control = Control(port)
        control.send(command)
        check(control.rejected(), "unknown command %d" % command)
    control = Control(port, agreed=False)
    control.send(VERSION, struct.pack(">II", 3, 0))
    control.receive(8)
    check(control.closed(), "another major version")
    for lengths in ((1 << 32) - 1, 1, 1), (5, 0, 1), (4096, 5, 1), (5, 5, 1 << 31), (4, 6, 1):
        control = Control(port)
        control.ask_create(lengths=lengths)
        check(control.rejected(CREATE_SESSION), "strings of %r bytes" % (lengths,))
    control, unused = session(port)
    control.send(ROTATE, struct.pack(">IBQ", 1 << 31, 0, 0))
    check(control.rejected(), "2^31 streams to rotate")
    control, unused = session(port)
    control.send(ROTATE, struct.pack(">IB5xQQQ", 1, 0, 0, 1, 1))
    check(control.rejected(), "padding that no compiler puts there")


def elsewhere(port, output):
    for name, host, base in (("../x", "h", ""), ("x", "..", ""), ("x", "a/b", ""), ("x", "h", "../../x"),
                             ("x", "h", "/etc"), ("x", "h", "a//b"), ("x", "h", "a/../b"), (".", "h", ""),
                             ("", "h", ""), (".hidden", "h", ""), ("x", "h", "a/.b")):
        control = Control(port)
        check(control.create(name, host, base) != OK, "a session %r" % ((name, host, base),))
    control, unused = session(port)
    for channel, where in (("../../x", "ust"), ("x", "../.."), ("x", "/tmp"), ("x", "ust/../../.."), ("a/b", "ust"),
                           (".", "ust"), ("..", "ust"), ("", "ust"), ("x", "a/./b")):
        check(control.add(channel, where)[1] != OK, "a stream %r" % ((channel, where),))
    os.makedirs(output + "/linked")
    os.symlink(path(""), output + "/linked/out")
    control = Control(port)
    check(control.create("x", "linked", "out/there") != OK, "a path through a symbolic link")
    equal("what is beside the output", [name for name in os.listdir(path("")) if name in ("x", "there")], [])


def lies(port, data_port):
    control, handle = session(port)
    data = Data(data_port)
    data.send(handle, 0, b"12345678")
    until(lambda: control.pending(handle, 0) == 0, "the packet is there")
    control.index(handle, 0, 16)
    check(control.rejected(), "an index of a packet that is longer than it is")
    control, handle = session(port)
    control.index(handle, 0, 16)
    equal("code", control.code(), OK)
    control.index(handle, 0, 16)
    check(control.rejected(), "an index told twice")
    control, handle = session(port)
    for number in 0, 1 << 40:
        control.index(handle, number, 16)
    equal("code", control.code(), OK)
    check(control.rejected(), "an index far ahead")
    control, handle = session(port)
    control.index(handle, 0, 1 << 40)
    check(control.rejected(), "a packet of 2^40 bytes")
    data = Data(data_port)
    data.send(handle, 0, b"1", padding=(1 << 32) - 1, size=(1 << 32) - 1)
    check(data.closed(), "data of 2^33 bytes")
    control, handle = session(port)
    data, other = Data(data_port), Data(data_port)
    data.send(handle, 0, b"1234", size=8)
    equal("half a packet is pending", control.pending(handle, 0), 1)
    other.send(handle, 0, b"12345678")
    check(other.closed(), "two who send one stream")


def without_index(port, data_port):
    """More packets than are kept for an index that does not come, and a rotation that they all should take part in."""
    most = 65536
    for count, codes in (most, {OK}), (most + 1, {INVALID}):
        control, handle = session(port)
        equal("a chunk", control.chunk(1), OK)
        data = Data(data_port)
        data.socket.sendall(b"".join(struct.pack(">QQQII", 0, handle, number, 1, 0) + b"x" for number in range(count)))
        until(lambda c=control, h=handle, last=count - 1: c.pending(h, last) == 0, "the packets are there")
        control.send(ROTATE, struct.pack(">IB7xQQQ", 1, 1, 1, handle, 0))
        check(control.code() in codes, "a rotation of %d packets without an index" % count)
        data.send(handle, count, b"x")
        until(lambda c=control, h=handle, last=count: c.pending(h, last) == 0, "the session continues")


def answered_before_the_end(output):
    """A peer that is rejected for want of a place has its answer, also while more of its requests are on their way."""
    server = Server(output, "--sessions", "1")
    first, handle = session(server.control, "first")
    for more in 0, 1000:
        other = Control(server.control)
        other.ask_create("second")
        try:
            for unused in range(more):
                other.send(STREAMS_SENT)
        except ConnectionError:
            pass
        check(other.rejected(CREATE_SESSION), "a second session, %d requests behind it" % more)
    until(lambda: "(--sessions)" in server.said(), "that is said")
    first.index(handle, 0, 16)
    equal("the first one continues", first.code(), OK)
    equal("exit status", server.stop(), 0)


def silence(port, data_port, output):
    """Half a request, half a packet, nothing at all: others go on meanwhile, and half a packet is no packet."""
    kept = [Control(port, agreed=False) for unused in range(100)]
    kept += [Data(data_port) for unused in range(100)]
    for peer in kept[:50]:
        peer.socket.sendall(bytes(7))
    for peer in kept[100:150]:
        peer.socket.sendall(bytes(31))
    half = Control(port)
    half.send(SEND_METADATA, bytes(100), size=1 << 20)
    control, handle = session(port, "half")
    data = Data(data_port)
    data.send(handle, 0, b"x" * 100, size=200)
    well(port, data_port, output, "beside")
    data.socket.close()
    store = [os.path.join(output, "here", name) for name in os.listdir(output + "/here")
             if name.startswith("half-")][0]
    until(lambda: os.path.getsize(store + "/ust/ch_0") == 0, "half a packet is taken back")
    again = Data(data_port)
    again.send(handle, 0, b"y" * 8)
    control.index(handle, 0, 8)
    equal("code", control.code(), OK)
    until(lambda: os.path.getsize(store + "/ust/ch_0") == 8, "the whole packet is there")
    for peer in kept:
        peer.socket.close()


def well(port, data_port, output, name):
    """A session as it should be, byte by byte."""
    control, handle = session(port, name)
    metadata, code = control.add("metadata")
    equal("metadata", code, OK)
    data = Data(data_port)
    control.send(STREAMS_SENT)
    equal("code", control.code(), OK)
    control.send(SEND_METADATA, struct.pack(">QI", metadata, 5) + b"/* CTF 1.8 */")
    for number in range(50):
        data.send(handle, number, bytes([number]) * 32, padding=8)
        control.index(handle, number, 40)
    for number in range(50):
        equal("code of an index", control.code(), OK)
    until(lambda: control.pending(handle, 49) == 0, "all data is there")
    for stream, last in (handle, 49), (metadata, NONE):
        control.send(CLOSE_STREAM, struct.pack(">QQ", stream, last))
        equal("code", control.code(), OK)
    store = [os.path.join(output, "here", folder) for folder in os.listdir(output + "/here")
             if folder.startswith(name + "-")][0]
    with open(store + "/ust/ch_0", "rb") as file:
        equal("the stream " + name, file.read(),
              b"".join(bytes([number]) * 32 + bytes(8) for number in range(50)))
    with open(store + "/ust/metadata", "rb") as file:
        equal("the metadata", file.read(), b"/* CTF 1.8 */" + bytes(5))
    with open(store + "/ust/index/ch_0.idx", "rb") as file:
        index = file.read()
    equal("the index", index[:16], struct.pack(">IIII", 0xC1F1DCC1, 1, 1, 72))
    equal("its entries", [struct.unpack_from(">9Q", index, at) for at in range(16, len(index), 72)],
          [(40 * number, 320, 320, 1, 2, 0, 0, 0, number) for number in range(50)])


def rotated(port, data_port, output):
    """Data of the new chunk has come before the command, also half a packet."""
    control, handle = session(port, "turn")
    data = Data(data_port)
    for number in range(3):
        data.send(handle, number, bytes([number]) * 8)
    until(lambda: control.pending(handle, 2) == 0, "the packets are there")
    data.send(handle, 3, b"hal", size=8)
    store = [os.path.join(output, "here", folder) for folder in os.listdir(output + "/here")
             if folder.startswith("turn-")][0]
    until(lambda: os.path.getsize(store + "/ust/ch_0") == 27, "half a packet is there")

    def index(number, sequence):
        control.send(SEND_INDEX, struct.pack(">10Q", handle, number, 64, 64, 1, 2, 0, 0, 0, sequence))
        equal("code of index %d" % number, control.code(), OK)
    index(0, 5)
    equal("a chunk", control.chunk(1), OK)
    control.send(ROTATE, struct.pack(">IB3xQQQ", 1, 1, 1, handle, 7))
    equal("code", control.code(), OK)
    control.send(CLOSE_CHUNK, struct.pack(">QQBI", 0, 1700000010, 1, 0))
    equal("code", control.code(), OK)
    archive = control.path().decode().rstrip("\0")
    check(re.fullmatch(r"archives/2023\d{4}T\d{6}[+-]\d{4}-2023\d{4}T\d{6}[+-]\d{4}-0", archive), archive)
    index(1, 6)
    index(2, 7)
    data.socket.sendall(b"f and")
    index(3, 9)
    until(lambda: control.pending(handle, 3) == 0, "the last packet is there")
    for folder, text, sequences in ((store + "/" + archive, bytes(8) + b"\1" * 8, (5, 6)),
                                    (store, b"\2" * 8 + b"half and", (7, 9))):
        with open(folder + "/ust/ch_0", "rb") as file:
            equal("packets in " + folder, file.read(), text)
        with open(folder + "/ust/index/ch_0.idx", "rb") as file:
            entries = file.read()[16:]
        equal("its index", [(struct.unpack_from(">Q", entries, at)[0], struct.unpack_from(">Q", entries, at + 64)[0])
                            for at in range(0, len(entries), 72)],
              [(8 * i, sequence) for i, sequence in enumerate(sequences)])


def main():
    output = fresh("store")
    os.mkdir(output)
    server = Server(output)
    process, port, data_port = server.process, server.control, server.data
    well(port, data_port, output, "first")
    before_their_turn(port, data_port)
    malformed(port)
    elsewhere(port, output)
    lies(port, data_port)
    without_index(port, data_port)
    answered_before_the_end(output)
    silence(port, data_port, output)
    rotated(port, data_port, output)
    well(port, data_port, output, "last")
    check(process.poll() is None, "it has ended with %s" % process.returncode)
    equal("exit status", server.stop(), 0)
    finish()


main()
