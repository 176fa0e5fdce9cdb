# SPDX-License-Identifier: BSD-2-Clause
"""What the trace `recovery` is a part of: a TCP connection with reno that sends 6 MiB through a bottleneck
between two network namespaces, as tests/kern/harness.py makes them. Run as root by

	python3 recovery.py SONDE all
	sonde convert all -o recovery -e tcp.ack,tcp.retransmit,tcp.loss,net.ip_send \\
		--where 'lport == PORT || sport == PORT' --from +0.285 --until +0.345

with the connection's own PORT, around a loss and its repair. Host, kernel and boot id in its environment
were replaced.
"""
import pathlib
import socket
import sys
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / 'kern'))

from harness import Net, Recorder  # pylint: disable=wrong-import-position

BYTES = 6 << 20


def swallow(server):
    while server.recv(65536):
        pass


def main():
    net = Net()
    net.bottleneck(net.a, 'tbf', 'rate', '20mbit', 'burst', '16kb', 'limit', '60kb')
    listener = net.listen(net.b, port=5050)
    recorder = Recorder('-e', 'tcp', '-e', 'net.ip_send', trace=sys.argv[2])
    client, server = net.connect(net.a, listener)
    client.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, b'reno')
    reader = threading.Thread(target=swallow, args=(server,))
    reader.start()
    for _ in range(BYTES >> 14):
        client.sendall(b'x' * 16384)
    client.close()
    reader.join()
    recorder.stop()


main()
