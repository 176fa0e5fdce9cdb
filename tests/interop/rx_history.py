#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""`sonde record -e rx --rx`: the history of real vlserver and fileserver. At rest it has the numbers that rxdebug
tells; calls that wait for a thread are seen coming and going, and drawn; a server that dies, comes back, and has
begun anew is told of; and all that reads traces reads that: babeltrace2, viewers of a live session."""
import collections
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import xml.etree.ElementTree

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kern"))
import afs_cell  # noqa: E402
from afs_cell import ABORT, CLIENT_INITIATED, DATA, PORTS  # noqa: E402
from harness import (PATIENCE, SONDE, Recorder, check, cleanups, clock_offset_ns, equal, events, finish,  # noqa: E402
                     fresh, path, read_line, run, until)
from rx_endpoint import HEADER  # noqa: E402
from side_by_side import compare_trace  # noqa: E402

CONNS, PEERS = 1, 2  # of rx.list
THREADS, CALLS = 4, 40
PERIOD_S = 0.2
VLSERVER, FILESERVER = ("127.0.0.1:%d" % PORTS[name] for name in ("vlserver", "fileserver"))
# As rxdebug -rxstats has them, line by line, and as the words are called.
TYPES = ("data", "ack", "busy", "abort", "ackall", "challenge", "response", "debug", "params", "10", "11",
         "12", "version")
STATS = [r"rx stats: free packets (?P<free>\d+), allocs (?P<packet_requests>\d+), alloc-failures"
         r"\(rcv (?P<receive_alloc_failures>\d+)/(?P<receive_cbuf_failures>\d+),send (?P<send_alloc_failures>\d+)/"
         r"(?P<send_cbuf_failures>\d+),ack (?P<special_alloc_failures>\d+)\)",
         r"greedy (?P<socket_greedy>\d+), bogusReads (?P<bogus_packets>\d+) \(last from host \w+\), noPackets "
         r"(?P<no_packet>\d+), noBuffers (?P<no_buffer>\d+), selects (?P<selects>\d+), sendSelects "
         r"(?P<send_selects>\d+)",
         "packets read: " + " ".join(r"\w+ (?P<packets_read_%s>\d+)" % name for name in TYPES),
         r"other read counters: data (?P<data_read>\d+), ack (?P<ack_read>\d+), dup (?P<duplicate_read>\d+) "
         r"spurious (?P<spurious_read>\d+) dally (?P<ignored_dally>\d+)",
         "packets sent: " + " ".join(r"\w+ (?P<packets_sent_%s>\d+)" % name for name in TYPES),
         r"other send counters: ack (?P<ack_sent>\d+), data (?P<data_sent>\d+) \(not resends\), resends "
         r"(?P<data_resent>\d+), pushed (?P<data_pushed>\d+), acked&ignored (?P<ignored_acked>\d+)",
         r"sendFailed (?P<send_failures>\d+), fatalErrors (?P<fatal_errors>\d+)",
         r"(?P<server_conns>\d+) server connections, (?P<client_conns>\d+) client connections, (?P<peers>\d+) "
         r"peer structs, (?P<calls>\d+) call structs, (?P<free_calls>\d+) free call structs"]
HEAD = (r"Free packets: (?P<free_packets>-?\d+)/(?P<packets>\d+), packet reclaims: (?P<packet_reclaims>\d+), calls: "
        r"(?P<calls_executed>\d+), used FDs: (?P<used_fds>\d+)\n.*\n(?P<waiting>\d+) calls waiting for a thread\n"
        r"(?P<idle_threads>\d+) threads are idle\n(?P<waited>\d+) calls have waited")
CONN = re.compile(r"Connection from host (\S+), port (\d+), Cuid (\w+)/(\w+)(?:, error (-?\d+))?\n"
                  r"  serial (\d+),  natMTU (\d+), .*security index (\d+), (client|server) conn")
PEER = re.compile(r"Peer at host (\S+), port (\d+)\n\tifMTU (\d+)\tnatMTU (\d+)\tmaxMTU (\d+)\n"
                  r"\tpackets sent (\d+)\tpacket resends (\d+)\n\tbytes sent high (\d+) low (\d+)\n"
                  r"\tbytes received high (\d+) low (\d+)\n\trtt (\d+) msec, rtt_dev (\d+) msec\n.*\n.*\n"
                  r"\tcongestion window (\d+), MTU (\d+)\n\tcurrent/if/max jumbogram size: (\d+)/(\d+)/(\d+)")


def rxdebug(server, *args):
    host, port = server.split(":")
    return run("rxdebug", host, port, *args).stdout


def told(trace, server, name):
    return [event["fields"] for event in events(trace, "-e", name, good=None)
            if event["event"] == name and event["fields"]["server"] == server]


class History(Recorder):
    def __init__(self, *args):
        super().__init__("-e", "rx", "--rx-period", "%gs" % PERIOD_S, *args)

    def last(self, server, name):
        found = told(self.trace, server, name)
        return found[-1] if found else None

    def finds(self, server, name, what, good):
        """Waits until there is a record of which @good holds."""
        until(lambda: any(good(one) for one in told(self.trace, server, name)), what)


def ends_well(recorder, status):
    """Complete, but for rounds that a busy machine has missed, each of which is told. How many these are."""
    missed = [event["fields"] for event in events(recorder.trace, "-e", "sonde.loss", good=None)
              if event["event"] == "sonde.loss"]
    equal("exit status", status, 3 if missed else 0)
    check(all(one["measurement"].startswith("rx.") for one in missed), "lost: %s" % missed)
    return sum(one["count"] for one in missed if one["measurement"] == "rx.stats")


def vos(config, times):
    for unused in range(times):
        subprocess.run(["vos", "listaddrs", "-noauth", "-config", config], timeout=PATIENCE,
                       capture_output=True, check=False)


def numbers(text, pattern):
    found = re.search(pattern, text)
    if not check(found, "rxdebug has no %s: %s" % (pattern, text)):
        return {}
    return {name: int(value) for name, value in found.groupdict().items()}


Asked = collections.namedtuple("Asked", "totals lists")


def asked(server):
    return Asked(rxdebug(server, "-rxstats", "-noconns"), rxdebug(server, "-allconnections", "-peers", "-long"))


def without_questions(text):
    """Each question counts as a packet that was read."""
    return re.sub(r"(packets read: .*) debug \d+", r"\1", text)


class Unchanged:
    """A time during which a server had nothing to do but to answer, and `rounds` of a recorder within it: of the
    totals, and of each kind of list. A busy machine does not read every list in every round."""

    def __init__(self, history, server):
        self.history, self.server = history, server
        self.before = self.after = self.since = None
        self.rounds = {}
        until(self.is_over, server + " did nothing while it was read")

    def find_rounds(self):
        """The last round of each, among those that began behind `before`."""
        mine = [one for one in events(self.history.trace, good=None)
                if one["event"].startswith("rx.") and one["fields"]["server"] == self.server]
        since = self.since + clock_offset_ns(self.history.trace)
        begun = {one["fields"]["round"] for one in mine if one["event"] == "rx.stats" and one["time"] > since}
        return {one["fields"].get("what", one["event"]): one["fields"]["round"] for one in mine
                if one["event"] in ("rx.counters", "rx.list") and one["fields"]["round"] in begun}

    def is_over(self):
        """Called again and again: begins anew whenever the server has done something."""
        if self.before:
            self.rounds = self.find_rounds()
            if not {"rx.counters", CONNS, PEERS} <= set(self.rounds):
                return False
        self.after = asked(self.server)
        same = self.before and all(without_questions(a) == without_questions(b)
                                   for a, b in zip(self.before, self.after))
        self.before, self.since = self.after, time.monotonic_ns()
        return same


def of_round(trace, server, name, number):
    return [one for one in told(trace, server, name) if one["round"] == number]


def same_totals(server, trace, unchanged):
    """rxdebug's own questions, and what it takes to answer, leave out."""
    text = unchanged.after.totals
    stats, = of_round(trace, server, "rx.stats", unchanged.rounds["rx.counters"])
    counters, = of_round(trace, server, "rx.counters", unchanged.rounds["rx.counters"])
    for name, value in numbers(text, HEAD).items():
        equal("%s: %s" % (server, name), stats[name], value)
    equal(server + ": version", stats["version"], ord("S"))
    words = {}
    for pattern in STATS:
        words.update(numbers(text, pattern))
    del words["free"]
    questions = words.pop("packets_read_debug")
    check(0 < counters["packets_read_debug"] < questions, "questions counted: %d, then %d" %
          (counters["packets_read_debug"], questions))
    for name, value in words.items():
        equal("%s: %s" % (server, name), counters[name], value)
    check(len(words) > 50, "rxdebug tells %d counters" % len(words))


