#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""sonde serve that asks for certificates, tokens or both: who has them sees every event, who has not is told so at
both ends, sees nothing, and disturbs nobody."""
import contextlib
import ctypes
import os
import random
import re
import shutil
import signal
import socket
import ssl
import struct
import subprocess
import sys
import threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kern"))
from certificates import Authority, write_token  # noqa: E402
from harness import (PATIENCE, SONDE, check, cleanups, equal, finish, fresh,  # noqa: E402
                     missing, run, until)
from live_viewer import OK, URL, Viewer, in_order  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
VIEWERS = 200
SOURCES = 8  # of them as processes


class Server:
    """`sonde serve`, with all that it says in a file."""

    def __init__(self, *args, live="127.0.0.1:0", traces=()):
        self.log, self.told = fresh("log"), {}
        with open(self.log, "w", encoding="utf-8") as out:
            self.process = subprocess.Popen([SONDE, "serve", "--live", live, *args, *traces],
                                            stderr=out)
        cleanups.append(self.kill)
        until(lambda: len(URL.findall(self.said())) == len(traces) or self.process.poll() is not None,
              "the relay says what it has")
        urls = [found[0] for found in re.finditer(URL, self.said())]
        self.urls = in_order(urls, traces) if len(urls) == len(traces) else urls
        self.port = int(URL.findall(self.said())[0][0])

    def said(self):
        with open(self.log, encoding="utf-8") as file:
            return file.read()

    def says(self, text):
        """It does so, once more for each time that this is asked."""
        self.told[text] = self.told.get(text, 0) + 1
        until(lambda: self.said().count(text) >= self.told[text], "the relay says: " + text)

    def memory(self):
        with open("/proc/%d/smaps_rollup" % self.process.pid, encoding="ascii") as file:
            return sum(int(line.split()[1]) for line in file
                       if line.startswith("Private_Dirty:")) << 10

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(PATIENCE)

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()


class TlsViewer(Viewer):
    def __init__(self, port, authority, base, token=b"", connect=True):
        super().__init__(port, connect=False)
        context = ssl.create_default_context(cafile=authority.cert)
        context.load_cert_chain(base + ".crt", base + ".key")
        self.socket = context.wrap_socket(self.socket, server_hostname="localhost")
        if token:
            self.socket.sendall(hello(token))
        if connect:
            self.connect(2, self.minor, 1)


class Good:
    """A viewer by TLS that goes on while others misbehave."""

    def __init__(self, server, authority, base):
        self.viewer = TlsViewer(server.port, authority, base)
        self.viewer.create()
        self.stream = self.viewer.attach(1)[1][1]["id"]

    def goes_on(self, what):
        reply = self.viewer.index(self.stream)
        if reply["status"] != OK:
            self.viewer.detach(1)
            self.stream = self.viewer.attach(1)[1][1]["id"]
            reply = self.viewer.index(self.stream)
        got = self.viewer.packet(self.stream, reply["offset"], 4)
        equal("another viewer, beside " + what, (got[0], got[2]), (1, b"\xc1\x1f\xfc\xc1"))


def hello(token):
    return b"\xf0Sonde\r\n" + struct.pack(">H", len(token)) + token


def make_trace(*args):
    trace = fresh("trace")
    run(sys.executable, os.path.join(HERE, "make_trace.py"), trace, *args)
    return trace


def events(source, *options):
    return run(SONDE, "print", "--format", "json", *options, source).stdout


class World:
    """All the files."""

    def __init__(self):
        self.ours, self.theirs = Authority("ours"), Authority("theirs")
        self.relay = self.ours.sign("relay", "DNS:localhost,IP:127.0.0.1")
        self.elsewhere = self.ours.sign("elsewhere")
        self.web1, self.web2 = self.ours.sign("web1"), self.ours.sign("web2")
        self.old = self.ours.sign("old", days=-1)
        self.stranger = self.theirs.sign("stranger")
        self.impostor = self.theirs.sign("impostor", "DNS:localhost")
        self.server = self.ours.options(self.relay)
        self.client = self.ours.options(self.web1)
        self.token = write_token("token", "0123456789abcdef")
        self.wrong_token = write_token("token", "0123456789abcdeg")
        self.trace = make_trace("--events", "40000", "--packet", "200000")
        self.small = make_trace("--events", "1000")


def the_same(world):
    """Packets of any size, compressed and not, by TLS, a token, and both."""
    compressed = fresh("compressed")
    run(SONDE, "convert", world.trace, "--compress", "-o", compressed)
    want = {trace: events(trace) for trace in (world.trace, compressed)}
    token = ("--token", world.token)
    for asked, shown in ((world.server, world.client), (token, token),
                         ((*world.server, *token), (*world.client, *token))):
        server = Server(*asked, traces=want)
        for trace, url in zip(want, server.urls):
            check(events(url, *shown) == want[trace], "%s: not the same events" % (asked,))
        listed = run(SONDE, "sessions", *shown, "net://127.0.0.1:%d" % server.port).stdout
        equal("sessions in the list", listed.count("net://"), 2)
        equal("exit status", server.stop(), 0)
        check("rejected" not in server.said(), server.said())


def bytes_of_packets(world):
    """Files are sent in pieces that are encrypted: each byte is where it was."""
    server = Server(*world.server, traces=[world.trace])
    viewer = TlsViewer(server.port, world.ours, world.web1)
    viewer.create()
    longest = 0
    for stream in viewer.attach(1)[1]:
        if stream["metadata"]:
            continue
        with open(os.path.join(world.trace, stream["channel"]), "rb") as file:
            data = file.read()
        while (reply := viewer.index(stream["id"]))["status"] == OK:
            count = reply["packet"] // 8
            longest = max(longest, count)
            got = viewer.packet(stream["id"], reply["offset"], count)[2]
            check(got == data[reply["offset"]:reply["offset"] + count], "a packet is not its file's")
    check(longest > 64 << 10, "the longest packet has %d bytes" % longest)
    equal("exit status", server.stop(), 0)


def refused(world):
    """Each is told why, at both ends, and the session of another goes on."""
    server = Server(*world.server, traces=[world.small])
    good = Good(server, world.ours, world.web1)
    url, address = server.urls[0], "net://127.0.0.1:%d" % server.port
    by_number = url.replace("localhost", "127.0.0.1")
    for what, name, options, ours, theirs in (
            ("of another authority", url, (*world.theirs.options(world.stranger)[:4], "--tls-ca",
                                           world.ours.cert),
             "does not take our certificate", "its certificate: "),
            ("that is too old", url, world.ours.options(world.old),
             "does not take our certificate", "its certificate: certificate has expired"),
            ("who believes another authority", by_number, (*world.client[:4], "--tls-ca",
                                                           world.theirs.cert),
             "the relay's certificate: ", "it does not take our certificate: unknown ca"),
            ("without a certificate", url, (), "ask for a certificate", "it does not speak TLS"),
            ("with a token alone", url, ("--token", world.token), "ask for TLS",
             "it does not speak TLS")):
        for verb in (("print", name), ("sessions", address)):
            done = run(SONDE, verb[0], *options, verb[1], good=False)
            equal("exit status %s" % what, done.returncode, 1)
            check(ours in done.stderr, "%s is told: %s" % (what, done.stderr))
            equal("lines of the error " + what, done.stderr.count("\n"), 1)
            check(not done.stdout, "%s sees: %s" % (what, done.stdout[:200]))
            server.says(theirs)
        good.goes_on("a peer " + what)
    equal("the alert for a client without a certificate", alert_without_certificate(server.port, world.ours),
          "TLSV13_ALERT_CERTIFICATE_REQUIRED")
    server.says("rejected: TLS: peer did not return a certificate")
    good.goes_on("a peer that shows no certificate")
    equal("exit status", server.stop(), 0)


def alert_without_certificate(port, authority):
    context = ssl.create_default_context(cafile=authority.cert)
    plain = socket.create_connection(("127.0.0.1", port), PATIENCE)
    try:
        return context.wrap_socket(plain, server_hostname="localhost").recv(1)
    except ssl.SSLError as error:
        return error.reason


def wrong_relays(world):
    """Relays that are not what they should be, by the client's lights."""
    for what, base, authority, why in (
            ("of another name", world.elsewhere, world.ours, "mismatch"),
            ("of another authority", world.impostor, world.theirs, "the relay's certificate: ")):
        server = Server("--tls-cert", base + ".crt", "--tls-key", base + ".key", "--tls-ca",
                        authority.cert, traces=[world.small])
        done = run(SONDE, "print", *world.client, server.urls[0], good=False)
        check(done.returncode == 1 and why in done.stderr, "a relay %s: %s" % (what, done.stderr))
        server.says("it does not take our certificate: ")
        equal("exit status", server.stop(), 0)


