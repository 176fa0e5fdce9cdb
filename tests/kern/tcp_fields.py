#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Every field of a TCP snapshot, of a connection at rest, of one whose segments nobody answers, and
of one with bytes unread: against ss, which asks the kernel by another way, against what the kernel
tells the socket's owner, and against /proc/net/sockstat."""
import fcntl
import os
import re
import socket
import struct
import termios

from harness import PATIENCE, Net, Recorder, check, equal, events, finish, require_root, run, until

BYTES = 300000
TCP_INFO, TCP_REPAIR, TCP_REPAIR_QUEUE, TCP_QUEUE_SEQ = 11, 19, 20, 21
RECEIVE_QUEUE, SEND_QUEUE = 1, 2
STATES = {"ESTAB": 1}
# Of ss's words, those that change while nothing happens.
TIMES = {"lastsnd", "lastrcv", "lastack", "busy", "rwnd_limited", "sndbuf_limited", "timer"}


def ask_ss(name, port):
    """What ss tells of the connection with that local port: {word: text}."""
    text = run("ip", "netns", "exec", name, "ss", "-tiemnOH", "sport", "=", ":%d" % port).stdout
    told = dict(re.findall(r"\b([a-z_]+):([\d./,a-z]+)", text))
    told |= dict(re.findall(r" (pacing_rate) (\d+)bps", text))
    told["skmem"] = dict(re.findall(r"([a-z_]+?)(\d+)", re.search(r"skmem:\(([^)]*)\)", text)[1]))
    told["state"] = text.split()[0]
    told["algorithm"] = re.search(r" (cubic|reno|bbr) ", text)[1]
    return told


def sockstat_pages():
    with open("/proc/net/sockstat", encoding="ascii") as file:
        return int(re.search(r"TCP: .* mem (\d+)", file.read())[1])


def sequence(sock, queue):
    """The end of a queue, as for those who move connections to another machine."""
    sock.setsockopt(socket.IPPROTO_TCP, TCP_REPAIR, 1)
    sock.setsockopt(socket.IPPROTO_TCP, TCP_REPAIR_QUEUE, queue)
    number = sock.getsockopt(socket.IPPROTO_TCP, TCP_QUEUE_SEQ) & 0xffffffff
    sock.setsockopt(socket.IPPROTO_TCP, TCP_REPAIR, -1)  # without a window probe
    return number


def waiting(sock, request):
    return struct.unpack("i", fcntl.ioctl(sock, request, bytes(4)))[0]


class Witness:
    """What everybody but Sonde says of a connection, just before a byte is sent on it."""

    def __init__(self, net, name, sock):
        self.port = sock.getsockname()[1]
        self.sock, self.net, self.name = sock, net, name
        self.told = ask_ss(name, self.port)
        self.pages = sockstat_pages()
        info = sock.getsockopt(socket.IPPROTO_TCP, TCP_INFO, 104)
        self.ca_state = info[1]
        self.cookie = struct.unpack("Q", sock.getsockopt(socket.SOL_SOCKET, 57, 8))[0]
        self.sent_to, self.received_to = (sequence(sock, queue)
                                          for queue in (SEND_QUEUE, RECEIVE_QUEUE))
        self.unacked_bytes = waiting(sock, termios.TIOCOUTQ)
        self.unread_bytes = waiting(sock, termios.FIONREAD)

    def is_steady(self, *words):
        """Whether @words of ss's, or all but times, are what they were."""
        again = ask_ss(self.name, self.port)
        words = words or (set(again) | set(self.told)) - TIMES
        return all(again.get(word) == self.told.get(word) for word in words)


def snapshots(trace, port):
    return [event for event in events(trace, "-e", "tcp.send")
            if event["fields"]["lport"] == port]


def expected(witness):
    """The snapshot that the witnesses tell of."""
    told = witness.told

    def number(name, default=0):
        return int(told.get(name, default))

    rtt, variance = (round(float(one) * 1000) for one in told["rtt"].split("/"))
    in_flight, ever = map(int, told.get("retrans", "0/0").split("/"))
    memory = {key: int(value) for key, value in told["skmem"].items()}
    unacked = witness.sent_to - witness.unacked_bytes & 0xffffffff
    return {
        "cookie": int(told["sk"], 16), "bytes_acked": number("bytes_acked"),
        "bytes_received": number("bytes_received"), "pacing_rate": number("pacing_rate") // 8,
        "netns": witness.net.inode(witness.name), "snd_una": unacked,
        "write_seq": witness.sent_to, "snd_cwnd": number("cwnd"),
        "snd_ssthresh": number("ssthresh", 0x7fffffff), "snd_wnd": number("snd_wnd"),
        "rcv_nxt": witness.received_to,
        "copied_seq": witness.received_to - witness.unread_bytes & 0xffffffff,
        "rcv_ssthresh": number("rcv_ssthresh"), "mss": number("mss"), "srtt": rtt,
        "mdev": variance, "rto": float(told["rto"]), "packets_out": number("unacked"),
        "sacked_out": number("sacked"), "lost_out": number("lost"), "retrans_out": in_flight,
        "total_retrans": ever, "delivered": number("delivered"),
        "reordering": number("reordering", 3), "sndbuf": memory["tb"],
        "wmem_queued": memory["w"], "rcvbuf": memory["rb"], "rmem_alloc": memory["r"],
        "state": STATES[told["state"]], "ca_state": witness.ca_state,
        "ca_name": told["algorithm"], "lport": witness.port,
        "rport": witness.sock.getpeername()[1], "family": int(witness.sock.family),
        "saddr": witness.sock.getsockname()[0], "daddr": witness.sock.getpeername()[0],
    }


