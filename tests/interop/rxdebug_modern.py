#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""`sonde rxdebug`: what endpoints tell, for people, programs and monitors, and endpoints that misbehave."""
import concurrent.futures
import json
import os
import random
import signal
import socket
import struct
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kern"))
from harness import PATIENCE, SONDE, check, equal, finish, path, run  # noqa: E402
from rx_endpoint import (ABORT, ALL_CONN, BASIC, CONN, CONN_END, PEER, PEER_END, REFUSAL,  # noqa: E402
                         STATS, VERSION, Endpoint, basic, conn, peer, security)
from rx_program import RxProgram  # noqa: E402
from schema import described  # noqa: E402

QUICK = ["--wait", "5s", "--tries", "1"]  # where one is silent; a busy machine delays the others
IDLE = (0, 0, 0, 0, 0)
WAITS = (9, 1, 0, 0x10, 1)


def stats_words(**words):
    """Counters by number, w45=8."""
    values = [0] * 71
    for name, value in words.items():
        values[int(name[1:])] = value
    return struct.pack(">71I", *values)


def peer_numbers(rtt=16000, dev=0, sent=0, again=0, out=0, back=0):
    numbers = [0] * 28
    numbers[7:9] = rtt, dev
    numbers[11:13] = sent, again
    numbers[24:28] = out >> 32, out & 0xffffffff, back >> 32, back & 0xffffffff
    return numbers


def telling(version="S", conns=(), peers=(), head=None, text=b"made up 1.0", **words):
    """An answer function for an Endpoint."""
    head = head or basic(version)
    counters = stats_words(**words)

    def answer(kind, what, index, unused):
        if kind == VERSION:
            return text.ljust(65, b"\0")
        if what in (CONN, ALL_CONN):
            return conns[index] if index < len(conns) else CONN_END
        if what == PEER:
            return peers[index] if index < len(peers) else PEER_END
        return {BASIC: head, STATS: counters}.get(what, REFUSAL)

    return answer


def rxdebug(*args, good=None):
    return run(SONDE, "rxdebug", *args, good=good)


def of(endpoint):
    return "127.0.0.1:%d" % endpoint.port


def object_of(done):
    """The JSON object that it printed."""
    return described("rxdebug", json.loads(done.stdout))


def told(*args):
    """The servers of the JSON object."""
    return object_of(rxdebug("--json", *args))["servers"]