def plain_relay(world):
    """It knows nothing of either, and says so; a plain viewer is served beside."""
    server = Server(traces=[world.small])
    plain = Viewer(server.port)
    for options, ours, theirs in ((world.client, "TLS", "it speaks TLS, which is not asked"),
                                  (("--token", world.token), "ask for no token",
                                   "it says a token, which is not asked")):
        done = run(SONDE, "print", *options, server.urls[0], good=False)
        check(done.returncode == 1 and ours in done.stderr, "at a plain relay: " + done.stderr)
        server.says(theirs)
        equal("a plain viewer", len(plain.list()), 1)
    equal("exit status", server.stop(), 0)


def tokens(world):
    """Wrong ones, ones in pieces, ones that never come, and bytes of the protocol right behind."""
    server = Server("--token", world.token, traces=[world.small])
    done = run(SONDE, "print", "--token", world.wrong_token, server.urls[0], good=False)
    check(done.returncode == 1 and "token" in done.stderr, done.stderr)
    server.says("it does not know the token")
    done = run(SONDE, "print", server.urls[0], good=False)
    check(done.returncode == 1 and "--token" in done.stderr, done.stderr)
    server.says("it does not know the token")
    token = b"0123456789abcdef"
    at_once = Viewer(server.port, connect=False)
    at_once.socket.sendall(hello(token) + struct.pack(">QII", 20, 1, 0) +
                           struct.pack(">QIII", 0, 2, 4, 1))
    equal("what comes right behind a token", at_once.numbers(">QIII")[1:3], (2, 15))
    pieces = Viewer(server.port, connect=False)
    for byte in hello(token):
        pieces.socket.sendall(bytes([byte]))
    equal("a token in pieces", pieces.connect(2, 4, 1)[1], 2)
    equal("who knew it", at_once.list()[0]["viewers"], 0)
    equal("exit status", server.stop(), 0)
    server = Server("--token", world.token, "--patience", "1s", traces=[world.small])
    late = [Viewer(server.port, connect=False) for unused in range(3)]
    late[1].socket.sendall(hello(token)[:1])
    late[2].socket.sendall(hello(token)[:-1])
    for viewer in late:
        check(viewer.is_closed(), "who says no token keeps its connection for ever")
        server.says("authentication timed out")
    equal("exit status", server.stop(), 0)