def compare(what, witness, snapshot):
    want = expected(witness)
    got = snapshot | {"srtt": snapshot["srtt_us"], "mdev": snapshot["mdev_us"],
                      "rto": snapshot["rto_us"] / 1000}
    for field, value in want.items():
        equal("%s: %s" % (what, field), got[field], value)
    equal(what + ": cookie, by SO_COOKIE", got["cookie"], witness.cookie)
    return got


def steady_witness(net, name, sock):
    for unused in range(200):
        witness = Witness(net, name, sock)
        if witness.is_steady():
            return witness
    raise RuntimeError("the connection never rests")


def connect(net, family):
    listener = net.listen(net.b, family)
    client, server = net.connect(net.a, listener)
    listener.close()
    for one in (client, server):
        one.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, b"cubic")
        one.settimeout(PATIENCE)
    return client, server


def exchange(client, server):
    """@BYTES one way, a hundredth the other."""
    child = os.fork()
    if not child:
        client.sendall(bytes(BYTES))
        os._exit(0)
    got = 0
    while got < BYTES:
        got += len(server.recv(1 << 16))
    os.waitpid(child, 0)
    server.sendall(bytes(BYTES // 100))
    got = 0
    while got < BYTES // 100:
        got += len(client.recv(1 << 16))
    until(lambda: not waiting(client, termios.TIOCOUTQ) and not waiting(server, termios.TIOCOUTQ),
          "everything is acknowledged")


def at_rest(net, family, what):
    recorder = Recorder("-e", "tcp.send", "--netns", net.a + "," + net.b)
    client, server = connect(net, family)
    exchange(client, server)
    seen, pages = [], []
    for name, sock, other in ((net.a, client, server), (net.b, server, client)):
        witness = steady_witness(net, name, sock)
        sock.send(b"x")
        pages.append((witness.pages, sockstat_pages()))
        other.recv(1)
        seen.append((name, witness))
    equal(what + ": exit status", recorder.stop(), 0)
    for (name, witness), (before, after) in zip(seen, pages):
        got = compare("%s at rest, %s" % (what, "client" if name == net.a else "server"), witness,
                      snapshots(recorder.trace, witness.port)[-1]["fields"])
        equal(what + " at rest: everything sent is acknowledged",
              (got["snd_nxt"], got["snd_fack"]), (got["snd_una"], got["write_seq"]))
        # It is the whole machine's, which does not rest.
        check(before != after or got["tcp_mem_pages"] == before,
              "%s: tcp_mem_pages %d, /proc/net/sockstat: %d before and after" %
              (what, got["tcp_mem_pages"], before))
    client.close()
    server.close()
    return sum(before == after for before, after in pages)


def nobody_answers(net, family, what):
    """The other end gets a wrong hardware address, and hears nothing any more: what is sent stays
    under way, and is sent again."""
    recorder = Recorder("-e", "tcp.send,tcp.retransmit", "--netns", net.a)
    client, server = connect(net, family)
    exchange(client, server)
    away = (net.address(net.b, family), "dev", "v0")
    run("ip", "-n", net.a, "neigh", "replace", *away, "lladdr", "02:00:00:00:00:99")
    for unused in range(3):
        client.send(bytes(3000))
    until(lambda: int(ask_ss(net.a, client.getsockname()[1]).get("retrans", "0/0").split("/")[0]),
          "something is sent again")
    witness = steady_witness(net, net.a, client)
    client.send(b"x")
    still = witness.is_steady("retrans", "rto", "lost", "unacked", "cwnd")
    equal(what + ": exit status", recorder.stop(), 0)
    if still:
        got = compare(what + ", unanswered", witness,
                      snapshots(recorder.trace, witness.port)[-1]["fields"])
        check(got["packets_out"] and got["lost_out"] and got["retrans_out"],
              "%s, unanswered: nothing is under way, lost and sent again" % what)
        equal(what + ", unanswered: state of congestion control", got["ca_state"], 4)
    run("ip", "-n", net.a, "neigh", "del", *away)
    client.close()
    server.close()
    return still


def unread(net, family, what):
    """Bytes have come that the owner has not taken."""
    recorder = Recorder("-e", "tcp.send", "--netns", net.b)
    client, server = connect(net, family)
    exchange(client, server)
    client.send(bytes(5000))
    until(lambda: waiting(server, termios.FIONREAD) == 5000, "the bytes have come")
    witness = steady_witness(net, net.b, server)
    server.send(b"x")
    equal(what + ": exit status", recorder.stop(), 0)
    got = compare(what + ", unread", witness,
                  snapshots(recorder.trace, witness.port)[-1]["fields"])
    equal(what + ", unread: bytes", got["rcv_nxt"] - got["copied_seq"] & 0xffffffff, 5000)
    check(got["rmem_alloc"] > 0, what + ", unread: no memory for it")
    client.close()
    server.close()


require_root()
veth = Net()
rested = 0
for ip, text in (socket.AF_INET, "IPv4"), (socket.AF_INET6, "IPv6"):
    for unused in range(20):
        rested += at_rest(veth, ip, text)
        if rested:
            break
    unread(veth, ip, text)
    check(any(nobody_answers(veth, ip, text) for unused in range(20)),
          text + ", unanswered: twenty times something was sent again in between")
check(rested, "the machine's TCP memory never rested: tcp_mem_pages is not tested")
finish()