def everything_as_json():
    conns = [conn(host="192.0.2.%d" % i, port=7000 + i, cid=4 * i, epoch=77, serial=i, error=-i,
                  calls=((i, 2, 2, 1, 3), WAITS, IDLE, IDLE), flags=4) for i in range(1, 6)]
    peers = [peer("192.0.2.9", 7001, peer_numbers(80, 12, 900, 100, 5 << 32, 7)),
             peer("192.0.2.10", 7001, peer_numbers())]
    endpoint = Endpoint(telling(conns=conns, peers=peers, head=basic(waiting=3, idle=2, calls=-5),
                                text=b"evil \"\x1b[31m\xff", w6=0x0100007f, w45=8, w46=2, w55=4, w49=2, w50=5,
                                w56=5, w58=2, w66=6))
    one, = told("-a", "-p", of(endpoint))
    equal("server", (one["server"], one["address"], one["port"], one["answered"], one["protocol"]),
          (of(endpoint), "127.0.0.1", endpoint.port, True, "S"))
    equal("version", one["version"], "evil \"\x1b[31m\ufffd")
    equal("basic", (one["basic"]["waiting"], one["basic"]["idle_threads"], one["basic"]["packets"],
                    one["basic"]["calls_executed"]), (3, 2, 907, -5))
    equal("stats", [one["stats"][name] for name in
                    ("data_sent", "data_resent", "busies", "rtt_total_us", "server_conns")],
          [8, 2, 6, 2000005, 5])
    equal("bogus hosts", (one["stats"]["bogus_host"], one["stats"]["bogus_hosts"]),
          (0x0100007f, ["127.0.0.1", "1.0.0.127"]))
    found = one["connections"]
    equal("connections", (found["complete"], found["error"], len(found["list"])), (True, None, 5))
    third = found["list"][2]
    equal("third", [third[name] for name in ("host", "port", "epoch", "cid", "role", "serial",
                                             "error", "flags")],
          ["192.0.2.3", 7003, 77, 12, "server", 3, -3, ["checksum"]])
    equal("its calls", [(call["number"], call["state"], call["flags"], call["blocked"])
                        for call in third["calls"][:2]],
          [(3, "active", ["reader_wait"], None),
           (9, "precall", ["waiting_for_process"], "waits for a thread")])
    equal("peers", [[one_peer[name] for name in ("host", "rtt_us", "packets_resent", "bytes_sent",
                                                 "bytes_received")]
                    for one_peer in one["peers"]["list"]],
          [["192.0.2.9", 10000, 100, 5 << 32, 7], ["192.0.2.10", None, 0, 0, 0]])
    equal("problems", [problem["kind"] for problem in one["problems"]],
          ["waiting"] + 5 * ["blocked"] + 5 * ["error"])
    equal("totals", [total["kind"] for total in one["totals"]], ["resent", "busy"])
    text = rxdebug("-a", "-p", of(endpoint)).stdout
    check("\x1b" not in text and "evil" in text, "a terminal is commanded: %r" % text)
    check(text.index("Problems") < text.index("Calls "), "problems are not first: " + text)
    for part in ("3 calls wait for a thread", "10.0 % of 1000 packets", "192.0.2.9:7001", "10.0",
                 "6 rejected as busy", "the last from 127.0.0.1 or 1.0.0.127", "Top talkers, of 7 hosts"):
        check(part in text, "%s is not in %s" % (part, text))
    endpoint.stop()


def old_servers():
    for version in "LMNOPQRS":
        endpoint = Endpoint(telling(version, conns=[conn()], peers=[peer()]))
        one, = told("-a", "-p", of(endpoint))
        asked = {what for kind, what, unused in endpoint.requests if kind != VERSION}
        equal("version %s is asked" % version, asked,
              {BASIC, ALL_CONN if version >= "M" else CONN} | ({STATS} if version >= "M" else set()) |
              ({PEER} if version >= "Q" else set()))
        equal("version %s does not tell" % version,
              [name for name in ("waiting", "idle_threads", "waited", "packets")
               if one["basic"][name] is None],
              [name for name, since in (("waiting", "N"), ("idle_threads", "O"), ("waited", "R"),
                                        ("packets", "S")) if version < since])
        endpoint.stop()


def several():
    good = Endpoint(telling(text=b"the good one"))
    busy = Endpoint(telling(head=basic(waiting=5)))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as silent:
        silent.bind(("127.0.0.1", 0))
        nobody = "127.0.0.1:%d" % silent.getsockname()[1]
        with open(path("servers"), "w", encoding="ascii") as file:
            file.write("# all of them\n%s\n\n  %s # busy\n%s\n" % (of(good), of(busy), nobody))
        done = rxdebug(*QUICK, "@" + path("servers"))
        equal("status with a silent one", done.returncode, 1)
        problems, unused, table = done.stdout.partition("\n\n")
        lines = table.splitlines()
        equal("lines", [line.split()[0] for line in lines[1:4]], [of(good), of(busy), nobody])
        check("the good one" in lines[1] and "no answer" in lines[3], done.stdout)
        check(problems.startswith("Problems\n") and "5 calls wait" in problems, done.stdout)
        equal("answered", [one["answered"] for one in told(*QUICK, "@" + path("servers"))],
              [True, True, False])
        # Of a network, who is not there is not missed.
        done = rxdebug(*QUICK, "127.0.0.0/29:%d" % good.port)
        equal("network", (done.returncode, done.stdout.count("127.0.0.")), (0, 1))
    equal("status of good ones", rxdebug(of(good), of(busy)).returncode, 0)
    good.stop()
    busy.stop()