def token_within_tls(world):
    server = Server(*world.server, "--token", world.token, "--patience", "2s", traces=[world.small])
    with contextlib.suppress(ssl.SSLError, ConnectionError):
        late = TlsViewer(server.port, world.ours, world.web1, connect=False)
        check(late.is_closed(), "who says no token is let in")
    server.says("authentication timed out")
    equal("exit status", server.stop(), 0)
    server = Server(*world.server, "--token", world.token, traces=[world.small])
    done = run(SONDE, "print", *world.client, "--token", world.wrong_token, server.urls[0],
               good=False)
    check(done.returncode == 1 and "token" in done.stderr, done.stderr)
    server.says("it does not know the token")
    wrong = TlsViewer(server.port, world.ours, world.web1, hello(b"x" * 16), connect=False)
    with contextlib.suppress(ssl.SSLEOFError):
        check(wrong.is_closed(), "who says a wrong token is let in")
    equal("exit status", server.stop(), 0)


def allowed(world):
    """Sessions by names in certificates: the others are neither listed nor attached."""
    names = [os.path.basename(trace) for trace in (world.trace, world.small)]
    server = Server(*world.server, "--allow", "web1=" + names[1], "--allow", "web*=none",
                    "--allow", "we?2=trace*", traces=[world.trace, world.small])
    address = "net://localhost:%d" % server.port
    for base, want in ((world.web1, [names[1]]), (world.web2, names)):
        shown = world.ours.options(base)
        listed = run(SONDE, "sessions", *shown, address).stdout
        equal("listed to " + base, sorted(re.findall(r"/(trace\d+) ", listed)), sorted(want))
    equal("events of what is allowed", events(server.urls[1], *world.client), events(world.small))
    done = run(SONDE, "print", *world.client, server.urls[0], good=False)
    check(done.returncode == 1 and "has no session" in done.stderr, done.stderr)
    hidden = TlsViewer(server.port, world.ours, world.web2).number_of(server.urls[0])
    viewer = TlsViewer(server.port, world.ours, world.web1)
    allowed = viewer.number_of(server.urls[1])
    viewer.create()
    equal("attaching what is not listed", viewer.attach(hidden), (3, []))
    equal("what is not there", viewer.attach(99), (3, []))
    equal("what is allowed", viewer.attach(allowed)[0], 1)
    done = run(SONDE, "sessions", *world.ours.options(world.elsewhere), address, good=False)
    equal("who may see nothing", (done.returncode, done.stdout), (4, ""))
    equal("exit status", server.stop(), 0)


