#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""sonde serve --rx, asked by OpenAFS's rxdebug: a connection of ours is as ss shows it."""
import contextlib
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kern"))
from harness import PATIENCE, SONDE, check, cleanups, equal, finish, missing, run  # noqa: E402

THEIRS = shutil.which("rxdebug")
PEER = re.compile(r"Peer at host ([\d.]+), port (\d+)\n.*?packets sent (\d+)\tpacket resends (\d+)\n"
                  r".*?sent high (\d+) low (\d+)\n.*?received high (\d+) low (\d+)\n"
                  r"\trtt (\d+) msec, rtt_dev (\d+) msec\n.*?congestion window (\d+), MTU (\d+)\n", re.S)


class Serving:
    """A `sonde serve --rx 127.0.0.1:0` with @options, until the end of the block."""

    def __init__(self, *options, address="127.0.0.1:0"):
        self.process = subprocess.Popen([SONDE, "serve", "--rx", address, *options],
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        cleanups.append(self.process.kill)
        line = self.process.stdout.readline()
        check(line.startswith("rx: "), "it begins with " + line)
        self.port = line.strip().rpartition(":")[2]

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.process.send_signal(signal.SIGINT)
        self.told = self.process.communicate(timeout=PATIENCE)[1]
        equal("status of serve", self.process.returncode, 0)

    def ask(self, *options):
        return run(THEIRS, "127.0.0.1", self.port, *options).stdout


@contextlib.contextmanager
def connection():
    """Both ends, at rest, after some bytes each way."""
    with socket.create_server(("127.0.0.1", 0)) as listener, \
            socket.create_connection(listener.getsockname()) as client, \
            listener.accept()[0] as server:
        for unused in range(40):
            client.sendall(bytes(5000))
            server.recv(5000, socket.MSG_WAITALL)
            server.sendall(bytes(70))
            client.recv(70, socket.MSG_WAITALL)
        yield listener.getsockname()[1], client.getsockname()[1]


def of_ss(local, remote):
    """What ss -ti knows of one end."""
    text = run("ss", "-tinOH", "sport", "=", str(local), "and", "dport", "=", str(remote)).stdout
    found = {name: int(number) for name, number in re.findall(r"\b(\w+):(\d+)", text)}
    rtt = re.search(r" rtt:([\d.]+)/([\d.]+)", text)
    resent = re.search(r"retrans:\d+/(\d+)", text)
    total = int(resent[1]) if resent else 0
    return {"sent": found["data_segs_out"] - total, "resent": total,
            "bytes_sent": found.get("bytes_sent", 0), "bytes_received": found.get("bytes_received", 0),
            "rtt": float(rtt[1]), "dev": float(rtt[2]), "cwnd": found["cwnd"], "mss": found["mss"]}


def of_rxdebug(text):
    """The same by remote port."""
    peers = {}
    for found in PEER.findall(text):
        n = [int(number) for number in found[1:]]
        peers[n[0]] = {"sent": n[1], "resent": n[2], "bytes_sent": n[3] << 32 | n[4],
                       "bytes_received": n[5] << 32 | n[6], "rtt": n[7], "dev": n[8], "cwnd": n[9],
                       "mss": n[10]}
    return peers


def like_ss():
    with connection() as (server, client), Serving("--rx-rate", "100M") as serving:
        for local, remote in ((client, server), (server, client)):
            # Late acknowledgements may still move it: until two readings of ss around are the same.
            end = time.monotonic() + PATIENCE
            before, after, told = None, 0, {}
            while before != after and time.monotonic() < end:
                time.sleep(1.1)  # for so long it tells what it told
                before = of_ss(local, remote)
                # Not -onlyport: of half of all ports it then shows no peers.
                told = of_rxdebug(serving.ask("-noconns", "-peers", "-long"))[remote]
                after = of_ss(local, remote)
            equal("times of %d" % remote, (told.pop("rtt"), told.pop("dev")),
                  (int(after.pop("rtt")), int(after.pop("dev"))))
            equal("peer %d" % remote, told, after)
            check(told["bytes_sent"] + told["bytes_received"] == 40 * 5070, "bytes: %s" % told)
        text = serving.ask("-allconnections", "-onlyport", str(client))
        check(text.count("Connection from host 127.0.0.1, port %d" % client) == 1, text)
        check("state dally, mode: eof" in text, text)
    check("0 above the rate" in serving.told, serving.told)


def over_ipv6():
    """IPv4 through a socket for both is shown; what is IPv6 is counted, and told of."""
    if not os.path.exists("/proc/net/if_inet6"):
        print("no IPv6 here: connections over it are not tried")
        return
    with socket.create_server(("::", 0), family=socket.AF_INET6, dualstack_ipv6=True) as listener, \
            socket.create_connection(("127.0.0.1", listener.getsockname()[1])) as client, \
            listener.accept()[0], Serving("--rx-rate", "100M") as serving:
        port, own = listener.getsockname()[1], client.getsockname()[1]
        text = serving.ask("-allconnections")
        for one in (port, own):
            equal("port %d of IPv4" % one, text.count("from host 127.0.0.1, port %d," % one), 1)
        before = left_out(serving)
        with socket.create_connection(("::1", port)) as other, listener.accept()[0]:
            end = time.monotonic() + PATIENCE
            while left_out(serving) < before + 2 and time.monotonic() < end:
                time.sleep(0.2)  # for a second it tells what it told
            check(left_out(serving) >= before + 2, "%d were left out, then %d" % (before, left_out(serving)))
            text = serving.ask("-allconnections")
            check("port %d," % other.getsockname()[1] not in text, "IPv6 is shown: " + text)
    told = re.search(r"not shown: ([\d,]+) TCP connections over IPv6", serving.told)
    check(told and int(told[1].replace(",", "")) >= 2, serving.told)


def left_out(serving):
    """Connections that are counted, and not in the lists."""
    text = serving.ask("-noconns", "-rxstats")
    server, client, calls = (int(re.search(r"(\d+) " + what, text)[1])
                             for what in ("server connections", "client connections", "call structs"))
    return calls - server - client


def versions():
    for version in "LMNOPQRS":
        with Serving("--rx-version", version) as serving:
            text = serving.ask("-noconns")
            equal("lines of " + version, len(text.splitlines()),
                  3 + (version >= "N") + (version >= "O") + (version >= "R"))
            check("sonde " in serving.ask("-version"), "its name")


def not_allowed():
    with Serving("--rx-allow", "192.0.2.0/24,127.0.0.2") as serving, \
            socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asker, \
            socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as allowed:
        allowed.bind(("127.0.0.2", 0))
        allowed.settimeout(PATIENCE)
        for one in asker, allowed:
            one.sendto(bytes(20) + b"\x0d\x05" + bytes(7), ("127.0.0.1", int(serving.port)))
        check(allowed.recv(100), "an address that is allowed")
        # Packets are taken in their order: the first one would have been answered by now.
        with contextlib.suppress(BlockingIOError):
            check(False, "answered: %s" % asker.recv(100, socket.MSG_DONTWAIT))
    check("1 not allowed" in serving.told, serving.told)


def where_others_ask():
    """Where other machines reach it, networks are named, or it is permitted to all."""
    for address in ("*:0", "0.0.0.0:0"):
        done = run(SONDE, "serve", "--rx", address, good=False)
        equal("status at " + address, done.returncode, 5)
        check("--rx-allow" in done.stderr and "--insecure" in done.stderr and "0.0.0.0:0" in done.stderr, done.stderr)
        for options in (("--insecure",), ("--rx-allow", "127.0.0.0/8")):
            with Serving(*options, address=address) as serving:
                check("sonde " in serving.ask("-version"), "at %s with %s" % (address, options))


def wrong():
    for args in (["--rx", "x"], ["--rx", "127.0.0.1:65536"], ["--rx", "host:1"], ["--rx", "0", "x"],
                 [], ["--rx", "0", "--rx-version", "K"], ["--rx", "0", "--rx-allow", "1.2.3"],
                 ["--rx", "0", "--rx-allow", "1.2.3.4/33"], ["--rx", "0", "--rx-rate", "10"]):
        equal("status of %s" % args, run(SONDE, "serve", *args, good=False).returncode, 2)


def main():
    if not THEIRS or not shutil.which("ss"):
        missing("OpenAFS's rxdebug, or ss, is not installed")
    like_ss()
    over_ipv6()
    versions()
    not_allowed()
    where_others_ask()
    wrong()
    finish()


main()