def over_ipv6():
    """One server over each, from one socket."""
    if not os.path.exists("/proc/net/if_inet6"):
        print("no IPv6 here: servers are not asked over it")
        return
    near = Endpoint(telling(text=b"the old way"))
    far = Endpoint(telling(conns=[conn(cid=4)], text=b"the new way"), ("::1", 0))
    name = "[::1]:%d" % far.port
    found = told("-a", of(near), name)
    equal("both", [(one["server"], one["address"], one["port"], one["version"]) for one in found],
          [(of(near), "127.0.0.1", near.port, "the old way"), (name, "::1", far.port, "the new way")])
    check("the new way" in rxdebug(name).stdout, "one server over IPv6")
    equal("connections over IPv6", len(found[1]["connections"]["list"]), 1)
    equal("no port", rxdebug("--check", "--wait", "1ms", "--tries", "1", "::1", "[::1]").stdout.count(
        "[::1]:7000 does not answer"), 2)
    near.stop()
    far.stop()


def lists_of_several():
    """Those that were asked for by name; hosts are folded across servers."""
    ends = [Endpoint(telling(conns=[conn("192.0.2.%d" % (i + j), 7000 + i, cid=4 * j) for j in range(2)],
                             peers=[peer("192.0.2.%d" % (i + j), 7000 + i, peer_numbers(out=100, back=j))
                                    for j in range(2)])) for i in range(3)]
    names = [of(one) for one in ends]
    text = rxdebug(*names).stdout
    check("Connections:" not in text and "Top talkers" not in text, text)
    text = rxdebug("-a", *names).stdout
    equal("-a", (text.count("Connections: 2\n"), text.count("Peers:")), (3, 0))
    check(["192.0.2.1", "2", "-", "-"] in [line.split() for line in text.splitlines()], text)
    text = rxdebug("-p", *names).stdout
    equal("-p", (text.count("Connections:"), text.count("Peers: 2\n")), (0, 3))
    text = rxdebug("-a", "-p", *names).stdout
    equal("-a -p", (text.count("Connections: 2\n"), text.count("Peers: 2\n")), (3, 3))
    check("\n%s\n\nConnections" % names[1] in text, text)
    talkers = [line.split() for line in text.partition("Top talkers, of 4 hosts\n")[2].splitlines()]
    equal("talkers", [line[:3] for line in talkers[1:]],
          [["192.0.2.%d" % i, count, count] for i, count in ((1, "2"), (2, "2"), (3, "1"), (0, "1"))])
    found = object_of(rxdebug("--json", "-a", "-p", *names))["talkers"]
    equal("talkers of JSON", found[:2], [{"host": "192.0.2.%d" % i, "connections": 2, "ports": 2,
                                          "bytes": 201} for i in (1, 2)])
    for one in ends:
        one.stop()


def monitors():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as silent:
        silent.bind(("127.0.0.1", 0))
        nobody = "127.0.0.1:%d" % silent.getsockname()[1]
        ends = {waiting: Endpoint(telling(head=basic(waiting=waiting, idle=1))) for waiting in (2, 3, 9)}
        for servers, status, word in (((2,), 0, "OK"), ((2, 3), 3, "WARNING"), ((3, 9), 4, "CRITICAL"),
                                      ((2, None), 1, "UNKNOWN"), ((9, None), 4, "CRITICAL"),
                                      ((3, None), 1, "UNKNOWN")):
            done = rxdebug("--check", *QUICK, *(of(ends[one]) if one else nobody for one in servers))
            equal("check of %s" % (servers,), done.returncode, status)
            check(done.stdout.startswith("RXDEBUG %s: " % word) and done.stdout.count("\n") == 1, done.stdout)
        equal("thresholds", rxdebug("--check", "-w", "3", "-c", "9", of(ends[3])).returncode, 0)
        told_of = rxdebug("--check", of(ends[3])).stdout
        check("'%s waiting'=3;2;8;0" % of(ends[3]) in told_of, told_of)
        for waiting, status in ((2, 0), (3, 1), (9, 2), (None, 3)):
            server = of(ends[waiting]) if waiting else nobody
            equal("Nagios's status of %s" % waiting,
                  rxdebug("--check", "--nagios", *QUICK, server).returncode, status)
        for end in ends.values():
            end.stop()


