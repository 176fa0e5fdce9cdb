#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Every tcp measurement of one connection's life over IPv4 and IPv6, refused connections and
resets: addresses, ports, states, bytes."""
import contextlib
import os
import socket
import struct

from harness import PATIENCE, Net, Recorder, check, equal, events, finish, require_root, until
from undisturbed import Scenarios

undisturbed = Scenarios("tcp")

CLOSE, LISTEN, SYN_SENT, SYN_RECV, ESTABLISHED = 7, 10, 2, 3, 1
FIN_WAIT1, FIN_WAIT2, CLOSE_WAIT, LAST_ACK = 4, 5, 8, 9
BYTES = 200000


def receive(sock, size):
    got = 0
    while got < size:
        block = sock.recv(1 << 20)
        if not block:
            break
        got += len(block)
    return got


def transfer(client, server):
    client.setblocking(False)
    sent = got = 0
    while got < BYTES:
        with contextlib.suppress(BlockingIOError):
            sent += client.send(bytes(BYTES - sent)) if sent < BYTES else 0
        server.settimeout(PATIENCE)
        got += len(server.recv(1 << 20))
    return got


def of(shown, name, lport, rport):
    return [event["fields"] for event in shown if event["event"] == name and
            (event["fields"]["lport"], event["fields"]["rport"]) == (lport, rport)]


def states(shown, lport, rport):
    return [(one["old_state"], one["new_state"]) for one in of(shown, "tcp.state", lport, rport)]


def check_identity(what, found, net, ends, cookie):
    """Each record names both ends, the namespace and, always the same, the socket."""
    local, remote, family = ends
    for one in found:
        got = (one["saddr"], one["daddr"], one["netns"], one["family"])
        want = (net.address(local, family), net.address(remote, family), net.inode(local),
                int(family))
        if not equal(what + ": addresses, namespace, family", got, want):
            return
        if cookie and not equal(what + ": cookie", one["cookie"], cookie):
            return


def life(net, family):
    what = "IPv6" if family == socket.AF_INET6 else "IPv4"
    recorder = Recorder("-e", "tcp.*", "--netns", net.a + "," + net.b)
    listener = net.listen(net.b, family)
    client, server = net.connect(net.a, listener)
    lport, rport = client.getsockname()[1], listener.getsockname()[1]
    cookie = struct.unpack("Q", client.getsockopt(socket.SOL_SOCKET, 57, 8))[0]
    server_cookie = struct.unpack("Q", server.getsockopt(socket.SOL_SOCKET, 57, 8))[0]
    equal(what + ": bytes received", transfer(client, server), BYTES)
    client.close()
    receive(server, 1)
    server.close()
    listener.close()
    until(net.closed, "both ends are closed")
    equal(what + ": exit status", recorder.stop(), 0)
    shown = events(recorder.trace)

    # The kernel looks for a port only after it has told of SYN_SENT.
    equal(what + ": states of the client", states(shown, 0, rport) + states(shown, lport, rport),
          [(CLOSE, SYN_SENT), (SYN_SENT, ESTABLISHED), (ESTABLISHED, FIN_WAIT1),
           (FIN_WAIT1, FIN_WAIT2), (FIN_WAIT2, CLOSE)])
    got = states(shown, rport, lport)
    equal(what + ": states of the server", got[-4:],
          [(SYN_RECV, ESTABLISHED), (ESTABLISHED, CLOSE_WAIT), (CLOSE_WAIT, LAST_ACK),
           (LAST_ACK, CLOSE)])
    equal(what + ": states of the listener", [pair for pair in states(shown, rport, 0)
                                             if SYN_RECV not in pair],
          [(CLOSE, LISTEN), (LISTEN, CLOSE)])

    for name in ("tcp.ack", "tcp.send", "tcp.close"):
        found = of(shown, name, lport, rport)
        if check(found, "%s: no %s of the client" % (what, name)):
            check_identity("%s %s" % (what, name), found, net, (net.a, net.b, family), cookie)
    for name in ("tcp.ack", "tcp.recv", "tcp.close"):
        found = of(shown, name, rport, lport)
        if check(found, "%s: no %s of the server" % (what, name)):
            check_identity("%s %s of the server" % (what, name), found, net,
                           (net.b, net.a, family), server_cookie)
    check_identity(what + " states", of(shown, "tcp.state", lport, rport), net,
                   (net.a, net.b, family), cookie)
    check_identity(what + " states of the server", of(shown, "tcp.state", rport, lport)[-4:], net,
                   (net.b, net.a, family), server_cookie)

    # The SYN and the FIN count as a byte each.
    end = of(shown, "tcp.close", lport, rport)
    equal(what + ": closes of the client", len(end), 1)
    acked = max(one["bytes_acked"] for one in of(shown, "tcp.close", lport, rport))
    check(BYTES <= acked <= BYTES + 2, "%s: client closes with %d bytes acked" % (what, acked))
    received = of(shown, "tcp.close", rport, lport)[0]["bytes_received"]
    check(BYTES <= received <= BYTES + 1, "%s: server closes with %d bytes received" %
          (what, received))
    sends = of(shown, "tcp.send", lport, rport)
    equal(what + ": the first send", (sends[0]["callvalue"], sends[0]["state"]),
          (BYTES, ESTABLISHED))
    memory = [event["fields"]["tcp_mem_pages"] for event in shown
              if event["event"].startswith("tcp.")]
    check(max(memory) < os.sysconf("SC_PHYS_PAGES"), what + ": TCP takes %d pages" % max(memory))
    acks = [one["bytes_acked"] for one in of(shown, "tcp.ack", lport, rport)]
    check(acks == sorted(acks), what + ": bytes_acked goes back")
    windows = of(shown, "tcp.cwnd", lport, rport)
    if check(windows, what + ": no tcp.cwnd"):
        check(all(one["old_cwnd"] != one["snd_cwnd"] or one["old_ssthresh"] != one["snd_ssthresh"]
                  for one in windows), what + ": tcp.cwnd without a change")
        check(all(before["snd_cwnd"] == after["old_cwnd"]
                  for before, after in zip(windows, windows[1:])),
              what + ": tcp.cwnd does not continue the one before")
    check([event for event in shown if event["event"] == "tcp.rcvbuf"] or BYTES < 1 << 20,
          what + ": no tcp.rcvbuf")


def refused(net, family):
    what = "refused, IPv%d" % (6 if family == socket.AF_INET6 else 4)
    recorder = Recorder("-e", "tcp.reset,tcp.state")
    with net.inside(net.a):
        client = socket.socket(family, socket.SOCK_STREAM)
    try:
        client.connect((net.address(net.b, family), 9))
        check(False, what + ": it was not")
    except ConnectionRefusedError:
        pass
    client.close()
    equal(what + ": exit status", recorder.stop(), 0)
    ours = {net.address(net.a, family), net.address(net.b, family)}
    found = [event["fields"] for event in events(recorder.trace)
             if event["fields"].get("saddr") in ours]
    resets = [one for one in found if "direction" in one]
    got = sorted((one["direction"], one["saddr"], one["daddr"], one["lport"] == 9,
                  one["rport"] == 9, one["netns"]) for one in resets)
    equal(what + ": resets", got,
          [(0, net.address(net.b, family), net.address(net.a, family), True, False,
            net.inode(net.b)),
           (1, net.address(net.a, family), net.address(net.b, family), False, True,
            net.inode(net.a))])
    changes = [(one["old_state"], one["new_state"]) for one in found if "new_state" in one]
    equal(what + ": states", changes, [(CLOSE, SYN_SENT), (SYN_SENT, CLOSE)])


def aborted(net, family):
    """SO_LINGER 0: the client closes with a reset, which the server receives."""
    what = "aborted, IPv%d" % (6 if family == socket.AF_INET6 else 4)
    recorder = Recorder("-e", "tcp.reset", "--netns", net.a + "," + net.b)
    listener = net.listen(net.b, family)
    client, server = net.connect(net.a, listener)
    lport, rport = client.getsockname()[1], listener.getsockname()[1]
    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    client.close()
    try:
        server.settimeout(PATIENCE)
        equal(what + ": what the server reads", server.recv(1), "a reset")
    except ConnectionResetError:
        pass
    server.close()
    listener.close()
    recorder.stop()
    shown = events(recorder.trace)
    received = of(shown, "tcp.reset", rport, lport)
    equal(what + ": directions at the server", [one["direction"] for one in received], [1])
    check_identity(what, received, net, (net.b, net.a, family), None)


def receive_buffer(net):
    """A receiver that reads much gets a larger buffer."""
    recorder = Recorder("-e", "tcp.rcvbuf", "--netns", net.b)
    listener = net.listen(net.b)
    client, server = net.connect(net.a, listener)
    rport, lport = client.getsockname()[1], listener.getsockname()[1]
    if not os.fork():
        server.close()
        client.sendall(bytes(32 << 20))
        os._exit(0)
    client.close()
    receive(server, 32 << 20)
    os.wait()
    final = server.getsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF)
    server.close()
    listener.close()
    recorder.stop()
    grown = of(events(recorder.trace), "tcp.rcvbuf", lport, rport)
    if check(grown, "no tcp.rcvbuf in 32 MiB"):
        check(grown[-1]["rcvbuf"] <= final, "tcp.rcvbuf: %d, at the end it is %d" %
              (grown[-1]["rcvbuf"], final))
        check(all(one["callvalue"] in (0, before["rcvbuf"])
                  for before, one in zip(grown, grown[1:])), "tcp.rcvbuf: size before: %s" %
              [(one["callvalue"], one["rcvbuf"]) for one in grown])


require_root()
veth = Net()
veth.send_once()
for ip in (socket.AF_INET, socket.AF_INET6):
    for test in (life, refused, aborted):
        undisturbed(test, veth, ip)
undisturbed(receive_buffer, veth)
finish()