def plain_local(world):
    """Who comes from this machine may do as LTTng's programs do; who has a certificate uses it."""
    server = Server(*world.server, "--token", world.token, "--plain-local",
                    traces=[world.small])
    want = events(world.small)
    equal("plain", events(server.urls[0]), want)
    if not shutil.which("babeltrace2"):
        missing("babeltrace2 is not installed")
    seen, stored = (run("babeltrace2", "--no-delta", *source).stdout for source in (
        ("-i", "lttng-live", server.urls[0]), (world.small,)))
    equal("babeltrace2 sees what is stored", seen == stored and seen != "", True)
    equal("by TLS", events(server.urls[0], *world.client, "--token", world.token), want)
    done = run(SONDE, "print", *world.client, server.urls[0], good=False)
    check(done.returncode == 1 and "token" in done.stderr, "TLS without a token: " + done.stderr)
    server.says("it does not know the token")
    equal("exit status", server.stop(), 0)


def listening(world):
    """Where other machines connect only with something that is asked of them, or aloud."""
    for address in ("0.0.0.0:0", "[::]:0"):
        done = run(SONDE, "serve", "--live", address, world.small, good=False)
        equal("exit status at " + address, done.returncode, 5)
        for option in ("--tls-cert", "--token", "--insecure"):
            check(option in done.stderr, "%s is not named: %s" % (option, done.stderr))
        for options in (world.server, ("--token", world.token), ("--insecure",)):
            server = Server(*options, live=address, traces=[world.small])
            shown = world.client if options == world.server else options
            if options == ("--insecure",):
                shown = ()
            equal("events at " + address, events(server.urls[0], *shown), events(world.small))
            equal("exit status", server.stop(), 0)