def every_measure():
    """What a monitor can warn of, and from where on."""
    now = int(time.time())
    expired = security(3, 2, 2, now - 7200)
    blocked = ((9, 1, 0, 0x10, 1), IDLE, IDLE, IDLE)
    endpoint = Endpoint(telling(conns=[conn(cid=4, calls=blocked), conn(cid=8, error=-3),
                                       conn(cid=12, index=2, stats=expired)],
                                head=basic(free=91, packets=910, idle=4), w45=90, w46=10, w66=7))
    for limits, status, words in (("resent=9.9", 3, "sent 10.0 % of its packets again"), ("resent=10%", 0, ""),
                                  ("busies=6", 3, "turned 7 calls away"), ("busies=7", 0, ""),
                                  ("free=10.1%", 3, "has 10.0 % of its packet buffers free"),
                                  ("free=10", 0, ""), ("idle=5", 3, "has 4 idle threads"),
                                  ("idle=4", 0, ""), ("blocked=0", 3, "has 1 blocked calls"),
                                  ("errors=0", 3, "has 1 connections with errors"),
                                  ("expired=0", 3, "has 1 connections with expired tickets"),
                                  ("expired=1,errors=1,blocked=1", 0, ""), ("answer=60s", 0, ""),
                                  ("answer=0", 3, "answered in "),
                                  ("resent=1,busies=1", 3, "again; ")):
        for letter, status_then in (("-w", status), ("-c", status and 4)):
            done = rxdebug("--check", "-a", letter, limits, of(endpoint))
            equal("%s %s" % (letter, limits), done.returncode, status_then)
            check(words in done.stdout, "%s: %s" % (limits, done.stdout))
    done = rxdebug("--check", "-w", "free=20,resent=2", "-c", "free=5,resent=50", of(endpoint))
    for number in ("'%s free'=10.0%%;20:;5:;0", "'%s resent'=10.0%%;2;50;0"):
        check(number % of(endpoint) in done.stdout, done.stdout)
    asked = len(endpoint.requests)
    rxdebug("--check", of(endpoint))
    equal("questions for calls that wait", {request[1] for request in endpoint.requests[asked:]}, {BASIC, CONN})
    endpoint.stop()
    # Of counters since the server began most is past: --watch tells what there is now.
    looks = []

    def answer(kind, what, index, header):
        if what == STATS:
            looks.append(what)
            return stats_words(w45=1000 * len(looks), w46=900 + 10 * len(looks), w66=50)
        return telling()(kind, what, index, header)

    endpoint = Endpoint(answer)
    done = rxdebug("--check", "--watch", "100ms", "-w", "resent=5,busies=0", of(endpoint))
    equal("grown", done.returncode, 0)
    check("resent'=1.0%" in done.stdout and "busies'=0;" in done.stdout, done.stdout)
    equal("since it began", rxdebug("--check", "-w", "resent=5,busies=0", of(endpoint)).returncode, 3)
    endpoint.stop()
    old = Endpoint(telling("P"))
    found = object_of(rxdebug("--check", "--json", *QUICK, "-w", "idle=15", of(old), "127.0.0.1:1"))["check"]
    equal("JSON", (found["status"], [(one["server"], one["status"], one["answered"]) for one in found["servers"]]),
          ("UNKNOWN", [(of(old), "WARNING", True), ("127.0.0.1:1", "UNKNOWN", False)]))
    values = found["servers"][0]["values"]
    equal("values", (values["waiting"], values["idle"], sorted(values)), (0, 14, ["answer", "blocked", "errors", "expired", "held", "idle", "waiting"]))
    done = rxdebug("--check", *QUICK, "127.0.0.0/29:%d" % old.port)
    equal("network: " + done.stdout, (done.returncode, "1 server, nothing" in done.stdout), (0, True))
    done = rxdebug("--check", "-w", "busies=5", of(old))
    equal("too old to tell", done.returncode, 1)
    check("does not tell 'busies'" in done.stdout, done.stdout)
    old.stop()


