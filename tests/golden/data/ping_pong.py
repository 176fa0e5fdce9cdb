#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What the trace `ping_pong` is a recording of: two network namespaces, a connection that carries one
packet of 100 bytes, and a datagram to a port where nobody is. Recorded as root, from the folder of the
project, by

	PYTHONPATH=tests/kern python3 tests/golden/data/ping_pong.py build/src/cli/sonde

into ./ping_pong. The recorder's own stream, which names all tasks of the machine, was removed, and the
boot id in the environment was replaced.
"""
import ctypes
import socket

from harness import Net, Recorder

PR_SET_NAME = 15


def main():
    net = Net()
    net.bottleneck(net.a, "tbf", "rate", "1gbit", "burst", "100k", "limit", "1m")
    recorder = Recorder("-e", "net.*", "--netns", net.a + "," + net.b, trace="ping_pong")
    # So that the trace names this task.
    ctypes.CDLL(None).prctl(PR_SET_NAME, b"ping_pong", 0, 0, 0)
    listener = net.listen(net.b, port=7000)
    client, server = net.connect(net.a, listener)
    client.sendall(bytes(100))
    server.recv(1000)
    with net.inside(net.a):
        datagrams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    datagrams.sendto(b"to nobody", (net.v4[net.b], 7001))
    client.close()
    server.recv(1)
    for sock in (server, listener, datagrams):
        sock.close()
    recorder.stop()


if __name__ == "__main__":
    main()