def usage(world):
    """Options that do not fit together, and files that others can read."""
    for options, why in (
            ((*world.server, "--insecure"), "--insecure"), (("--plain-local",), "--plain-local"),
            (("--allow", "web1=*"), "--tls-cert"), ((*world.server, "--allow", "web1"), "PEER=SESSION"),
            (world.server[:4], "--tls-ca"), (world.server[2:], "--tls-cert")):
        done = run(SONDE, "serve", *options, world.small, good=False)
        check(done.returncode == 2 and why in done.stderr,
              "serve %s: %d: %s" % (options, done.returncode, done.stderr))
    for verb in (("record", "-o", fresh()), ("serve", "--rx", "0")):
        done = run(SONDE, *verb, "--token", world.token, good=False)
        check(done.returncode == 2 and "certificates and tokens" in done.stderr, done.stderr)
    done = run(SONDE, "print", "--token", world.token, world.small, good=False)
    check(done.returncode == 2 and "live sessions" in done.stderr, done.stderr)
    done = run(SONDE, "sessions", *world.client[:2], "net://localhost:1", good=False)
    check(done.returncode == 2 and "--tls-key" in done.stderr, done.stderr)
    for file, options in ((world.relay + ".key", world.server),
                          (world.token, ("--token", world.token))):
        os.chmod(file, 0o640)
        for verb, source in (("serve", world.small), ("sessions", "net://localhost:1")):
            done = run(SONDE, verb, *options, source, good=False)
            check(done.returncode and "chmod 600 " + file in done.stderr,
                  "%s: %d: %s" % (verb, done.returncode, done.stderr))
        os.chmod(file, 0o600)


def reloaded(world):
    """Upon SIGHUP others are let in, and who is in stays; what is no good changes nothing."""
    files = {name: fresh(name) for name in ("cert", "key", "ca")}
    for name, file in zip(files, (world.relay + ".crt", world.relay + ".key", world.ours.cert)):
        shutil.copy(file, files[name])
    server = Server("--tls-cert", files["cert"], "--tls-key", files["key"], "--tls-ca", files["ca"],
                    traces=[world.small])
    good = Good(server, world.ours, world.web1)
    theirs = (*world.theirs.options(world.stranger)[:4], "--tls-ca", world.ours.cert)
    shutil.copy(world.theirs.cert, files["ca"])
    server.process.send_signal(signal.SIGHUP)
    server.says("are read again")
    equal("events of another authority's", events(server.urls[0], *theirs), events(world.small))
    equal("who is not believed any more", run(SONDE, "print", *world.client, server.urls[0],
                                              good=False).returncode, 1)
    os.chmod(files["key"], 0o644)
    server.process.send_signal(signal.SIGHUP)
    server.says("stay as they were: " + files["key"])
    equal("events after that", events(server.urls[0], *theirs), events(world.small))
    good.goes_on("another authority")
    equal("exit status", server.stop(), 0)


def many(world):
    server = Server(*world.server, traces=[world.small])
    viewers = [TlsViewer(server.port, world.ours, world.web1) for unused in range(VIEWERS)]
    want = events(world.small)
    prints = [subprocess.Popen([SONDE, "print", "--format", "json", *world.client, server.urls[0]],
                               stdout=subprocess.PIPE, text=True) for unused in range(SOURCES)]
    for viewer in viewers:
        viewer.create()
        streams = viewer.attach(1)[1]
        reply = viewer.index(streams[1]["id"])
        count = reply["packet"] // 8
        with open(os.path.join(world.small, streams[1]["channel"]), "rb") as file:
            check(viewer.packet(streams[1]["id"], 0, count)[2] == file.read(count),
                  "one of many gets other bytes")
    equal("who is attached", viewers[0].list()[0]["viewers"] >= VIEWERS, True)
    for one in prints:
        equal("one of many programs", one.communicate(timeout=PATIENCE)[0] == want, True)
    equal("exit status", server.stop(), 0)


def first_flight(world):
    """What a client says first, as it goes over the wire."""
    context = ssl.create_default_context(cafile=world.ours.cert)
    there, back = ssl.MemoryBIO(), ssl.MemoryBIO()
    with contextlib.suppress(ssl.SSLWantReadError):
        context.wrap_bio(there, back, server_hostname="localhost").do_handshake()
    return back.read()