def are(rates, name, count):
    """Seconds have three digits: behind a round that was late the next one comes within less."""
    return abs(rates[name] * rates["seconds"] - count) < 1 + rates[name] / 1000


def watching():
    """Rates instead of totals; counters wrap."""
    rounds = []
    plain = telling()

    def answer(kind, what, index, header):
        if kind != VERSION and what == BASIC:
            rounds.append(time.monotonic())
            return basic(calls=100 * len(rounds))
        if kind != VERSION and what == STATS:
            return stats_words(w45=(0xfffffff0 + 100 * len(rounds)) & 0xffffffff,
                               w46=0xfffffff0 if len(rounds) < 3 else 5)
        return plain(kind, what, index, header)

    endpoint = Endpoint(answer)
    lines = rxdebug("--watch", "200ms", "--wait", "20s", "--count", "3", "--json", of(endpoint)).stdout.splitlines()
    shown = [described("rxdebug", json.loads(line))["servers"][0] for line in lines]
    equal("rounds", (len(shown), "rates" in shown[0]), (3, False))
    for one in shown[1:]:
        rates = one["rates"]
        for name in ("calls_per_s", "data_packets_out_per_s"):
            check(are(rates, name, 100), "%s: %s" % (name, rates))
    check(are(shown[2]["rates"], "data_packets_resent_per_s", 21), "wrapped: %s" % shown[2]["rates"])
    text = rxdebug("--watch", "100ms", "--count", "2", of(endpoint)).stdout.splitlines()
    equal("text", (len(text), text[0].split()[0], text[2].split()[1]), (3, "TIME", of(endpoint)))
    endpoint.stop()


def moving():
    """One in front goes between two questions: the next is missed, and found by --twice."""
    conns = [conn(cid=4 * i, epoch=5) for i in range(10)]
    asked = []

    def answer(kind, what, index, header):
        if what != ALL_CONN:
            return telling()(kind, what, index, header)
        asked.append(index)
        left = conns if len(asked) <= 5 else conns[1:]
        return left[index] if index < len(left) else CONN_END

    for options, count in ((["-a"], 9), (["-a", "--twice"], 10)):
        asked.clear()
        endpoint = Endpoint(answer)
        one, = told("--wait", "20s", *options, of(endpoint))
        equal("moved, %s" % options, len(one["connections"]["list"]), count)
        endpoint.stop()


def no_harm():
    """One question for a record at a time unless told otherwise, and not more a second than the rate."""
    records = [(BASIC, basic()), (STATS, stats_words(w56=300))] + \
        [(ALL_CONN, conn(cid=4 * i)) for i in range(300)]
    program = RxProgram(records)
    for options in ([], ["--window", "64"], ["--window", "auto"]):
        one, = told("-a", *options, "127.0.0.1:%d" % program.port)
        equal("connections with %s" % options, len(one["connections"]["list"]), 300)
    program.stop()
    waiting = []

    class Slow(Endpoint):
        """Counts what waits when it has answered one."""

        def reply(self, packet, source):
            time.sleep(0.005)
            try:
                self.socket.recvfrom(4096, socket.MSG_DONTWAIT | socket.MSG_PEEK)
                waiting.append(packet)
            except BlockingIOError:
                pass
            super().reply(packet, source)

    slow = Slow(telling(conns=[conn(cid=4 * i) for i in range(20)]))
    told("-a", "--wait", "20s", of(slow))
    check(len(waiting) <= 1, "%d questions waited" % len(waiting))  # the version, or the counters
    before = time.monotonic()
    told("-a", "--wait", "20s", "--rate", "50", of(slow))
    check(time.monotonic() - before >= 20 / 50, "the rate is not kept")
    slow.stop()


