#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""A connection that is closed while most of its data has yet to be sent: tcp.ack has each segment
that tcpdump sees, to the end, and its snapshots have what ss shows meanwhile."""
import os
import socket
import struct

from capture import Capture
from harness import Net, Recorder, check, equal, events, finish, require_root, run, until
from ss_witness import ask_ss
from undisturbed import Scenarios

undisturbed = Scenarios("tcp")

QUEUED = 6 << 20
RESPONSE, SHORT_RESPONSE = 2 << 20, 120
REQUEST = b"GET / HTTP/1.0\r\n\r\n"
FIN_WAIT1 = 4
SO_SNDBUFFORCE = 32
FIN, SYN = 1, 2


def segments_to(capture, port):
    """(flags, bytes of the segment with its header) of those that tcpdump saw arrive."""
    found = []
    for unused, frame in capture.packets():
        head = (frame[14] & 15) * 4
        total, = struct.unpack_from(">H", frame, 16)
        if struct.unpack_from(">H", frame, 14 + head + 2)[0] == port:
            found.append((frame[14 + head + 13], total - head))
    return found


def read_all(sock, other, before_close):
    """In a child, which waits for @before_close when it has everything. The other end is ours alone:
    it ends when we close it."""
    child = os.fork()
    if not child:
        other.close()
        while sock.recv(1 << 18):
            pass
        before_close()
        sock.close()
        os._exit(0)
    sock.close()
    return child


def state_in_ss(name, port):
    return run("ip", "netns", "exec", name, "ss", "-tnOHa", "sport", "=", ":%d" % port,
               ).stdout.split()[:1]


def sample_ss(name, port):
    """What ss shows as long as the end is not acknowledged."""
    samples = []
    while state_in_ss(name, port) == ["FIN-WAIT-1"]:
        samples.append(ask_ss(name, port))
    return [one for one in samples if "bytes_acked" in one and "FIN-WAIT-1" in one["words"]]


def compare(what, recorder, capture, net, port, expected):
    """@expected picks of tcpdump's segments those that arrive on the connection."""
    until(net.closed, "both ends are closed")
    equal(what + ": exit status", recorder.stop(), 0)
    until(lambda: any(flags & FIN for flags, unused in segments_to(capture, port)),
          "tcpdump has written what there was")
    equal(what + ": packets that tcpdump lost", capture.stop(), 0)
    shown = [event for event in events(recorder.trace) if event["fields"].get("lport") == port]
    acks = [event["fields"] for event in shown if event["event"] == "tcp.ack"]
    seen = [length for flags, length in expected(segments_to(capture, port))]
    equal(what + ": segments of sonde and tcpdump", len(acks), len(seen))
    equal(what + ": segments whose bytes differ, of sonde and tcpdump",
          [pair for pair in zip([one["callvalue"] for one in acks], seen) if pair[0] != pair[1]], [])
    return shown, acks


def queued(net):
    """6 MiB in the send buffer, then shutdown()."""
    capture = Capture(net.a)
    recorder = Recorder("-e", "tcp.ack,tcp.cwnd", "--netns", net.a)
    listener = net.listen(net.b)
    client, server = net.connect(net.a, listener)
    listener.close()
    client.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, b"cubic")
    client.setsockopt(socket.SOL_SOCKET, SO_SNDBUFFORCE, 2 * QUEUED)
    port = client.getsockname()[1]
    child = read_all(server, client, lambda: None)
    client.sendall(bytes(QUEUED))
    client.shutdown(socket.SHUT_WR)
    samples = sample_ss(net.a, port)
    equal("queued: what the other side sends", client.recv(1), b"")
    client.close()
    os.waitpid(child, 0)
    shown, acks = compare("queued", recorder, capture, net, port,
                          lambda seen: [one for one in seen if not one[0] & SYN])
    closing = [one for one in acks if one["state"] == FIN_WAIT1]
    check(len(closing) > len(acks) // 2, "queued: %d of %d segments in FIN_WAIT1" %
          (len(closing), len(acks)))
    windows = {(one["bytes_acked"], one["snd_cwnd"]) for one in acks}
    check(samples, "queued: ss was never asked in FIN_WAIT1")
    equal("queued: in FIN_WAIT1, seen by ss, never by sonde",
          {(int(one["bytes_acked"]), int(one["cwnd"])) for one in samples} - windows, set())
    changes = [event["fields"] for event in shown if event["event"] == "tcp.cwnd" and
               event["fields"]["state"] == FIN_WAIT1]
    equal("queued: windows in FIN_WAIT1, of tcp.cwnd and of tcp.ack",
          {one["snd_cwnd"] for one in closing} - {one["snd_cwnd"] for one in changes} -
          {changes[0]["old_cwnd"]}, set())


def response(net, size):
    """A server answers a request and closes its end at once."""
    what = "a response of %d bytes" % size
    capture = Capture(net.b)
    recorder = Recorder("-e", "tcp.ack", "--netns", net.b)
    listener = net.listen(net.b)
    port = listener.getsockname()[1]
    client, server = net.connect(net.a, listener)
    listener.close()
    server.setsockopt(socket.SOL_SOCKET, SO_SNDBUFFORCE, 2 * RESPONSE)
    client.send(REQUEST)
    equal(what + ": the request", server.recv(100), REQUEST)
    child = read_all(client, server, lambda: until(
        lambda: state_in_ss(net.b, port) == ["FIN-WAIT-2"], "the end is acknowledged"))
    server.sendall(bytes(size))
    server.close()
    os.waitpid(child, 0)
    # The first one completes the handshake: until then there is a request, and no connection. When
    # the last one comes, the socket that nobody uses has given way to what TIME_WAIT takes.
    unused, acks = compare(what, recorder, capture, net, port,
                           lambda seen: [one for one in seen if not one[0] & (SYN | FIN)][1:])
    check(any(one["state"] == FIN_WAIT1 for one in acks), what + ": no segment in FIN_WAIT1")


require_root()
veth = Net()
for side in (veth.a, veth.b):
    veth.bottleneck(side, "tbf", "rate", "20mbit", "burst", "16kb", "limit", "60kb")
undisturbed(queued, veth)
for many in (RESPONSE, SHORT_RESPONSE):
    undisturbed(response, veth, many)
finish()
