#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""`sonde report tcp` against what the kernel itself counts for the socket (TCP_INFO): bytes, segments
sent again, and how long the sender was held up by the receiver."""
import json
import socket
import struct
import time

from harness import Net, Recorder, SONDE, check, equal, finish, require_root, run, until
from undisturbed import Scenarios

undisturbed = Scenarios("tcp")

TCP_INFO = 11
SENT = 3 << 20
SENT_ON = 1 << 19  # through the bottleneck
PAUSE = 0.3  # seconds in which one side does nothing


def info(sock):
    """(segments sent again, bytes acked, bytes received, microseconds limited by the receiver)"""
    data = sock.getsockopt(socket.IPPROTO_TCP, TCP_INFO, 192)
    return (struct.unpack_from("I", data, 100) + struct.unpack_from("QQ", data, 120) +
            struct.unpack_from("Q", data, 176))


def unacked(sock):
    return struct.unpack_from("I", sock.getsockopt(socket.IPPROTO_TCP, TCP_INFO, 192), 24)[0]


def report(trace):
    return json.loads(run(SONDE, "report", "--json", trace, "tcp").stdout)["reports"]["tcp"]


def of(found, lport):
    return [one for one in found["by_connection"] if one["lport"] == lport]


def receive(sock, size):
    got = 0
    while got < size:
        block = sock.recv(1 << 20)
        if not block:
            break
        got += len(block)
    return got


def slow_receiver(net):
    """Nobody reads for a while, so the window fills up; then nobody writes."""
    recorder = Recorder("-e", "tcp.*", "--netns", net.a + "," + net.b)
    listener = net.listen(net.b)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
    client, server = net.connect(net.a, listener)
    client.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 8 << 20)
    lport = client.getsockname()[1]
    client.sendall(bytes(SENT))
    time.sleep(PAUSE)
    equal("bytes received", receive(server, SENT), SENT)
    server.sendall(b"done")
    receive(client, 4)
    time.sleep(PAUSE)
    client.sendall(b"more")
    receive(server, 4)
    resent, acked, received, limited_us = info(client)
    client.close()
    receive(server, 1)
    server.close()
    listener.close()
    until(net.closed, "both ends are closed")
    equal("exit status", recorder.stop(), 0)

    found = report(recorder.trace)
    check(found["waits_exact"], "tcp.ack and tcp.send are there, and what was waited for is not exact")
    equal("listeners", found["listeners"], 1)
    ours = of(found, lport)
    if not equal("connections from the client's port", len(ours), 1):
        return
    one = ours[0]
    equal("segments sent again", one["retransmissions"]["segments"], resent)
    # The FIN comes after TCP_INFO was asked for; that of the other end, too.
    check(0 <= one["sent_bytes"] - acked <= SENT, "%d bytes sent, the kernel says %d" %
          (one["sent_bytes"], acked))
    equal("bytes sent", one["sent_bytes"], 1 + SENT + 4 + 1)
    equal("bytes received by the client", one["received_bytes"] - received, 1)
    equal("states", [state["state_name"] for state in one["states"]],
          ["SYN_SENT", "ESTABLISHED", "FIN_WAIT1", "FIN_WAIT2", "CLOSE"])
    check(one["opened"] and one["closed"], "its beginning and end were not seen")
    check(0 < one["handshake_ns"] < one["end"] - one["begin"], "handshake of %d ns" %
          one["handshake_ns"])
    check(one["srtt"]["count"] > 0 and one["srtt"]["p50_ns"] <= one["srtt"]["max_ns"], "no srtt")
    waited = one["waited_ns"]
    check(waited["idle"] >= PAUSE * 1e9, "idle for %d ns only" % waited["idle"])
    window_us = waited["receiver_window"] / 1000
    check(limited_us >= PAUSE * 1e6 / 2, "the receiver did not hold the sender up")
    # The kernel counts it in ticks.
    check(abs(window_us - limited_us) <= 0.1 * limited_us + 20000,
          "held up by the receiver for %d us, the kernel says %d" % (window_us, limited_us))
    there = [other for other in found["by_connection"] if other["rport"] == lport][0]
    equal("bytes that the server received", there["received_bytes"], SENT + 4 + 1)
    check(there["receive_queue"]["max"] > 0, "the receive queue was always empty")


def bottleneck(net):
    """A queue that drops: what is sent again is as the kernel counts it, and has causes."""
    net.bottleneck(net.a, "tbf", "rate", "20mbit", "burst", "10k", "limit", "20k")
    recorder = Recorder("-e", "tcp.*", "--netns", net.a + "," + net.b)
    listener = net.listen(net.b)
    client, server = net.connect(net.a, listener)
    lport = client.getsockname()[1]
    client.setblocking(False)
    sent = got = 0
    while got < SENT_ON:
        try:
            sent += client.send(bytes(min(1 << 16, SENT_ON - sent))) if sent < SENT_ON else 0
        except BlockingIOError:
            pass
        got += len(server.recv(1 << 20))
    until(lambda: not unacked(client), "everything is acknowledged")
    equal("exit status of the second one", recorder.stop(), 0)
    resent = info(client)[0]
    for sock in (client, server, listener):
        sock.close()
    one = of(report(recorder.trace), lport)[0]
    again = one["retransmissions"]
    check(resent > 0, "nothing was sent again")
    equal("segments sent again at the bottleneck", again["segments"], resent)
    causes = sum(again[cause]["segments"] for cause in ("fast", "rto", "tlp", "syn"))
    equal("segments sent again for a cause", causes, resent)
    check(one["loss_episodes"] > 0, "no loss episodes")
    repairing = one["congestion"]["recovery"]["time_ns"] + one["congestion"]["loss"]["time_ns"]
    check(one["episodes"]["total_ns"] <= repairing + 1000000 * one["loss_episodes"],
          "episodes took %d ns, the states %d" % (one["episodes"]["total_ns"], repairing))
    check(one["cwnd"]["min"] < one["cwnd"]["max"], "the window did not move")


def main():
    require_root()
    net = Net()
    net.send_once()
    undisturbed(slow_receiver, net)
    undisturbed(bottleneck, Net())
    finish()


if __name__ == "__main__":
    main()