def same_lists(server, trace, unchanged):
    text = unchanged.after.lists
    conns = {(one["peer"], one["peer_port"], one["epoch"], one["cid"], one["error"], one["serial"], one["nat_mtu"],
              one["security"], one["role"]) for one in of_round(trace, server, "rx.conn", unchanged.rounds[CONNS])}
    want = {(host, int(port), int(epoch, 16), int(cid, 16), int(error or 0), int(serial), int(mtu), int(index),
             int(role == "server")) for host, port, epoch, cid, error, serial, mtu, index, role in
            CONN.findall(text)}
    equal(server + ": connections", conns, want)
    check(conns, server + ": no connections")
    peers = {(one["peer"], one["peer_port"], one["if_mtu"], one["nat_mtu"], one["max_mtu"], one["packets_sent"],
              one["packets_resent"], one["bytes_sent"], one["rtt_us"] // 1000, one["rtt_dev_us"] // 1000,
              one["cwind"], one["mtu"], one["datagram_packets"], one["if_datagram_packets"],
              one["max_datagram_packets"]) for one in of_round(trace, server, "rx.peer", unchanged.rounds[PEERS])}
    want = set()
    for host, *rest in PEER.findall(text):
        (port, if_mtu, nat_mtu, max_mtu, sent, resent, high, low, unused, unused, rtt, dev, cwind, mtu, now, ours,
         most) = map(int, rest)
        untold = rtt == 2000
        want.add((host, port, if_mtu, nat_mtu, max_mtu, sent, resent, high << 32 | low, 0 if untold else rtt,
                  0 if untold else dev, cwind, mtu, now, ours, most))
    equal(server + ": peers", peers, want)
    check(peers, server + ": no peers")