def halves(world):
    """Of a handshake, and then silence; and noise: the viewer beside goes on."""
    server = Server(*world.server, "--patience", "10s", traces=[world.small])
    good = Good(server, world.ours, world.web1)
    client = first_flight(world)
    rng = random.Random(7)
    before = server.memory()
    silent = [Viewer(server.port, connect=False) for unused in range(6)]
    for viewer, count in zip(silent, (0, 1, 5, 40, len(client) - 1, len(client))):
        viewer.socket.sendall(client[:count])
    for viewer in silent:
        good.goes_on("half a handshake")
        with contextlib.suppress(OSError):
            while viewer.socket.recv(1 << 16):
                pass
        server.says("authentication timed out")
    for turn in range(300):
        noise = rng.randbytes(rng.randrange(1, 3000))
        if turn % 3 == 1:
            noise = b"\x16" + noise
        elif turn % 3 == 2:
            damaged = bytearray(client)
            for unused in range(rng.randrange(1, 5)):
                damaged[rng.randrange(1, len(damaged))] = rng.randrange(256)
            noise = bytes(damaged) + noise
        viewer = Viewer(server.port, connect=False)
        with contextlib.suppress(OSError):
            viewer.socket.sendall(noise)
            viewer.socket.shutdown(socket.SHUT_WR)
            while viewer.socket.recv(1 << 16):
                pass
        viewer.close()
        if turn % 30 == 0:
            good.goes_on("noise")
    good.goes_on("noise")
    equal("viewers in the list", good.viewer.list()[0]["viewers"], 1)
    check(server.memory() < before + (64 << 20), "it has grown to %d bytes" % server.memory())
    equal("exit status", server.stop(), 0)


def silent_from(server, address, count):
    """Connections that say nothing, from an address of this host's loopback."""
    made = []
    for unused in range(count):
        one = socket.create_connection(("127.0.0.1", server.port), source_address=(address, 0))
        cleanups.append(one.close)
        made.append(one)
    return made


def half_open(world):
    """Connections that are not authenticated take no viewer's place, those of one address no other's, and whoever
    is refused is told the truth."""
    server = Server(*world.server, "--connections", "3", "--patience", "600s", traces=[world.small])
    want = events(world.small)
    silent = silent_from(server, "127.0.0.2", 255)
    for one in silent[::2]:
        one.sendall(first_flight(world)[:40])
    equal("beside half-open connections", events(server.urls[0], *world.client), want)
    # One more than its address may have, and one from another address.
    silent += silent_from(server, "127.0.0.2", 1)
    late = silent_from(server, "127.0.0.2", 1)[0]
    equal("one too many of one address", receive_all(late), ALERT)
    server.says("too many connections of one address wait to be authenticated")
    equal("from another address", events(server.urls[0], *world.client), want)
    # From many addresses: some of those that wait go, by chance.
    for last in range(3, 7):
        silent += silent_from(server, "127.0.0.%d" % last, 128)
    equal("beside half-open connections of many addresses", events(server.urls[0], *world.client), want)
    for one in silent:
        one.setblocking(False)
    closed = sum(is_over(one) for one in silent)
    check(len(silent) - 512 <= closed < len(silent), "%d of %d half-open connections were closed" % (
        closed, len(silent)))
    # All places taken by those who are authenticated.
    viewers = [TlsViewer(server.port, world.ours, world.web1) for unused in range(3)]
    done = run(SONDE, "print", *world.client, server.urls[0], good=False)
    check(done.returncode == 1 and "the relay has no room for another connection" in done.stderr and
          "TLS" not in done.stderr, "refused: " + done.stderr)
    server.says("others are refused")
    viewers[0].close()
    until(lambda: len(viewers[1].list()) == 1 and is_served(server, world), "there is room again")
    equal("exit status", server.stop(), 0)


ALERT = bytes((21, 3, 3, 0, 2, 2, 80))  # fatal, internal_error


def receive_all(connection):
    connection.settimeout(PATIENCE)
    data = b""
    while piece := connection.recv(4096):
        data += piece
    return data


def is_over(connection):
    """Without waiting: whether the other side has closed, with or without an alert before."""
    try:
        return connection.recv(4096) in (b"", ALERT)
    except BlockingIOError:
        return False
    except ConnectionError:
        return True


def is_served(server, world):
    return run(SONDE, "print", *world.client, server.urls[0], good=False).returncode == 0


