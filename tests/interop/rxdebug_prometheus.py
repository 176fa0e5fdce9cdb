#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""`sonde rxdebug --prometheus`, scraped by a real Prometheus, and by clients that know no manners."""
import http.client
import json
import os
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kern"))
from harness import PATIENCE, SONDE, check, cleanups, equal, finish, missing, path, until  # noqa: E402
from lttng_relay import free_ports  # noqa: E402
from rx_endpoint import BASIC, PEER, PEER_END, STATS, VERSION, Endpoint, basic, lists, peer  # noqa: E402

NUMBERS = [0] * 28
NUMBERS[7], NUMBERS[11], NUMBERS[12], NUMBERS[25] = 80, 900, 100, 12345


def answer(kind, what, index, header):
    if kind == VERSION:
        return b"made \"up\" \\ 1.0\n".ljust(65, b"\0")
    if what == BASIC:
        return basic(waiting=3, idle=2, calls=-1)
    if what == STATS:
        return struct.pack(">71I", *range(71))
    if what == PEER:
        return peer("192.0.2.9", 7001, NUMBERS) if not index else PEER_END
    return lists(1, "S", 0)(kind, what, index, header)


def start(*args, address="0"):
    process = subprocess.Popen([SONDE, "rxdebug", "--prometheus", address, *args], stdout=subprocess.PIPE,
                               text=True)
    cleanups.append(process.kill)
    return process, int(process.stdout.readline().split()[2])


def get(port, page="/metrics"):
    with urllib.request.urlopen("http://127.0.0.1:%d%s" % (port, page), timeout=PATIENCE) as reply:
        return reply.read().decode()


def page_is_valid(text):
    if not shutil.which("promtool"):
        missing("promtool is not installed")
    done = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, text=True,
                          timeout=PATIENCE, check=False)
    equal("promtool", (done.returncode, done.stdout + done.stderr), (0, ""))
    lines = text.splitlines()
    kinds = dict(line.split()[2:4] for line in lines if line.startswith("# TYPE "))
    helps = [line.split(" ", 3)[2:] for line in lines if line.startswith("# HELP ")]
    equal("metrics with help, each once", sorted(name for name, unused in helps), sorted(kinds))
    equal("helps that say something", sorted(set(one for name, one in helps if len(one) < 12)), [])
    equal("helps of their own", len(set(one for name, one in helps)), len(helps))
    for name, kind in kinds.items():
        check((kind == "counter") == name.endswith("_total"), "%s is a %s" % (name, kind))


def values(text):
    return dict(line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))


def without_manners(port):
    """None of them keeps others from the page."""
    for words in (b"", b"GET", b"\0" * 9000, b"POST /metrics HTTP/1.1\r\n\r\n", b"GET /metrics"):
        with socket.create_connection(("127.0.0.1", port)) as rude:
            rude.sendall(words)
    for page in ("/", "/metricsx", "/other"):
        try:
            check(False, "page %s: %s" % (page, get(port, page)))
        except urllib.error.HTTPError as error:
            equal("status of " + page, error.code, 404)
    conn = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    conn.request("POST", "/metrics", "")
    equal("status of POST", conn.getresponse().status, 405)
    conn.close()
    check("rx_up" in get(port), "the page after all that")


def beside_silent_ones(port):
    """Connections that say nothing, or half a request, are open still when others have had the page."""
    silent = [socket.create_connection(("127.0.0.1", port)) for unused in range(100)]
    for one in silent[::2]:
        one.sendall(b"GET /metrics HTTP/1.1\r\nHost: ")
    check("rx_up" in get(port), "the page beside silent connections")
    equal("silent connections that were closed", select.select(silent, [], [], 0)[0], [])
    silent[0].sendall(b"x\r\n\r\n")
    check(silent[0].recv(1 << 16).startswith(b"HTTP/1.1 200 OK"), "one that goes on is answered")
    for one in silent:
        one.close()


