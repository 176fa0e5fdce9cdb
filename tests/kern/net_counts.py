#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The net group counts as others do, in the same run: the device's counters, tcpdump, and nstat's of
IP, TCP and UDP; packets and bytes, exactly."""
import ctypes
import fcntl
import socket
import struct
import threading

from capture import Capture
from harness import Net, Recorder, equal, events, finish, require_root, run, until
from undisturbed import Scenarios

undisturbed = Scenarios("net")

BYTES = 3 << 20
DATAGRAMS = 50
SIOCETHTOOL = 0x8946
OFFLOADS = (0x1f, 0x24, 0x2c)  # include/uapi/linux/ethtool.h: ETHTOOL_STSO, _SGSO, _SGRO


def quiet(net):
    """IPv4 alone, and neighbours that know each other: nothing is sent but what is asked for."""
    for name, other in ((net.a, net.b), (net.b, net.a)):
        inside = ["ip", "netns", "exec", name]
        run(*inside, "sh", "-c", "echo 1 > /proc/sys/net/ipv6/conf/all/disable_ipv6")
        link = run("ip", "-n", other, "-br", "link", "show", "v0").stdout.split()[2]
        run("ip", "-n", name, "neigh", "replace", net.v4[other], "lladdr", link, "dev", "v0")


def switch_off(net):
    """What `ethtool -K v0 tso off gso off gro off` does, which is not installed everywhere."""
    for name in (net.a, net.b):
        with net.inside(name), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
            for command in OFFLOADS:
                value = ctypes.create_string_buffer(struct.pack("II", command, 0))
                fcntl.ioctl(sock, SIOCETHTOOL, struct.pack(
                    "16sP", b"v0", ctypes.addressof(value)).ljust(40, b"\0"))


def device(name):
    """(received packets, bytes, sent packets, bytes) of v0."""
    text = run("ip", "netns", "exec", name, "cat", "/proc/net/dev").stdout
    numbers = next(line for line in text.splitlines() if line.strip().startswith("v0:"))
    numbers = [int(word) for word in numbers.split(":")[1].split()]
    return numbers[1], numbers[0], numbers[9], numbers[8]


def counters(name):
    text = run("ip", "netns", "exec", name, "nstat", "-az").stdout
    return {line.split()[0]: int(line.split()[1]) for line in text.splitlines()
            if not line.startswith("#")}


def tcp(net):
    listener = net.listen(net.b)
    client, server = net.connect(net.a, listener)
    reader = threading.Thread(target=lambda: [None for unused in iter(lambda: server.recv(1 << 16),
                                                                      b"")])
    reader.start()
    client.sendall(bytes(BYTES))
    client.shutdown(socket.SHUT_WR)
    reader.join()
    server.close()
    client.close()
    listener.close()


def udp(net):
    with net.inside(net.a):
        client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    with net.inside(net.b):
        server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind((net.v4[net.b], 0))
    for i in range(DATAGRAMS):
        client.sendto(bytes(100 + i), server.getsockname())
        server.recv(2000)
    client.close()
    server.close()


def look(net):
    return {name: (device(name), counters(name)) for name in (net.a, net.b)}


def pick(shown, name, inode, protocol=None):
    return [event["fields"] for event in shown if event["event"] == name and
            event["fields"]["netns"] == inode and
            protocol in (None, event["fields"]["protocol"])]


def total(found):
    return len(found), sum(one["size"] for one in found)


def segments(found):
    return sum(max(1, one["segments"]) for one in found)


def compare_device(what, shown, inode, before, after):
    grown = [new - old for new, old in zip(after, before)]
    sent = [one for one in pick(shown, "net.dev_xmit", inode) if not one["result"]]
    equal(what + ": received packets and bytes of sonde and /proc/net/dev",
          total(pick(shown, "net.dev_recv", inode)), tuple(grown[:2]))
    equal(what + ": sent packets and bytes of sonde and /proc/net/dev", total(sent),
          tuple(grown[2:]))


def compare_counters(what, shown, inode, before, after):
    def grown(name):
        return after[name] - before.get(name, 0)

    def one(text, mine, name):
        equal("%s: %s of sonde and %s" % (what, text, name), mine, grown(name))

    received, sent = pick(shown, "net.ip_recv", inode), pick(shown, "net.ip_send", inode)
    one("packets received by IP", len(received), "IpInReceives")
    one("bytes received by IP", total(received)[1], "IpExtInOctets")
    one("packets sent by IP", len(sent), "IpOutRequests")
    one("bytes sent by IP", total(sent)[1], "IpExtOutOctets")
    one("segments received by TCP", len(pick(shown, "net.tcp_recv", inode)), "TcpInSegs")
    # What is sent again is not among TcpOutSegs.
    equal(what + ": segments sent by TCP of sonde and TcpOutSegs with TcpRetransSegs",
          segments(pick(shown, "net.ip_send", inode, 6)),
          grown("TcpOutSegs") + grown("TcpRetransSegs"))
    one("datagrams received by UDP", len(pick(shown, "net.udp_recv", inode)), "UdpInDatagrams")
    one("datagrams sent by UDP", len(pick(shown, "net.ip_send", inode, 17)), "UdpOutDatagrams")


def settled(net, before):
    """Both ends are closed, and IP has received all segments and datagrams of the other side."""
    def grown(side, *names):
        now = counters(side)
        return sum(now[name] - before[side][1].get(name, 0) for name in names)

    return net.closed() and all(
        grown(one, "IpExtInNoECTPkts") ==
        grown(other, "TcpOutSegs", "TcpRetransSegs", "UdpOutDatagrams")
        for one, other in ((net.a, net.b), (net.b, net.a)))


def measure(net, offloads):
    what = "offloads " + ("on" if offloads else "off")
    capture = Capture(net.a)
    recorder = Recorder("-e", "net", "--detail", "full", "--netns", net.a + "," + net.b)
    before = look(net)
    tcp(net)
    udp(net)
    # What is still under way: the ends of a connection.
    until(lambda: settled(net, before), "nothing moves any more")
    after = look(net)
    status = recorder.stop()
    equal(what + ": exit status: " + recorder.stderr, status, 0)
    shown = events(recorder.trace, "-e", "net")
    for name in (net.a, net.b):
        inode, here = net.inode(name), "%s, %s" % (what, "sender" if name == net.a else "receiver")
        compare_device(here, shown, inode, before[name][0], after[name][0])
        compare_counters(here, shown, inode, before[name][1], after[name][1])
    sent = [one for one in pick(shown, "net.dev_xmit", net.inode(net.a)) if not one["result"]]
    both = sent + pick(shown, "net.dev_recv", net.inode(net.a))
    until(lambda: len(capture.lengths()) >= len(both), "tcpdump has written what there was")
    lengths = capture.lengths()
    if not capture.stop():
        equal(what + ": packets and bytes of sonde and tcpdump", total(both),
              (len(lengths), sum(lengths)))
    written = pick(shown, "net.sock_send", net.inode(net.a))
    equal(what + ": bytes that the application sends", sum(one["size"] for one in written),
          BYTES + sum(100 + i for i in range(DATAGRAMS)))
    equal(what + ": bytes that TCP is given",
          total(pick(shown, "net.tcp_send", net.inode(net.a)))[1], BYTES)
    taken = [one for one in pick(shown, "net.app_recv", net.inode(net.b)) if one["size"] > 0]
    equal(what + ": bytes that the application takes", sum(one["size"] for one in taken),
          BYTES + sum(100 + i for i in range(DATAGRAMS)))


def main():
    require_root()
    net = Net()
    quiet(net)
    undisturbed(measure, net, True)
    switch_off(net)
    undisturbed(measure, net, False)
    finish()


main()
