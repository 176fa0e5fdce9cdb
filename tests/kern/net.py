#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Every crossing of a packet's way through the stack: TCP and UDP, IPv4 and IPv6, in the right order,
always the same packet; drops with their reasons; namespaces that come and go; nothing that stays."""
import contextlib
import json
import os
import signal
import socket
import struct

from harness import (SONDE, Net, Recorder, check, equal, events, finish, require_root, run, until)
from undisturbed import Scenarios

undisturbed = Scenarios("net")

OUT = ["net.ip_send", "net.dev_queue", "net.qdisc_enqueue", "net.qdisc_dequeue", "net.dev_xmit"]
IN = ["net.dev_recv", "net.ip_recv"]
TCP_WAY = ["net.sock_send", "net.tcp_send", *OUT, *IN, "net.tcp_recv", "net.sock_recv",
           "net.app_recv"]
UDP_WAY = ["net.sock_send", "net.udp_send", *OUT, *IN, "net.udp_recv", "net.sock_recv",
           "net.app_recv"]
TCP, UDP = 6, 17
ETHERNET, IPV4, IPV6, TCP_HEADER, UDP_HEADER = 14, 20, 40, 32, 8
# Offsets in struct tcp_info, include/uapi/linux/tcp.h.
TCP_INFO = {"rto_us": 8, "srtt_us": 68, "snd_ssthresh": 76, "snd_cwnd": 80, "snd_wnd": 228,
            "rcv_wnd": 232}
SENDER = ("net.sock_send", "net.tcp_send", "net.udp_send", *OUT)


def cookie_of(sock):
    return struct.unpack("Q", sock.getsockopt(socket.SOL_SOCKET, 57, 8))[0]


def version(family):
    return "IPv6" if family == socket.AF_INET6 else "IPv4"


def header_of(name, family, transport):
    """Bytes in front of the payload that the layer sees."""
    ip = IPV6 if family == socket.AF_INET6 else IPV4
    if name in ("net.ip_send", "net.ip_recv", "net.tcp_recv", "net.udp_recv"):
        return ip + transport
    return ETHERNET + ip + transport if name in OUT + IN else 0


def check_way(what, way, net, family, ends, size, transport):
    """@way: the events of one packet, in order of time; @ends: (local, remote) of the sender."""
    names = [event["event"] for event in way]
    wanted = TCP_WAY if transport == TCP_HEADER else UDP_WAY
    if not equal(what + ": crossings in order", names, wanted):
        return
    number = next(event["fields"]["packet"] for event in way if event["event"] == "net.ip_send")
    for event in way:
        name, fields = event["event"], event["fields"]
        where = net.a if name in SENDER else net.b
        equal("%s: %s: namespace" % (what, name), fields["netns"], net.inode(where))
        equal("%s: %s: bytes" % (what, name), fields["size"],
              size + header_of(name, family, transport))
        equal("%s: %s: protocol and family" % (what, name), (fields["protocol"], fields["family"]),
              (TCP if transport == TCP_HEADER else UDP, int(family)))
        if name in OUT + IN + ["net.tcp_recv", "net.udp_recv", "net.sock_recv"]:
            equal("%s: %s: packet and ends" % (what, name),
                  (fields["packet"], fields["sport"], fields["dport"]), (number, *ends))
    identifications = {event["fields"]["ip_id"] for event in way
                       if event["event"] in OUT + IN + ["net.tcp_recv", "net.udp_recv"]}
    equal(what + ": one identification of IP", len(identifications), 1)
    for event in way:
        if "ifindex" in event["fields"]:
            name = net.a if event["event"] in SENDER else net.b
            equal("%s: %s: device" % (what, event["event"]), event["fields"]["ifindex"],
                  json.loads(run("ip", "-n", name, "-j", "link", "show", "v0").stdout)[0]["ifindex"])
    if family == socket.AF_INET6:
        equal(what + ": IPv6 has none", identifications, {0})


def tcp_way(net, family):
    """What is sent once a connection is there: each byte goes its way alone."""
    what = "TCP over " + version(family)
    listener = net.listen(net.b, family)
    client, server = net.connect(net.a, listener)
    ends = (client.getsockname()[1], server.getsockname()[1])
    cookies = (cookie_of(client), cookie_of(server))
    recorder = Recorder("-e", "net.*", "--netns", net.a + "," + net.b)
    client.send(bytes(100))
    server.recv(1000)
    equal(what + ": exit status", recorder.stop(), 0)
    for sock in (client, server, listener):
        sock.close()
    way = [event for event in events(recorder.trace, "-e", "net")
           if (event["fields"]["sport"], event["fields"]["dport"]) == ends]
    check_way(what, way, net, family, ends, 100, TCP_HEADER)
    sequence = {event["fields"]["seq"] for event in way if event["event"] != "net.sock_send"}
    equal(what + ": one sequence number", len(sequence), 1)
    for event in way:
        if event["event"] in SENDER:
            equal("%s: %s: socket" % (what, event["event"]), event["fields"]["cookie"], cookies[0])
    for name in ("net.sock_recv", "net.app_recv"):
        equal("%s: %s: socket" % (what, name),
              [event["fields"]["cookie"] for event in way if event["event"] == name], [cookies[1]])


def datagrams(net, family):
    with net.inside(net.a):
        client = socket.socket(family, socket.SOCK_DGRAM)
    with net.inside(net.b):
        server = socket.socket(family, socket.SOCK_DGRAM)
    server.bind((net.address(net.b, family), 0))
    client.bind((net.address(net.a, family), 0))
    client.connect(server.getsockname()[:2])
    return client, server


def unconnected(net, family):
    """A socket that is not connected tells each call where to send: so does the record, and a filter
    goes by that."""
    what = "unconnected UDP over " + version(family)
    with net.inside(net.a):
        client = socket.socket(family, socket.SOCK_DGRAM)
    with net.inside(net.b):
        server = socket.socket(family, socket.SOCK_DGRAM)
    server.bind((net.address(net.b, family), 0))
    port = server.getsockname()[1]
    for filters in ((), ("--port", str(port)), ("--addr", net.address(net.b, family))):
        recorder = Recorder("-e", "net.sock_send,net.udp_send", "--netns", net.a, *filters)
        client.sendto(b"12345", (net.address(net.b, family), port))
        client.sendmsg([b"123", b"4"], [], 0, (net.address(net.b, family), port))
        for bytes_sent in (5, 4):
            equal(what + ": received", len(server.recv(100)), bytes_sent)
        equal(what + ": exit status", recorder.stop(), 0)
        found = [event for event in events(recorder.trace, "-e", "net.*_send")
                 if event["tid"] == os.getpid()]
        equal("%s: sends with %s" % (what, filters),
              [(event["event"], event["fields"]["dport"], event["fields"]["size"])
               for event in found],
              [(name, port, size) for size in (5, 4) for name in ("net.sock_send", "net.udp_send")])


def numbers(net):
    """A socket has its number in each record from the first one on: one that was there before, one that is
    made meanwhile, and one that is accepted."""
    def made():
        with net.inside(net.a):
            return socket.socket(socket.AF_INET, socket.SOCK_DGRAM)

    with net.inside(net.b):
        server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind((net.address(net.b, socket.AF_INET), 0))
    to = server.getsockname()
    before = made()
    recorder = Recorder("-e", "net.sock_send,net.udp_send", "--pid", str(os.getpid()))
    after = made()
    for sock in (before, after):
        sock.sendto(b"1", to)
    listener = net.listen(net.b)
    client, accepted = net.connect(net.a, listener)
    accepted.send(b"1")
    equal("numbers: exit status", recorder.stop(), 0)
    # Asked for now, since that alone gives a socket its number.
    wanted = [cookie_of(sock) for sock in (before, before, after, after, accepted)]
    equal("numbers", [event["fields"]["cookie"] for event in
                      events(recorder.trace, "-e", "net.sock_send,net.udp_send")
                      if event["tid"] == os.getpid()],
          wanted)
    for sock in (before, after, server, listener, client, accepted):
        sock.close()


def udp_way(net, family):
    what = "UDP over " + version(family)
    client, server = datagrams(net, family)
    client.send(b"neighbours get to know each other")
    server.recv(1000)
    ends = (client.getsockname()[1], server.getsockname()[1])
    recorder = Recorder("-e", "net.*", "--netns", net.a + "," + net.b)
    client.send(bytes(100))
    server.recv(1000)
    equal(what + ": exit status", recorder.stop(), 0)
    way = [event for event in events(recorder.trace, "-e", "net")
           if event["fields"]["dport"] == ends[1]]
    check_way(what, way, net, family, ends, 100, UDP_HEADER)
    found = [event["fields"]["cookie"] for event in way if event["event"] == "net.app_recv"]
    equal(what + ": net.app_recv: socket", found, [cookie_of(server)])
    client.close()
    server.close()


def errors_are_sizes(net):
    client, server = datagrams(net, socket.AF_INET)
    server.setblocking(False)
    recorder = Recorder("-e", "net.sock_send,net.app_recv", "--netns", net.a + "," + net.b)
    with contextlib.suppress(BlockingIOError):
        server.recv(100)
    with contextlib.suppress(OSError):
        client.send(bytes(70000))
    equal("errors: exit status", recorder.stop(), 0)
    sizes = [(event["event"], event["fields"]["size"]) for event in
             events(recorder.trace, "-e", "net")]
    equal("what failed", sizes, [("net.app_recv", -11), ("net.sock_send", 70000),
                                 ("net.sock_send", -90)])
    client.close()
    server.close()


def drops(net):
    """Nobody listens; and a queue that has no room."""
    client, server = datagrams(net, socket.AF_INET)
    port = server.getsockname()[1]
    server.close()
    recorder = Recorder("-e", "net.drop", "--netns", net.a + "," + net.b, "--port", str(port))
    client.send(b"nobody")
    with contextlib.suppress(ConnectionRefusedError):
        client.recv(100)
    equal("drops: exit status", recorder.stop(), 0)
    found = [(event["names"]["reason"], event["fields"]["netns"], event["fields"]["dport"],
              event["fields"]["location"] != 0) for event in events(recorder.trace, "-e", "net")]
    equal("dropped where nobody listens", found, [("NO_SOCKET", net.inode(net.b), port, True)])
    client.close()


def ends_of(event):
    """What a dropped packet is of, as its headers say."""
    fields, names = event["fields"], event["names"]
    return (names["family"], names["protocol"], fields["saddr"], fields["sport"], fields["daddr"],
            fields["dport"])


def drops_have_addresses(net):
    recorder = Recorder("-e", "net.drop", "--netns", net.b, "--port", "9")
    want = []
    for family, addresses, name in ((socket.AF_INET, net.v4, "IPV4"), (socket.AF_INET6, net.v6, "IPV6")):
        with net.inside(net.a):
            udp = socket.socket(family, socket.SOCK_DGRAM)
            tcp = socket.socket(family, socket.SOCK_STREAM)
        for sender, protocol in ((udp, "UDP"), (tcp, "TCP")):
            sender.bind((addresses[net.a], 0))
            with contextlib.suppress(ConnectionRefusedError):
                sender.connect((addresses[net.b], 9))
                sender.send(b"x")
            want.append((name, protocol, addresses[net.a], sender.getsockname()[1], addresses[net.b], 9))
            sender.close()
    equal("addresses: exit status", recorder.stop(), 0)
    found = [ends_of(event) for event in events(recorder.trace, "-e", "net.drop")
             if event["names"]["reason"] == "NO_SOCKET"]
    equal("ends of dropped packets", sorted(found), sorted(want))


def ipv4_header(net, length, protocol=17, words=5, fragment=0):
    source, dest = (socket.inet_pton(socket.AF_INET, net.v4[name]) for name in (net.a, net.b))
    header = struct.pack("!BBHHHBBH", 0x40 | words, 0, length, 7, fragment, 64, protocol, 0) + source + dest
    total = sum(struct.unpack("!10H", header))
    total = (total & 0xffff) + (total >> 16)
    check = ~((total & 0xffff) + (total >> 16)) & 0xffff
    return header[:10] + struct.pack("!H", check) + header[12:]


def ipv6_header(net, length, following=17):
    source, dest = (socket.inet_pton(socket.AF_INET6, net.v6[name]) for name in (net.a, net.b))
    return struct.pack("!IHBB", 6 << 28, length, following, 64) + source + dest


def is_refused(client):
    try:
        client.send(b"x")
        client.recv(100)
    except ConnectionRefusedError:
        return True
    except TimeoutError:
        return False
    raise AssertionError("an answer to nothing")


def short_packets(net):
    """What a packet does not have is not known, whatever lies behind it in memory."""
    unknown = ("OTHER", "NONE", "::", 0, "::", 0)
    v4 = ("IPV4", "UDP", net.v4[net.a], 0, net.v4[net.b], 0)
    v6 = ("IPV6", "UDP", net.v6[net.a], 0, net.v6[net.b], 0)
    ports = struct.pack("!HH", 1234, 9)
    sent = (
        ("IPv4: half of a header", 0x800, ipv4_header(net, 28)[:12], unknown),
        ("IPv4: half of UDP's header", 0x800, ipv4_header(net, 24) + ports, v4),
        ("IPv4: a header of 12 bytes", 0x800, ipv4_header(net, 28, words=3) + ports + bytes(4), v4),
        ("IPv4: options that are not there", 0x800, ipv4_header(net, 28, words=15) + ports + bytes(4), v4),
        ("IPv4: half of TCP's header", 0x800, ipv4_header(net, 32, 6) + ports + bytes(8),
         v4[:1] + ("TCP",) + v4[2:]),
        ("IPv6: half of a header", 0x86dd, ipv6_header(net, 8)[:20], unknown),
        ("IPv6: half of UDP's header", 0x86dd, ipv6_header(net, 4) + ports, v6),
        ("IPv6: whole, to a closed port", 0x86dd, ipv6_header(net, 9) + ports + struct.pack("!HH", 9, 1) + b"x",
         v6[:3] + (1234,) + v6[4:5] + (9,)),
    )
    with net.inside(net.a):
        raw = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM)
        last = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    last.settimeout(0.3)
    last.connect((net.v4[net.b], 9))
    [device] = json.loads(run("ip", "-n", net.b, "-j", "link", "show", "v0").stdout)
    mac = bytes.fromhex(device["address"].replace(":", ""))
    for what, protocol, packet, want in sent:
        # What was in that memory before.
        for _ in range(8):
            raw.sendto(b"\x45" * 200, ("v0", 0x88b5, 0, 0, mac))
        recorder = Recorder("-e", "net.drop", "--netns", net.b)
        raw.sendto(packet, ("v0", protocol, 0, 0, mac))
        # One behind it, to which there is an answer; but only to so many in a second.
        until(lambda: is_refused(last), what + " arrives")
        equal(what + ": exit status", recorder.stop(), 0)
        found = [ends_of(event) for event in events(recorder.trace, "-e", "net.drop")
                 if event["fields"]["sport"] != last.getsockname()[1]]
        check(want in found, "%s: got %s, want %s" % (what, found, want))
        others = [one for one in found if one != want and one[1] != "ICMPV6" and one[0] != "OTHER"]
        equal(what + ": others", others, [])
    raw.close()
    last.close()


def overflow():
    """A bottleneck takes some packets of a burst, and drops the others: as tc counts. Of two namespaces with
    IPv4 alone, so that the kernel itself sends nothing."""
    net = Net()
    for name in (net.a, net.b):
        run("ip", "netns", "exec", name, "sh", "-c", "echo 1 >/proc/sys/net/ipv6/conf/all/disable_ipv6")
    net.bottleneck(net.a, "tbf", "rate", "20mbit", "burst", "16kb", "limit", "60kb")
    client, server = datagrams(net, socket.AF_INET)
    client.send(b"neighbours get to know each other")
    server.recv(1000)
    until(lambda: queue_length(net) == 0, "the queue is empty")
    recorder = Recorder("-e", "net.drop,net.qdisc_*", "--netns", net.a)
    before = queue_drops(net)
    for unused in range(200):
        client.send(bytes(1000))
    until(lambda: queue_length(net) == 0, "the queue is empty")
    dropped = queue_drops(net) - before
    equal("overflow: exit status", recorder.stop(), 0)
    shown = events(recorder.trace, "-e", "net")
    counts = {name: sum(event["event"] == name for event in shown) for name in
              ("net.drop", "net.qdisc_enqueue", "net.qdisc_dequeue")}
    check(dropped > 0, "the bottleneck is none")
    equal("drops of sonde and tc", counts["net.drop"], dropped)
    check(counts["net.qdisc_enqueue"] >= 200 - dropped,
          "%d packets of 200 are put into the queue, %d dropped" %
          (counts["net.qdisc_enqueue"], dropped))
    equal("packets that came out", counts["net.qdisc_dequeue"], counts["net.qdisc_enqueue"])
    reasons = {event["names"]["reason"] for event in shown if event["event"] == "net.drop"}
    check(all("QDISC" in reason for reason in reasons), "reasons of drops: %s" % reasons)
    queued = [event for event in shown if event["event"] == "net.qdisc_enqueue"]
    equal("kind of queue", {event["fields"]["kind"] for event in queued}, {"tbf"})
    check(max(event["fields"]["qlen"] for event in queued) > 10, "the queue never grew")
    equal("its handle", {"%x:" % (event["fields"]["handle"] >> 16) for event in queued},
          {queue(net)["handle"]})
    last = [event["fields"] for event in shown if event["event"] == "net.qdisc_dequeue"][-1]
    equal("at its end: packets, bytes, drops as tc says", (last["qlen"], last["backlog"],
                                                          last["drops"] - before),
          (0, 0, dropped))
    client.close()
    server.close()


def queue(net):
    return json.loads(run("tc", "-n", net.a, "-s", "-j", "qdisc", "show", "dev", "v0").stdout)[0]


def queue_drops(net):
    return queue(net)["drops"]


def queue_length(net):
    return queue(net)["qlen"]


def detail(net):
    """Fields that a brief record lacks, against what TCP itself says."""
    listener = net.listen(net.b)
    client, server = net.connect(net.a, listener)
    client.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, 0x20)
    recorder = Recorder("-e", "net.ip_send", "--detail", "full", "--netns", net.a)
    info = client.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 240)
    client.send(bytes(100))
    server.recv(1000)
    equal("detail: exit status", recorder.stop(), 0)
    found = [event["fields"] for event in events(recorder.trace, "-e", "net")
             if event["fields"]["sport"] == client.getsockname()[1]]
    if check(len(found) == 1, "detail: %d packets of one send" % len(found)):
        one = found[0]
        equal("detail: IP header", (one["version"], one["tos"], one["ttl"], one["frag_off"]),
              (4, 0x20, 64, 0x4000))
        equal("detail: TCP flags", one["flags"], 0x18)
        for name, at in TCP_INFO.items():
            equal("detail: %s of sonde and TCP_INFO" % name, one[name],
                  struct.unpack_from("I", info, at)[0])
        equal("detail: all that is written is sent", one["write_seq"], one["seq"] + 100)
        equal("detail: nothing is in flight, sent again", (one["packets_out"], one["retrans_out"]),
              (0, 0))
    brief = run(SONDE, "record", "-e", "net.ip_send", "-d", "10ms", "-q", "-o",
                recorder.trace + "-brief")
    with open(recorder.trace + "-brief/metadata", encoding="ascii") as file:
        check(brief.returncode == 0 and "snd_cwnd" not in file.read(),
              "a brief recording describes what it does not have")
    for sock in (client, server, listener):
        sock.close()


def filters(net):
    """--port and --addr look into packets, --pid at sockets."""
    listener = net.listen(net.b)
    client, server = net.connect(net.a, listener)
    others = net.connect(net.a, listener)
    port, other = client.getsockname()[1], others[0].getsockname()[1]
    for arguments, whole in ((["--port", str(port)], True),
                             (["--addr", net.v4[net.a], "--port", str(port)], True),
                             (["--addr", "10.1.2.3"], False),
                             (["--pid", str(os.getpid()), "--port", str(port)], None)):
        recorder = Recorder("-e", "net", *arguments)
        for ours, theirs in ((client, server), others):
            ours.send(bytes(100))
            theirs.recv(1000)
        # A filter by task does not see what comes before a packet's socket is known.
        equal("%s: exit status" % arguments, recorder.stop(), 0 if whole is not None else 6)
        names = [event["event"] for event in events(recorder.trace, "-e", "net")
                 if event["fields"]["sport"] == port]
        ports = {end for event in events(recorder.trace, "-e", "net")
                 for end in (event["fields"]["sport"], event["fields"]["dport"])}
        check(other not in ports, "%s: another connection's packets" % arguments)
        if whole:
            equal("%s: crossings" % arguments, names, TCP_WAY)
        elif whole is None:  # below the receiving socket nobody knows whose a packet is
            check({"net.sock_send", "net.ip_send", "net.dev_xmit", "net.app_recv"} <= set(names),
                  "%s: crossings %s" % (arguments, names))
        else:
            equal("%s: crossings" % arguments, names, [])
    for sock in (client, server, *others, listener):
        sock.close()


def loopback(name):
    """Sends a datagram to itself within a namespace."""
    run("ip", "netns", "exec", name, "python3", "-c", """