class Queueing(Endpoint):
    """Answers what has come, in its order, after @pause each; `most` is how much ever waited."""

    def __init__(self, answer, pause):
        self.pause, self.waiting, self.most = pause, [], 0
        super().__init__(answer)

    def reply(self, packet, source):
        self.waiting.append((packet, source))
        while self.waiting:
            time.sleep(self.pause)
            try:
                while True:
                    self.waiting.append(self.socket.recvfrom(4096, socket.MSG_DONTWAIT))
            except BlockingIOError:
                pass
            self.most = max(self.most, len(self.waiting))
            super().reply(*self.waiting.pop(0))


class Far(Endpoint):
    """Answers each after @way, whatever else is on its way; `most` is how much ever was."""

    def __init__(self, answer, way):
        self.way, self.under_way, self.most = way, 0, 0
        super().__init__(answer)

    def reply(self, packet, source):
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        threading.Timer(self.way, self.arrive, (packet, source)).start()

    def arrive(self, packet, source):
        self.under_way -= 1
        super().reply(packet, source)


def adapting():
    """A server where questions wait for each other is left in peace."""
    plain = telling(conns=[conn(cid=4 * i) for i in range(200)])
    for window, least, most in (("1", 1, 3), ("64", 32, 70), ("auto", 1, 24)):
        near = Queueing(plain, 0.005)
        one, = told("-a", "--wait", "20s", "--window", window, of(near))
        equal("window %s: connections" % window, len(one["connections"]["list"]), 200)
        check(least <= near.most <= most, "window %s: %d waited" % (window, near.most))
        near.stop()


def far_away():
    """A server that is far is not waited for. So far, that what delays answers on a busy machine is little beside it."""
    far = Far(telling(conns=[conn(cid=4 * i) for i in range(200)]), 1)
    one, = told("-a", "--wait", "20s", "--window", "auto", of(far))
    equal("far: connections", len(one["connections"]["list"]), 200)
    check(far.most >= 8, "far: %d were on their way" % far.most)
    far.stop()


def progress():
    """On a terminal one line tells how far it is, and is gone in the end; nothing of it elsewhere."""
    slow = Endpoint(lambda *question: time.sleep(0.01) or telling(conns=[conn(cid=4 * i) for i in range(50)],
                                                                  w56=50)(*question))
    command = [SONDE, "rxdebug", "-a", "--wait", "20s", of(slow)]
    own, theirs = os.openpty()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=theirs)
    os.close(theirs)
    shown = b""
    try:
        while True:
            shown += os.read(own, 4096)
    except OSError:  # it is closed at the other end
        os.close(own)
    out = process.communicate(timeout=PATIENCE)[0]
    check(b" of some 50 records" in shown and shown.endswith(b"\r\x1b[K"), "progress: %r" % shown)
    check(b"Connections: 50" in out, "connections: %s" % out)
    equal("without a terminal", subprocess.run(command, capture_output=True, timeout=PATIENCE,
                                               check=True).stderr, b"")
    slow.stop()


def bad_peers():
    rng = random.Random(1)
    endless = Endpoint(lambda kind, what, index, header: conn(cid=4 * index) if what == ALL_CONN else
                       telling()(kind, what, index, header))
    one, = told("-a", "--window", "64", of(endless))
    equal("endless", (one["connections"]["complete"], one["connections"]["error"]), (False, "too many"))
    endless.stop()
    absurd = Endpoint(telling(conns=[conn()], w56=30000))
    one, = told("-a", of(absurd))
    equal("absurd", (one["connections"]["error"], one["connections"]["list"]), ("too many", []))
    check("--force" in rxdebug("-a", of(absurd)).stdout, "how to read it all the same")
    equal("forced", len(told("-a", "--force", of(absurd))[0]["connections"]["list"]), 1)
    absurd.stop()
    for name, what_comes in (("abort", (ABORT, b"\xff\xff\xff\xfb")), ("refusal", REFUSAL)):
        endpoint = Endpoint(lambda kind, what, index, header: what_comes)
        done = rxdebug("--json", *QUICK, of(endpoint))
        one, = object_of(done)["servers"]
        equal(name, (done.returncode, one["answered"], one["error"]), (1, False, "not supported"))
        endpoint.stop()
    for unused in range(20):
        garbage = Endpoint(lambda kind, what, index, header: rng.randbytes(rng.randrange(0, 400)))
        done = rxdebug("-a", "-p", "--wait", "20ms", "--tries", "2", of(garbage))
        check(done.returncode in (0, 1), "garbage: %d %s" % (done.returncode, done.stderr))
        garbage.stop()