def at_rest(config):
    vos(config, 3)
    history = History("--rx", VLSERVER, "--rx", FILESERVER, "--rx-all", "--rx-rate", "1000")
    # A fileserver that has just begun still asks the vlserver, and looks for a ptserver.
    unchanged = {server: Unchanged(history, server) for server in (VLSERVER, FILESERVER)}
    ends_well(history, history.stop())
    for server in (VLSERVER, FILESERVER):
        same_totals(server, history.trace, unchanged[server])
        same_lists(server, history.trace, unchanged[server])
        # Of the rounds in which nothing changed: a busy machine does not read every list in every round.
        lists = [one for what in (CONNS, PEERS)
                 for one in of_round(history.trace, server, "rx.list", unchanged[server].rounds[what])
                 if one["what"] == what]
        equal(server + ": lists that are complete",
              [(one["what"], one["result"], one["records"] == one["expected"]) for one in lists],
              [(CONNS, 0, True), (PEERS, 0, True)])
    return history.trace


class Load:
    """Calls that do not come to an end: each takes a thread that waits for the rest of it, and when there are no
    threads, waits for one."""

    def __init__(self, server, count):
        host, port = server.split(":")
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.connect((host, int(port)))
        self.count = count
        self.first = 0x1000  # connection

    def send(self, kind, payload):
        for i in range(self.count):
            self.socket.send(HEADER.pack(0x80000001, self.first + 4 * i, 1, int(kind == DATA), 1, kind,
                                         CLIENT_INITIATED, 0, 0, 0, afs_cell.SERVICES[PORTS["vlserver"]]) + payload)

    def begin(self):
        self.first += 4 * self.count
        self.send(DATA, bytes(2))  # half of what call it is

    def end(self):
        self.send(ABORT, (0xffffffff).to_bytes(4, "big"))
        self.socket.close()


