#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""The library's responder, asked by OpenAFS's rxdebug: with the same records it is told what an endpoint
made by hand tells, for every version and option. tshark knows the packets."""
import os
import shutil
import socket
import struct
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kern"))
from harness import PATIENCE, SONDE, check, equal, finish, missing, path, run  # noqa: E402
from rx_endpoint import (ALL_CONN, BASIC, CONN, CONN_END, DEBUG, HEADER, PEER, PEER_END,  # noqa: E402
                         REFUSAL, STATS, Endpoint, lists)
from rx_program import RxProgram  # noqa: E402

THEIRS = shutil.which("rxdebug")
OPTIONS = [[], ["-rxstats"], ["-allconnections"], ["-peers", "-long"], ["-noconns", "-peers"],
           ["-nodally", "-a"], ["-onlyserver"], ["-onlyclient", "-a"], ["-onlyauth", "crypt", "-a"],
           ["-onlyauth", "noauth"], ["-onlyhost", "192.0.2.3", "-peers"],
           ["-onlyport", "7005", "-allc", "-pe", "-l"], ["-version"], ["-rxstats", "-noconns", "-peers"]]


def rxdebug(port, *args):
    done = subprocess.run([THEIRS, "127.0.0.1", str(port), *args], capture_output=True,
                          timeout=PATIENCE)
    lines = [line for line in done.stdout.splitlines() if not line.startswith(b"Trying")]
    return done.returncode, lines, done.stderr


def records_of(answer):
    """(collection, payload) of all that @answer has."""
    yield BASIC, answer(DEBUG, BASIC, 0, None)
    yield STATS, answer(DEBUG, STATS, 0, None)
    for what, end in ((CONN, CONN_END), (ALL_CONN, CONN_END), (PEER, PEER_END)):
        index = 0
        while answer(DEBUG, what, index, None) != end:
            yield what, answer(DEBUG, what, index, None)
            index += 1


def every_version():
    now = int(time.time())
    for seed, version in enumerate("LMNOPQRS"):
        answer = lists(seed, version, now)
        endpoint = Endpoint(answer)
        program = RxProgram(records_of(answer), version)
        for options in OPTIONS:
            want, got = rxdebug(endpoint.port, *options), rxdebug(program.port, *options)
            equal("version %s %s" % (version, " ".join(options)), got, want)
            check(got[0] == 0 and len(got[1]) > 0, "%s %s: nothing" % (version, options))
        endpoint.stop()
        program.stop()


def ask(asker, port, packet):
    asker.sendto(packet, ("127.0.0.1", port))
    return asker.recv(4096)


def request(kind, payload, flags=5, number=0x12345678):
    return HEADER.pack(999, 1, number, 2, 3, kind, flags, 4, 5, 6, 7) + payload


def what_is_echoed():
    """The header comes back but for one bit, whatever is in it; what is no request gets nothing."""
    program = RxProgram([], "L")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asker:
        asker.settimeout(PATIENCE)
        for packet in (b"", b"x", bytes(27), bytes(4000), request(DEBUG, struct.pack(">ii", BASIC, 0), 4),
                       request(DEBUG, b"\0\0\0\1", 5), request(1, bytes(8)), request(14, bytes(8))):
            asker.sendto(packet, ("127.0.0.1", program.port))
        for what in (0, STATS, PEER, 6, -1):
            packet = request(DEBUG, struct.pack(">ii", what, 0) + bytes(100), 0xff)
            want = bytearray(packet[:28])
            want[21] = 0xfe
            equal("refusal of %d" % what, ask(asker, program.port, packet), bytes(want) + REFUSAL)
    program.stop()


def bounded():
    """A flood of the smallest requests for the largest answer: what comes out is the rate's."""
    rate = 6240  # twenty of the largest answers
    program = RxProgram([], "S", rate=rate)
    packet = request(DEBUG, struct.pack(">ii", STATS, 0))
    got = []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asker:
        asker.settimeout(0.5)

        def take():
            while True:
                try:
                    got.append(len(asker.recv(4096)))
                except socket.timeout:
                    if len(got) >= 20 or time.monotonic() > begin + PATIENCE:
                        return

        begin = time.monotonic()
        for unused in range(20000):
            asker.sendto(packet, ("127.0.0.1", program.port))
        taker = threading.Thread(target=take)
        taker.start()
        taker.join()
        seconds = time.monotonic() - begin
    program.stop()
    check(len(got) >= 20, "%d answers" % len(got))
    check(sum(got) <= rate * (seconds + 1), "%d bytes in %.2f s" % (sum(got), seconds))