def inventory():
    """Each client host is asked once, at its port 7001."""
    hosts = ["127.91.%d.1" % i for i in range(4)]
    texts = [b"new", b"old", b"new"]
    try:
        clients = [Endpoint(telling(text=text), (host, 7001)) for text, host in zip(texts, hosts)]
    except OSError:
        print("port 7001 is taken: no inventory")
        return
    peers = [peer(host, port) for host in hosts for port in (7001, 40000)]
    server = Endpoint(telling(peers=peers))
    found = object_of(rxdebug("--inventory", "--json", *QUICK, of(server)))["inventory"]
    equal("inventory", found, [{"host": hosts[0], "version": "new"}, {"host": hosts[2], "version": "new"},
                               {"host": hosts[1], "version": "old"}, {"host": hosts[3], "version": None}])
    equal("questions", [len(client.requests) for client in clients], [1, 1, 1])
    text = rxdebug("--inventory", *QUICK, of(server)).stdout.splitlines()
    equal("its text", [text[1].split(), text[4].split()], [["2", "new"], ["1", "old"]])
    silent = Endpoint(lambda *question: None)
    old = Endpoint(telling("P"))
    done = rxdebug("--inventory", *QUICK, of(silent), of(old), of(server))
    equal("servers without peers: status", done.returncode, 1)
    for line in ("%s: 0 peers were read: no answer" % of(silent),
                 "%s: 0 peers were read: the server does not list its peers" % of(old)):
        check(line in done.stderr, "why: " + done.stderr)
    check("new" in done.stdout, "the other server's peers: " + done.stdout)
    for one in clients + [server, silent, old]:
        one.stop()


def held():
    """Calls that a client holds by its silence are problems, for monitors too."""
    precall = ((1, 1, 0, 0, 1), IDLE, IDLE, IDLE)
    conns = [conn(cid=4 * i, index=2, stats=security(3), calls=precall) for i in range(13)]
    conns += [conn(cid=400 + 4 * i, flags=0x40, calls=precall) for i in range(13)]
    endpoint = Endpoint(telling(conns=conns))
    one, = told(of(endpoint))
    equal("problems", [problem["kind"] for problem in one["problems"]], 26 * ["held"])
    equal("why", {connection["calls"][0]["blocked"] for connection in one["connections"]["list"]},
          {"waits for the client to answer a challenge",
           "waits for the client to show that it is reachable (attach wait)"})
    done = rxdebug("--check", of(endpoint))
    equal("check", (done.returncode, "has 26 calls held by clients that do not answer" in done.stdout), (3, True))
    endpoint.stop()
    endpoint = Endpoint(telling(conns=conns[:10]))
    equal("a few", rxdebug("--check", of(endpoint)).returncode, 0)
    endpoint.stop()


def what_is_not_told():
    """Counters that a version lacks, or that did not come, are null."""
    for version, words, unknown in (("S", 71, set()), ("O", 71, {"receive_cbuf_failures",
                                    "send_cbuf_failures", "busies"}), ("Q", 71, {"busies"}),
                                   ("S", 60, None)):
        plain = telling(version)
        endpoint = Endpoint(lambda kind, what, index, header, words=words, plain=plain: plain(
            kind, what, index, header)[:4 * words if what == STATS else None])
        one, = told(of(endpoint))
        nulls = {name for name, value in one["stats"].items() if value is None and not name.startswith("rtt_")}
        if unknown is None:
            check("busies" in nulls and "data_read" not in nulls, "short counters: %s" % nulls)
        else:
            equal("not told by " + version, {name for name in nulls}, unknown)
        endpoint.stop()


