#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""`sonde record -e rx --rx` of servers that we make up: every value arrives, in each format; servers that lie, are
slow, or answer now and then harm neither the recorder nor its trace, and are not asked more for it; many at once;
and what the command line refuses."""
import csv
import io
import json
import os
import shutil
import socket
import struct
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kern"))
from harness import (PATIENCE, SONDE, Recorder, check, cleanups, equal, events, finish, fresh, path, run,  # noqa: E402
                     until)
from rx_endpoint import (ABORT, ALL_CONN, BASIC, CONN, CONN_END, PEER, PEER_END, REFUSAL, STATS,  # noqa: E402
                         VERSION, Endpoint, basic, conn, lists, peer, security)
from side_by_side import compare_trace  # noqa: E402

NOBODY = 65534
WORDS = list(range(1000, 1071))
CALLS = ((7, 1, 2, 0x10, 1), (8, 2, 1, 0x04, 2), (9, 3, 4, 0x10, 0), (10, 2, 2, 0x01, 0))
NUMBERS = [1400, 0, 2, 0, 0, 0, 0, 80, 8, 0, 0, 900, 100, 0, 0, 0, 1300, 1200, 4, 3, 1100, 12, 2, 0, 1, 5, 0, 6]


def told(trace, name):
    return [event["fields"] for event in events(trace, "-e", name, good=None) if event["event"] == name]


def exact(kind, what, index, unused):
    if kind == VERSION:
        return b"made up".ljust(65, b"\0")
    if what == BASIC:
        return basic(waiting=3, idle=2, waited=11, calls=-1, reclaims=4, waiting_for_packets=1)
    if what == STATS:
        words = WORDS[:]
        words[56:59] = [1, 0, 1]
        return struct.pack(">71I", *words)
    if what in (CONN, ALL_CONN):
        stats = security(3, 2, 10, 0xffffffff, (21, 22), (23, 24))
        return CONN_END if index else conn("192.0.2.7", 7001, 0x8004, 0xeb005678, 5, -3, 0x24, 1, 2, CALLS, stats, 1344)
    if what == PEER:
        return PEER_END if index else peer("192.0.2.9", 7005, NUMBERS)
    return REFUSAL


def has(what, got, want):
    for name, value in want.items():
        equal("%s: %s" % (what, name), got[name], value)


def values(trace, server):
    common = {"server": server, "round": 1}
    has("rx.stats", told(trace, "rx.stats")[0], common | {
        "address": "127.0.0.1", "waiting": 3, "idle_threads": 2, "waited": 11, "calls_executed": 0xffffffff,
        "packet_reclaims": 4, "waiting_for_packets": 1, "used_fds": 8, "free_packets": 306, "packets": 907,
        "version": ord("S"), "begun": 0})
    counters = told(trace, "rx.counters")[0]
    has("rx.counters", counters, common | {
        "packet_requests": 1000, "bogus_host": 1006, "packets_read_debug": 1018, "ping_sent": 1042,
        "abort_sent": 1043, "busy_sent": 1044, "ignored_acked": 1048, "rtt_samples": 1055, "server_conns": 1,
        "client_conns": 0, "peers": 1, "calls": 1059, "ignored_dally": 1063, "receive_cbuf_failures": 1064,
        "send_cbuf_failures": 1065, "busies": 1066, "rtt_total_us": 1049001050, "rtt_min_us": 1051001052,
        "rtt_max_us": 1053001054})
    has("rx.conn", told(trace, "rx.conn")[0], common | {
        "peer": "192.0.2.7", "peer_port": 7001, "epoch": 0xeb005678, "cid": 0x8004, "serial": 5, "error": -3,
        "nat_mtu": 1344, "flags": 0x24, "role": 1, "security": 2, "level": 2, "security_flags": 10,
        "expires": 0xffffffff, "packets_received": 21, "bytes_received": 22, "packets_sent": 23, "bytes_sent": 24,
        "calls": 3, "blocked": 2})
    calls = [{name: call[name] for name in ("channel", "number", "state", "mode", "flags", "waits_for", "has_input",
                                            "has_output")} for call in told(trace, "rx.call")[:3]]
    equal("rx.call", calls, [
        {"channel": 0, "number": 7, "state": 1, "mode": 2, "flags": 0x10, "waits_for": 1, "has_input": 1,
         "has_output": 0},
        {"channel": 1, "number": 8, "state": 2, "mode": 1, "flags": 0x04, "waits_for": 4, "has_input": 0,
         "has_output": 1},
        {"channel": 3, "number": 10, "state": 2, "mode": 2, "flags": 0x01, "waits_for": 0, "has_input": 0,
         "has_output": 0}])
    has("rx.call", told(trace, "rx.call")[0], common | {"peer": "192.0.2.7", "peer_port": 7001, "cid": 0x8004,
                                                         "epoch": 0xeb005678, "role": 1})
    has("rx.peer", told(trace, "rx.peer")[0], common | {
        "peer": "192.0.2.9", "peer_port": 7005, "if_mtu": 1400, "idle_when": 0, "ref_count": 2, "rtt_us": 10000,
        "rtt_dev_us": 2000, "packets_sent": 900, "packets_resent": 100, "nat_mtu": 1300, "max_mtu": 1200,
        "max_datagram_packets": 4, "if_datagram_packets": 3, "mtu": 1100, "cwind": 12, "datagram_packets": 2,
        "bytes_sent": 0x100000005, "bytes_received": 6})
    has("rx.list", told(trace, "rx.list")[0], common | {"what": 1, "result": 0, "records": 1, "expected": 1,
                                                         "twice": 0})


def every_value():
    """By an ordinary user, who has no privilege."""
    endpoint = Endpoint(exact)
    server = "localhost:%d" % endpoint.port
    home = path("ordinary")
    os.mkdir(home)
    os.chmod(os.path.dirname(home), 0o711)
    program = shutil.copy(SONDE, home + "/sonde")  # the one under test may be out of his reach
    more = {}
    if not os.geteuid():
        os.chown(home, NOBODY, NOBODY)
        more = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
    recorder = Recorder("-e", "rx", "--rx", server, "--rx", "127.0.0.1:%d" % endpoint.port, "--rx-all",
                        "--rx-rate", "1000", "--rx-period", "3s", trace=home + "/T", program=program,
                        env=dict(os.environ, SONDE_RUNTIME_DIR=home + "/run"), **more)
    until(lambda: len(told(recorder.trace, "rx.list")) >= 4, "two rounds of lists")
    equal("exit status", recorder.stop(), 0)
    endpoint.stop()
    equal("servers", {one["server"] for one in told(recorder.trace, "rx.stats")}, {server})
    values(recorder.trace, server)
    compare_trace(recorder.trace)
    converted(recorder.trace, server)


def converted(trace, server):
    """JSON and CSV, and a trace that is written again, have the same."""
    rows = list(csv.DictReader(io.StringIO(run(SONDE, "print", "-e", "rx.peer", "--format", "csv", trace).stdout)))
    equal("CSV", (rows[0]["server"], rows[0]["peer"], rows[0]["bytes_sent"], rows[0]["rtt_us"]),
          (server, "192.0.2.9", str(0x100000005), "10000"))
    again = fresh("again")
    run(SONDE, "convert", trace, "-o", again)
    values(again, server)
    counts = json.loads(run(SONDE, "stats", "--json", trace).stdout)
    check("rx.call" in json.dumps(counts), "stats have no rx.call: %s" % counts)
    found = run(SONDE, "print", "-e", "rx.call", "--where", 'waits_for == "THREAD" && server == "%s"' % server, trace)
    check(found.stdout.count("rx.call") >= 1 and "THREAD" in found.stdout, "by expression: " + found.stdout)


class Watched(Endpoint):
    """Knows when it is asked something else before it has answered. On a busy machine a question comes twice."""

    def __init__(self, answer, delay):
        self.delay, self.early, self.answered = delay, 0, set()
        super().__init__(answer)

    def reply(self, packet, source):
        if packet in self.answered:
            return
        time.sleep(self.delay)
        self.socket.setblocking(False)
        try:
            while (other := self.socket.recv(65536, socket.MSG_PEEK)) != b"end":
                self.early += other != packet and other not in self.answered
                self.socket.recv(65536)
        except BlockingIOError:
            pass
        self.socket.setblocking(True)
        self.answered.add(packet)
        super().reply(packet, source)


def slow():
    """Its list takes longer than a period: rounds come in between, and there is never a second question."""
    def answer(kind, what, index, header):
        if what == STATS:
            return struct.pack(">71I", *[0] * 56, 40, *[0] * 14)
        if what == ALL_CONN:
            return conn(cid=4 * index + 4) if index < 40 else CONN_END
        return exact(kind, what, index, header)

    endpoint = Watched(answer, 0.02)
    recorder = Recorder("-e", "rx", "--rx", "127.0.0.1:%d" % endpoint.port, "--rx-period", "200ms", "--rx-all",
                        "--rx-rate", "50")
    until(lambda: any(one["what"] == 1 for one in told(recorder.trace, "rx.list")), "the list has come to its end")
    recorder.stop()
    one = told(recorder.trace, "rx.list")[0]
    has("rx.list", one, {"records": 40, "expected": 40, "result": 0})
    check(one["rounds"] >= 2, "rounds meanwhile: %d" % one["rounds"])
    check(one["took_ns"] > 40 * 20000000, "it took %d ns" % one["took_ns"])
    equal("questions before the last was answered", endpoint.early, 0)
    endpoint.stop()


def told_or_lost(trace):
    """At each answer, all rounds up to it."""
    count = 0
    for event in events(trace, good=None):
        fields = event.get("fields", {})
        if event["event"] == "rx.stats":
            count += 1
            equal("rounds, told or lost", count, fields["round"])
        elif event["event"] == "sonde.loss" and fields["measurement"] == "rx.stats":
            count += fields["count"]


def now_and_then():
    """Answers after a while only: each of its rounds is told or lost, and between two there are at most three packets."""
    state = {"silent": True}

    def answer(kind, what, index, header):
        return None if state["silent"] else exact(kind, what, index, header)

    endpoint = Endpoint(answer)
    recorder = Recorder("-e", "rx", "--rx", "127.0.0.1:%d" % endpoint.port, "--rx-period", "500ms")
    until(lambda: told(recorder.trace, "rx.silent"), "its silence is told")
    state["silent"] = False
    until(lambda: told(recorder.trace, "rx.stats"), "it answers")
    state["silent"] = True
    until(lambda: told(recorder.trace, "rx.silent")[-1]["round"] > told(recorder.trace, "rx.stats")[-1]["round"],
          "it is silent again")
    equal("exit status", recorder.stop(), 3)
    rounds = [one["round"] for one in told(recorder.trace, "rx.stats")]
    silent = told(recorder.trace, "rx.silent")
    told_or_lost(recorder.trace)
    check(silent[0]["missed"] >= 1 and silent[0]["tries"] == 3 and silent[0]["why"] == 0, "first: %s" % silent[0])
    asked = [what for kind, what, unused in endpoint.requests if what == BASIC]
    check(len(asked) <= 3 * (len(rounds) + len(silent) + 1), "asked %d times in %d rounds" % (
        len(asked), len(rounds) + len(silent)))
    endpoint.stop()


def liars():
    """Whatever they say, the trace is good, and the recorder ends when it should."""
    def endless(kind, what, index, header):
        if what in (CONN, ALL_CONN):
            return conn(cid=4 * index + 4)
        return exact(kind, what, index, header)

    def huge(kind, what, index, header):
        return struct.pack(">71I", *[0xffffffff] * 71) if what == STATS else exact(kind, what, index, header)

    answers = {
        "endless": endless,
        "huge": huge,
        "short": lambda *args: exact(*args)[:20],
        "long": lambda *args: exact(*args) + bytes(1000),
        "refuses": lambda *unused: REFUSAL,
        "aborts": lambda *unused: (ABORT, struct.pack(">i", -5)),
        "the same": lambda kind, what, index, header: exact(kind, what, 0, header),
        "refuses records": lambda kind, what, index, header: REFUSAL if what in (CONN, ALL_CONN, PEER) else
        exact(kind, what, index, header),
        "other types": lambda *args: (1, exact(*args)),
    }
    for number, version in enumerate("LMNOPQRS"):
        answers["made up, " + version] = lists(number, version, int(time.time()))
    answers["of the future"] = lists(99, "Z", int(time.time()))
    answers["no version"] = lists(98, 200, int(time.time()))
    endpoints = {name: Endpoint(answer) for name, answer in answers.items()}
    args = [word for one in endpoints.values() for word in ("--rx", "127.0.0.1:%d" % one.port)]
    recorder = Recorder("-e", "rx", "--rx-all", "--rx-rate", "1000", "--rx-period", "300ms", *args)
    silent = {"127.0.0.1:%d" % endpoints[name].port for name in ("short", "refuses", "aborts", "other types")}

    wanted = {("127.0.0.1:%d" % endpoints[name].port, what, result) for name, what, result in (
        ("huge", 1, 1), ("huge", 2, 1), ("refuses records", 1, 3), ("refuses records", 2, 3), ("long", 1, 0),
        ("long", 2, 0), ("made up, L", 2, 3))}

    def enough():
        return {one["server"] for one in told(recorder.trace, "rx.silent")} >= silent and \
            len({one["server"] for one in told(recorder.trace, "rx.stats")}) + len(silent) >= len(endpoints) and \
            {(one["server"], one["what"], one["result"]) for one in told(recorder.trace, "rx.list")} >= wanted
    until(enough, "each has told something, or nothing, and lists have the results that they should have")
    equal("exit status", recorder.stop(), 3)
    for one in endpoints.values():
        one.stop()
    compare_trace(recorder.trace, quiet=False)
    why = {(one["server"], one["why"]) for one in told(recorder.trace, "rx.silent")}
    # On a busy machine others are late now and then, and so are refusals.
    equal("who never tells", {server for server, unused in why} -
          {one["server"] for one in told(recorder.trace, "rx.stats")}, silent)
    for name, want in (("short", 0), ("refuses", 1), ("aborts", 1), ("other types", 0)):
        check(("127.0.0.1:%d" % endpoints[name].port, want) in why, "%s is not silent for %d: %s" % (name, want, why))


def many():
    """A thousand servers, each with its round every second."""
    program = os.environ.get("SONDE_RX_PROGRAM")
    if not program:
        return
    records = path("records")
    with open(records, "wb") as file:
        file.write(bytes([BASIC]) + basic() + bytes([STATS]) + struct.pack(">71I", *[0] * 71))
    process = subprocess.Popen([program, records, "S", "0", "1000"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               text=True)
    cleanups.append(process.kill)
    port = int(process.stdout.readline())
    names = ["127.0.0.1"] + ["127.1.%d.%d" % divmod(i, 256) for i in range(1, 1000)]
    with open(path("servers"), "w", encoding="ascii") as file:
        file.writelines("%s:%d\n" % (name, port) for name in names)
    recorder = Recorder("-e", "rx.stats", "--rx", "@" + path("servers"), "--rx-period", "2s")
    until(lambda: len({one["server"] for one in told(recorder.trace, "rx.stats") if one["round"] > 1}) == 1000,
          "all have told twice")
    recorder.stop()
    process.stdin.close()
    process.wait(PATIENCE)


def refused():
    """What cannot be meant, with what to do."""
    for args, status, word in ((("-e", "rx"), 2, "--rx HOST"), (("-e", "rx.peer"), 2, "--rx HOST"),
                               (("-e", "tcp.poll", "--rx", "127.0.0.1"), 2, "-e rx"),
                               (("--rx", "127.0.0.0/24"), 2, "network"), (("--rx", "127.0.0.1:nothing"), 2, "port"),
                               (("--rx", "127.0.0.1", "--rx-period", "1ms"), 2, "100ms"),
                               (("--rx", "127.0.0.1", "--rx-rate", "0"), 2, "--rx-rate"),
                               (("--rx", "127.0.0.1", "-e", "rx.none"), 4, "rx.conn"),
                               (("-e", "rx", "--rx", "127.0.0.1", "--mode", "overwrite"), 5, "overwrite")):
        done = subprocess.run([SONDE, "record", "-d", "1ms", "-o", fresh(), *args], capture_output=True, text=True,
                              timeout=PATIENCE, check=False)
        equal("exit status of %s" % " ".join(args), done.returncode, status)
        check(word in done.stderr, "%s: %s" % (" ".join(args), done.stderr))


def main():
    every_value()
    slow()
    now_and_then()
    liars()
    many()
    refused()
    finish()


main()
