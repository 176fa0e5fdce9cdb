#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What Sonde records of TCP connections, and what the kernel's own tracer does in the same run, of
the same tracepoints: event by event, field by field, the same."""
import ipaddress
import os
import socket
import struct

import ftrace
from ftrace import among, fields_of, named, same
from harness import Net, Recorder, check, equal, events, finish, require_root, until
from undisturbed import Scenarios

undisturbed = Scenarios("tcp")

BYTES = 4 << 20
CWR, RECOVERY = 2, 3
ESTABLISHED = 1
EVENTS = ["tcp/tcp_probe", "tcp/tcp_retransmit_skb", "tcp/tcp_cong_state_set",
          "sock/inet_sock_set_state", "tcp/tcp_send_reset", "tcp/tcp_receive_reset",
          "tcp/tcp_destroy_sock", "tcp/tcp_rcv_space_adjust", "tcp/tcp_rcvbuf_grow"]


def of_socket_address(raw):
    """(16 bytes as IPv6 has them, port) of a struct sockaddr_in or sockaddr_in6."""
    family, = struct.unpack_from("<H", raw)
    port, = struct.unpack_from(">H", raw, 2)
    address = raw[8:24] if family == socket.AF_INET6 else mapped(raw[4:8])
    return address, port


def mapped(four):
    return bytes(10) + b"\xff\xff" + four


def as_bytes(text):
    address = ipaddress.ip_address(text)
    return mapped(address.packed) if address.version == 4 else address.packed


def ends_of_sonde(one):
    return as_bytes(one["saddr"]), one["lport"], as_bytes(one["daddr"]), one["rport"]


def ends_of_kernel(one):
    if len(one["saddr"]) == 28:
        return *of_socket_address(one["saddr"]), *of_socket_address(one["daddr"])
    # The socket's other addresses stay what they were where it has none of IPv6.
    four = one["family"] == socket.AF_INET
    return (mapped(one["saddr"]) if four else one["saddr_v6"], one["sport"],
            mapped(one["daddr"]) if four else one["daddr_v6"], one["dport"])


def threshold(one):
    """What the tracepoint calls ssthresh: tcp_current_ssthresh (include/net/tcp.h)."""
    if one["ca_state"] in (CWR, RECOVERY):
        return one["snd_ssthresh"]
    cwnd = one["snd_cwnd"]
    return max(one["snd_ssthresh"], (cwnd >> 1) + (cwnd >> 2))


def changes(traced):
    """The kernel tells the state of congestion control as often as it is set; as it changes, for
    each socket: (event, state before)."""
    states = {}
    for one in traced:
        before = states.get(one["skaddr"], 0)
        states[one["skaddr"]] = one["cong_state"]
        if before != one["cong_state"]:
            yield one, before


def transfer(net, family):
    """From a to b, the last byte too; the client's end is closed first."""
    listener = net.listen(net.b, family)
    client, server = net.connect(net.a, listener)
    client.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, b"cubic")
    cookies = {one.getsockopt(socket.SOL_SOCKET, 57, 8) for one in (client, server)}
    child = os.fork()
    if not child:
        listener.close()
        server.close()
        client.sendall(bytes(BYTES))
        os._exit(0)
    got = 0
    while got < BYTES:
        got += len(server.recv(1 << 18))
    os.waitpid(child, 0)
    client.close()
    server.recv(1)
    server.close()
    listener.close()
    return {struct.unpack("Q", cookie)[0] for cookie in cookies}


def resets(net, family):
    """A connection that is aborted, and one to a port where nobody listens."""
    listener = net.listen(net.b, family)
    client, server = net.connect(net.a, listener)
    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    client.close()
    with net.inside(net.a):
        refused = socket.socket(family, socket.SOCK_STREAM)
    equal("a connection to nobody: refused", refused.connect_ex((net.address(net.b, family), 9)),
          111)
    for one in (refused, server, listener):
        one.close()


def compare(shown, traced, name, theirs, row, kernel_row):
    same(name, [(ends_of_sonde(one), row(one)) for one in fields_of(shown, name)],
         [(ends_of_kernel(one), kernel_row(one)) for one in named(traced, theirs)])


