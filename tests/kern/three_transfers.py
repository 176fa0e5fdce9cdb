# SPDX-License-Identifier: BSD-2-Clause
"""Three transfers at once through one bottleneck, on the ports that PSC's report names: by reno, cubic and
bbr."""
import socket
import threading
import time

from harness import Net, skip

CONNS = {"reno": (1055, 5050), "cubic": (1056, 5051), "bbr": (1057, 5052)}
SECONDS = 4


def bottleneck():
    """Two namespaces with a narrow way from a to b; skips where the kernel lacks an algorithm."""
    with open("/proc/sys/net/ipv4/tcp_available_congestion_control", encoding="ascii") as there:
        missing = set(CONNS) - set(there.read().split())
    if missing:
        skip("this kernel has no " + ", ".join(missing))
    net = Net()
    net.bottleneck(net.a, "tbf", "rate", "20mbit", "burst", "16kb", "limit", "60kb")
    return net


def connect(net, listener, lport, algorithm):
    with net.inside(net.a):
        client = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    client.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    client.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, algorithm.encode())
    client.bind((net.v4[net.a], lport))
    client.connect(listener.getsockname()[:2])
    return client, listener.accept()[0]


def send(client, sent, key, end):
    while time.monotonic() < end:
        sent[key] = sent.get(key, 0) + client.send(bytes(16384))
    client.shutdown(socket.SHUT_WR)


def receive(server):
    while server.recv(1 << 16):
        pass
    server.close()


def transfer(net):
    """Bytes sent on each connection."""
    sent, pairs, threads = {}, [], []
    for algorithm, (lport, rport) in CONNS.items():
        listener = net.listen(net.b, port=rport)
        pairs.append((algorithm, *connect(net, listener, lport, algorithm)))
        listener.close()
    end = time.monotonic() + SECONDS
    for algorithm, client, server in pairs:
        threads += [threading.Thread(target=send, args=(client, sent, algorithm, end)),
                    threading.Thread(target=receive, args=(server,))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for unused, client, unused_too in pairs:
        client.close()
    return sent