import socket
a = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
a.bind(("127.0.0.1", 7791))
a.sendto(b"x", ("127.0.0.1", 7791))
a.recv(10)
""")


def a_new_namespace_is_seen(net):
    name = net.a + "new"
    recorder = Recorder("-e", "net.ip_send", "-a", "--port", "7791")
    run("ip", "netns", "add", name)
    inode = net.inode(name)
    run("ip", "-n", name, "link", "set", "lo", "up")
    seen = []

    def is_seen():
        loopback(name)
        recorder.send(signal.SIGUSR2)
        seen.extend(event for event in events(recorder.trace, "-e", "net")
                    if event["fields"]["netns"] == inode)
        return seen

    try:
        until(is_seen, "a namespace made meanwhile is seen")
    finally:
        run("ip", "netns", "del", name)
    equal("new namespace: exit status", recorder.stop(), 0)


def a_namespace_can_go(net):
    """Our hooks do not keep it: its devices go with it."""
    name, device = net.a + "old", "vo%d" % os.getpid()
    run("ip", "netns", "add", name)
    run("ip", "link", "add", device, "type", "veth", "peer", "name", "v0", "netns", name)
    recorder = Recorder("-e", "net", "-a", "--port", "7791")
    run("ip", "netns", "del", name)
    until(lambda: not os.path.exists("/sys/class/net/" + device), "the namespace goes")
    equal("old namespace: exit status", recorder.stop(), 0)


def links_of(pid):
    found = set()
    for entry in os.scandir("/proc/%d/fdinfo" % pid):
        # It may be closed meanwhile.
        with contextlib.suppress(FileNotFoundError), open(entry.path, encoding="ascii") as file:
            found |= {int(line.split()[1]) for line in file if line.startswith("link_id:")}
    return found


def nothing_stays_behind(net):
    recorder = Recorder("-e", "net", "--netns", net.a + "," + net.b)
    ours = links_of(recorder.pid)
    check(len(ours) > 12, "%d links with all crossings in two namespaces" % len(ours))
    recorder.kill()

    def are_gone():
        listing = json.loads(run("bpftool", "-j", "link", "show").stdout)
        return not ours & {one["id"] for one in listing}

    until(are_gone, "the links of a killed recorder are gone")


def two_recorders(net):
    """Each has its own hooks, and both see the same."""
    client, server = datagrams(net, socket.AF_INET)
    client.send(b"neighbours")
    server.recv(100)
    both = [Recorder("-e", "net.ip_*", "--netns", net.a + "," + net.b) for unused in range(2)]
    client.send(bytes(10))
    server.recv(100)
    seen = []
    for recorder in both:
        equal("two recorders: exit status", recorder.stop(), 0)
        seen.append([(event["event"], event["fields"]["ip_id"]) for event in
                     events(recorder.trace, "-e", "net")
                     if event["fields"]["protocol"] == UDP])
    equal("two recorders: crossings", [name for name, unused in seen[0]],
          ["net.ip_send", "net.ip_recv"])
    equal("two recorders: the same", seen[0], seen[1])
    client.close()
    server.close()


def main():
    require_root()
    net = Net()
    net.bottleneck(net.a, "tbf", "rate", "20mbit", "burst", "16kb", "limit", "60kb")
    net.send_once()
    for family in (socket.AF_INET, socket.AF_INET6):
        undisturbed(tcp_way, net, family)
        undisturbed(udp_way, net, family)
        undisturbed(unconnected, net, family)
    for test in (numbers, errors_are_sizes, drops, drops_have_addresses, short_packets, detail, filters,
                 two_recorders, a_new_namespace_is_seen, a_namespace_can_go, nothing_stays_behind):
        undisturbed(test, net)
    undisturbed(overflow)
    finish()


main()