def where_others_ask(server):
    """Where other machines reach it, it asks for a token, or is permitted to ask for nothing."""
    secret, shared = path("token"), path("shared")
    for name, mode in ((secret, 0o600), (shared, 0o644)):
        with open(name, "w", encoding="ascii") as file:
            file.write("0123456789abcdef\n")
        os.chmod(name, mode)
    def tried(*args):
        done = subprocess.run([SONDE, "rxdebug", *args, server], capture_output=True, text=True,
                              timeout=PATIENCE, check=False)
        return done.returncode, done.stderr
    for address in ("*:0", "0.0.0.0:0", "[::]:0"):
        status, said = tried("--prometheus", address)
        equal("status at " + address, status, 5)
        check("--token" in said and "--insecure" in said and address in said, "at %s: %s" % (address, said))
    status, said = tried("--prometheus", "*:0", "--token", shared)
    check(status == 5 and shared in said, "a token that others read: %d, %s" % (status, said))
    for options, words in ((("--token", secret), "--prometheus"), (("--insecure",), "--prometheus"),
                           (("--prometheus", "0", "--insecure", "--token", secret), "give one")):
        status, said = tried(*options)
        check(status == 2 and words in said, "usage %s: %d, %s" % (options, status, said))
    process, port = start("--insecure", server, address="*:0")
    check("rx_up" in get(port), "insecure")
    end(process)
    process, port = start("--token", secret, server, address="*:0")
    for given, status in (("", 401), ("Bearer ", 401), ("Bearer 0123456789abcdeg", 401), ("Basic 0123456789abcdef", 401),
                          ("Bearer 0123456789abcdef0", 401), ("bearer 0123456789abcdef", 200),
                          ("Bearer 0123456789abcdef", 200)):
        conn = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        conn.request("GET", "/metrics", headers={"Authorization": given} if given else {})
        reply = conn.getresponse()
        text = reply.read().decode()
        equal("status with %r" % given, reply.status, status)
        equal("metrics with %r" % given, "rx_up" in text, status == 200)
        if status == 401:
            equal("what it asks for", reply.headers["WWW-Authenticate"], "Bearer")
        conn.close()
    end(process)


def end(process):
    process.send_signal(signal.SIGINT)
    equal("its end", process.wait(PATIENCE), 0)


def query(port, what):
    page = "/api/v1/query?query=" + urllib.parse.quote(what)
    try:
        return [one["value"][1] for one in json.loads(get(port, page))["data"]["result"]]
    except OSError:
        return []


def scraped(port, server):
    """By a Prometheus that knows nothing but the port."""
    own, = free_ports(1)
    with open(path("prometheus.yml"), "w", encoding="ascii") as file:
        file.write("scrape_configs:\n - job_name: rx\n   scrape_interval: 1s\n   static_configs:\n"
                   "    - targets: ['127.0.0.1:%d']\n" % port)
    process = subprocess.Popen(["prometheus", "--config.file=" + path("prometheus.yml"),
                                "--storage.tsdb.path=" + path("prometheus"),
                                "--web.listen-address=127.0.0.1:%d" % own],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    cleanups.append(lambda: (process.kill(), process.wait()))
    queries = {"rx_up": ["1"], 'rx_calls_waiting{server="%s"}' % server: ["3"], "rx_peer_packets_resent_total": ["100"]}
    found = {}

    def is_scraped():
        """A scrape that takes longer than its interval, on a busy machine, takes away what the one before has found."""
        found.update({one: query(own, one) for one in queries})
        return found == queries or process.poll() is not None or any(
            value and value != queries[one] for one, value in found.items())
    until(is_scraped, "prometheus has scraped")
    equal("what prometheus found", found, queries)
    process.terminate()
    process.wait(PATIENCE)


def main():
    if not shutil.which("prometheus"):
        missing("prometheus is not installed")
    endpoint = Endpoint(answer)
    server = "127.0.0.1:%d" % endpoint.port
    process, port = start("-p", server)
    text = get(port)
    page_is_valid(text)
    found = values(text)
    for name, value in (("rx_up", "1"), ("rx_calls_waiting", "3"), ("rx_threads_idle", "2"),
                        ("rx_calls_executed_total", "4294967295"), ("rx_data_resent_total", "46"),
                        ("rx_busies_total", "66"), ("rx_peers", "58"),
                        ("rx_rtt_seconds_sum", "49.000050"), ("rx_rtt_seconds_count", "55"),
                        ("rx_peers_complete", "1")):
        equal(name, found['%s{server="%s"}' % (name, server)], value)
    for kind, read, sent in (("data", "11", "28"), ("debug", "18", "35"), ("version", "23", "40")):
        equal(kind, [found['rx_packets_%s_total{server="%s",type="%s"}' % (way, server, kind)]
                     for way in ("read", "sent")], [read, sent])
    equal("rtt", found['rx_peer_rtt_seconds{server="%s",peer="192.0.2.9:7001"}' % server], "0.010000")
    equal("version", found['rx_info{server="%s",version="made \\"up\\" \\\\ 1.0?"}' % server], "1")
    without_manners(port)
    beside_silent_ones(port)
    scraped(port, server)
    end(process)
    where_others_ask(server)
    endpoint.stop()
    # A server that is silent is told of, too.
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as silent:
        silent.bind(("127.0.0.1", 0))
        server = "127.0.0.1:%d" % silent.getsockname()[1]
        process, port = start("--wait", "100ms", "--tries", "1", server)
        found = values(get(port))
        equal("silent", found, {'rx_up{server="%s"}' % server: "0"})
        process.send_signal(signal.SIGTERM)
        equal("end of the second", process.wait(PATIENCE), 0)
    finish()


main()