def agree(history, load):
    """The server gives up callers of whom it hears nothing, so they may have gone by now."""
    waiting = int(re.search(r"(\d+) calls waiting for a thread", rxdebug(VLSERVER, "-noconns"))[1])
    if not waiting:
        load.begin()
    return waiting and waiting == history.last(VLSERVER, "rx.stats")["waiting"]


def blocked():
    """Waiting calls over time, while a load blocks the threads, and then no more."""
    history = History("--rx", VLSERVER, "--rx-rate", "1000")
    history.finds(VLSERVER, "rx.stats", "nothing waits", lambda one: not one["waiting"])
    load = Load(VLSERVER, CALLS)
    load.begin()
    history.finds(VLSERVER, "rx.stats", "calls wait", lambda one: one["waiting"])
    history.finds(VLSERVER, "rx.list", "the calls are in a list", lambda one: one["records"] >= CALLS)
    until(lambda: agree(history, load), "rxdebug and the trace have as many calls that wait")
    text = rxdebug(VLSERVER)
    load.end()
    until(lambda: history.last(VLSERVER, "rx.stats")["waiting"] == 0, "no call waits any more")
    missed = ends_well(history, history.stop())
    stats = told(history.trace, VLSERVER, "rx.stats")
    most = max(one["waiting"] for one in stats)
    check(most >= CALLS - 2 * THREADS, "only %d calls wait" % most)
    check(stats[-1]["waited"] >= most, "calls that have waited: %d" % stats[-1]["waited"])
    calls = told(history.trace, VLSERVER, "rx.call")
    wait = collections.Counter(one["round"] for one in calls if one["waits_for"] == 1)
    # A list is read while calls that wait get a thread, or are given up.
    there = text.count("waiting_for_process")
    check(any(abs(count - there) <= THREADS for count in wait.values()), "%d calls wait for a thread: %s" %
          (there, wait))
    drawn(history.trace, most)
    found = json.loads(reads(history.trace, "report", "--json", history.trace, "rx"))["reports"]["rx"]["servers"]
    equal("as it is reported", [(one["server"], one["rounds"], one["waiting_most"], one["waiting_total"],
                                 one["waiting_rounds"]) for one in found],
          [(VLSERVER, len(stats), most, sum(one["waiting"] for one in stats),
            sum(one["waiting"] > 0 for one in stats))])
    # Those alone that the server let pass.
    check(found[0]["missed"] <= missed, "rounds missed: %d of %d that are lost" % (found[0]["missed"], missed))
    return history.trace


def reads(trace, *args):
    """What a verb prints of the trace. Its exit status says whether rounds are missing."""
    done = run(SONDE, *args, good=False)
    missed = any(event["event"] == "sonde.loss" for event in events(trace, "-e", "sonde.loss", good=None))
    equal("exit status of %s" % args[0], done.returncode, 3 if missed else 0)
    return done.stdout


def drawn(trace, most):
    """The line goes up to where the calls were, and down again."""
    picture = path("waiting.svg")
    reads(trace, "graph", trace, "-F", "rx.stats:waiting", "--by", "server", "--style", "step", "-o", picture)
    svg = xml.etree.ElementTree.parse(picture).getroot()
    text = " ".join(svg.itertext())
    check(VLSERVER in text and "calls" in text, "what the picture says: " + text)
    check(any(int(word) >= most - most % 10 for word in re.findall(r"\b\d+\b", text)), "its scale: " + text)
    text = reads(trace, "graph", trace, "-F", "rx.stats:waiting", "--by", "server", "--format", "text")
    check(VLSERVER in text, text)