def each_by_itself():
    """Of servers that are watched, one in trouble holds up neither the others nor its own figures."""
    slow = threading.Event()

    def answer(kind, what, index, header):
        if what == CONN:
            slow.wait(PATIENCE)  # its list is read when the test says so
        return telling(head=basic(waiting=7))(kind, what, index, header)

    troubled, well = Endpoint(answer), Endpoint(telling())
    silent = Endpoint(lambda *question: None)
    watcher = subprocess.Popen([SONDE, "rxdebug", "--watch", "10ms", "--wait", "50s", of(silent),
                                of(troubled), of(well)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    seen = {}
    for line in watcher.stdout:
        name = line.split()[1]
        seen.setdefault(name, []).append(line)
        if len(seen.get(of(well), [])) > 5 and of(troubled) in seen:
            break
    equal("figures of the one in trouble", [line.split()[2] for line in seen[of(troubled)]], ["7"])
    check(of(silent) not in seen, "the silent one: %s" % seen)
    slow.set()
    problem = next(line for line in watcher.stdout if "waiting " in line)
    check(of(troubled) in problem and "7 calls wait for a thread" in problem, problem)
    watcher.send_signal(signal.SIGINT)
    watcher.communicate(timeout=PATIENCE)
    for one in (troubled, well, silent):
        one.stop()


def interrupted():
    """What has come by then is shown."""
    asked = threading.Event()

    def answer(kind, what, index, header):
        if what == ALL_CONN and index == 3:
            asked.set()
            return None
        return telling(conns=[conn(cid=4 * i) for i in range(9)])(kind, what, index, header)

    endpoint = Endpoint(answer)
    command = [SONDE, "rxdebug", "--json", "-a", "--wait", "50s", of(endpoint)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        asked.wait(PATIENCE)
        process.send_signal(signal.SIGINT)
        out, said = process.communicate(timeout=PATIENCE)
    one, = described("rxdebug", json.loads(out))["servers"]
    equal("status", process.returncode, 1)
    check("interrupted" in said, "what it says: " + said)
    equal("connections", (one["connections"]["error"], len(one["connections"]["list"])), ("interrupted", 3))
    equal("problems", [problem["text"] for problem in one["problems"]],
          ["connections: 3, then no more: interrupted"])
    endpoint.stop()


def wrong():
    for args, status in (([], 2), (["--window", "0", "a"], 2), (["--window", "129", "a"], 2),
                         (["127.0.0.1:0"], 2), (["127.0.0.1:x"], 2), (["[::1]:0"], 2), (["[::1]7000"], 1), (["[::1"], 1), (["10.0.0.0/33"], 2),
                         (["10.0.0.0/8"], 1), (["host.invalid"], 1), (["@" + path("none")], 1),
                         (["--inventory", "--watch", "1s", "127.0.0.1"], 2), (["--count", "3", "127.0.0.1"], 2),
                         (["-w", "9", "-c", "3", "127.0.0.1"], 2),
                         (["-w", "free=5", "-c", "free=9", "127.0.0.1"], 2), (["-w", "x=5", "127.0.0.1"], 2),
                         (["-w", "idle=-1", "127.0.0.1"], 2), (["-w", "waiting=5%", "127.0.0.1"], 2),
                         (["--nagios", "127.0.0.1"], 2), (["--check", "--count", "2", "127.0.0.1"], 2), (["127.0.0.1", "--classic"], 2),
                         (["--watch", "0", "127.0.0.1"], 2)):
        done = rxdebug(*args)
        equal("status of %s" % args, done.returncode, status)
        check(done.stderr.startswith("sonde rxdebug: "), "%s: %s" % (args, done.stderr))


def main():
    # These mostly wait for servers that are silent.
    with concurrent.futures.ThreadPoolExecutor() as pool:
        for part in [pool.submit(part) for part in (several, monitors, every_measure, inventory, far_away)]:
            part.result()
    everything_as_json()
    old_servers()
    over_ipv6()
    lists_of_several()
    watching()
    moving()
    no_harm()
    adapting()
    progress()
    bad_peers()
    held()
    what_is_not_told()
    each_by_itself()
    interrupted()
    wrong()
    finish()


main()