class Proxy:
    """Passes bytes on to a relay; of the first connection only so many to the client, and @then instead of the others."""

    def __init__(self, port, count, then):
        self.port_behind, self.count, self.then = port, count, then
        self.firsts = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        while True:
            client = self.listener.accept()[0]
            relay = socket.create_connection(("127.0.0.1", self.port_behind))
            left = self.count if not self.firsts else None
            self.firsts.append(None)
            at = len(self.firsts) - 1
            for ends in ((client, relay, at, None), (relay, client, None, left)):
                threading.Thread(target=self.pass_on, args=ends, daemon=True).start()

    def pass_on(self, source, target, at, left):
        with contextlib.suppress(OSError):
            while data := source.recv(1 << 14 if left is None else min(left, 1 << 14)):
                if at is not None and self.firsts[at] is None:
                    self.firsts[at] = data[0]
                target.sendall(data)
                if left is not None:
                    left -= len(data)
                    if not left and self.then:
                        target.sendall(self.then)
                        return  # the client ends it
                    if not left:
                        break
        for end in (source, target):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)


def reconnect(world):
    """A connection that breaks, or brings what the relay has not sent, is made again by TLS."""
    server = Server(*world.server, "--token", world.token, traces=[world.trace])
    for then, why in ((b"", "closed the connection"), (bytes(1 << 15), "was modified")):
        proxy = Proxy(server.port, 400000, then)
        done = run(SONDE, "print", *world.client, "--token", world.token,
                   server.urls[0].replace(":%d" % server.port, ":%d" % proxy.port), good=False)
        check(why in done.stderr, "of the break: " + done.stderr)
        check("connected again" in done.stderr, "after the break: " + done.stderr)
        check(len(proxy.firsts) == 2 and set(proxy.firsts) == {0x16},
              "connections: %s" % proxy.firsts)
    equal("exit status", server.stop(), 0)


class Credentials(ctypes.Structure):
    _fields_ = [(name, ctypes.c_char_p) for name in ("cert", "key", "ca", "token")] + \
               [("reserved", ctypes.c_void_p * 4)]


def library(world):
    build = os.path.dirname(os.path.dirname(os.path.dirname(SONDE)))
    lib = ctypes.CDLL(os.path.join(build, "src", "lib", "libsonde.so"))
    server = Server(*world.server, "--token", world.token, traces=[world.small])
    files = [file.encode() for file in (*world.client[1::2], world.token)]
    source, event, count = ctypes.c_void_p(), ctypes.c_void_p(), 0
    name = server.urls[0].encode()
    text = ctypes.create_string_buffer(1024)
    equal("opening without", lib.sonde_open(name, ctypes.byref(source), text) < 0, True)
    equal("opening", lib.sonde_open_live(name, ctypes.byref(Credentials(*files)),
                                         ctypes.byref(source), text), 0)
    while (got := lib.sonde_next(source, ctypes.byref(event), None)) > 0 or got == -11:
        count += got > 0
    equal("the end", got, 0)
    equal("events", count, events(world.small).count("\n"))
    lib.sonde_close(source)
    text = "import sonde, sys; files = dict(zip(('tls_cert', 'tls_key', 'tls_ca', 'token'), sys.argv[2:])); " \
        "print(sum(1 for event in sonde.open(sys.argv[1], credentials=files)))"
    done = run(sys.executable, "-c", text, server.urls[0], *world.client[1::2], world.token,
               env=os.environ | {"LD_LIBRARY_PATH": os.path.join(build, "src", "lib"),
                                 "PYTHONPATH": os.path.join(HERE, "..", "..", "python")})
    equal("events by Python", done.stdout, "%d\n" % count)
    equal("a trace", lib.sonde_open_live(world.small.encode(), ctypes.byref(Credentials(*files)),
                                         ctypes.byref(source), None), -22)
    equal("exit status", server.stop(), 0)


def main():
    world = World()
    for part in (the_same, bytes_of_packets, refused, wrong_relays, plain_relay, tokens,
                 token_within_tls, allowed, plain_local, listening, usage, reloaded, many, halves, half_open, reconnect,
                 library):
        part(world)
    finish()


main()
