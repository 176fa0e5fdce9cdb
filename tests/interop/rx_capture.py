#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Captures by dumpcap of what OpenAFS's rxdebug asks a real vlserver: each record is what rxdebug has printed of the same
packet, tshark finds as many, and who captures into a pipe sees them as they come."""
import glob
import json
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kern"))
import afs_cell  # noqa: E402
from harness import PATIENCE, SONDE, check, cleanups, equal, finish, missing, path, until  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HOST, PORT = "127.0.0.1", 7003
NOBODY = 7009
MARK = 0x5eed0001  # number of the last request: what is behind it is of no interest


def stop(process, number=signal.SIGKILL):
    if process.poll() is None:
        process.send_signal(number)
    return process.wait(PATIENCE)


def capture(*args, stdout=subprocess.DEVNULL):
    """dumpcap, once it captures."""
    log = path("dumpcap%d" % len(cleanups))
    with open(log, "wb") as errors:
        process = subprocess.Popen(["dumpcap", "-q", "-f", "udp", *args], stdout=stdout, stderr=errors)
    cleanups.append(lambda: stop(process))

    def ready():
        with open(log, encoding="utf-8", errors="replace") as file:
            text = file.read()
        check(process.poll() is None, "dumpcap ends: " + text)
        return "File: " in text or process.poll() is not None

    until(ready, "dumpcap captures")
    return process


def ask_by_hand():
    """What rxdebug never asks; what nobody answers; and the mark."""
    client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    client.settimeout(PATIENCE)

    def send(call, what, port):
        client.sendto(struct.pack(">5I4B2Hii", 999, 0, call, 0, 0, 8, 5, 0, 0, 0, 0, what, 0), (HOST, port))

    send(77, 1, NOBODY)
    for call, what in ((78, 99), (MARK, 1)):
        send(call, what, PORT)
        client.recv(4096)


def events(name, *args, status=0):
    done = subprocess.run([SONDE, "print", "--format", "json", *args, name], capture_output=True, text=True,
                          timeout=PATIENCE)
    if status is not None:
        equal("status of %s: %s" % (name, done.stderr), done.returncode, status)
    return [json.loads(line) for line in done.stdout.splitlines()]


def is_mark(event):
    return event["event"] == "rx_debug.reply.stats" and event["fields"]["call"] == MARK


def of(events_, name):
    return [event["fields"] for event in events_ if event["event"] == "rx_debug." + name]


def numbers(pattern, text):
    found = re.search(pattern, text)
    return [int(one) for one in found.groups()] if check(found, "rxdebug did not print " + pattern) else []


def compare(shown, text):
    """Each record beside what rxdebug printed of it."""
    stats = of(shown, "reply.stats")[0]
    equal("statistics", [stats[name] for name in ("free_packets", "packets", "packet_reclaims", "calls_executed",
                                                  "used_fds", "waiting", "idle_threads", "waited")],
          numbers(r"Free packets: (\d+)/(\d+), packet reclaims: (\d+), calls: (\d+), used FDs: (\d+)", text) +
          numbers(r"(\d+) calls waiting for a thread\n(\d+) threads are idle\n(\d+) calls have waited", text))
    counters = of(shown, "reply.counters")[0]
    equal("counters", [counters[name] for name in (
        "packet_requests", "packets_read_data", "packets_read_ack", "packets_read_busy", "packets_read_abort",
        "packets_read_ackall", "packets_read_challenge", "packets_read_response", "packets_read_debug",
        "server_conns", "client_conns", "peers", "calls", "free_calls")],
        numbers(r"allocs (\d+)", text) +
        numbers(r"packets read: data (\d+) ack (\d+) busy (\d+) abort (\d+) ackall (\d+) challenge (\d+) "
                r"response (\d+) debug (\d+)", text) +
        numbers(r"(\d+) server connections, (\d+) client connections, (\d+) peer structs, (\d+) call structs, "
                r"(\d+) free call structs", text))
    conns = re.findall(r"Connection from host ([\d.]+), port (\d+), Cuid (\w+)/(\w+)\n  serial (\d+),  natMTU (\d+)"
                       r".*\n    call 0: # (\d+), state (\w+)", text)
    check(conns, "rxdebug has listed no connection")
    equal("connections", [(one["peer"], one["peer_port"], one["epoch"], one["cid"], one["serial"], one["nat_mtu"],
                           one["call0.number"]) for one in of(shown, "reply.conn")],
          [(host, int(port), int(epoch, 16), int(cid, 16), int(serial), int(mtu), int(number))
           for host, port, epoch, cid, serial, mtu, number, _ in conns])
    peers = re.findall(r"Peer at host ([\d.]+), port (\d+)\n\tifMTU (\d+)\tnatMTU (\d+)\tmaxMTU (\d+)\n"
                       r"\tpackets sent (\d+)\tpacket resends (\d+)\n\tbytes sent high 0 low (\d+)\n"
                       r"\tbytes received high 0 low (\d+)\n\trtt (\d+) msec", text)
    check(peers, "rxdebug has listed no peer")
    equal("peers", [(one["peer"], one["peer_port"], one["if_mtu"], one["nat_mtu"], one["max_mtu"],
                     one["packets_sent"], one["packets_resent"], one["bytes_sent"], one["bytes_received"],
                     one["rtt_us"] // 1000 or 2000) for one in of(shown, "reply.peer")],
          [(one[0], *(int(number) for number in one[1:])) for one in peers])
    equal("ends of lists", [one["what"] for one in of(shown, "reply.end")], [3, 5])
    check("AFS version: %s\n" % of(shown, "reply.version")[0]["version"] in text, "another version")


def compare_pairs(shown):
    """All that was asked was answered, but for what nobody was there for."""
    for one in shown:
        if one["event"].startswith("rx_debug.reply."):
            fields = one["fields"]
            equal("asked, answered: %s" % one, (fields["asked"], fields["answers"]), (1, 1))
            check(0 < fields["took_ns"] < PATIENCE * 10 ** 9, "time of %s" % one)
    equal("unanswered", [(one["call"], one["dport"]) for one in of(shown, "unanswered")], [(77, NOBODY)])
    equal("refused", [one["what"] for one in of(shown, "reply.refused")], [99])
    summary, = of(shown, "capture")
    equal("the sum", summary["packets"], sum(summary[name] for name in (
        "requests", "replies", "keepalives", "rx_other", "other")))
    check(summary["rx_other"] >= 3, "calls of vos: %s" % summary)


def compare_tshark(name, shown):
    told = subprocess.run(["tshark", "-r", name, "-Y", "rx.type == 8 || rx.type == 13", "-T", "fields", "-e",
                           "rx.callnumber"], capture_output=True, text=True, timeout=PATIENCE)
    equal("tshark's packets", [int(line) for line in told.stdout.split()],
          [one["fields"]["call"] for one in shown
           if one["event"].startswith(("rx_debug.request", "rx_debug.reply"))])


def compare_forms():
    """Whatever a capture is of, tshark sees the same in it: so it is one."""
    subprocess.run([sys.executable, "-B", os.path.join(ROOT, "tests", "golden", "data", "captures.py"),
                    path("forms")], check=True)
    forms = sorted(glob.glob(path("forms/same/*")))
    check(len(forms) > 15, "forms of captures: %s" % forms)
    for form in forms:
        compare_tshark(form, events(form))


def check_manual(shown):
    """Has each field, but for the counters, of which there are many."""
    with open(os.path.join(ROOT, "man", "sonde-pcap.5.scd"), encoding="utf-8") as file:
        text = file.read()
    for one in shown:
        check("*%s*" % one["event"] in text, "the manual lacks " + one["event"])
        for name in one["fields"] if one["event"] != "rx_debug.reply.counters" else ():
            check("*%s*" % re.sub(r"^call[1-3]", "call0", name) in text, "the manual lacks " + name)


def read_live(process):
    """What comes of the pipe, up to the mark; its writer goes on."""
    patience = threading.Timer(PATIENCE, process.kill)
    patience.start()
    try:
        for line in process.stdout:
            event = json.loads(line)
            yield event
            if is_mark(event):
                return
    finally:
        patience.cancel()
    check(False, "the mark did not come through the pipe")


def main():
    for program in ("vos", "dumpcap", "tshark"):
        if not shutil.which(program):
            missing(program + " is not installed")
    afs_cell.in_namespaces()
    config = afs_cell.make_cell()
    compare_forms()
    afs_cell.start("vlserver", config, "-noauth", "-database", path("db/vldb"))
    files = {"capture.pcapng": [], "capture.pcap": ["-P"], "cut.pcap": ["-P", "-s", "60"]}
    captures = [capture("-i", "lo", *args, "-w", path(name)) for name, args in files.items()]
    captures.append(capture("-i", "any", "-i", "lo", "-w", path("mixed.pcapng")))
    for unused in range(3):
        subprocess.run(["vos", "listaddrs", "-noauth", "-config", config], timeout=PATIENCE,
                       capture_output=True)
    text = "".join(subprocess.run(["rxdebug", HOST, str(PORT), *args], capture_output=True, text=True,
                                  timeout=PATIENCE).stdout
                   for args in (["-rxstats", "-peers", "-long", "-allconnections"], ["-version"]))
    # What is so little that a reader who wants a buffer full of it would wait for ever.
    piped = capture("-P", "-i", "lo", "-w", "-", stdout=subprocess.PIPE)
    live = subprocess.Popen([SONDE, "print", "--follow", "--format", "json", "-"], stdin=piped.stdout,
                            stdout=subprocess.PIPE, text=True)
    cleanups.append(lambda: stop(live))
    piped.stdout.close()
    ask_by_hand()
    seen = list(read_live(live))
    check(piped.poll() is None, "seen only when the capture had ended")
    for name in list(files)[:2]:
        until(lambda one=name: any(map(is_mark, events(path(one), status=None))), "%s has the mark" % name)
    packets, = (one["packets"] for one in of(events(path("capture.pcapng"), status=None), "capture"))
    for name, count in ("cut.pcap", packets), ("mixed.pcapng", 2 * packets):
        until(lambda one=name, want=count: any(
            summary["packets"] >= want for summary in of(events(path(one), status=None), "capture")),
              "%s has all packets" % name)
    for process in (*captures, piped):
        stop(process, signal.SIGINT)
    equal("status of following", live.wait(PATIENCE), 0)
    for name in list(files)[:2]:
        shown = events(path(name))
        compare(shown, text)
        compare_pairs(shown)
        compare_tshark(path(name), shown)
        check_manual(shown)
    equal("seen live", [one["fields"] for one in seen],
          [one["fields"] for one in events(path("capture.pcap"), "--where",
                                           "call == 77 || call == 78 || call == %d" % MARK) if
           one["event"] != "rx_debug.unanswered"])
    # Seen by both interfaces, of two kinds, which libpcap does not read.
    both, = of(events(path("mixed.pcapng")), "capture")
    once, = of(events(path("capture.pcapng")), "capture")
    equal("by two interfaces", both["requests"], 2 * once["requests"])
    cut, = of(events(path("cut.pcap"), status=1), "capture")
    check(cut["cut"] >= once["requests"] + once["replies"] and not cut["requests"], "cut: %s" % cut)
    finish()


main()