def connections(net, family):
    what = "IPv6" if family == socket.AF_INET6 else "IPv4"
    ours = {as_bytes(net.address(name, family)) for name in (net.a, net.b)}
    tracer = ftrace.Ftrace(*EVENTS)
    recorder = Recorder("-e", "tcp", "--netns", net.a + "," + net.b)
    cookies = transfer(net, family)
    resets(net, family)
    until(net.closed, "all connections are closed")
    equal(what + ": exit status", recorder.stop(), 0)
    every = [one for one in tracer.stop_all() if ends_of_kernel(one)[0] in ours]
    traced = tracer.seen_by_bpf(every)
    shown = [event for event in events(recorder.trace) if event["event"].startswith("tcp.") and
             as_bytes(event["fields"]["saddr"]) in ours]

    segments(shown, traced)
    check(cookies <= {one["cookie"] for one in fields_of(shown, "tcp.ack")}, what + ": cookies")
    compare(shown, traced, "tcp.retransmit", "tcp_retransmit_skb",
            lambda one: (one["state"], one["family"], one["error"]),
            lambda one: (one["state"], one["family"], one["err"]))
    same("tcp.loss",
         [(ends_of_sonde(one), (one["old_ca_state"], one["new_ca_state"]))
          for one in fields_of(shown, "tcp.loss")],
         [(ends_of_kernel(one), (before, one["cong_state"]))
          for one, before in changes(named(every, "tcp_cong_state_set")) if tracer.seen_by_bpf([one])])
    compare(shown, traced, "tcp.state", "inet_sock_set_state",
            lambda one: (one["old_state"], one["new_state"]),
            lambda one: (one["oldstate"], one["newstate"]))
    compare(shown, traced, "tcp.recv", "tcp_rcv_space_adjust", lambda one: one["cookie"],
            lambda one: one["sock_cookie"])
    check(all(one["callvalue"] == one["rcv_nxt"] - one["copied_seq"] & 0xffffffff
              for one in fields_of(shown, "tcp.recv")), what + ": tcp.recv: bytes still waiting")
    compare(shown, traced, "tcp.rcvbuf", "tcp_rcvbuf_grow",
            lambda one: (one["cookie"], one["rcvbuf"], one["rcv_ssthresh"]),
            lambda one: (one["sock_cookie"], one["rcvbuf"], one["rcv_ssthresh"]))
    compare(shown, traced, "tcp.close", "tcp_destroy_sock", lambda one: one["cookie"],
            lambda one: one["sock_cookie"])
    for direction, theirs in enumerate(("tcp_send_reset", "tcp_receive_reset")):
        same("tcp.reset, " + theirs,
             [(ends_of_sonde(one), one["reason"]) for one in fields_of(shown, "tcp.reset")
              if one["direction"] == direction],
             [(ends_of_kernel(one), one.get("reason", 0)) for one in named(traced, theirs)])


def same_segment(mine, other):
    """A segment's bytes are its data and its header."""
    head = mine[0] - other[0]
    return mine[1:] == other[1:] and 20 <= head <= 60 and not head % 4


SND_NXT, RCV_WND = 2, 8  # of a row


def same_but_for_a_race(mine, other):
    """Sonde reads the socket as the segment arrives, the kernel a moment later, with the socket locked: a task on another
    CPU may send or read in between, which moves these two on."""
    mine, other = list(mine), list(other)
    if other[SND_NXT] - mine[SND_NXT] & 0x80000000:
        return False
    for i in SND_NXT, RCV_WND:
        mine[i] = other[i] = 0
    return same_segment(mine, other)


def segments(shown, traced):
    """tcp_probe tells of a segment when it is worked off. In a softirq that is at once; when a task
    was busy with the socket it is later, and what is alike is worked off together."""
    among("tcp.ack",
          [(ends_of_sonde(one),
            (one["callvalue"], one["cookie"], one["snd_nxt"], one["snd_una"], one["snd_cwnd"],
             threshold(one), one["snd_wnd"], one["srtt_us"], one["rcv_wnd"], one["family"]))
           for one in fields_of(shown, "tcp.ack") if one["state"] == ESTABLISHED],
          [(ends_of_kernel(one),
            (one["data_len"], one["sock_cookie"], one["snd_nxt"], one["snd_una"], one["snd_cwnd"],
             one["ssthresh"], one["snd_wnd"], one["srtt"], one["rcv_wnd"], one["family"]))
           for one in named(traced, "tcp_probe") if one["in_softirq"]], same_segment, same_but_for_a_race)


require_root()
ftrace.require()
veth = Net()
veth.bottleneck(veth.a, "tbf", "rate", "40mbit", "burst", "16kb", "limit", "60kb")
for ip in (socket.AF_INET, socket.AF_INET6):
    undisturbed(connections, veth, ip)
finish()
