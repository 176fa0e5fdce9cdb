#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""`sonde report layers` of packets between two namespaces: each crosses every layer in order, and
what it spent in them adds up; those that do not come through are dropped, for the kernel's reason,
and `sonde report drops` counts them."""
import json
import socket
import threading
import time

from harness import Net, Recorder, SONDE, check, equal, finish, require_root, run, skip, until
from undisturbed import Scenarios

undisturbed = Scenarios("net")

MEASURED = ("sock_send", "tcp_send", "udp_send", "ip_send", "dev_queue", "qdisc_enqueue",
            "qdisc_dequeue", "dev_xmit", "dev_recv", "ip_recv", "tcp_recv", "udp_recv",
            "sock_recv", "app_recv", "drop")
BYTES = 100
BURST = 50


def require_net():
    listed = run(SONDE, "list", "--json", "net.*", good=False)
    usable = [one["name"] for one in json.loads(listed.stdout or "[]") if one["state"] != "unavailable"]
    missing = [name for name in MEASURED if "net." + name not in usable]
    if missing:
        skip("not available here: net." + ", net.".join(missing))


def crossings(protocol, queue):
    """Names in the order of the way."""
    other = "udp" if protocol == "tcp" else "tcp"
    return ["net." + name for name in MEASURED
            if name != "drop" and not name.startswith(other) and
            (queue or not name.startswith("qdisc"))]


def report(trace, name="layers"):
    return json.loads(run(SONDE, "report", "--json", "--packets", "100", trace, name)
                      .stdout)["reports"][name]


def check_way(what, packet, want):
    way = packet["way"]
    equal(what + ": crossings", [step["crossing"] for step in way], want)
    times = [step["time"] for step in way]
    check(times == sorted(times), what + ": it goes back in time")
    equal(what + ": sum of all layers", sum(step["took_ns"] for step in way[1:]),
          packet["total_ns"])
    equal(what + ": total", packet["total_ns"], times[-1] - times[0])


def check_namespaces(net, what, packet):
    equal(what + ": namespaces", (packet.get("from_netns"), packet.get("to_netns")),
          (net.inode(net.a), net.inode(net.b)))


def one_tcp_packet(net, family):
    what = "TCP over IPv%d" % (6 if family == socket.AF_INET6 else 4)
    recorder = Recorder("-e", "net.*", "--netns", net.a + "," + net.b)
    listener = net.listen(net.b, family)
    client, server = net.connect(net.a, listener)
    lport, rport = client.getsockname()[1], listener.getsockname()[1]
    client.sendall(bytes(BYTES))
    server.settimeout(10)
    equal(what + ": bytes received", len(server.recv(1000)), BYTES)
    client.close()
    server.recv(1)
    server.close()
    listener.close()
    until(net.closed, "both ends are closed")
    equal(what + ": exit status", recorder.stop(), 0)

    found = report(recorder.trace)
    ours = [one for one in found["packets"] if (one["sport"], one["dport"]) == (lport, rport)]
    read = [one for one in ours if one["end"] == "read"]
    if not equal(what + ": packets that were read", len(read), 1):
        return
    check_way(what, read[0], crossings("tcp", True))
    check_namespaces(net, what, read[0])
    equal(what + ": bytes at the socket", read[0]["way"][0]["size"], BYTES)
    # SYN, the handshake's last acknowledgement, FIN and the acknowledgement of the other's.
    check(len(ours) >= 4, "%s: %d packets from the client" % (what, len(ours)))
    for one in ours:
        check(one["end"] in ("read", "kept", "dropped") and not one["retransmission"],
              "%s: a packet of the client: %r" % (what, one["end"]))
    equal(what + ": packets that vanished", found["vanished"], 0)
    text = run(SONDE, "report", recorder.trace, "layers").stdout.splitlines()
    line = [text.index(one) for one in text
            if one.startswith("TCP %d -> %d," % (lport, rport)) and "read by" in one]
    if equal(what + ": its way as text", len(line), 1):
        equal(what + ": lines of the way",
              [one.split()[0] for one in text[line[0] + 2:line[0] + 14]], crossings("tcp", True))


def datagrams(net):
    """One that is read, and one to a port where nobody is."""
    recorder = Recorder("-e", "net.*", "--netns", net.a + "," + net.b)
    with net.inside(net.a):
        client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    with net.inside(net.b):
        server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.settimeout(10)
    server.bind((net.v4[net.b], 0))
    port = server.getsockname()[1]
    client.sendto(b"to somebody", (net.v4[net.b], port))
    server.recv(100)
    server.close()
    client.sendto(b"to nobody", (net.v4[net.b], port))
    client.close()
    equal("datagrams: exit status", recorder.stop(), 0)

    found = report(recorder.trace)
    ours = sorted((one for one in found["packets"] if one["dport"] == port),
                  key=lambda one: one["way"][0]["time"])
    if not equal("datagrams", [one["end"] for one in ours], ["read", "dropped"]):
        return
    read, dropped = ours
    check_way("UDP", read, crossings("udp", True))
    check_namespaces(net, "UDP", read)
    equal("why it is dropped", dropped.get("reason_name"), "NO_SOCKET")
    want = crossings("udp", True)
    check_way("UDP to nobody", dropped, want[:want.index("net.udp_recv") + 1] + ["net.drop"])
    drops = [(one["crossing"], one["reason_name"]) for direction in found["directions"]
             if direction.get("protocol_name") == "UDP" for one in direction["dropped_after"]]
    equal("drops", drops, [("net.udp_recv", "NO_SOCKET")])
    rows = [(row["packets"], row["meaning"], "location" in row)
            for row in report(recorder.trace, "drops")["by_reason"]
            if (row.get("protocol_name"), row.get("reason_name")) == ("UDP", "NO_SOCKET")]
    equal("report of drops", rows, [(1, "no program listens on the port", True)])


def already_under_way(net):
    """Packets are on their way while programs are attached and detached one after the other: what was
    seen of these in part has not vanished."""
    with net.inside(net.a):
        client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    with net.inside(net.b):
        server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind((net.v4[net.b], 0))
    sent, stop = [], threading.Event()

    def send():
        while not stop.wait(0.001):
            client.sendto(bytes(BYTES), server.getsockname())
            sent.append(time.monotonic())
            server.recv(1000)

    sender = threading.Thread(target=send)
    sender.start()
    until(lambda: sent, "the first datagram is read")
    recorder = Recorder("-e", "net.*", "--netns", net.a + "," + net.b)
    begin = time.monotonic()
    # So long after it was seen last a packet counts as gone.
    until(lambda: sent[-1] > begin + 1.5, "datagrams for a while")
    status = recorder.stop()
    stop.set()
    sender.join()
    client.close()
    server.close()
    equal("under way: exit status", status, 0)
    found = report(recorder.trace)
    during = sum(1 for when in sent if begin < when < begin + 1.5)
    check(found["read"] >= during, "under way: %d of %d are read" % (found["read"], during))
    equal("under way: packets that vanished", found["vanished"], 0)


def queue_length(net):
    shown = json.loads(run("tc", "-n", net.a, "-s", "-j", "qdisc", "show", "dev", "v0").stdout)
    return shown[0]["qlen"]


def full_queue(net):
    """A burst that a small queue has no room for: each datagram is read or dropped, none vanishes."""
    net.bottleneck(net.a, "tbf", "rate", "200kbit", "burst", "2k", "limit", "10k")
    recorder = Recorder("-e", "net.*", "--netns", net.a + "," + net.b)
    with net.inside(net.a):
        client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    with net.inside(net.b):
        server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind((net.v4[net.b], 0))
    port = server.getsockname()[1]
    for unused in range(BURST):
        client.sendto(bytes(1000), (net.v4[net.b], port))
    until(lambda: not queue_length(net), "the queue is empty")
    server.settimeout(1)
    read = 0
    try:
        while server.recv(2000):
            read += 1
    except socket.timeout:
        pass
    client.close()
    server.close()
    equal("burst: exit status", recorder.stop(), 0)
    ours = [one for one in report(recorder.trace)["packets"] if one["dport"] == port]
    ends = [one["end"] for one in ours]
    equal("burst: datagrams", len(ours), BURST)
    equal("burst: read", ends.count("read"), read)
    equal("burst: dropped", ends.count("dropped"), BURST - read)
    check(0 < read < BURST, "burst: %d of %d were read" % (read, BURST))
    for one in ours:
        last = one["way"][-1 if one["end"] == "read" else -2]["crossing"]
        if one["end"] == "dropped":
            check(last in ("net.dev_queue", "net.qdisc_enqueue"), "dropped after " + last)


def main():
    require_root()
    require_net()
    net = Net()
    net.bottleneck(net.a, "tbf", "rate", "1gbit", "burst", "100k", "limit", "1m")
    undisturbed(one_tcp_packet, net, socket.AF_INET)
    undisturbed(one_tcp_packet, net, socket.AF_INET6)
    undisturbed(datagrams, net)
    undisturbed(already_under_way, net)
    undisturbed(full_queue, net)
    finish()


if __name__ == "__main__":
    main()