class Between(threading.Thread):
    """Passes packets on to a responder, and its answers back, and keeps both: (is an answer, packet)."""

    def __init__(self, port):
        super().__init__(daemon=True)
        self.near, self.far = (socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for unused in range(2))
        self.near.bind(("127.0.0.1", 0))
        self.far.connect(("127.0.0.1", port))
        self.port = self.near.getsockname()[1]
        self.packets = []
        self.start()

    def run(self):
        while True:
            packet, source = self.near.recvfrom(4096)
            if packet == b"end":
                return
            self.packets.append((False, packet))
            self.far.send(packet)
            self.packets.append((True, self.far.recv(4096)))
            self.near.sendto(self.packets[-1][1], source)

    def stop(self):
        self.near.sendto(b"end", ("127.0.0.1", self.port))
        self.join()
        self.near.close()
        self.far.close()


def write_pcap(name, packets):
    with open(name, "wb") as pcap:
        # RAW_IP; the packets are put into IPv4 and UDP by hand.
        pcap.write(struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 101))
        for is_answer, data in packets:
            udp = struct.pack(">HHHH", *((7003, 50000) if is_answer else (50000, 7003)), 8 + len(data), 0) + data
            ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 20 + len(udp), 0, 0, 64, 17, 0,
                             bytes([127, 0, 0, 1]), bytes([127, 0, 0, 1])) + udp
            pcap.write(struct.pack("<IIII", 0, 0, len(ip), len(ip)) + ip)


def known_to_tshark():
    """All that our client asks our responder, of each kind, and all that it is told."""
    if not shutil.which("tshark"):
        missing("tshark is not installed")
    program = RxProgram(records_of(lists(1, "S", int(time.time()))), "S")
    between = Between(program.port)
    run(SONDE, "rxdebug", "-a", "-p", "127.0.0.1:%d" % between.port)
    run(SONDE, "rxdebug", "--classic", "127.0.0.1", str(between.port), "-rxstats")
    run(SONDE, "rxdebug", "--classic", "127.0.0.1", str(between.port), "-version")
    between.stop()
    program.stop()
    kinds = {(packet[20], packet[28:32] if packet[20] == DEBUG else b"")
             for is_answer, packet in between.packets if not is_answer}
    equal("kinds of questions", len(kinds), 6)
    write_pcap(path("rx.pcap"), between.packets)
    fields = ["rx.type", "rx.callnumber", "rx.flags.client_init", "rx.epoch", "udp.length", "_ws.malformed",
              "_ws.expert"]
    told = subprocess.run(["tshark", "-r", path("rx.pcap"), "-T", "fields",
                           *(word for field in fields for word in ("-e", field))],
                          capture_output=True, text=True, timeout=PATIENCE, check=True).stdout
    rows = [line.split("\t") for line in told.splitlines()]
    equal("packets that tshark knows", len(rows), len(between.packets))
    for row, (is_answer, packet) in zip(rows, between.packets):
        equal("tshark of %s" % packet[:28].hex(),
              (row[0], int(row[1], 0), row[2], int(row[4]), row[5:]),
              (str(packet[20]), int.from_bytes(packet[8:12], "big"), "0" if is_answer else "1",
               8 + len(packet), ["", ""]))
        check("00:16:39" in row[3], "epoch 999: %s" % row[3])


def main():
    if not THEIRS:
        missing("OpenAFS's rxdebug is not installed")
    every_version()
    what_is_echoed()
    bounded()
    known_to_tshark()
    finish()


main()
