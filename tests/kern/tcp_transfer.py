#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""A transfer through a bottleneck: what tcp records agrees with `ss -tiemn`, with TCP_INFO's owner,
the kernel, and with nstat's counters taken around it."""
import os
import socket
import struct
import threading
import time

from harness import (Net, Recorder, check, equal, events, finish, require_root, run,
                     until)
from ss_witness import ask_ss, compare_at_rest
from undisturbed import Scenarios

undisturbed = Scenarios("tcp")

BYTES = 2 << 20
PIECE = 128 << 10  # of them at a time
TCP_INFO = 11


def counters(name):
    """nstat's absolute counters of a namespace."""
    text = run("ip", "netns", "exec", name, "nstat", "-az").stdout
    return {line.split()[0]: int(line.split()[1]) for line in text.splitlines()
            if not line.startswith("#")}


def ask_owner(client, stop, told):
    """(bytes_acked, sacked, lost) of TCP_INFO, as often as it can be asked."""
    while not stop.is_set():
        info = client.getsockopt(socket.IPPROTO_TCP, TCP_INFO, 128)
        told.add((*struct.unpack_from("Q", info, 120), *struct.unpack_from("II", info, 28)))
        time.sleep(0.0002)


def send_all(client, server, name, port):
    """Sends while a child reads; what ss tells now and then."""
    samples = []
    reader = os.fork()
    if not reader:
        got = 0
        while got < BYTES:
            got += len(server.recv(1 << 20))
        os._exit(0)
    for unused in range(BYTES // PIECE):
        client.sendall(bytes(PIECE))
        samples.append(ask_ss(name, port))
    os.waitpid(reader, 0)
    return samples


def never_seen(of, samples, told_by_owner):
    """What ss and the owner saw, and no record has. An ack's snapshot is the state that others saw
    before it: both must have been seen together."""
    records = of["tcp.ack"] + of["tcp.send"] + of.get("tcp.retransmit", []) + of.get("tcp.loss", [])
    windows = {(one["bytes_acked"], one["snd_cwnd"]) for one in records}
    times = {one["srtt_us"] for one in of["tcp.ack"]}
    moments = {(one["bytes_acked"], one["sacked_out"], one["lost_out"]) for one in records}
    check(any(sacked for unused, sacked, lost in told_by_owner),
          "TCP_INFO told of nothing acknowledged selectively")
    unseen = [("sacked and lost", one) for one in told_by_owner if one[1] and one not in moments]
    for sample in samples:
        window = int(sample["bytes_acked"]), int(sample["cwnd"])
        time_us = round(float(sample["rtt"].split("/")[0]) * 1000)
        unseen += [("window", window)] if window not in windows else []
        unseen += [("round-trip time", time_us)] if time_us not in times else []
    return unseen


def measure(net):
    before = counters(net.a)
    recorder = Recorder("-e", "tcp.*", "--netns", net.a)
    listener = net.listen(net.b)
    client, server = net.connect(net.a, listener)
    client.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, b"cubic")
    port = client.getsockname()[1]
    told_by_owner, sent = set(), threading.Event()
    asking = threading.Thread(target=ask_owner, args=(client, sent, told_by_owner))
    asking.start()
    samples = send_all(client, server, net.a, port)
    sent.set()
    asking.join()
    until(lambda: "unacked" not in ask_ss(net.a, port) and "notsent" not in ask_ss(net.a, port),
          "everything is acknowledged")
    told = ask_ss(net.a, port)
    client.send(b"x")  # its snapshot is taken before anything of it takes effect
    server.recv(10)
    client.close()
    server.close()
    listener.close()
    until(net.closed, "both ends are closed")
    after = counters(net.a)
    equal("exit status", recorder.stop(), 0)

    shown = [event for event in events(recorder.trace) if event["fields"].get("lport") == port]
    of = {}
    for event in shown:
        of.setdefault(event["event"], []).append(event["fields"])
    compare_at_rest("at rest", told, of["tcp.send"][-1])

    equal("seen by others, never by sonde", never_seen(of, samples, told_by_owner), [])
    moves = [(one["old_ca_state"], one["new_ca_state"]) for one in of.get("tcp.loss", [])]
    torn = [pair for pair in zip(moves, moves[1:]) if pair[0][1] != pair[1][0]]
    equal("tcp.loss: states that do not follow each other", torn, [])

    again = of.get("tcp.retransmit", [])
    check(again, "nothing was sent again: the bottleneck is none")
    segments = sum(one["segments"] for one in again)
    grown = {name: after[name] - before[name] for name in after if name in before}
    # The kernel counts each attempt that it makes, sent or dropped by the queue here.
    equal("segments sent again: sonde and TcpRetransSegs", segments, grown["TcpRetransSegs"])
    last = of["tcp.close"][-1]
    equal("segments sent again: total_retrans at the end and TcpRetransSegs",
          last["total_retrans"], grown["TcpRetransSegs"])
    by_cause = {}
    for one in again:
        by_cause[one["cause"]] = by_cause.get(one["cause"], 0) + 1
    equal("tail loss probes that sent again: sonde, at most TcpExtTCPLossProbes",
          by_cause.get(2, 0) <= grown["TcpExtTCPLossProbes"], True)
    failed = sum(one["segments"] for one in again if one["error"])
    equal("segments that failed: sonde and TcpExtTCPRetransFail", failed,
          grown["TcpExtTCPRetransFail"])
    equal("bytes sent again: sonde and ss", sum(one["length"] for one in again),
          int(told["bytes_retrans"]))
    check(all(one["seq"] - one["snd_una"] & 0xffffffff < one["snd_nxt"] - one["snd_una"] & 0xffffffff
              for one in again), "a retransmission of what is not under way")
    check(all(one["length"] > 0 and one["seq"] == one["callvalue"] for one in again),
          "a retransmission of nothing, or whose callvalue is not its seq")
    check(any(new in (3, 4) for old, new in moves), "neither Recovery nor Loss: %s" % moves)
    check(last["bytes_acked"] >= BYTES + 1, "%d bytes acknowledged of %d" % (last["bytes_acked"],
                                                                             BYTES + 1))


def main():
    require_root()
    net = Net()
    net.bottleneck(net.a, "tbf", "rate", "20mbit", "burst", "16kb", "limit", "60kb")
    undisturbed(measure, net)
    finish()


main()