def comes_back(server, config):
    """Killed, and started again: its rounds are lost, and counted; its counters begin anew."""
    history = History("--rx", VLSERVER)
    history.finds(VLSERVER, "rx.stats", "it answers", lambda one: one["round"] > 1)
    server.send_signal(signal.SIGKILL)
    server.wait()
    history.finds(VLSERVER, "rx.silent", "its silence is told", lambda one: one["missed"] > 0)
    start_vlserver(config)
    gone = history.last(VLSERVER, "rx.silent")["round"]
    history.finds(VLSERVER, "rx.stats", "it answers again", lambda one: one["round"] > gone + 1)
    equal("exit status", history.stop(), 3)
    check("did not answer" in history.stderr and VLSERVER in history.stderr, history.stderr)
    stats = told(history.trace, VLSERVER, "rx.stats")
    equal("how often it began anew", stats[-1]["begun"], 1)
    rounds = [one["round"] for one in stats]
    lost = sum(event["fields"]["count"] for event in events(history.trace, "-e", "sonde.loss", good=None)
               if event["event"] == "sonde.loss" and event["fields"]["measurement"] == "rx.stats")
    equal("rounds, told or lost", len(set(rounds)) + lost, rounds[-1])
    check(lost > 0, "nothing is lost")
    shown = run(SONDE, "graph", history.trace, "-F", "rx.stats:idle_threads", "--format", "text", good=False)
    equal("exit status of graph", shown.returncode, 3)
    check("lost" in shown.stdout, "the gap is not drawn: " + shown.stdout)


def live():
    """A viewer sees what is recorded, while it is."""
    serving = Recorder("-e", "rx", "--rx", VLSERVER, "--rx-period", "200ms", "--serve=127.0.0.1:0", "--name", "rx")
    url = read_line(serving.process.stderr).strip()
    viewer = subprocess.Popen([SONDE, "print", "-e", "rx.stats", "--format", "json", url], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True)
    cleanups.append(viewer.kill)
    first = read_line(viewer.stdout)
    check('"rx.stats"' in first and VLSERVER in first, "a viewer sees: " + first)
    serving.send(signal.SIGINT)
    rest, unused = viewer.communicate(timeout=PATIENCE)
    missed = ends_well(serving, serving.wait())
    check(viewer.returncode == 0 or missed and viewer.returncode == 3, "exit status of the viewer: %d" % viewer.returncode)
    equal("what the viewer has seen", rest.count('"event":"rx.stats"') + 1,
          len(told(serving.trace, VLSERVER, "rx.stats")))


def switched():
    """Off and on again while it runs: meanwhile nobody is asked, and nothing is lost."""
    history = History("--rx", VLSERVER, "--name", "rx")
    history.finds(VLSERVER, "rx.stats", "it answers", lambda one: one)
    run(SONDE, "disable", "rx")
    before = history.last(VLSERVER, "rx.stats")["round"]
    since = time.monotonic()
    time.sleep(3)  # in which nothing comes
    rounds = int((time.monotonic() - since) / PERIOD_S)
    run(SONDE, "enable", "rx.stats")
    history.finds(VLSERVER, "rx.stats", "it answers again", lambda one: one["round"] > before + 2)
    # Those of the time that it was off would be lost.
    missed = ends_well(history, history.stop())
    check(missed < rounds - 1, "%d rounds are lost, of %d in which nobody is asked" % (missed, rounds))


def start_vlserver(config):
    return afs_cell.start("vlserver", config, "-noauth", "-p", str(THREADS), "-database", path("db/vldb"))


def main():
    afs_cell.in_namespaces()
    config = afs_cell.make_cell()
    server = start_vlserver(config)
    afs_cell.start("fileserver", config)
    compare_trace(at_rest(config))
    compare_trace(blocked())
    comes_back(server, config)
    live()
    switched()
    finish()


main()
